"""The frame around every page: whose memory, which model, what is down, and clearing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from memary_core.files import scope_name
from memary_core.memory import Memory
from memary_core.ui import services, session, sidebar
from tests.app.conftest import ROOT, ScriptedModel, words
from tests.hostile import NAMES

TOLD = "My sister Anna lives in Lisbon."
PAGES = [path for path, _, _ in sidebar.PAGES if (ROOT / path).is_file()]


def say(app: AppTest, text: str) -> AppTest:
    return app.chat_input[0].set_value(text).run()


def memory(app: AppTest) -> Memory:
    held = app.session_state[session.MEMORY]
    assert isinstance(held, Memory)
    return held


def press(app: AppTest, label: str) -> AppTest:
    return next(each for each in app.button if each.label == label).click().run()


def switch(app: AppTest, scope: str) -> AppTest:
    app.session_state["memary.switch"] = True
    app.run()
    app.text_input(key="memary.switch.typed").set_value(scope)
    return press(app, "Switch")


@pytest.mark.parametrize("page", PAGES)
def test_every_page_may_be_the_first_one_visited(run_app: Callable[..., AppTest], page: str) -> None:
    app = run_app(page)
    assert not app.exception
    assert [each.label for each in app.sidebar.get("page_link")][: len(PAGES)] == [
        label for path, label, _ in sidebar.PAGES if path in PAGES
    ]
    said = words(app)
    assert "Agent ID" in said and "**me**" in said
    assert "not set up" in said
    assert "Memory at a glance" in said


def test_another_agent_id_begins_empty_and_the_first_is_whole_when_back(app: AppTest) -> None:
    say(app, TOLD)
    switch(app, "bob")
    assert not app.exception
    assert session.SCOPE in app.session_state and app.session_state[session.SCOPE] == "bob"
    assert [each.value for each in app.text] == []
    assert memory(app).facts() == [] and memory(app).salience.all() == []
    switch(app, "me")
    assert app.text[0].value == TOLD
    assert {each.name for each in memory(app).salience.all()} == {"Anna", "Lisbon"}


def test_ids_used_before_are_offered(app: AppTest) -> None:
    switch(app, "bob")
    app.session_state["memary.switch"] = True
    app.run()
    used = app.selectbox(key="memary.switch.known")
    assert used.options == ["me"]
    used.select("me").run()
    assert app.session_state[session.SCOPE] == "me"


@pytest.mark.parametrize("scope", ["../../etc/passwd", "<img src=x onerror=alert(1)>", "שלום", "a" * 200, "'}) DELETE"])
def test_a_strange_id_is_an_ordinary_one(app: AppTest, tmp_path: Path, scope: str) -> None:
    switch(app, scope)
    assert not app.exception and not app.error
    assert app.session_state[session.SCOPE] == scope
    assert memory(app).folder == tmp_path / "scopes" / scope_name(scope)


@pytest.mark.parametrize("scope", ["", "   ", "a\0b", "a" * 201])
def test_an_impossible_id_is_refused_with_the_reason(app: AppTest, scope: str) -> None:
    switch(app, scope)
    assert not app.exception
    assert app.session_state[session.SCOPE] == "me"
    assert "An agent ID is 1 to 200 printable characters" in words(app)


def test_clearing_lists_what_goes_and_wants_the_id(app: AppTest) -> None:
    switch(app, "bob")
    say(app, TOLD)
    switch(app, "me")
    say(app, TOLD)
    press(app, "Clear memory")
    said = words(app)
    assert "2 messages and 2 mentions" in said
    assert "2 entities on the mind" in said
    assert "2 facts with 2 sources" in said
    app.text_input(key="memary.clear.typed").set_value("bob")
    next(each for each in app.button if each.label == "Clear memory" and "form" in each.proto.id).click().run()
    assert app.session_state[sidebar.REFUSED] == "That is not the Agent ID; nothing was cleared."
    assert len(memory(app).facts()) == 2


def test_clearing_removes_this_scope_and_no_other(app: AppTest) -> None:
    switch(app, "bob")
    say(app, TOLD)
    switch(app, "me")
    say(app, TOLD)
    folder = memory(app).folder
    press(app, "Clear memory")
    app.text_input(key="memary.clear.typed").set_value("me")
    next(each for each in app.button if each.label == "Clear memory" and "form" in each.proto.id).click().run()
    assert not app.exception
    assert memory(app).facts() == [] and memory(app).conversations() == []
    assert not [path for path in folder.iterdir() if b"Anna" in path.read_bytes()]
    switch(app, "bob")
    assert len(memory(app).facts()) == 2


def test_personas_are_kept_for_the_scope_and_sent(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    model = ScriptedModel(["Arr.", "Fine."])
    monkeypatch.setattr(services, "model", lambda: model)
    app.run()
    press(app, "Edit personas")
    app.text_area(key=session.page_key("system_persona.txt")).set_value("You are a pirate.")
    press(app, "Save")
    assert not app.exception
    say(app, "Who are you?")
    assert model.received[-1][0].content == "You are a pirate."
    assert (memory(app).folder / "system_persona.txt").read_text() == "You are a pirate."
    press(app, "Edit personas")
    next(each for each in app.button if each.label == "Reset to default" and not each.disabled).click().run()
    say(app, "Who are you now?")
    assert "Memary" in model.received[-1][0].content


def test_a_wrong_setting_is_told_without_a_trace(
    run_app: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMARY_HALF_LIFE_DAYS", "soon")
    app = run_app()
    assert not app.exception
    assert "MEMARY_HALF_LIFE_DAYS" in words(app)


def test_a_wrong_model_is_told_and_the_chat_goes_on(
    run_app: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = run_app()
    services.model.clear()
    services.settings.clear()
    monkeypatch.setenv("MEMARY_LLM", "parrot")
    app.run()
    assert "MEMARY_LLM is 'parrot'" in words(app)
    say(say(app, TOLD), "Where does Anna live?")
    assert app.text[-1].value == "Anna lives in Lisbon."


def test_without_the_graph_the_chat_goes_on_and_says_so(
    run_app: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FALKORDB_URL", "redis://127.0.0.1:1")
    app = run_app()
    assert not app.exception
    assert len(app.warning) == 1
    say(app, TOLD)
    assert not app.exception
    assert app.text[0].value == TOLD
    assert "not reachable" in words(app)
    assert {each.name for each in memory(app).salience.all()} == {"Anna", "Lisbon"}


def test_a_memory_that_cannot_be_opened_leaves_a_way_out(run_app: Callable[..., AppTest], tmp_path: Path) -> None:
    folder = tmp_path / "scopes" / scope_name("me")
    folder.mkdir(parents=True)
    header = {"format": "memary journal", "version": 99, "scope": "me", "generation": "1"}
    (folder / "journal.jsonl").write_text(json.dumps(header) + "\n")
    app = run_app()
    assert not app.exception
    assert len(app.error) == 1
    switch(app, "bob")
    assert not app.error
    assert memory(app).scope == "bob"


def test_a_hand_edit_that_was_taken_over_is_noted_until_dismissed(run_app: Callable[..., AppTest]) -> None:
    first = run_app()
    say(first, TOLD)
    memory(first).save()
    path = memory(first).folder / "entity_knowledge_store.json"
    rows = json.loads(path.read_text())
    next(each for each in rows if each["entity"] == "Anna")["count"] = 9
    path.write_text(json.dumps(rows))
    app = run_app()
    assert "made by hand" in words(app)
    assert memory(app).salience.get("Anna").count == 9
    press(app, "Dismiss")
    assert "made by hand" not in words(app)


def test_hostile_names_break_no_page(run_app: Callable[..., AppTest]) -> None:
    first = run_app()
    for name in NAMES:
        memory(first).add_fact(name, "knows", "Anna")
        memory(first).mention([name])
    for page in PAGES:
        assert not run_app(page).exception, page
