"""The chat page: what is said, remembered, answered and accounted for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from memary_core.memory import Memory
from memary_core.models import Trust
from memary_core.ui import services, session
from tests.app.conftest import ScriptedModel, words
from tests.hostile import NAMES

TOLD = "My sister Anna lives in Lisbon and works at Critical Software."
ASKED = "Where does Anna live?"


def say(app: AppTest, text: str) -> AppTest:
    return app.chat_input[0].set_value(text).run()


def memory(app: AppTest) -> Memory:
    held = app.session_state[session.MEMORY]
    assert isinstance(held, Memory)
    return held


def texts(app: AppTest) -> list[str]:
    return [each.value for each in app.text]


def labels(app: AppTest) -> list[str]:
    return [each.label for each in app.expander]


def button(app: AppTest, label: str):
    return next(each for each in app.button if each.label == label)


def opened(app: AppTest, label: str) -> AppTest:
    """The page with a receipt unfolded."""
    found = next(each for each in app.expander if each.label.startswith(label))
    key = next(key for key in _expander_keys(app, "receipt") if key in found.proto.id)
    app.session_state[key] = True
    return app.run()


def _expander_keys(app: AppTest, name: str) -> list[str]:
    turns = [each for one in memory(app).conversations() for each in memory(app).turns(one.id)]
    return [session.page_key(f"{name}.{each.id}") for each in turns]


def test_an_empty_app_says_what_it_is_and_offers_examples(app: AppTest) -> None:
    assert not app.exception
    said = words(app)
    assert "Memary remembers what you tell it" in said
    assert "Where does Anna live?" in said
    assert "Load the sample conversation" in said
    assert "ollama pull llama3.2" in said


def test_what_is_told_is_remembered_and_answers_a_question(app: AppTest) -> None:
    say(app, TOLD)
    assert "Remembered: Your sister is Anna · Anna lives in Lisbon · Anna works at Critical Software" in words(app)
    say(app, ASKED)
    assert not app.exception
    assert texts(app)[-1] == "Anna lives in Lisbon."
    assert [each for each in labels(app) if each.startswith("From memory")] == [
        "From memory: 1 fact, 8 tokens; answered by memory itself"
    ]


def test_small_talk_gets_a_reply_and_no_receipt(app: AppTest) -> None:
    say(app, "hi")
    assert len(texts(app)) == 2
    assert not [each for each in labels(app) if each.startswith("From memory")]
    assert "nothing was recalled, since the message is small talk" in words(app)


def test_the_receipt_shows_fact_trust_quote_reason_and_tokens(app: AppTest) -> None:
    say(say(app, TOLD), ASKED)
    shown = words(opened(app, "From memory"))
    assert "**Anna · lives in · Lisbon**" in shown
    assert "accepted · you said, just now · 8 tokens" in shown
    assert f"“{TOLD}”" in shown
    assert "because: names Anna" in shown


def test_pin_mute_and_not_true_act_at_once(app: AppTest) -> None:
    say(say(app, TOLD), ASKED)
    opened(app, "From memory")
    button(app, "Pin Anna").click().run()
    assert memory(app).salience.get("Anna").pinned
    button(app, "Mute Anna").click().run()
    assert memory(app).salience.get("Anna").muted
    button(app, "Unpin Anna").click().run()
    assert not memory(app).salience.get("Anna").pinned
    button(app, "Not true").click().run()
    [fact] = memory(app).facts(subject="Anna", predicate="lives in")
    assert fact.trust is Trust.REJECTED
    assert "~~**Anna · lives in · Lisbon**~~" in words(app)
    say(app, "Where does Anna live?")
    assert "Lisbon" not in texts(app)[-1]


def test_undo_rejects_what_was_just_remembered(app: AppTest) -> None:
    say(app, TOLD)
    button(app, "Undo").click().run()
    assert {each.trust for each in memory(app).facts()} == {Trust.REJECTED}
    assert "Remembered" not in words(app)


def test_conversations_and_receipts_are_there_after_a_restart(run_app: Callable[..., AppTest]) -> None:
    first = run_app()
    say(say(first, TOLD), ASKED)
    memory(first).save()
    again = run_app()
    assert texts(again)[0] == TOLD
    assert texts(again)[-1] == "Anna lives in Lisbon."
    assert "because: names Anna" in words(opened(again, "From memory"))


def test_a_new_conversation_keeps_the_memory(app: AppTest) -> None:
    say(app, TOLD)
    button(app, "New conversation").click().run()
    assert texts(app) == []
    assert "What was said in the others is remembered" in words(app)
    say(app, ASKED)
    assert texts(app) == [ASKED, "Anna lives in Lisbon."]
    assert len(memory(app).conversations()) == 2


def test_an_earlier_conversation_can_be_taken_up_again(app: AppTest) -> None:
    say(app, TOLD)
    button(app, "New conversation").click().run()
    say(app, "hi")
    app.session_state[session.page_key("conversations")] = True
    app.run()
    next(each for each in app.button if each.label.startswith("My sister Anna")).click().run()
    assert texts(app)[0] == TOLD


def test_an_example_is_sent_by_its_button(app: AppTest) -> None:
    button(app, r"Where does Anna live?").click().run()
    assert texts(app)[0] == ASKED
    assert len(texts(app)) == 2


def test_the_sample_conversation_is_loaded_once_with_its_dates(app: AppTest) -> None:
    button(app, "Load the sample conversation").click().run()
    assert not app.exception
    turns = memory(app).turns("sample")
    assert len(turns) == 16
    assert f"{turns[0].at:%Y-%m-%d %H:%M}" == "2026-03-02 08:15"
    assert texts(app)[0] == turns[0].text
    assert memory(app).salience.get("Anna").count > 1


def test_hostile_words_are_shown_as_they_were_typed(app: AppTest) -> None:
    for name in NAMES:
        say(app, f"My friend {name} lives in Lisbon.")
    assert not app.exception
    said = [each.text for each in memory(app).turns(memory(app).conversations(1)[0].id) if each.speaker == "user"]
    assert [each for each in texts(app) if each in said] == said
    assert memory(app).facts()


def test_a_blank_message_is_not_sent(app: AppTest) -> None:
    say(app, "   ")
    assert not app.exception
    assert texts(app) == []


def test_a_model_streams_its_answer_as_markdown(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    model = ScriptedModel(["**Porto** costs $5 ![x](http://example.invalid/x.png)"])
    monkeypatch.setattr(services, "model", lambda: model)
    say(app, "Where does Anna live?")
    assert not app.exception
    answer = next(each.value for each in app.markdown if "Porto" in each.value)
    assert answer == "**Porto** costs \\$5 !\u2060[x](http://example.invalid/x.png)"
    assert "scripted answered in" in words(app)


def test_a_model_that_fails_says_so_and_the_next_message_works(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    from memary_core.errors import ModelUnavailable

    model = ScriptedModel([["Half an ", ModelUnavailable("The model went away. Start it again.")], "All well."])
    monkeypatch.setattr(services, "model", lambda: model)
    say(app, "Tell me about Porto")
    said = words(app)
    assert "Half an" in said
    assert "The model went away. Start it again." in said
    say(app, "And now?")
    assert "All well." in words(app)


def test_unverified_facts_are_recalled_only_when_asked_for(app: AppTest) -> None:
    say(app, "hi")
    memory(app).observe("I live in Porto.", speaker="Anna")
    say(app, ASKED)
    assert "Porto" not in texts(app)[-1]
    app.session_state[session.UNVERIFIED] = True
    say(app, ASKED)
    assert "Porto" in texts(app)[-1] and "Not verified yet" in texts(app)[-1]
