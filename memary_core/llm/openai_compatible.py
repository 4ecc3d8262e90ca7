"""Models behind the OpenAI chat protocol: OpenAI itself, servers that speak it, and the embedded one.

LlamaIndex's `OpenAILike` does the talking; it takes over two seconds to import and is imported at the first
question. Every error of the libraries beneath is translated here.
"""

from __future__ import annotations

import re
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from memary_core.errors import ModelError, ModelUnavailable
from memary_core.llm.llama import broke_off, chat_messages, says_end, whole
from memary_core.llm.model import CONTEXT_WINDOW, Capabilities, State, ToolsUnsupported
from memary_core.llm.thinking import tagged
from memary_core.prompt import Message
from memary_core.tokens import estimate_tokens

OPENAI = "https://api.openai.com/v1"
OPENAI_WINDOW = 32_768
"""Tokens of OpenAI's models that are used where the settings say nothing: they have more, and cost by use."""
PROBE_SECONDS = 1.0
LIST_SECONDS = 3.0
LISTED = 60
_SEES = re.compile(r"gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-5|^o[134]\b|llava|vision|-vl\b|pixtral|gemma-?3", re.IGNORECASE)
_CHATS_NOT = re.compile(
    r"embed|whisper|tts|audio|realtime|transcribe|dall-e|image|moderation|babbage|davinci|instruct|search|sora|rerank",
    re.IGNORECASE,
)


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
    tools: bool = False


@dataclass(frozen=True, slots=True)
class OpenAICompatible:
    """A model of OpenAI's, or of a server of one's own that speaks its protocol."""

    endpoint: Endpoint
    name: str
    label: str
    state: State
    advice: str = ""
    tiny: bool = False
    capabilities: Capabilities = Capabilities(tools=True)

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

    def llm(self) -> AbstractAsyncContextManager[Any]:
        """LlamaIndex's form of it."""
        return llm(self.endpoint)


def describe(
    name: str, *, base_url: str | None, api_key: str | None, context_window: int | None, probe: bool = True
) -> OpenAICompatible:
    """The model `name`. A server given by `base_url` is probed for an open port, for a second at most.

    Whether it can see is told by its name. That it calls functions is supposed: there is no call that says it.
    """
    window = context_window or (CONTEXT_WINDOW if base_url else OPENAI_WINDOW)
    endpoint = Endpoint(name, base_url or OPENAI, _key(api_key), window, tools=True)
    host = urlsplit(endpoint.base_url).hostname or endpoint.base_url
    state: State = "ready"
    advice = ""
    if base_url and probe and not listens(base_url):
        state, advice = "not reachable", f"Start the server at {_shown(base_url)}, or correct OPENAI_BASE_URL."
    able = Capabilities(tools=True, vision=_SEES.search(name) is not None)
    return OpenAICompatible(endpoint, name, f"{name} ({host})", state, advice, capabilities=able)


def listed(base_url: str | None, api_key: str | None) -> list[str]:
    """Names of the models there that can chat, as far as names tell; raises `ModelUnavailable` or `ModelError`."""
    endpoint = Endpoint("The list of its models", base_url or OPENAI, _key(api_key), 0, timeout=LIST_SECONDS)
    with _translated(endpoint), _http(endpoint) as http:
        import openai

        client = openai.OpenAI(
            api_key=endpoint.api_key, base_url=endpoint.base_url, max_retries=0, timeout=LIST_SECONDS, http_client=http
        )
        names = [each.id for each in client.models.list().data]
    return sorted(each for each in names if not _CHATS_NOT.search(each))[:LISTED]


def _key(api_key: str | None) -> str:
    # A server of one's own may want no key, yet the client library refuses an empty one.
    return api_key or "none"


