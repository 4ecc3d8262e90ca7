"""Images from the web, fetched so that a URL can lead nowhere but to an image on a public address.

The host is resolved once and the connection goes to the address that was checked, so a name that changes its address
in between (DNS rebinding) changes nothing. The Host header and TLS keep the name. Each redirect is a new URL, checked
as the first.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urljoin

from memary_core.errors import ToolError
from memary_core.tools.addresses import Target, checked, read_url
from memary_core.tools.result import one_line

MAX_BYTES = 10 * 1024 * 1024
MAX_REDIRECTS = 3
_PIECE = 65_536
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HEADERS = {"Accept": "image/*", "Accept-Encoding": "identity", "User-Agent": "memary", "Connection": "close"}

Resolver = Callable[[str, int], Sequence[str]]
"""A host name and port to its addresses. Raises OSError where there is none."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image as it came: its bytes, its media type as the bytes show it, and its URL or file name."""

    data: bytes = field(repr=False)
    media_type: str
    name: str


def image(data: bytes, name: str) -> Image:
    """An uploaded file as an image. `ToolError` where it is none, or too large."""
    if len(data) > MAX_BYTES:
        raise _too_large(name)
    if (found := media_type(data)) is None:
        raise _no_image(name)
    return Image(data, found, name)


def media_type(data: bytes) -> str | None:
    """What the first bytes say it is: PNG, JPEG, GIF or WebP, which vision models read; else None.

    SVG is not among them: it is a document that may hold script.
    """
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return None


def resolve(host: str, port: int) -> list[str]:
    """The addresses that the system has for a name."""
    return [str(each[4][0]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


class ImageFetcher:
    """Fetches images. Safe to use from several threads.

    `timeout`: seconds for one URL with its redirects; looking a name up has the system's own limit on top.
    `allowed_for_tests`: addresses that are taken although they are not public, such as ``127.0.0.1``, so that tests can
    run a server; nothing else may pass any. `tls`: whose certificates are trusted; None for the system's.
    """

    def __init__(
        self,
        *,
        timeout: float = 15.0,
        max_bytes: int = MAX_BYTES,
        resolver: Resolver = resolve,
        allowed_for_tests: Collection[str] = (),
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._timeout = timeout
        self._max_bytes = max_bytes
        self._resolve = resolver
        self._allowed = frozenset(allowed_for_tests)
        self._tls = tls

    def fetch(self, url: str) -> Image:
        """The image at `url`. `ToolError` says why there is none."""
        deadline = time.monotonic() + self._timeout
        target = read_url(url.strip())
        for _ in range(MAX_REDIRECTS + 1):
            found = self._ask(target, deadline)
            if isinstance(found, Image):
                return found
            target = found
        raise _failed(url, f"it leads on more than {MAX_REDIRECTS} times")

    def _ask(self, target: Target, deadline: float) -> Image | Target:
        """The image, or where the server sends on to."""
        try:
            connection = self._connect(target, deadline)
        except OSError as error:
            raise _failed(target.url, _reason(error)) from error
        try:
            with _ended_at(deadline, connection.sock) as late:
                try:
                    connection.request("GET", target.path, headers=_HEADERS)
                    with connection.getresponse() as reply:
                        return self._read(target, reply)
                finally:
                    # Cut off at the deadline, a body without a length looks like one that ended.
                    if late.is_set():
                        raise TimeoutError
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _failed(target.url, _reason(error)) from error
        finally:
            connection.close()

    def _connect(self, target: Target, deadline: float) -> http.client.HTTPConnection:
        written = target.address
        found = [str(written)] if written else self._resolve(target.host, target.port)
        for address in (addresses := checked(target, found, self._allowed)):
            try:
                sock = socket.create_connection((address, target.port), timeout=_left(deadline))
                break
            except OSError:
                if address == addresses[-1]:
                    raise
        connection = http.client.HTTPConnection(target.host, target.port, timeout=self._timeout)
        if target.tls:
            connection.default_port = 443  # so that the Host header names no port
            try:
                sock = (self._tls or ssl.create_default_context()).wrap_socket(sock, server_hostname=target.host)
            except BaseException:
                sock.close()
                raise
        connection.sock = sock
        return connection

    def _read(self, target: Target, reply: http.client.HTTPResponse) -> Image | Target:
        if reply.status in _REDIRECTS and (place := reply.headers.get("Location")):
            return read_url(urljoin(target.url, place.strip()))
        if reply.status != 200:
            raise _failed(target.url, f"the server answered with status {reply.status}")
        declared = reply.headers.get_content_type()
        if not declared.startswith("image/") or reply.headers.get("Content-Encoding", "identity") != "identity":
            raise _no_image(target.url)
        length = reply.length
        if length is not None and length > self._max_bytes:
            raise _too_large(target.url, self._max_bytes)
        data = bytearray()
        while piece := reply.read1(_PIECE):
            data += piece
            if len(data) > self._max_bytes:
                raise _too_large(target.url, self._max_bytes)
        if length is not None and len(data) < length:
            raise _failed(target.url, "it broke off")
        if (found := media_type(bytes(data[:16]))) is None:
            raise _no_image(target.url)
        return Image(bytes(data), found, target.url)


@contextmanager
def _ended_at(deadline: float, sock: socket.socket) -> Iterator[threading.Event]:
    """Shuts the connection at the deadline, however slowly the other side keeps talking; the event says that it did."""
    late = threading.Event()

    def end() -> None:
        late.set()
        # Past ssl's own shutdown, which a read going on in another thread would not survive.
        with suppress(OSError):
            socket.socket.shutdown(sock, socket.SHUT_RDWR)

    timer = threading.Timer(max(0.0, deadline - time.monotonic()), end)
    timer.daemon = True
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it did not come in time"
    if isinstance(error, ssl.SSLError):
        return "no secure connection could be made to its server"
    if isinstance(error, socket.gaierror):
        return "there is no such host"
    return f"the connection failed ({one_line(str(error), 80) or type(error).__name__})"


def _failed(url: str, why: str) -> ToolError:
    return ToolError(f"{one_line(url, 120)} was not fetched: {why}. Try again, or upload the image instead.")


def _no_image(name: str) -> ToolError:
    return ToolError(f"{one_line(name, 120)} is not a PNG, JPEG, GIF or WebP image; nothing was kept of it.")


def _too_large(name: str, limit: int = MAX_BYTES) -> ToolError:
    return ToolError(
        f"{one_line(name, 120)} is larger than {limit / 1024 / 1024:g} MB; nothing was kept of it. Use a smaller one."
    )
