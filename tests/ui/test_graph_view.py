"""Which facts of a neighbourhood are drawn, and how."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from memary_core.models import Kind, Precision, SourceKind, Subgraph, Trust
from memary_core.ui import graph_view as view
from memary_core.ui.graph_view import Look
from tests.hostile import NAMES
from tests.ui.graph_examples import NOON, around, entity, fact, salience

pytest.importorskip("pyvis")

EVERYTHING = view.wanted(list(Look), list(SourceKind))


def drawn(found: Subgraph, centre: str = "Anna", hops: int = 2) -> view.Shown:
    return view.shown(found, entity(centre), EVERYTHING, hops)


class TestLook:
    def test_follows_trust(self) -> None:
        assert view.look(fact("Anna", "knows", "Tom")) is Look.ACCEPTED
        assert view.look(fact("Anna", "knows", "Tom", trust=Trust.CANDIDATE)) is Look.CANDIDATE

    def test_closed_is_superseded_but_rejected_stays_rejected(self) -> None:
        assert view.look(fact("Anna", "lives in", "Porto", valid_to=NOON)) is Look.SUPERSEDED
        assert view.look(fact("Anna", "lives in", "Porto", valid_to=NOON, trust=Trust.REJECTED)) is Look.REJECTED

    def test_was_not_superseded_before_it_was_closed(self) -> None:
        closed = fact("Anna", "lives in", "Porto", valid_to=NOON)
        assert view.look(closed, NOON - timedelta(days=1)) is Look.ACCEPTED
        assert view.look(closed, NOON) is Look.SUPERSEDED

    def test_superseded_facts_are_sought_among_those_once_believed(self) -> None:
        assert view.trusts_for([Look.REJECTED]) == {Trust.REJECTED}
        assert view.trusts_for([Look.SUPERSEDED]) == {Trust.ACCEPTED, Trust.CANDIDATE}


class TestShown:
    FOUND = around("Anna", fact("Anna", "knows", "Tom"), fact("Tom", "lives in", "Porto", SourceKind.TOOL))

    def test_keeps_everything_that_is_wanted(self) -> None:
        left = drawn(self.FOUND)
        assert [each.name for each in left.nodes] == ["Anna", "Tom", "Porto"]
        assert left.distance == {"id-Anna": 0, "id-Tom": 1, "id-Porto": 2}

    def test_drops_what_only_an_unwanted_fact_reaches(self) -> None:
        left = view.shown(self.FOUND, entity("Anna"), view.wanted(list(Look), [SourceKind.USER]), 2)
        assert [each.name for each in left.nodes] == ["Anna", "Tom"]
        assert [each.predicate for each in left.edges] == ["knows"]

    def test_keeps_a_fact_that_one_of_its_sources_was_asked_for(self) -> None:
        both = fact("Anna", "knows", "Tom")
        both = fact("Anna", "knows", "Tom", sources=(*both.sources, fact("a", "b", "c", SourceKind.TOOL).sources[0]))
        assert view.wanted([Look.ACCEPTED], [SourceKind.TOOL])(both)
        assert not view.wanted([Look.ACCEPTED], [SourceKind.ASSISTANT])(both)

    def test_keeps_the_centre_of_which_nothing_is_known(self) -> None:
        left = drawn(Subgraph((), (), 0))
        assert [each.name for each in left.nodes] == ["Anna"]
        assert view.tally(left) == "1 entity shown, 0 facts"

    def test_says_how_many_were_left_out(self) -> None:
        found = around("Anna", fact("Anna", "knows", "Tom"), total=1204)
        assert view.tally(drawn(found)) == "2 of 1,204 entities shown, 1 fact"


class TestLabels:
    def test_are_cut_at_forty_characters(self) -> None:
        assert view.cut("x" * 10_000) == "x" * 39 + "…"
        assert view.cut("x" * 40) == "x" * 40

    @pytest.mark.parametrize("sign", ["e\u0301", "👩\u200d👩\u200d👧"])
    def test_are_not_cut_inside_a_composed_sign(self, sign: str) -> None:
        for before in range(30, 41):
            left = view.cut("x" * before + sign + "y" * 20).removesuffix("…").lstrip("x")
            assert left in ("", *((sign + "y" * n) for n in range(20)))

    def test_tell_entities_of_one_name_apart(self) -> None:
        twice = [entity("Paris"), entity("Paris", Kind.PLACE), entity("Anna", Kind.PERSON, "Annie")]
        labels = view.names([twice[0], type(twice[1])("other", "Paris"), twice[2]])
        assert list(labels.values()) == ["Paris", "Paris · 2", "Anna (also Annie)"]


class TestDrawing:
    FOUND = around(
        "Anna",
        fact("Anna", "knows", "Tom"),
        fact("Tom", "knows", "Anna", trust=Trust.CANDIDATE),
        fact("Tom", "is", "x"),
    )

    def test_names_arrive_as_labels_and_are_never_markup(self) -> None:
        for name in NAMES:
            found = around("Anna", fact("Anna", "knows", name))
            node = next(each for each in view.drawing(drawn(found), {})["nodes"] if each["id"] == f"id-{name}")
            assert node["label"] == view.cut(name)
            assert len(node["label"]) <= view.MAX_LABEL
            assert set(node) == {"id", "label", "shape", "group", "size", "title", "x", "y"}

    def test_size_grows_with_salience(self) -> None:
        rows = {"id-Anna": salience("Anna", 16), "id-Tom": salience("Tom", 4)}
        size = {each["id"]: each["size"] for each in view.drawing(drawn(self.FOUND), rows)["nodes"]}
        assert size["id-Anna"] == view.LARGEST > size["id-Tom"] > size["id-x"] == view.SMALLEST

    def test_you_have_a_shape_of_your_own(self) -> None:
        assert [kind for kind, shape in view.SHAPES.items() if shape == view.SHAPES[Kind.SELF]] == [Kind.SELF]

    def test_edges_carry_their_look_and_lie_side_by_side(self) -> None:
        edges = view.drawing(drawn(self.FOUND), {})["edges"]
        there, back = edges[:2]
        assert (there["look"], back["look"]) == ("accepted", "candidate")
        assert (there["from"], there["to"]) == (back["to"], back["from"])
        assert there["bend"] != -back["bend"]

    def test_marks_the_centre_and_what_is_selected(self) -> None:
        given = view.drawing(drawn(self.FOUND), {}, ("edge", "Anna knows Tom"))
        assert given["centre"] == "id-Anna"
        assert given["selected"] == {"what": "edge", "id": "Anna knows Tom"}

    def test_the_legend_has_words_for_what_is_drawn_and_no_more(self) -> None:
        legend = view.drawing(drawn(self.FOUND), {})["legend"]
        assert [each["word"] for each in legend["kinds"]] == ["person"]
        assert [each["word"] for each in legend["looks"]] == ["accepted", "candidate"]

    def test_is_json_and_the_same_every_time(self) -> None:
        one, two = (json.dumps(view.drawing(drawn(self.FOUND), {}), sort_keys=True) for _ in range(2))
        assert one == two

    def test_selecting_changes_neither_nodes_nor_edges(self) -> None:
        one, two = view.drawing(drawn(self.FOUND), {}), view.drawing(drawn(self.FOUND), {}, ("node", "id-Tom"))
        assert (one["nodes"], one["edges"]) == (two["nodes"], two["edges"])


def test_table_has_a_row_for_each_fact_with_its_look() -> None:
    rows = view.table([fact("Anna", "knows", "x" * 500), fact("Anna", "lives in", "Porto", valid_to=NOON)])
    assert [row["Trust"] for row in rows] == ["accepted", "superseded"]
    assert len(rows[0]["Object"]) == 120


@pytest.mark.parametrize(
    ("precision", "said"),
    [(Precision.YEAR, "2026"), (Precision.MONTH, "May 2026"), (Precision.DAY, "3 May 2026"), (None, "3 May 2026")],
)
def test_times_are_told_no_more_exactly_than_known(precision: Precision | None, said: str) -> None:
    told = fact("Anna", "lives in", "Porto", valid_from=NOON, valid_precision=precision)
    assert view.validity(told) == [f"true from {said}"]


def test_a_day_ends_just_before_the_next() -> None:
    assert view.end_of(None) is None
    ends = view.end_of(NOON.date())
    assert ends is not None
    assert (ends.hour, ends.minute) == (23, 59)
    assert ends.utcoffset() is not None
