"""Which language model answers, and why.

The order: `MEMARY_LLM` (`ollama:NAME`, `openai:NAME`, `gguf:PATH`, `none`), else a reachable Ollama, else OpenAI
or the server at `OPENAI_BASE_URL`, where one of them is set up, else an installed GGUF file, else no model: then
the memory answers by itself, from facts, and says so. Choosing asks servers what they have, for seconds at most,
and no model anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from memary_core.errors import InvalidInput, ModelError, ModelUnavailable
from memary_core.llm.model import BETTER, Capabilities
from memary_core.llm.model import Model as Model
from memary_core.llm.model import NoModel as NoModel
from memary_core.llm.model import State as State

if TYPE_CHECKING:
    from memary_core.llm.ollama import Listed
    from memary_core.settings import Settings

PACKAGES = {
    "ollama": "ollama",
    "llama_index.llms.ollama": "llama-index-llms-ollama",
    "llama_index.llms.openai_like": "llama-index-llms-openai-like",
    "xllamacpp": "xllamacpp",
}
_OLLAMA = ("ollama", "llama_index.llms.ollama")
_OPENAI = ("llama_index.llms.openai_like",)
_GGUF = ("llama_index.llms.openai_like", "xllamacpp")


@dataclass(frozen=True, slots=True)
class Choice:
    """A model that could be chosen: `id` is what `MEMARY_LLM` would say, as in `ollama:llama3.2`."""

    id: str
    label: str
    state: State
    capabilities: Capabilities
    advice: str = ""


def choose(settings: Settings) -> Model:
    """The model that `settings` ask for, or the best one at hand.

    What is missing (a key, a file, a package, a model not pulled) gives a model whose `state` and `advice` say
    so. Raises `InvalidInput` for a choice that is not one of those above.
    """
    if settings.llm is not None:
        return _named(settings.llm, "MEMARY_LLM", settings)
    return _best_ollama(settings) or _default_openai(settings) or _installed_gguf(settings) or NoModel()


def choose_vision(settings: Settings) -> Model | None:
    """The model that looks at images, where the one that answers cannot: `MEMARY_VISION_MODEL`, else any at hand.

    None where there is none. A model that the settings name is taken to see, whatever its server says of it.
    """
    if settings.vision_model == "none":
        return None
    if settings.vision_model is not None:
        return _seeing(_named(settings.vision_model, "MEMARY_VISION_MODEL", settings))
    at_hand = [*_ollama_models(settings), *filter(None, [_default_openai(settings)])]
    return next((each for each in at_hand if each.capabilities.vision), None)


def available(settings: Settings) -> list[Choice]:
    """Every model that could be chosen now, in the order of preference, with no model last.

    The one that `settings` name is among them, whatever its state.
    """
    choices = dict(_choices(settings))
    if settings.llm is not None and settings.llm not in choices:
        choices = {settings.llm: _named(settings.llm, "MEMARY_LLM", settings), **choices}
    choices.setdefault("none", NoModel())
    return [Choice(id, each.label, each.state, each.capabilities, each.advice) for id, each in choices.items()]


def _choices(settings: Settings) -> Iterator[tuple[str, Model]]:
    for model in _ollama_models(settings):
        if model.capabilities.chat:
            yield f"ollama:{model.name}", model
    if settings.openai_api_key or settings.openai_base_url:
        for name in _openai_names(settings):
            yield f"openai:{name}", _openai(name, settings)
    if (gguf := _installed_gguf(settings)) is not None:
        yield f"gguf:{getattr(gguf, 'path', '')}", gguf


def _named(choice: str, variable: str, settings: Settings) -> Model:
    provider, _, name = choice.partition(":")
    if choice == "none":
        return NoModel()
    if provider == "gguf" and name:
        return _gguf(Path(name).expanduser(), settings)
    if provider == "openai" and name:
        return _openai(name, settings)
    if provider == "ollama" and name:
        return _ollama(name, settings)
    raise InvalidInput(f"{variable} is {choice!r}; it wants ollama:NAME, openai:NAME, gguf:PATH or none.")


def _ollama(name: str, settings: Settings) -> Model:
    from memary_core.llm.ollama import describe

    if missing := _missing(_OLLAMA):
        return _without(missing, name)
    try:
        return describe(name, settings.ollama_url, settings.context_window)
    except ModelError as error:
        return NoModel(reason=str(error), label=f"{name} (not set up)", advice="")


def _ollama_models(settings: Settings) -> list[Model]:
    """The models of a reachable Ollama; none where there is none, or where it does not answer in time."""
    from memary_core.llm.ollama import answers, describe, listed

    if settings.ollama_url == "none" or not answers(settings.ollama_url) or _missing(_OLLAMA):
        return []
    try:
        there: Sequence[Listed] = listed(settings.ollama_url)
        return [describe(each.name, settings.ollama_url, settings.context_window, there) for each in there]
    except ModelError:
        return []


def _best_ollama(settings: Settings) -> Model | None:
    chatting = [each for each in _ollama_models(settings) if each.capabilities.chat]
    # The last one pulled, of those that call functions where there are any, and not a tiny one where others are.
    return min(chatting, key=lambda each: (each.tiny, not each.capabilities.tools), default=None)


def _default_openai(settings: Settings) -> Model | None:
    if not settings.openai_api_key and not settings.openai_base_url:
        return None
    return _openai(_openai_names(settings)[0] if settings.openai_base_url else settings.openai_model, settings)


def _openai_names(settings: Settings) -> list[str]:
    """The configured name first, unless a server of one's own has other models and not that one."""
    from memary_core.llm.openai_compatible import listed, listens

    named = settings.openai_model
    if _missing(_OPENAI) or (settings.openai_base_url and not listens(settings.openai_base_url)):
        return [named]
    try:
        names = listed(settings.openai_base_url, settings.openai_api_key)
    except ModelError:
        return [named]
    if settings.openai_base_url and names and named not in names:
        return names
    return list(dict.fromkeys([named, *names]))


