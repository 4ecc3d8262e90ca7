"""The consumer of salience: what the model receives when a question names nobody."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from memary_core.agent import ChatAgent
from memary_core.memory import Memory
from tests.scripted import ScriptedModel

FIRST, SECOND = ("Bel", "Cor", "Dal", "Fen", "Gil", "Hov"), ("an", "er", "is", "ot", "um")
NAMES = [first + second for first in FIRST for second in SECOND]
QUESTIONS = ("What has been on my mind lately?", "What do I talk about most?", "What should I think about next?")


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_five_most_mentioned_are_in_the_prompt_and_the_others_are_not(
    memory: Memory, question: str, seed: int
) -> None:
    counts = list(range(1, 31))
    random.Random(seed).shuffle(counts)
    for name, count in zip(NAMES, counts, strict=True):
        memory.mention([name] * count)
    model = ScriptedModel(["Those five."])
    list(ChatAgent(memory, model).chat(question))
    [request] = model.received
    prompt = "\n".join(message.content for message in request)
    expected = {name for name, count in zip(NAMES, counts, strict=True) if count > 25}
    assert {name for name in NAMES if name in prompt} == expected


def test_how_many_is_a_setting(open_full: Callable[..., Memory]) -> None:
    memory = open_full(recall_entities=2)
    for count, name in enumerate(NAMES[:6], 1):
        memory.mention([name] * count)
    assert [each.name for each in memory.recall(QUESTIONS[0]).entities] == [NAMES[5], NAMES[4]]


def test_a_muted_entity_is_not_injected_and_a_pinned_one_is(memory: Memory) -> None:
    for count, name in enumerate(NAMES[:8], 1):
        memory.mention([name] * count)
    memory.salience.mute(NAMES[7])
    memory.salience.pin(NAMES[0])
    names = {each.name for each in memory.recall(QUESTIONS[0]).entities}
    assert names == {NAMES[6], NAMES[5], NAMES[4], NAMES[3], NAMES[0]}
