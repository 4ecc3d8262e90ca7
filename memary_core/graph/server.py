"""One redis-server process with the FalkorDB module, in one folder. Who may start and stop it is `embedded`'s to say.

The server inherits an open `server.lock`, locked, and holds it for its life: its death is seen at once, without
asking whether a process number still means the same process. It listens on no TCP port, its socket lies in a folder
that only this user can enter, and it leads its own session, so that Ctrl-C in a terminal does not reach it.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
from contextlib import suppress
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING

from memary_core.errors import GraphError, GraphUnavailable
from memary_core.graph.base import KEPT
from memary_core.graph.locks import give, open_lock, opened_lock, take

if TYPE_CHECKING:
    from redis import Redis

ELSEWHERE = "Or set FALKORDB_URL or NEO4J_URL to a server of your own."
POLL = 0.01
MAX_SOCKET_PATH = 100
"""Bytes; the kernels' own limits are 103 (macOS) and 107 (Linux)."""
_AOF = "appendonlydir"
_SILENCE = 20.0
"""Seconds without a word, and half of one more for each megabyte to load: loading 100,000 facts (88 MB) on a machine
seven times overloaded left gaps of 6 between two answers."""
_QUERY_LIMIT = "20000"
"""Milliseconds after which the server gives a query up: one that never ends would keep it from stopping."""


