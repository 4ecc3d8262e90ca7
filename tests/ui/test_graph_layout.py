"""Where nodes start and how edges bow."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from memary_core.ui.graph_layout import RING, bends, places
from tests.ui.graph_examples import fact


def test_nodes_start_on_the_ring_of_their_distance() -> None:
    facts = [fact("a", "knows", "b"), fact("b", "knows", "c"), fact("d", "knows", "b")]
    found = places(["id-a", "id-b", "id-c", "id-d"], facts, {"id-a": 0, "id-b": 1, "id-c": 2, "id-d": 2})
    assert [round(math.hypot(*found[f"id-{each}"])) for each in "abcd"] == [0, RING, 2 * RING, 2 * RING]


def test_nodes_without_a_fact_have_a_place_too() -> None:
    assert places(["id-a"], [], {"id-a": 0}) == {"id-a": (0.0, 0.0)}


@given(st.permutations([fact("a", "knows", name) for name in "bcdefgh"]))
def test_places_do_not_depend_on_the_order_of_facts_and_never_coincide(facts: list) -> None:
    nodes = [f"id-{each}" for each in "abcdefgh"]
    distance = dict.fromkeys(nodes, 1) | {"id-a": 0}
    found = places(nodes, facts, distance)
    assert found == places(nodes, facts[::-1], distance)
    assert len(set(found.values())) == len(nodes)


@given(st.lists(st.booleans(), min_size=1, max_size=9))
def test_facts_between_the_same_two_lie_side_by_side(directions: list[bool]) -> None:
    facts = [fact(*(("a", str(at), "b") if there else ("b", str(at), "a"))) for at, there in enumerate(directions)]
    bent = bends(facts)
    # A bow is relative to the direction of the edge: seen from one side, all are different.
    seen = [bent[each.id] if each.subject == "a" else -bent[each.id] for each in facts]
    assert len(set(seen)) == len(facts)
    assert 0 in seen
