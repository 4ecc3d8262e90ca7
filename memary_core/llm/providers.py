"""Which language model answers, and why. Choosing sends nothing and imports no model library.

The order: `MEMARY_LLM` (`openai:NAME`, `gguf:PATH`, `none`), else an installed GGUF file, else no model: then the
memory answers by itself, from facts, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn, Protocol

from memary_core.errors import InvalidInput, ModelUnavailable
from memary_core.prompt import Message
from memary_core.tokens import estimate_tokens

if TYPE_CHECKING:
    from memary_core.llm.gguf import GgufModel
    from memary_core.llm.openai_compatible import OpenAICompatible
    from memary_core.settings import Settings

State = Literal["ready", "not reachable", "not set up"]

BETTER = (
    "For better answers: run `ollama pull llama3.2`, set OPENAI_BASE_URL=http://localhost:11434/v1 and "
    "MEMARY_LLM=openai:llama3.2.\n"
    "Or set OPENAI_API_KEY and MEMARY_LLM=openai:NAME, or MEMARY_LLM=gguf:PATH for a GGUF file of your own."
)
"""How to connect a better model, in two lines."""

PACKAGES = {"llama_index.llms.openai_like": "llama-index-llms-openai-like", "xllamacpp": "xllamacpp"}


class Model(Protocol):
    """The language model in use, as the conversation and the pages see it.

    `state` is what was known when it was chosen. Whatever goes wrong later is raised as `ModelUnavailable` (not
    set up, or cannot be reached) or `ModelError` (gave no usable answer); nothing else escapes.
    """

    @property
    def name(self) -> str:
        """What the provider calls it, and what is recorded as the source of its words."""

    @property
    def label(self) -> str:
        """For showing, for example `SmolLM2 135M (embedded)`."""

    @property
    def state(self) -> State:
        """Can it be asked?"""

    @property
    def advice(self) -> str:
        """What to do to make it work, or for a better one: at most two lines; empty where nothing is needed."""

    @property
    def context_window(self) -> int:
        """Tokens that a request and its answer may take together."""

    @property
    def tiny(self) -> bool:
        """Too small to be trusted with more than wording: under a billion parameters, or no model at all."""

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        """The answer, piece by piece. Closing the iterator stops the model."""

    def complete(self, messages: Sequence[Message]) -> str:
        """The whole answer at once."""

    def count_tokens(self, text: str) -> int:
        """Tokens in `text`, exact where the model's tokenizer can be asked, else an estimate."""


@dataclass(frozen=True, slots=True)
class NoModel:
    """No language model: asking it raises `ModelUnavailable` with the reason and the advice."""

    reason: str = "No language model is set up."
    label: str = "No model: memory answers by itself"
    advice: str = BETTER
    name: str = "none"
    state: State = "not set up"
    context_window: int = 1 << 20
    tiny: bool = True

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        """Raise `ModelUnavailable`."""
        self._refuse()

    def complete(self, messages: Sequence[Message]) -> str:
        """Raise `ModelUnavailable`."""
        self._refuse()

    def count_tokens(self, text: str) -> int:
        """An estimate."""
        return estimate_tokens(text)

    def _refuse(self) -> NoReturn:
        raise ModelUnavailable(f"{self.reason} {self.advice}")


def choose(settings: Settings) -> Model:
    """The model that `settings` ask for, or the best one at hand.

    What is missing (a key, a file, a package) gives a model whose `state` and `advice` say so. Raises
    `InvalidInput` for a choice that is not one of those above, `ModelUnavailable` for a provider that this
    version does not have.
    """
    if settings.llm is None:
        return _best_at_hand(settings)
    provider, _, name = settings.llm.partition(":")
    if settings.llm == "none":
        return NoModel()
    if provider == "gguf" and name:
        return _gguf(Path(name).expanduser(), settings)
    if provider == "openai" and name:
        return _openai(name, settings)
    if provider == "ollama":
        raise ModelUnavailable(
            "MEMARY_LLM names Ollama, which the next version asks directly. Until then set "
            f"OPENAI_BASE_URL=http://localhost:11434/v1 and MEMARY_LLM=openai:{name or 'NAME'}."
        )
    raise InvalidInput(f"MEMARY_LLM is {settings.llm!r}; it wants openai:NAME, gguf:PATH or none.")


def _best_at_hand(settings: Settings) -> Model:
    from memary_core.llm.gguf import find_gguf

    path = find_gguf()
    if path is None or _missing(*PACKAGES):
        return NoModel()
    return _gguf(path, settings)


def _gguf(path: Path, settings: Settings) -> GgufModel | NoModel:
    from memary_core.llm.gguf import describe

    if missing := _missing(*PACKAGES):
        return _without(missing, str(path))
    try:
        return describe(path, settings.context_window)
    except ModelUnavailable as error:
        return NoModel(reason=str(error), label=f"{path.name} (not set up)", advice=BETTER)


def _openai(name: str, settings: Settings) -> OpenAICompatible | NoModel:
    from memary_core.llm.openai_compatible import describe

    if missing := _missing("llama_index.llms.openai_like"):
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


def _missing(*modules: str) -> list[str]:
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
