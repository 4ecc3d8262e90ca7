from __future__ import annotations

import socket

import pytest

from memary_core.errors import ModelError, ModelUnavailable
from memary_core.llm import ollama
from memary_core.llm.model import Capabilities
from memary_core.llm.ollama import OllamaModel, address, describe
from memary_core.prompt import Message
from tests.llm.chat_server import Reply
from tests.llm.ollama_server import OllamaScript, Pulled, ollama_serving

ASKED = [Message("system", "Be brief."), Message("user", "Where does Anna live?")]


def closed_port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def test_an_answer_streams_and_the_context_size_goes_with_every_request() -> None:
    with ollama_serving(OllamaScript()) as server:
        model = describe("test", server.url, 2048)
        assert list(model.stream(ASKED)) == ["Lis", "bon."]
        assert model.complete(ASKED) == "Lisbon."
    assert [each["options"]["num_ctx"] for each in server.requests] == [2048, 2048]
    assert server.requests[0]["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Where does Anna live?"},
    ]
    assert "think" not in server.requests[0]


def test_what_a_model_can_do_is_asked_of_the_server_once() -> None:
    models = [Pulled("a:latest", ["completion", "vision", "thinking"], "0.5B", 1024), Pulled("b:7b", ["embedding"])]
    with ollama_serving(OllamaScript(models)) as server:
        small = describe("a", server.url, None)
        assert small.capabilities == Capabilities(chat=True, tools=False, vision=True, thinking=True)
        assert (small.context_window, small.tiny, small.label, small.state) == (1024, True, "a (Ollama)", "ready")
        other = describe("b:7b", server.url, 9000)
        assert other.capabilities == Capabilities(chat=False)
        assert (other.context_window, other.tiny) == (9000, False)
        describe("a", server.url, None)
    assert server.shown == ["a:latest", "b:7b"]


def test_a_server_that_says_nothing_of_capabilities_is_read_by_its_template() -> None:
    models = [
        Pulled("tools", None, template="{{ if .Tools }}"),
        Pulled("eyes", None, families=("llama", "clip")),
        Pulled("vectors", None, families=("bert",)),
    ]
    with ollama_serving(OllamaScript(models)) as server:
        able = {each.name: describe(each.name, server.url, None).capabilities for each in models}
    assert able == {
        "tools": Capabilities(tools=True),
        "eyes": Capabilities(vision=True),
        "vectors": Capabilities(chat=False),
    }


def test_thoughts_come_between_tags_and_are_asked_for() -> None:
    models = [Pulled("test:latest", ["completion", "thinking"])]
    reply = Reply(("Por", "to."), thoughts=("She ", "moved."))
    with ollama_serving(OllamaScript(models, reply)) as server:
        model = describe("test", server.url, None)
        assert "".join(model.stream(ASKED)) == model.complete(ASKED) == "<think>She moved.</think>Porto."
    assert [each["think"] for each in server.requests] == [True, True]


def test_images_travel_beside_the_text() -> None:
    with ollama_serving(OllamaScript()) as server:
        describe("test", server.url, None).complete([Message("user", "What is this?", (b"\x89PNG",))])
    assert server.requests[0]["messages"][0]["images"] == ["iVBORw=="]


@pytest.mark.parametrize(
    ("reply", "error", "says"),
    [
        (Reply(status=404, body='{"error": "model not found"}'), ModelUnavailable, "ollama pull test"),
        (Reply(status=429, body='{"error": "too many requests"}'), ModelError, "too many requests.*Wait"),
        (Reply(status=401, body='{"error": "unauthorized"}'), ModelUnavailable, "ollama signin"),
        (Reply(status=500, body='{"error": "needs more memory"}'), ModelError, "needs more memory.*another model"),
        (Reply(body="<html>Welcome</html>"), ModelError, "does not speak Ollama's protocol.*OLLAMA_HOST"),
        (Reply(body="[]"), ModelError, "does not speak"),
    ],
)
@pytest.mark.parametrize("whole", [True, False])
def test_a_refusal_says_what_to_do(reply: Reply, error: type[ModelError], says: str, whole: bool) -> None:
    with ollama_serving(OllamaScript(reply=reply)) as server:
        model = OllamaModel("test", server.url, "test")
        with pytest.raises(error, match=f"(?s){says}"):
            model.complete(ASKED) if whole else list(model.stream(ASKED))


@pytest.mark.parametrize("breaks", ["silence", "garbage", "error"])
def test_what_came_before_a_break_is_given_and_then_the_error(breaks: str) -> None:
    got = []
    reply = Reply(("Lis", "bon."), breaks=breaks)
    with ollama_serving(OllamaScript(reply=reply)) as server, pytest.raises(ModelError):
        for piece in OllamaModel("test", server.url, "test").stream(ASKED):
            got.append(piece)
    assert "".join(got) == "Lisbon."


def test_closing_the_stream_hangs_up() -> None:
    with ollama_serving(OllamaScript(reply=Reply(("Lis",), endless=True))) as server:
        pieces = OllamaModel("test", server.url, "test").stream(ASKED)
        assert next(pieces) == "Lis"
        pieces.close()
        assert server.hung_up.wait(20)


def test_no_server_and_no_model_say_what_to_do() -> None:
    url = closed_port()
    away = describe("test", url, None)
    assert away.state == "not reachable"
    assert "ollama serve" in away.advice
    with pytest.raises(ModelUnavailable, match=f"cannot be reached.*{url}"):
        list(away.stream(ASKED))
    with ollama_serving(OllamaScript()) as server:
        missing = describe("llama3.2", server.url, None)
        assert (missing.state, missing.advice) == ("not set up", "Run `ollama pull llama3.2`.")
        with pytest.raises(ModelUnavailable, match=r"ollama pull llama3\.2"):
            missing.complete(ASKED)


def test_a_local_server_is_not_asked_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with ollama_serving(OllamaScript()) as server:
        assert describe("test", server.url, None).complete(ASKED) == "Lisbon."


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("localhost", "http://localhost:11434"),
        (":8080", "http://127.0.0.1:8080"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("http://0.0.0.0:1234/", "http://127.0.0.1:1234"),
        ("http://ollama.example", "http://ollama.example"),
        ("https://ollama.example/api", "https://ollama.example/api"),
        ("https://me:pw@ollama.example", "https://me:pw@ollama.example"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("localhost:99999", "http://localhost:11434"),
    ],
)
def test_addresses_as_people_write_them(written: str, meant: str) -> None:
    assert address(written) == meant


def test_a_password_in_the_address_is_not_shown() -> None:
    model = describe("test", "http://me:secret@127.0.0.1:1", None)
    assert "secret" not in model.advice + repr(model)
    with pytest.raises(ModelUnavailable) as caught:
        model.complete(ASKED)
    assert "secret" not in str(caught.value)
    assert not ollama.answers("http://me:secret@127.0.0.1:1")
