"""What a message leads to, event by event, as `ChatAgent.chat` yields it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memary_core.models import Fact, Recall, Turn
from memary_core.tools.memory_tools import Proposal

StepKind = Literal["work", "thought", "tool"]


@dataclass(frozen=True, slots=True)
class Observed:
    """The message is stored: its turn, the facts learned from it, and what had to be changed or left out."""

    turn: Turn
    facts: tuple[Fact, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recalled:
    """What memory chose for this message."""

    recall: Recall


@dataclass(frozen=True, slots=True)
class Step:
    """What is being done now, in words to show. `id` counts from 1 within a message.

    A thought's text follows as `Thought`. A tool's step ends with `StepEnded`; `input` is what the model gave it,
    as JSON.
    """

    label: str
    id: int = 0
    kind: StepKind = "work"
    tool: str = ""
    input: str = ""


@dataclass(frozen=True, slots=True)
class Thought:
    """More of the thought whose step has the id `step`."""

    step: int
    text: str


@dataclass(frozen=True, slots=True)
class StepEnded:
    """The tool of `step` is done: what it gave the model to read, or why it failed, after `seconds`."""

    step: int
    result: str
    error: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Proposed:
    """The model would have something forgotten or corrected. Nothing is changed until the user confirms."""

    proposal: Proposal


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the visible answer."""

    text: str


@dataclass(frozen=True, slots=True)
class TakenStep:
    """A step that is over, with all that was said of it. `text`: the thought, or what the tool found.

    `url` and `query` are where a tool found it and what was asked there.
    """

    label: str
    kind: StepKind = "work"
    tool: str = ""
    input: str = ""
    text: str = ""
    error: str = ""
    seconds: float = 0.0
    url: str | None = None
    query: str | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """The end. `turn` is the stored answer, None where nothing was said; `text` the tokens joined.

    `answered_by` is `memory` or the model's name, empty where neither did; `seconds` runs from the message on.
    `error` says what went wrong, what was kept and what to do.
    """

    turn: Turn | None
    text: str
    recall: Recall
    answered_by: str
    seconds: float
    error: str | None = None
    notes: tuple[str, ...] = ()
    steps: tuple[TakenStep, ...] = ()
    proposals: tuple[Proposal, ...] = ()


Event = Observed | Recalled | Step | Thought | StepEnded | Proposed | Token | Done
