from __future__ import annotations

import json
import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memary_core.memory import Memory
from memary_core.snapshot import dump_rows, parse_rows

Open = Callable[..., Memory]
NAMES = ("Anna", "anna", "Lisbon", "東京", "Rex")


def store_path(memory: Memory) -> Path:
    return memory.folder / "entity_knowledge_store.json"


def counts(memory: Memory) -> dict[str, int]:
    return {each.name: each.count for each in memory.salience.all()}


def edit_by_hand(memory: Memory, change: Callable[[list[dict]], object]) -> None:
    rows = json.loads(store_path(memory).read_text("utf-8"))
    change(rows)
    store_path(memory).write_text(json.dumps(rows, indent=2, ensure_ascii=False), "utf-8")


def row(rows: list[dict], name: str) -> dict:
    return next(each for each in rows if each["entity"] == name)


def test_the_file_is_an_array_a_person_can_read(plain: Memory) -> None:
    plain.mention(["NVIDIA", "nvidia", "東京"])
    plain.save()
    rows = json.loads(store_path(plain).read_text("utf-8"))
    assert [(each["entity"], each["count"]) for each in rows] == [("NVIDIA", 2), ("東京", 1)]
    assert list(rows[0])[:3] == ["entity", "count", "date"]
    assert "東京" in store_path(plain).read_text("utf-8")


def test_a_scope_opens_from_its_snapshot_as_it_does_from_its_logs(open_plain: Open) -> None:
    first = open_plain()
    first.mention(["Anna", "Lisbon", "Anna"], at=datetime(2026, 1, 1, tzinfo=UTC))
    first.salience.pin("Lisbon")
    first.salience.mute("Anna")
    first.save()
    from_snapshot = open_plain().salience.all(now=datetime(2026, 6, 1, tzinfo=UTC))
    for file in first.folder.glob("entity_knowledge_store*"):
        file.unlink()
    assert open_plain().salience.all(now=datetime(2026, 6, 1, tzinfo=UTC)) == from_snapshot
    assert {each.name: (each.pinned, each.muted) for each in from_snapshot} == {
        "Anna": (False, True),
        "Lisbon": (True, False),
    }


def test_an_opened_snapshot_is_followed_by_the_stream(open_plain: Open) -> None:
    first = open_plain()
    first.mention(["Anna"])
    first.save()
    first.mention(["Anna", "Rex"])
    assert counts(open_plain()) == {"Anna": 2, "Rex": 1}


def test_nine_by_hand_then_one_mention_is_ten(open_plain: Open) -> None:
    memory = open_plain()
    memory.mention(["Anna", "Anna"])
    memory.save()
    edit_by_hand(memory, lambda rows: rows[0].update(count=9))
    memory.mention(["Anna"])
    assert counts(memory) == {"Anna": 10}
    assert counts(open_plain()) == {"Anna": 10}
    assert any("by hand" in note for note in memory.notes)


def test_a_hand_edit_keeps_mentions_that_came_after_the_snapshot(open_plain: Open) -> None:
    memory = open_plain()
    memory.mention(["Anna", "Anna"])
    memory.save()
    text = store_path(memory).read_text("utf-8")
    memory.mention(["Anna"])
    store_path(memory).write_text(text.replace('"count": 2', '"count": 9'), "utf-8")
    assert counts(open_plain()) == {"Anna": 10}


def test_a_hand_edit_becomes_an_event_with_the_old_value(open_plain: Open) -> None:
    memory = open_plain()
    memory.mention(["Anna", "Anna"])
    memory.save()
    edit_by_hand(memory, lambda rows: rows[0].update(count=9))
    open_plain()
    events = [json.loads(line) for line in (memory.folder / "memory_stream.jsonl").read_text().splitlines()]
    assert [(each["count"], each["was"], each["by"]) for each in events if each.get("type") == "set"] == [
        (9, 2, "hand")
    ]


def test_a_row_removed_by_hand_is_dropped_and_one_added_is_counted(open_plain: Open) -> None:
    memory = open_plain()
    memory.mention(["Anna", "Lisbon"])
    memory.save()
    edit_by_hand(memory, lambda rows: (rows.remove(row(rows, "Lisbon")), rows.append({"entity": "Rex", "count": 4})))
    assert counts(open_plain()) == {"Rex": 4, "Anna": 1}


