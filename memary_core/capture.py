"""Capture: a turn to mentions and facts. The turn is safe on disk before anything reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from memary_core.belief import Claim, canonical_predicate
from memary_core.entity_store import EntityStore
from memary_core.errors import InvalidInput, MemaryError, ModelError, ModelUnavailable
from memary_core.identity import canonical_key, checked_name, role_name
from memary_core.journal_events import Extracted, Unextracted, extracted_event, facts_event, rename_event, turn_event
from memary_core.log import Entry, Event
from memary_core.models import (
    SPEAKER,
    Entity,
    Extraction,
    Kind,
    Name,
    Reference,
    Salience,
    Source,
    SourceKind,
    Triplet,
    Turn,
    new_id,
    storable,
    utc,
)
from memary_core.predicates import is_role
from memary_core.stream_events import mention, parse_date

USER = "user"
ASSISTANT = "assistant"
WAITING = 20
"""Of how many of the newest turns a model is asked to read those that it has not."""
_FAILURES = 2
_UNCOUNTED = frozenset({Kind.VALUE, Kind.SELF})
_KINDS = {USER: SourceKind.USER, ASSISTANT: SourceKind.ASSISTANT}


class Extractor(Protocol):
    """Text to names and triplets. `known` are the names already known that occur in the text."""

    name: str

    def __call__(self, text: str, *, known: Sequence[Name] = (), at: datetime | None = None) -> Extraction:
        """Read one text."""

    def warm(self) -> None:
        """Load what the first reading would have to load."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """What is said, before it is a turn. `speaker`: `user`, `assistant`, or another person's name."""

    text: str
    speaker: str = USER
    at: datetime | None = None
    conversation: str = "main"
    reply_to: str | None = None


