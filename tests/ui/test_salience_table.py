from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memary_core.attention import AttentionEdit
from memary_core.errors import StoreChanged
from memary_core.identity import canonical_key
from memary_core.memory import Memory
from memary_core.models import Kind, Salience
from memary_core.ui import salience_table as table
from tests.hostile import NAMES

NOW = datetime(2026, 5, 10, 12, tzinfo=UTC)
ANNA = Salience("a1", "Anna", 2, 1.5, NOW, kind=Kind.PERSON)
LISBON = Salience("b2", "Lisbon", 5, 3.0, NOW, pinned=True, kind=Kind.PLACE)
ROWS = (ANNA, LISBON)


def find(name: str) -> Salience | None:
    return next(
        (each for each in ROWS if name == each.entity_id or canonical_key(name) == canonical_key(each.name)), None
    )


def edited(row: int, **cells: Any) -> dict[str, Any]:
    return {"edited_rows": {row: cells}, "added_rows": [], "deleted_rows": []}


def added(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"edited_rows": {}, "added_rows": list(rows), "deleted_rows": []}


def texts(draft: table.Draft) -> list[str]:
    return [f"{each.name} {each.text}" for each in draft.lines]


def test_the_index_of_the_table_is_the_entity_id() -> None:
    frame = table.frame(ROWS)
    assert list(frame.index) == ["a1", "b2"]
    assert list(frame[table.COUNT]) == [2, 5]
    assert list(frame[table.KIND]) == ["person", "place"]


def test_hostile_names_come_through_the_table_unchanged() -> None:
    rows = [Salience(str(i), name, 1, 1.0, None) for i, name in enumerate(NAMES)]
    assert list(table.frame(rows)[table.NAME]) == list(NAMES)


def test_an_edit_carries_the_row_as_it_was_seen() -> None:
    draft = table.draft(ROWS, edited(0, Mentions=9), None, find)
    assert draft.edits == (AttentionEdit("a1", count=9, was=ANNA),)
    assert texts(draft) == ["Anna 2 → 9"]


def test_every_cell_of_a_row_goes_into_one_edit() -> None:
    draft = table.draft(ROWS, edited(1, Mentions=6, Name="Lisboa", Pinned=False, Muted=True), None, find)
    assert draft.edits == (AttentionEdit("b2", 6, "Lisboa", False, True, was=LISBON),)
    assert texts(draft) == ["Lisbon 5 → 6, renamed to Lisboa, unpinned, muted"]


def test_a_cell_set_back_to_what_it_was_is_no_change() -> None:
    assert table.draft(ROWS, edited(0, Mentions=2, Name="Anna", Pinned=False), None, find) == table.Draft()


def test_dropping_says_what_is_lost_and_wins_over_edits() -> None:
    state = {"edited_rows": {0: {"Mentions": 9}}, "added_rows": [], "deleted_rows": [0]}
    draft = table.draft(ROWS, state, None, find)
    assert draft.edits == (AttentionEdit("a1", drop=True, was=ANNA),)
    assert draft.drops
    assert texts(draft) == ["Anna dropped from attention, with its count of 2"]


def test_a_new_row_is_a_new_entity() -> None:
    draft = table.draft(ROWS, None, added({"Name": "  Porto ", "Mentions": 3, "Pinned": True, "Muted": False}), find)
    assert draft.edits == (AttentionEdit("Porto", 3, None, True, False),)
    assert texts(draft) == ["Porto new, 3 mentions, pinned"]


def test_a_new_row_with_a_known_name_changes_that_entity() -> None:
    draft = table.draft(ROWS, None, added({"Name": "anna", "Mentions": 4}), find)
    assert draft.edits == (AttentionEdit("a1", 4, was=ANNA),)
    assert texts(draft) == ["Anna 2 → 4"]


def test_an_empty_new_row_is_nothing() -> None:
    assert table.draft(ROWS, None, added({}, {"Name": None, "Mentions": None}), find) == table.Draft()


