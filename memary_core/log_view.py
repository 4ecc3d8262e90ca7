"""The two logs as tables of one SQLite file: opened, brought level, and built anew when it is damaged.

It is a view: it may be deleted at any time.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from memary_core.errors import InvalidInput, StoreError
from memary_core.journal_events import read_turn
from memary_core.log import START, Entry, Event, Log, Position
from memary_core.models import to_micros
from memary_core.stream_events import parse_date
from memary_core.turn_ranking import TIME

_FORMAT = 2
_SCHEMA = """
CREATE TABLE place (log TEXT PRIMARY KEY, generation TEXT, offset INTEGER, seq INTEGER, line INTEGER, inode INTEGER);
CREATE TABLE turns (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, conversation TEXT, speaker TEXT, kind TEXT,
                    text TEXT, at INTEGER, reply_to TEXT, words INTEGER, asks INTEGER, dated INTEGER);
CREATE INDEX turns_by_conversation ON turns (conversation, seq);
CREATE VIRTUAL TABLE words USING fts5 (text, content='turns', content_rowid='seq', tokenize='porter unicode61');
CREATE VIRTUAL TABLE pieces USING fts5 (text, content='turns', content_rowid='seq', tokenize='trigram');
CREATE TABLE mentions (seq INTEGER PRIMARY KEY, entity TEXT, entity_id TEXT, at INTEGER, turn TEXT, source TEXT);
CREATE INDEX mentions_by_entity ON mentions (entity_id, at);
CREATE INDEX mentions_by_turn ON mentions (turn);
CREATE INDEX mentions_by_time ON mentions (at);
"""
_EMPTY = {
    "journal": (
        "DELETE FROM turns",
        "INSERT INTO words (words) VALUES ('rebuild')",
        "INSERT INTO pieces (pieces) VALUES ('rebuild')",
    ),
    "stream": ("DELETE FROM mentions",),
}


class LogView:
    """The tables of one scope. `identify` gives the entity id of a stream line that names none."""

    def __init__(self, path: Path, journal: Log, stream: Log, identify: Callable[[Event, int], str]) -> None:
        self._path = path
        self._logs = {"journal": journal, "stream": stream}
        self._identify = identify
        self._guard = threading.RLock()
        self._db: sqlite3.Connection | None = None

    @contextmanager
    def level(self) -> Iterator[sqlite3.Connection]:
        """The database, level with the logs. `StoreError` where the file cannot be used."""
        with self._guard:
            try:
                yield self._caught_up()
            except sqlite3.OperationalError as error:
                raise StoreError(
                    f"{self._path.name} cannot be used ({error}). Nothing you wrote is lost. "
                    "Free some space, or close the program that holds it, then try again."
                ) from error
            except sqlite3.DatabaseError as error:
                self._remove()
                raise StoreError(
                    f"{self._path.name} was damaged and has been removed; it is built again from the logs "
                    "when next needed. Nothing you wrote is lost. Try again."
                ) from error

    def close(self) -> None:
        """Let go of the file."""
        with self._guard:
            if self._db is not None:
                self._db.close()
                self._db = None

    def _caught_up(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = self._connect()
        for kind, log in self._logs.items():
            if log.changed_since(self._place(self._db, kind)):
                with log.lock.held():
                    self._follow(self._db, kind, log)
        return self._db

    def _connect(self) -> sqlite3.Connection:
        try:
            return self._opened()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            self._remove()
            return self._opened()

    def _opened(self) -> sqlite3.Connection:
        with next(iter(self._logs.values())).lock.held():
            db = sqlite3.connect(self._path, check_same_thread=False, timeout=30.0)
            self._path.chmod(0o600)
            # A view needs no flush: what a power cut takes is read from the logs again.
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = OFF")
            if db.execute("PRAGMA user_version").fetchone()[0] != _FORMAT:
                tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
                if tables:
                    db.close()
                    self._remove()
                    return self._opened()
                db.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {_FORMAT}; COMMIT;")
            return db

    def _remove(self) -> None:
        self.close()
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def _follow(self, db: sqlite3.Connection, kind: str, log: Log) -> None:
        at, take = self._place(db, kind), self._take_turn if kind == "journal" else self._take_mention
        with db:
            if at.offset and at.generation != log.generation():
                at = START
                for statement in _EMPTY[kind]:
                    db.execute(statement)
            for entry in log.read(at):
                take(db, entry)
                at = entry.after
            row = (kind, at.generation, at.offset, at.seq, at.line, at.inode)
            db.execute("INSERT OR REPLACE INTO place VALUES (?, ?, ?, ?, ?, ?)", row)

    def _place(self, db: sqlite3.Connection, kind: str) -> Position:
        row = db.execute("SELECT generation, offset, seq, line, inode FROM place WHERE log = ?", (kind,)).fetchone()
        return Position(*row) if row else START

    def _take_turn(self, db: sqlite3.Connection, entry: Entry) -> None:
        turn = read_turn(entry)
        if turn is None:
            return
        said = (turn.seq, turn.id, turn.conversation, turn.speaker, turn.kind.value, turn.text, to_micros(turn.at))
        shape = (len(turn.text.split()), turn.text.rstrip().endswith(("?", "？")), bool(TIME.search(turn.text)))
        values = (*said, turn.reply_to, *shape)
        db.execute(f"INSERT INTO turns VALUES ({','.join('?' * len(values))})", values)
        for table in ("words", "pieces"):
            db.execute(f"INSERT INTO {table} (rowid, text) VALUES (?, ?)", (turn.seq, turn.text))

    def _take_mention(self, db: sqlite3.Connection, entry: Entry) -> None:
        event = entry.event
        if event.get("type", "mention") != "mention":
            return
        try:
            at, name = to_micros(parse_date(event.get("date"))), str(event["entity"])
            entity_id = event.get("entity_id") or self._identify(event, entry.seq)
        except (InvalidInput, KeyError):
            return  # the entity store sets such a line aside
        turn, source = event.get("turn"), event.get("source", "user")
        if not isinstance(entity_id, str) or not isinstance(turn, str | None) or not isinstance(source, str):
            return
        values = (entry.seq, name, entity_id, at, turn, source)
        db.execute("INSERT INTO mentions VALUES (?, ?, ?, ?, ?, ?)", values)