def _openai(name: str, settings: Settings) -> Model:
    from memary_core.llm.openai_compatible import describe

    if missing := _missing(_OPENAI):
        return _without(missing, name)
    if not settings.openai_api_key and not settings.openai_base_url:
        return NoModel(
            reason=f"{name} needs a key.",
            label=f"{name} (not set up)",
            advice="Set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that speaks the same protocol.",
        )
    return describe(
        name,
        base_url=settings.openai_base_url,
        api_key=settings.openai_api_key,
        context_window=settings.context_window,
    )


def _installed_gguf(settings: Settings) -> Model | None:
    from memary_core.llm.gguf import find_gguf

    path = find_gguf()
    return None if path is None or _missing(_GGUF) else _gguf(path, settings)


def _gguf(path: Path, settings: Settings) -> Model:
    from memary_core.llm.gguf import describe

    if missing := _missing(_GGUF):
        return _without(missing, str(path))
    try:
        return describe(path, settings.context_window)
    except ModelUnavailable as error:
        return NoModel(reason=str(error), label=f"{path.name} (not set up)", advice=BETTER)


def _seeing(model: Model) -> Model:
    from memary_core.llm.ollama import OllamaModel
    from memary_core.llm.openai_compatible import OpenAICompatible

    if isinstance(model, OllamaModel | OpenAICompatible):
        return replace(model, capabilities=replace(model.capabilities, vision=True))
    return model


def _missing(modules: Iterable[str]) -> list[str]:
    return [PACKAGES[module] for module in modules if not _installed(module)]


def _installed(module: str) -> bool:
    # A submodule is looked for as a file: find_spec("a.b.c") would import a and a.b.
    top, *rest = module.split(".")
    spec = find_spec(top)
    if spec is None or not rest:
        return spec is not None
    return any(Path(place, *rest).is_dir() for place in spec.submodule_search_locations or ())


def _without(packages: list[str], name: str) -> NoModel:
    needed = " ".join(packages)
    return NoModel(
        reason=f"{name} needs a package that is not installed.",
        label=f"{name} (not set up)",
        advice=f"Run `pip install {needed}`.",
    )
