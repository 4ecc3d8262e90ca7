"""The sidebar's choice of models and tools, and a conversation with a model that uses them, over real HTTP."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator

import pytest
from streamlit.testing.v1 import AppTest

from memary_core.memory import Memory
from memary_core.models import Trust
from memary_core.ui import choices, picker, session
from memary_core.ui import connected as connected_to
from tests.app.conftest import words
from tests.llm.chat_server import Reply
from tests.llm.ollama_server import OllamaScript, Pulled, ollama_serving

pytest.importorskip("llama_index.llms.ollama")

ABLE = Pulled("able:latest", ("completion", "tools", "thinking"))
SEEING = Pulled("seeing:latest", ("completion", "vision"))
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture
def server() -> Iterator[OllamaScript]:
    with ollama_serving(OllamaScript((ABLE, SEEING), Reply(("Yes.",)))) as script:
        yield script


@pytest.fixture
def connected(
    run_app: Callable[..., AppTest], server: OllamaScript, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], AppTest]:
    monkeypatch.delenv("MEMARY_LLM")
    monkeypatch.setenv("OLLAMA_HOST", server.url)
    return run_app


def memory(app: AppTest) -> Memory:
    held = app.session_state[session.MEMORY]
    assert isinstance(held, Memory)
    return held


def opened(app: AppTest) -> AppTest:
    app.session_state["memary.model"] = True
    return app.run()


def box(app: AppTest, name: str):
    return app.selectbox(key=session.page_key(name))


def switch(app: AppTest, tool: str):
    return next(each for each in app.toggle if each.label == connected_to.ABOUT[tool][0])


def say(app: AppTest, text: str) -> AppTest:
    return app.chat_input[0].set_value(text).run()


def press(app: AppTest, label: str) -> AppTest:
    return next(each for each in app.button if each.label == label).click().run()


def settled(app: AppTest) -> None:
    """The model has read what was said; what it was asked since is the conversation's."""
    app.session_state[session.page_key("reading")].stop(30)


def test_the_picker_offers_what_the_server_has_and_says_what_each_can_do(connected: Callable[[], AppTest]) -> None:
    app = opened(connected())
    assert not app.exception
    offered = box(app, picker.LLM).options
    assert offered[:3] == [
        "Automatic: able (Ollama)",
        "able (Ollama) · ready · uses tools, thinks aloud",
        "seeing (Ollama) · ready · sees images",
    ]
    assert offered[-1] == "No model: memory answers by itself"
    assert box(app, picker.VISION).options[1:] == [
        "seeing (Ollama) · ready · sees images",
        "None: nobody looks at images",
    ]


def test_a_choice_is_remembered_for_its_scope_and_no_other(connected: Callable[[], AppTest]) -> None:
    app = opened(connected())
    box(app, picker.LLM).select("ollama:seeing").run()
    assert "Answers come from seeing (Ollama)" in words(app)
    folder = memory(app).folder
    assert choices.read(folder).llm == "ollama:seeing"
    assert "Answers come from seeing (Ollama)" in words(connected())
    app.session_state["memary.switch"] = True
    app.run()
    app.text_input(key="memary.switch.typed").set_value("bob")
    press(app, "Switch")
    assert "Answers come from able (Ollama)" in words(app)


def test_a_model_that_went_away_is_told_with_what_to_do(connected: Callable[[], AppTest]) -> None:
    first = connected()
    choices.save(memory(first).folder, choices.Choices(llm="ollama:gone"))
    app = opened(first)
    assert not app.exception
    assert box(app, picker.LLM).value == "ollama:gone"
    assert "ollama:gone · not there any more" in box(app, picker.LLM).options
    said = words(app).replace("\u2060", "")
    assert "ollama:gone is not there any more. Memory still answers what it knows." in said
    assert "ollama pull gone" in said


def test_each_tool_says_what_is_missing_and_a_switch_is_kept(connected: Callable[[], AppTest]) -> None:
    app = opened(connected())
    assert switch(app, "search").disabled and not switch(app, "search").value
    assert "PERPLEXITY_API_KEY is not set" in words(app)
    assert "ALPHA_VANTAGE_API_KEY is not set" in words(app)
    assert switch(app, "memory").value and switch(app, "vision").value
    switch(app, "vision").set_value(False).run()
    assert choices.read(memory(app).folder).off == ("vision",)
    assert not switch(opened(connected()), "vision").value


def test_the_switches_follow_the_model_until_somebody_uses_them(connected: Callable[[], AppTest]) -> None:
    app = opened(connected())
    assert switch(app, "memory").value
    box(app, picker.LLM).select("ollama:seeing").run()
    assert not switch(app, "memory").value
    switch(app, "memory").set_value(True).run()
    assert choices.read(memory(app).folder).on == ("memory",)
    box(app, picker.LLM).select("ollama:able").run()
    assert switch(app, "memory").value and switch(app, "locate").value


def test_only_the_tools_that_are_on_are_shown_to_the_model(
    connected: Callable[[], AppTest], server: OllamaScript
) -> None:
    app = connected()
    choices.save(memory(app).folder, choices.Choices(off=("vision", "locate")))
    say(app, "Tell me a story")
    names = {each["function"]["name"] for each in server.requests[0]["tools"]}
    assert names == {"recall", "remember", "forget", "correct"}
    settled(app)
    choices.save(memory(app).folder, choices.Choices(off=("memory", "vision", "locate", "search", "stocks")))
    before = len(server.requests)
    say(app, "Tell me another")
    assert "tools" not in server.requests[before] or not server.requests[before]["tools"]