class Server:
    """A server and its files in `folder`. `notes` reports what had to be set aside to start it. Times in seconds.

    Open it with `attach` and let go with `detach`. Its other methods expect that no other process is starting or
    stopping the same server.
    """

    def __init__(self, folder: Path, start_timeout: float, stop_timeout: float) -> None:
        self.folder = folder
        self.notes: list[str] = []
        self._start_timeout = start_timeout
        self._stop_timeout = stop_timeout
        self._life = -1
        self._pid = 0
        self._silent = False

    def attach(self) -> None:
        """Keep the server's lock file open, so that its life can be seen even after the folder was deleted."""
        if self._life < 0:
            self._life = open_lock(self.folder / "server.lock")

    def detach(self) -> None:
        """The opposite of `attach`."""
        if self._life >= 0:
            os.close(self._life)
            self._life = -1

    def socket(self) -> Path:
        """Where the server's socket is. One in a temporary folder counts only if that folder is ours alone."""
        with suppress(OSError):
            path = Path((self.folder / "socket").read_text("utf-8"))
            found = path.parent.lstat()
            if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
                return path
        return self.folder / "redis.sock"

    def running(self) -> Path | None:
        """The socket of the server that lives here, once it answers; None where there is none.

        A server that says nothing at all for long, not even that it is loading, is ended: FalkorDB's own locks
        have been seen to block it for good, and one whose socket was cleared away is out of reach.
        """
        self._silent = False
        began = heard = time.monotonic()
        patience = _SILENCE + sum(file.stat().st_size for file in self.folder.glob(f"{_AOF}/*.*")) / 2e6
        while self._alive():
            path = self.socket()
            answer = _answer(path)
            now = time.monotonic()
            if answer is _Answer.READY:
                self._signal(0)  # takes down its number, while the folder is there
                return path
            if answer is _Answer.LOADING:
                heard = now
            if now - heard > patience:
                self._silent = True
                self.kill()
            if now - began > max(self._start_timeout, 2 * patience):
                raise GraphUnavailable(
                    f"The embedded graph server has been loading for {now - began:.0f} seconds. {KEPT} Try again "
                    f"later, or see {self.folder / 'server.log'}. {ELSEWHERE}"
                )
            time.sleep(POLL)
        return None

    def start(self, binary: str, module: str) -> Path:
        """Start a server where none lives, and return its socket once its data are loaded.

        Its file is a view: one that cannot be loaded is set aside, noted, and the server begins empty.
        Raises `GraphUnavailable` where it does not start even so; then the file is put back.
        """
        path = self._new_socket()
        if self._launch(binary, module, path) or (self._silent and self._launch(binary, module, path)):
            return path
        trouble, aside = self._last_words(), self._set_aside()
        if aside is not None:
            if self._launch(binary, module, path):
                self.notes.append(
                    f"The graph's file could not be loaded and was set aside as {aside.name}; "
                    "the graph began empty and is built again from the journal."
                )
                return path
            shutil.rmtree(self.folder / _AOF, ignore_errors=True)
            aside.rename(self.folder / _AOF)
        raise GraphUnavailable(f"The embedded graph server does not start ({trouble}). {KEPT} {ELSEWHERE}")

    def stop(self) -> None:
        """Have the server write its file and end; end it by force where it does not."""
        from redis.exceptions import RedisError

        path = self.socket()
        with suppress(RedisError, OSError), _client(path) as client:
            client.execute_command("SHUTDOWN", "NOSAVE")
        if not self._ended():
            self.kill()
            self._ended()
        if path.parent != self.folder:
            shutil.rmtree(path.parent, ignore_errors=True)

    def kill(self) -> None:
        """End the server by force."""
        self._signal(signal.SIGKILL)

    def compact(self) -> None:
        """Rewrite the server's file without what was deleted; returns when the old file is gone.

        Raises `GraphUnavailable`, or `GraphError` where the server could not write: then what was deleted is still
        in its file, and the call may be repeated.
        """
        from redis.exceptions import ConnectionError, RedisError, TimeoutError

        try:
            with _client(self.socket()) as client:
                self._rewritten(client)
                client.execute_command("BGREWRITEAOF")
                outcome = self._rewritten(client)
        except (ConnectionError, TimeoutError) as error:
            raise GraphUnavailable(f"The embedded graph server does not answer ({error}). {KEPT} Try again.") from error
        except (RedisError, OSError) as error:
            raise self._not_rewritten(str(error)) from error
        if outcome != "ok":
            raise self._not_rewritten(outcome)
        for damaged in self.folder.glob(f"{_AOF}.damaged-*"):
            shutil.rmtree(damaged, ignore_errors=True)

    def _not_rewritten(self, why: str) -> GraphError:
        return GraphError(
            f"The embedded graph server could not rewrite its file ({why}), so what was removed is gone from the "
            f"graph but not yet from {self.folder}. Make room on that disk, then try again."
        )

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
            "--rdbcompression", "no",  # so that anyone can look whether a word is still in the file
            "--maxclients", "1000",
            # With a threshold of 0 the file holds what changed, not the queries that changed it: replaying those
            # while the indexes are not yet built takes quadratic time. CMD_INFO would keep the text of queries.
            "--loadmodule", module, "THREAD_COUNT", "2", "OMP_THREAD_COUNT", "1", "EFFECTS_THRESHOLD", "0",
            "TIMEOUT_MAX", _QUERY_LIMIT, "TIMEOUT_DEFAULT", _QUERY_LIMIT, "CMD_INFO", "no",
        ]
        # fmt: on
        with opened_lock(self.folder / "server.lock") as held:
            take(held, exclusive=True)
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
        return self.running() is not None

    def _alive(self) -> bool:
        if take(self._life, exclusive=True):
            give(self._life)
            return False
        return True

    def _ended(self) -> bool:
        deadline = time.monotonic() + self._stop_timeout
        while self._alive():
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL)
        return True

    def _signal(self, number: int) -> None:
        """To the server, if it lives: only then is the process of that number sure to be it."""
        with suppress(OSError, ValueError):
            self._pid = int((self.folder / "server.pid").read_text("ascii"))
        if self._pid and self._alive():
            with suppress(ProcessLookupError):
                os.kill(self._pid, number)

    def _rewritten(self, client: Redis) -> str:
        """Wait until no rewrite of the file is going on; how the last one went."""
        deadline = time.monotonic() + self._start_timeout
        while time.monotonic() < deadline:
            now = client.info("persistence")
            # A base, its increment and the manifest; the files before them are removed in the background.
            files = list((self.folder / _AOF).iterdir())
            if not now["aof_rewrite_in_progress"] and not now["aof_rewrite_scheduled"] and len(files) <= 3:
                return str(now["aof_last_bgrewrite_status"])
            time.sleep(POLL)
        return "it took too long"

    def _set_aside(self) -> Path | None:
        files = self.folder / _AOF
        return files.rename(f"{files}.damaged-{time.time_ns()}") if files.exists() else None

    def _last_words(self) -> str:
        log = self.folder / "server.log"
        lines = log.read_text("utf-8", "replace").splitlines() if log.exists() else []
        return "; ".join(line.strip()[:300] for line in lines[-3:]) or "it said nothing"

    def _new_socket(self) -> Path:
        """A place where a socket can be made: the folder, unless its path is too long or its disk has none."""
        with suppress(OSError):
            self.socket().unlink()
        (self.folder / "socket").unlink(missing_ok=True)
        path = self.folder / "redis.sock"
        if _can_bind(path):
            return path
        path = Path(tempfile.mkdtemp(prefix="memary-"), path.name)
        if not _can_bind(path):
            path.parent.rmdir()
            path = Path(tempfile.mkdtemp(prefix="memary-", dir="/tmp"), path.name)
        (self.folder / "socket").write_text(str(path), "utf-8")
        return path


def _client(path: Path) -> Redis:
    from redis import Redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    return Redis(unix_socket_path=str(path), socket_timeout=5.0, retry=Retry(NoBackoff(), 0), protocol=2)


class _Answer(Enum):
    READY = auto()
    LOADING = auto()
    NONE = auto()


def _answer(path: Path) -> _Answer:
    from redis.exceptions import BusyLoadingError, RedisError

    try:
        with _client(path) as client:
            client.ping()
            return _Answer.READY
    except BusyLoadingError:
        return _Answer.LOADING
    except RedisError:
        return _Answer.NONE


def _can_bind(path: Path) -> bool:
    try:
        if len(str(path).encode("utf-8")) > MAX_SOCKET_PATH:
            return False
        with socket.socket(socket.AF_UNIX) as probe:
            probe.bind(str(path))
        path.unlink()
    except (OSError, UnicodeEncodeError):
        return False
    return True
