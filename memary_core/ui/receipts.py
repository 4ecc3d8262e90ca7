"""Receipts: what memory gave to each answer, kept beside the logs so that a restart does not lose them.

`receipts.jsonl` in the scope's folder has one line an answer; a later line of the same message stands for it. It holds
ids, reasons and figures, and what tools gave and the model thought; what was said and what is believed stay in the
logs. It is a convenience: a line that cannot be read, or written, is done without.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from memary_core.agent import MEMORY
from memary_core.chat_events import Done, StepKind, TakenStep
from memary_core.prompt import estimate_tokens
from memary_core.recall import fact_text

FILE = "receipts.jsonl"
DETAIL = 4_000
"""Characters of a thought, or of what a tool was given or found, that are kept."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A proposal to forget or correct, by the ids of its facts."""

    id: str
    action: Literal["forget", "correct"]
    facts: tuple[str, ...]
    object: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What one message led to. `turn` is the message's id; `facts`, `turns` and `entities` are what was recalled.

    `why` gives the reason for each of their ids; `by` is `memory`, a model's name, or empty where nothing answered.
    `taken` are the last of `steps` with what was said of them; `settled` says what came of proposals, by their ids.
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
    taken: tuple[TakenStep, ...] = ()
    proposals: tuple[Pending, ...] = ()
    settled: Mapping[str, str] = field(default_factory=dict)

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
        tuple(_shortened(each) for each in done.steps),
        tuple(
            Pending(each.id, each.action, tuple(fact.id for fact in each.facts), each.object, each.by)
            for each in done.proposals
        ),
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

    def settle(self, turn: str, proposal: str, answer: str) -> None:
        """Note what came of a proposal."""
        held = self._held[turn]
        self.keep(replace(held, settled={**held.settled, proposal: answer}))

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
        words = {name: _words(row.get(name)) for name in ("why", "settled")}
        figures = {"tokens": int(row.get("tokens", 0)), "seconds": float(row.get("seconds", 0))}
        taken = tuple(_step(each) for each in row.get("taken", ()))
        proposals = tuple(_pending(each) for each in row.get("proposals", ()))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return Receipt(
        **texts,  # type: ignore[arg-type]
        **lists,  # type: ignore[arg-type]
        **words,  # type: ignore[arg-type]
        **figures,  # type: ignore[arg-type]
        gate_open=bool(row.get("gate_open")),
        taken=taken,
        proposals=proposals,
    )


def _shortened(step: TakenStep) -> TakenStep:
    return replace(
        step, input=_cut(step.input), text=_cut(step.text), error=_cut(step.error), seconds=round(step.seconds, 2)
    )


def _cut(text: str) -> str:
    return text if len(text) <= DETAIL else f"{text[:DETAIL].rstrip()}…"


def _step(row: dict[str, Any]) -> TakenStep:
    kinds: dict[str, StepKind] = {"thought": "thought", "tool": "tool"}
    label, tool, given, text, error = (str(row.get(each) or "") for each in ("label", "tool", "input", "text", "error"))
    url, query = (str(row[each]) if row.get(each) else None for each in ("url", "query"))
    kind = kinds.get(str(row.get("kind")), "work")
    return TakenStep(label, kind, tool, given, text, error, float(row.get("seconds", 0)), url, query)


def _pending(row: dict[str, Any]) -> Pending:
    action: Literal["forget", "correct"] = "correct" if row["action"] == "correct" else "forget"
    return Pending(str(row["id"]), action, _texts(row["facts"]), str(row.get("object", "")), str(row.get("by", "")))


def _words(value: Any) -> dict[str, str]:
    return {str(key): str(each) for key, each in value.items()} if isinstance(value, dict) else {}


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(each) for each in value) if isinstance(value, list) else ()
