"""An answer while it is being given: its words, its steps, and what is to be said beside it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from memary_core.chat_events import Proposed, Step, StepEnded, StepKind, TakenStep, Thought, Token
from memary_core.models import Recall
from memary_core.tool_use import Called, Returned
from memary_core.tools.memory_tools import Proposal

THINKING = "Thinking"


@dataclass(slots=True)
class Draft:
    """What has come of an answer so far. `by` is who gave it: `memory` or a model's name."""

    recall: Recall
    by: str = ""
    parts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    error: str | None = None
    proposals: list[Proposal] = field(default_factory=list)
    _taken: list[TakenStep] = field(default_factory=list)
    _began: list[float] = field(default_factory=list)
    _calls: dict[int, int] = field(default_factory=dict)
    _shown: int = 0

    @property
    def text(self) -> str:
        """The answer as far as it has come."""
        return "".join(self.parts)

    def say(self, text: str) -> Token:
        """More of the answer."""
        self._end_thought()
        self.parts.append(text)
        return Token(text)

    def step(self, label: str, kind: StepKind = "work", tool: str = "", given: str = "") -> Step:
        """Something is begun."""
        self._end_thought()
        self._taken.append(TakenStep(label, kind, tool, given))
        self._began.append(time.monotonic())
        return Step(label, len(self._taken), kind, tool, given)

    def think(self, text: str) -> Iterator[Step | Thought]:
        """More of a thought, or the first of one."""
        if not self._taken or self._taken[-1].kind != "thought" or self._taken[-1].seconds:
            text = text.lstrip()
            if not text:
                return
            yield self.step(THINKING, "thought")
        self._taken[-1] = replace(self._taken[-1], text=self._taken[-1].text + text)
        yield Thought(len(self._taken), text)

    def call(self, called: Called) -> Step:
        """A tool is begun."""
        step = self.step(f"Using {called.tool}", "tool", called.tool, json.dumps(called.given, ensure_ascii=False))
        self._calls[called.id] = step.id
        return step

    def returned(self, result: Returned) -> Iterator[StepEnded | Proposed]:
        """A tool is done; what it proposed comes with it."""
        number = self._calls[result.id]
        self._taken[number - 1] = replace(
            self._taken[number - 1],
            text=result.text,
            error=result.error,
            seconds=result.seconds,
            url=result.url,
            query=result.query,
        )
        yield StepEnded(number, result.text, result.error, result.seconds)
        while self._shown < len(self.proposals):
            self._shown += 1
            yield Proposed(self.proposals[self._shown - 1])

    def taken(self) -> tuple[TakenStep, ...]:
        """The steps, each with its time; one that was cut off has the time until now."""
        now = time.monotonic()
        ends = [*self._began[1:], now][: len(self._began)]
        return tuple(
            each if each.seconds else replace(each, seconds=(now if each.kind == "tool" else end) - began)
            for each, began, end in zip(self._taken, self._began, ends, strict=True)
        )

    def _end_thought(self) -> None:
        if self._taken and self._taken[-1].kind == "thought" and not self._taken[-1].seconds:
            self._taken[-1] = replace(self._taken[-1], seconds=time.monotonic() - self._began[-1])
