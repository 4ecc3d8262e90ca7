"""A model that reads in the background: one thread, put off for an answer, and what it could not read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from memary_core.errors import ModelUnavailable
from memary_core.memory import Memory
from memary_core.prompt import Message
from memary_core.settings import Settings
from memary_core.ui.background import Reading
from tests.scripted import ScriptedModel

PATIENCE = 30.0


class Slow(ScriptedModel):
    """Answers once it is let go."""

    def __init__(self) -> None:
        super().__init__([])
        self.go, self.asked = threading.Event(), threading.Event()

    def complete(self, messages: Sequence[Message]) -> str:
        self.received.append(list(messages))
        self.asked.set()
        self.go.wait(PATIENCE)
        return "[]"


def test_it_reads_what_waits_and_says_what_it_could_not(open_plain: Callable[..., Memory]) -> None:
    memory = open_plain()
    memory.observe("Anna likes fado.")
    reading = Reading()
    assert reading.begin(memory, ScriptedModel([[ModelUnavailable("It is away.")]]), Settings())
    assert reading._thread is not None
    reading._thread.join(PATIENCE)
    assert reading.take_notes() == ["It is away. What was not read is read another time."]
    assert reading.take_notes() == []


def test_a_small_model_is_not_asked(open_plain: Callable[..., Memory]) -> None:
    assert not Reading().begin(open_plain(), ScriptedModel([], tiny=True), Settings())


def test_one_scope_is_read_once_whoever_looks_at_it(open_plain: Callable[..., Memory]) -> None:
    memory, model = open_plain(), Slow()
    memory.observe("Anna likes fado.")
    first, second = Reading(), Reading()
    assert first.begin(memory, model, Settings()) and model.asked.wait(PATIENCE)
    assert not second.begin(memory, model, Settings())
    model.go.set()
    assert first.stop(PATIENCE) and second.stop()


def test_put_off_it_reads_no_further_message_and_goes_on_when_asked_again(open_plain: Callable[..., Memory]) -> None:
    memory, model, reading = open_plain(), Slow(), Reading()
    for each in ("Anna likes fado.", "Tom likes jazz."):
        memory.observe(each)
    assert reading.begin(memory, model, Settings()) and model.asked.wait(PATIENCE)
    reading.put_off()
    assert not reading.stop(0.01)
    model.go.set()
    assert reading.stop(PATIENCE)
    assert len(model.received) == 1
    assert reading.take_notes() == []
    assert reading.begin(memory, model, Settings())
    assert reading._thread is not None
    reading._thread.join(PATIENCE)
    assert len(model.received) == 2
