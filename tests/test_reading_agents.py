"""ReAct's form, read however it is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memary_core.reading_agents import Form


def read(pieces: list[str], *, answers: bool) -> tuple[str, str]:
    form = Form()
    parts = [part for piece in pieces for part in form.take(piece)]
    parts += form.end(answers=answers)
    thought = "".join(part.text for part in parts if part.kind == "thought")
    return thought.strip(), "".join(part.text for part in parts if part.kind == "answer")


CASES = [
    ("Thought: I know.\nAnswer: By the sea.", True, "I know.", "By the sea."),
    ("Thought: I must look.\nAction: where\nAction Input: {}", False, "I must look.", ""),
    ("Thought: Look.\nAction: where\nAction Input: {}\nObservation: x\nThought: y\nAnswer: z", False, "Look.", ""),
    ("Thought: a\nAnswer: Do this.\nAction: none\nAnswer: twice", True, "a", "Do this.\nAction: none\nAnswer: twice"),
    ("  Thought: a Answer:\n\n b ", True, "a", "b "),
    ("By the sea.", True, "", "By the sea."),
    ("Sure! Thought: a\nAnswer: b", True, "", "b"),
    ("I will look.\nAction: where\nAction Input: {}", False, "I will look.\nAction: where\nAction Input: {}", ""),
    ("Thought: only that", False, "only that", ""),
    ("", True, "", ""),
]


@pytest.mark.parametrize(("said", "answers", "thought", "answer"), CASES)
def test_only_what_follows_answer_is_the_answer(said: str, answers: bool, thought: str, answer: str) -> None:
    assert read([said], answers=answers) == (thought, answer)
    assert read(list(said), answers=answers) == (thought, answer)


@given(st.sampled_from(CASES), st.data())
def test_any_cut_gives_the_same(case: tuple[str, bool, str, str], data: st.DataObject) -> None:
    said, answers, thought, answer = case
    cuts = sorted(data.draw(st.lists(st.integers(0, len(said)), max_size=6)))
    pieces = [said[start:end] for start, end in zip([0, *cuts], [*cuts, len(said)], strict=True)]
    assert read(pieces, answers=answers) == (thought, answer)


def test_an_answer_streams_as_it_comes() -> None:
    form = Form()
    assert [part.text for part in form.take("Thought: a\nAnswer: By")] == [" a\n", "By"]
    assert [part.text for part in form.take(" the")] == [" the"]
