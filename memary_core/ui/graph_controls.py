"""The rows above the canvas: where to look, how far, and which facts count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memary_core.memory import Memory
from memary_core.models import YOU, Entity, Fact, SourceKind
from memary_core.ui import graph_state as state
from memary_core.ui.graph_view import LOOK_ICONS, SOURCE_WORDS, USUAL_LOOKS, Look, end_of, names, wanted


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person asked to see: `hops` around the centre, facts of these looks and sources, as of `at`."""

    hops: int
    looks: tuple[Look, ...]
    sources: tuple[SourceKind, ...]
    at: datetime | None

    @property
    def keep(self) -> Callable[[Fact], bool]:
        """Is a fact asked for?"""
        return wanted(self.looks, self.sources, self.at)


def controls(memory: Memory, here: Entity) -> tuple[Asked, DeltaGenerator]:
    """Draw the rows; return what was asked for in them, and the place in which to say how much that is."""
    trail = state.trail()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        _button("Back", "arrow_back", state.back, disabled=not trail.can_go_back)
        _button("Forward", "arrow_forward", state.forward, disabled=not trail.can_go_forward)
        if you := memory.entity(YOU):
            _button(YOU, "star", lambda: state.go_to(you.id), disabled=you.id == here.id)
        _find(memory, here)
        hops = st.segmented_control(
            "Hops", [1, 2, 3], default=2, required=True, key=state.HOPS, persist_state="session", width="content"
        )
        with st.popover("Filters", icon=":material/filter_list:"):
            sources = st.pills(
                "Whose words",
                list(SourceKind),
                selection_mode="multi",
                default=list(SourceKind),
                format_func=SOURCE_WORDS.__getitem__,
                key=state.SOURCES,
                persist_state="session",
            )
            day = st.date_input("As of", value=None, key=state.AS_OF, persist_state="session", help="Empty: now.")
    with st.container(horizontal=True, vertical_alignment="center"):
        looks = st.pills(
            "Trust",
            list(Look),
            selection_mode="multi",
            default=USUAL_LOOKS,
            format_func=lambda each: f"{LOOK_ICONS[each]} {each.value}",
            key=state.LOOKS,
            persist_state="session",
            label_visibility="collapsed",
            width="content",
            wrap=True,
        )
        said = st.empty()
    return Asked(hops, tuple(looks), tuple(sources), end_of(day)), said


def _find(memory: Memory, here: Entity) -> None:
    offered = state.findable(memory, here)
    labels = names(offered)
    st.session_state[state.FIND] = here.id
    st.selectbox(
        "Find an entity",
        list(labels),
        format_func=lambda each: labels.get(each, each),
        key=state.FIND,
        on_change=state.on_find,
        args=(memory,),
        accept_new_options=True,
        filter_mode="contains",
        placeholder="A name or an alias",
        width="stretch",
    )


def _button(label: str, icon: str, action: Callable[[], None], *, disabled: bool) -> None:
    st.button(label, icon=f":material/{icon}:", disabled=disabled, on_click=action)
