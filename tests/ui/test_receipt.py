"""Receipts: what they say, and how they are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memary_core.chat_events import Done
from memary_core.models import Fact, Gate, Recall
from memary_core.ui import receipt
from memary_core.ui.receipts import FILE, Receipt, Receipts, receipt_of
from tests.answers.measure import told

HOME, WORK = told("Anna", "lives in", "Lisbon", 1), told("Anna", "works at", "Siemens", 2)


def done(by: str, facts: tuple[Fact, ...] = (HOME, WORK)) -> Done:
    why = {"f1": "names Anna", "f2": "names Anna"}
    recall = Recall("…", facts, (), (), 41, Gate(True, "names Anna"), why, ("a note",))
    return Done(None, "Anna lives in Lisbon.", recall, by, 1.234, None, ("Stopped.",))


def test_a_models_receipt_has_all_that_was_recalled() -> None:
    made = receipt_of("t1", done("llama3.2"), ("Looking in memory",))
    assert made.facts == ("f1", "f2")
    assert made.why == {"f1": "names Anna", "f2": "names Anna"}
    assert receipt.summary(made) == "From memory: 2 facts, 41 tokens"
    assert receipt.steps(made) == [
        "Looking in memory: the message names Anna",
        "llama3.2 answered in 1.2 seconds",
        "a note",
        "Stopped.",
    ]


def test_an_answer_by_memory_itself_has_only_what_it_rests_on() -> None:
    made = receipt_of("t1", done("memory"), ("Looking in memory",), ("f1",))
    assert made.facts == ("f1",)
    assert made.why == {"f1": "names Anna"}
    assert receipt.summary(made) == "From memory: 1 fact, 8 tokens; answered by memory itself"
    assert receipt.steps(made)[1] == "Memory answered by itself, from what is shown above; no model was asked"


def test_small_talk_is_told_under_steps() -> None:
    made = Receipt("t1", steps=("Looking in memory",), gate_reason="small talk", by="memory")
    assert made.recalled == 0
    assert receipt.steps(made)[0] == "Looking in memory: nothing was recalled, since the message is small talk"


def test_the_summary_names_every_sort() -> None:
    made = Receipt("t1", facts=("f1",), turns=("a", "b"), entities=("e",), tokens=1)
    assert receipt.summary(made) == "From memory: 1 fact, 2 messages, 1 entity, 1 token"


@pytest.mark.parametrize(
    ("triplet", "name"),
    [
        (("Anna", "lives in", "Lisbon"), "Anna"),
        (("You", "sister", "Anna"), "Anna"),
        (("You", "is", "42"), ""),
    ],
)
def test_attention_goes_to_the_first_end_that_can_have_it(triplet: tuple[str, str, str], name: str) -> None:
    assert receipt.about(told(*triplet)) == name


def test_receipts_are_there_for_another_session(tmp_path: Path) -> None:
    mine, other = Receipts(tmp_path), Receipts(tmp_path)
    kept = receipt_of("t1", done("llama3.2"), ("Reading",))
    mine.keep(kept)
    assert mine.get("t1") == kept
    other.refresh()
    assert other.get("t1") == kept
    mine.keep(Receipt("t2"))
    other.refresh()
    assert other.get("t2") == Receipt("t2")


def test_only_the_owner_may_read_them(tmp_path: Path) -> None:
    Receipts(tmp_path).keep(Receipt("t1"))
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


def test_lines_that_cannot_be_read_are_passed_over(tmp_path: Path) -> None:
    damaged = [b"\xff\xfe", b"[]", b"{}", b'{"turn": 1}', b'{"turn": "a", "tokens": "many"}', b"{"]
    good = json.dumps({"turn": "t1", "facts": "no list", "why": [], "unknown": 1}).encode()
    (tmp_path / FILE).write_bytes(b"\n".join([*damaged, good, b'{"turn": "cut o']))
    held = Receipts(tmp_path)
    held.refresh()
    assert held.get("t1") == Receipt("t1")
    assert held.get("a") is None


def test_after_clearing_nothing_is_left(tmp_path: Path) -> None:
    held = Receipts(tmp_path)
    held.keep(Receipt("t1"))
    held.refresh()
    (tmp_path / FILE).unlink()
    held.refresh()
    assert held.get("t1") is None


def test_a_folder_that_cannot_be_written_loses_only_the_file(tmp_path: Path) -> None:
    held = Receipts(tmp_path / "missing")
    held.keep(Receipt("t1"))
    held.refresh()
    assert held.get("t1") == Receipt("t1")
