from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memary_core.models import Kind, Salience
from memary_core.ui import salience_charts as charts
from memary_core.ui.period import Period
from tests.hostile import NAMES

NOW = datetime(2026, 5, 10, 12, tzinfo=UTC)


def row(name: str, count: int = 1, entity_id: str = "") -> Salience:
    return Salience(entity_id or name, name, count, count / 2, NOW, kind=Kind.PERSON)


def values(chart: Any) -> list[dict[str, Any]]:
    """The rows a chart was given, as they go to the browser."""
    [rows] = chart.to_dict()["datasets"].values()
    return list(rows)


class TestLabels:
    @given(st.lists(st.text(max_size=40), max_size=12))
    def test_no_two_are_alike_and_none_is_long(self, names: list[str]) -> None:
        found = charts.labels((str(i), name) for i, name in enumerate(names))
        assert len(set(found.values())) == len(names)
        assert all(len(label) <= 32 for label in found.values())

    def test_a_long_name_is_cut(self) -> None:
        assert charts.labels([("1", "x" * 10_000)])["1"] == "x" * 25 + "…"

    def test_a_short_name_is_left_as_it_is(self) -> None:
        assert charts.labels([("1", "'}) DETACH DELETE (n)//")])["1"] == "'}) DETACH DELETE (n)//"


class TestBars:
    def test_each_entity_has_count_and_score(self) -> None:
        rows = values(charts.bars([row("Anna", 9), row("Lisbon", 4)]))
        assert [(each["name"], each["count"], each["score"]) for each in rows] == [("Anna", 9, 4.5), ("Lisbon", 4, 2.0)]

    def test_names_stay_data(self) -> None:
        spec = charts.bars([row(name, entity_id=str(i)) for i, name in enumerate(NAMES)]).to_dict()
        shown = {each["name"] for each in next(iter(spec.pop("datasets").values()))}
        assert {name for name in NAMES if len(name) <= 120} <= shown
        encodings = json.dumps([layer["mark"] for layer in spec["layer"]])
        assert "DETACH" not in encodings

    def test_a_click_gives_the_ids_once(self) -> None:
        event = {"selection": {charts.PICKED: [{"id": "a"}, {"id": "b"}, {"id": "a"}]}}
        assert charts.picked_ids(event) == ["a", "b"]

    @pytest.mark.parametrize(
        "event", [None, {}, {"selection": None}, {"selection": {}}, {"selection": {charts.PICKED: "a"}}, "a"]
    )
    def test_anything_else_gives_none(self, event: object) -> None:
        assert charts.picked_ids(event) == []


class TestTimeline:
    def test_blocks_stand_on_one_another(self) -> None:
        counts = {("a", "2026-05-01"): 2, ("b", "2026-05-01"): 3, ("b", "2026-05-03"): 1}
        week = Period(date(2026, 5, 1), date(2026, 5, 7))
        blocks = charts.stacks(counts, ["a", "b"], week)
        assert [(each["start"].day, each["id"], each["low"], each["high"]) for each in blocks] == [
            (1, "a", 0, 2),
            (1, "b", 2, 5),
            (3, "b", 0, 1),
        ]

    def test_longer_periods_have_weeks_from_monday_then_months(self) -> None:
        half = Period(date(2026, 1, 1), date(2026, 6, 30))
        [block] = charts.stacks({("a", "2026-05-06"): 1, ("a", "2026-05-10"): 1}, ["a"], half)
        assert (charts.step(half), block["start"], block["count"]) == ("week", date(2026, 5, 4), 2)
        years = Period(date(2023, 1, 1), date(2026, 6, 30))
        [block] = charts.stacks({("a", "2026-05-06"): 1, ("a", "2026-05-30"): 1}, ["a"], years)
        assert (charts.step(years), block["start"], block["count"]) == ("month", date(2026, 5, 1), 2)

    @given(
        st.dictionaries(
            st.tuples(st.sampled_from("abc"), st.dates(date(2024, 1, 1), date(2026, 1, 1)).map(date.isoformat)),
            st.integers(1, 50),
            max_size=30,
        )
    )
    def test_no_mention_is_lost(self, counts: dict[tuple[str, str], int]) -> None:
        for days in (10, 200, 1000):
            period = Period(date(2026, 1, 1) - timedelta(days), date(2026, 1, 1))
            blocks = charts.stacks(counts, ["a", "b", "c"], period)
            assert sum(each["high"] - each["low"] for each in blocks) == sum(counts.values())

    def test_the_chart_names_what_it_shows(self) -> None:
        week = Period(date(2026, 5, 1), date(2026, 5, 7))
        blocks = charts.stacks({("a", "2026-05-01"): 2}, ["a"], week)
        [drawn] = values(charts.timeline(blocks, {"a": "Anna"}, week))
        assert (drawn["label"], drawn["when"], drawn["count"]) == ("Anna", "1 May 2026", 2)


class TestChanges:
    def test_what_rises_comes_first_and_what_stays_is_left_out(self) -> None:
        found = charts.changes({"a": 5, "b": 2, "c": 3}, {"a": 1, "b": 2, "d": 7})
        assert [(each.entity_id, each.difference) for each in found] == [("d", 7), ("c", -3), ("a", -4)]
        assert charts.tally({"a": 5, "b": 2, "c": 3}, {"a": 1, "b": 2, "d": 7}) == (1, 2)

    def test_the_most_changed_of_both_ways(self) -> None:
        found = [charts.Change(str(i), 0, i) for i in (9, 5, 1)] + [charts.Change(str(-i), i, 0) for i in (1, 4)]
        assert [each.difference for each in charts.most_changed(found, 2)] == [9, 5, -1, -4]
        assert charts.most_changed([], 2) == []

    def test_the_difference_has_its_sign(self) -> None:
        found = [charts.Change("a", 1, 1500), charts.Change("b", 3, 1)]
        rows = values(charts.change_bars(found, {"a": "Anna", "b": "Ben"}))
        assert [(each["shown"], each["way"], each["was"]) for each in rows] == [
            ("+1,499", "rises", "1 → 1,500"),
            ("−2", "fades", "3 → 1"),
        ]
