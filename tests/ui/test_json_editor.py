from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memary_core.errors import InvalidInput
from memary_core.ui import json_editor as editor
from tests.hostile import NAMES

HEADER = '{"format":"memary stream","version":1,"scope":"a"}'
DATE = "2026-05-03T14:02:00+00:00"


def event(seq: int, name: str = "Anna", **more: Any) -> dict[str, Any]:
    return {"seq": seq, "entity": name, "date": DATE, **more}


def store_row(name: str, count: int = 1) -> dict[str, Any]:
    return {"entity": name, "count": count, "entity_id": f"id of {name}"}


class TestStore:
    @given(st.lists(st.sampled_from([name for name in NAMES if name.strip()]), unique=True))
    def test_text_and_rows_give_each_other(self, names: list[str]) -> None:
        rows = [store_row(name) for name in names]
        assert editor.read_store(editor.store_slice(rows).text) == rows

    def test_a_file_within_the_limit_is_shown_whole(self) -> None:
        assert editor.store_slice([store_row("Anna"), store_row("Ben")]).whole

    def test_of_a_larger_file_only_what_is_found(self) -> None:
        rows = [store_row(f"Entity {i}") for i in range(100)]
        shown = editor.store_slice(rows, "ENTITY 1", limit=1_000)
        assert not shown.whole
        assert (shown.found, shown.total) == (11, 100)
        assert [each["entity"] for each in shown.items] == ["Entity 1", *(f"Entity 1{i}" for i in range(10))]
        assert len(editor.store_slice(rows, "", limit=1_000).text) <= 1_000

    def test_rows_that_were_not_shown_stay(self) -> None:
        rows = [store_row("Anna"), store_row("Ben"), store_row("Carla")]
        shown = list(editor.store_slice(rows, "ben").items)
        assert editor.with_rows(rows, shown, [store_row("Ben", 9)]) == [store_row("Ben", 9), rows[0], rows[2]]
        assert editor.with_rows(rows, shown, []) == [rows[0], rows[2]]

    def test_what_does_not_parse_is_refused_with_its_place(self) -> None:
        with pytest.raises(InvalidInput, match="Line 2, column 1"):
            editor.read_store('[{"entity": "Anna"\n]')

    def test_the_difference_in_words(self) -> None:
        before = [store_row("Anna"), store_row("Ben"), store_row("Carla")]
        after = [store_row("Anna", 9), store_row("Carla"), {"entity": "Dora", "count": 1}]
        difference = editor.store_difference(before, after)
        assert str(difference) == "1 changed, 1 added, 1 removed"
        assert difference
        assert not editor.store_difference(before, before)


class TestStream:
    def read(self, text: str, *seqs: int) -> editor.StreamEdit:
        return editor.read_stream(text, HEADER, seqs)

    def test_text_and_events_give_each_other(self) -> None:
        events = [event(i, name) for i, name in enumerate(NAMES, 1)]
        shown = editor.stream_slice(HEADER, events)
        edit = editor.read_stream(shown.text, HEADER, {each["seq"] for each in events})
        assert [{"seq": seq, **each} for seq, each in edit.kept.items()] == events
        assert not editor.stream_difference(events, edit)

    def test_a_separator_within_a_name_does_not_end_a_line(self) -> None:
        events = [event(1, "one\u2028two"), event(2, "three\x85four")]
        edit = editor.read_stream(editor.stream_slice(HEADER, events).text, HEADER, {1, 2})
        assert [each["entity"] for each in edit.kept.values()] == ["one\u2028two", "three\x85four"]

    def test_a_changed_a_removed_and_a_new_line(self) -> None:
        events = [event(1), event(2), event(3)]
        text = "\n".join(
            [HEADER, json.dumps(event(1, "Ben")), json.dumps(event(3)), '{"entity": "Eve", "date": "' + DATE + '"}', ""]
        )
        edit = self.read(text, 1, 2, 3)
        assert {seq: each["entity"] for seq, each in edit.kept.items()} == {1: "Ben", 3: "Anna"}
        assert edit.added == [{"entity": "Eve", "date": DATE}]
        assert str(editor.stream_difference(events, edit)) == "1 changed, 1 added, 1 removed"

    @pytest.mark.parametrize("first", ["", '{"format":"memary stream","version":1,"scope":"b"}', json.dumps(event(1))])
    def test_the_header_must_stay(self, first: str) -> None:
        with pytest.raises(InvalidInput, match="Line 1 is the file's header"):
            self.read(f"{first}\n{json.dumps(event(1))}\n", 1)

    @pytest.mark.parametrize(
        ("line", "why"),
        [
            ('{"seq": 1,', "Line 2, column 11"),
            ("[1]", "Line 2: it is no object"),
            ("[" * 100_000, "Line 2"),
            (json.dumps(event(9)), "Line 2: seq 9 is none of the lines shown"),
            (json.dumps({**event(1), "seq": True}), "Line 2: seq True"),
            (json.dumps({**event(1), "date": "yesterday"}), "Line 2: date is 'yesterday'"),
            (json.dumps({**event(1), "entity": " "}), "Line 2: A name cannot be blank"),
            (json.dumps({**event(1), "source": "gossip"}), "Line 2: 'gossip'"),
            (json.dumps({**event(1), "kind": "thing"}), "Line 2: 'thing'"),
            (json.dumps({**event(1), "type": "set", "count": -1}), "Line 2: count is -1"),
            (json.dumps({**event(1), "entity": "\ud800"}), "Line 2"),
            (json.dumps(event(1)) + "\n" + json.dumps(event(1)), "Line 3: seq 1 is there twice"),
        ],
    )
    def test_what_is_no_event_is_refused_with_its_line(self, line: str, why: str) -> None:
        with pytest.raises(InvalidInput) as error:
            self.read(f"{HEADER}\n{line}\n", 1)
        assert str(error.value).startswith(why)
        assert "Nothing was changed" in str(error.value)
