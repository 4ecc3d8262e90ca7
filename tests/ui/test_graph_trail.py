"""Back and forward through what was centred."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memary_core.ui.graph_trail import LONGEST, Trail


def test_begins_nowhere() -> None:
    empty = Trail()
    assert (empty.here, empty.can_go_back, empty.can_go_forward) == (None, False, False)
    assert empty.back() == empty.forward() == empty


def test_goes_back_and_forward() -> None:
    trail = Trail().to("a").to("b").to("c")
    assert trail.back().here == "b"
    assert trail.back().back().here == "a"
    assert not trail.back().back().can_go_back
    assert trail.back().forward() == trail


def test_a_new_centre_drops_what_lay_ahead() -> None:
    trail = Trail().to("a").to("b").back().to("c")
    assert trail.visited == ("a", "c")
    assert not trail.can_go_forward


def test_centring_the_same_again_changes_nothing() -> None:
    trail = Trail().to("a").to("b").back()
    assert trail.to("a") is trail


@given(st.lists(st.sampled_from("abcde") | st.sampled_from(["<", ">"]), max_size=300))
def test_stays_in_bounds(steps: list[str]) -> None:
    trail = Trail()
    for step in steps:
        trail = trail.back() if step == "<" else trail.forward() if step == ">" else trail.to(step)
        assert len(trail.visited) <= LONGEST
        assert (trail.here is None) == (not trail.visited)
        if step not in "<>":
            assert trail.here == step
