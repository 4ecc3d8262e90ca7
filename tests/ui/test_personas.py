"""Personas: the defaults, and a scope's own text."""

from __future__ import annotations

from pathlib import Path

import pytest

from memary_core.errors import InvalidInput
from memary_core.ui.personas import LIMIT, SYSTEM, USER


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    folder, defaults = tmp_path / "scope", tmp_path / "data"
    folder.mkdir()
    defaults.mkdir()
    (defaults / SYSTEM.file).write_text("You are Memary.")
    return folder, defaults


def test_the_default_holds_until_a_text_is_saved(places: tuple[Path, Path]) -> None:
    folder, defaults = places
    assert SYSTEM.text(folder, defaults) == "You are Memary."
    SYSTEM.save(folder, "You are brief. 家族")
    assert SYSTEM.text(folder, defaults) == "You are brief. 家族"
    assert (defaults / SYSTEM.file).read_text() == "You are Memary."
    SYSTEM.reset(folder)
    assert SYSTEM.text(folder, defaults) == "You are Memary."
    SYSTEM.reset(folder)


def test_an_empty_text_is_a_text(places: tuple[Path, Path]) -> None:
    folder, defaults = places
    SYSTEM.save(folder, "")
    assert SYSTEM.text(folder, defaults) == ""


def test_without_a_default_there_is_nothing(places: tuple[Path, Path]) -> None:
    assert USER.text(*places) == ""
    assert USER.own(places[0]) is None


def test_what_no_file_can_hold_is_replaced(places: tuple[Path, Path]) -> None:
    folder, defaults = places
    USER.save(folder, "a\0b\ud800")
    assert USER.text(folder, defaults) == "a\ufffdb\ufffd"


def test_a_text_that_is_too_long_is_refused(places: tuple[Path, Path]) -> None:
    folder, defaults = places
    with pytest.raises(InvalidInput, match="nothing was saved"):
        SYSTEM.save(folder, "x" * (LIMIT + 1))
    assert SYSTEM.text(folder, defaults) == "You are Memary."
