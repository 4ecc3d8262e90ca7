"""The frame around every page: page config, the sidebar, and what is down. Idempotent."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import streamlit as st

from memary_core.errors import MemaryError
from memary_core.llm.model import Model
from memary_core.memory import Memory
from memary_core.ui import choices, connected, services, session, sidebar
from memary_core.ui.show import hint, literal

# A material icon would be fetched from Google's servers for the browser's tab.
ICON = str(Path(__file__).with_name("icon.svg"))


def page(title: str, layout: Literal["centered", "wide"] = "wide") -> Memory:
    """Begin a page: the first call of each. Returns the memory of the session's scope."""
    st.set_page_config(page_title=f"{title} · Memary", page_icon=ICON, layout=layout)
    try:
        services.settings()
    except MemaryError as error:
        st.error(literal(str(error)), icon=":material/error:")
        st.stop()
    try:
        memory = session.memory()
    except MemaryError as error:
        sidebar.draw(None)
        st.error(literal(str(error)), icon=":material/error:")
        st.stop()
    services.warm()
    sidebar.draw(memory)
    _above(memory)
    return memory


def _above(memory: Memory) -> None:
    """What is down, what an action came to, and what was noticed when the memory was opened."""
    if memory.beliefs.trouble:
        st.warning(literal(memory.beliefs.trouble), icon=":material/cloud_off:")
    if trouble := model_trouble(connected.model(memory.folder), choices.read(memory.folder).llm):
        st.warning(trouble, icon=":material/cloud_off:")
    for text in session.reading().take_notes():
        st.caption(f":material/info: {literal(text, 400)}")
    for text in session.take_notices():
        st.warning(literal(text), icon=":material/error:")
    seen_key = session.page_key("notes seen")
    notes = memory.notes
    seen = min(int(st.session_state.get(seen_key, 0)), len(notes))
    if notes[seen:]:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(":material/info: " + "  \n".join(literal(each, 400) for each in notes[seen:]), width="content")
            st.button(
                "Dismiss",
                type="tertiary",
                key=session.page_key("dismiss notes"),
                on_click=lambda: st.session_state.update({seen_key: len(notes)}),
            )


def model_trouble(model: Model, chosen: str = "") -> str:
    """What is wrong with a model that is set up, what still works, and what to do, as Markdown; empty if nothing.

    `chosen`: what was chosen in the sidebar, if anything; a chosen model may have gone away.
    """
    still = "Memory still answers what it knows."
    if model.state == "not reachable":
        return f"{literal(model.label, 60)} cannot be reached. {still} {hint(choices.advice(model))}"
    if model.state == "not set up" and chosen not in (choices.AUTOMATIC, choices.NONE):
        return f"{literal(chosen, 60)} is not there any more. {still} {hint(choices.advice(model))}"
    return ""
