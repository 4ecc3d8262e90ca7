"""A server that speaks as much of the OpenAI chat protocol as a test scripts, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


@dataclass
class Script:
    """What to answer. A streamed answer is `pieces`, then a finish reason unless it `breaks`."""

    pieces: Sequence[str] = ("Lis", "bon.")
    status: int = 200
    body: str | None = None
    breaks: str = ""
    endless: bool = False
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    hung_up: Event = field(default_factory=Event)
    url: str = ""


@contextmanager
def serving(script: Script) -> Iterator[Script]:
    class Answers(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            script.requests.append(request)
            script.keys.append(self.headers.get("Authorization"))
            try:
                self._answer(request)
            except (BrokenPipeError, ConnectionResetError):
                script.hung_up.set()

        def _answer(self, request: dict[str, Any]) -> None:
            if script.body is not None or script.status != 200:
                self._send("application/json", script.body or json.dumps({"error": {"message": "No."}}))
            elif not request.get("stream"):
                message = {"role": "assistant", "content": "".join(script.pieces)}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                self._send("application/json", json.dumps({**HEAD, "choices": [choice]}))
            else:
                self._stream()

        def _stream(self) -> None:
            self._head("text/event-stream")
            while True:
                for piece in script.pieces:
                    self._event(json.dumps({**HEAD, "choices": [delta({"content": piece}, None)]}))
                if not script.endless:
                    break
            if script.breaks == "garbage":
                self._event("{not json")
            elif script.breaks == "error":
                self._event(json.dumps({"error": {"message": "out of memory"}}))
            elif not script.breaks:
                self._event(json.dumps({**HEAD, "choices": [delta({}, "stop")]}))
                self._event("[DONE]")

        def _send(self, kind: str, body: str) -> None:
            self._head(kind)
            self.wfile.write(body.encode())

        def _head(self, kind: str) -> None:
            self.send_response(script.status)
            self.send_header("Content-Type", kind)
            self.send_header("Connection", "close")
            self.end_headers()

        def _event(self, data: str) -> None:
            self.wfile.write(f"data: {data}\n\n".encode())
            self.wfile.flush()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    script.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield script
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


HEAD = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "test"}


def delta(content: dict[str, str], reason: str | None) -> dict[str, Any]:
    return {"index": 0, "delta": content, "finish_reason": reason}
