"""The steps of an answer, unfolded: a line each, and under it what was thought, or what a tool was given and found."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memary_core.chat_events import TakenStep
from memary_core.ui.show import literal

TALL = 600
"""Characters from which a detail gets a box of its own to scroll in."""


def line(label: str, step: TakenStep | None) -> str:
    """*Using search, 1.2 seconds*, *Using search failed after 1.2 seconds*, as plain text."""
    if step is None or step.kind == "work":
        return label
    took = f"{step.seconds:.1f} seconds" if step.seconds >= 0.05 else "less than 0.1 seconds"
    return f"{label} failed after {took}" if step.error else f"{label}, {took}"


def draw(lines: Sequence[str], skipped: int, taken: Sequence[TakenStep]) -> None:
    """`taken` belong to `lines` from the place `skipped` on."""
    plain: list[str] = []
    for number, label in enumerate(lines):
        place = number - skipped
        step = taken[place] if 0 <= place < len(taken) else None
        plain.append(f"{number + 1}. {literal(line(label, step))}")
        if step is not None and step.kind != "work":
            st.markdown("\n".join(plain))
            plain = []
            _details(step)
    if plain:
        st.markdown("\n".join(plain))


def _details(step: TakenStep) -> None:
    if step.input and step.input != "{}":
        st.caption("Input")
        st.code(step.input, language="json", wrap_lines=True)
    if step.error:
        st.caption(f":material/error: {literal(step.error, 500)}")
    if step.text:
        if step.kind == "tool":
            st.caption("Result")
        with st.container(height=200 if len(step.text) > TALL else "content", border=True):
            st.text(step.text)
    if step.url:
        st.caption(f"Found at {literal(step.url, 200)}")
