from __future__ import annotations

import socket

import pytest

from memary_core.errors import ModelError, ModelUnavailable
from memary_core.llm.openai_compatible import Endpoint, complete, describe, stream
from memary_core.prompt import Message
from tests.llm.chat_server import Script, serving

ASKED = [Message("system", "Be brief."), Message("user", "Where does Anna live?")]


def at(url: str) -> Endpoint:
    return Endpoint("test", url, "key-1", 4096, local=True, timeout=20.0)


def test_an_answer_streams_piece_by_piece() -> None:
    with serving(Script()) as server:
        assert list(stream(at(server.url), ASKED)) == ["Lis", "bon."]
    [request] = server.requests
    assert request["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Where does Anna live?"},
    ]
    assert request["stream"] is True
    assert server.keys == ["Bearer key-1"]


def test_an_answer_comes_whole() -> None:
    with serving(Script()) as server:
        assert complete(at(server.url), ASKED) == "Lisbon."


@pytest.mark.parametrize(
    ("status", "error", "says"),
    [
        (401, ModelUnavailable, "refused the key.*OPENAI_API_KEY"),
        (403, ModelUnavailable, "refused the key.*OPENAI_API_KEY"),
        (404, ModelUnavailable, "does not know test.*MEMARY_LLM"),
        (429, ModelError, "rate or quota.*Wait"),
        (400, ModelError, "status 400: .*No.*another model"),
        (500, ModelError, "status 500"),
    ],
)
@pytest.mark.parametrize("whole", [True, False])
def test_a_refusal_says_what_to_do(status: int, error: type[ModelError], says: str, whole: bool) -> None:
    with serving(Script(status=status)) as server, pytest.raises(error, match=says) as caught:
        complete(at(server.url), ASKED) if whole else list(stream(at(server.url), ASKED))
    assert "key-1" not in str(caught.value)


def test_a_request_over_the_context_says_so() -> None:
    body = '{"error": {"message": "request (5031 tokens) exceeds the available context size (4096 tokens)."}}'
    with (
        serving(Script(status=400, body=body)) as server,
        pytest.raises(ModelError, match=r"does not fit.*5031.*MEMARY_CONTEXT_WINDOW"),
    ):
        list(stream(at(server.url), ASKED))


def test_no_server_is_unavailable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(ModelUnavailable, match=r"cannot be reached at http://127.*Start its server"):
        list(stream(at(url), ASKED))


@pytest.mark.parametrize("breaks", ["silence", "garbage", "error"])
def test_what_came_before_a_break_is_given_and_then_the_error(breaks: str) -> None:
    got = []
    with serving(Script(breaks=breaks)) as server, pytest.raises(ModelError):
        for piece in stream(at(server.url), ASKED):
            got.append(piece)
    assert "".join(got) == "Lisbon."


@pytest.mark.parametrize("body", ["<html>Welcome</html>", '{"choices": []}', '{"choices": null}', "[]", "null", '"x"'])
def test_a_reply_in_another_protocol_is_a_model_error(body: str) -> None:
    with serving(Script(body=body)) as server, pytest.raises(ModelError):
        complete(at(server.url), ASKED)
    with serving(Script(body=body)) as server, pytest.raises(ModelError):
        list(stream(at(server.url), ASKED))


def test_closing_the_stream_hangs_up() -> None:
    with serving(Script(endless=True)) as server:
        pieces = stream(at(server.url), ASKED)
        assert next(pieces) == "Lis"
        pieces.close()
        assert server.hung_up.wait(20)


def test_a_local_server_is_not_asked_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serving(Script()) as server:
        assert complete(at(server.url), ASKED) == "Lisbon."


def test_a_server_that_listens_is_ready_and_one_that_does_not_says_what_to_start() -> None:
    with serving(Script()) as server:
        model = describe("llama3.2", base_url=server.url, api_key=None, context_window=2048)
        assert (model.state, model.label, model.context_window) == ("ready", "llama3.2 (127.0.0.1)", 2048)
        assert "".join(model.stream(ASKED)) == model.complete(ASKED) == "Lisbon."
    model = describe("llama3.2", base_url=server.url, api_key=None, context_window=2048)
    assert model.state == "not reachable"
    assert server.url in model.advice


@pytest.mark.parametrize("url", ["not a url", "http://", "http://127.0.0.1:99999/v1", ""])
def test_an_address_that_is_none_does_not_break_choosing(url: str) -> None:
    model = describe("m", base_url=url or None, api_key="k", context_window=2048)
    assert model.state == ("not reachable" if url else "ready")
    assert model.name == "m"


def test_neither_key_nor_password_is_shown() -> None:
    model = describe("m", base_url="http://me:secret@127.0.0.1:1/v1", api_key="sk-key", context_window=2048)
    assert "sk-key" not in repr(model)
    assert "secret" not in model.advice
    with pytest.raises(ModelError) as caught:
        model.complete(ASKED)
    assert "secret" not in str(caught.value)
