"""A web server on loopback that says what a test scripts, over real HTTP or HTTPS."""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(64))


@dataclass(frozen=True)
class Reply:
    """`length`: the Content-Length to give; None gives the right one, -1 none. `drips`: a byte at a time, for ever,
    in the head or in the body. `silent`: nothing at all."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    length: int | None = None
    drips: str = ""
    silent: bool = False


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Site:
    """Paths (without their query) to replies; `asked` are the requests that came."""

    pages: dict[str, Reply]
    asked: list[Asked] = field(default_factory=list)
    port: int = 0
    scheme: str = "http"
    ended: Event = field(default_factory=Event)

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def serve(self, path: str, reply: Reply) -> str:
        self.pages[path] = reply
        return self.url + path


def as_json(value: object, status: int = 200) -> Reply:
    return Reply(json.dumps(value).encode(), status, {"Content-Type": "application/json"})


def picture(body: bytes = PNG, kind: str = "image/png", **more: Any) -> Reply:
    return Reply(body, headers={"Content-Type": kind, **more.pop("headers", {})}, **more)


def redirect(to: str, status: int = 302) -> Reply:
    return Reply(status=status, headers={"Location": to})


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A client that hangs up is what the tests are about."""


@contextmanager
def serving(tls: ssl.SSLContext | None = None) -> Iterator[Site]:
    site = Site({}, scheme="https" if tls else "http")

    class Answers(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            size = int(self.headers.get("Content-Length", 0))
            site.asked.append(Asked(self.command, self.path, dict(self.headers), self.rfile.read(size)))
            with suppress(OSError):
                self._answer(site.pages.get(self.path.partition("?")[0], Reply(status=404)))

        do_POST = do_GET

        def _answer(self, reply: Reply) -> None:
            if reply.silent:
                site.ended.wait(30)
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if reply.length != -1:
                self.send_header("Content-Length", str(len(reply.body) if reply.length is None else reply.length))
            self.send_header("Connection", "close")
            if reply.drips == "head":
                self.flush_headers()
                self._drip(b"X: y\r\n")
            self.end_headers()
            self.wfile.write(reply.body)
            if reply.drips == "body":
                self._drip(b"x")

        def _drip(self, piece: bytes) -> None:
            while not site.ended.is_set():
                self.wfile.write(piece)
                self.wfile.flush()
                time.sleep(0.01)

    server = _Server(("127.0.0.1", 0), Answers)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    site.port = server.server_address[1]
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield site
    finally:
        site.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()


def unused_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
