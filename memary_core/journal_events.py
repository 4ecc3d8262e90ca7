"""What a line of the journal may say.

    turn       {"id", "conversation", "speaker", "kind", "text", "at", "reply_to"}   something was said
    facts      {"turn", "at", "facts": [claim, …]}      what was read in it, even if that is nothing
    extracted  {"turn", "at", "extractor"}              a model is done with the turn; one without waits for a model
    trust      {"fact", "trust", "was", "at", "by"}     a person accepted or rejected a fact
    rename     {"entity_id", "name", "was", "at", "by"} an entity is shown under another name
    kind       {"entity_id", "kind", "was", "at", "by"} an entity is of another kind

A claim is {"id", "subject", "predicate", "object", "source", "role", "valid_from", "valid_precision"}, where
subject and object are {"id", "name", "kind"}. Times are ISO 8601 in UTC.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any

from memary_core.belief import Claim
from memary_core.identity import Identities
from memary_core.log import START, Entry, Event, Log
from memary_core.models import Entity, Kind, Precision, Source, SourceKind, Trust, Turn, utc


def turn_event(turn: Turn) -> Event:
    """A turn, as a line."""
    event: Event = {
        "type": "turn",
        "id": turn.id,
        "conversation": turn.conversation,
        "speaker": turn.speaker,
        "kind": turn.kind.value,
        "text": turn.text,
        "at": turn.at.isoformat(),
    }
    if turn.reply_to:
        event["reply_to"] = turn.reply_to
    if turn.notes:
        event["notes"] = list(turn.notes)
    return event


def read_turn(entry: Entry) -> Turn | None:
    """The turn a line holds, or None for another line."""
    event = entry.event
    if event.get("type") != "turn":
        return None
    return Turn(
        id=event["id"],
        conversation=event["conversation"],
        seq=entry.seq,
        speaker=event["speaker"],
        text=event["text"],
        at=datetime.fromisoformat(event["at"]),
        kind=SourceKind(event["kind"]),
        reply_to=event.get("reply_to"),
        notes=tuple(event.get("notes", ())),
    )


def facts_event(turn: str | None, claims: Sequence[Claim], roles: frozenset[str] = frozenset()) -> Event:
    """What was read in a turn (or entered by hand), as a line. `roles`: ids of claims that name a relation."""
    rows = [{**_claim_row(each), **({"role": True} if each.fact_id in roles else {})} for each in claims]
    return {"type": "facts", "turn": turn, "at": utc(None).isoformat(), "facts": rows}


def extracted_event(turn: str, extractor: str) -> Event:
    """That a model is done with a turn, whatever it found, as a line."""
    return {"type": "extracted", "turn": turn, "at": utc(None).isoformat(), "extractor": extractor}


def trust_event(fact_id: str, trust: Trust, was: Trust, by: str) -> Event:
    """A person's decision, as a line."""
    return {
        "type": "trust",
        "fact": fact_id,
        "trust": trust.value,
        "was": was.value,
        "at": utc(None).isoformat(),
        "by": by,
    }


def rename_event(entity: Entity, name: str, by: str) -> Event:
    """Another name for an entity, as a line."""
    at = utc(None).isoformat()
    return {"type": "rename", "entity_id": entity.id, "name": name, "was": entity.name, "at": at, "by": by}


def kind_event(entity: Entity, kind: str, by: str) -> Event:
    """Another kind for an entity, as a line."""
    at = utc(None).isoformat()
    return {"type": "kind", "entity_id": entity.id, "kind": kind, "was": entity.kind.value, "at": at, "by": by}


def read_claims(event: Event) -> Iterator[Claim]:
    """The claims a `facts` line holds; none for another line."""
    if event.get("type") != "facts":
        return
    recorded = datetime.fromisoformat(event["at"])
    for row in event["facts"]:
        yield Claim(
            fact_id=row["id"],
            subject=_entity(row["subject"]),
            predicate=row["predicate"],
            object=_entity(row["object"]),
            source=_source(row["source"]),
            recorded_at=recorded,
            valid_from=_time(row.get("valid_from")),
            valid_precision=Precision(row["valid_precision"]) if row.get("valid_precision") else None,
        )


def learn(identities: Identities, event: Event) -> None:
    """Take from a line what it says of identity."""
    kind = event.get("type")
    if kind == "facts":
        for row, claim in zip(event["facts"], read_claims(event), strict=True):
            identities.add(claim.subject)
            identities.add(claim.object)
            if row.get("role"):
                identities.set_role(claim.subject.id, claim.predicate, claim.object.id)
    elif kind == "rename":
        identities.rename(event["entity_id"], event["name"])
    elif kind == "kind":
        identities.set_kind(event["entity_id"], Kind(event["kind"]))


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a model has read: so many turns, so many claims in them, and notes on what it could not read."""

    turns: int = 0
    claims: int = 0
    notes: tuple[str, ...] = ()


class Unextracted:
    """The owner's turns that no model is done with, among the newest `window`: older ones are left to the rules.

    So a turn whose extraction broke off is found again, and a model set up late does not read a whole past.
    """

    def __init__(self, journal: Log, window: int) -> None:
        self._journal = journal
        self._window = window
        self._at = START
        self._newest: dict[str, Turn | None] = {}

    def turns(self) -> list[Turn]:
        """They, oldest first, as the journal has it now."""
        if self._journal.generation() != self._at.generation:
            self._at, self._newest = START, {}
        for entry in self._journal.read(self._at):
            self._take(entry)
            self._at = entry.after
        return [turn for turn in self._newest.values() if turn is not None]

    def _take(self, entry: Entry) -> None:
        if (turn := read_turn(entry)) is not None and turn.kind is SourceKind.USER:
            self._newest[turn.id] = turn
            if len(self._newest) > self._window:
                del self._newest[next(iter(self._newest))]
        elif entry.event.get("type") == "extracted" and entry.event.get("turn") in self._newest:
            self._newest[entry.event["turn"]] = None


def _claim_row(claim: Claim) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": claim.fact_id,
        "subject": _entity_row(claim.subject),
        "predicate": claim.predicate,
        "object": _entity_row(claim.object),
        "source": _source_row(claim.source),
    }
    if claim.valid_from is not None and claim.valid_precision is not None:
        row |= {"valid_from": claim.valid_from.isoformat(), "valid_precision": claim.valid_precision.value}
    return row


def _entity_row(entity: Entity) -> dict[str, str]:
    return {"id": entity.id, "name": entity.name, "kind": entity.kind.value}


def _entity(row: dict[str, Any]) -> Entity:
    return Entity(row["id"], row["name"], Kind(row["kind"]))


def _source_row(source: Source) -> dict[str, Any]:
    row = {key: value for key, value in asdict(source).items() if value not in (None, "")}
    if source.at is not None:
        row["at"] = source.at.isoformat()
    return row


def _source(row: dict[str, Any]) -> Source:
    known = {each.name for each in fields(Source)}
    values = {key: value for key, value in row.items() if key in known}
    return Source(**{**values, "kind": SourceKind(row["kind"]), "at": _time(row.get("at"))})


def _time(raw: str | None) -> datetime | None:
    return datetime.fromisoformat(raw) if raw else None
