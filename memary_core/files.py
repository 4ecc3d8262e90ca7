"""Files of a scope: its folder, its lock, and how a whole file is replaced."""

from __future__ import annotations

import hashlib
import os
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from memary_core.errors import InvalidInput, StoreBusy, StoreError
from memary_core.models import new_id

_CHUNK = 1 << 20
_MAX_SCOPE = 200


def scope_name(scope: str) -> str:
    """The name of a scope's folder and graph, `memary-` and a hash: no character of the id is part of a path.

    Raises `InvalidInput` for an id that is blank, over 200 characters, or holds what no file can (NUL).
    """
    wanted = unicodedata.normalize("NFC", scope) if isinstance(scope, str) else ""
    if not wanted.strip() or len(wanted) > _MAX_SCOPE or not wanted.isprintable():
        raise InvalidInput(
            f"An agent ID is 1 to {_MAX_SCOPE} printable characters; {scope!r:.60} is not one. Nothing was opened."
        )
    return "memary-" + hashlib.sha256(wanted.encode()).hexdigest()[:32]


def private_folder(path: Path) -> Path:
    """Make `path`, for this user only (0700)."""
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.stat().st_mode & 0o077:
            path.chmod(0o700)
    except OSError as error:
        raise StoreError(
            f"The folder {path} cannot be made ({error.strerror}), so no memory was opened. "
            "Choose another with MEMARY_DATA_DIR, or give this user write permission there."
        ) from error
    return path


class ScopeLock:
    """One writer at a time, over threads and processes; may be taken again by the thread that holds it."""

    def __init__(self, path: Path, timeout: float = 30.0) -> None:
        self._file = FileLock(str(path), timeout=timeout, thread_local=False)
        self._threads = threading.RLock()
        self._timeout = timeout
        self._path = path

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock; `StoreBusy` if others keep it for too long."""
        if not self._threads.acquire(timeout=self._timeout):
            raise self._busy()
        try:
            try:
                self._file.acquire()
            except Timeout as error:
                raise self._busy() from error
            except OSError as error:
                raise StoreError(
                    f"The memory's folder cannot be written ({error.strerror}); nothing was stored. "
                    f"Give this user write permission to {self._path.parent}."
                ) from error
            try:
                yield
            finally:
                self._file.release()
        finally:
            self._threads.release()

    def _busy(self) -> StoreBusy:
        return StoreBusy(
            f"Another process has been writing to this memory for over {self._timeout:g} seconds; "
            "nothing was stored. Try again, or close the other process."
        )


def replace_file(path: Path, data: bytes) -> None:
    """Write `path` so that a crash leaves the old content or the new, never a part. Mode 0600."""
    temporary = path.with_name(f".{path.name}.{new_id()[:8]}.tmp")
    try:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            write_all(fd, data)
            os.fsync(fd)
        finally:
            os.close(fd)
        temporary.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise StoreError(
            f"{path.name} could not be written ({error.strerror}); the old file is whole. "
            "Free some space or give this user write permission, then try again."
        ) from error


def write_all(fd: int, data: bytes) -> None:
    """Write every byte of `data`, however many calls the system needs."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view[:_CHUNK]) :]


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":  # a folder cannot be opened there
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