@pytest.mark.parametrize(
    ("changed", "new", "problem"),
    [
        (edited(0, Mentions=None), {}, "Anna has no number of mentions"),
        (edited(0, Name="42"), {}, "42 is a value"),
        ({}, added({"Name": "2026-05-01", "Mentions": 1}), "2026-05-01 is a value"),
        (edited(0, Name=" "), {}, "Anna would have no name"),
        (edited(0, Name="LISBON"), {}, "LISBON is already the name of another entity"),
        ({}, added({"Name": "Porto", "Mentions": None}), "Porto has no number of mentions"),
        ({}, added({"Name": "", "Mentions": 3}), "A new entity has no name"),
        ({}, added({"Name": "Porto", "Mentions": 1}, {"Name": "porto", "Mentions": 2}), "porto is there twice"),
        (edited(0, Mentions=3), added({"Name": "Anna", "Mentions": 7}), "Anna is there twice"),
        (edited(0, Name="Porto"), added({"Name": "Porto", "Mentions": 7}), "Porto is there twice"),
    ],
)
def test_what_cannot_be_saved_is_said(changed: dict[str, Any], new: dict[str, Any], problem: str) -> None:
    [said] = table.draft(ROWS, changed, new, find).problems
    assert problem in said


def test_states_of_other_rows_do_no_harm() -> None:
    state = {"edited_rows": {7: {"Mentions": 9}}, "added_rows": [], "deleted_rows": [8, -1]}
    assert table.draft(ROWS, state, None, find) == table.Draft()


@pytest.mark.parametrize(
    ("states", "is_edited"),
    [
        ((None, None), False),
        (({"edited_rows": {}, "added_rows": [], "deleted_rows": []},), False),
        ((edited(0, Mentions=1),), True),
        ((None, added({})), True),
        (({"deleted_rows": [0]},), True),
    ],
)
def test_whether_anything_is_edited(states: tuple[Any, ...], is_edited: bool) -> None:
    assert table.is_edited(*states) is is_edited


def test_only_the_score_may_differ_between_the_same_rows() -> None:
    later = Salience("a1", "Anna", 2, 1.2, NOW, kind=Kind.PERSON)
    newer = Salience("a1", "Anna", 2, 1.5, NOW + timedelta(hours=1), kind=Kind.PERSON)
    assert table.same_rows([ANNA], [later])
    assert not table.same_rows([ANNA], [newer])
    assert not table.same_rows([ANNA], [])


class TestAgainstAMemory:
    """The edits, applied: what somebody else did meanwhile is never overwritten unseen."""

    def look_up(self, memory: Memory) -> table.Find:
        return lambda name: memory.salience.get(name)

    def test_a_count_is_set(self, plain: Memory) -> None:
        plain.mention(["Anna", "Anna", "Lisbon"])
        rows, _ = plain.salience.listed()
        plain.salience.apply(table.draft(rows, edited(0, Mentions=9), None, self.look_up(plain)).edits)
        found = plain.salience.get("Anna")
        assert found is not None and found.count == 9

    def test_a_row_changed_elsewhere_is_refused_and_the_change_is_shown(self, plain: Memory) -> None:
        plain.mention(["Anna", "Anna", "Lisbon"])
        rows, _ = plain.salience.listed()
        plain.mention(["Anna"])
        find = self.look_up(plain)
        draft = table.draft(rows, edited(0, Mentions=9), None, find)
        with pytest.raises(StoreChanged):
            plain.salience.apply(draft.edits)
        assert table.conflicts(draft.edits, find) == ["Anna: 2 when you opened it, now 3"]
        plain.salience.apply(table.rebased(draft.edits, find))
        found = plain.salience.get("Anna")
        assert found is not None and found.count == 9

    def test_a_row_dropped_elsewhere(self, plain: Memory) -> None:
        plain.mention(["Anna", "Anna", "Lisbon"])
        rows, _ = plain.salience.listed()
        plain.salience.drop("Anna")
        find = self.look_up(plain)
        state = {"edited_rows": {1: {"Mentions": 4}}, "deleted_rows": [0]}
        draft = table.draft(rows, state, None, find)
        assert table.conflicts(draft.edits, find) == ["Anna: dropped meanwhile"]
        assert [each.entity for each in table.rebased(draft.edits, find)] == [rows[1].entity_id]

    def test_pins_and_names_changed_elsewhere_are_named(self, plain: Memory) -> None:
        plain.mention(["Anna"])
        rows, _ = plain.salience.listed()
        plain.salience.apply([AttentionEdit("Anna", name="Anna Maria", pinned=True)])
        draft = table.draft(rows, edited(0, Mentions=4), None, self.look_up(plain))
        assert table.conflicts(draft.edits, self.look_up(plain)) == ["Anna: now named Anna Maria, now pinned"]

    def test_a_new_entity_is_there(self, plain: Memory) -> None:
        state = added({"Name": "<img src=x onerror=alert(1)>", "Mentions": 2, "Muted": True})
        plain.salience.apply(table.draft([], None, state, self.look_up(plain)).edits)
        [found] = plain.salience.all()
        assert (found.name, found.count, found.muted) == ("<img src=x onerror=alert(1)>", 2, True)
