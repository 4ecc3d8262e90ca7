"""What an empty conversation shows: what this is, examples to send, a sample to load, and a model to connect."""

from __future__ import annotations

import streamlit as st

from memary_core.memory import Memory
from memary_core.ui import agents, chat, choices, connected, services, session
from memary_core.ui.show import hint, literal

WHAT = (
    "Memary remembers what you tell it: who and what you mention, and what you say about them. "
    "Under each answer you see what it took from memory and why, and you can correct it there."
)
SAMPLE_FILE = services.DATA / "sample_conversation.json"


def draw(memory: Memory) -> None:
    """The empty conversation. The sample is offered while nothing at all is remembered."""
    empty = not memory.conversations(1)
    if not empty:
        st.markdown("A new conversation. What was said in the others is remembered here too.")
    else:
        st.markdown(WHAT)
    with st.container(gap="small"):
        for number, example in enumerate(chat.EXAMPLES):
            st.button(
                literal(example),
                key=session.page_key(f"example.{number}"),
                on_click=agents.ask,
                args=(example,),
            )
    if empty and SAMPLE_FILE.is_file():
        loading = st.empty()
        asked = loading.button(
            "Load the sample conversation", key=session.page_key("sample"), type="tertiary", icon=":material/download:"
        )
        if asked:
            with loading.container():
                loaded = session.done(chat.load_sample, memory, SAMPLE_FILE)
            if loaded:
                chat.go_to(chat.SAMPLE)
            st.rerun()
    model = connected.model(memory.folder)
    if model.tiny and (said := choices.advice(model)):
        st.caption(hint(said))