class Capture:
    """Stores what is said in one scope, and reads it."""

    def __init__(self, store: EntityStore, extractor: Extractor, fallback: Extractor) -> None:
        self._store = store
        self._extractor = extractor
        self._fallback = fallback
        self._recovering: set[str] = set()
        self._unextracted = Unextracted(store.journal, WAITING)

    def observe(self, said: Utterance) -> Turn:
        """Store a turn, then read it. The turn is kept, with a note, even where reading it fails."""
        turn = _turn(said)
        [seq] = self._store.journal.append([turn_event(turn)])
        turn = replace(turn, seq=seq)
        if turn.kind is SourceKind.ASSISTANT:
            self._note_echo(turn)
            return turn
        return self.read(turn)

    def read(self, turn: Turn) -> Turn:
        """Read a stored turn: its mentions go to the stream, its facts to the journal."""
        self._store.sync()
        known = self._store.identities.named_in(turn.text)
        name = self._extractor.name
        try:
            extraction = self._extractor(turn.text, known=known, at=turn.at)
        except MemaryError as error:
            extraction = self._fallback(turn.text, known=known, at=turn.at)
            name, turn = self._fallback.name, replace(turn, notes=(*turn.notes, str(error)))
        with self._store.stream.lock.held():
            self._store.sync()
            self._keep(turn, extraction, name)
        return turn

    def recover(self) -> None:
        """Read the turns whose reading a crash cut off."""
        self._recovering = set(self._store.unread)
        for turn in list(self._store.unread.values()):
            self.read(turn)

    def extract(self, extractor: Extractor) -> Extracted:
        """Let a model read the turns that wait for one. Those it fails on keep waiting; attention is not touched."""
        turns = claims = failures = 0
        notes: list[str] = []
        with self._store.journal.lock.held():
            waiting = self._unextracted.turns()
        for turn in waiting:
            try:
                self._store.sync()
                extraction = extractor(turn.text, known=self._store.identities.named_in(turn.text), at=turn.at)
            except ModelError as error:
                notes.append(f"{error} What was not read is read another time.")
                failures += 1
                if isinstance(error, ModelUnavailable) or failures == _FAILURES:
                    break
                continue
            turns, claims = turns + 1, claims + self._keep_extracted(turn, extraction, extractor.name)
            notes += extraction.notes
        return Extracted(turns, claims, tuple(dict.fromkeys(notes)))

    def _keep_extracted(self, turn: Turn, extraction: Extraction, extractor: str) -> int:
        """Store what a model read, unless the turn was forgotten meanwhile, or read by another process."""
        with self._store.journal.lock.held():
            self._store.sync()
            if turn.id not in {each.id for each in self._unextracted.turns()} or turn.id in self._store.unread:
                return 0
            # Its word neither renames anybody nor says who has a role: that is for a person to accept.
            claims, _ = _Reading(turn, self._store, renaming=False).claims(extraction.triplets, extractor)
            found = [facts_event(turn.id, claims)] if claims else []
            self._store.journal.append([*found, extracted_event(turn.id, extractor)])
            self._store.sync()
            return len(claims)

    def mention(self, names: Sequence[str], at: datetime) -> list[Salience]:
        """Count one mention by the owner of each name, in order; all are stored or none."""
        if isinstance(names, str):
            raise InvalidInput(f"mention() wants a list of names: write [{names!r:.60}]. Nothing was stored.")
        with self._store.stream.lock.held():
            self._store.sync()
            new: dict[str, Entity] = {}
            entities = [new.setdefault(canonical_key(each), self._store.resolve(each)) for each in names]
            if entities:
                self._store.stream.append([mention(each, at, SourceKind.USER) for each in entities])
                self._store.sync()
                self._store.save_if_grown()
            return [self._store.salience(each.id, utc(None)) for each in entities]

    def forget_mentions(self, before: datetime | None, seqs: frozenset[int]) -> int:
        """Cut mentions made before a time, and those with these seqs, out of the stream; how many went."""
        gone = 0

        def keep(entry: Entry) -> Event | None:
            nonlocal gone
            if entry.event.get("type", "mention") != "mention":
                return entry.event
            old = before is not None and parse_date(entry.event.get("date")) < before
            if old or entry.seq in seqs:
                gone += 1
                return None
            return entry.event

        with self._store.stream.lock.held():
            self._store.sync()
            self._store.stream.rewrite(keep)
            self._store.sync()
            self._store.save()
        return gone

    def _note_echo(self, turn: Turn) -> None:
        """The assistant's words: mentions of what is known, which raise no count, and no facts."""
        self._store.sync()
        known = self._store.identities.named_in(turn.text)
        entities = {each.id: each for name in known if (each := self._store.identities.find(name.text))}
        if entities:
            self._store.stream.append([mention(each, turn.at, turn.kind, turn.id) for each in entities.values()])

    def _keep(self, turn: Turn, extraction: Extraction, extractor: str) -> None:
        """Store what was read, under the lock: mentions first, then the facts, which mark the turn as read."""
        if turn.id not in self._store.unread:  # another process, opened meanwhile, has read it
            return
        reading = _Reading(turn, self._store)
        # Claims first: one may give a name to somebody known by relation only.
        claims, roles = reading.claims(extraction.triplets, extractor)
        named = {each.id: each for each in map(reading.entity, extraction.names) if each is not None}
        done = self._mentioned_in(turn) if turn.id in self._recovering else set()
        counted = [each for each in named.values() if each.kind not in _UNCOUNTED and each.id not in done]
        if counted:
            self._store.stream.append([mention(each, turn.at, turn.kind, turn.id) for each in counted])
        self._store.journal.append([*reading.renames, facts_event(turn.id, claims, roles)])
        self._store.sync()
        self._store.save_if_grown()

    def _mentioned_in(self, turn: Turn) -> set[str]:
        """The entities whose mention in `turn` was stored before a crash."""
        entries = self._store.stream.read()
        return {entry.event.get("entity_id", "") for entry in entries if entry.event.get("turn") == turn.id}


