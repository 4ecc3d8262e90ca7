"""What the scope of a session is connected to: its model, its vision model and its tools, as chosen in the sidebar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from memary_core.agent import Toolbox
from memary_core.llm.model import Model, NoModel
from memary_core.memory import Memory
from memary_core.models import Turn
from memary_core.settings import Settings
from memary_core.tools import Tool
from memary_core.tools.defaults import NAMES, default_tools
from memary_core.tools.memory_tools import Occasion, memory_tools
from memary_core.ui import choices, services
from memary_core.ui.choices import MEMORY, Choices

ABOUT = {
    MEMORY: ("Memory", "Recall, remember, and propose to forget or correct. What the model remembers waits in Review."),
    "search": ("Web search", "Asks memory, then the web, through Perplexity."),
    "vision": ("Look at images", "Uploaded ones and those at an address, through the vision model."),
    "locate": ("Locate", "Where this machine roughly is, by its IP address."),
    "stocks": ("Share prices", "The latest price of a share, from Alpha Vantage."),
}
"""How each switch is called, and what it does."""


@dataclass(frozen=True, slots=True)
class ToolState:
    """A tool as the sidebar shows it. `unavailable` says what is missing and what to set; empty where nothing is."""

    name: str
    title: str
    help: str
    on: bool
    unavailable: str = ""


def model(folder: Path | None) -> Model:
    """The model of a scope, by its folder; what the settings choose, where none was chosen or there is no scope."""
    chosen = choices.read(folder).llm if folder else choices.AUTOMATIC
    return services.model_named(chosen) if chosen else services.model()


def eyes(folder: Path) -> Model | None:
    """The model that looks at images for a scope; None where there is none."""
    found = services.vision(choices.read(folder).vision)
    if isinstance(found, NoModel):
        return replace(found, advice=choices.advice(found))
    return found


def toolbox(memory: Memory, settings: Settings, chosen: Choices, model: Model, seeing: Model | None) -> Toolbox | None:
    """The tools that are switched on, for each message anew; None where all are off."""
    used = [each for each in NAMES if chosen.uses(each, model)]
    with_memory = chosen.uses(MEMORY, model)
    if not used and not with_memory:
        return None

    def tools(occasion: Occasion) -> Sequence[Tool]:
        known = default_tools(settings, memory, occasion, seeing)
        own = memory_tools(memory, occasion) if with_memory else []
        return [*own, *(known[each] for each in used)]

    return tools


def tool_states(
    memory: Memory, settings: Settings, chosen: Choices, model: Model, seeing: Model | None
) -> list[ToolState]:
    """Every tool with its switch, and why it cannot be used where it cannot."""
    nothing = Occasion(Turn("", "", 0, "", "", datetime.now(UTC)), "", lambda _: None)
    known = default_tools(settings, memory, nothing, seeing)
    return [
        ToolState(name, *ABOUT[name], chosen.uses(name, model), known[name].unavailable if name in known else "")
        for name in choices.SWITCHES
    ]
