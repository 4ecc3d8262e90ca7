"""What the explorer keeps of a session: what was centred, what is selected; and what clicks do to both."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memary_core.memory import Memory
from memary_core.models import Entity, Fact, Kind
from memary_core.ui.graph_component import event_of
from memary_core.ui.graph_trail import Trail
from memary_core.ui.session import notice, page_key

TRAIL = page_key("graph.trail")
SELECTED = page_key("graph.selected")
FIND = page_key("graph.find")
PICK = page_key("graph.pick")
TABLE = page_key("graph.table")
CANVAS = page_key("graph.canvas")
HOPS = page_key("graph.hops")
LOOKS = page_key("graph.looks")
SOURCES = page_key("graph.sources")
AS_OF = page_key("graph.as_of")
ENTITY = "entity"
"""The query parameter by which another page opens the explorer on an entity, given by id or name."""
FINDABLE = 1000
"""Entities offered in the search box before anything is typed; typing searches all of them."""


def centre(memory: Memory) -> Entity | None:
    """The entity in the centre: the one asked for in the address, else the one centred last, else the most salient.

    None where nothing is known yet.
    """
    if asked := st.query_params.get(ENTITY):
        del st.query_params[ENTITY]
        if found := memory.entity(asked):
            go_to(found.id)
    here = trail().here
    if here and (found := memory.entity(here)):
        return found
    first = _first(memory)
    if first is not None:
        go_to(first.id)
    return first


def trail() -> Trail:
    """What was centred in this session."""
    held = st.session_state.get(TRAIL)
    return held if isinstance(held, Trail) else Trail()


def go_to(entity_id: str) -> None:
    """Put an entity in the centre, and select it."""
    _follow(trail().to(entity_id))


def back() -> None:
    """Centre what was centred before."""
    _follow(trail().back())


def forward() -> None:
    """Undo one *back*."""
    _follow(trail().forward())


def select(what: str, found: str) -> None:
    """Select an entity ("node") or a fact ("edge")."""
    st.session_state[SELECTED] = (what, found)


def selected() -> tuple[str, str] | None:
    """What is selected: ("node", entity id) or ("edge", fact id)."""
    found: tuple[str, str] | None = st.session_state.get(SELECTED)
    return found


def on_canvas(memory: Memory) -> None:
    """A click on the canvas selects; a double click on an entity centres it."""
    event = event_of(st.session_state.get(CANVAS))
    if event is None:
        return
    what, found, twice = event
    if what == "node" and memory.entity(found) is None:
        return
    if what == "node" and twice:
        go_to(found)
    else:
        select(what, found)


def on_find(memory: Memory) -> None:
    """Centre what was chosen in the search box, or the best match for what was typed there."""
    wanted = st.session_state[FIND]
    if not wanted:
        return
    found = memory.entity(wanted) or next(iter(memory.search_entities(wanted, 1)), None)
    if found is None:
        notice(f"No name or alias contains “{wanted:.60}”. The graph stays where it was.")
    else:
        go_to(found.id)


def on_pick() -> None:
    """Select the entity chosen in the box beside the canvas."""
    if found := st.session_state[PICK]:
        select("node", found)


def on_row(facts: Sequence[Fact]) -> None:
    """Select the fact whose row was chosen in the table."""
    rows = st.session_state[TABLE]["selection"]["rows"]
    if rows and rows[0] < len(facts):
        select("edge", facts[rows[0]].id)


def mirror(nodes: Sequence[Entity], facts: Sequence[Fact]) -> None:
    """Let the box beside the canvas and the table show what is selected."""
    what, found = selected() or ("", "")
    st.session_state[PICK] = found if what == "node" and any(each.id == found for each in nodes) else None
    row = next((at for at, fact in enumerate(facts) if what == "edge" and fact.id == found), None)
    st.session_state[TABLE] = {"selection": {"rows": [] if row is None else [row]}}


def findable(memory: Memory, here: Entity) -> list[Entity]:
    """What the search box offers: the most present first, then the others by name."""
    known = {each.id: each for each in memory.search_entities("", FINDABLE)}
    known.setdefault(here.id, here)
    first = [each.entity_id for each in memory.salience.top(FINDABLE)]
    order = dict.fromkeys([*(each for each in first if each in known), *sorted(known, key=lambda i: known[i].name)])
    return [known[each] for each in order]


def _follow(after: Trail) -> None:
    st.session_state[TRAIL] = after
    if after.here:
        select("node", after.here)


def _first(memory: Memory) -> Entity | None:
    for row in memory.salience.top(1):
        return memory.entity(row.entity_id)
    known = memory.search_entities("", 50)
    return next((each for each in known if each.kind not in (Kind.SELF, Kind.VALUE)), None)
