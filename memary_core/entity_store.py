"""The entity knowledge store: the current salience and identity of every entity, a view over the two logs.

It is the replay of the memory stream (attention) and of what the journal says of identity. It opens from a
snapshot and the tails of the logs, follows them as they grow, and turns hand edits of the snapshot into events.
"""

from __future__ import annotations

import json
import math
import threading
from datetime import datetime
from pathlib import Path
from typing import Any

from memary_core.errors import InvalidInput
from memary_core.files import replace_file
from memary_core.hand_edits import attention_at, name_edits, removed_lines, row_edits
from memary_core.identity import Identities, checked_name, is_value
from memary_core.journal_events import learn, read_turn
from memary_core.log import Damage, Entry, Log, Position
from memary_core.models import Entity, Kind, Salience, SourceKind, Turn, from_micros, new_id, to_micros
from memary_core.salience import Attention, Row
from memary_core.snapshot import Meta, Rows, Snapshot, digest, parse_rows
from memary_core.stream_events import apply, parse_date


class EntityStore:
    """Attention and identities of one scope. `notes` says what was set aside or taken over from a hand edit."""

    def __init__(self, folder: Path, stream: Log, journal: Log, you: Entity, half_life_days: float) -> None:
        self.stream = stream
        self.journal = journal
        self.half_life_days = half_life_days
        self.notes: list[str] = []
        self.snapshot = Snapshot(folder)
        self._you = you
        self._saved_at = 0
        self._guard = threading.RLock()
        self.reset()

    def reset(self) -> None:
        """Hold nothing, as before `open`."""
        self.unread: dict[str, Turn] = {}
        self.identities = Identities(self._you)
        self.attention = Attention(self.half_life_days)
        self._stream_at = Position()
        self._journal_at = Position()
        self._mark = b""

    def open(self) -> None:
        """Bring the view up to the logs, and take over what a person changed in the snapshot by hand."""
        with self.stream.lock.held():
            meta, rows = self.snapshot.meta(), self.snapshot.load()
            if rows is None or meta is None or digest(rows) not in meta.digests or not self._load(rows, meta):
                self._replay(meta, rows)
            self.sync()

    def sync(self) -> None:
        """Follow the logs; cheap (two `stat`s and one of the snapshot) where nothing was added."""
        with self._guard:
            if self.journal.changed_since(self._journal_at):
                self._follow_journal()
            if self.stream.changed_since(self._stream_at):
                self._follow_stream()
            if self.snapshot.touched():
                self._reconcile()

    def salience(self, entity_id: str, now: datetime) -> Salience:
        """The entity's salience at `now`."""
        entity = self.identities.by_id[entity_id]
        row = self.attention.rows.get(entity_id) or Row()
        last = from_micros(row.last) if row.last >= 0 else None
        score = self.attention.score(entity_id, to_micros(now))
        return Salience(entity_id, entity.name, row.count, score, last, row.pinned, row.muted, entity.kind)

    def listed(self) -> list[str]:
        """The ids of every entity attention was given to, in the order they came."""
        return [each for each, row in list(self.attention.rows.items()) if not row.hidden]

    def save_if_grown(self) -> None:
        """Write the snapshot if the stream has grown by a quarter since it was last written."""
        if self._stream_at.offset > self._saved_at * 1.25 + 65_536:
            self.save()

    def save(self) -> None:
        """Write the snapshot as of now, unless it is that already."""
        with self.stream.lock.held():
            self.sync()
            meta = self.snapshot.meta()
            if (
                meta
                and (meta.stream, meta.journal) == (self._stream_at, self._journal_at)
                and self.snapshot.path.exists()
            ):
                return
            self.snapshot.write(self.rows(), self._meta())
            self._saved_at = self._stream_at.offset

    def rows(self) -> Rows:
        """The store as its file shows it: most mentioned first."""
        order = sorted(self.listed(), key=lambda each: (-self.attention.rows[each].count, each))
        return [self._row(each) for each in order]

    def resolve(self, name: str, kind: Kind = Kind.OTHER) -> Entity:
        """The entity that answers to `name`, or a new one (not yet stored: the event that names it does that)."""
        shown = checked_name(name)
        found = self.identities.find(shown)
        if found is not None:
            return found
        return Entity(new_id(), shown, Kind.VALUE if is_value(shown) else kind)

    # Replay

    def _follow_journal(self) -> None:
        if self.journal.generation() != self._journal_at.generation:
            self._journal_at = Position()
        for entry in self.journal.read(self._journal_at):
            learn(self.identities, entry.event)
            self._note_unread(entry)
            self._journal_at = entry.after

    def _note_unread(self, entry: Entry) -> None:
        """`unread`: turns that were stored and whose reading is not; a crash came between, or it is going on."""
        if (turn := read_turn(entry)) is not None and turn.kind is not SourceKind.ASSISTANT:
            self.unread[turn.id] = turn
        elif entry.event.get("type") == "facts":
            self.unread.pop(entry.event.get("turn", ""), None)

    def _follow_stream(self) -> None:
        damage: list[Damage] = []
        renewed = self.stream.generation() != self._stream_at.generation
        edited = not renewed and self.stream.mark(self._stream_at) != self._mark
        if renewed or edited:
            self.attention, self._stream_at = Attention(self.half_life_days), Position()
        for entry in self.stream.read(self._stream_at, damage):
            self._apply(entry, damage)
            self._stream_at = entry.after
        self._mark = self.stream.mark(self._stream_at)
        if damage:
            self._set_aside(damage)
        if edited:
            self._note_removed_lines()

    def _set_aside(self, damage: list[Damage]) -> None:
        path = self.stream.set_aside(damage)
        lines = ", ".join(str(each.line) for each in damage[:20])
        self.notes.append(
            f"{len(damage)} damaged line(s) of {self.stream.path.name} (line {lines}) were set aside as "
            f"{path.name}; the rest is loaded and saving works."
        )
        self._follow_stream()

    def _apply(self, entry: Entry, damage: list[Damage]) -> None:
        try:
            apply(entry.event, entry.seq, self.stream.scope, self.identities, self.attention)
        except (InvalidInput, ValueError, OverflowError, TypeError) as error:
            raw = json.dumps(entry.event, ensure_ascii=False).encode("utf-8", "surrogatepass")
            damage.append(Damage(entry.after.line, raw, str(error)[:200]))

    # Snapshot

    def _load(self, data: bytes, meta: Meta) -> bool:
        """Take the snapshot, if it still belongs to these logs."""
        if meta.half_life_days != self.half_life_days or meta.fingerprints != self._fingerprints(meta):
            return False
        try:
            for row in (*parse_rows(data), *meta.unlisted):
                entity = Entity(row["entity_id"], row["entity"], Kind(row["kind"]), tuple(row.get("aliases", ())))
                self.identities.add(entity)
                if "count" in row:
                    self.attention.put(entity.id, _attention(row, entity.kind))
        except (InvalidInput, KeyError, ValueError):
            self.reset()
            return False
        for owner_id, role, entity_id in meta.roles:
            self.identities.set_role(owner_id, role, entity_id)
        self._note_unread_before(meta)
        self._stream_at, self._journal_at, self._saved_at = meta.stream, meta.journal, meta.stream.offset
        self._mark = self.stream.mark(meta.stream)
        return True

    def _note_unread_before(self, meta: Meta) -> None:
        if meta.unread:
            for entry in self.journal.read():
                if entry.seq <= meta.journal.seq and entry.event.get("id") in meta.unread:
                    self._note_unread(entry)

    @property
    def stream_at(self) -> Position:
        """How far the stream has been followed."""
        return self._stream_at

    @property
    def journal_at(self) -> Position:
        """How far the journal has been followed."""
        return self._journal_at

    def _fingerprints(self, meta: Meta) -> tuple[str, str]:
        return self.stream.fingerprint(meta.stream), self.journal.fingerprint(meta.journal)

    def _replay(self, meta: Meta | None, rows: bytes | None) -> None:
        """Compute everything from the logs; then compare a hand-edited snapshot with the replay at its place."""
        self.reset()
        self._follow_journal()
        self._follow_stream()
        self._note_removed_lines()
        if rows is not None and (meta is None or digest(rows) not in meta.digests):
            self._take_over(rows, meta)
        self._saved_at = 0

    def _reconcile(self) -> None:
        """The snapshot changed on disk: another process saved it, or a person edited it."""
        with self.stream.lock.held():
            meta, rows = self.snapshot.meta(), self.snapshot.load()
            if rows is not None and (meta is None or digest(rows) not in meta.digests):
                self._take_over(rows, meta)

    def _take_over(self, data: bytes, meta: Meta | None) -> None:
        """Turn a hand edit into events, each with the old value; set aside a file that cannot be read."""
        name = self.snapshot.path.name
        try:
            rows = parse_rows(data)
            then = meta.stream.seq if meta and meta.stream.generation == self._stream_at.generation else math.inf
            base = attention_at(self.stream, then, self.identities, self.half_life_days)
            names = list(name_edits(rows, self.identities))
            changes = list(row_edits(rows, base, self.attention.rows, self.identities))
        except InvalidInput as error:
            aside = self.snapshot.path.with_name(f"{self.snapshot.path.stem}.damaged-{new_id()[:8]}.json")
            replace_file(aside, data)
            self.notes.append(
                f"{name} was edited and cannot be read: {error} It was set aside as {aside.name}, and the counts "
                "come from the memory stream."
            )
            names, changes = [], []
        if names:
            self.journal.append(names)
            self._follow_journal()
        if changes:
            self.stream.append(changes)
            self._follow_stream()
        if names or changes:
            self.notes.append(f"{len(names) + len(changes)} change(s) made by hand in {name} were taken over.")
        self.snapshot.write(self.rows(), self._meta())

    def _note_removed_lines(self) -> None:
        if events := removed_lines(self.stream):
            self.stream.append(events)
            total = sum(event["to"] - event["from"] + 1 for event in events)
            self.notes.append(f"{total} line(s) were deleted by hand from {self.stream.path.name}.")
            self._follow_stream()

    def _meta(self) -> Meta:
        listed = set(self.listed())
        unlisted = [
            self._row(each) if each in self.attention.rows else _named_row(entity)
            for each, entity in self.identities.by_id.items()
            if each not in listed and each != self._you.id
        ]
        prints = (self.stream.fingerprint(self._stream_at), self.journal.fingerprint(self._journal_at))
        places = (self._stream_at, self._journal_at, prints, self.half_life_days)
        return Meta(*places, (), unlisted, self.identities.roles(), list(self.unread))

    def _row(self, entity_id: str) -> dict[str, Any]:
        row, entity = self.attention.rows[entity_id], self.identities.by_id[entity_id]
        shown = _named_row(entity)
        shown["count"] = row.count
        shown["date"] = from_micros(row.last).isoformat() if row.last >= 0 else None
        shown["weight"] = row.weight if row.weight > -math.inf else None
        shown |= {flag: True for flag in ("pinned", "muted") if getattr(row, flag)}
        return {key: shown[key] for key in dict.fromkeys(("entity", "count", "date", *shown))}


def _named_row(entity: Entity) -> dict[str, Any]:
    row: dict[str, Any] = {"entity": entity.name, "kind": entity.kind.value, "entity_id": entity.id}
    return row | ({"aliases": list(entity.aliases)} if entity.aliases else {})


def _attention(row: dict[str, Any], kind: Kind) -> Row:
    weight = row["weight"] if row["weight"] is not None else -math.inf
    last = to_micros(parse_date(row["date"])) if row["date"] else -1
    hidden = kind in (Kind.VALUE, Kind.SELF)
    return Row(row["count"], weight, last, row.get("pinned", False), row.get("muted", False), hidden)
