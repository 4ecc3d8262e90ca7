"""Models of an Ollama server, by its own client. For agents, LlamaIndex's class of it.

What a model can do is asked of the server (`/api/show`). Ollama cuts a prompt over `num_ctx` silently, so that it
is set with every request, and the conversation counts before it sends. The address is `MEMARY_OLLAMA_URL` or
`OLLAMA_HOST`.
"""

from __future__ import annotations

import re
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from memary_core.errors import ModelError, ModelUnavailable
from memary_core.llm.llama import broke_off, whole
from memary_core.llm.model import CONTEXT_WINDOW, Capabilities, State, ToolsUnsupported
from memary_core.llm.thinking import tagged
from memary_core.prompt import Message
from memary_core.tokens import estimate_tokens

PORT = 11434
PROBE_SECONDS = 0.3
"""How long a server may take to accept a connection before it counts as away: the start must not wait for it."""
ASK_SECONDS = 2.0
"""How long it may take to list its models."""
SILENCE_SECONDS = 600.0
"""Seconds without a byte after which a model counts as gone; loading a large one takes minutes."""
KNOWN = 64
"""Models listed at most."""


@dataclass(frozen=True, slots=True)
class OllamaModel:
    """A model of an Ollama server."""

    name: str
    url: str = field(repr=False)
    label: str
    context_window: int = CONTEXT_WINDOW
    capabilities: Capabilities = Capabilities()
    state: State = "ready"
    advice: str = ""
    tiny: bool = False

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        """The answer, piece by piece; raises `ModelUnavailable` or `ModelError`."""
        with _translated(self), _client(self.url, SILENCE_SECONDS) as client:
            ended = False

            def pairs(replies: Iterator[Any]) -> Iterator[tuple[str, str]]:
                nonlocal ended
                for reply in replies:
                    ended = ended or bool(reply.done)
                    yield reply.message.thinking or "", reply.message.content or ""

            with closing(client.chat(self.name, _dicts(messages), stream=True, **self._options())) as replies:
                yield from tagged(pairs(replies))
            if not ended:
                raise broke_off(self.name)

    def complete(self, messages: Sequence[Message]) -> str:
        """The whole answer at once; raises `ModelUnavailable` or `ModelError`."""
        with _translated(self), _client(self.url, SILENCE_SECONDS) as client:
            said = client.chat(self.name, _dicts(messages), **self._options()).message
            return "".join(tagged([(said.thinking or "", said.content or "")]))

    def count_tokens(self, text: str) -> int:
        """An estimate: the server has no call for it."""
        return estimate_tokens(text)

    def llm(self) -> AbstractAsyncContextManager[Any]:
        """LlamaIndex's form of it."""
        return _llm(self)

    def _options(self) -> dict[str, Any]:
        thinks = {"think": True} if self.capabilities.thinking else {}
        return {"options": {"num_ctx": self.context_window}, **thinks}


@dataclass(frozen=True, slots=True)
class Listed:
    """A model as the server lists it. `digest` names its content."""

    name: str
    digest: str


def address(url: str) -> str:
    """The address in full: `localhost`, `:11434` and a server's own `0.0.0.0` are what people write."""
    bare = "://" not in url
    parts = urlsplit(f"http://{url}" if bare else url)
    try:
        port = parts.port or (PORT if bare else None)
    except ValueError:
        port = PORT
    host = parts.hostname or "127.0.0.1"
    host = "127.0.0.1" if host == "0.0.0.0" else f"[{host}]" if ":" in host else host
    credentials, at, _ = parts.netloc.rpartition("@")
    return f"{parts.scheme}://{credentials}{at}{host}{f':{port}' if port else ''}{parts.path.rstrip('/')}"


def answers(url: str) -> bool:
    """Does anything listen there? Waits 0.3 seconds at most, and imports nothing."""
    parts = urlsplit(address(url))
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        with socket.create_connection((parts.hostname or "", port), timeout=PROBE_SECONDS):
            return True
    except (OSError, ValueError):
        return False


def listed(url: str) -> list[Listed]:
    """The models there, the last changed first; raises `ModelUnavailable` or `ModelError`."""
    asking = OllamaModel("a list of its models", address(url), "")
    with _translated(asking), _client(asking.url, ASK_SECONDS) as client:
        return [Listed(each.model, each.digest or "") for each in client.list().models[:KNOWN] if each.model]


def describe(name: str, url: str, context_window: int | None, there: Sequence[Listed] | None = None) -> OllamaModel:
    """The model `name`, and what it can do. `there`: the server's models, where they are known already."""
    where, name = address(url), name.removesuffix(":latest")
    label = f"{name} (Ollama)"
    if there is None:
        if not answers(url):
            return OllamaModel(name, where, label, state="not reachable", advice=_start(where))
        there = listed(url)
    found = next((each for each in there if each.name in (name, f"{name}:latest")), None)
    if found is None:
        return OllamaModel(name, where, label, state="not set up", advice=f"Run `ollama pull {name}`.")
    known = _known(where, found)
    return OllamaModel(
        name,
        where,
        label,
        context_window=min(context_window or CONTEXT_WINDOW, known.trained),
        capabilities=known.capabilities,
        tiny=known.tiny,
    )


