"""Files in the format of the original Memary, taken over once and kept as `*.original.json`.

    memory_stream.json            [{"entity", "date"}, …]             each is a mention by the owner
    entity_knowledge_store.json   [{"entity", "count", "date"}, …]    counts of what the stream does not name
    past_chat.json                [{"role", "content"}, …]            turns of the conversation

Dates without a zone are read as local time. Where the store counts an entity otherwise than the stream mentions
it, the stream is believed: the original counted its whole stream again at every turn.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from memary_core.errors import InvalidInput, StoreError
from memary_core.memory import Memory
from memary_core.models import Turn
from memary_core.stream_events import parse_date

CONVERSATION = "main"
MOST = 10_000
"""A count above this is no count that a conversation gave; it is left out."""
RETURNED = ("rag", "ReAct agent")
"""Who speaks in messages that the original stored as the user's with these words before them."""
_WAITING, _KEPT = ".importing.json", ".original.json"


@dataclass(slots=True)
class Originals:
    """The three files of one agent. `notes` says what was taken over, and what was not.

    `set_aside` comes before the memory is opened, because its own store has the same name as the original's;
    `take_over` after. A crash in between loses nothing: what waits is taken up at the next start.
    """

    stream: Path
    store: Path
    chat: Path
    notes: list[str] = field(default_factory=list)

    def set_aside(self) -> None:
        """Rename the files that are the original's. Raises `StoreError` where that fails."""
        for path, wanted in (
            (self.stream, {"entity", "date"}),
            (self.store, {"entity", "count"}),
            (self.chat, {"role", "content"}),
        ):
            rows = self._rows(path)
            if rows is None or not all(isinstance(row, dict) and wanted <= row.keys() for row in rows):
                continue
            if path == self.store and (any("entity_id" in row for row in rows) or _snapshot_meta(path).exists()):
                continue  # it is our own
            _rename(path, _waiting(path))

    def take_over(self, memory: Memory) -> None:
        """Read the files that were set aside into `memory`, and keep them under their last name."""
        attention = [each for each in (self.stream, self.store) if _waiting(each).exists()]
        if _waiting(self.chat).exists():
            said = list(self._chat(memory, self._rows(_waiting(self.chat)) or []))
            if attention and said:
                # Those files say how often each entity was mentioned; reading the turns must not add to it.
                ids = {each.id for each in said}
                memory.forget_mentions(seqs=[each.seq for each in memory.mentions(limit=10**6) if each.turn in ids])
        if self.stream in attention:
            self._stream(memory, self._rows(_waiting(self.stream)) or [])
        if self.store in attention:
            self._store(memory, self._rows(_waiting(self.store)) or [])
        for path in (self.chat, self.stream, self.store):
            if _waiting(path).exists():
                kept = _kept(path)
                _rename(_waiting(path), kept)
                self.notes.append(f"{path.name} was taken over and is kept as {kept.name}.")

    def _rows(self, path: Path) -> list[Any] | None:
        """The rows of a file; None where there is none. One that cannot be read stays as it is, with a note."""
        try:
            rows = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            if path.suffix == ".json":
                self.notes.append(f"{path.name} cannot be read ({error}); it was left as it is.")
            return None
        return rows if isinstance(rows, list) else None

    def _stream(self, memory: Memory, rows: list[Any]) -> None:
        there = {(each.entity_id, each.date) for each in memory.mentions(limit=10**6)}
        local = sum(1 for row in rows if _is_local(row.get("date")))
        for date, group in groupby(rows, key=lambda row: row.get("date")):
            names = [row.get("entity") for row in group]
            self._mention(memory, [each for each in names if not _there(memory, each, date, there)], date)
        if local:
            self.notes.append(f"{local} date(s) of {self.stream.name} have no time zone and were read as local time.")

    def _store(self, memory: Memory, rows: list[Any]) -> None:
        other = 0
        for row in rows:
            name, count = row.get("entity"), row.get("count")
            if not isinstance(name, str) or not isinstance(count, int) or not 0 < count <= MOST:
                self.notes.append(f"{name!r:.60} of {self.store.name} was left out: its count is {count!r:.40}.")
                continue
            known = memory.salience.get(name)
            if known is None or not known.count:
                self._mention(memory, [name] * count, row.get("date"))
            else:
                other += known.count != count
        if other:
            self.notes.append(
                f"{other} count(s) of {self.store.name} differ from the mentions in {self.stream.name}; "
                "the mentions were counted. Correct a count on the Salience page where it is wrong."
            )

    def _mention(self, memory: Memory, names: Iterable[Any], date: Any) -> None:
        """Names mentioned at a date, all of them or, where one cannot be stored, each that can."""
        names = list(names)
        try:
            memory.mention(names, at=parse_date(date))
        except InvalidInput as error:
            if len(names) > 1 and _is_date(date):
                for each in names:
                    self._mention(memory, [each], date)
            else:
                self.notes.append(f"{', '.join(map(str, names[:3]))!r:.80} was left out: {error}")

    def _chat(self, memory: Memory, rows: list[Any]) -> Iterator[Turn]:
        """The turns of a past chat; those that were stored before a crash are not stored again."""
        at = datetime.fromtimestamp(_waiting(self.chat).stat().st_mtime, UTC)
        before = memory.turns(CONVERSATION)
        for row in rows:
            role, content = str(row["role"]), row["content"]
            if role not in ("user", "assistant") or not isinstance(content, str) or not content.strip():
                self.notes.append(f"A message of {role!r:.40} in {self.chat.name} was left out.")
                continue
            speaker, text = spoken(role, content)
            if before and before[0].text == text:
                yield before.pop(0)
                continue
            before = []
            yield memory.observe(text, speaker, at=at, conversation=CONVERSATION)


def spoken(role: str, content: str) -> tuple[str | None, str]:
    """Who speaks, and what: the original stored what its agents returned as the user's, with their name before it."""
    if role == "assistant":
        return "assistant", content
    for name in RETURNED:
        if content.startswith(f"{name}:") and content[len(name) + 1 :].strip():
            return name, content[len(name) + 1 :].strip()
    return None, content


def _there(memory: Memory, name: Any, date: Any, there: set[tuple[str, datetime]]) -> bool:
    entity = memory.entity(name) if there and isinstance(name, str) and _is_date(date) else None
    return entity is not None and (entity.id, parse_date(date)) in there


def _is_date(raw: Any) -> bool:
    try:
        parse_date(raw)
    except InvalidInput:
        return False
    return True


def _is_local(raw: Any) -> bool:
    return _is_date(raw) and datetime.fromisoformat(raw.strip()).tzinfo is None


def _waiting(path: Path) -> Path:
    return path.with_name(path.stem + _WAITING)


def _kept(path: Path) -> Path:
    """A name that nothing has yet."""
    names = (path.with_name(f"{path.stem}{f'-{number}' if number else ''}{_KEPT}") for number in range(1000))
    return next(each for each in names if not each.exists())


def _snapshot_meta(store: Path) -> Path:
    return store.with_name(f"{store.stem}.meta.json")


def _rename(path: Path, to: Path) -> None:
    try:
        path.rename(to)
    except OSError as error:
        raise StoreError(
            f"{path.name} could not be renamed to {to.name} ({error.strerror}); nothing was taken over. "
            "Give this user write permission to its folder."
        ) from error
