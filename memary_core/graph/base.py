"""The contract every graph keeps. A graph is a view of one scope's journal; the journal is the authority.

Times cross this border as aware UTC datetimes and are stored as integer microseconds. Confidence keeps 15
significant digits, which is what both databases return. A NUL or a lone surrogate, which no database stores,
comes back as U+FFFD. Every method may raise `GraphUnavailable` (cannot be reached, or timed out) or `GraphError`
(refused); nothing else escapes.

After `GraphUnavailable` the next call connects again. A server that came back may have lost its latest changes,
so read `applied_seq` and write what is missing; `write` and `remove` refuse to go on over such a gap.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from memary_core.models import Entity, Fact, Trust

KEPT = (
    "What is said now is kept in the journal and reaches the graph when it is back; "
    "conversation and attention go on without it."
)
"""What every message about a graph that cannot be used says."""


@dataclass(frozen=True, slots=True)
class FactFilter:
    """Which facts to read. Fields left None do not restrict; the others all must hold.

    `touching`: subject or object is one of these ids. `within`: both are. `turns`: a source of the fact has one
    of these turns. `predicates`: canonical predicates, compared with `Fact.predicate` as stored. `at`: valid then
    (an unknown `valid_from` counts as always; `valid_to` is exclusive). `known_at`: recorded by then.
    `current`: not closed.
    Facts come back by confidence, then newest `recorded_at`, then id; `limit` cuts after that order.
    """

    ids: Collection[str] | None = None
    subjects: Collection[str] | None = None
    predicates: Collection[str] | None = None
    objects: Collection[str] | None = None
    touching: Collection[str] | None = None
    turns: Collection[str] | None = None
    within: Collection[str] | None = None
    trusts: Collection[Trust] | None = None
    at: datetime | None = None
    known_at: datetime | None = None
    current: bool = False
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class GraphTotals:
    """How much one scope's graph holds."""

    entities: int = 0
    facts: int = 0
    candidates: int = 0
    sources: int = 0


class GraphStore(Protocol):
    """One scope's graph. Every query binds the scope: nothing of another is ever read, counted or cleared."""

    dialect: str
    """`falkordb` or `neo4j`, for showing."""

    def open(self) -> None:
        """Create constraints and indexes where missing, and claim the scope for its home folder.

        Idempotent. A graph in an older format is emptied: it is a view, and `applied_seq` then says 0.
        Raises `ScopeError` where the scope's graph was claimed from another home.
        """

    def applied_seq(self) -> int:
        """The journal seq up to which this graph is complete; 0 for an empty one."""

    def write(self, facts: Sequence[Fact], entities: Sequence[Entity], applied_seq: int) -> None:
        """Make the graph hold exactly these facts and entities as given (by id), then record `applied_seq`.

        An upsert: writing the same twice changes nothing. Every fact's subject and object must be among `entities`
        or already there, else `GraphError`. Ids, also those of turns, are printable text of 1 to 1,000 signs with no
        space at either end, else `GraphError`: an index could not tell others apart. `applied_seq` is written last,
        so a crash in between repeats the write; it never goes back, except by `clear`. A fact's sources are replaced
        by those given, and a source that supports no fact any more is removed.

        Raises `GraphUnavailable`, having changed nothing, where the graph has fallen behind what this store
        last saw of it.
        """

    def remove(self, facts: Collection[str], entities: Collection[str], applied_seq: int) -> None:
        """Remove these facts, these entities with every fact on them, and every source left without a fact; then
        record `applied_seq`, as `write` does. Ids that are not there are passed over.

        What was removed is also gone from the embedded server's files when this returns.
        """

    def facts(self, wanted: FactFilter) -> list[Fact]:
        """The facts that match, each with all its sources, with subject and object shown by current name."""

    def entities(self, ids: Collection[str]) -> list[Entity]:
        """Those of `ids` that the graph holds, in no particular order."""

    def reach(
        self,
        ids: Collection[str],
        hops: int,
        *,
        trusts: Collection[Trust],
        at: datetime | None,
        current: bool,
    ) -> dict[str, int]:
        """Every entity within `hops` (1 to 3) of `ids` over matching facts in either direction, with its distance.

        The starting entities that exist are in it, with 0.
        """

    def totals(self) -> GraphTotals:
        """How much is there."""

    def clear(self) -> GraphTotals:
        """Remove all of this scope, and only this scope, and return what was removed."""

    def close(self) -> None:
        """Let go of the connection; safe to call twice."""
