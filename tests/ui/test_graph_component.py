"""The canvas' parts, and what may come back from a browser."""

from __future__ import annotations

import pytest

from memary_core.ui.graph_component import canvas_script, canvas_style, event_of, vis_network

pytest.importorskip("pyvis")


def test_the_installed_pyvis_carries_the_drawing_library() -> None:
    assert "@version 9.1.2" in vis_network()
    assert "sourceMappingURL" not in vis_network()


def test_the_drawing_code_writes_no_markup() -> None:
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert way not in canvas_script()


def test_inline_parts_are_not_taken_for_paths() -> None:
    assert "\n" in canvas_style()
    assert "\n" in canvas_script()


def test_a_click_is_read() -> None:
    assert event_of({"event": {"what": "node", "id": "abc", "twice": True}}) == ("node", "abc", True)


@pytest.mark.parametrize(
    "state",
    [
        None,
        "event",
        {},
        {"event": None},
        {"event": ["node"]},
        {"event": {"what": "page", "id": "abc", "twice": False}},
        {"event": {"what": "node", "id": 7, "twice": False}},
        {"event": {"what": "node", "id": "abc", "twice": "no"}},
        {"event": {"what": ["node"], "id": "abc", "twice": False}},
    ],
)
def test_anything_else_from_a_browser_is_nothing(state: object) -> None:
    assert event_of(state) is None
