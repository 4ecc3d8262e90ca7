"""Salience, pure: counts, decay and top-k. The whole mechanism is this page.

A mention at time t weighs 2 ** (t / half-life), so that a later one weighs more and the ratio of two never
changes. Summed per entity as a base-2 logarithm (the log-sum-exp form, which cannot overflow), the order of
arrival does not matter and a mention costs O(1). The score at time `now` is the sum divided by
2 ** (now / half-life): each mention counts 1 when made and half as much every half-life later. This is
exponential forgetting as in Cormode, Korn and Tirthapura, "Exponentially decayed aggregates" (ICDE 2008).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

_NEVER = -math.inf
_MICROS_PER_DAY = 86_400_000_000


def log2_add(a: float, b: float) -> float:
    """log2(2**a + 2**b), exact where either is -inf."""
    if a < b:
        a, b = b, a
    return a if b == _NEVER else a + math.log2(1.0 + 2.0 ** (b - a))


@dataclass(slots=True)
class Row:
    """One entity's attention. `weight` is the log2 sum; `last` is in microseconds, -1 for never."""

    count: int = 0
    weight: float = _NEVER
    last: int = -1
    pinned: bool = False
    muted: bool = False
    hidden: bool = False


class Attention:
    """The attention of one scope. `half_life_days` may be inf: then a score is the count.

    `hidden` rows (You, values) are kept but never chosen.
    """

    def __init__(self, half_life_days: float) -> None:
        self.half_life = half_life_days * _MICROS_PER_DAY
        self.rows: dict[str, Row] = {}
        self._slots: dict[str, int] = {}
        self._ids: list[str] = []
        self._ranked = np.full(1024, _NEVER)
        self._pinned: set[str] = set()

    def mention(self, entity_id: str, at: int) -> None:
        """The person named the entity at `at`."""
        row = self.row(entity_id)
        row.count += 1
        row.weight = log2_add(row.weight, at / self.half_life)
        row.last = max(row.last, at)
        self._rank(entity_id, row)

    def set_count(self, entity_id: str, count: int, at: int) -> None:
        """The person set the count: it counts as `count` mentions at `at`, whatever was before."""
        row = self.row(entity_id)
        row.count = count
        row.weight = math.log2(count) + at / self.half_life if count else _NEVER
        row.last = max(row.last, at) if count else row.last
        self._rank(entity_id, row)

    def flag(self, entity_id: str, *, pinned: bool | None = None, muted: bool | None = None) -> None:
        """Pin (always in `top`) or mute (never in it), or take either back; None leaves it."""
        row = self.row(entity_id)
        row.pinned = row.pinned if pinned is None else pinned
        row.muted = row.muted if muted is None else muted
        self._rank(entity_id, row)

    def hide(self, entity_id: str) -> None:
        """Never choose this entity: it is You, or a value."""
        row = self.row(entity_id)
        row.hidden = True
        self._rank(entity_id, row)

    def drop(self, entity_id: str) -> None:
        """Forget the attention given to the entity; the next mention starts at 1."""
        if row := self.rows.get(entity_id):
            self.put(entity_id, Row(hidden=row.hidden))
            if not row.hidden:
                del self.rows[entity_id]

    def put(self, entity_id: str, row: Row) -> None:
        """Take a row as it was saved."""
        self.rows[entity_id] = row
        self._rank(entity_id, row)

    def row(self, entity_id: str) -> Row:
        """The entity's row, made if new."""
        row = self.rows.get(entity_id)
        if row is None:
            row = self.rows[entity_id] = Row()
        return row

    def score(self, entity_id: str, now: int) -> float:
        """The count decayed to `now`; 0.0 for an entity never mentioned."""
        row = self.rows.get(entity_id)
        return 0.0 if row is None or row.count == 0 else 2.0 ** min(row.weight - now / self.half_life, 1023.0)

    def top(self, k: int) -> list[str]:
        """The ids with the k highest scores: pinned ones always among them, muted and hidden ones never.

        Decay takes the same share of every score, so the order does not depend on the time. Equal scores
        are ordered by count, then the last mention, then the id.
        """
        pinned = sorted((each for each in self._pinned if self._shown(each)), key=self._order)[:k]
        kept = set(pinned)
        others = (each for each in self._best(k) if each not in kept)
        chosen = [*pinned, *(each for each, _ in zip(others, range(k - len(pinned)), strict=False))]
        return sorted(chosen, key=self._order)

    def _best(self, k: int) -> Iterator[str]:
        ranked = self._ranked[: len(self._ids)]
        k = min(k, len(ranked))
        if k < 1:
            return
        least = np.partition(ranked, len(ranked) - k)[len(ranked) - k]
        slots = np.flatnonzero(ranked >= least) if least > _NEVER else np.flatnonzero(ranked > _NEVER)
        yield from sorted((self._ids[slot] for slot in slots), key=self._order)

    def _shown(self, entity_id: str) -> bool:
        row = self.rows[entity_id]
        return not (row.muted or row.hidden)

    def _order(self, entity_id: str) -> tuple[float, int, int, str]:
        row = self.rows[entity_id]
        return (-row.weight, -row.count, -row.last, entity_id)

    def _rank(self, entity_id: str, row: Row) -> None:
        slot = self._slots.get(entity_id)
        if slot is None:
            slot = self._slots[entity_id] = len(self._ids)
            self._ids.append(entity_id)
            if slot == len(self._ranked):
                self._ranked = np.concatenate([self._ranked, np.full(slot, _NEVER)])
        self._ranked[slot] = _NEVER if row.muted or row.hidden else row.weight
        (self._pinned.add if row.pinned else self._pinned.discard)(entity_id)
