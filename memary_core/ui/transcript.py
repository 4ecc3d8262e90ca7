"""A conversation as words, before any page is there: its exchanges, what was learned, a sample's rows. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from memary_core.errors import InvalidInput
from memary_core.llm.model import Model
from memary_core.models import Fact, SourceKind, Trust, Turn
from memary_core.text_index import Conversation
from memary_core.ui.show import day, literal, statement


@dataclass(frozen=True, slots=True)
class Exchange:
    """A message and what was answered; `said` is None for an answer without its message."""

    said: Turn | None
    answers: tuple[Turn, ...] = ()


def exchanges(turns: Sequence[Turn]) -> list[Exchange]:
    """Turns in order, each answer with the message it replies to, or else with the one before it."""
    made: list[tuple[Turn | None, list[Turn]]] = []
    place: dict[str, int] = {}
    for turn in turns:
        if turn.kind is not SourceKind.ASSISTANT:
            place[turn.id] = len(made)
            made.append((turn, []))
        elif made:
            made[place.get(turn.reply_to or "", len(made) - 1)][1].append(turn)
        else:
            made.append((None, [turn]))
    return [Exchange(said, tuple(answers)) for said, answers in made]


def remembered(turn_id: str, facts: Iterable[Fact]) -> list[Fact]:
    """Those of `facts` that are held and were first learned from a turn, in the order it says them."""

    def first(fact: Fact) -> str | None:
        dated = [(each.at, number) for number, each in enumerate(fact.sources) if each.at is not None]
        return fact.sources[min(dated)[1]].turn if dated else None

    def place(fact: Fact) -> int:
        return max(each.quote.find(fact.object) for each in fact.sources)

    held = [fact for fact in facts if fact.trust is not Trust.REJECTED and first(fact) == turn_id]
    return sorted(held, key=place)


def remembered_line(facts: Sequence[Fact]) -> str:
    """*Remembered: Anna lives in Lisbon · Anna is your sister*, literal in Markdown."""
    held = [literal(statement(each), 160) for each in facts if each.trust is Trust.ACCEPTED]
    waiting = [literal(statement(each), 160) for each in facts if each.trust is Trust.CANDIDATE]
    parts = [f"Remembered: {' · '.join(held)}"] if held else []
    if waiting:
        parts.append(f"To review: {' · '.join(waiting)}")
    return ". ".join(parts)


def title(conversation: Conversation) -> str:
    """*My sister Anna lives in … · 3 May 2026*, literal in Markdown."""
    return f"{literal(conversation.title, 48)} · {day(conversation.last)}"


def who_answers(model: Model) -> str:
    """*SmolLM2 135M (embedded)*, or memory itself; literal in Markdown."""
    if model.state == "not set up":
        return "memory itself; no language model is connected"
    return ("memory where it knows, else from " if model.tiny else "") + literal(model.label, 60)


def sample(raw: str) -> Iterator[tuple[datetime, str | None, str]]:
    """When, by whom (None for the owner) and what, of each row of a sample file."""
    try:
        rows = [
            (datetime.fromisoformat(each["at"]), each.get("speaker"), str(each["text"])) for each in json.loads(raw)
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"The sample conversation cannot be read ({error}); nothing was stored.") from error
    yield from rows
