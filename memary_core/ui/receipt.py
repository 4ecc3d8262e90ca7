"""The receipt under an answer: what came from memory and why, what can be done about it, and the steps taken."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memary_core.errors import MemaryError, NotFound
from memary_core.identity import is_value
from memary_core.memory import Memory
from memary_core.models import YOU, Fact, Salience, Trust, Turn
from memary_core.recall import entity_text, fact_text, turn_text
from memary_core.ui import session, steps_taken
from memary_core.ui.receipts import Receipt, cost
from memary_core.ui.show import count_of, cut, literal, moment, origin, quotes, standing, triplet

QUOTE = 240
SHOWN = 12
"""Items a receipt shows of each sort before it says how many more there are."""
LOOKING = "Looking in memory"
"""The agent's word for the step at which the gate decides."""
GRAPH = "pages/2_Graph_explorer.py"


def summary(receipt: Receipt) -> str:
    """*From memory: 1 fact, 41 tokens*, and whether memory answered by itself."""
    sorts = ((receipt.facts, "fact"), (receipt.turns, "message"), (receipt.entities, "entity"))
    parts = [count_of(len(ids), noun) for ids, noun in sorts if ids]
    said = f"From memory: {', '.join([*parts, count_of(receipt.tokens, 'token')])}"
    return f"{said}; answered by memory itself" if receipt.by_memory else said


def steps(receipt: Receipt) -> list[str]:
    """What was done for an answer, in order, as plain text; the gate's reason stands where memory was looked into."""
    done = [f"{each}: {gate(receipt)}" if each == LOOKING and receipt.gate_reason else each for each in receipt.steps]
    if receipt.by_memory:
        from_facts = ", from what is shown above" if receipt.recalled else ""
        done.append(f"Memory answered by itself{from_facts}; no model was asked")
    elif receipt.by:
        done.append(f"{receipt.by} answered in {receipt.seconds:.1f} seconds")
    return done + list(receipt.notes)


def gate(receipt: Receipt) -> str:
    """*the message names Anna*, *nothing was recalled, since the message is small talk*."""
    reason = receipt.gate_reason
    said = f"the message is {reason}" if reason == "small talk" else f"the message {reason}"
    return said if receipt.gate_open else f"nothing was recalled, since {said}"


def about(fact: Fact) -> str:
    """The end of a fact that attention can be given to, for *pin* and *mute*; empty where there is none."""
    names = (fact.subject, fact.object)
    return next((each for each in names if each != YOU and not is_value(each)), "")


def draw(memory: Memory, receipt: Receipt) -> None:
    """Both parts of a receipt, folded; what is inside is looked up only when it is opened."""
    if receipt.recalled:
        given = st.expander(
            summary(receipt), type="compact", key=session.page_key(f"receipt.{receipt.turn}"), on_change="rerun"
        )
        if given.open:
            with given:
                _items(memory, receipt)
    done = steps(receipt)
    with st.expander(f"Steps: {len(done)}", type="compact", key=session.page_key(f"steps.{receipt.turn}")):
        steps_taken.draw(done, len(receipt.steps) - len(receipt.taken), receipt.taken)


def _items(memory: Memory, receipt: Receipt) -> None:
    try:
        for each in receipt.facts[:SHOWN]:
            _fact(memory, receipt, each)
        for each in receipt.turns[:SHOWN]:
            _turn(memory, receipt, each)
        for each in receipt.entities[:SHOWN]:
            _entity(memory, receipt, each)
    except MemaryError as error:
        st.warning(literal(str(error)), icon=":material/cloud_off:")
    more = sum(max(0, len(ids) - SHOWN) for ids in (receipt.facts, receipt.turns, receipt.entities))
    if more:
        st.caption(f"And {more} more.")


def _fact(memory: Memory, receipt: Receipt, fact_id: str) -> None:
    try:
        fact = memory.beliefs.get(fact_id)
    except NotFound:
        st.caption("A fact that is not held any more.")
        return
    with st.container(border=True, gap="xsmall"):
        said = f"**{triplet(fact)}**"
        st.markdown(f"~~{said}~~" if fact.trust is Trust.REJECTED else said)
        _details(
            [standing(fact), *map(origin, fact.sources[:2]), count_of(cost(fact_text(fact)), "token")],
            quotes(fact.sources)[:2],
            receipt.why.get(fact_id, ""),
        )
        key = session.page_key(f"act.{receipt.turn}.{fact_id}")
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            name = about(fact)
            held = memory.salience.get(name) if name else None
            if held is not None:
                _attention(memory, held, key)
            _trust(memory, fact, key)
            _graph_link(fact.subject_id if fact.subject != YOU else fact.object_id)


def _turn(memory: Memory, receipt: Receipt, turn_id: str) -> None:
    turn = memory.turn(turn_id)
    if turn is None:
        st.caption("A message that is not kept any more.")
        return
    with st.container(border=True, gap="xsmall"):
        _details(
            [f"{_speaker(turn)} said on {moment(turn.at)}", count_of(cost(turn_text(turn)), "token")],
            [" ".join(turn.text.split())],
            receipt.why.get(turn_id, ""),
        )


def _entity(memory: Memory, receipt: Receipt, entity_id: str) -> None:
    held = memory.salience.get(entity_id)
    if held is None:
        st.caption("An entity that is not on your mind any more.")
        return
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"**{literal(held.name, 120)}**")
        _details(
            [f"mentioned {count_of(held.count, 'time')}", count_of(cost(entity_text(held)), "token")],
            [],
            receipt.why.get(entity_id, ""),
        )
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _attention(memory, held, session.page_key(f"act.{receipt.turn}.{entity_id}"))
            _graph_link(entity_id)


def _speaker(turn: Turn) -> str:
    return "you" if turn.speaker == "user" else literal(turn.speaker, 80)


def _details(facts: Sequence[str], said: Sequence[str], why: str) -> None:
    st.caption(" · ".join(facts))
    for each in said:
        st.markdown(f"> “{literal(each, QUOTE)}”")
    if why:
        st.caption(f"because: {literal(why, QUOTE)}")


def _attention(memory: Memory, held: Salience, key: str) -> None:
    name = literal(cut(held.name, 30))
    flags = (
        ("pin", "Unpin" if held.pinned else "Pin", ":material/keep:", not held.pinned, memory.salience.pin),
        ("mute", "Unmute" if held.muted else "Mute", ":material/volume_off:", not held.muted, memory.salience.mute),
    )
    for flag, word, icon, on, change in flags:
        st.button(
            f"{word} {name}",
            key=f"{key}.{flag}",
            type="tertiary",
            icon=icon,
            on_click=session.act,
            args=(change, held.entity_id, on),
        )


def _trust(memory: Memory, fact: Fact, key: str) -> None:
    if fact.trust is not Trust.REJECTED:
        st.button(
            "Not true",
            key=f"{key}.reject",
            type="tertiary",
            icon=":material/block:",
            on_click=session.act,
            args=(memory.reject, fact.id),
        )
    if fact.trust is not Trust.ACCEPTED:
        st.button(
            "True after all" if fact.trust is Trust.REJECTED else "Accept",
            key=f"{key}.accept",
            type="tertiary",
            icon=":material/check:",
            on_click=session.act,
            args=(memory.accept, fact.id),
        )


def _graph_link(entity_id: str) -> None:
    st.page_link(GRAPH, label="Open in graph", icon=":material/hub:", query_params={"entity": entity_id})
