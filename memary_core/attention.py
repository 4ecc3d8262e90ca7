"""Attention as callers use it: what is on the mind, and a person's edits of it. Facts are never touched here."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memary_core.entity_store import EntityStore
from memary_core.errors import InvalidInput, NotFound, StoreChanged
from memary_core.identity import is_value
from memary_core.journal_events import rename_event
from memary_core.log import Event
from memary_core.models import Entity, Kind, Salience, utc
from memary_core.stream_events import edit


@dataclass(frozen=True, slots=True)
class AttentionEdit:
    """One row's change. None leaves a field as it is. `entity` is an id or a name; an unknown name is added.

    `was`: the row as the person saw it; another state by now refuses the whole edit with `StoreChanged`.
    """

    entity: str
    count: int | None = None
    name: str | None = None
    pinned: bool | None = None
    muted: bool | None = None
    drop: bool = False
    was: Salience | None = None


class SalienceView:
    """`memory.salience`: read and edit attention. Edits are stored before they return."""

    def __init__(self, store: EntityStore) -> None:
        self._store = store

    def top(self, k: int = 20, *, now: datetime | None = None) -> list[Salience]:
        """The k entities with the highest decayed scores, highest first; scores as of `now` (UTC, default now).

        Pinned ones are always in it; muted ones, values and You never.
        """
        if k < 1:
            raise InvalidInput(f"top() wants at least 1 entity, and was asked for {k}.")
        self._store.sync()
        return [self._store.salience(each, utc(now)) for each in self._store.attention.top(k)]

    def get(self, name: str, *, now: datetime | None = None) -> Salience | None:
        """The salience of the entity that answers to `name`, in any spelling of it; None if there is none."""
        self._store.sync()
        entity = self._find(name)
        if entity is None or entity.id not in self._store.attention.rows:
            return None
        return self._store.salience(entity.id, utc(now))

    def all(self, *, now: datetime | None = None) -> list[Salience]:
        """Every entity attention was given to, most mentioned first."""
        self._store.sync()
        at = utc(now)
        rows = (self._store.salience(each, at) for each in self._store.listed())
        return sorted(rows, key=lambda each: (-each.count, -each.score, each.name))

    def listed(
        self,
        part: str = "",
        kinds: Collection[Kind] = (),
        limit: int = 500,
        *,
        by: Literal["count", "score"] = "count",
        muted: bool = True,
    ) -> tuple[list[Salience], int]:
        """The `limit` entities most present among those whose name contains `part`, and how many those are.

        `kinds`: only of these kinds, where any are given. `muted` False leaves out muted ones.
        """
        self._store.sync()
        known, rows = self._store.identities, list(self._store.attention.rows.items())
        if part.strip() or kinds:
            named = known.search(part, len(known)) if part.strip() else known.by_id.values()
            fitting = {each.id for each in named if not kinds or each.kind in kinds}
            rows = [(each, row) for each, row in rows if each in fitting]
        shown = [(each, row) for each, row in rows if not row.hidden and (muted or not row.muted)]
        kept = [(row.weight if by == "score" else row.count, row.last, each) for each, row in shown]
        now = utc(None)
        return [self._store.salience(each, now) for *_, each in heapq.nlargest(limit, kept)], len(kept)

    def total(self) -> int:
        """How many entities attention was given to."""
        self._store.sync()
        return sum(not row.hidden for row in list(self._store.attention.rows.values()))

    def set_count(self, name: str, count: int) -> Salience:
        """Make the count `count`, as that many mentions now; later mentions add to it. A new name is added."""
        return self.apply([AttentionEdit(name, count=count)])[0]

    def pin(self, name: str, on: bool = True) -> Salience:
        """Always in `top`, until unpinned."""
        return self.apply([AttentionEdit(name, pinned=on)])[0]

    def mute(self, name: str, on: bool = True) -> Salience:
        """Never in `top`, until unmuted; mentions go on being counted."""
        return self.apply([AttentionEdit(name, muted=on)])[0]

    def drop(self, name: str) -> Salience:
        """Forget the attention given to the entity; what is believed of it stays. The next mention starts at 1.

        Raises `NotFound` for a name nobody mentioned.
        """
        return self.apply([AttentionEdit(name, drop=True)])[0]

    def apply(self, edits: Sequence[AttentionEdit], by: str = "user") -> list[Salience]:
        """Make several edits as one: all are stored or none. Returns the rows as they then are."""
        with self._store.stream.lock.held():
            self._store.sync()
            pairs = [(each, self._entity(each)) for each in edits]
            events = [event for each, entity in pairs for event in self._events(each, entity, by)]
            names = [rename_event(to, each.name, by) for each, to in pairs if each.name and each.name != to.name]
            if names:
                self._store.journal.append(names)
            if events:
                self._store.stream.append(events)
            self._store.sync()
            now = utc(None)
            return [self._store.salience(entity.id, now) for _, entity in pairs]

    def _find(self, name: str) -> Entity | None:
        return self._store.identities.by_id.get(name) or self._store.identities.find(name)

    def _entity(self, wanted: AttentionEdit) -> Entity:
        found = self._find(wanted.entity)
        if found is None and wanted.count is None:
            raise NotFound(f"No entity answers to {wanted.entity!r:.60}; nothing was changed. See salience.all().")
        entity = found or self._store.resolve(wanted.entity, Kind.OTHER)
        if entity.kind is Kind.SELF or is_value(entity.name):
            raise InvalidInput(f"{entity.name!r:.60} is you or a value, which attention does not count.")
        if wanted.was is not None and found is not None:
            self._refuse_if_changed(wanted.was, entity)
        return entity

    def _refuse_if_changed(self, was: Salience, entity: Entity) -> None:
        now = self._store.salience(entity.id, utc(None))
        if (now.count, now.name, now.pinned, now.muted) != (was.count, was.name, was.pinned, was.muted):
            raise StoreChanged(
                f"{was.name} changed since you opened it (count {was.count} is now {now.count}); nothing was saved. "
                "Look at the new values, then save again."
            )

    def _events(self, wanted: AttentionEdit, entity: Entity, by: str) -> Iterable[Event]:
        row = self._store.attention.rows.get(entity.id)
        was = row.count if row else 0
        if wanted.drop:
            if row is None:
                raise NotFound(f"{entity.name!r:.60} was never mentioned; there is nothing to drop.")
            yield edit("drop", entity, by, was=was)
            return
        if wanted.count is not None:
            if not isinstance(wanted.count, int) or isinstance(wanted.count, bool) or not 0 <= wanted.count < 2**53:
                raise InvalidInput(
                    f"A count is a whole number, 0 or more; {wanted.count!r:.40} is not. Nothing was saved."
                )
            yield edit("set", entity, by, count=wanted.count, was=was)
        for flag, (on, off) in {"pinned": ("pin", "unpin"), "muted": ("mute", "unmute")}.items():
            value = getattr(wanted, flag)
            if value is not None and value != bool(row and getattr(row, flag)):
                yield edit(on if value else off, entity, by)
