"""The two files of attention, edited by hand while the memory is in use."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from memary_core.errors import InvalidInput, StoreChanged
from memary_core.memory import Memory

DATE = "2026-05-03T14:02:00+00:00"


def count(memory: Memory, name: str) -> int:
    found = memory.salience.get(name)
    return found.count if found else 0


def with_count(rows: list[dict[str, Any]], name: str, to: int) -> list[dict[str, Any]]:
    return [{**each, "count": to} if each["entity"] == name else dict(each) for each in rows]


class TestStore:
    def test_a_count_set_by_hand_keeps_the_mentions_made_since(self, plain: Memory) -> None:
        plain.mention(["Anna", "Anna", "Lisbon"])
        opened = plain.files.open_store()
        plain.mention(["Anna"])
        plain.files.save_store(with_count(opened.rows, "Anna", 9), opened.digest)
        assert (count(plain, "Anna"), count(plain, "Lisbon")) == (10, 1)

    def test_a_row_taken_out_is_dropped_and_a_new_one_counted(self, plain: Memory) -> None:
        plain.mention(["Anna", "Lisbon"])
        opened = plain.files.open_store()
        rows = [each for each in opened.rows if each["entity"] != "Anna"]
        plain.files.save_store([*rows, {"entity": "Porto", "count": 4}], opened.digest)
        assert {each.name: each.count for each in plain.salience.all()} == {"Lisbon": 1, "Porto": 4}

    def test_another_hand_was_quicker(self, plain: Memory) -> None:
        plain.mention(["Anna"])
        opened = plain.files.open_store()
        path = plain.files.store_path
        path.write_text(json.dumps(with_count(opened.rows, "Anna", 5)))
        with pytest.raises(StoreChanged, match="changed since it was opened"):
            plain.files.save_store(with_count(opened.rows, "Anna", 9), opened.digest)
        assert count(plain, "Anna") == 5

    @pytest.mark.parametrize(
        ("row", "why"),
        [
            ({"entity": "x" * 10_001, "count": 1}, "at most 10,000 characters"),
            ({"entity": "\ud800", "count": 1}, "Half a character"),
            ({"entity": "Ben", "count": "many"}, "count is 'many'"),
        ],
    )
    def test_a_row_that_cannot_be_is_refused_before_anything_is_written(
        self, plain: Memory, row: dict[str, Any], why: str
    ) -> None:
        plain.mention(["Anna"])
        opened = plain.files.open_store()
        before = plain.files.store_path.read_bytes()
        with pytest.raises(InvalidInput, match=why):
            plain.files.save_store([*opened.rows, row], opened.digest)
        assert plain.files.store_path.read_bytes() == before

    def test_an_id_used_twice_is_refused(self, plain: Memory) -> None:
        plain.mention(["Anna"])
        opened = plain.files.open_store()
        with pytest.raises(InvalidInput, match="already used"):
            plain.files.save_store([*opened.rows, *opened.rows], opened.digest)


class TestStream:
    def test_lines_are_changed_removed_and_added(self, plain: Memory) -> None:
        plain.mention(["Anna", "Anna", "Lisbon"])
        opened = plain.files.open_stream()
        events = {each["seq"]: {key: value for key, value in each.items() if key != "seq"} for each in opened.events}
        del events[1]
        plain.files.save_stream(events, [{"entity": "Porto", "date": DATE}], {1, 2, 3}, opened.digest)
        assert {each.name: each.count for each in plain.salience.all()} == {"Anna": 1, "Lisbon": 1, "Porto": 1}

    def test_lines_that_were_not_shown_stay(self, plain: Memory) -> None:
        plain.mention(["Anna", "Ben", "Carla"])
        opened = plain.files.open_stream()
        plain.files.save_stream({}, [], {2}, opened.digest)
        assert [each.name for each in plain.salience.all()] == ["Anna", "Carla"]

    def test_other_readers_follow(self, open_plain: Callable[..., Memory]) -> None:
        one, other = open_plain(), open_plain()
        one.mention(["Anna", "Anna"])
        assert count(other, "Anna") == 2
        opened = one.files.open_stream()
        one.files.save_stream({}, [], {1}, opened.digest)
        assert count(other, "Anna") == 1
        assert other.mention_total() == 1

    def test_the_same_after_opening_again(self, open_plain: Callable[..., Memory]) -> None:
        memory = open_plain()
        memory.mention(["Anna", "Anna", "Lisbon"])
        opened = memory.files.open_stream()
        memory.files.save_stream({}, [], {1}, opened.digest)
        memory.close()
        again = open_plain()
        assert (count(again, "Anna"), count(again, "Lisbon"), again.notes) == (1, 1, [])

    def test_a_mention_made_meanwhile_is_not_overwritten(self, plain: Memory) -> None:
        plain.mention(["Anna"])
        opened = plain.files.open_stream()
        plain.mention(["Lisbon"])
        with pytest.raises(StoreChanged):
            plain.files.save_stream({}, [], {1}, opened.digest)
        assert (count(plain, "Anna"), count(plain, "Lisbon")) == (1, 1)

    def test_an_event_that_is_none_is_refused(self, plain: Memory) -> None:
        plain.mention(["Anna"])
        opened = plain.files.open_stream()
        with pytest.raises(InvalidInput):
            plain.files.save_stream({}, [{"entity": "Ben", "date": "soon"}], {1}, opened.digest)
        assert plain.files.open_stream() == opened

    def test_an_empty_memory_opens(self, plain: Memory) -> None:
        assert plain.files.open_store().rows == []
        assert list(plain.files.open_stream().events) == []
