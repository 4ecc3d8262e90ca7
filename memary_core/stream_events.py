"""What a line of the memory stream may say, and what it does to attention.

    mention   {"entity", "entity_id", "date", "turn", "source", "kind"}   the default type
    set       {…, "count", "was", "by"}         the count becomes this one
    pin, unpin, mute, unmute, drop   {…, "by"}
    removed   {"from", "to", "date", "by"}      lines with these seqs were deleted by hand

``{"entity": "Anna", "date": "2026-05-03T14:02:00+00:00"}`` alone is a mention by the user.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

from memary_core.errors import InvalidInput
from memary_core.identity import Identities, canonical_key, checked_name, is_value
from memary_core.log import Event
from memary_core.models import Entity, Kind, SourceKind, to_micros, utc
from memary_core.salience import Attention

COUNTED = frozenset({SourceKind.USER.value, SourceKind.MANUAL.value})
"""Whose mentions raise a count. What the assistant, tools or other people say does not: no echo."""

_EDITS = frozenset({"set", "pin", "unpin", "mute", "unmute", "drop"})
_HIDDEN = frozenset({Kind.VALUE, Kind.SELF})
_FLAGS = {"pin": ("pinned", True), "unpin": ("pinned", False), "mute": ("muted", True), "unmute": ("muted", False)}


def mention(entity: Entity, at: datetime, source: SourceKind, turn: str | None = None) -> Event:
    """A mention of `entity`, as a line."""
    event = {**_about(entity), "date": at.isoformat(), "source": source.value}
    return event if turn is None else {**event, "turn": turn}


def edit(kind: str, entity: Entity, by: str, **values: Any) -> Event:
    """A change to the attention given to `entity`, made now by `by`, as a line."""
    return {"type": kind, **_about(entity), "date": utc(None).isoformat(), **values, "by": by}


def apply(event: Event, seq: int, scope: str, identities: Identities, attention: Attention) -> None:
    """Do what a line says. `InvalidInput` or another `ValueError` for one that says nothing sensible."""
    kind = event.get("type", "mention")
    if kind != "mention" and kind not in _EDITS:
        return
    at = to_micros(parse_date(event.get("date")))
    entity = named(event, seq, scope, identities)
    if kind == "mention":
        if event.get("source", "user") in COUNTED:
            attention.mention(entity.id, at)
    elif kind == "set":
        attention.set_count(entity.id, _count(event.get("count")), at)
    elif kind == "drop":
        attention.drop(entity.id)
    else:
        flag, value = _FLAGS[kind]
        attention.flag(entity.id, **{flag: value})
    if entity.kind in _HIDDEN and entity.id in attention.rows:
        attention.hide(entity.id)


def parse_date(raw: object) -> datetime:
    """A date as a stream may hold it. One without a zone is read as local time; `InvalidInput` if it is none."""
    if not isinstance(raw, str):
        raise InvalidInput(f"date is {raw!r:.40}, not text such as 2026-05-03T14:02:00+00:00")
    try:
        return utc(datetime.fromisoformat(raw.strip()).astimezone())
    except (ValueError, OverflowError) as error:
        raise InvalidInput(f"date is {raw!r:.40}, not text such as 2026-05-03T14:02:00+00:00") from error


def named(event: Event, seq: int, scope: str, identities: Identities) -> Entity:
    """The entity a line is about, added to `identities` if it is new. `InvalidInput` if the line names none."""
    name, entity_id = checked_name(event.get("entity", "")), event.get("entity_id")
    if entity_id is None:  # another program's line: the id follows from the log alone, so every replay agrees
        found = identities.find(name)
        made = hashlib.sha256(f"{scope}\0{seq}\0{canonical_key(name)}".encode()).hexdigest()[:32]
        entity_id = found.id if found else made
    if not isinstance(entity_id, str):
        raise InvalidInput("entity_id is not text")
    if entity_id in identities:
        return identities.by_id[entity_id]
    kind = Kind(event.get("kind", Kind.VALUE if is_value(name) else Kind.OTHER))
    return identities.add(Entity(entity_id, name, kind))


def _count(raw: object) -> int:
    if not isinstance(raw, int) or isinstance(raw, bool) or not 0 <= raw < 2**53:
        raise InvalidInput(f"count is {raw!r:.40}; it is a whole number, 0 or more")
    return raw


def _about(entity: Entity) -> Event:
    event = {"entity": entity.name, "entity_id": entity.id}
    return event if entity.kind is Kind.OTHER else {**event, "kind": entity.kind.value}
