"""The conversation as a page shows it: which one, its exchanges, and an answer on its way."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from memary_core.errors import GraphError
from memary_core.memory import Memory
from memary_core.models import Fact, SourceKind, Turn, new_id
from memary_core.tools.images import Image
from memary_core.ui import agents, connected, pictures, proposals, receipt, session
from memary_core.ui.generation import Generation
from memary_core.ui.receipts import Receipt, Receipts
from memary_core.ui.show import literal, prose, turned_back
from memary_core.ui.transcript import exchanges, remembered, remembered_line, sample, title, who_answers

SAMPLE = "sample"
"""The conversation that the sample is read into."""
PAGE_OF_TURNS = 30
EXAMPLES = (
    "My sister Anna lives in Lisbon and works at Critical Software.",
    "I am allergic to peanuts, and my dog is called Rex.",
    "Where does Anna live?",
)
_FRAME = 0.05
"""Seconds between two pictures of an answer on its way."""


def current(memory: Memory) -> str:
    """The conversation this session is in: at first the latest one."""
    key = session.page_key("conversation")
    if key not in st.session_state:
        latest = memory.conversations(1)
        st.session_state[key] = latest[0].id if latest else new_id()
    return str(st.session_state[key])


def go_to(conversation: str) -> None:
    """Continue in a conversation."""
    st.session_state[session.page_key("conversation")] = conversation
    st.session_state.pop(session.page_key("earlier"), None)


def header(memory: Memory, conversation: str) -> None:
    """The page's name, and at its right the conversations and a way to begin another."""
    latest = memory.conversations(1)
    began = bool(memory.turns(conversation))
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown("## Chat", width="content")
        with st.container(horizontal=True, width="content", gap="xsmall"):
            key = session.page_key("conversations")
            past = st.popover(
                "Conversations",
                icon=":material/forum:",
                type="tertiary",
                key=key,
                on_change="rerun",
                disabled=not latest,
            )
            st.button(
                "New conversation",
                icon=":material/add:",
                type="tertiary",
                key=session.page_key("new"),
                on_click=go_to,
                args=(new_id(),),
                disabled=not began,
            )
    if past.open:
        known = memory.conversations()
        with past, st.container(height=420 if len(known) > 10 else "content", border=False, gap="xsmall"):
            for each in known:
                st.button(
                    title(each),
                    key=session.page_key(f"conversation.{each.id}"),
                    type="tertiary",
                    icon=":material/arrow_right:" if each.id == conversation else None,
                    on_click=_pick,
                    args=(each.id,),
                )


def _pick(conversation: str) -> None:
    st.session_state[session.page_key("conversations")] = False
    go_to(conversation)


def history(memory: Memory, turns: Sequence[Turn]) -> None:
    """The exchanges that are over, the latest at the bottom."""
    made = exchanges(turns)
    key = session.page_key("earlier")
    shown = int(st.session_state.get(key, PAGE_OF_TURNS))
    if len(made) > shown:
        st.button(
            f"Show earlier messages ({len(made) - shown})",
            type="tertiary",
            icon=":material/expand_less:",
            on_click=lambda: st.session_state.update({key: shown + PAGE_OF_TURNS}),
        )
    made = made[-shown:]
    receipts = session.kept("receipts", lambda: Receipts(memory.folder))
    receipts.refresh()
    learned = _learned(memory, [each.said.id for each in made if each.said])
    for each in made:
        if each.said is not None:
            said(memory, each.said, learned.get(each.said.id, []))
        found = receipts.get(each.said.id) if each.said else None
        if each.answers or found:
            answered(memory, each.answers, found, receipts)


def _learned(memory: Memory, turn_ids: Sequence[str]) -> dict[str, list[Fact]]:
    try:
        facts = memory.beliefs.learned(turn_ids)
    except GraphError:  # the frame says so at the top of the page
        return {}
    return {each: found for each in turn_ids if (found := remembered(each, facts))}


