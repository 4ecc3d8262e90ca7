"""Receipts: what memory gave to each answer, kept beside the logs so that a restart does not lose them.

`receipts.jsonl` in the scope's folder has one line an answer. It holds ids, reasons and figures; what was said and
what is believed stay in the logs. It is a convenience: a line that cannot be read, or written, is done without.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from memary_core.agent import MEMORY
from memary_core.chat_events import Done
from memary_core.prompt import estimate_tokens
from memary_core.recall import fact_text

FILE = "receipts.jsonl"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What one message led to. `turn` is the message's id; `facts`, `turns` and `entities` are what was recalled.

    `why` gives the reason for each of their ids; `by` is `memory`, a model's name, or empty where nothing answered.
    """

    turn: str
    facts: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    why: Mapping[str, str] = field(default_factory=dict)
    tokens: int = 0
    gate_open: bool = False
    gate_reason: str = ""
    steps: tuple[str, ...] = ()
    by: str = ""
    seconds: float = 0.0
    error: str = ""
    notes: tuple[str, ...] = ()

    @property
    def by_memory(self) -> bool:
        """Did memory answer by itself?"""
        return self.by == MEMORY

    @property
    def recalled(self) -> int:
        """How many items came from memory."""
        return len(self.facts) + len(self.turns) + len(self.entities)


def cost(text: str) -> int:
    """Tokens that one item takes in a prompt, with its line's mark."""
    return estimate_tokens(f"- {text}\n")


def receipt_of(turn: str, done: Done, steps: tuple[str, ...], used: tuple[str, ...] | None = None) -> Receipt:
    """The receipt of an answer. `used`: the facts on which an answer by memory itself rests, and nothing else."""
    recall = done.recall
    by_itself = done.answered_by == MEMORY
    chosen = [each for each in recall.facts if not by_itself or each.id in (used or ())]
    facts = tuple(each.id for each in chosen)
    turns = () if by_itself else tuple(each.id for each in recall.turns)
    entities = () if by_itself else tuple(each.entity_id for each in recall.entities)
    shown = {*facts, *turns, *entities}
    return Receipt(
        turn,
        facts,
        turns,
        entities,
        {each: why for each, why in recall.why.items() if each in shown},
        sum(cost(fact_text(each)) for each in chosen) if by_itself else recall.tokens,
        recall.gate.open,
        recall.gate.reason,
        steps,
        done.answered_by,
        round(done.seconds, 2),
        done.error or "",
        (*recall.notes, *done.notes),
    )


class Receipts:
    """The receipts of one scope, by the id of the message. Other sessions' are read as they come."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._read = 0
        self._held: dict[str, Receipt] = {}
        self._lock = Lock()

    def get(self, turn: str) -> Receipt | None:
        """The receipt of the answer to a message, if there is one."""
        return self._held.get(turn)

    def refresh(self) -> None:
        """Read what was added to the file."""
        with self._lock, suppress(OSError):
            size = self._path.stat().st_size if self._path.exists() else 0
            if size < self._read:
                self._read, self._held = 0, {}
            if size > self._read:
                with self._path.open("rb") as file:
                    file.seek(self._read)
                    data = file.read(size - self._read)
                whole = data[: data.rfind(b"\n") + 1]
                self._read += len(whole)
                for line in whole.splitlines():
                    if (read := _receipt(line)) is not None:
                        self._held[read.turn] = read

    def keep(self, receipt: Receipt) -> None:
        """Hold a receipt, and add it to the file where that can be written."""
        line = (json.dumps(asdict(receipt), ensure_ascii=False) + "\n").encode("utf-8", "replace")
        with self._lock, suppress(OSError):
            self._held[receipt.turn] = receipt
            fd = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(fd, line)
            finally:
                os.close(fd)


def _receipt(line: bytes) -> Receipt | None:
    try:
        row = json.loads(line)
        if not isinstance(row, dict) or not isinstance(row.get("turn"), str):
            return None
        lists = {name: _texts(row.get(name)) for name in ("facts", "turns", "entities", "steps", "notes")}
        texts = {name: str(row.get(name, "")) for name in ("turn", "gate_reason", "by", "error")}
        why = row.get("why")
        reasons = {str(key): str(value) for key, value in why.items()} if isinstance(why, dict) else {}
        figures = {"tokens": int(row.get("tokens", 0)), "seconds": float(row.get("seconds", 0))}
    except (ValueError, TypeError):
        return None
    return Receipt(**texts, **lists, **figures, why=reasons, gate_open=bool(row.get("gate_open")))  # type: ignore[arg-type]


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(each) for each in value) if isinstance(value, list) else ()
