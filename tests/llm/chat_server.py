"""A server that speaks as much of the OpenAI chat protocol as a test scripts, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


@dataclass
class Reply:
    """One answer: thoughts, pieces, and calls of functions as (name, arguments), then the end unless it `breaks`."""

    pieces: Sequence[str] = ()
    thoughts: Sequence[str] = ()
    calls: Sequence[tuple[str, dict[str, Any]]] = ()
    status: int = 200
    body: str | None = None
    breaks: str = ""
    endless: bool = False


@dataclass
class Script(Reply):
    """What to answer: the next of `replies`, while there are any; then what the other fields say."""

    pieces: Sequence[str] = ("Lis", "bon.")
    replies: list[Reply] = field(default_factory=list)
    models: Sequence[str] = ("test",)
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    hung_up: Event = field(default_factory=Event)
    url: str = ""

    def next(self) -> Reply:
        return self.replies.pop(0) if self.replies else replace(self)


class Answers(BaseHTTPRequestHandler):
    """What both protocols share. `script` is set for each server."""

    script: Any

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.send(200, "application/json", json.dumps(self.listing()))

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            self.answer(request)
        except (BrokenPipeError, ConnectionResetError):
            self.script.hung_up.set()

    def listing(self) -> dict[str, Any]:
        raise NotImplementedError

    def answer(self, request: dict[str, Any]) -> None:
        raise NotImplementedError

    def send(self, status: int, kind: str, body: str) -> None:
        self.head(status, kind)
        self.wfile.write(body.encode())

    def head(self, status: int, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()

    def put(self, text: str) -> None:
        self.wfile.write(text.encode())
        self.wfile.flush()


class OpenAIAnswers(Answers):
    def listing(self) -> dict[str, Any]:
        models = [{"id": each, "object": "model", "created": 1, "owned_by": "t"} for each in self.script.models]
        return {"object": "list", "data": models}

    def answer(self, request: dict[str, Any]) -> None:
        self.script.requests.append(request)
        self.script.keys.append(self.headers.get("Authorization"))
        reply = self.script.next()
        if reply.body is not None or reply.status != 200:
            self.send(reply.status, "application/json", reply.body or json.dumps({"error": {"message": "No."}}))
        elif not request.get("stream"):
            message = {"role": "assistant", "content": "".join(reply.pieces)}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            self.send(200, "application/json", json.dumps({**HEAD, "choices": [choice]}))
        else:
            self.stream(reply)

    def stream(self, reply: Reply) -> None:
        self.head(200, "text/event-stream")
        self.event(delta({"role": "assistant", "content": ""}))
        for each in reply.thoughts:
            self.event(delta({"reasoning_content": each}))
        while True:
            for each in reply.pieces:
                self.event(delta({"content": each}))
            if not reply.endless:
                break
        for number, (name, arguments) in enumerate(reply.calls):
            text = json.dumps(arguments)
            call = {"index": number, "id": f"call-{number}", "type": "function"}
            half = len(text) // 2
            self.event(delta({"tool_calls": [{**call, "function": {"name": name, "arguments": text[:half]}}]}))
            if reply.breaks != "in call":
                self.event(delta({"tool_calls": [{"index": number, "function": {"arguments": text[half:]}}]}))
        if reply.breaks == "garbage":
            self.put("data: {not json\n\n")
        elif reply.breaks == "error":
            self.put('data: {"error": {"message": "out of memory"}}\n\n')
        elif not reply.breaks:
            self.event(delta({}, "tool_calls" if reply.calls else "stop"))
            self.put("data: [DONE]\n\n")

    def event(self, choice: dict[str, Any]) -> None:
        self.put(f"data: {json.dumps({**HEAD, 'choices': [choice]})}\n\n")


HEAD = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "test"}


def delta(content: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": content, "finish_reason": reason}


@contextmanager
def listening(answers: type[Answers], script: Any) -> Iterator[str]:
    """A server on a free port of loopback; its address."""
    handler = type("Scripted", (answers,), {"script": script})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def serving(script: Script) -> Iterator[Script]:
    with listening(OpenAIAnswers, script) as url:
        script.url = f"{url}/v1"
        yield script
