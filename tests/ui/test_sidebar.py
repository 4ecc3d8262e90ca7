"""What the sidebar says."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memary_core.graph.base import GraphTotals
from memary_core.ui import frame, sidebar
from tests.scripted import ScriptedModel


@pytest.mark.parametrize(("waiting", "label"), [(0, "Review"), (3, "Review (3)"), (1200, "Review (1,200)")])
def test_the_link_to_review_has_the_number_waiting(waiting: int, label: str) -> None:
    assert sidebar.review_label(waiting) == label


@pytest.mark.parametrize(
    ("state", "line"),
    [
        ("ready", ":green[●] ready"),
        ("not reachable", ":orange[●] not reachable"),
        ("not set up", ":gray[●] not set up"),
    ],
)
def test_the_dot_never_stands_without_its_words(state: str, line: str) -> None:
    assert sidebar.state_line(ScriptedModel([], state=state)) == line  # type: ignore[arg-type]


def test_a_model_that_is_away_is_told_with_what_still_works() -> None:
    away = ScriptedModel([], state="not reachable", advice="Start it with `ollama serve`.")
    assert frame.model_trouble(away) == (
        r"Scripted \(test\) cannot be reached. Memory still answers what it knows. Start it with `ollama serve`\."
    )
    assert frame.model_trouble(ScriptedModel([])) == ""
    assert frame.model_trouble(ScriptedModel([], state="not set up")) == ""


def test_the_glance_has_figures_and_says_what_cannot_be_reached() -> None:
    saved = datetime.now(UTC) - timedelta(hours=2)
    assert sidebar.glance(1204, GraphTotals(facts=7, candidates=2), saved) == [
        ("Entities", "1,204"),
        ("Facts", "7"),
        ("Candidates", "2"),
        ("Last saved", "2 hours ago"),
    ]
    assert dict(sidebar.glance(0, None, None))["Facts"] == "not reachable"
    assert dict(sidebar.glance(0, None, None))["Last saved"] == "never"


def test_the_last_save_is_that_of_either_log(tmp_path: Path) -> None:
    assert sidebar.last_saved(tmp_path) is None
    for name, at in (("journal.jsonl", 1000), ("memory_stream.jsonl", 2000)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (at, at))
    assert sidebar.last_saved(tmp_path) == datetime.fromtimestamp(2000, UTC)
