"""Hand edits of the entity knowledge store and the memory stream, as events that keep the old value."""

from __future__ import annotations

from collections.abc import Iterator

from memary_core.identity import Identities, checked_name, is_value
from memary_core.journal_events import kind_event, rename_event
from memary_core.log import Event, Log
from memary_core.models import Entity, Kind, new_id, utc
from memary_core.salience import Attention, Row
from memary_core.snapshot import Rows
from memary_core.stream_events import apply, edit

_FLAGS = {"pinned": ("pin", "unpin"), "muted": ("mute", "unmute")}


def attention_at(stream: Log, seq: float, identities: Identities, half_life_days: float) -> dict[str, Row]:
    """The rows as they were at `seq`: what a snapshot of that place showed before it was edited."""
    attention = Attention(half_life_days)
    for entry in stream.read():
        if entry.seq > seq:
            break
        apply(entry.event, entry.seq, stream.scope, identities, attention)
    return attention.rows


def row_edits(rows: Rows, base: dict[str, Row], now: dict[str, Row], identities: Identities) -> Iterator[Event]:
    """What a person changed between `base` and `rows`, to be applied on top of `now`.

    A count set by hand keeps the mentions made since: 9 by hand, then one mention, is 10.
    """
    kept = set()
    for row in rows:
        entity = _entity(row, identities)
        kept.add(entity.id)
        old, current = base.get(entity.id, Row()), now.get(entity.id, Row())
        count = row.get("count", old.count)
        if count != old.count or entity.id not in identities:
            since = current.count - old.count
            yield edit("set", entity, "hand", count=max(0, count + since), was=current.count)
        for flag, (on, off) in _FLAGS.items():
            wanted = row.get(flag, False)
            if wanted != getattr(old, flag):
                yield edit(on if wanted else off, entity, "hand")
    for entity_id, old in base.items():
        if entity_id not in kept and not old.hidden and entity_id in now:
            yield edit("drop", identities.by_id[entity_id], "hand", was=now[entity_id].count)


def name_edits(rows: Rows, identities: Identities) -> Iterator[Event]:
    """Names and kinds a person changed in rows whose id is known: events for the journal."""
    for row in rows:
        entity = identities.by_id.get(row.get("entity_id", ""))
        if entity is None:
            continue
        name, kind = checked_name(row["entity"]), row.get("kind", entity.kind.value)
        if name != entity.name:
            yield rename_event(entity, name, "hand")
        if kind != entity.kind.value:
            yield kind_event(entity, kind, "hand")


def removed_lines(stream: Log) -> list[Event]:
    """The gaps in the stream's seqs that nothing explains yet: lines deleted in an editor."""
    seen, known, gaps = stream.compacted_through(), set(), []
    for entry in stream.read():
        if entry.event.get("type") == "removed":
            known.add((entry.event.get("from"), entry.event.get("to")))
        if entry.seq > seen + 1:
            gaps.append((seen + 1, entry.seq - 1))
        seen = max(seen, entry.seq)
    date = utc(None).isoformat()
    return [
        {"type": "removed", "from": first, "to": last, "date": date, "by": "hand"}
        for first, last in gaps
        if (first, last) not in known
    ]


def _entity(row: Event, identities: Identities) -> Entity:
    name = checked_name(row["entity"])
    found = identities.by_id.get(row.get("entity_id", "")) or identities.find(name)
    return found or Entity(new_id(), name, Kind.VALUE if is_value(name) else Kind(row.get("kind", "other")))
