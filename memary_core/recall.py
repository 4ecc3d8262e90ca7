"""Recall: gate, retrieve, fuse, fit, explain. What reaches a prompt is decided here, without any model.

Each list that retrieves something ranks it; an item's score is the weighted sum of 1 / (60 + rank) over the lists
it is in: reciprocal rank fusion, Cormack, Clarke and Büttcher (SIGIR 2009). Relevance weighs more than salience.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from memary_core.entity_store import EntityStore
from memary_core.errors import GraphError
from memary_core.gate import gate
from memary_core.graph.base import FactFilter
from memary_core.graph.replay import Belief
from memary_core.identity import canonical_key, role_name
from memary_core.models import YOU, Entity, Fact, Gate, Recall, Salience, SourceKind, Trust, Turn, to_micros, utc
from memary_core.naming import meant
from memary_core.predicates import is_verb, stems
from memary_core.text_index import TextIndex
from memary_core.tokens import estimate_tokens
from memary_core.turn_ranking import STOP_WORDS

RRF_K = 60
USER = SourceKind.USER.value
FACTS_READ = 200
TURNS_READ = 20
_ROLE = re.compile(r"\bmy ((?:[\w-]+ ?){1,3})", re.IGNORECASE)
_QUESTION = re.compile(
    r"\W*(?:who|whom|whose|what|which|when|where|why|how|is|are|am|was|were|do|does|did|can|could|should|would|will|have|"
    r"has|had)\b[^.!?,;]*\?\s*",
    re.IGNORECASE,
)
_OWNER = re.compile(r"\b(?:i|i'm|i’m|i've|i’ve|me|my|mine|myself|am i)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked of one scope's memory, and how much may come back."""

    text: str
    budget: int = 800
    limit: int | None = None
    top_entities: int = 5
    unverified: bool = False
    leave_out: Collection[str] = ()
    count_tokens: Callable[[str], int] = estimate_tokens
    now: datetime | None = None


@dataclass(slots=True)
class _Item:
    """A candidate for the prompt: a fact, a turn or an entity, its text, and where it came from."""

    value: Any
    text: str
    score: float = 0.0
    why: list[str] = field(default_factory=list)


def recall(ask: Ask, store: EntityStore, belief: Belief, index: TextIndex) -> Recall:
    """What memory has for a message; empty, with the gate's reason, where it has nothing to do with it."""
    anchors = _anchors(ask.text, store)
    speakers = _speakers(ask.text, index, anchors, store)
    named = [each.name for each in anchors.values()] + sorted(speakers - {USER})
    decided = gate(ask.text, named)
    if not decided.open:
        return Recall("", (), (), (), 0, decided)
    notes: list[str] = []
    facts = _facts(ask, anchors, store, belief, notes)
    turns = _turns(ask, anchors, speakers, facts, index)
    entities = [] if named else _entities(ask, store)
    return _fit(ask, decided, facts, turns, entities, notes)


def _anchors(text: str, store: EntityStore) -> dict[str, Entity]:
    """The known entities the message names, by id: by a name, or as *my sister*."""
    found = {entity.id: entity for entity in meant(text, store.identities)}
    for words in (each.split() for each in _ROLE.findall(text)):
        for length in range(len(words), 0, -1):
            if entity := _in_role(" ".join(words[:length]), store):
                found[entity.id] = entity
                break
    return found


def _speakers(text: str, index: TextIndex, anchors: Mapping[str, Entity], store: EntityStore) -> frozenset[str]:
    """Who of those that ever spoke is named in the message; `user` where the owner speaks of themselves."""
    words = set(map(canonical_key, re.findall(r"[\w'’-]+", text)))
    owner = {USER} if _OWNER.search(text) else set()
    spoken = (each for each in index.speakers() - {USER} if set(canonical_key(each).split()) <= words)
    known = ((each, store.identities.find(each)) for each in spoken)
    return frozenset(owner | {each for each, entity in known if entity is None or entity.id in anchors})


