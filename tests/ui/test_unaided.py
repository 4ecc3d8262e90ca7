"""What memory says by itself."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memary_core.models import Fact, Gate, Recall, SourceKind, Turn
from memary_core.ui.unaided import HERE, NOTED, NOTHING, Unaided, closest
from tests.answers.measure import told

HOME = told("Anna", "lives in", "Lisbon", 7)


def recall(*facts: Fact, turns: tuple[Turn, ...] = (), reason: str = "names Anna") -> Recall:
    return Recall("", facts, (), turns, 0, Gate(reason != "small talk", reason))


def turn(text: str, kind: SourceKind = SourceKind.USER) -> Turn:
    return Turn("t", "main", 1, "user", text, datetime(2026, 5, 3, 12, tzinfo=UTC), kind)


def test_a_question_is_answered_from_facts_and_the_facts_are_named() -> None:
    answerer = Unaided()
    assert answerer("Where does Anna live?", recall(HOME)) == "Anna lives in Lisbon."
    assert answerer.used == ("f7",)
    answerer("Thanks", recall())
    assert answerer.used == ()


def test_with_a_model_at_hand_the_rest_is_left_to_it() -> None:
    assert Unaided()("My sister is called Anna.", recall(HOME)) is None
    assert Unaided()("hi", recall(reason="small talk")) is None


@pytest.mark.parametrize(
    ("message", "reason", "reply"),
    [
        ("hi", "small talk", HERE),
        ("Anna likes tea.", "names Anna", NOTED),
        ("How tall is the Eiffel Tower?", "asks about the world", NOTHING),
    ],
)
def test_alone_every_message_gets_a_reply(message: str, reason: str, reply: str) -> None:
    assert Unaided(alone=True)(message, recall(reason=reason)) == reply


def test_a_past_message_stands_in_for_a_missing_fact() -> None:
    said = closest([turn("I am here.", SourceKind.ASSISTANT), turn("The boat\nleaves at nine. " * 40)])
    assert said.startswith("No fact answers that. On 3 May 2026 you said: “The boat leaves at nine.")
    assert said.endswith("…”")
    assert closest([turn("I am here.", SourceKind.ASSISTANT)]) == ""
