"""What a language model is to the conversation and the pages, and how it is when there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, Protocol

from memary_core.errors import ModelError, ModelUnavailable
from memary_core.prompt import Message
from memary_core.tokens import estimate_tokens

State = Literal["ready", "not reachable", "not set up"]

CONTEXT_WINDOW = 4096
"""Tokens that a model of one's own machine is given, where the settings say nothing: memory is what a larger one
costs."""

BETTER = (
    "For better answers: install Ollama and run `ollama pull llama3.2`; it is found by itself.\n"
    "Or set OPENAI_API_KEY, or MEMARY_LLM=gguf:PATH for a GGUF file of your own."
)
"""How to connect a better model, in two lines."""


class ToolsUnsupported(ModelError):
    """The model, or its server, takes no descriptions of tools."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a model can do besides answering: call functions, look at images, think aloud."""

    chat: bool = True
    tools: bool = False
    vision: bool = False
    thinking: bool = False


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

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        """The answer, piece by piece, thoughts between `<think>` tags. Closing the iterator stops the model."""

    def complete(self, messages: Sequence[Message]) -> str:
        """The whole answer at once."""

    def count_tokens(self, text: str) -> int:
        """Tokens in `text`, exact where the model's tokenizer can be asked, else an estimate."""

    def llm(self) -> AbstractAsyncContextManager[Any]:
        """LlamaIndex's form of it, for an agent. What goes wrong inside the context comes out as errors of ours."""


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
    capabilities: Capabilities = Capabilities(chat=False)

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        """Raise `ModelUnavailable`."""
        self._refuse()

    def complete(self, messages: Sequence[Message]) -> str:
        """Raise `ModelUnavailable`."""
        self._refuse()

    def count_tokens(self, text: str) -> int:
        """An estimate."""
        return estimate_tokens(text)

    def llm(self) -> AbstractAsyncContextManager[Any]:
        """Raise `ModelUnavailable`."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise ModelUnavailable(f"{self.reason} {self.advice}")
