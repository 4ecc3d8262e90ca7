"""Tells a reasoning model's thoughts from what it says, however the `<think>` tags are cut into pieces."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from typing import Literal, NamedTuple

from memary_core.errors import ModelError

OPEN, CLOSE = "<think>", "</think>"


class Part(NamedTuple):
    """A piece of what a model says: a thought, or of the answer."""

    kind: Literal["thought", "answer"]
    text: str


def visible(pieces: Iterable[str]) -> Generator[str, None, None]:
    """The pieces of an answer without the thoughts in it; see `parts`."""
    for part in parts(pieces):
        if part.kind == "answer":
            yield part.text


def parts(pieces: Iterable[str]) -> Generator[Part, None, None]:
    """The pieces of an answer, thoughts told from answer, without white space before its first word.

    A thought that never ends and began the answer takes all that follows. After other words, an opening tag
    without a closing one is taken for a word of the answer. A closing tag alone is dropped.
    Where `pieces` breaks with a `ModelError`, what is certain so far comes before the error.
    """
    splitter = Splitter()
    try:
        for piece in pieces:
            yield from splitter.take(piece)
    except ModelError:
        yield from splitter.rest(whole=False)
        raise
    yield from splitter.rest(whole=True)


def tagged(pairs: Iterable[tuple[str, str]]) -> Generator[str, None, None]:
    """Pairs of (thought, answer), as some protocols give them apart, as one text with tags."""
    thinking = False
    for thought, answer in pairs:
        if thought:
            yield thought if thinking else OPEN + thought
            thinking = True
        if answer:
            yield CLOSE + answer if thinking else answer
            thinking = False
    if thinking:
        yield CLOSE


class Splitter:
    """`parts`, for pieces that are pushed."""

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False
        self._begun = False
        self._thought = False

    def take(self, piece: str) -> Iterator[Part]:
        """What is certain now that `piece` has come."""
        self._held += piece
        while True:
            tag = self._next_tag((CLOSE,) if self._thinking else (OPEN, CLOSE))
            if tag is None:
                break
            yield from self._part(self._held[: tag.start()])
            self._held = self._held[tag.end() :]
            self._thinking, self._thought = tag[0].lower() == OPEN, False
        if self._thinking and self._begun:
            return  # it may yet turn out to be a word of the answer
        tags = (CLOSE,) if self._thinking else (OPEN, CLOSE)
        keep = max(_overlap(self._held, each) for each in tags)
        sure, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        yield from self._part(sure)

    def rest(self, *, whole: bool) -> Iterator[Part]:
        """What is still held back at the end: the start of a tag, or an unfinished thought in the middle."""
        if not self._thinking or not self._begun:
            yield from self._part(self._held)
        elif whole:
            yield Part("answer", OPEN + self._held)

    def _next_tag(self, tags: tuple[str, ...]) -> re.Match[str] | None:
        return re.search("|".join(tags), self._held, re.IGNORECASE | re.ASCII)

    def _part(self, text: str) -> Iterator[Part]:
        if self._thinking:
            text = text if self._thought else text.lstrip()
            self._thought = self._thought or bool(text)
        elif not self._begun:
            text = text.lstrip()
            self._begun = bool(text)
        if text:
            yield Part("thought" if self._thinking else "answer", text)


def _overlap(text: str, tag: str) -> int:
    """How many characters at the end of `text` may be the beginning of `tag`."""
    return next((size for size in range(len(tag) - 1, 0, -1) if text[-size:].lower() == tag[:size]), 0)
