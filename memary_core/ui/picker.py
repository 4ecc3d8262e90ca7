"""In the sidebar's popover: which model answers, which looks at images, and which tools may be used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from memary_core.llm.model import Model
from memary_core.llm.providers import Choice
from memary_core.memory import Memory
from memary_core.ui import choices, connected, services, session
from memary_core.ui.choices import Choices
from memary_core.ui.connected import ToolState
from memary_core.ui.show import hint, literal

LLM = "picker.llm"
VISION = "picker.vision"
TOOL = "picker.tool."
NOBODY = {LLM: "No model: memory answers by itself", VISION: "None: nobody looks at images"}


def draw(memory: Memory) -> None:
    """All three. What servers have is asked only here, and at most once a minute."""
    chosen = choices.read(memory.folder)
    at_hand = services.choices()
    model = connected.model(memory.folder)
    _pick("Model", LLM, memory, choices.models(at_hand, chosen.llm), chosen.llm, at_hand, services.model().label)
    if said := choices.advice(model):
        st.caption(hint(said))
    seeing = connected.eyes(memory.folder)
    _vision(memory, chosen, at_hand, model, seeing)
    _tools(memory, chosen, model, seeing)


def switch_key(tool: ToolState, model: Model) -> str:
    """A switch is another one where its state without anybody's choice is: the old one would keep the old state."""
    default = f"{'calls' if model.capabilities.tools else 'words'}.{'away' if tool.unavailable else 'there'}"
    return session.page_key(f"{TOOL}{tool.name}.{default}")


def _pick(
    title: str, name: str, memory: Memory, ids: Sequence[str], chosen: str, at_hand: Sequence[Choice], automatic: str
) -> None:
    key = session.page_key(name)

    def save() -> None:
        picked = str(st.session_state[key] or choices.AUTOMATIC)
        _change(memory, lambda held: replace(held, llm=picked) if name == LLM else replace(held, vision=picked))

    st.selectbox(
        title,
        ids,
        index=ids.index(chosen),
        format_func=lambda each: choices.described(each, at_hand, automatic, NOBODY[name]),
        key=key,
        on_change=save,
        help="For this Agent ID. Remembered.",
    )


def _vision(memory: Memory, chosen: Choices, at_hand: Sequence[Choice], model: Model, seeing: Model | None) -> None:
    automatic = services.vision(choices.AUTOMATIC)
    ids = choices.vision_models(at_hand, chosen.vision)
    _pick("Vision model", VISION, memory, ids, chosen.vision, at_hand, automatic.label if automatic else "none found")
    if model.capabilities.vision:
        st.caption(f"{literal(model.label, 60)} sees images itself.")
    elif seeing is not None and seeing.state != "ready" and (said := choices.advice(seeing)):
        st.caption(hint(said))
    elif seeing is None:
        st.caption(hint("Images need a vision model: run `ollama pull llava`, or set MEMARY_VISION_MODEL."))


def _tools(memory: Memory, chosen: Choices, model: Model, seeing: Model | None) -> None:
    states = connected.tool_states(memory, services.settings(), chosen, model, seeing)
    st.markdown("**Tools**")
    usable = sum(each.on and not each.unavailable for each in states)
    st.caption(literal(choices.tools_line(model, usable)))
    with st.container(gap="xsmall"):
        for each in states:
            key = switch_key(each, model)
            st.toggle(
                each.title,
                value=each.on and not each.unavailable,
                key=key,
                help=each.help,
                disabled=bool(each.unavailable),
                on_change=_switch,
                args=(memory, each.name, key),
            )
            if each.unavailable:
                st.caption(hint(each.unavailable))


def _switch(memory: Memory, tool: str, key: str) -> None:
    on = bool(st.session_state[key])
    _change(memory, lambda held: held.switched(tool, on))


def _change(memory: Memory, change: Callable[[Choices], Choices]) -> None:
    # Read again: another tab may have chosen meanwhile.
    session.act(choices.save, memory.folder, change(choices.read(memory.folder)))