def test_steps_show_the_thought_the_tool_its_input_and_its_result(
    connected: Callable[[], AppTest], server: OllamaScript
) -> None:
    server.replies = [
        Reply(thoughts=("I should ", "look."), calls=(("recall", {"query": "boats"}),)),
        Reply(("No boats.",)),
    ]
    app = say(connected(), "Do I own a boat, do you think?")
    assert not app.exception
    said = words(app)
    assert "No boats." in said
    assert "Using recall, " in said and "Thinking, " in said
    assert "I should look." in [each.value for each in app.text]
    assert [json.loads(each.value) for each in app.code] == [{"query": "boats"}]
    assert any("Memory holds nothing on that" in each.value or "boat" in each.value for each in app.text)
    assert "I should look" not in memory(app).turns(memory(app).conversations(1)[0].id)[-1].text


def proposing(server: OllamaScript, tool: str, given: dict[str, str]) -> None:
    server.replies = [Reply(calls=((tool, given),)), Reply(("I asked you.",))]


def told(app: AppTest) -> AppTest:
    memory(app).add_fact("Anna", "lives in", "Lisbon")
    return app


CORRECTION = {"subject": "Anna", "predicate": "lives in", "object": "Lisbon", "new_object": "Porto"}


def test_a_correction_waits_and_is_carried_out_once_confirmed(
    connected: Callable[[], AppTest], server: OllamaScript
) -> None:
    proposing(server, "correct", CORRECTION)
    app = say(told(connected()), "Please correct where Anna lives, it is Porto by now")
    assert not app.exception
    assert "Correct Lisbon to **Porto**?" in words(app)
    assert [each.trust for each in memory(app).facts("Anna", "lives in") if each.object == "Lisbon"] == [Trust.ACCEPTED]
    press(app, "Confirm")
    assert not app.exception
    held = {each.object: each.trust for each in memory(app).facts("Anna", "lives in")}
    assert held == {"Lisbon": Trust.REJECTED, "Porto": Trust.ACCEPTED}
    assert "Corrected." in words(app)
    # Also for a session that comes later.
    later = words(connected())
    assert "Corrected." in later and "Confirm" not in later


def test_what_was_dismissed_changes_nothing(connected: Callable[[], AppTest], server: OllamaScript) -> None:
    proposing(server, "forget", {"subject": "Anna"})
    app = say(told(connected()), "Please forget about Anna")
    assert "Forget this?" in words(app) and "kept as rejected" in words(app)
    press(app, "Dismiss")
    assert [each.trust for each in memory(app).facts("Anna")] == [Trust.ACCEPTED]
    assert "Dismissed; nothing was changed." in words(app)


def test_forgetting_that_was_confirmed_rejects_and_says_that_it_is_kept(
    connected: Callable[[], AppTest], server: OllamaScript
) -> None:
    proposing(server, "forget", {"subject": "Anna"})
    app = press(say(told(connected()), "Please forget about Anna"), "Confirm")
    assert [each.trust for each in memory(app).facts("Anna")] == [Trust.REJECTED]
    assert "Done. What is forgotten here is kept as rejected" in words(app)


def test_an_image_is_shown_and_goes_to_a_model_that_sees(
    connected: Callable[[], AppTest], server: OllamaScript
) -> None:
    app = connected()
    choices.save(memory(app).folder, choices.Choices(llm="ollama:seeing"))
    app.run()
    app.chat_input[0].upload("dot.png", PNG, "image/png").set_value("What is this?").run()
    assert not app.exception
    assert server.requests[0]["messages"][-1]["images"] == [base64.b64encode(PNG).decode()]
    assert len(app.get("image")) == 1


def test_without_a_model_that_sees_it_is_said_what_to_set(
    connected: Callable[[], AppTest], server: OllamaScript
) -> None:
    server.models = (ABLE,)
    app = connected()
    app.chat_input[0].upload("dot.png", PNG, "image/png").set_value("What is this?").run()
    assert not app.exception
    assert "cannot look at images" in words(app) and "MEMARY_VISION_MODEL" in words(app)


def test_a_file_that_is_no_image_is_refused_and_the_message_goes_on(connected: Callable[[], AppTest]) -> None:
    app = connected()
    app.chat_input[0].upload("dot.png", b"<svg/>", "image/png").set_value("Tell me a story").run()
    assert not app.exception
    said = words(app)
    assert "dot.png is not a PNG, JPEG, GIF or WebP image" in said
    assert "Yes." in said


def test_after_the_answer_the_model_reads_what_was_said(connected: Callable[[], AppTest], server: OllamaScript) -> None:
    found = [{"subject": "Anna", "predicate": "adores", "object": "Fado"}]
    server.replies = [Reply(("Nice.",)), Reply((json.dumps(found),))]
    app = say(connected(), "It is Fado, of all things, that Anna is into.")
    settled(app)
    facts = [each for each in memory(app).facts("Anna") if each.predicate == "adores"]
    assert [(each.object, each.trust) for each in facts] == [("Fado", Trust.CANDIDATE)]
    assert facts[0].sources[0].extractor == "able"
