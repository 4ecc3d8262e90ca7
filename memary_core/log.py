"""An append-only JSON Lines log: append, replay, tail, lock, recovery. The stream and the journal are two of them.

The first line of a log we made is its header: format, version, scope and generation. Every other line is one
event, a JSON object. `seq` orders events; a line without one (written by another program) gets the next. A line
is acknowledged once it is flushed to disk. A rewrite (repair, forgetting) gives the log a new generation, by
which readers in other processes notice that what they have read has changed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memary_core.errors import ScopeError, StoreDamaged, StoreError, StoreTooNew
from memary_core.files import ScopeLock, replace_file, write_all
from memary_core.models import new_id

Event = dict[str, Any]
VERSION = 1
_TAIL = 1 << 14
_MARK = 128


@dataclass(frozen=True, slots=True)
class Position:
    """How far a reader has come: byte offset and seq within one generation of the log."""

    generation: str = ""
    offset: int = 0
    seq: int = 0
    line: int = 0
    inode: int = 0


START = Position()


@dataclass(frozen=True, slots=True)
class Entry:
    """One event, with the seq it counts as and the position just behind it."""

    seq: int
    event: Event
    after: Position


@dataclass(frozen=True, slots=True)
class Damage:
    """A line that is no event: where it stood, what it held, and why it was not read."""

    line: int
    raw: bytes
    reason: str


class Log:
    """One log file. Reading needs no lock; appending and rewriting take the scope's.

    `path` may not exist yet: it is made by the first append. `scope` is checked against the header's.
    """

    def __init__(self, path: Path, kind: str, scope: str, lock: ScopeLock) -> None:
        self.path = path
        self.kind = kind
        self.scope = scope
        self.lock = lock
        self._end = Position()

    def read(self, after: Position = START, damage: list[Damage] | None = None) -> Iterator[Entry]:
        """The events behind `after`, oldest first; from the start if the log's generation is another.

        A line that is no event is passed over and, where `damage` is given, noted in it. An unfinished last
        line is left for later, unless it is a whole JSON object that only lacks its line break.
        """
        seq = -1
        for raw, at in self._lines(after):
            seq = at.seq if seq < 0 else seq
            event, reason = _event(raw, seq)
            if event is not None:
                seq = event.get("seq", seq + 1)
                yield Entry(seq, event, replace(at, seq=seq))
            elif reason and damage is not None:
                damage.append(Damage(at.line, raw.rstrip(b"\r\n"), reason))

    def begin(self) -> None:
        """Make the file, with its header, where there is none."""
        with self.lock.held():
            if not self.path.exists():
                replace_file(self.path, _line(self._new_header()))

    def erase(self) -> None:
        """Leave nothing but a new header, under a new home."""
        with self.lock.held():
            replace_file(self.path, _line(self._new_header()))
            self._end = Position()

    def home(self) -> str:
        """The random id given to this log when it was made; a rewrite keeps it. Empty without a header of ours."""
        return str(self._head().get("home", ""))

    def generation(self) -> str:
        """The generation now on disk; empty for a log that another program began, or for none."""
        try:
            with self.path.open("rb") as file:
                return self._header(file.readline())
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise self._unreadable(error) from error

    def changed_since(self, position: Position) -> bool:
        """Is there anything to read behind `position`, or was the file replaced? One `stat`."""
        try:
            now = self.path.stat()
        except FileNotFoundError:
            return position.offset > 0
        except OSError as error:
            raise self._unreadable(error) from error
        return now.st_size != position.offset or now.st_ino != position.inode

    def append(self, events: Sequence[Event]) -> list[int]:
        """Write events as whole lines, flush them to disk, and return their seqs. All or none are acknowledged.

        Raises `StoreError` where the disk refuses; what was half written is taken back.
        """
        with self.lock.held():
            self._seek_end()
            seqs = list(range(self._end.seq + 1, self._end.seq + 1 + len(events)))
            lines = [_line({"seq": seq, **event}) for seq, event in zip(seqs, events, strict=True)]
            self._write(b"".join(lines))
            end = self._end
            written = sum(map(len, lines))
            self._end = replace(end, offset=end.offset + written, seq=end.seq + len(seqs), line=end.line + len(seqs))
            return seqs

    def rewrite(self, keep: Callable[[Entry], Event | None]) -> None:
        """Replace the log by `keep` of each event (None leaves it out), in a new generation, by rename.

        The header says that gaps in the seqs up to here are meant, not the work of a person's editor.
        """
        with self.lock.held():
            entries = list(self.read())
            kept = [(entry.seq, keep(entry)) for entry in entries]
            header = self._new_header()
            header |= {"home": self.home() or header["home"], "compacted_through": entries[-1].seq if entries else 0}
            lines = [_line(header), *(_line({**event, "seq": seq}) for seq, event in kept if event is not None)]
            replace_file(self.path, b"".join(lines))
            self._end = Position()

    def set_aside(self, damage: Sequence[Damage]) -> Path:
        """Move damaged lines out of the log, into a file beside it that names their numbers."""
        with self.lock.held():
            stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
            path = self.path.with_name(f"{self.path.stem}.damaged-{stamp}.txt")
            lines = (f"line {each.line} ({each.reason}): ".encode() + each.raw + b"\n" for each in damage)
            replace_file(path, b"".join(lines))
            bad = {each.line for each in damage}
            self.rewrite(lambda entry: None if entry.after.line in bad else entry.event)
            return path

    def last_seq(self) -> int:
        """The seq of the last event; 0 for an empty log. Takes the lock."""
        with self.lock.held():
            self._seek_end()
            return self._end.seq

    def fingerprint(self, position: Position) -> str:
        """A digest of the last 16 KiB before `position`: another, and the log was edited by hand before it."""
        try:
            with self.path.open("rb") as file:
                file.seek(max(0, position.offset - _TAIL))
                return hashlib.sha256(file.read(min(position.offset, _TAIL))).hexdigest()
        except FileNotFoundError:
            return hashlib.sha256(b"").hexdigest()
        except OSError as error:
            raise self._unreadable(error) from error

    def mark(self, position: Position) -> bytes:
        """The last bytes before `position`: others by now, and the log was edited by hand while it was open."""
        try:
            with self.path.open("rb") as file:
                file.seek(max(0, position.offset - _MARK))
                return file.read(min(position.offset, _MARK))
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise self._unreadable(error) from error

    def compacted_through(self) -> int:
        """Gaps in the seqs up to this one are meant."""
        return int(self._head().get("compacted_through", 0))

    def _head(self) -> Event:
        try:
            with self.path.open("rb") as file:
                first = file.readline()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise self._unreadable(error) from error
        return (_object(first) or {}) if _is_header(first) else {}

    def _lines(self, after: Position) -> Iterator[tuple[bytes, Position]]:
        """Each line behind `after`, with the position just behind it (its seq still that of the start)."""
        try:
            file = self.path.open("rb")
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._unreadable(error) from error
        with file:
            first = file.readline()
            generation = self._header(first)
            now = os.fstat(file.fileno())
            at = replace(after, inode=now.st_ino)
            if generation != after.generation or after.offset > now.st_size:
                at = Position(generation, inode=now.st_ino)
            if not at.offset and _is_header(first):
                at = replace(at, generation=generation, offset=len(first), line=1)
            file.seek(at.offset)
            for raw in iter(file.readline, b""):
                if not raw.endswith(b"\n") and _object(raw) is None:
                    return
                at = replace(at, offset=at.offset + len(raw), line=at.line + 1)
                yield raw, at

    def _header(self, first: bytes) -> str:
        head = _object(first) if _is_header(first) else None
        if head is None:
            return ""
        if head.get("format") != f"memary {self.kind}":
            raise StoreDamaged(f"{self.path.name} is a {head.get('format')!r} file, not a memary {self.kind}.")
        if not isinstance(head.get("version"), int) or head["version"] > VERSION:
            raise StoreTooNew(
                f"{self.path.name} was written by a newer memary (version {head.get('version')}); "
                "it was left as it is. Update memary to open it."
            )
        if head.get("scope", self.scope) != self.scope:
            raise ScopeError(
                f"The folder {self.path.parent.name} holds the memory of another scope. Nothing was read or "
                "changed. Choose another folder, or open it with the scope it belongs to."
            )
        return str(head.get("generation", ""))

    def _new_header(self) -> Event:
        return {
            "format": f"memary {self.kind}",
            "version": VERSION,
            "scope": self.scope,
            "home": new_id(),
            "generation": new_id(),
        }

    def _seek_end(self) -> None:
        """Bring `_end` up to the file's end; finish or set aside what a crash left unfinished."""
        self.begin()
        generation = self.generation()
        if self._end.offset == 0 or self._end.generation != generation:
            self._end = Position(generation)
        if self.changed_since(self._end):
            for entry in self.read(self._end):
                self._end = entry.after
            self._mend_tail()

    def _mend_tail(self) -> None:
        """Step over what follows the last event; set it aside if a crash left it unfinished."""
        end = self._end
        with self.path.open("rb") as file:
            file.seek(end.offset)
            rest = file.read()
            inode = os.fstat(file.fileno()).st_ino
        if rest.strip() and not rest.endswith(b"\n"):
            self.set_aside([*_damaged(rest, end.line)])
            self._seek_end()
        else:
            self._end = replace(end, offset=end.offset + len(rest), line=end.line + rest.count(b"\n"), inode=inode)

    def _write(self, data: bytes) -> None:
        try:
            fd = os.open(self.path, os.O_RDWR | os.O_APPEND)
        except OSError as error:
            raise self._refused(error) from error
        try:
            size = os.fstat(fd).st_size
            if size and os.pread(fd, 1, size - 1) != b"\n":
                data = b"\n" + data
                self._end = replace(self._end, offset=self._end.offset + 1)
            try:
                write_all(fd, data)
                os.fsync(fd)
            except OSError as error:
                os.ftruncate(fd, size)
                raise self._refused(error) from error
        finally:
            os.close(fd)

    def _refused(self, error: OSError) -> StoreError:
        return StoreError(
            f"{self.path.name} could not be written ({error.strerror}); what was stored before is whole, and "
            "this change was not stored. Free some space or give this user write permission, then try again."
        )

    def _unreadable(self, error: OSError) -> StoreDamaged:
        return StoreDamaged(
            f"{self.path} cannot be read ({error.strerror}). Nothing was changed. "
            "Move it aside or restore it from a backup, then open the memory again."
        )


def _line(event: Mapping[str, Any]) -> bytes:
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _object(raw: bytes) -> Event | None:
    """The JSON object in `raw`, or None if it is none."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _event(raw: bytes, seq: int) -> tuple[Event | None, str]:
    """The event in a line that follows `seq`; or None and why there is none (no reason for a blank line)."""
    event = _object(raw)
    if event is None:
        return None, "is no JSON object" if raw.strip() else ""
    own = event.get("seq", seq + 1)
    if not isinstance(own, int) or isinstance(own, bool):
        return None, "has a seq that is no whole number"
    if own <= seq:
        return None, "repeats a seq"
    return event, ""


def _is_header(first: bytes) -> bool:
    head = _object(first.removeprefix(b"\xef\xbb\xbf"))
    return head is not None and "format" in head and "version" in head


def _damaged(rest: bytes, line: int) -> Iterator[Damage]:
    for number, raw in enumerate(rest.split(b"\n"), line + 1):
        if raw.strip() and _object(raw) is None:
            yield Damage(number, raw, "is no JSON object")
