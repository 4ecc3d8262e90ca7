"""The way into LlamaIndex that all providers share. It takes over two seconds to import: only when it is used."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from functools import cache
from typing import Any

from memary_core.errors import ModelError
from memary_core.prompt import Message


def chat_messages(messages: Sequence[Message]) -> list[Any]:
    """The messages in LlamaIndex's form, images beside their text."""
    from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock

    return [
        ChatMessage(
            role=each.role, blocks=[TextBlock(text=each.content), *(ImageBlock(image=one) for one in each.images)]
        )
        for each in messages
    ]


def broke_off(name: str) -> ModelError:
    """The error for an answer that ended before its end was said."""
    return ModelError(
        f"{name} broke off in the middle of its answer. Send the message again; if that does not help, see the "
        "log of its server."
    )


def says_end(raw: object) -> bool:
    """Does a raw piece of a stream, of OpenAI's or Ollama's protocol, say that the answer is over?"""
    if isinstance(raw, dict):
        return bool(raw.get("done"))
    return any(each.finish_reason for each in getattr(raw, "choices", None) or ())


@cache
def whole(kind: Any) -> Any:
    """LlamaIndex's class `kind`, raising `ModelError` where a stream ends before its end was said.

    Its own classes take half a stream for the answer, and half a tool call for the call.
    """

    class Whole(kind):  # type: ignore[misc]
        async def astream_chat(self, messages: Any, **options: Any) -> AsyncIterator[Any]:
            pieces = await super().astream_chat(messages, **options)

            async def checked() -> AsyncIterator[Any]:
                ended = False
                async for piece in pieces:
                    ended = ended or says_end(piece.raw)
                    yield piece
                if not ended:
                    raise broke_off(self.model)

            return checked()

    return Whole
