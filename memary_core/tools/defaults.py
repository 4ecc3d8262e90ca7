"""The tools that come with memary, built for one message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memary_core.llm.model import Model
from memary_core.llm.thinking import visible
from memary_core.prompt import Message
from memary_core.tools import Tool, locate, search, stocks, vision
from memary_core.tools.images import Image, ImageFetcher
from memary_core.tools.memory_tools import RECALL_BUDGET, Occasion, UsableMemory

if TYPE_CHECKING:
    from memary_core.settings import Settings

NAMES = ("search", "vision", "locate", "stocks")


def default_tools(
    settings: Settings,
    memory: UsableMemory,
    occasion: Occasion,
    eyes: Model | None = None,
    fetcher: ImageFetcher | None = None,
) -> dict[str, Tool]:
    """The four by name, each saying where it is unavailable. `eyes` is the vision model."""

    def recalled(query: str) -> str:
        leave_out = {occasion.turn.id}
        return memory.recall(query, budget=RECALL_BUDGET, unverified=occasion.unverified, leave_out=leave_out).text

    tools = (
        search.tool(settings, recalled),
        vision.tool(
            _asking(eyes),
            _uploaded(occasion.images),
            fetcher,
            eyes.advice if eyes and eyes.state == "not set up" else "",
        ),
        locate.tool(settings),
        stocks.tool(settings),
    )
    return {each.name: each for each in tools}


def _asking(eyes: Model | None) -> Callable[[Sequence[Image], str], str] | None:
    if eyes is None:
        return None

    def ask(images: Sequence[Image], question: str) -> str:
        said = eyes.complete([Message("user", question, tuple(each.data for each in images))])
        return "".join(visible([said]))

    return ask


def _uploaded(images: Sequence[Image]) -> Callable[[str], Image | None]:
    def find(name: str) -> Image | None:
        # Models seldom repeat a file's name to the letter; a single image is the one that is meant.
        named = next((each for each in images if each.name == name), None)
        return named or (images[0] if len(images) == 1 else None)

    return find
