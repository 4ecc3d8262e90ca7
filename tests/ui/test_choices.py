"""What a scope chose: how it is kept, and what the pickers say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memary_core.llm.model import Capabilities, NoModel
from memary_core.llm.providers import Choice
from memary_core.ui import choices
from memary_core.ui.choices import AUTOMATIC, FILE, NONE, Choices
from tests.scripted import ScriptedModel

ABLE = Choice("ollama:able", "able (Ollama)", "ready", Capabilities(tools=True))
SEEING = Choice("ollama:seeing", "seeing (Ollama)", "not reachable", Capabilities(vision=True))
NOTHING = Choice("none", "No model", "not set up", Capabilities(chat=False))
ALL = (ABLE, SEEING, NOTHING)


def test_choices_come_back_as_they_were_kept(tmp_path: Path) -> None:
    assert choices.read(tmp_path) == Choices()
    kept = Choices("ollama:able", "openai:gpt-4o", ("memory",), ("search", "locate"))
    choices.save(tmp_path, kept)
    assert choices.read(tmp_path) == kept
    assert [each.name for each in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize(
    "raw", ["", "{", "[]", "null", '{"llm": 5, "off": "search"}', '{"llm": "a\\u0000b", "off": ["rm"]}', "\xff"]
)
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, raw: str) -> None:
    (tmp_path / FILE).write_bytes(raw.encode("latin-1"))
    assert choices.read(tmp_path) == Choices()


def test_the_file_holds_names_only(tmp_path: Path) -> None:
    choices.save(tmp_path, Choices("openai:gpt-4o"))
    assert json.loads((tmp_path / FILE).read_text()) == {"llm": "openai:gpt-4o", "vision": "", "on": [], "off": []}


def test_a_switch_that_nobody_touched_follows_the_model() -> None:
    calls, plain = (ScriptedModel([], capabilities=Capabilities(tools=each)) for each in (True, False))
    assert Choices().uses("search", calls) and not Choices().uses("search", plain)
    on = Choices().switched("search", True)
    assert on.uses("search", calls) and on.uses("search", plain)
    off = on.switched("search", False)
    assert off == Choices(off=("search",))
    assert not off.uses("search", calls) and off.uses("locate", calls)


def test_the_chosen_model_is_offered_also_where_it_is_away() -> None:
    assert choices.models(ALL, AUTOMATIC) == [AUTOMATIC, "ollama:able", "ollama:seeing", NONE]
    assert choices.models(ALL, "ollama:gone")[-1] == "ollama:gone"
    assert choices.vision_models(ALL, AUTOMATIC) == [AUTOMATIC, "ollama:seeing", NONE]
    assert choices.vision_models(ALL, "openai:x") == [AUTOMATIC, "ollama:seeing", "openai:x", NONE]


@pytest.mark.parametrize(
    ("id", "line"),
    [
        (AUTOMATIC, "Automatic: able (Ollama)"),
        ("ollama:able", "able (Ollama) · ready · uses tools"),
        ("ollama:seeing", "seeing (Ollama) · not reachable · sees images"),
        ("ollama:gone", "ollama:gone · not there any more"),
        (NONE, "No model"),
    ],
)
def test_a_picker_says_how_each_is_and_what_it_can_do(id: str, line: str) -> None:
    assert choices.described(id, ALL, "able (Ollama)", "No model") == line


def test_a_model_without_advice_says_why_it_is_not_set_up() -> None:
    assert choices.advice(NoModel(reason="Run `ollama pull x`.", advice="")) == "Run `ollama pull x`."
    assert choices.advice(ScriptedModel([], advice="Start it.")) == "Start it."


def test_the_line_over_the_tools_says_how_the_model_uses_them() -> None:
    calls = ScriptedModel([], capabilities=Capabilities(tools=True))
    assert choices.tools_line(calls, 2) == "Scripted (test) may use 2 tools."
    assert choices.tools_line(ScriptedModel([]), 1).startswith("Scripted (test) may use 1 tool, told of them in words")
    assert "too small" in choices.tools_line(ScriptedModel([], tiny=True), 1)
    assert choices.tools_line(NoModel(), 1) == "No model is connected that could use tools."
