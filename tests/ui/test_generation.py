"""An answer on its way in its thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

from memary_core.agent import ChatAgent
from memary_core.errors import StoreBusy
from memary_core.memory import Memory
from memary_core.prompt import Message
from memary_core.ui.generation import BROKEN, READING, Generation, Generations
from tests.scripted import ScriptedModel

PATIENCE = 30.0


class Waiting(ScriptedModel):
    """Gives a word, then waits until it is let go."""

    def __init__(self) -> None:
        super().__init__([])
        self.go, self.said = threading.Event(), threading.Event()

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        yield "Once "
        self.said.set()
        self.go.wait(PATIENCE)
        yield "upon a time"


class Failing:
    """An agent that cannot even begin."""

    def __init__(self, error: Exception) -> None:
        self.error, self.last, self.conversation = error, None, "main"

    def chat(self, text: str, images: Sequence[object] = ()) -> Iterator[object]:
        raise self.error
        yield


def answered(agent: ChatAgent, message: str, ended: Callable[[Generation], None] | None = None) -> Generation:
    generation = Generation(agent, message, 0, ended).start()
    assert generation._over.wait(PATIENCE)
    return generation


def test_it_takes_in_what_happens_and_ends(plain: Memory) -> None:
    ended: list[Generation] = []
    generation = answered(ChatAgent(plain, ScriptedModel(["Well met."])), "Tell me about Porto", ended.append)
    assert generation.text == "Well met. "
    assert generation.turn is not None and generation.turn.text == "Tell me about Porto"
    assert generation.recall is not None
    assert generation.done is not None and generation.done.answered_by == "scripted"
    assert generation.steps == [READING, "Looking in memory", "Asking Scripted (test)"]
    assert generation.trouble == ""
    assert ended == [generation]


def test_stopping_keeps_what_has_come(plain: Memory) -> None:
    model = Waiting()
    generation = Generation(ChatAgent(plain, model), "A story", 0).start()
    assert model.said.wait(PATIENCE)
    assert not generation.stop(0.0)
    model.go.set()
    assert generation.stop(PATIENCE)
    assert generation.done is not None and generation.done.turn is not None
    said, kept = plain.turns()
    assert (said.text, kept.text) == ("A story", "Once upon a time")


def test_an_error_of_ours_is_told(plain: Memory) -> None:
    generation = answered(ChatAgent(plain, ScriptedModel([])), "   ")
    assert "nothing was stored" in generation.trouble
    assert generation.done is None
    assert answered(Failing(StoreBusy("Busy.")), "x").trouble == "Busy."  # type: ignore[arg-type]


def test_any_other_error_ends_it_too_and_reaches_the_log(plain: Memory) -> None:
    logged: list[threading.ExceptHookArgs] = []
    usual, threading.excepthook = threading.excepthook, logged.append
    try:
        generation = answered(Failing(ZeroDivisionError("x")), "x")  # type: ignore[arg-type]
        generation._thread.join(PATIENCE)
    finally:
        threading.excepthook = usual
    assert generation.trouble == BROKEN
    assert [each.exc_type for each in logged] == [ZeroDivisionError]


def test_a_session_has_one_for_each_conversation(plain: Memory) -> None:
    model = Waiting()
    held = Generations()
    one = held.begin("a", Generation(ChatAgent(plain, model, conversation="a"), "A story", 0))
    assert held.of("a") is one and held.of("b") is None
    model.go.set()
    assert held.stop()
    held.take_off("a")
    assert held.of("a") is None


def test_a_page_loaded_anew_finds_the_answer_on_its_way(plain: Memory) -> None:
    model = Waiting()
    agent = ChatAgent(plain, model, conversation="a")
    one = Generations().begin("a", Generation(agent, "A story", 0, None, plain.folder))
    assert Generations().of("a") is None
    assert Generations().of("b", plain.folder) is None
    assert Generations().of("a", plain.folder / "other") is None
    again = Generations()
    assert again.of("a", plain.folder) is one
    model.go.set()
    assert again.stop()
    assert Generations().of("a", plain.folder) is None
