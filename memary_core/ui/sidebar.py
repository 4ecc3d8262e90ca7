"""The sidebar of every page: whose memory this is, which model answers, the memory at a glance, and clearing it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import streamlit as st

from memary_core.errors import GraphError, InvalidInput, MemaryError
from memary_core.graph.base import GraphTotals
from memary_core.llm.model import Model
from memary_core.memory import Memory
from memary_core.scope import scopes
from memary_core.ui import choices, connected, personas, picker, services, session
from memary_core.ui.show import ago, count_of, hint, literal

PAGES = (
    ("app.py", "Chat", ":material/chat:"),
    ("pages/1_Salience.py", "Salience", ":material/bar_chart:"),
    ("pages/2_Graph_explorer.py", "Graph explorer", ":material/hub:"),
    ("pages/3_Review.py", "Review", ":material/fact_check:"),
)
DOTS = {"ready": "green", "not reachable": "orange", "not set up": "gray"}
SCOPES_SHOWN = 50
PERSONAS = "memary.dialog.personas"
DONE = "memary.dialog.done"
"""Set when a dialog has done its work and is to be closed."""
CLEAR_TYPED = "memary.clear.typed"
REFUSED = "memary.clear.refused"


def draw(memory: Memory | None) -> None:
    """Everything in the sidebar; without a memory, what still works of it."""
    with st.sidebar:
        st.markdown("### Memary")
        graph = _totals(memory)
        _links(graph.candidates if graph else 0)
        st.space("small")
        _scope()
        _model(memory)
        if memory is not None:
            st.space("small")
            _glance(memory, graph)
            if st.button("Clear memory", type="tertiary", icon=":material/delete:", key="memary.clear"):
                _open(clear, memory)


def review_label(waiting: int) -> str:
    """*Review (3)*; *Review* where nothing waits."""
    return f"Review ({waiting:,})" if waiting else "Review"


def state_line(model: Model) -> str:
    """How it is with the model, as Markdown: a coloured dot, with words."""
    return f":{DOTS[model.state]}[●] {model.state}"


def glance(entities: int, graph: GraphTotals | None, saved: datetime | None) -> list[tuple[str, str]]:
    """Names and figures of the memory at a glance. `graph` None: it cannot be asked."""
    away = "not reachable"
    return [
        ("Entities", f"{entities:,}"),
        ("Facts", away if graph is None else f"{graph.facts:,}"),
        ("Candidates", away if graph is None else f"{graph.candidates:,}"),
        ("Last saved", ago(saved)),
    ]


def last_saved(folder: Path) -> datetime | None:
    """When one of the two logs last grew; None where neither is there."""
    times = []
    for name in ("memory_stream.jsonl", "journal.jsonl"):
        try:
            times.append((folder / name).stat().st_mtime)
        except OSError:
            continue
    return datetime.fromtimestamp(max(times), UTC) if times else None


def _totals(memory: Memory | None) -> GraphTotals | None:
    try:
        return memory.beliefs.totals() if memory is not None else None
    except GraphError:  # said at the top of the page
        return None


def _links(waiting: int) -> None:
    with st.container(gap="xxsmall"):
        for path, label, icon in PAGES:
            if (services.ROOT / path).is_file():
                st.page_link(path, label=review_label(waiting) if label == "Review" else label, icon=icon)


def _scope() -> None:
    here = session.scope()
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", gap="small"):
        with st.container(gap=None, width="content"):
            st.caption("Agent ID")
            st.markdown(f"**{literal(here, 40)}**")
        popover = st.popover("Switch", type="tertiary", key="memary.switch", on_change="rerun")
    if not popover.open:
        return
    with popover:
        known = [each for each in scopes(services.settings().data_dir) if each != here][:SCOPES_SHOWN]
        if known:
            st.selectbox(
                "Used before",
                known,
                index=None,
                placeholder="Choose one",
                key="memary.switch.known",
                on_change=lambda: _switch(st.session_state["memary.switch.known"]),
            )
        with st.form("memary.switch.form", border=False):
            typed = st.text_input("Agent ID", key="memary.switch.typed", placeholder="For example alice")
            if st.form_submit_button("Switch", icon=":material/swap_horiz:"):
                try:
                    session.switch(typed)
                except InvalidInput as error:
                    st.error(literal(str(error)))
                else:
                    _fresh()


def _switch(scope_id: str | None) -> None:
    if scope_id is not None and session.done(session.switch, scope_id):
        st.session_state["memary.switch"] = False


def _fresh() -> None:
    """Begin again with the scope just switched to; its popover is closed."""
    st.session_state.pop("memary.switch", None)
    st.rerun()


def _model(memory: Memory | None) -> None:
    model = connected.model(memory.folder if memory else None)
    with st.container(gap=None):
        st.caption(f"Model · {state_line(model)}")
        st.markdown(literal(model.label, 60))
    popover = st.popover(
        "Model, tools and personas", icon=":material/tune:", key="memary.model", width="stretch", on_change="rerun"
    )
    with popover:
        if memory is not None and popover.open:
            picker.draw(memory)
        elif said := choices.advice(model):
            st.caption(hint(said))
        st.toggle(
            "Use unverified facts",
            key=session.UNVERIFIED,
            help="Candidates, which nobody has accepted yet, may then be recalled. They are marked.",
        )
        if memory is not None:
            st.button(
                "Edit personas", icon=":material/edit_note:", key="memary.personas", on_click=_ask_for, args=(PERSONAS,)
            )
    if memory is not None and st.session_state.pop(PERSONAS, False):
        _open(edit_personas, memory)


def _open(dialog: Callable[[Memory], None], memory: Memory) -> None:
    for key in (DONE, REFUSED):
        st.session_state.pop(key, None)
    dialog(memory)


def _ask_for(dialog: str) -> None:
    """Open a dialog in the run that follows, from a popover, which would lie over it and so is closed."""
    st.session_state["memary.model"] = False
    st.session_state[dialog] = True


@st.dialog("Personas", width="medium")
def edit_personas(memory: Memory) -> None:
    """Edit what the assistant is told about itself and about the person, for this scope."""
    if st.session_state.pop(DONE, False):
        st.rerun()
    st.caption("For this Agent ID. Lines that begin with # are notes, and are not sent.")
    for persona in (personas.SYSTEM, personas.USER):
        key = session.page_key(persona.file)
        st.text_area(persona.title, persona.text(memory.folder, services.DATA), height=160, key=key, help=persona.help)
        st.button(
            "Reset to default",
            key=f"{key}.reset",
            type="tertiary",
            disabled=persona.own(memory.folder) is None,
            on_click=_change_personas,
            args=(persona.reset, memory.folder),
        )
    st.button(
        "Save",
        type="primary",
        key=session.page_key("personas.save"),
        on_click=_change_personas,
        args=(_save_personas, memory.folder),
    )


def _save_personas(folder: Path) -> None:
    for persona in (personas.SYSTEM, personas.USER):
        text = str(st.session_state[session.page_key(persona.file)])
        if text != persona.text(folder, services.DATA):
            persona.save(folder, text)


def _change_personas(change: Callable[[Path], None], folder: Path) -> None:
    """Change them; the next message is sent with the new texts."""
    if session.done(change, folder):
        for name in (personas.SYSTEM.file, personas.USER.file, "agents"):
            st.session_state.pop(session.page_key(name), None)
    st.session_state[DONE] = True


def _glance(memory: Memory, graph: GraphTotals | None) -> None:
    rows = glance(memory.salience.total(), graph, last_saved(memory.folder))
    with st.container(gap=None):
        st.caption("Memory at a glance")
        for name, figure in rows:
            with st.container(horizontal=True, horizontal_alignment="distribute", gap=None):
                st.markdown(name, width="content")
                st.markdown(figure, width="content", text_alignment="right")


@st.dialog("Clear memory")
def clear(memory: Memory) -> None:
    """List what goes, and remove it once the Agent ID is typed."""
    if st.session_state.pop(DONE, False):
        st.rerun()
    try:
        goes = memory.contents()
    except MemaryError as error:
        st.error(literal(str(error)))
        return
    st.markdown(f"Everything of **{literal(memory.scope, 200)}** goes, for good, and nothing of any other Agent ID:")
    lines = [
        f"{count_of(goes.turns, 'message')} and {count_of(goes.mentions, 'mention')}",
        count_of(goes.entities, "entity") + " on the mind",
        f"{count_of(goes.graph.facts, 'fact')} with {count_of(goes.graph.sources, 'source')}",
    ]
    st.markdown("\n".join(f"- {each}" for each in lines))
    st.caption("Personas, and what was chosen in the sidebar, stay.")
    with st.form("memary.clear.form", border=False):
        label = f"To confirm, type the Agent ID: {literal(memory.scope, 60)}"
        st.text_input(label, key=CLEAR_TYPED)
        st.form_submit_button("Clear memory", type="primary", icon=":material/delete:", on_click=_clear, args=(memory,))
    if refused := st.session_state.pop(REFUSED, ""):
        st.error(refused)


def _clear(memory: Memory) -> None:
    if str(st.session_state[CLEAR_TYPED]).strip() != memory.scope.strip():
        st.session_state[REFUSED] = "That is not the Agent ID; nothing was cleared."
        return
    session.forget_page_state()
    session.done(memory.clear)
    st.session_state[DONE] = True
