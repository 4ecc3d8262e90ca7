"""Belief as callers use it: facts read and entered, trusted or not. Attention is never touched here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from memary_core.belief import Claim, canonical_predicate
from memary_core.entity_store import EntityStore
from memary_core.errors import InvalidInput, NotFound
from memary_core.graph.base import FactFilter, GraphTotals
from memary_core.graph.replay import Belief
from memary_core.identity import canonical_key, checked_name
from memary_core.journal_events import facts_event, trust_event
from memary_core.models import Entity, Fact, Source, Subgraph, Trust, new_id, utc
from memary_core.salience import Row

SHOWN = frozenset({Trust.ACCEPTED, Trust.CANDIDATE})
"""What a person is shown unless they ask for rejected facts too."""


class Beliefs:
    """The facts of one scope. What needs the graph raises `GraphUnavailable` while it is away."""

    def __init__(self, store: EntityStore, belief: Belief) -> None:
        self._store = store
        self._belief = belief

    @property
    def trouble(self) -> str:
        """Why the graph cannot be used now, and what to do; empty while it can."""
        self._belief.catch_up()
        return self._belief.trouble

    def add(self, subject: str, predicate: str, obj: str, source: Source) -> Fact:
        """Store a claim; a fact with the same triplet that is still open gets the source instead."""
        self._belief.require()
        with self._store.journal.lock.held():
            self._store.sync()
            ends = (self._resolve(subject), self._resolve(obj))
            if ends[0].id == ends[1].id or canonical_key(ends[0].name) == canonical_key(ends[1].name):
                raise InvalidInput(
                    f"A fact connects two things, not {ends[0].name!r:.60} with itself; nothing was stored."
                )
            claim = Claim(new_id(), ends[0], canonical_predicate(predicate), ends[1], source, utc(None))
            self._store.journal.append([facts_event(source.turn, [claim])])
            self._store.sync()
        facts = graph_facts(self._belief, FactFilter(subjects={ends[0].id}, objects={ends[1].id}, current=True))
        return next(fact for fact in facts if any(each.id == source.id for each in fact.sources))

    def find(
        self,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        obj: str | None = None,
        trust: Trust | str | None = None,
        at: datetime | None = None,
        known_at: datetime | None = None,
        limit: int | None = None,
    ) -> list[Fact]:
        """The facts that match; an unknown name matches none."""
        self._store.sync()
        subjects, objects = self._ids(subject), self._ids(obj)
        wanted = FactFilter(
            subjects=subjects,
            predicates=None if predicate is None else {canonical_predicate(predicate)},
            objects=objects,
            trusts=None if trust is None else {_trust(trust)},
            at=None if at is None else utc(at),
            known_at=None if known_at is None else utc(known_at),
            limit=limit,
        )
        graph = self._belief.require()
        return [] if subjects == set() or objects == set() else graph.facts(wanted)

    def get(self, fact_id: str) -> Fact:
        """One fact; `NotFound` if there is none with this id."""
        found = graph_facts(self._belief, FactFilter(ids={fact_id}))
        if not found:
            raise NotFound(f"There is no fact {fact_id!r:.60}; nothing was changed.")
        return found[0]

    def learned(self, turn_ids: Collection[str]) -> list[Fact]:
        """The facts that have one of these turns among their sources."""
        self._store.sync()
        return graph_facts(self._belief, FactFilter(turns=turn_ids)) if turn_ids else []

    def decide(self, fact_id: str, trust: Trust, by: str) -> Fact:
        """Record what a person holds of a fact; deciding the same again changes nothing."""
        with self._store.journal.lock.held():
            fact = self.get(fact_id)
            if fact.trust is trust:
                return fact
            self._store.journal.append([trust_event(fact_id, trust, fact.trust, by)])
            self._store.sync()
            return self.get(fact_id)

    def neighbourhood(
        self,
        around: Sequence[str],
        hops: int,
        limit: int,
        *,
        trusts: Collection[Trust] = SHOWN,
        at: datetime | None = None,
        closed: bool = False,
    ) -> Subgraph:
        """What lies within `hops` of these entities (names or ids): nearest first, then most present.

        Without `at`, facts that were closed count only where `closed` is given.
        """
        if hops not in (1, 2, 3):
            raise InvalidInput(f"A neighbourhood has 1, 2 or 3 hops, and {hops!r} was asked for.")
        if limit < 1:
            raise InvalidInput(f"A neighbourhood shows at least 1 node, and {limit!r} was asked for.")
        self._store.sync()
        graph = self._belief.require()
        start = [found.id for name in around if (found := self._find(name))]
        moment = None if at is None else utc(at)
        current = moment is None and not closed
        distance = graph.reach(start, hops, trusts=trusts, at=moment, current=current) if start else {}
        kept = sorted(distance, key=lambda each: (distance[each], -self._weight(each), each))[:limit]
        nodes = {each.id: each for each in graph.entities(kept)}
        edges = graph.facts(FactFilter(within=set(kept), trusts=trusts, at=moment, current=current)) if kept else []
        shown = tuple(self._store.identities.by_id.get(each, nodes[each]) for each in kept if each in nodes)
        return Subgraph(shown, tuple(edges), len(distance), {each: distance[each] for each in kept})

    def totals(self) -> GraphTotals:
        """How much the graph holds."""
        return self._belief.require().totals()

    def _weight(self, entity_id: str) -> float:
        return self._store.attention.rows.get(entity_id, Row()).weight

    def _find(self, name: str) -> Entity | None:
        return self._store.identities.by_id.get(name) or self._store.identities.find(name)

    def _resolve(self, name: str) -> Entity:
        return self._find(name) or self._store.resolve(checked_name(name))

    def _ids(self, name: str | None) -> set[str] | None:
        if name is None:
            return None
        found = self._find(name)
        return {found.id} if found else set()


def graph_facts(belief: Belief, wanted: FactFilter) -> list[Fact]:
    """Facts from a graph that is level with the journal."""
    return belief.require().facts(wanted)


def quotes(facts: Iterable[Fact]) -> list[str]:
    """Every quote behind these facts, each once."""
    return list(dict.fromkeys(source.quote for fact in facts for source in fact.sources if source.quote))


def _trust(value: Trust | str) -> Trust:
    try:
        return Trust(value)
    except ValueError as error:
        raise InvalidInput(f"Trust is candidate, accepted or rejected; {value!r:.40} is none of them.") from error
