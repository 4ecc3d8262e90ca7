"""Locks on open files (`flock(2)`): the kernel lets them go when the last process that holds the file open dies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def open_lock(path: Path) -> int:
    """A descriptor for `take`; like all of Python's, it is closed in programs started from here."""
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


@contextmanager
def opened_lock(path: Path) -> Iterator[int]:
    """`open_lock`, closed at the end."""
    descriptor = open_lock(path)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def take(descriptor: int, *, exclusive: bool) -> bool:
    """Lock an open file, without waiting; whether that worked. Closing the last copy of it unlocks."""
    import fcntl

    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def give(descriptor: int) -> None:
    """Unlock, for every copy of the descriptor."""
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_UN)
