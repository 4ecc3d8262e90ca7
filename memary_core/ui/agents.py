"""Messages on their way to an answer: those that wait, and the agent of a conversation that answers them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from memary_core.agent import ChatAgent
from memary_core.llm.model import Model
from memary_core.memory import Memory
from memary_core.tools.images import Image
from memary_core.ui import choices, connected, personas, pictures, services, session
from memary_core.ui.choices import Choices
from memary_core.ui.generation import Generation
from memary_core.ui.receipts import Receipts, receipt_of
from memary_core.ui.unaided import Unaided


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message that was sent and has not been taken up: its words, and its images or their addresses."""

    text: str
    images: tuple[Image | str, ...] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """The agent of a conversation, and what it was made with."""

    agent: ChatAgent
    answerer: Unaided
    fetcher: pictures.Keeping
    made_with: tuple[Model, Model | None, Choices]


def queue() -> list[Waiting]:
    """Messages waiting for the answer before them."""
    return session.kept("queue", list[Waiting])


def ask(text: str, files: Sequence[pictures.Upload] = ()) -> None:
    """Send a message with what was uploaded, and the images whose addresses it holds."""
    images, refused = pictures.uploaded(files)
    for each in refused:
        session.notice(each)
    found: list[Image | str] = [*images, *pictures.addresses(text)]
    if text.strip() or found:
        queue().append(Waiting(text, tuple(found[: pictures.MOST])))


def images_of(turn_id: str) -> tuple[Image, ...]:
    """The images of a message sent in this session; they are kept no longer than it."""
    return _images().get(turn_id, ())


def begin(memory: Memory, conversation: str, message: Waiting, after: int) -> Generation:
    """Start answering a message."""
    held = _held(memory, conversation)
    held.agent.unverified = bool(st.session_state.get(session.UNVERIFIED, False))
    held.fetcher.got.clear()
    session.reading().put_off()
    receipts, shown = session.kept("receipts", lambda: Receipts(memory.folder)), _images()
    sent = tuple(each for each in message.images if isinstance(each, Image))

    def ended(generation: Generation) -> None:
        if generation.turn is None:
            return
        if images := (*sent, *held.fetcher.got):
            shown[generation.turn.id] = images
        if generation.done is not None:
            steps = tuple(generation.steps)
            receipts.keep(receipt_of(generation.turn.id, generation.done, steps, held.answerer.used))

    begun = Generation(held.agent, message.text, after, ended, memory.folder, message.images)
    return session.generations().begin(conversation, begun)


def read_on(memory: Memory) -> None:
    """Let the model read what no model has read yet, in the background."""
    session.reading().begin(memory, connected.model(memory.folder), services.settings())


def read_left_over(memory: Memory) -> None:
    """The same once a session, at its start: what broke off the last time."""
    if not session.kept("left over", list[bool]):
        session.kept("left over", list[bool]).append(True)
        read_on(memory)


def _images() -> dict[str, tuple[Image, ...]]:
    return session.kept("images", dict[str, tuple[Image, ...]])


def _held(memory: Memory, conversation: str) -> Held:
    """Made anew where something else was chosen in the sidebar or the personas were edited."""
    chosen, settings = choices.read(memory.folder), services.settings()
    made_with = (connected.model(memory.folder), connected.eyes(memory.folder), chosen)
    agents = session.kept("agents", dict[str, Held])
    held = agents.get(conversation)
    if held is not None and held.made_with == made_with:
        return held
    model, seeing, _ = made_with
    answerer, fetcher = Unaided(settings.spacy_model, alone=model.state == "not set up"), pictures.Keeping()
    agent = ChatAgent(
        memory,
        model,
        conversation=conversation,
        system_persona=personas.SYSTEM.text(memory.folder, services.DATA),
        user_persona=personas.USER.text(memory.folder, services.DATA),
        answerer=answerer,
        budget=settings.recall_budget,
        toolbox=connected.toolbox(memory, settings, chosen, model, seeing),
        steps=settings.max_steps,
        vision=seeing,
        fetcher=fetcher,
    )
    agents[conversation] = Held(agent, answerer, fetcher, made_with)
    return agents[conversation]