@dataclass(frozen=True, slots=True)
class _Known:
    capabilities: Capabilities
    trained: int
    tiny: bool


@lru_cache(maxsize=4 * KNOWN)
def _known(where: str, model: Listed) -> _Known:
    """What the server says of a model; asked once for each digest."""
    asking = OllamaModel(model.name, where, "")
    with _translated(asking), _client(where, ASK_SECONDS) as client:
        shown = client.show(model.name)
    info = shown.modelinfo or {}
    sizes = [value for key, value in info.items() if key.endswith(".context_length") and isinstance(value, int)]
    able = set(shown.capabilities or _guessed(shown))
    capabilities = Capabilities("completion" in able, "tools" in able, "vision" in able, "thinking" in able)
    size = re.fullmatch(r"([\d.]+)([KMB])", (shown.details and shown.details.parameter_size) or "")
    tiny = size is not None and (size[2] != "B" or float(size[1]) < 1)
    return _Known(capabilities, max(sizes, default=1 << 20), tiny)


def _guessed(shown: Any) -> list[str]:
    """What servers before 0.6.4, which say nothing of capabilities, give away."""
    families = (shown.details and shown.details.families) or []
    able = ["completion"] if "bert" not in families and "nomic-bert" not in families else []
    able += ["tools"] if ".Tools" in (shown.template or "") else []
    return able + (["vision"] if {"clip", "mllama"} & set(families) else [])


def _dicts(messages: Sequence[Message]) -> list[dict[str, Any]]:
    return [
        {"role": each.role, "content": each.content, **({"images": list(each.images)} if each.images else {})}
        for each in messages
    ]


def _start(where: str) -> str:
    shown = urlsplit(where)._replace(netloc=urlsplit(where).netloc.rpartition("@")[2]).geturl()
    return f"Start Ollama at {shown} (`ollama serve`), or correct OLLAMA_HOST."


def _local(where: str) -> bool:
    host = urlsplit(where).hostname or ""
    try:
        return ip_address(host).is_private
    except ValueError:
        return host == "localhost" or host.endswith(".local")


@contextmanager
def _client(where: str, seconds: float) -> Iterator[Any]:
    import ollama

    # A server of one's own is not asked through a proxy of the environment. Closing the connection is what makes
    # it stop talking.
    client = ollama.Client(where, timeout=seconds, trust_env=not _local(where))
    with closing(client):
        yield client


@asynccontextmanager
async def _llm(model: OllamaModel) -> AsyncIterator[Any]:
    with _translated(model):
        import ollama
        from llama_index.llms.ollama import Ollama  # type: ignore[import-untyped]

        async with ollama.AsyncClient(model.url, timeout=SILENCE_SECONDS, trust_env=not _local(model.url)) as client:
            yield whole(Ollama)(
                model=model.name,
                base_url=model.url,
                context_window=model.context_window,
                request_timeout=SILENCE_SECONDS,
                is_function_calling_model=model.capabilities.tools,
                thinking=True if model.capabilities.thinking else None,
                async_client=client,
            )


@contextmanager
def _translated(model: OllamaModel) -> Iterator[None]:
    try:
        import httpx
        import ollama
    except ImportError as error:
        raise ModelUnavailable(
            f"{model.name} needs a package that is not installed. Run `pip install llama-index-llms-ollama`."
        ) from error
    name = model.name
    try:
        yield
    except ollama.ResponseError as error:
        raise _refusal(name, error.status_code, str(error.error)) from error
    except (ConnectionError, httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise ModelUnavailable(f"{name} cannot be reached. {_start(model.url)} Then send the message again.") from error
    except httpx.TimeoutException as error:
        raise ModelUnavailable(
            f"{name} said nothing for too long. See whether Ollama is overloaded, and send the message again."
        ) from error
    except httpx.HTTPError as error:
        raise ModelError(
            f"Ollama went away while {name} was answering ({_short(error)}). See whether it still runs "
            "(`ollama serve`), and send the message again."
        ) from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        # The libraries index into whatever JSON comes back, so an odd reply surfaces as any of these.
        raise ModelError(
            f"What answers for {name} does not speak Ollama's protocol ({_short(error)}). Correct OLLAMA_HOST."
        ) from error


def _refusal(name: str, status: int, message: str) -> ModelError:
    said = message[:300].rstrip(".")
    if "does not support tools" in message:
        return ToolsUnsupported(f"{name} does not call functions.")
    if status == 404:
        return ModelUnavailable(f"Ollama has no model {name}. Run `ollama pull {name}`, or choose another model.")
    if status in (401, 403):
        return ModelUnavailable(f"Ollama refused access to {name}: {said}. Run `ollama signin`.")
    if status == 429:
        return ModelError(f"{name} takes no more requests now: {said}. Wait a minute, then send the message again.")
    return ModelError(f"Ollama could not answer with {name}: {said}. Send the message again, or use another model.")


def _short(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
