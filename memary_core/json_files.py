"""The two JSON files of attention, opened to be edited by hand while the memory is in use.

What is opened carries the digest of its file; a file that is another by the time it is saved is not overwritten.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memary_core.entity_store import EntityStore
from memary_core.errors import InvalidInput, StoreChanged, StoreDamaged
from memary_core.files import replace_file
from memary_core.identity import Identities, checked_name
from memary_core.log import Entry, Event
from memary_core.models import YOU, Entity, Kind, SourceKind
from memary_core.salience import Attention
from memary_core.snapshot import Rows, digest, dump_rows, parse_rows
from memary_core.stream_events import apply

_NOBODY = Entity("", YOU, Kind.SELF)


@dataclass(frozen=True, slots=True)
class OpenedStore:
    """The entity knowledge store as its file holds it."""

    rows: Rows
    digest: str


@dataclass(frozen=True, slots=True)
class OpenedStream:
    """The memory stream: its header line, and each event with its seq, in order."""

    header: str
    events: Sequence[Event]
    digest: str


class JsonFiles:
    """Opens and saves `entity_knowledge_store.json` and `memory_stream.jsonl` of one scope."""

    def __init__(self, store: EntityStore) -> None:
        self._store = store

    @property
    def store_path(self) -> Path:
        """Where the entity knowledge store is."""
        return self._store.snapshot.path

    @property
    def stream_path(self) -> Path:
        """Where the memory stream is."""
        return self._store.stream.path

    def open_store(self) -> OpenedStore:
        """The entity knowledge store, written anew where mentions came since."""
        with self._store.stream.lock.held():
            self._store.save()
            data = _content(self.store_path)
            return OpenedStore(parse_rows(data), digest(data))

    def save_store(self, rows: Rows, opened: str) -> None:
        """Replace the store's file by `rows`; what differs becomes events, as with any hand edit.

        Mentions made since it was opened are kept: 9 by hand, then one mention, is 10. Raises `StoreChanged`
        where the file's digest is no longer `opened`, `InvalidInput` where the rows are none.
        """
        data = _encoded(rows)
        seen: set[str] = set()
        for number, row in enumerate(parse_rows(data), 1):
            checked_name(row["entity"])
            if (entity_id := row.get("entity_id", "")) and entity_id in seen:
                raise InvalidInput(f"Entity {number}: its entity_id is already used above. Nothing was changed.")
            seen.add(entity_id)
        with self._store.stream.lock.held():
            self._store.sync()
            _refuse_if_changed(self.store_path, opened)
            replace_file(self.store_path, data)
            self._store.sync()

    def open_stream(self) -> OpenedStream:
        """The memory stream, each line with its seq."""
        with self._store.stream.lock.held():
            self._store.sync()
            self._store.stream.begin()
            data = _content(self.stream_path)
            header = data.partition(b"\n")[0].decode("utf-8", "replace")
            events = [{"seq": entry.seq, **entry.event} for entry in self._store.stream.read()]
            return OpenedStream(header, events, digest(data))

    def save_stream(
        self, kept: Mapping[int, Event], added: Sequence[Event], shown: Collection[int], opened: str
    ) -> None:
        """Let the events with the seqs in `shown` be those in `kept`, and append `added`.

        An event of `shown` that is not in `kept` is removed; the others stay as they are. Raises `StoreChanged`
        where the file's digest is no longer `opened`, `InvalidInput` for an event that is none.
        """
        for event in (*kept.values(), *added):
            check_event(event)

        def edited(entry: Entry) -> Event | None:
            return kept.get(entry.seq) if entry.seq in seqs else entry.event

        seqs = frozenset(shown)
        with self._store.stream.lock.held():
            _refuse_if_changed(self.stream_path, opened)
            self._store.stream.rewrite(edited)
            if added:
                self._store.stream.append(added)
            self._store.sync()
            self._store.save()


def check_event(event: Event) -> None:
    """Raise `InvalidInput` for what no line of the stream may say."""
    try:
        SourceKind(event.get("source", SourceKind.USER))
        apply(event, 1, "", Identities(_NOBODY), Attention(math.inf))
        json.dumps(event, ensure_ascii=False).encode()
    except InvalidInput:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidInput(f"{error}. Nothing was changed.") from error


def _encoded(rows: Rows) -> bytes:
    try:
        return dump_rows(rows)
    except UnicodeEncodeError as error:
        raise InvalidInput(f"Half a character cannot be stored ({error}). Nothing was changed.") from error


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise StoreDamaged(f"{path.name} cannot be read ({error.strerror}); it was left as it is.") from error


def _refuse_if_changed(path: Path, opened: str) -> None:
    if digest(_content(path)) != opened:
        raise StoreChanged(
            f"{path.name} changed since it was opened; nothing was overwritten. "
            "Copy what you typed, open the file again, and repeat the edit."
        )
