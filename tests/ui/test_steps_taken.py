"""The steps of an answer, and how they are kept with its receipt."""

from __future__ import annotations

from pathlib import Path

from memary_core.chat_events import Done, TakenStep
from memary_core.models import Gate, Recall
from memary_core.tools.memory_tools import Proposal
from memary_core.ui import receipts, steps_taken
from memary_core.ui.receipts import DETAIL, Pending, Receipts, receipt_of
from tests.answers.measure import told

HOME = told("Anna", "lives in", "Lisbon", 1)


def done(*steps: TakenStep, proposals: tuple[Proposal, ...] = ()) -> Done:
    recall = Recall("", (), (), (), 0, Gate(False, "small talk"))
    return Done(None, "Yes.", recall, "able", 1.0, steps=steps, proposals=proposals)


def test_a_tools_line_has_its_time_and_whether_it_failed() -> None:
    used = TakenStep("Using search", "tool", "search", seconds=1.24)
    assert steps_taken.line("Using search", used) == "Using search, 1.2 seconds"
    assert steps_taken.line("x", TakenStep("x", "tool", seconds=0.01)) == "x, less than 0.1 seconds"
    failed = TakenStep("Using search", "tool", "search", error="No.", seconds=2.0)
    assert steps_taken.line("Using search", failed) == "Using search failed after 2.0 seconds"
    assert steps_taken.line("Looking in memory", TakenStep("Looking in memory", seconds=3.0)) == "Looking in memory"
    assert steps_taken.line("a note", None) == "a note"


def test_steps_and_proposals_are_there_for_another_session(tmp_path: Path) -> None:
    step = TakenStep("Using search", "tool", "search", '{"query": "x"}', "Found.", "", 1.25, "https://example.org", "x")
    asked = Proposal("p1", "correct", (HOME,), "Porto", "able")
    Receipts(tmp_path).keep(receipt_of("t1", done(step, proposals=(asked,)), ("Using search",)))
    other = Receipts(tmp_path)
    other.refresh()
    read = other.get("t1")
    assert read is not None
    assert read.taken == (step,)
    assert read.proposals == (Pending("p1", "correct", (HOME.id,), "Porto", "able"),)
    other.settle("t1", "p1", "confirmed")
    third = Receipts(tmp_path)
    third.refresh()
    settled = third.get("t1")
    assert settled is not None and settled.settled == {"p1": "confirmed"} and settled.taken == (step,)


def test_long_details_are_cut() -> None:
    made = receipt_of("t1", done(TakenStep("Thinking", "thought", text="x" * 2 * DETAIL)), ("Thinking",))
    assert len(made.taken[0].text) == DETAIL + 1


def test_a_line_with_strange_steps_is_done_without(tmp_path: Path) -> None:
    lines = ['{"turn": "a", "taken": [5]}', '{"turn": "b", "proposals": [{}]}', '{"turn": "c", "taken": [{}]}']
    (tmp_path / receipts.FILE).write_text("\n".join(lines) + "\n")
    held = Receipts(tmp_path)
    held.refresh()
    assert [held.get(each) is not None for each in "abc"] == [False, False, True]
