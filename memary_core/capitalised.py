"""Names by capitalisation alone: what capture falls back to where no extractor is installed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from memary_core.models import Extraction, Name

_RUN = re.compile(r"[^\W\d_a-z][\w’'&-]*(?:[ \t]+(?:(?:of|de|da|do|van|von|der|la|le|al)[ \t]+)?[^\W\d_a-z][\w’'&-]*)*")
_HIDDEN = re.compile(r"`[^`]*`|https?://\S+|\S+@\S+")
_OPENS = re.compile(r"(?:^|[.!?…:\n]\s*[\"'“”(\[]*)$")
_CASED = re.compile(r"[^\W\d_]")


class CapitalisedNames:
    """An extractor that finds known names, and capitalised ones inside a sentence. It reads no facts."""

    name = "capitalised"

    def __call__(self, text: str, *, known: Sequence[Name] = (), at: datetime | None = None) -> Extraction:
        """The names in `text`, in order; `known` ones first where they overlap."""
        taken = [*known]
        for match in _RUN.finditer(_HIDDEN.sub(lambda hidden: " " * len(hidden[0]), text)):
            words = match[0].split()
            start = match.start()
            if _OPENS.search(text[:start]) and len(words) == 1:
                continue
            surface = match[0].removesuffix("'s").removesuffix("’s")
            if len(surface) < 2 or surface.lower() in _SAID or not _CASED.match(surface):
                continue
            if all(start >= each.end or match.end() <= each.start for each in taken):
                taken.append(Name(surface, start=start, end=start + len(surface)))
        return Extraction(names=tuple(sorted(taken, key=lambda each: each.start)))

    def warm(self) -> None:
        """Nothing to load."""


_SAID = frozenset({"i'm", "i’m", "i've", "i’ve", "i'll", "i’ll", "i'd", "i’d", "ok"})
