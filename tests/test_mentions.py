"""Mentions chosen, counted and forgotten; entities listed."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memary_core.memory import Memory
from memary_core.models import Kind, SourceKind

MAY = datetime(2026, 5, 3, 14, tzinfo=UTC)


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    def set_zone(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield set_zone
    monkeypatch.undo()
    time.tzset()


def ids(memory: Memory, *names: str) -> list[str]:
    return [entity.id for name in names if (entity := memory.entity(name))]


def append(memory: Memory, **event: Any) -> None:
    with memory.files.stream_path.open("a") as file:
        file.write(json.dumps(event) + "\n")


def test_mentions_are_chosen_by_entity_time_and_source(plain: Memory) -> None:
    plain.mention(["Anna", "Lisbon"], at=MAY)
    plain.mention(["Anna"], at=MAY + timedelta(days=2))
    plain.observe("Anna is fine.", speaker="assistant", at=MAY + timedelta(days=3))
    anna = ids(plain, "Anna")
    assert [each.date.day for each in plain.mentions(anna)] == [6, 5, 3]
    assert [each.entity for each in plain.mentions(before=MAY + timedelta(days=1))] == ["Lisbon", "Anna"]
    assert [each.date.day for each in plain.mentions(anna, after=MAY + timedelta(days=1))] == [6, 5]
    assert [each.date.day for each in plain.mentions(sources=[SourceKind.ASSISTANT])] == [6]
    assert len(plain.mentions(limit=2)) == 2
    assert plain.mention_total() == 4
    assert plain.mention_total(anna, sources=[SourceKind.USER]) == 2
    assert plain.mention_total([], before=MAY) == 0


def test_only_the_owners_mentions_are_counted(plain: Memory) -> None:
    plain.mention(["Anna", "Anna", "Lisbon"], at=MAY)
    plain.observe("Anna is fine.", speaker="assistant", at=MAY)
    anna, lisbon = ids(plain, "Anna", "Lisbon")
    assert plain.mentioned(MAY, MAY + timedelta(seconds=1)) == {anna: 2, lisbon: 1}
    assert plain.mentioned(MAY - timedelta(days=1), MAY) == {}
    assert set(plain.mention_counts([anna]).values()) == {2}


@pytest.mark.parametrize(("name", "day"), [("UTC", "2026-05-03"), ("Pacific/Kiritimati", "2026-05-04")])
def test_days_are_those_of_the_machines_zone(plain: Memory, zone: Any, name: str, day: str) -> None:
    zone(name)
    plain.mention(["Anna"], at=MAY)
    assert [key[1] for key in plain.mention_counts()] == [day]


def test_lines_of_other_programs_are_read_or_passed_over(plain: Memory) -> None:
    plain.mention(["Anna"], at=MAY)
    append(plain, entity="Ben", date=MAY.isoformat())
    append(plain, entity="Carla", date=MAY.isoformat(), source="a robot")
    append(plain, entity="Dora", date=MAY.isoformat(), source=["user"])
    append(plain, entity="Eve", date=MAY.isoformat(), turn=7)
    found = {each.entity: each.source for each in plain.mentions()}
    assert found.keys() >= {"Anna", "Ben", "Carla"}
    assert (found["Ben"], found["Carla"]) == (SourceKind.USER, SourceKind.IMPORT)


def test_the_revision_tells_whether_anything_changed(plain: Memory) -> None:
    first = plain.revision
    assert plain.revision == first
    plain.mention(["Anna"])
    assert plain.revision != first


class TestListed:
    def names(self, memory: Memory, *args: Any, **options: Any) -> tuple[list[str], int]:
        rows, total = memory.salience.listed(*args, **options)
        return [each.name for each in rows], total

    def test_the_most_mentioned_come_first(self, plain: Memory) -> None:
        plain.mention(["Anna", "Lisbon", "Lisbon", "Porto", "Porto", "Porto"])
        assert self.names(plain) == (["Porto", "Lisbon", "Anna"], 3)
        assert self.names(plain, limit=1) == (["Porto"], 3)

    def test_by_score_what_was_mentioned_lately_wins(self, plain: Memory) -> None:
        now = datetime.now(UTC)
        plain.mention(["Lisbon"] * 3, at=now - timedelta(days=300))
        plain.mention(["Porto"], at=now)
        assert self.names(plain, by="count")[0] == ["Lisbon", "Porto"]
        assert self.names(plain, by="score")[0] == ["Porto", "Lisbon"]

    def test_a_part_of_a_name_a_kind_and_muting_narrow_it(self, plain: Memory) -> None:
        plain.mention(["Anna", "Annette", "Lisbon"])
        plain.salience.mute("Annette")
        assert sorted(self.names(plain, "ann")[0]) == ["Anna", "Annette"]
        assert self.names(plain, "ann", muted=False) == (["Anna"], 1)
        assert self.names(plain, kinds=[Kind.PLACE]) == ([], 0)

    def test_values_and_dropped_entities_are_not_in_it(self, plain: Memory) -> None:
        plain.mention(["Anna", "42", "Lisbon"])
        plain.salience.drop("Lisbon")
        assert self.names(plain) == (["Anna"], 1)
        assert plain.salience.total() == 1
        assert self.names(plain, "l") == ([], 0)
