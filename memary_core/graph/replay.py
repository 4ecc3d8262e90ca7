"""The journal, replayed into a graph: how a graph catches up, and how a lost one is built again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from memary_core.belief import Claim, claimed, decided
from memary_core.entity_store import EntityStore
from memary_core.errors import GraphError, GraphUnavailable, ScopeError
from memary_core.graph.base import FactFilter, GraphStore, GraphTotals
from memary_core.identity import Identities
from memary_core.journal_events import read_claims
from memary_core.log import START, Entry, Log, Position
from memary_core.models import Entity, Fact, Trust

BATCH = 1000


class Belief:
    """One scope's graph, kept level with its journal. `trouble` says why it is not, while it is not.

    `graph` None: none is set up, and `trouble` says what to do.
    """

    def __init__(self, journal: Log, graph: GraphStore | None, store: EntityStore, trouble: str = "") -> None:
        self.trouble = trouble
        self._journal = journal
        self._graph = graph
        self._store = store
        self._at: Position | None = None

    def open(self, hint: Position = START) -> None:
        """Connect and catch up; on trouble, note it. `hint`: a place in the journal that may be level already."""
        self._at = None
        if self._graph is None:
            return
        try:
            self._graph.open()
            applied = self._graph.applied_seq()
            if applied > self._journal.last_seq():  # the view of a journal that is gone
                self._graph.clear()
                self._graph.open()
                applied = 0
            self._at = hint if hint.seq and applied >= hint.seq else START
            self.trouble = ""
        except (GraphError, ScopeError) as error:
            self.trouble = str(error)
            return
        self.catch_up()

    def catch_up(self) -> None:
        """Apply what the journal holds and the graph does not, once and in order; on trouble, note it."""
        if self._graph is None:
            return
        if self._at is None:
            self.open()
            return
        if not self._journal.changed_since(self._at):
            return
        try:
            with self._journal.lock.held():
                self._apply(self._graph, self._at)
            self.trouble = ""
        except GraphError as error:
            self.trouble, self._at = str(error), None

    def require(self) -> GraphStore:
        """The graph, level with the journal, or `GraphUnavailable`."""
        self.catch_up()
        if self._graph is None or self._at is None:
            raise GraphUnavailable(self.trouble)
        return self._graph

    def totals(self) -> GraphTotals:
        """How much the graph holds; nothing where no graph is set up."""
        return GraphTotals() if self._graph is None else self.require().totals()

    def clear(self) -> GraphTotals:
        """Remove the scope from the graph, and return what that was; nothing where no graph is set up."""
        if self._graph is None:
            return GraphTotals()
        removed = self.require().clear()
        self._at = None
        return removed

    def close(self) -> None:
        """Let go of the graph."""
        if self._graph is not None:
            self._graph.close()

    def _apply(self, graph: GraphStore, at: Position) -> None:
        self._store.sync()
        done = graph.applied_seq()
        if at.generation and at.generation != self._journal.generation():
            at = START
        fresh = (entry for entry in self._journal.read(at))
        for _, group in groupby(enumerate(fresh), key=lambda numbered: numbered[0] // BATCH):
            entries = [entry for _, entry in group]
            pending = [entry for entry in entries if entry.seq > done]
            if pending:
                changed, entities = step(graph, pending, self._store.identities)
                graph.write(changed, entities, pending[-1].seq)
            at = entries[-1].after
        self._at = at


def step(graph: GraphStore, entries: Sequence[Entry], identities: Identities) -> tuple[list[Fact], list[Entity]]:
    """What a run of journal lines changes: the facts as they then are, and the entities they need."""
    claims = [claim for entry in entries for claim in read_claims(entry.event)]
    decisions = [entry.event["fact"] for entry in entries if entry.event.get("type") == "trust"]
    renamed = [entry.event["entity_id"] for entry in entries if entry.event.get("type") in ("rename", "kind")]
    facts = {fact.id: fact for fact in _about(graph, claims, decisions)}
    about: dict[str, list[str]] = {}
    for fact in facts.values():
        about.setdefault(fact.subject_id, []).append(fact.id)
    changed: dict[str, Fact] = {}
    for entry in entries:
        for fact in _after(entry, facts, about):
            if fact.id not in facts:
                about.setdefault(fact.subject_id, []).append(fact.id)
            facts[fact.id] = changed[fact.id] = fact
    needed = {each.id: each for claim in claims for each in (claim.subject, claim.object)}
    entities = [identities.by_id.get(each.id, each) for each in needed.values()]
    entities += [identities.by_id[each] for each in renamed if each in identities]
    return list(changed.values()), entities


def _about(graph: GraphStore, claims: Sequence[Claim], decisions: Sequence[str]) -> Iterable[Fact]:
    if claims:
        subjects, objects = {each.subject.id for each in claims}, {each.object.id for each in claims}
        yield from graph.facts(FactFilter(subjects=subjects, objects=objects, current=True))
    if decisions:
        yield from graph.facts(FactFilter(ids=set(decisions)))


def _after(entry: Entry, facts: dict[str, Fact], about: dict[str, list[str]]) -> Iterable[Fact]:
    event = entry.event
    for claim in read_claims(event):
        yield claimed(claim, [facts[each] for each in about.get(claim.subject.id, ())])
    if event.get("type") == "trust" and event["fact"] in facts:
        yield decided(facts[event["fact"]], Trust(event["trust"]))
