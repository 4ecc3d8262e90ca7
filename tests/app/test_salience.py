"""The Salience page, run as a script: what it shows and what its buttons do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from memary_core.memory import Memory
from memary_core.settings import Settings
from memary_core.ui.session import page_key

NOW = datetime.now(UTC)
HOSTILE = "<img src=x onerror=alert(1)> $x$ **bold**"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    opened = Memory.open("me", Settings(data_dir=tmp_path / "scopes"))
    yield opened
    opened.close()


@pytest.fixture
def show(run_app: Callable[..., AppTest]) -> Callable[[], AppTest]:
    def run() -> AppTest:
        app = run_app("pages/1_Salience.py")
        assert not app.exception
        return app

    return run


def count(memory: Memory, name: str) -> int:
    found = memory.salience.get(name)
    return found.count if found else 0


def figures(app: AppTest) -> dict[str, str]:
    return {each.label: each.value for each in app.metric}


def edit(app: AppTest, revision: int = 1, **rows: Any) -> None:
    """Put an edit into the table of entities, as the browser would."""
    state = {"edited_rows": {}, "added_rows": [], "deleted_rows": [], **rows}
    app.session_state[page_key(f"salience.table.{revision}")] = state


def button(app: AppTest, label: str, nth: int = 0) -> Any:
    return [each for each in app.button if each.label == label][nth]


def test_an_empty_memory_says_what_will_be_here(memory: Memory, show: Callable[[], AppTest]) -> None:
    app = show()
    assert [each.value for each in app.title] == ["Salience"]
    assert any("Nothing is on the mind yet" in each.value for each in app.markdown)
    assert not app.tabs
    assert not app.metric


def test_figures_and_tables(memory: Memory, show: Callable[[], AppTest]) -> None:
    memory.mention(["Anna"] * 3 + ["Lisbon", HOSTILE], at=NOW - timedelta(days=2))
    memory.mention(["Porto"] * 2, at=NOW - timedelta(days=9))
    app = show()
    assert figures(app) == {"Entities": "4", "Mentions": "7", "Rising this week": "3", "Fading": "1"}
    assert [each.label for each in app.tabs] == ["Entities", "Stream", "What would be recalled", "JSON"]
    entities = app.data_editor[0].value
    assert set(entities["Name"]) == {"Anna", "Lisbon", "Porto", HOSTILE}
    assert list(entities.index) == [each.entity_id for each in memory.salience.listed()[0]]
    assert any(each.value == "4 of 4 entities shown." for each in app.caption)
    assert any(each.value == "7 of 7 mentions shown, the last one first." for each in app.caption)


def test_the_search_box_reaches_entities_beyond_the_table(memory: Memory, show: Callable[[], AppTest]) -> None:
    memory.mention([f"Entity {i}" for i in range(600)])
    app = show()
    assert len(app.data_editor[0].value) == 500
    assert any("500 of 600 entities shown" in each.value for each in app.caption)
    app.text_input(page_key("salience.table.find")).set_value("entity 59").run()
    assert not app.exception
    assert len(app.data_editor[0].value) == 11


def test_save_shows_the_difference_and_then_saves(memory: Memory, show: Callable[[], AppTest]) -> None:
    memory.mention(["Anna", "Anna", "Lisbon"])
    app = show()
    assert button(app, "Save").disabled
    edit(app, edited_rows={0: {"Mentions": 9}}, deleted_rows=[1])
    app.run()
    assert app.text_input(page_key("salience.table.find")).disabled
    button(app, "Save").click().run()
    shown = "\n".join(each.value for each in app.markdown)
    assert "- **Anna** 2 → 9" in shown
    assert "- **Lisbon** dropped from attention, with its count of 1" in shown
    assert any("What is believed of it stays" in each.value for each in app.caption)
    assert count(memory, "Anna") == 2
    app.button("confirm-save").click().run()
    assert not app.exception
    assert (count(memory, "Anna"), count(memory, "Lisbon")) == (9, 0)


def test_what_another_tab_changed_is_shown_and_not_overwritten(memory: Memory, show: Callable[[], AppTest]) -> None:
    memory.mention(["Anna", "Anna"])
    app = show()
    edit(app, edited_rows={0: {"Mentions": 9}})
    app.run()
    memory.mention(["Anna"])
    button(app, "Save").click().run()
    assert any("Anna\\: 2 when you opened it, now 3" in each.value for each in app.warning)
    assert count(memory, "Anna") == 3
    app.button("confirm-over").click().run()
    assert not app.exception
    assert count(memory, "Anna") == 9


def test_problems_are_said_and_nothing_is_saved(memory: Memory, show: Callable[[], AppTest]) -> None:
    memory.mention(["Anna", "Anna", "Lisbon"])
    app = show()
    edit(app, edited_rows={0: {"Mentions": 5}, 1: {"Name": "Anna"}})
    app.run()
    button(app, "Save").click().run()
    assert any("already the name of another entity" in each.value for each in app.error)
    assert app.button("confirm-save").disabled
    assert count(memory, "Anna") == 2


def test_discard_forgets_the_edits(memory: Memory, show: Callable[[], AppTest]) -> None:
    memory.mention(["Anna"])
    app = show()
    edit(app, edited_rows={0: {"Mentions": 5}})
    app.run()
    button(app, "Discard").click().run()
    assert button(app, "Save").disabled
    assert count(memory, "Anna") == 1


def test_old_mentions_are_forgotten_after_saying_how_many(memory: Memory, show: Callable[[], AppTest]) -> None:
    memory.mention(["Anna"] * 3, at=NOW - timedelta(days=40))
    memory.mention(["Anna", "Lisbon"], at=NOW)
    app = show()
    app.number_input(page_key("salience.older")).set_value(30).run()
    button(app, "Forget older mentions").click().run()
    assert any("3 of 5 mentions" in each.value for each in app.markdown)
    assert count(memory, "Anna") == 4
    app.button("confirm-forget").click().run()
    assert not app.exception
    assert (count(memory, "Anna"), memory.mention_total()) == (1, 2)


def test_the_stream_is_filtered(memory: Memory, show: Callable[[], AppTest]) -> None:
    memory.mention(["Anna", "Lisbon"], at=NOW)
    memory.mention(["Anna"], at=NOW - timedelta(days=10))
    app = show()
    app.text_input(page_key("salience.stream.find")).set_value("ann").run()
    app.date_input(page_key("salience.stream.from")).set_value((NOW - timedelta(days=5)).date()).run()
    assert not app.exception
    [table] = [each.value for each in app.dataframe if "Written" in each.value.columns]
    assert list(table["Written"]) == ["Anna"]


def test_what_would_be_recalled(memory: Memory, show: Callable[[], AppTest]) -> None:
    memory.observe("Anna lives in Lisbon.")
    app = show()
    ask = app.text_input(page_key("salience.ask"))
    ask.set_value("thanks").run()
    assert any("small talk" in each.value for each in app.markdown)
    app.text_input(page_key("salience.ask")).set_value("Where does Anna live?").run()
    assert not app.exception
    [table] = [each.value for each in app.dataframe if "Because" in each.value.columns]
    assert any("Lisbon" in text for text in table["Text"])
    assert all(table["Tokens"] > 0)


def test_the_store_is_edited_as_text(memory: Memory, show: Callable[[], AppTest]) -> None:
    memory.mention(["Anna", "Anna"])
    app = show()
    key = page_key("salience.json.entity_knowledge_store.json")
    app.button(f"{key}.open").click().run()
    text = app.text_area[0].value
    app.text_area[0].set_value(text.replace('"count": 2', '"count": x')).run()
    assert any("Line 2, column" in each.value for each in app.error)
    app.text_area[0].set_value(text.replace('"count": 2', '"count": 9')).run()
    assert any(each.value == "Would be saved: 1 changed." for each in app.caption)
    app.button(f"{key}.save").click().run()
    assert not app.exception
    assert count(memory, "Anna") == 9


def test_a_file_that_changed_meanwhile_is_not_overwritten(memory: Memory, show: Callable[[], AppTest]) -> None:
    memory.mention(["Anna", "Anna"])
    app = show()
    key = page_key("salience.json.memory_stream.jsonl")
    app.button(f"{key}.open").click().run()
    lines = app.text_area[0].value.splitlines()
    app.text_area[0].set_value("\n".join(lines[:2])).run()
    memory.mention(["Lisbon"])
    app.button(f"{key}.save").click().run()
    assert any("changed since it was opened" in each.value.replace("\\", "") for each in app.error)
    assert (count(memory, "Anna"), count(memory, "Lisbon")) == (2, 1)
