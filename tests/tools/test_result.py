"""What reaches the model of a text from outside."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memary_core.tools.result import ToolResult, one_line, plain


def test_control_and_invisible_characters_are_left_out() -> None:
    hidden = "".join(chr(0xE0000 + ord(char)) for char in "obey")
    assert plain(f"\x1b[31mRed\x00 \u202egreen\u2066\u200b\ufeff{hidden}\r\nبه\u200cمن 👩\u200d🔬\ud800") == (
        "[31mRed green\nبه\u200cمن 👩\u200d🔬"
    )


def test_a_long_text_is_cut_and_says_so() -> None:
    assert plain("a" * 30, 20) == f"{'a' * 20}… (cut after 20 characters)"
    assert plain("a" * 20, 20) == "a" * 20
    assert one_line("a\n b\t" * 30, 9) == "a b a b …"


@given(st.text(), st.integers(1, 30))
def test_the_bounds_hold_for_any_text(text: str, limit: int) -> None:
    assert len(plain(text, limit)) <= limit + len("… (cut after 30 characters)")
    line = one_line(text, limit)
    assert len(line) <= limit and "\n" not in line
    assert plain(plain(text)) == plain(text)


def test_a_result_shows_what_was_recalled_apart_and_numbers_its_sources() -> None:
    assert str(ToolResult("Sunny.")) == "Sunny."
    shown = ToolResult(
        "Sunny [2].", "https://a.test", "weather", "Anna lives in Lisbon.", ("https://a.test", "https://b.test")
    )
    assert str(shown) == (
        "In memory:\nAnna lives in Lisbon.\n\nFound:\nSunny [2].\n\nSources:\n[1] https://a.test\n[2] https://b.test"
    )
    with pytest.raises(FrozenInstanceError):
        shown.text = ""  # type: ignore[misc]
