"""A model that says what it is told to, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from memary_core.llm.model import Capabilities, State
from memary_core.prompt import Message
from memary_core.tokens import estimate_tokens

Piece = str | Exception


@dataclass
class ScriptedModel:
    """Each request takes the next of `replies`: a text, given word by word, or the very pieces to give.

    A piece that is an exception is raised at its place.
    """

    replies: list[str | list[Piece]]
    name: str = "scripted"
    label: str = "Scripted (test)"
    state: State = "ready"
    advice: str = ""
    context_window: int = 4096
    tiny: bool = False
    capabilities: Capabilities = Capabilities()
    received: list[list[Message]] = field(default_factory=list)
    closed: int = 0

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        self.received.append(list(messages))
        reply = self.replies.pop(0)
        pieces = reply if isinstance(reply, list) else [f"{word} " for word in reply.split()]
        try:
            for piece in pieces:
                if isinstance(piece, Exception):
                    raise piece
                yield piece
        finally:
            self.closed += 1

    def complete(self, messages: Sequence[Message]) -> str:
        return "".join(self.stream(messages))

    def count_tokens(self, text: str) -> int:
        return estimate_tokens(text)
