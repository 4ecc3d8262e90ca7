"""Takes a reasoning model's `<think>…</think>` out of what it says, however the tags are cut into pieces."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable

from memary_core.errors import ModelError

OPEN, CLOSE = "<think>", "</think>"


def visible(pieces: Iterable[str]) -> Generator[str, None, None]:
    """The pieces of an answer without the thoughts in it, and without white space before its first word.

    A thought that never ends and began the answer is dropped with all that follows. After other words, an
    opening tag without a closing one is taken for a word of the answer. A closing tag alone is dropped.
    Where `pieces` breaks with a `ModelError`, what is visible so far comes before the error.
    """
    text = _Visible()
    try:
        for piece in pieces:
            if shown := text.take(piece):
                yield shown
    except ModelError:
        if shown := text.rest(whole=False):
            yield shown
        raise
    if shown := text.rest(whole=True):
        yield shown


class _Visible:
    def __init__(self) -> None:
        self._held = ""
        self._thinking = False
        self._begun = False

    def take(self, piece: str) -> str:
        self._held += piece
        shown = ""
        while True:
            if self._thinking:
                before, tag, after = _cut(self._held, CLOSE)
                if not tag:
                    return self._show(shown)
                self._thinking, self._held = False, after
                continue
            cuts = _cut(self._held, OPEN), _cut(self._held, CLOSE)
            before, tag, after = min(cuts, key=lambda cut: len(cut[0]))
            if not tag:
                keep = max(_overlap(self._held, OPEN), _overlap(self._held, CLOSE))
                shown += self._held[: len(self._held) - keep]
                self._held = self._held[len(self._held) - keep :]
                return self._show(shown)
            shown += before
            self._thinking, self._held = tag.lower() == OPEN, after

    def rest(self, *, whole: bool) -> str:
        """What is still held back at the end: the start of a tag, or an unfinished thought in the middle."""
        if not self._thinking:
            return self._show(self._held)
        return OPEN + self._held if whole and self._begun else ""

    def _show(self, text: str) -> str:
        if not self._begun:
            text = text.lstrip()
            self._begun = bool(text)
        return text


def _cut(text: str, tag: str) -> tuple[str, str, str]:
    """`text` before, as and after `tag`, in any case; all of it before where there is none."""
    found = re.search(tag, text, re.IGNORECASE | re.ASCII)
    if found is None:
        return text, "", ""
    return text[: found.start()], found[0], text[found.end() :]


def _overlap(text: str, tag: str) -> int:
    """How many characters at the end of `text` may be the beginning of `tag`."""
    return next((size for size in range(len(tag) - 1, 0, -1) if text[-size:].lower() == tag[:size]), 0)
