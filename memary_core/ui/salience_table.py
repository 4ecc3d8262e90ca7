"""The table of entities: rows shown, and what a person changed in them as edits and in words. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from memary_core.attention import AttentionEdit
from memary_core.identity import canonical_key, is_value
from memary_core.models import Salience

NAME, COUNT, KIND, PINNED, MUTED, SCORE, LAST = "Name", "Mentions", "Kind", "Pinned", "Muted", "Score", "Last mentioned"
COLUMNS = (NAME, COUNT, KIND, PINNED, MUTED, SCORE, LAST)
NEW_COLUMNS = (NAME, COUNT, PINNED, MUTED)

Find = Callable[[str], Salience | None]
"""The present salience of the entity that answers to a name or an id; None if nothing does."""


@dataclass(frozen=True, slots=True)
class Line:
    """One change in words: the entity's name as it is, and what happens to it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What Save would do. Nothing is saved while there are `problems`."""

    edits: tuple[AttentionEdit, ...] = ()
    lines: tuple[Line, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def drops(self) -> bool:
        """Does it take an entity out of attention?"""
        return any(each.drop for each in self.edits)


def frame(rows: Sequence[Salience]) -> pd.DataFrame:
    """The rows as a table; its index is the entity id."""
    columns: dict[str, Any] = {
        NAME: [each.name for each in rows],
        COUNT: [each.count for each in rows],
        KIND: [each.kind.value for each in rows],
        PINNED: [each.pinned for each in rows],
        MUTED: [each.muted for each in rows],
        SCORE: [each.score for each in rows],
        LAST: pd.to_datetime([each.last_mentioned for each in rows], utc=True),
    }
    return pd.DataFrame(columns, index=pd.Index([each.entity_id for each in rows], dtype="object", name="entity_id"))


def empty_frame() -> pd.DataFrame:
    """No rows yet, with the columns that a new entity has."""
    types = {NAME: "object", COUNT: "Int64", PINNED: "bool", MUTED: "bool"}
    return pd.DataFrame({name: pd.Series(dtype=types[name]) for name in NEW_COLUMNS})


def is_edited(*states: Mapping[str, Any] | None) -> bool:
    """Does any of these data editors hold a change that is not saved?"""
    return any(state.get(part) for state in states if state for part in ("edited_rows", "added_rows", "deleted_rows"))


def same_rows(one: Sequence[Salience], other: Sequence[Salience]) -> bool:
    """Are they the same but for the scores, which fall all the time?"""
    return [replace(each, score=0.0) for each in one] == [replace(each, score=0.0) for each in other]


def draft(
    rows: Sequence[Salience], changed: Mapping[str, Any] | None, added: Mapping[str, Any] | None, find: Find
) -> Draft:
    """What a person did, as edits that carry the row as it was seen.

    `rows`: the table as it was shown; `changed`: the state of its data editor; `added`: that of the new rows'.
    """
    changed, added = changed or {}, added or {}
    dropped = {int(each) for each in changed.get("deleted_rows", ()) if 0 <= int(each) < len(rows)}
    edited = {int(each): cells for each, cells in changed.get("edited_rows", {}).items()}
    parts = [_edited(rows[i], edited[i], find) for i in sorted(edited) if i < len(rows) and i not in dropped]
    parts += [_dropped(rows[i]) for i in sorted(dropped)]
    parts += [_added(cells, find) for cells in added.get("added_rows", ())]
    found = _joined(parts)
    return replace(found, problems=(*found.problems, *_repeated(found.edits)))


def conflicts(edits: Sequence[AttentionEdit], find: Find) -> list[str]:
    """What somebody else changed meanwhile in the rows of these edits: *Anna: 2 when you opened it, now 5*."""
    found = []
    for each in edits:
        if each.was is None:
            continue
        now = find(each.was.entity_id)
        if now is None:
            found.append(f"{_short(each.was.name)}: dropped meanwhile")
        elif words := _differences(each.was, now):
            found.append(f"{_short(each.was.name)}: {', '.join(words)}")
    return found


def rebased(edits: Sequence[AttentionEdit], find: Find) -> list[AttentionEdit]:
    """The same edits over the rows as they are now; a drop of what is gone already is left out."""
    kept = []
    for each in edits:
        now = find(each.was.entity_id) if each.was else None
        if now is not None or not each.drop:
            kept.append(replace(each, was=now))
    return kept


def _edited(row: Salience, cells: Mapping[str, Any], find: Find) -> Draft:
    edit, words, problems = AttentionEdit(row.entity_id, was=row), [], []
    if COUNT in cells and cells[COUNT] != row.count:
        if cells[COUNT] is None:
            problems.append(f"{_short(row.name)} has no number of mentions: give it one, 0 or more.")
        else:
            edit = replace(edit, count=int(cells[COUNT]))
            words.append(f"{row.count:,} → {int(cells[COUNT]):,}")
    if NAME in cells and cells[NAME] != row.name:
        name = " ".join(str(cells[NAME] or "").split())
        other = find(name) if name else None
        if not name:
            problems.append(f"{_short(row.name)} would have no name.")
        elif is_value(name):
            problems.append(f"{_short(name)} is a value, which attention does not count.")
        elif other is not None and other.entity_id != row.entity_id:
            problems.append(f"{_short(name)} is already the name of another entity.")
        elif name != row.name:
            edit = replace(edit, name=name)
            words.append(f"renamed to {_short(name)}")
    pinned, muted = (None if cells.get(each) is None else bool(cells[each]) for each in (PINNED, MUTED))
    if pinned is not None and pinned != row.pinned:
        edit = replace(edit, pinned=pinned)
        words.append("pinned" if pinned else "unpinned")
    if muted is not None and muted != row.muted:
        edit = replace(edit, muted=muted)
        words.append("muted" if muted else "unmuted")
    if not words:
        return Draft(problems=tuple(problems))
    return Draft((edit,), (Line(row.name, ", ".join(words)),), tuple(problems))


def _dropped(row: Salience) -> Draft:
    line = Line(row.name, f"dropped from attention, with its count of {row.count:,}")
    return Draft((AttentionEdit(row.entity_id, drop=True, was=row),), (line,))


def _added(cells: Mapping[str, Any], find: Find) -> Draft:
    name = " ".join(str(cells.get(NAME) or "").split())
    count = cells.get(COUNT)
    if not name:
        return Draft(problems=("A new entity has no name.",)) if any(cells.values()) else Draft()
    if count is None:
        return Draft(problems=(f"{_short(name)} has no number of mentions: give it one, 0 or more.",))
    if is_value(name):
        return Draft(problems=(f"{_short(name)} is a value, which attention does not count.",))
    known = find(name)
    pinned, muted = (bool(cells[each]) if cells.get(each) is not None else None for each in (PINNED, MUTED))
    edit = AttentionEdit(known.entity_id if known else name, int(count), None, pinned, muted, was=known)
    flags = "".join(f", {word}" for word, on in (("pinned", pinned), ("muted", muted)) if on)
    if known is None:
        return Draft((edit,), (Line(name, f"new, {_mentions(int(count))}{flags}"),))
    return Draft((edit,), (Line(known.name, f"{known.count:,} → {int(count):,}{flags}"),))


def _joined(parts: Iterable[Draft]) -> Draft:
    held = list(parts)
    return Draft(
        tuple(edit for part in held for edit in part.edits),
        tuple(line for part in held for line in part.lines),
        tuple(problem for part in held for problem in part.problems),
    )


def _repeated(edits: Sequence[AttentionEdit]) -> list[str]:
    """Two rows about one entity, or two entities under one name."""
    seen: set[str] = set()
    problems = []
    for each in edits:
        keys = {canonical_key(each.name)} if each.name else set()
        keys.add(each.was.entity_id if each.was else canonical_key(each.entity))
        if keys & seen:
            problems.append(f"{_short(each.name or (each.was.name if each.was else each.entity))} is there twice.")
        seen |= keys
    return problems


def _differences(was: Salience, now: Salience) -> list[str]:
    words = []
    if now.count != was.count:
        words.append(f"{was.count:,} when you opened it, now {now.count:,}")
    if now.name != was.name:
        words.append(f"now named {_short(now.name)}")
    for field in ("pinned", "muted"):
        if getattr(now, field) != getattr(was, field):
            words.append(f"now {field}" if getattr(now, field) else f"no longer {field}")
    return words


def _mentions(count: int) -> str:
    return f"{count:,} mention{'' if count == 1 else 's'}"


def _short(name: str) -> str:
    return name if len(name) <= 60 else name[:59] + "…"
