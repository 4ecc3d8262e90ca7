"""A conversation as words."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from memary_core.errors import InvalidInput
from memary_core.models import Source, SourceKind, Trust, Turn
from memary_core.text_index import Conversation
from memary_core.ui import transcript
from tests.answers.measure import told
from tests.scripted import ScriptedModel

AT = datetime(2026, 5, 3, 12, tzinfo=UTC)


def turn(name: str, kind: SourceKind = SourceKind.USER, reply_to: str | None = None) -> Turn:
    return Turn(name, "main", 1, "user", name, AT, kind, reply_to)


def source(turn_id: str, minutes: int = 0, quote: str = "") -> Source:
    return Source(SourceKind.USER, turn=turn_id, at=AT + timedelta(minutes=minutes), quote=quote)


def test_an_answer_goes_with_the_message_it_replies_to() -> None:
    one, two = turn("one"), turn("two")
    late = turn("late", SourceKind.ASSISTANT, reply_to="one")
    loose = turn("loose", SourceKind.ASSISTANT)
    assert transcript.exchanges([one, two, late, loose]) == [
        transcript.Exchange(one, (late,)),
        transcript.Exchange(two, (loose,)),
    ]


def test_an_answer_without_a_message_stands_alone() -> None:
    alone = turn("alone", SourceKind.ASSISTANT)
    assert transcript.exchanges([alone]) == [transcript.Exchange(None, (alone,))]


def test_remembered_are_the_facts_a_message_brought_first() -> None:
    new = told("Anna", "lives in", "Lisbon", 1, sources=(source("t1"),))
    older = told("Anna", "works at", "Siemens", 2, sources=(source("t1", 5), source("t0")))
    rejected = told("Anna", "likes", "tea", 3, sources=(source("t1"),), trust=Trust.REJECTED)
    assert transcript.remembered("t1", [new, older, rejected]) == [new]


def test_remembered_come_in_the_order_of_the_message() -> None:
    quote = "Anna lives in Lisbon and works at Siemens"
    work = told("Anna", "works at", "Siemens", 1, sources=(source("t1", quote=quote),))
    home = told("Anna", "lives in", "Lisbon", 2, sources=(source("t1", quote=quote),))
    assert transcript.remembered("t1", [work, home]) == [home, work]


def test_the_line_of_what_was_remembered_tells_what_waits_for_review() -> None:
    facts = [told("An*na", "lives in", "Lisbon"), told("Tom", "lives in", "Berlin", trust=Trust.CANDIDATE)]
    assert transcript.remembered_line(facts) == r"Remembered: An\*na lives in Lisbon. To review: Tom lives in Berlin"


def test_a_conversation_has_a_title_and_a_date() -> None:
    shown = transcript.title(Conversation("id", "My *sister* lives " * 20, AT, AT, 2))
    assert shown.startswith(r"My \*sister\* lives My")
    assert shown.endswith("… · 3 May 2026")


def test_who_answers() -> None:
    assert transcript.who_answers(ScriptedModel([])) == r"Scripted \(test\)"
    assert transcript.who_answers(ScriptedModel([], tiny=True)) == r"memory where it knows, else from Scripted \(test\)"
    assert transcript.who_answers(ScriptedModel([], state="not set up")).startswith("memory itself")


def test_a_sample_has_dates_speakers_and_texts() -> None:
    rows = [
        {"at": "2026-03-02T08:15:00+00:00", "text": "Hi."},
        {"at": "2026-03-03T08:15:00Z", "text": "Yo.", "speaker": "Tom"},
    ]
    assert list(transcript.sample(json.dumps(rows))) == [
        (datetime(2026, 3, 2, 8, 15, tzinfo=UTC), None, "Hi."),
        (datetime(2026, 3, 3, 8, 15, tzinfo=UTC), "Tom", "Yo."),
    ]


@pytest.mark.parametrize("raw", ["", "{", "[1]", '[{"at": "yesterday", "text": "x"}]', '[{"text": "x"}]'])
def test_a_sample_that_cannot_be_read_is_refused(raw: str) -> None:
    with pytest.raises(InvalidInput, match="nothing was stored"):
        list(transcript.sample(raw))
