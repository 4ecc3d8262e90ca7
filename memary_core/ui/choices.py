"""What a scope has chosen in the sidebar: its model, its vision model, and its tools.

`choices.json` in the scope's folder holds names only, never a key. It is a convenience: a file that cannot be read
is as good as none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from memary_core.files import replace_file
from memary_core.llm.model import Capabilities, Model, NoModel
from memary_core.llm.providers import Choice
from memary_core.tools.defaults import NAMES as TOOLS
from memary_core.ui.show import count_of

FILE = "choices.json"
AUTOMATIC = ""
"""What the settings choose, or the best model at hand."""
NONE = "none"
MEMORY = "memory"
"""The switch of the memory tools, which go together."""
SWITCHES = (MEMORY, *TOOLS)
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Choices:
    """`llm` and `vision` are as in `MEMARY_LLM`, empty for the automatic choice.

    `on` and `off` are the tools that somebody switched. The others are on for a model that calls functions, and off
    for one that would have to be told of them in words, which costs a small model more than it gains.
    """

    llm: str = AUTOMATIC
    vision: str = AUTOMATIC
    on: tuple[str, ...] = ()
    off: tuple[str, ...] = ()

    def switched(self, tool: str, on: bool) -> Choices:
        """These, with a tool switched on or off."""
        rest_on, rest_off = ({*each} - {tool} for each in (self.on, self.off))
        return replace(
            self,
            on=_in_order(rest_on | {tool} if on else rest_on),
            off=_in_order(rest_off if on else rest_off | {tool}),
        )

    def uses(self, tool: str, model: Model) -> bool:
        """Is a tool switched on, with this model?"""
        return tool in self.on or (tool not in self.off and model.capabilities.tools)


def read(folder: Path) -> Choices:
    """What the scope chose; nothing where no file can be read."""
    try:
        row = json.loads((folder / FILE).read_bytes())
    except (OSError, ValueError):
        return Choices()
    if not isinstance(row, dict):
        return Choices()
    llm, vision = (_name(row.get(each)) for each in ("llm", "vision"))
    return Choices(llm, vision, _in_order(row.get("on")), _in_order(row.get("off")))


def save(folder: Path, choices: Choices) -> None:
    """Keep them, whole or not at all. `StoreError` where that fails."""
    replace_file(folder / FILE, (json.dumps(asdict(choices), ensure_ascii=False, indent=1) + "\n").encode())


def models(choices: Iterable[Choice], chosen: str) -> list[str]:
    """What the model picker offers: the automatic choice, then every model, the chosen one also where it is away."""
    ids = [each.id for each in choices]
    return list(dict.fromkeys([AUTOMATIC, *ids, *([chosen] if chosen else [])]))


def vision_models(choices: Iterable[Choice], chosen: str) -> list[str]:
    """The same for images: the automatic choice, the models that see, the chosen one, and none."""
    seeing = [each.id for each in choices if each.capabilities.vision]
    return list(dict.fromkeys([AUTOMATIC, *seeing, *([chosen] if chosen else []), NONE]))


def described(id: str, choices: Iterable[Choice], automatic: str, none: str) -> str:
    """One line of a picker: *llama3.2 · ready · uses tools*. `automatic`: what the automatic choice comes to."""
    if id == AUTOMATIC:
        return f"Automatic: {automatic}"
    if id == NONE:
        return none
    found = next((each for each in choices if each.id == id), None)
    if found is None:
        return f"{id} · not there any more"
    return " · ".join(filter(None, [found.label, found.state, abilities(found.capabilities)]))


def abilities(able: Capabilities) -> str:
    """*uses tools, sees images, thinks aloud*; empty for a model that only answers."""
    parts = ((able.tools, "uses tools"), (able.vision, "sees images"), (able.thinking, "thinks aloud"))
    return ", ".join(words for there, words in parts if there)


def advice(model: Model) -> str:
    """What to do about a model: its own advice, else why it is not set up."""
    if model.advice or not isinstance(model, NoModel):
        return model.advice
    return model.reason


def tools_line(model: Model, usable: int) -> str:
    """How it is with tools and the model in use."""
    if model.state == "not set up":
        return "No model is connected that could use tools."
    if model.tiny:
        return f"{model.label} is too small to use tools; they wait for a larger model."
    how = "" if model.capabilities.tools else ", told of them in words, since it calls no functions"
    return f"{model.label} may use {count_of(usable, 'tool') if usable else 'no tool'}{how}."


def _in_order(tools: object) -> tuple[str, ...]:
    return tuple(each for each in SWITCHES if each in tools) if isinstance(tools, list | set) else ()


def _name(raw: object) -> str:
    return raw if isinstance(raw, str) and len(raw) <= _LONGEST and raw.isprintable() else AUTOMATIC
