"""What a graph is asked, for a person to see: the queries of one block of code, with their parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Asked:
    """A query as it was sent, and the values of its parameters."""

    query: str
    parameters: Mapping[str, Any]


_listening: ContextVar[list[Asked] | None] = ContextVar("memary_graph_heard", default=None)


@contextmanager
def overhear() -> Iterator[list[Asked]]:
    """Within it, every query that this thread reads a graph with is added to the list, in order."""
    heard: list[Asked] = []
    token = _listening.set(heard)
    try:
        yield heard
    finally:
        _listening.reset(token)


def note(query: str, parameters: Mapping[str, Any]) -> None:
    """A graph says here what it is about to ask; nothing happens where nobody listens."""
    if (heard := _listening.get()) is not None:
        heard.append(Asked(query, dict(parameters)))