def stream(endpoint: Endpoint, messages: Sequence[Message]) -> Iterator[str]:
    """The answer of the model at `endpoint`, piece by piece. Closing the iterator ends the request.

    Raises `ModelUnavailable` or `ModelError`, the latter also where the answer ends before its end was said.
    """
    with _translated(endpoint), _client(endpoint) as client:
        ended = False

        def pairs() -> Iterator[tuple[str, str]]:
            nonlocal ended
            for response in client.stream_chat(chat_messages(messages)):
                ended = ended or says_end(response.raw)
                yield response.additional_kwargs.get("thinking_delta") or "", response.delta or ""

        with closing(tagged(pairs())) as pieces:
            yield from pieces
        if not ended:
            raise broke_off(endpoint.model)


def complete(endpoint: Endpoint, messages: Sequence[Message]) -> str:
    """The whole answer of the model at `endpoint`. Raises `ModelUnavailable` or `ModelError`."""
    with _translated(endpoint), _client(endpoint) as client:
        answer = client.chat(chat_messages(messages)).message.content
    return str(answer or "")


@asynccontextmanager
async def llm(endpoint: Endpoint) -> AsyncIterator[Any]:
    """LlamaIndex's form of the model at `endpoint`, for an agent; see `Model.llm`."""
    with _translated(endpoint):
        import httpx
        from llama_index.llms.openai_like import OpenAILike  # type: ignore[import-untyped]

        async with httpx.AsyncClient(trust_env=not endpoint.local, timeout=endpoint.timeout) as http:
            yield whole(OpenAILike)(**_options(endpoint), async_http_client=http)


def _shown(url: str) -> str:
    """The address without a user name or password in it."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def listens(base_url: str) -> bool:
    """Does anything accept a connection there, within a second?"""
    parts = urlsplit(base_url)
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        with socket.create_connection((parts.hostname or "", port), timeout=PROBE_SECONDS):
            return True
    except (OSError, ValueError):
        return False


@contextmanager
def _http(endpoint: Endpoint) -> Iterator[Any]:
    import httpx

    # One for each request: the library keeps a stream alive until the garbage collector comes round to it, and
    # the model would talk on into it. Closing the connection is what ends it.
    with httpx.Client(trust_env=not endpoint.local, timeout=endpoint.timeout) as http:
        yield http


@contextmanager
def _client(endpoint: Endpoint) -> Iterator[Any]:
    from llama_index.llms.openai_like import OpenAILike

    with _http(endpoint) as http:
        yield OpenAILike(**_options(endpoint), http_client=http)


def _options(endpoint: Endpoint) -> dict[str, Any]:
    return {
        "model": endpoint.model,
        "api_base": endpoint.base_url,
        "api_key": endpoint.api_key,
        "context_window": endpoint.context_window,
        "max_tokens": endpoint.max_tokens,
        "is_chat_model": True,
        "is_function_calling_model": endpoint.tools,
        "max_retries": 0 if endpoint.local else 1,
        "timeout": endpoint.timeout,
    }


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
        raise _refusal(name, error.status_code, error.message) from error
    except (openai.OpenAIError, httpx.HTTPError) as error:
        raise ModelError(f"{name} broke off: {_short(error)}. Send the message again.") from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        # The libraries index into whatever JSON comes back, so an odd reply surfaces as any of these.
        raise ModelError(
            f"{where} sent a reply that does not follow the chat protocol ({_short(error)}). "
            "Check that OPENAI_BASE_URL is the address of a chat server and ends in /v1."
        ) from error


def _refusal(name: str, status: int, message: str) -> ModelError:
    if "context" in message and status == 400:
        return ModelError(
            f"The conversation does not fit into what {name} reads: {message} Set MEMARY_CONTEXT_WINDOW to the "
            "size that its server was started with."
        )
    if re.search(r"\btools?\b|\bfunction call", message) and status in (400, 422, 500, 501):
        return ToolsUnsupported(f"{name} does not call functions: {message[:300]}")
    return ModelError(
        f"{name} refused the request with status {status}: {message[:300]} Send it again or use another model."
    )


def _short(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
