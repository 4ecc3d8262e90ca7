"""`Memory`: one scope's memory, and the public API. It delegates; what happens is told where it happens."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Any

from memary_core.attention import SalienceView
from memary_core.believing import SHOWN, Beliefs
from memary_core.capitalised import CapitalisedNames
from memary_core.capture import USER, Capture, Extractor, Utterance
from memary_core.entity_store import EntityStore
from memary_core.graph.base import GraphStore, GraphTotals
from memary_core.graph.replay import Belief
from memary_core.journal_events import Extracted
from memary_core.json_files import JsonFiles
from memary_core.log import Event
from memary_core.log_view import LogView
from memary_core.models import Entity, Fact, Mention, Recall, Salience, Source, SourceKind, Subgraph, Trust, Turn, utc
from memary_core.recall import Ask, recall
from memary_core.scope import Scope
from memary_core.settings import Settings
from memary_core.stream_events import named
from memary_core.text_index import Conversation, TextIndex


@dataclass(frozen=True, slots=True)
class Cleared:
    """What `clear` removed: entities in attention, turns, mentions, and what the graph held."""

    entities: int
    turns: int
    mentions: int
    graph: GraphTotals


class Memory:
    """One scope's memory. Use it as a context manager, or call `close`.

    Safe to use from several threads; any number of processes may have the same scope open.
    """

    def __init__(
        self,
        scope: Scope,
        settings: Settings,
        *,
        graph: GraphStore | None = None,
        trouble: str = "",
        extractor: Extractor | None = None,
    ) -> None:
        """Wire a scope to its parts; `Memory.open` does it from settings. `trouble`: why there is no graph."""
        scope.begin()
        self.scope = scope.id
        self.folder = scope.folder
        self._scope, self._settings = scope, settings
        self._store = EntityStore(scope.folder, scope.stream, scope.journal, scope.you, settings.half_life_days)
        self._belief = Belief(scope.journal, graph, self._store, trouble)
        self._index = TextIndex(LogView(scope.folder / "text.sqlite", scope.journal, scope.stream, self._identify))
        plain = CapitalisedNames()
        self._capture = Capture(self._store, extractor or plain, plain)
        self.salience = SalienceView(self._store)
        self.files = JsonFiles(self._store)
        self.beliefs = Beliefs(self._store, self._belief)
        self._open()

    @classmethod
    def open(cls, scope: str, settings: Settings | None = None) -> Memory:
        """Open a scope, new or known, with the graph and the extractor that `settings` choose."""
        from memary_core.bootstrap import open_memory

        return open_memory(scope, settings or Settings())

    # What is said

    def observe(
        self,
        text: str,
        speaker: str | None = None,
        *,
        at: datetime | None = None,
        conversation: str = "main",
        reply_to: str | None = None,
    ) -> Turn:
        """Store what somebody said, and read its mentions and facts. No model is needed.

        `speaker`: None for the scope's owner, ``"assistant"``, or another person's name, whose facts wait for
        review. `at`: when it was said (aware; default now). The turn is on disk when this returns.
        """
        turn = self._capture.observe(Utterance(text, speaker or USER, at, conversation, reply_to))
        self._belief.catch_up()
        return turn

    def extract_pending(self, extractor: Extractor) -> Extracted:
        """Let a model read, beside the rules, the owner's newest turns that none has read; its claims are candidates.

        For after an answer, and for the next start: what broke off is taken up.
        """
        done = self._capture.extract(extractor)
        self._belief.catch_up()
        return done

    def mention(self, names: Sequence[str], *, at: datetime | None = None) -> list[Salience]:
        """Count a mention of each name by the owner: the stream only, no extraction and no graph."""
        return self._capture.mention(names, utc(at))

    def turns(self, conversation: str = "main") -> list[Turn]:
        """The turns of a conversation, in order."""
        return self._index.turns(conversation)

    def turn(self, turn_id: str) -> Turn | None:
        """One turn, or None."""
        return self._index.turn(turn_id)

    def conversations(self, limit: int = 100) -> list[Conversation]:
        """The conversations, the last used first."""
        return self._index.conversations(limit)

    def mentions(
        self,
        entity_ids: Sequence[str] | None = None,
        *,
        after: datetime | None = None,
        before: datetime | None = None,
        sources: Collection[SourceKind] | None = None,
        limit: int = 1000,
    ) -> list[Mention]:
        """Mentions of these entities (default all), the last stored first, from `after` on and before `before`."""
        return self._index.mentions(entity_ids, after=after, before=before, sources=sources, limit=limit)

    def mention_total(
        self,
        entity_ids: Sequence[str] | None = None,
        *,
        after: datetime | None = None,
        before: datetime | None = None,
        sources: Collection[SourceKind] | None = None,
    ) -> int:
        """How many mentions there are, chosen as in `mentions`."""
        return self._index.mention_total(entity_ids, after=after, before=before, sources=sources)

    def mention_counts(
        self,
        entity_ids: Sequence[str] | None = None,
        *,
        after: datetime | None = None,
        before: datetime | None = None,
    ) -> dict[tuple[str, str], int]:
        """How often the owner named each entity on each day: (entity id, ISO date) to count."""
        return self._index.count_mentions(entity_ids, after=after, before=before)

    def mentioned(self, after: datetime, before: datetime) -> dict[str, int]:
        """How often the owner named each entity, from `after` on and before `before`: entity id to count."""
        return self._index.count_by_entity(after, before)

    # What comes back

    def recall(self, text: str, budget: int | None = None, limit: int | None = None, **options: Any) -> Recall:
        """What memory has for a message: at most `budget` tokens, and at most `limit` items of each sort.

        `options` are the other fields of `memary_core.recall.Ask`.
        """
        self._store.sync()
        options.setdefault("top_entities", self._settings.recall_entities)
        ask = Ask(text, budget if budget is not None else self._settings.recall_budget, limit, **options)
        return recall(ask, self._store, self._belief, self._index)

    def entity(self, name: str) -> Entity | None:
        """The entity that answers to a name or has this id, or None."""
        self._store.sync()
        return self._store.identities.by_id.get(name) or self._store.identities.find(name)

    def search_entities(self, part: str, limit: int = 20) -> list[Entity]:
        """Entities a name of which contains `part`, best first."""
        self._store.sync()
        return self._store.identities.search(part, limit)

    # What is believed

    def add_fact(self, subject: str, predicate: str, object: str, *, source: Source | None = None) -> Fact:
        """Store a fact. Without a source it is a person's own entry, and accepted; a tool's is a candidate."""
        return self.beliefs.add(subject, predicate, object, source or Source.manual())

    def facts(
        self,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,
        trust: Trust | str | None = None,
        at: datetime | None = None,
        known_at: datetime | None = None,
        limit: int | None = None,
    ) -> list[Fact]:
        """The facts that match, surest first. `at`: true then; `known_at`: recorded by then."""
        return self.beliefs.find(
            subject=subject, predicate=predicate, obj=object, trust=trust, at=at, known_at=known_at, limit=limit
        )

    def learned(self, turn_id: str) -> list[Fact]:
        """The facts that rest on a turn."""
        return self.beliefs.learned([turn_id])

    def accept(self, fact_id: str, by: str = "user") -> Fact:
        """Believe a fact: from now on it may reach a prompt."""
        return self.beliefs.decide(fact_id, Trust.ACCEPTED, by)

    def reject(self, fact_id: str, by: str = "user") -> Fact:
        """Disbelieve a fact: it is kept, and never reaches a prompt."""
        return self.beliefs.decide(fact_id, Trust.REJECTED, by)

    def neighbourhood(
        self,
        around: Sequence[str],
        hops: int = 2,
        limit: int = 200,
        *,
        trusts: Collection[Trust] = SHOWN,
        at: datetime | None = None,
        closed: bool = False,
    ) -> Subgraph:
        """What lies within `hops` (1 to 3) of these entities, at most `limit` nodes, now or `at` a time.

        `closed`: over superseded facts too.
        """
        return self.beliefs.neighbourhood(around, hops, limit, trusts=trusts, at=at, closed=closed)

    # Keeping

    @property
    def revision(self) -> tuple[str, int, str, int]:
        """Where the two logs stand: another value, and something changed."""
        self._store.sync()
        stream, journal = self._store.stream_at, self._store.journal_at
        return stream.generation, stream.offset, journal.generation, journal.offset

    @property
    def notes(self) -> list[str]:
        """What was set aside or taken over from a hand edit since the scope was opened."""
        self._store.sync()
        return list(self._store.notes)

    def forget_mentions(self, *, before: datetime | None = None, seqs: Collection[int] = ()) -> int:
        """Cut mentions out of the stream for good: those made before a time, and those with these seqs.

        Facts stay. Returns how many mentions went.
        """
        return self._capture.forget_mentions(None if before is None else utc(before), frozenset(seqs))

    def save(self) -> None:
        """Write the entity knowledge store's file as of now."""
        self._store.save()

    def contents(self) -> Cleared:
        """What `clear` would remove."""
        self._store.sync()
        turns, mentions = self._index.totals()
        return Cleared(len(self._store.listed()), turns, mentions, self._belief.totals())

    def clear(self) -> Cleared:
        """Remove everything of this scope, and only of it, for good; returns what that was."""
        gone = self.contents()
        self._belief.clear()
        self._index.close()
        self._scope.erase()
        self._store.reset()
        self._open()
        return gone

    def _open(self) -> None:
        self._store.open()
        hint = self._store.journal_at
        self._capture.recover()
        self._belief.open(hint)

    def _identify(self, event: Event, seq: int) -> str:
        self._store.sync()
        return named(event, seq, self.scope, self._store.identities).id

    def close(self) -> None:
        """Save the entity knowledge store and let go of everything."""
        self._store.save()
        self._index.close()
        self._belief.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
