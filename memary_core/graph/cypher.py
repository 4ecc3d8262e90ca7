"""The `GraphStore` contract over the queries of `queries` and `select`: what is asked, and in which order.

Names, ids and times travel as parameters only. The order of the steps is what makes a write repeatable: whatever
stops it, doing all of it again ends in the same graph.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar
from urllib.parse import urlsplit

from memary_core.errors import GraphError, GraphUnavailable, ScopeError
from memary_core.graph import queries
from memary_core.graph.base import FactFilter, GraphTotals
from memary_core.graph.heard import note
from memary_core.graph.rows import (
    MAX_ID,
    clean,
    entity_of,
    entity_row,
    fact_of,
    fact_row,
    scope_key,
    source_of,
    source_row,
    unusable,
)
from memary_core.graph.select import STEP, conditions, select
from memary_core.models import Entity, Fact, Source, Trust, to_micros

FORMAT = 1
BATCH = 1000
"""Rows in one query: large enough to hide the round trip, small enough to answer within a timeout."""
READ = 10_000
"""Ids in one reading query: a neighbour that many of them share is then answered once."""
SWEEP = 5000
"""Nodes or relationships removed by one query."""

Rows = list[list[Any]]
T = TypeVar("T")


class CypherGraph(ABC):
    """One scope's graph in a Cypher database. A subclass adds connection, schema and error mapping."""

    dialect: str

    def __init__(self, scope: str, home: str) -> None:
        self._scope = scope_key(scope)
        self._home = clean(home)
        self._seen = 0

    @abstractmethod
    def _run(self, query: str, parameters: dict[str, Any], *, write: bool) -> Rows:
        """Answer `query` as rows of plain values, or raise `GraphUnavailable` or `GraphError`."""

    @abstractmethod
    def close(self) -> None:
        """See `GraphStore.close`."""

    def _scrub(self) -> None:  # noqa: B027 - a server that others share is not ours to compact
        """Take what was deleted out of the database's files too, where they are ours."""

    def open(self) -> None:
        """See `GraphStore.open`."""
        self._seen = 0
        ((home, form),) = self._write(queries.CLAIM, home=self._home, format=FORMAT)
        if home != self._home:
            raise ScopeError(
                f"The graph of scope {self._scope!r} belongs to another folder, {home!r}, and this one is "
                f"{self._home!r}. Nothing was changed. Open the scope from its own folder, or clear it there first."
            )
        if form > FORMAT:
            raise GraphError(
                f"The graph of scope {self._scope!r} has format {form}, and this version reads up to {FORMAT}. "
                "It was left as it is. Update memary, or choose another graph."
            )
        if form < FORMAT:
            self.clear()
            self._write(queries.CLAIM, home=self._home, format=FORMAT)

    def applied_seq(self) -> int:
        """See `GraphStore.applied_seq`."""
        self._seen = self._count(queries.SEQ)
        return self._seen

    def write(self, facts: Sequence[Fact], entities: Sequence[Entity], applied_seq: int) -> None:
        """See `GraphStore.write`."""
        self._check_gap()
        facts = list({each.id: each for each in facts}.values())
        if refused := unusable(facts, entities):
            raise GraphError(
                f"{len(refused)} ids are not plain text of 1 to {MAX_ID} signs, the first {refused[0]!r:.60}. "
                "Nothing was written. Use memary_core.models.new_id for ids."
            )
        given = {each.id: each for each in entities}
        self._check_ends(facts, given)
        for rows in _batches([entity_row(each) for each in given.values()]):
            self._write(queries.ENTITIES, rows=rows)
        for batch in _batches(facts):
            self._write_facts(batch)
        self._record(applied_seq)

    def remove(self, facts: Collection[str], entities: Collection[str], applied_seq: int) -> None:
        """See `GraphStore.remove`."""
        self._check_gap()
        doomed = set(facts)
        if entities:
            doomed.update(row[0] for row in self._fact_rows(FactFilter(touching=entities)))
        for ids in _batches(sorted(doomed)):
            self._drop(self._ask(queries.STORED, ids=ids))
        for ids in _batches(sorted(set(entities))):
            self._write(queries.DROP_ENTITIES, ids=ids)
        self._scrub()
        self._record(applied_seq)

    def facts(self, wanted: FactFilter) -> list[Fact]:
        """See `GraphStore.facts`."""
        rows = self._fact_rows(wanted)
        ids = sorted({each for row in rows for each in row[queries.SOURCE_IDS]})
        sources = {row[0]: source_of(row) for row in self._each(queries.READ_SOURCES, ids)}
        found = sorted((fact_of(row, sources) for row in rows), key=_best_first)
        return found[: wanted.limit]

    def entities(self, ids: Collection[str]) -> list[Entity]:
        """See `GraphStore.entities`."""
        return [entity_of(row) for row in self._each(queries.READ_ENTITIES, set(ids))]

    def reach(
        self, ids: Collection[str], hops: int, *, trusts: Collection[Trust], at: datetime | None, current: bool
    ) -> dict[str, int]:
        """See `GraphStore.reach`."""
        told, values = conditions(FactFilter(trusts=trusts, at=at, current=current))
        step = f"{' AND '.join([STEP, *told])} RETURN DISTINCT b.id"
        distance = {row[0]: 0 for row in self._each(queries.ENDS, set(ids))}
        front = set(distance)
        for hop in range(1, hops + 1):
            front = {row[0] for row in self._each(step, front, **values)} - distance.keys()
            distance |= dict.fromkeys(front, hop)
        return distance

    def totals(self) -> GraphTotals:
        """See `GraphStore.totals`."""
        return GraphTotals(*(self._count(query, trust=Trust.CANDIDATE.value) for query in queries.TOTALS))

    def clear(self) -> GraphTotals:
        """See `GraphStore.clear`."""
        removed = self.totals()
        self._seen = 0
        for query in queries.CLEAR:
            while self._write(query, most=SWEEP)[0][0] == SWEEP:
                pass
        self._scrub()
        return removed

    def _write_facts(self, facts: Sequence[Fact]) -> None:
        """Make these facts as given. Each step leaves what a repeat of all of them sets right: the mentions come
        before the fact that names them, and what a fact no longer cites is removed while it is still cited."""
        rows = [fact_row(each) for each in facts]
        new = {row["id"]: row for row in rows}
        stored = self._ask(queries.STORED, ids=list(new))
        moved = [row for row in stored if (row[1], row[2]) != (new[row[0]]["subject"], new[row[0]]["object"])]
        self._drop(moved)
        gone = {row[0] for row in moved}
        cited = {(fact, source) for fact, _, _, sources in stored if fact not in gone for source in sources}
        self._unmention([pair for pair in cited if pair[1] not in new[pair[0]]["sources"]])
        sources: dict[str, Source] = {source.id: source for fact in facts for source in fact.sources}
        for batch in _batches([source_row(each) for each in sources.values()]):
            self._write(queries.SOURCES, rows=batch)
        mentions = [
            {"fact": row["id"], "source": source, "entity": end}
            for row in rows
            for source in row["sources"]
            if (row["id"], source) not in cited
            for end in {row["subject"], row["object"]}
        ]
        for links in _batches(mentions):
            self._write(queries.MENTIONS, rows=links)
        self._write(queries.FACTS, rows=rows)

    def _drop(self, stored: Rows) -> None:
        """Remove facts, given as rows of `queries.STORED`, with the sources that support nothing else."""
        self._unmention([(fact, source) for fact, _, _, sources in stored for source in sources])
        if stored:
            self._write(queries.DROP_FACTS, ids=[row[0] for row in stored])

    def _unmention(self, pairs: Collection[tuple[str, str]]) -> None:
        """Undo that these (fact, source) belong together; remove the sources left without a fact."""
        for batch in _batches([{"fact": fact, "source": source} for fact, source in pairs]):
            self._write(queries.UNMENTION, rows=batch)
        for ids in _batches(sorted({source for _, source in pairs})):
            self._write(queries.BARE, ids=ids)

    def _fact_rows(self, wanted: FactFilter) -> Rows:
        if wanted.turns is not None:
            found = {row[0] for row in self._each(queries.TURNS, set(wanted.turns))}
            ids = found if wanted.ids is None else found & set(wanted.ids)
            wanted = replace(wanted, turns=None, ids=ids)
        selection = select(wanted)
        cut = "" if wanted.limit is None else f" {queries.BEST_FIRST}"
        query = f"{selection.match} WITH DISTINCT f{cut} RETURN {queries.READ_FACTS}"
        values = selection.values | {"limit": wanted.limit}
        if selection.start is None:
            return self._ask(query, **values)
        return list({row[0]: row for row in self._each(query, selection.start, **values)}.values())

    def _check_ends(self, facts: Sequence[Fact], given: Collection[str]) -> None:
        ends = {end for fact in facts for end in (fact.subject_id, fact.object_id)} - set(given)
        if missing := ends - {row[0] for row in self._each(queries.ENDS, ends)}:
            raise GraphError(
                f"{len(missing)} entities that facts refer to are not in the graph ({', '.join(sorted(missing)[:3])}). "
                "Nothing was written. Give the entities with the facts, or rebuild the graph from the journal."
            )

    def _check_gap(self) -> None:
        stored = self._count(queries.SEQ)
        if stored < self._seen:
            raise GraphUnavailable(
                f"The graph went back from change {self._seen} to {stored}: its server restarted without its latest "
                "changes, or it was cleared elsewhere. Nothing was written. Read applied_seq and write from there."
            )

    def _record(self, seq: int) -> None:
        self._write(queries.RECORD, home=self._home, format=FORMAT, seq=seq)
        self._seen = max(self._seen, seq)

    def _count(self, query: str, **values: Any) -> int:
        rows = self._ask(query, **values)
        return int(rows[0][0]) if rows else 0

    def _each(self, query: str, ids: Collection[str], **values: Any) -> Iterator[list[Any]]:
        for batch in _batches(sorted(ids), READ):
            yield from self._ask(query, ids=batch, **values)

    def _ask(self, query: str, **values: Any) -> Rows:
        parameters = clean({"scope": self._scope, **values})
        note(query, parameters)
        return self._run(query, parameters, write=False)

    def _write(self, query: str, **values: Any) -> Rows:
        return self._run(query, clean({"scope": self._scope, **values}), write=True)


def _batches(items: Sequence[T], size: int = BATCH) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def shown(url: str) -> str:
    """A URL for a message, without any part that may be of a user's name or password."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "its URL"
    if "@" in url and "@" not in parts.netloc:
        return f"{parts.scheme}://…"
    return f"{parts.scheme}://{(parts.netloc or parts.path).rpartition('@')[2]}"


def first_line(error: BaseException) -> str:
    """What a database's error says, shortened for a message."""
    return str(error).strip().partition("\n")[0][:200] or type(error).__name__


def _best_first(fact: Fact) -> tuple[float, float, str]:
    return (-fact.confidence, -to_micros(fact.recorded_at), fact.id)
