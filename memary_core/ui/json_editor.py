"""The two JSON files as text a person edits: shown whole or in slices, and read back. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memary_core.errors import InvalidInput
from memary_core.json_files import check_event
from memary_core.log import Event
from memary_core.snapshot import Rows, dump_rows, parse_rows

WHOLE = 1_000_000
"""Bytes up to which a file is edited whole; of a larger one only what a search finds, up to as much."""


@dataclass(frozen=True, slots=True)
class Slice:
    """The items of a file that are shown: `text` to edit, `items` as opened, and how many there are in all."""

    text: str
    items: Sequence[dict[str, Any]]
    found: int
    total: int

    @property
    def whole(self) -> bool:
        """Is the whole file shown?"""
        return len(self.items) == self.total


@dataclass(frozen=True, slots=True)
class StreamEdit:
    """What a person made of the lines shown: the events kept, by seq, and those added."""

    kept: Mapping[int, Event]
    added: Sequence[Event]


@dataclass(frozen=True, slots=True)
class Difference:
    """How many items of a file an edit changes, adds and removes."""

    changed: int
    added: int
    removed: int

    def __bool__(self) -> bool:
        """Is there any?"""
        return bool(self.changed or self.added or self.removed)

    def __str__(self) -> str:
        """*2 changed, 1 removed*."""
        parts = ((self.changed, "changed"), (self.added, "added"), (self.removed, "removed"))
        return ", ".join(f"{count:,} {word}" for count, word in parts if count) or "nothing changed"


def store_slice(rows: Rows, part: str = "", limit: int = WHOLE) -> Slice:
    """The rows that contain `part` (all, for a blank one), as an indented JSON array of at most `limit` bytes."""
    shown, found = _matching(rows, part, limit)
    return Slice(dump_rows(shown).decode(), shown, found, len(rows))


def stream_slice(header: str, events: Sequence[Event], part: str = "", limit: int = WHOLE) -> Slice:
    """The header line and the events that contain `part`, one a line, at most `limit` bytes of them."""
    shown, found = _matching(events, part, limit)
    return Slice("\n".join([header, *map(_line, shown)]) + "\n", shown, found, len(events))


def read_store(text: str) -> Rows:
    """The rows in an edited text. `InvalidInput` naming line and column, or the row, of what is wrong."""
    return parse_rows(text)


def with_rows(rows: Rows, shown: Rows, edited: Rows) -> Rows:
    """All `rows` of the file, those `shown` replaced by the `edited` ones."""
    gone = {id(row) for row in shown}
    return [*edited, *(row for row in rows if id(row) not in gone)]


def read_stream(text: str, header: str, shown: Collection[int]) -> StreamEdit:
    """The events in an edited text. `InvalidInput` naming line and column of the first thing that is wrong.

    `shown`: the seqs that were there. A line without a seq is a new event.
    """
    first, *rest = text.split("\n")  # not splitlines: a name may hold what that takes for the end of a line
    if first.strip() != header.strip():
        raise InvalidInput(
            "Line 1 is the file's header and must stay as it is; nothing was changed. "
            "Close the editor and open the file again to have it back."
        )
    kept: dict[int, Event] = {}
    added: list[Event] = []
    for number, line in enumerate(rest, 2):
        if not line.strip():
            continue
        event = _event(line, number)
        seq = event.get("seq")
        if seq is None:
            added.append(event)
        elif isinstance(seq, bool) or seq not in shown:
            raise _wrong(number, f"seq {seq!r:.30} is none of the lines shown: leave seq out for a new line")
        elif seq in kept:
            raise _wrong(number, f"seq {seq} is there twice")
        else:
            kept[seq] = {key: value for key, value in event.items() if key != "seq"}
    return StreamEdit(kept, added)


def store_difference(shown: Rows, edited: Rows) -> Difference:
    """What was changed between the rows shown and the edited ones; a row without an id is told by its name."""
    return _difference(
        {row.get("entity_id") or row["entity"]: row for row in shown},
        {row.get("entity_id") or row["entity"]: row for row in edited},
    )


def stream_difference(shown: Sequence[Event], edit: StreamEdit) -> Difference:
    """What was changed between the events shown and the edited ones."""
    before = {each["seq"]: {key: value for key, value in each.items() if key != "seq"} for each in shown}
    kept = _difference(before, edit.kept)
    return Difference(kept.changed, kept.added + len(edit.added), kept.removed)


def _difference(before: Mapping[Any, Any], after: Mapping[Any, Any]) -> Difference:
    changed = sum(before[each] != after[each] for each in before.keys() & after.keys())
    return Difference(changed, len(after.keys() - before.keys()), len(before.keys() - after.keys()))


def _matching(items: Sequence[dict[str, Any]], part: str, limit: int) -> tuple[list[dict[str, Any]], int]:
    wanted, shown, size, found = part.strip().casefold(), [], 0, 0
    for each in items:
        line = _line(each)
        if wanted and wanted not in line.casefold():
            continue
        found += 1
        size += len(line.encode("utf-8", "surrogatepass")) + 4
        if size <= limit:
            shown.append(each)
    return shown, found


def _line(item: Mapping[str, Any]) -> str:
    return json.dumps(item, ensure_ascii=False)


def _event(line: str, number: int) -> Event:
    try:
        event = json.loads(line)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"Line {number}, column {error.colno}: {error.msg}. Nothing was changed.") from error
    except RecursionError as error:
        raise _wrong(number, "it is nested too deeply") from error
    if not isinstance(event, dict):
        raise _wrong(number, 'it is no object such as {"entity": "Anna", "date": "2026-05-03T14:02:00+00:00"}')
    try:
        check_event(event)
    except InvalidInput as error:
        raise _wrong(number, str(error).removesuffix(" Nothing was changed.").rstrip(".")) from error
    return event


def _wrong(number: int, why: str) -> InvalidInput:
    return InvalidInput(f"Line {number}: {why}. Nothing was changed.")
