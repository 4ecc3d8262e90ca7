"""The panel beside the canvas: the selected entity or fact, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import streamlit as st

from memary_core.errors import GraphError, NotFound
from memary_core.memory import Memory
from memary_core.models import Entity, Fact, Kind, Source, Trust
from memary_core.ui import graph_state as state
from memary_core.ui.graph_view import KIND_WORDS, LOOK_ICONS, Look, cut, look, validity
from memary_core.ui.session import act, page_key
from memary_core.ui.show import ago, literal, moment, origin

FACTS = 8
SOURCES = 5
_COLOURS: dict[Look, Literal["green", "orange", "gray", "red"]] = {
    Look.ACCEPTED: "green",
    Look.CANDIDATE: "orange",
    Look.SUPERSEDED: "gray",
    Look.REJECTED: "red",
}


def panel(memory: Memory, here: Entity, keep: Callable[[Fact], bool]) -> None:
    """Show what is selected, or the centre. `keep`: which of an entity's facts to list."""
    what, found = state.selected() or ("node", here.id)
    if what == "edge":
        try:
            fact_panel(memory, memory.beliefs.get(found))
            return
        except NotFound:
            st.info("This fact was forgotten in the meantime.")
        except GraphError:
            st.info("Facts are shown again when the graph is back.")
    entity_panel(memory, (memory.entity(found) if what == "node" else None) or here, here, keep)


def entity_panel(memory: Memory, entity: Entity, here: Entity, keep: Callable[[Fact], bool]) -> None:
    """An entity: its kind, aliases and salience, its actions, and its facts."""
    st.markdown(f"##### {literal(entity.name, 200)}")
    also = f" · also {literal(', '.join(entity.aliases), 300)}" if entity.aliases else ""
    st.caption(KIND_WORDS[entity.kind] + also)
    row = memory.salience.get(entity.id)
    if row is None:
        st.caption("Never mentioned by you.")
    else:
        mentions = f"**{row.count:,}** mention{'' if row.count == 1 else 's'}"
        flags = "".join(f" · {word}" for word, on in (("pinned", row.pinned), ("muted", row.muted)) if on)
        st.markdown(
            f"{mentions} · score **{row.score:.2f}** · last {ago(row.last_mentioned)}{flags}",
            help=f"Last on {moment(row.last_mentioned)}. The score is the count with older mentions weighing less.",
        )
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            "Centre here",
            icon=":material/center_focus_strong:",
            key=page_key("graph.centre"),
            disabled=entity.id == here.id,
            on_click=state.go_to,
            args=(entity.id,),
        )
        if entity.kind not in (Kind.SELF, Kind.VALUE):
            pinned, muted = bool(row and row.pinned), bool(row and row.muted)
            _toggle("Unpin" if pinned else "Pin", "keep", memory.salience.pin, entity.id, not pinned)
            _toggle(
                "Unmute" if muted else "Mute",
                "notifications" if muted else "notifications_off",
                memory.salience.mute,
                entity.id,
                not muted,
            )
    if not memory.beliefs.trouble:
        _facts_of(memory, entity, keep)


def fact_panel(memory: Memory, fact: Fact) -> None:
    """A fact: its triplet, trust, confidence and times, its actions, and its sources."""
    as_shown = look(fact)
    names = (literal(fact.subject, 200), literal(fact.predicate), literal(fact.object, 200))
    st.markdown("##### " + " · ".join(names))
    st.badge(as_shown.value, icon=LOOK_ICONS[as_shown], color=_COLOURS[as_shown])
    told = [f"confidence {fact.confidence:.0%}", *validity(fact), f"recorded {moment(fact.recorded_at)}"]
    st.markdown("  \n".join(literal(each) for each in told))
    if fact.superseded_by:
        _successor(memory, fact.superseded_by)
    with st.container(horizontal=True, gap="xsmall"):
        for label, icon, trust, action in (
            ("Accept", ":material/check:", Trust.ACCEPTED, memory.accept),
            ("Reject", ":material/block:", Trust.REJECTED, memory.reject),
        ):
            st.button(
                label,
                icon=icon,
                key=page_key(f"graph.{trust.value}"),
                disabled=fact.trust is trust,
                on_click=_do,
                args=(action, fact.id),
            )
    with st.container(horizontal=True, gap="xsmall"):
        for end, entity_id, name in (("s", fact.subject_id, fact.subject), ("o", fact.object_id, fact.object)):
            st.button(
                literal(name, 40),
                icon=":material/arrow_forward:",
                key=page_key(f"graph.end.{end}"),
                type="tertiary",
                wrap=False,
                help="Show this entity",
                on_click=state.select,
                args=("node", entity_id),
            )
    count = len(fact.sources)
    st.markdown(f"**{count} source{'' if count == 1 else 's'}**")
    for source in fact.sources[:SOURCES]:
        _source(source)
    if count > SOURCES:
        with st.expander(f"{count - SOURCES} more"):
            for source in fact.sources[SOURCES:]:
                _source(source)


def _do(action: Callable[..., object], *args: object) -> None:
    act(action, *args)


def _toggle(label: str, icon: str, action: Callable[[str, bool], object], entity_id: str, on: bool) -> None:
    key = page_key(f"graph.{label.lower()}")
    st.button(label, icon=f":material/{icon}:", key=key, on_click=_do, args=(action, entity_id, on))


def _facts_of(memory: Memory, entity: Entity, keep: Callable[[Fact], bool]) -> None:
    found = {fact.id: fact for fact in (*memory.facts(subject=entity.id), *memory.facts(object=entity.id))}
    facts = [fact for fact in found.values() if keep(fact)]
    st.markdown(f"**{len(facts):,} fact{'' if len(facts) == 1 else 's'}**")
    if not facts:
        st.caption("Nothing that the filters let through is believed of it.")
    with st.container(gap=None):
        for fact in facts[:FACTS]:
            st.button(
                _line(fact, entity),
                icon=LOOK_ICONS[look(fact)],
                key=page_key(f"graph.fact.{fact.id}"),
                type="tertiary",
                wrap=False,
                help=f"{look(fact).value}: show sources",
                on_click=state.select,
                args=("edge", fact.id),
            )
    if len(facts) > FACTS:
        st.caption(f"and {len(facts) - FACTS:,} more; centre it to see them in the table.")


def _line(fact: Fact, entity: Entity) -> str:
    """The triplet, with the entity whose panel it stands in cut short."""
    ends = ((fact.subject_id, fact.subject), (fact.object_id, fact.object))
    subject, obj = (literal(name, 14 if end == entity.id else 40) for end, name in ends)
    return f"{subject} · {literal(fact.predicate, 40)} · {obj}"


def _successor(memory: Memory, fact_id: str) -> None:
    try:
        after = memory.beliefs.get(fact_id)
    except NotFound:
        return
    st.button(
        f"Superseded by {literal(after.subject, 40)} · {literal(after.predicate)} · {literal(after.object, 40)}",
        icon=":material/history:",
        key=page_key("graph.successor"),
        type="tertiary",
        wrap=False,
        on_click=state.select,
        args=("edge", fact_id),
    )


def _source(source: Source) -> None:
    with st.container(border=True, gap="xxsmall"):
        if source.quote:
            st.markdown(f"“{literal(source.quote, 600)}”")
        when = f" · {moment(source.at)}" if source.at else ""
        st.caption(f"{origin(source)}{when} · read by {literal(source.extractor, 60)}")
        for word, value in (("asked", source.query), ("from", source.url)):
            if value:
                # Markdown would make a link of an address, whatever is escaped in it.
                st.text(f"{word} {cut(value, 200)}")