def _in_role(role: str, store: EntityStore) -> Entity | None:
    """Whom the owner calls *my* `role`: by name, or known as *your* `role` only."""
    identities = store.identities
    return identities.role(identities.you.id, role) or identities.find(role_name(identities.you, role, identities.you))


def _facts(
    ask: Ask, anchors: Mapping[str, Entity], store: EntityStore, belief: Belief, notes: list[str]
) -> list[_Item]:
    """Facts within two hops of what is named (of You, where the message is about the speaker), fused."""
    you = store.identities.you
    start = set(anchors) | ({you.id} if _OWNER.search(ask.text) or not anchors else set())
    trusts = {Trust.ACCEPTED, Trust.CANDIDATE} if ask.unverified else {Trust.ACCEPTED}
    try:
        graph = belief.require()
        near = graph.facts(FactFilter(touching=start, trusts=trusts, current=True, limit=FACTS_READ))
        ends = {end for fact in near for end in (fact.subject_id, fact.object_id)} - start - {you.id}
        far = graph.facts(FactFilter(touching=ends, trusts=trusts, current=True, limit=FACTS_READ)) if ends else []
    except GraphError as error:
        notes.append(str(error))
        return []
    hops = {fact.id: 2 for fact in far} | {fact.id: 1 for fact in near}
    facts = {fact.id: fact for fact in (*far, *near) if not _said_in(ask.text, fact)}
    wanted, now = _content(ask.text), to_micros(utc(ask.now))
    shared = {
        each.id: len(wanted & set(stems(f"{each.subject} {each.predicate} {each.object}"))) for each in facts.values()
    }
    present = {each.id: _salience_of(each, store, now) for each in facts.values()}
    items = {each.id: _Item(each, fact_text(each)) for each in facts.values()}
    by_words = sorted((each for each in facts if shared[each]), key=lambda each: (-shared[each], hops[each]))
    by_hops = sorted(facts, key=lambda each: (hops[each], -facts[each].confidence))
    by_salience = sorted(facts, key=lambda each: (-present[each], -facts[each].confidence))
    for ids, weight in ((by_words, 2.0), (by_hops, 1.0), (by_salience, 0.3)):
        _rank(items, ids, weight, "")
    for each, item in items.items():
        item.why.append(_because(facts[each], hops[each], shared[each], anchors, you))
    return _best(items.values(), ask.limit)


def _turns(
    ask: Ask, anchors: Mapping[str, Entity], speakers: frozenset[str], facts: Sequence[_Item], index: TextIndex
) -> list[_Item]:
    """Past turns by their words and by whom they name, without bare questions and what the facts say in full."""
    reads = max(TURNS_READ, 2 * (ask.limit or 0))
    by_words = index.search(ask.text, reads, speakers)
    by_name = index.turns_naming(list(anchors), reads) if anchors else []
    told, asked = _told(facts), canonical_key(ask.text)
    items = {
        turn.id: _Item(turn, turn_text(turn))
        for turn in (*by_words, *by_name)
        if turn.id not in ask.leave_out
        and canonical_key(turn.text) != asked
        and not (turn.kind is SourceKind.USER and _QUESTION.fullmatch(turn.text))
        and (turn.id not in told or not _content(turn.text) <= told[turn.id])
    }
    _rank(items, [each.id for each in by_words], 1.0, "shares words with the message")
    _rank(items, [each.id for each in by_name], 0.2, "names what the message names")
    return _best(items.values(), ask.limit)


def _said_in(text: str, fact: Fact) -> bool:
    """Does the fact rest on the message itself alone? Then the model reads it there."""
    return all(source.quote and source.quote in text for source in fact.sources)


def _told(facts: Sequence[_Item]) -> dict[str, set[str]]:
    """For each turn, the words of the facts that were read in it."""
    told: dict[str, set[str]] = {}
    for item in facts:
        fact = item.value
        for source in fact.sources:
            if source.turn:
                told.setdefault(source.turn, set()).update(stems(f"{fact.subject} {fact.predicate} {fact.object}"))
    return told


def _content(text: str) -> set[str]:
    return set(stems(text)) - _stop_stems()