def test_a_name_changed_by_hand_renames_and_the_old_name_still_finds_it(open_plain: Open) -> None:
    memory = open_plain()
    memory.mention(["NYC"])
    memory.save()
    edit_by_hand(memory, lambda rows: rows[0].update(entity="New York City"))
    again = open_plain()
    assert counts(again) == {"New York City": 1}
    assert again.mention(["nyc"])[0].name == "New York City"


def test_a_hand_edit_that_does_not_parse_is_set_aside_and_counts_stay(open_plain: Open) -> None:
    memory = open_plain()
    memory.mention(["Anna"])
    memory.save()
    store_path(memory).write_text('[{"entity": "Anna", "count": 9', "utf-8")
    again = open_plain()
    assert counts(again) == {"Anna": 1}
    [aside] = memory.folder.glob("entity_knowledge_store.damaged-*")
    assert aside.read_text("utf-8").endswith('"count": 9')
    assert any(aside.name in note and "Line 1, column" in note for note in again.notes)
    again.mention(["Anna"])
    again.save()
    assert json.loads(store_path(again).read_text())[0]["count"] == 2


def test_an_edit_while_two_sessions_are_open_reaches_both(open_plain: Open) -> None:
    one, other = open_plain(), open_plain()
    one.mention(["Anna"])
    one.save()
    assert counts(other) == {"Anna": 1}
    edit_by_hand(one, lambda rows: rows[0].update(count=5))
    assert counts(other) == counts(one) == {"Anna": 5}
    events = (one.folder / "memory_stream.jsonl").read_text().count('"type":"set"')
    assert events == 1


def test_a_line_deleted_from_the_stream_by_hand_lowers_the_count_and_is_recorded(open_plain: Open) -> None:
    memory = open_plain()
    memory.mention(["Anna", "Lisbon", "Anna"])
    memory.save()
    path = memory.folder / "memory_stream.jsonl"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:1] + lines[2:]), "utf-8")
    again = open_plain()
    assert counts(again) == {"Anna": 1, "Lisbon": 1}
    assert any("deleted by hand" in note for note in again.notes)
    assert '"type":"removed","from":1,"to":1' in path.read_text("utf-8")
    assert open_plain().notes == []


@pytest.mark.parametrize("rename", [True, False], ids=["by rename", "in place"])
def test_the_stream_edited_by_hand_while_it_is_open_is_counted_anew(open_plain: Open, rename: bool) -> None:
    memory = open_plain()
    memory.mention(["Anna", "Lisbon", "Anna", "Anna"])
    path = memory.folder / "memory_stream.jsonl"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    target = path.with_suffix(".new") if rename else path
    target.write_text("".join(lines[:1] + lines[2:]), "utf-8")
    if rename:
        target.replace(path)
    assert counts(memory) == {"Anna": 2, "Lisbon": 1}
    assert any("deleted by hand" in note for note in memory.notes)
    memory.mention(["Rex"])
    expected = {"Anna": 2, "Lisbon": 1, "Rex": 1}
    assert counts(memory) == expected == counts(open_plain())


def test_a_damaged_line_is_set_aside_by_name_and_number_and_saving_works(open_plain: Open) -> None:
    memory = open_plain()
    memory.mention(["Anna"])
    bad = ['{"entity": "Rex", "date": "soon"}', '{"entity": 3, "date": "2026-05-03T14:02:00Z"}', "garbage"]
    with (memory.folder / "memory_stream.jsonl").open("a") as file:
        file.write("\n".join(bad) + '\n{"entity": "Rex", "date": "2026-05-03T14:02:00Z"}\n')
    assert counts(memory) == {"Anna": 1, "Rex": 1}
    [aside] = memory.folder.glob("memory_stream.damaged-*")
    assert [f"line {number} " in aside.read_text() for number in (3, 4, 5)] == [True] * 3
    assert any(aside.name in note and "3, 4, 5" in note for note in memory.notes)
    memory.mention(["Rex"])
    assert counts(open_plain()) == {"Rex": 2, "Anna": 1}


