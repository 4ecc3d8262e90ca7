"""What a message leads to, event by event, as `ChatAgent.chat` yields it."""

from __future__ import annotations

from dataclasses import dataclass

from memary_core.models import Fact, Recall, Turn


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
    """What is being done now, in words to show."""

    label: str


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the visible answer."""

    text: str


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


Event = Observed | Recalled | Step | Token | Done