def said(memory: Memory, turn: Turn, facts: Sequence[Fact]) -> None:
    """A message, word for word, and under it what was learned from it."""
    with _bubble("user"):
        if turn.kind is not SourceKind.USER:
            st.caption(f"{literal(turn.speaker, 80)} said")
        st.text(turn.text)
        pictures.draw(agents.images_of(turn.id))
        for note in turn.notes:
            st.caption(literal(note))
        if facts:
            _remembered(memory, turn.id, facts)


def _remembered(memory: Memory, turn_id: str, facts: Sequence[Fact]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _quiet(remembered_line(facts))
        st.button(
            "Undo",
            key=session.page_key(f"undo.{turn_id}"),
            type="tertiary",
            help="Reject what was remembered from this message. It is kept, and reaches no answer.",
            on_click=session.act,
            args=(_reject_all, memory, [each.id for each in facts]),
        )


def _quiet(line: str) -> None:
    st.caption(f":material/bookmark: {line}", width="content")


def _reject_all(memory: Memory, fact_ids: Sequence[str]) -> None:
    for each in fact_ids:
        memory.reject(each)


def answered(memory: Memory, answers: Sequence[Turn], found: Receipt | None, receipts: Receipts) -> None:
    """What was answered, what the model would change in memory, and the receipt."""
    with _bubble("assistant"):
        for each in answers:
            _answer(each.text, by_memory=found is None or found.by_memory)
        if found is not None:
            if found.error:
                st.warning(literal(found.error), icon=":material/error:")
            proposals.draw(memory, receipts, found)
            receipt.draw(memory, found)


def _answer(text: str, *, by_memory: bool) -> None:
    # What memory says holds names, to be shown as they are; a model writes Markdown.
    if by_memory:
        st.text(turned_back(text))
    else:
        st.markdown(prose(text))


def _bubble(role: str) -> st.delta_generator.DeltaGenerator:
    icon = ":material/person:" if role == "user" else ":material/psychology:"
    return st.chat_message(role, avatar=icon)


def live(memory: Memory, generation: Generation) -> None:
    """Show an answer on its way until it is over. Whatever interrupts this leaves the answer going."""
    with _bubble("user"):
        st.text(generation.message)
        pictures.draw([each for each in generation.images if isinstance(each, Image)])
        learned = st.empty()
    with _bubble("assistant"):
        words = st.empty()
        while True:
            over = generation.over
            if generation.turn is not None and (facts := remembered(generation.turn.id, generation.learned)):
                with learned:
                    _quiet(remembered_line(facts))
            if generation.text:
                words.markdown(prose(generation.text))
            else:
                words.caption(f":material/hourglass_empty: {literal(generation.steps[-1])} …")
            if over:
                return
            generation.wait(1.0)
            time.sleep(_FRAME)


def footer(memory: Memory, running: Generation | None) -> None:
    """Under the message box: who answers, and a way to stop an answer. Its height stays the same."""
    with (
        st.bottom,
        st.container(
            horizontal=True,
            horizontal_alignment="distribute",
            vertical_alignment="center",
            wrap=False,
            height=48,
            border=False,
        ),
    ):
        st.caption(f"Answers come from {who_answers(connected.model(memory.folder))}.", width="content")
        if running is not None:
            st.button(
                "Stop",
                icon=":material/stop_circle:",
                type="tertiary",
                key=session.page_key("stop"),
                on_click=session.act,
                args=(running.stop,),
            )


def finish(memory: Memory, conversation: str, generation: Generation) -> None:
    """Let go of an answer that is over, and say what went wrong where nothing could be stored.

    What was said is now read by the model too, in the background.
    """
    session.generations().take_off(conversation)
    agents.read_on(memory)
    if generation.trouble:
        session.notice(generation.trouble)


def load_sample(memory: Memory, path: Path) -> None:
    """Read the sample conversation with its own dates; what is there already is not read twice."""
    rows = list(sample(path.read_text("utf-8")))
    there = {(each.text, each.at) for each in memory.turns(SAMPLE)}
    bar = st.progress(0.0, "Reading the sample conversation")
    for number, (at, speaker, text) in enumerate(rows, 1):
        bar.progress(number / len(rows), f"Reading message {number} of {len(rows)}")
        if (text, at) not in there:
            memory.observe(text, speaker, at=at, conversation=SAMPLE)
    bar.empty()