def _entities(ask: Ask, store: EntityStore) -> list[_Item]:
    """What is most on the mind; chosen only where the message names nothing itself."""
    now = utc(ask.now)
    top = [store.salience(each, now) for each in store.attention.top(ask.top_entities)]
    return [_Item(each, entity_text(each), why=["is often on your mind"]) for each in top if each.count or each.pinned]


def fact_text(fact: Fact) -> str:
    """A fact as a sentence about *the user*, marked where nobody has verified it."""
    subject, obj = ("the user" if each == YOU else each for each in (fact.subject, fact.object))
    verb = is_verb(fact.predicate.split()[0]) or (" " in fact.predicate and is_verb(fact.predicate.split()[1]))
    said = f"{subject} {fact.predicate} {obj}" if verb else f"{subject}'s {fact.predicate} is {obj}"
    return said[:1].upper() + said[1:] + ("." if fact.trust is Trust.ACCEPTED else " (unverified).")


def turn_text(turn: Turn) -> str:
    """A past turn, with who said it and when."""
    who = "The user" if turn.kind is SourceKind.USER else turn.speaker
    return f"{who} said on {turn.at.day} {turn.at:%B %Y}: {turn.text}"


def entity_text(entity: Salience) -> str:
    """An entity and how often it was mentioned."""
    return f"{entity.name}, mentioned {entity.count} time{'' if entity.count == 1 else 's'}"


def _rank(items: Mapping[str, _Item], ids: Sequence[str], weight: float, why: str) -> None:
    """Add what one list gives to each of its items."""
    for rank, each in enumerate((each for each in ids if each in items), 1):
        items[each].score += weight / (RRF_K + rank)
        if why:
            items[each].why.append(why)


def _best(items: Iterable[_Item], limit: int | None) -> list[_Item]:
    return sorted(items, key=lambda item: -item.score)[:limit]


def _salience_of(fact: Fact, store: EntityStore, now: int) -> float:
    return max(store.attention.score(each, now) for each in (fact.subject_id, fact.object_id))


def _because(fact: Fact, hops: int, shared: int, anchors: Mapping[str, Entity], you: Entity) -> str:
    named = [anchors[each].name for each in (fact.subject_id, fact.object_id) if each in anchors]
    if named:
        return "names " + " and ".join(named) + (", and what is asked of it" if shared > len(named) else "")
    if hops == 1 and you.id in (fact.subject_id, fact.object_id):
        return "is about you"
    return "is two steps from what the message names" if hops == 2 else "shares words with the message"


def _fit(
    ask: Ask, gate: Gate, facts: Sequence[_Item], turns: Sequence[_Item], entities: Sequence[_Item], notes: list[str]
) -> Recall:
    """Whole items, best first, as long as they fit the budget; a part's heading is paid with its first item."""
    parts = (("What is known:", facts), ("What was said:", turns), ("Often on the user's mind:", entities))
    lines: dict[str, list[str]] = {heading: [] for heading, _ in parts}
    chosen: dict[str, list[_Item]] = {heading: [] for heading, _ in parts}
    used = 0
    queue = [(item, heading) for heading, items in parts for item in items]
    for item, heading in sorted(queue, key=lambda each: -each[0].score):
        line = "- " + " ".join(item.text.split())
        cost = ask.count_tokens(line + "\n") + (0 if lines[heading] else ask.count_tokens(heading + "\n"))
        if used + cost <= ask.budget:
            used += cost
            lines[heading].append(line)
            chosen[heading].append(item)
    text = "\n".join("\n".join([heading, *each]) for heading, each in lines.items() if each)
    known, said, minded = ([item.value for item in chosen[heading]] for heading, _ in parts)
    why = {_id(item.value): "; ".join(dict.fromkeys(item.why)) for items in chosen.values() for item in items}
    return Recall(text, tuple(known), tuple(minded), tuple(said), used, gate, why, tuple(notes))


def _id(value: Fact | Turn | Salience) -> str:
    return value.entity_id if isinstance(value, Salience) else value.id


@lru_cache(maxsize=1)
def _stop_stems() -> frozenset[str]:
    return frozenset(stem for word in STOP_WORDS for stem in stems(word))
