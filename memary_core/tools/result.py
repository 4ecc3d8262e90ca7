"""What a tool brings back: text from outside, which is data, and where it came from."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import islice

MAX_TEXT = 6_000
"""Characters of a result that reach the model: about 1,500 tokens."""

_JOINERS = "\u200c\u200d"
_LEFT_OUT = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool found. Its `str` is what the model reads.

    `text` is what came from outside, already made `plain`, and all that facts may be read from. `url` is where a
    person can see it, `query` what was asked; neither holds a key. `citations` are the pages behind the text, in the
    order of its marks [1], [2]. `recalled` is what memory had already: it is not read for facts again.
    """

    text: str
    url: str | None = None
    query: str | None = None
    recalled: str = ""
    citations: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [f"In memory:\n{self.recalled}"] if self.recalled else []
        if self.text:
            parts.append(f"Found:\n{self.text}" if self.recalled else self.text)
        if self.citations:
            parts.append("Sources:\n" + "\n".join(f"[{n}] {url}" for n, url in enumerate(self.citations, 1)))
        return "\n\n".join(parts)


def plain(text: str, limit: int = MAX_TEXT) -> str:
    """`text` without control, invisible and unassigned characters, cut after `limit` characters, which is then said.

    Line breaks stay, and the two joiners that scripts and emoji need.
    """
    kept = "".join(islice(filter(_is_kept, text), limit + 1)).strip()
    return f"{kept[:limit].rstrip()}… (cut after {limit:,} characters)" if len(kept) > limit else kept


def one_line(text: str, limit: int = 200) -> str:
    """`text` without such characters on one line of at most `limit`."""
    kept = " ".join("".join(islice(filter(_is_kept, text), 2 * limit)).split())
    return f"{kept[: limit - 1]}…" if len(kept) > limit else kept


def _is_kept(char: str) -> bool:
    return char in "\n\t" or char in _JOINERS or unicodedata.category(char) not in _LEFT_OUT
