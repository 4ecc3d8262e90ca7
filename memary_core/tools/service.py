"""Asking a service on the web for JSON: bounded in time and size, without redirects, and without its key in sight."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from memary_core.errors import ToolError
from memary_core.tools.result import one_line

MAX_REPLY = 1_000_000
"""Bytes of a reply that are read; a longer one is refused."""
_PIECE = 65_536


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        """A key is never carried to another address: the redirect itself becomes the error."""


@dataclass(frozen=True, slots=True)
class Service:
    """A service by its name, with the key it takes and the variable that sets it.

    `timeout` bounds, in seconds, the connection, each wait, and the reply as a whole. Everything that goes wrong is
    raised as `ToolError`, with the key taken out of what the service says.
    """

    name: str
    setting: str = ""
    key: str = field(default="", repr=False)
    timeout: float = 20.0

    def ask(self, url: str, *, body: object = None, headers: Mapping[str, str] | None = None) -> Any:
        """The JSON that `url` answers: to a GET, or with `body` to a POST of it."""
        request = Request(url, headers={"Accept": "application/json", "User-Agent": "memary", **(headers or {})})
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            raw = self._read(request)
        except HTTPError as error:
            self._refused(error)
        except (URLError, http.client.HTTPException, OSError) as error:
            self._unreachable(error)
        try:
            return json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise self.strange() from error

    def strange(self, what: str = "") -> ToolError:
        """The error for a reply that is not what the service documents."""
        said = f": {self.hidden(what)}" if what else ""
        return ToolError(f"{self.name} sent a reply that cannot be read{said}. Nothing was taken from it; try again.")

    def hidden(self, text: str) -> str:
        """A text of the service on one line, without the key."""
        shown = text.replace(self.key, "(key)") if self.key else text
        return one_line(shown)

    def _read(self, request: Request) -> bytes:
        deadline = time.monotonic() + self.timeout
        pieces: list[bytes] = []
        with build_opener(_NoRedirects).open(request, timeout=self.timeout) as reply:
            while piece := reply.read1(_PIECE):
                pieces.append(piece)
                if sum(map(len, pieces)) > MAX_REPLY:
                    raise ToolError(f"{self.name} sent more than {MAX_REPLY:,} bytes; nothing was taken from it.")
                if time.monotonic() > deadline:
                    raise TimeoutError
        return b"".join(pieces)

    def _refused(self, error: HTTPError) -> NoReturn:
        with error:
            said = _message(error)
        detail = f" ({self.hidden(said)})" if said else ""
        if error.code in (401, 403):
            fix = f"Set {self.setting} to a key that it takes." if self.setting else "Try again later."
            raise ToolError(f"{self.name} refused the request{detail}. {fix}") from error
        if error.code == 429:
            raise ToolError(f"{self.name} takes no more requests now{detail}. Wait, then ask again.") from error
        raise ToolError(f"{self.name} answered with status {error.code}{detail}. Try again later.") from error

    def _unreachable(self, error: Exception) -> NoReturn:
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(reason, TimeoutError):
            raise ToolError(
                f"{self.name} did not answer within {self.timeout:g} seconds; nothing was taken from it. Try again."
            ) from error
        raise ToolError(
            f"{self.name} cannot be reached ({self.hidden(str(reason) or type(reason).__name__)}). "
            "Check the network, then try again."
        ) from error


def _message(error: HTTPError) -> str:
    """What a service says of an error, where it says it as services do; else nothing."""
    try:
        said = json.loads(error.read(_PIECE))
    except (ValueError, RecursionError, http.client.HTTPException, OSError):
        return ""
    for key in ("error", "error_message", "message", "detail"):
        said = said.get(key, said) if isinstance(said, dict) else said
    return said if isinstance(said, str) else ""