def test_a_mention_by_another_program_counts_and_keeps_its_identity(open_plain: Open) -> None:
    memory = open_plain()
    with (memory.folder / "memory_stream.jsonl").open("a") as file:
        file.write('{"entity": "Anna", "date": "2026-05-03T14:02:00+00:00"}\n' * 2)
    assert counts(memory) == {"Anna": 2}
    first = memory.salience.get("Anna")
    second = open_plain().salience.get("anna")
    assert first and second and first.entity_id == second.entity_id
    assert first.last_mentioned == datetime(2026, 5, 3, 14, 2, tzinfo=UTC)


def test_another_half_life_is_computed_from_the_logs(open_plain: Open) -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    now = at + timedelta(days=30)
    memory = open_plain(half_life_days=30.0)
    memory.mention(["Anna"], at=at)
    memory.save()
    scores = [open_plain(half_life_days=days).salience.top(1, now=now)[0].score for days in (30.0, 15.0, math.inf)]
    assert scores == pytest.approx([0.5, 0.25, 1.0])


def test_the_snapshot_is_not_written_at_every_mention(plain: Memory) -> None:
    for _ in range(20):
        plain.mention(["Anna"])
    assert not store_path(plain).exists()


mentions = st.tuples(st.just("mention"), st.sampled_from(NAMES), st.integers(-400, 10))
edits = st.tuples(
    st.sampled_from(["set", "drop", "hand", "save", "reopen"]), st.sampled_from(NAMES), st.integers(0, 20)
)


@given(st.lists(st.one_of(mentions, edits), max_size=25))
def test_counts_equal_a_plain_recomputation_through_edits_and_reopening(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, int]]
) -> None:
    from memary_core.scope import Scope
    from memary_core.settings import Settings

    folder = tmp_path_factory.mktemp("scopes")
    chosen = Settings(data_dir=folder)
    memory = Memory(Scope("alice", folder), chosen)
    expected: dict[str, int] = {}
    for kind, name, number in steps:
        key = name.casefold()
        if kind == "mention":
            memory.mention([name], at=datetime(2026, 6, 1, tzinfo=UTC) + timedelta(days=number))
            expected[key] = expected.get(key, 0) + 1
        elif kind == "set":
            memory.salience.set_count(name, number)
            expected[key] = number
        elif kind == "drop" and key in expected:
            memory.salience.drop(name)
            del expected[key]
        elif kind == "hand" and key in expected:
            memory.save()
            shown = memory.salience.get(name)
            assert shown is not None
            edit_by_hand(memory, lambda rows, shown=shown, number=number: row(rows, shown.name).update(count=number))
            expected[key] = number
        elif kind == "save":
            memory.save()
        elif kind == "reopen":
            memory.close()
            memory = Memory(Scope("alice", folder), chosen)
        assert {each.casefold(): count for each, count in counts(memory).items()} == expected
    memory.close()


def test_rows_are_written_and_read_back() -> None:
    rows = [{"entity": "“Anna”\n", "count": 2, "date": None}, {"entity": "東京", "count": 0, "date": None}]
    assert parse_rows(dump_rows(rows)) == rows
    assert parse_rows(dump_rows([])) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[{]", "Line 1, column 3"),
        ('[\n {"entity": "A"},\n {"entity" 3}]', "Line 3, column 12"),
        ("{}", "not an array"),
        ('[{"count": 1}]', "Entity 1"),
        ('[{"entity": " "}]', "Entity 1"),
        ('[{"entity": "A"}, {"entity": "B", "count": "7"}]', "Entity 2: count is '7'"),
        ('[{"entity": "A", "count": -1}]', "count is -1"),
        ('[{"entity": "A", "count": true}]', "count is True"),
        ('[{"entity": "A", "kind": "ghost"}]', "kind is 'ghost'"),
        ('[{"entity": "A", "colour": 1}]', "'colour' is no field"),
    ],
)
def test_what_is_wrong_with_rows_is_said_with_its_place(text: str, message: str) -> None:
    from memary_core.errors import InvalidInput

    with pytest.raises(InvalidInput, match=message.replace("(", r"\(")):
        parse_rows(text)
