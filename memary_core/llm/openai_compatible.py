"""Models behind the OpenAI chat protocol: OpenAI itself, servers that speak it, and the embedded one.

LlamaIndex's `OpenAILike` does the talking; it takes over two seconds to import and is imported at the first
question. Every error of the libraries beneath is translated here.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from memary_core.errors import ModelError, ModelUnavailable
from memary_core.prompt import Message
from memary_core.tokens import estimate_tokens

if TYPE_CHECKING:
    from memary_core.llm.providers import State

OPENAI = "https://api.openai.com/v1"
PROBE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model answers. `local` keeps the request away from any proxy of the environment."""

    model: str
    base_url: str
    api_key: str = field(repr=False)
    context_window: int
    max_tokens: int | None = None
    local: bool = False
    timeout: float = 120.0
    """Seconds without a byte after which the model counts as gone."""


@dataclass(frozen=True, slots=True)
class OpenAICompatible:
    """A model of OpenAI's, or of a server of one's own that speaks its protocol."""

    endpoint: Endpoint
    name: str
    label: str
    state: State
    advice: str = ""
    tiny: bool = False

    @property
    def context_window(self) -> int:
        """Tokens that a request and its answer may take together."""
        return self.endpoint.context_window

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        """The answer, piece by piece; raises `ModelUnavailable` or `ModelError`."""
        return stream(self.endpoint, messages)

    def complete(self, messages: Sequence[Message]) -> str:
        """The whole answer at once; raises `ModelUnavailable` or `ModelError`."""
        return complete(self.endpoint, messages)

    def count_tokens(self, text: str) -> int:
        """An estimate: the protocol has no call for it."""
        return estimate_tokens(text)


def describe(name: str, *, base_url: str | None, api_key: str | None, context_window: int) -> OpenAICompatible:
    """The model `name`. A server given by `base_url` is probed for an open port, for a second at most."""
    # A server of one's own may want no key, yet the client library refuses an empty one.
    endpoint = Endpoint(name, base_url or OPENAI, api_key or "none", context_window)
    host = urlsplit(endpoint.base_url).hostname or endpoint.base_url
    if base_url and not _listens(base_url):
        advice = f"Start the server at {_shown(base_url)}, or correct OPENAI_BASE_URL."
        return OpenAICompatible(endpoint, name, f"{name} ({host})", "not reachable", advice)
    return OpenAICompatible(endpoint, name, f"{name} ({host})", "ready")


def stream(endpoint: Endpoint, messages: Sequence[Message]) -> Iterator[str]:
    """The answer of the model at `endpoint`, piece by piece. Closing the iterator ends the request.

    Raises `ModelUnavailable` or `ModelError`, the latter also where the answer ends before its end was said.
    """
    reason = None
    with _translated(endpoint), _client(endpoint) as client:
        for response in client.stream_chat(_chat_messages(messages)):
            for choice in getattr(response.raw, "choices", None) or ():
                reason = choice.finish_reason or reason
            if response.delta:
                yield response.delta
    if reason is None:
        raise ModelError(
            f"{endpoint.model} broke off in the middle of its answer. Send the message again; if that does not "
            "help, see the log of its server."
        )


def complete(endpoint: Endpoint, messages: Sequence[Message]) -> str:
    """The whole answer of the model at `endpoint`. Raises `ModelUnavailable` or `ModelError`."""
    with _translated(endpoint), _client(endpoint) as client:
        answer = client.chat(_chat_messages(messages)).message.content
    return str(answer or "")


def _shown(url: str) -> str:
    """The address without a user name or password in it."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _listens(base_url: str) -> bool:
    parts = urlsplit(base_url)
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        with socket.create_connection((parts.hostname or "", port), timeout=PROBE_SECONDS):
            return True
    except (OSError, ValueError):
        return False


def _chat_messages(messages: Sequence[Message]) -> list[Any]:
    from llama_index.core.base.llms.types import ChatMessage

    return [ChatMessage(role=each.role, content=each.content) for each in messages]


@contextmanager
def _client(endpoint: Endpoint) -> Iterator[Any]:
    import httpx
    from llama_index.llms.openai_like import OpenAILike  # type: ignore[import-untyped]

    # One for each request: the library keeps a stream alive until the garbage collector comes round to it, and
    # the model would talk on into it. Closing the connection is what ends it.
    with httpx.Client(trust_env=not endpoint.local, timeout=endpoint.timeout) as http:
        yield OpenAILike(
            model=endpoint.model,
            api_base=endpoint.base_url,
            api_key=endpoint.api_key,
            context_window=endpoint.context_window,
            max_tokens=endpoint.max_tokens,
            is_chat_model=True,
            is_function_calling_model=False,
            max_retries=0 if endpoint.local else 1,
            timeout=endpoint.timeout,
            http_client=http,
        )


@contextmanager
def _translated(endpoint: Endpoint) -> Iterator[None]:
    try:
        import httpx
        import openai
    except ImportError as error:
        raise ModelUnavailable(
            f"{endpoint.model} needs a package that is not installed. Run `pip install llama-index-llms-openai-like`."
        ) from error
    name, where = endpoint.model, _shown(endpoint.base_url)
    try:
        yield
    except openai.APITimeoutError as error:
        raise ModelUnavailable(
            f"{name} at {where} said nothing for {endpoint.timeout:.0f} seconds. See whether its server is "
            "overloaded, and send the message again."
        ) from error
    except openai.APIConnectionError as error:
        raise ModelUnavailable(
            f"{name} cannot be reached at {where}. Start its server or check the network, then send the message again."
        ) from error
    except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
        raise ModelUnavailable(
            f"{where} refused the key for {name}. Set OPENAI_API_KEY to one that it takes."
        ) from error
    except openai.NotFoundError as error:
        raise ModelUnavailable(
            f"{where} does not know {name}. Correct the name in MEMARY_LLM, or pull the model there first."
        ) from error
    except openai.RateLimitError as error:
        raise ModelError(
            f"{name} takes no more requests now: its rate or quota is used up. Wait a minute, or see the account."
        ) from error
    except openai.APIStatusError as error:
        raise ModelError(_refusal(name, error.status_code, error.message)) from error
    except (openai.OpenAIError, httpx.HTTPError) as error:
        raise ModelError(f"{name} broke off: {_short(error)}. Send the message again.") from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        # The libraries index into whatever JSON comes back, so an odd reply surfaces as any of these.
        raise ModelError(
            f"{where} sent a reply that does not follow the chat protocol ({_short(error)}). "
            "Check that OPENAI_BASE_URL is the address of a chat server and ends in /v1."
        ) from error


def _refusal(name: str, status: int, message: str) -> str:
    if "context" in message and status == 400:
        return (
            f"The conversation does not fit into what {name} reads: {message} Set MEMARY_CONTEXT_WINDOW to the "
            "size that its server was started with."
        )
    return f"{name} refused the request with status {status}: {message[:300]} Send it again or use another model."


def _short(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