class _Reading:
    """Names of one turn to entities: known ones, and new ones that the turn brings."""

    def __init__(self, turn: Turn, store: EntityStore, *, renaming: bool = True) -> None:
        self._turn = turn
        self._store = store
        self._renaming = renaming
        self._new: dict[str, Entity] = {}
        self._placeholders: set[str] = set()
        self.renames: list[dict[str, object]] = []

    def entity(self, name: Name) -> Entity | None:
        """Whom or what a name means here; None where it could be several, or names nothing."""
        if name.reference is Reference.SPEAKER:
            you = self._store.identities.you
            return you if self._turn.kind is SourceKind.USER else self._named(self._turn.speaker, Kind.PERSON)
        if name.reference is Reference.ROLE:
            return self._by_role(name)
        try:
            return self._named(name.text, name.kind)
        except InvalidInput:
            return None

    def claims(self, triplets: Sequence[Triplet], extractor: str) -> tuple[list[Claim], frozenset[str]]:
        """The triplets as claims, each with its source, and the ids of those that name a relation."""
        claims, roles = [], set()
        for each in triplets:
            claim = self._claim(each, extractor)
            if claim is None:
                continue
            claims.append(claim)
            if is_role(claim.predicate):
                roles.add(claim.fact_id)
        return claims, frozenset(roles)

    def _claim(self, triplet: Triplet, extractor: str) -> Claim | None:
        try:
            predicate = canonical_predicate(triplet.predicate)
        except InvalidInput:
            return None
        subject = self.entity(triplet.subject)
        obj = self._relative(subject, predicate, triplet.object) if subject else None
        if subject is None or obj is None or subject.id == obj.id:
            return None
        turn = self._turn
        source = Source(
            kind=turn.kind,
            extractor=extractor,
            turn=turn.id,
            at=turn.at,
            quote=triplet.quote,
            speaker=turn.speaker if turn.kind is SourceKind.SPEAKER else None,
            confidence=triplet.confidence,
        )
        return Claim(new_id(), subject, predicate, obj, source, utc(None), triplet.valid_from, triplet.valid_precision)

    def _relative(self, owner: Entity, role: str, name: Name) -> Entity | None:
        """The object of a claim. *My sister Anna* gives the sister known so far only as *your sister* her name."""
        identities = self._store.identities
        known = identities.find(role_name(owner, role, identities.you)) if self._renaming and is_role(role) else None
        if known is not None and known.name == role_name(owner, role, identities.you) and self._is_new(name):
            self.renames.append(rename_event(known, checked_name(name.text), self._turn.speaker))
            self._new[canonical_key(name.text)] = known
        return self.entity(name)

    def _is_new(self, name: Name) -> bool:
        key = canonical_key(name.text)
        return name.reference is Reference.NAMED and key not in self._new and not self._store.identities.find(key)

    def _by_role(self, name: Name) -> Entity | None:
        owner = self.entity(SPEAKER) if not name.owner else self._named(name.owner, Kind.PERSON)
        if owner is None:
            return None
        roles = self._store.identities.all_in_role(owner.id, name.text)
        if roles:
            return roles[0] if len(roles) == 1 else None
        return self._named(role_name(owner, name.text, self._store.identities.you), name.kind)

    def _named(self, text: str, kind: Kind) -> Entity:
        key = canonical_key(text)
        if key not in self._new:
            self._new[key] = self._store.resolve(text, kind)
        return self._new[key]


def _turn(said: Utterance) -> Turn:
    if not isinstance(said.text, str) or not said.text.strip():
        raise InvalidInput("A message cannot be empty; nothing was stored.")
    text = storable(said.text)
    changed = sum(a != b for a, b in zip(said.text, text, strict=False))
    notes = (f"{changed} character(s) that cannot be stored were replaced by \ufffd.",) if text != said.text else ()
    kind = _KINDS.get(said.speaker, SourceKind.SPEAKER)
    speaker = said.speaker if said.speaker in _KINDS else checked_name(said.speaker)
    return Turn(new_id(), said.conversation, 0, speaker, text, utc(said.at), kind, said.reply_to, notes)
