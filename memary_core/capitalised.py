"""Names by capitalisation alone: what capture falls back to where no extractor is installed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from memary_core.models import Extraction, Name

_WORD = r"[^\W\d_a-z][\w’'&-]+"
_RUN = re.compile(rf"{_WORD}(?:[ \t]+(?:(?:of|de|da|do|van|von|der|la|le|al)[ \t]+)?{_WORD})*")
_HIDDEN = re.compile(r"`[^`]*`|https?://\S+|\S+@\S+")
_OPENS = re.compile(r"(?:^|[.!?…:\n]\s*[\"'“”(\[]*)$")
_CASED = re.compile(r"[^\W\d_]")


_OPENERS = frozenset(
    "a actually all also although an and any anyway as at because before both but by can could did do does during each "
    "every everyone finally for from hello her here hey hi his how however i'd i'll i'm i've if in is it its just last "
    "later let many maybe monday tuesday wednesday thursday friday saturday sunday my next no not now of oh ok okay on "
    "once one or our perhaps please she since so some sometimes soon still thanks that the their then there these they "
    "this those though to today tomorrow tonight until was we well were what when where which while who why will with "
    "would yes yesterday you your".split()
)


class CapitalisedNames:
    """An extractor that finds known names, and capitalised ones inside a sentence. It reads no facts."""

    name = "capitalised"

    def __call__(self, text: str, *, known: Sequence[Name] = (), at: datetime | None = None) -> Extraction:
        """The names in `text`, in order; `known` ones first where they overlap."""
        taken = [*known]
        for match in _RUN.finditer(_HIDDEN.sub(lambda hidden: " " * len(hidden[0]), text)):
            start = match.start()
            if _OPENS.search(text[:start]):
                first = match[0].split()[0]
                if first == match[0] or first.lower() in _OPENERS:
                    start += len(first)
            surface = match[0][start - match.start() :]
            start += len(surface) - len(surface.lstrip())
            surface = surface.strip().removesuffix("'s").removesuffix("’s")
            if len(surface) < 2 or not _CASED.match(surface):
                continue
            if all(start >= each.end or start + len(surface) <= each.start for each in taken):
                taken.append(Name(surface, start=start, end=start + len(surface)))
        return Extraction(names=tuple(sorted(taken, key=lambda each: each.start)))

    def warm(self) -> None:
        """Nothing to load."""
