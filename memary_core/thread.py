"""What of a conversation goes into a request: personas, a summary of what is long ago, the turns since, the recall."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

from memary_core import prompt
from memary_core.errors import GraphError, ModelError, StoreError
from memary_core.llm.model import Model
from memary_core.llm.thinking import visible
from memary_core.models import Fact, Gate, Recall, SourceKind, Turn
from memary_core.prompt import Message
from memary_core.tokens import estimate_tokens

TINY_BUDGET = 150
"""Tokens of recall that a tiny model can still tell apart. It is asked message by message, too: over the sample
conversation, SmolLM2 135M gave 7 of 10 right answers so, and 1 or 2 with the last exchange before the message."""


class ConversationMemory(Protocol):
    """What a conversation needs of `Memory`."""

    def observe(
        self,
        text: str,
        speaker: str | None = None,
        *,
        conversation: str = ...,
        reply_to: str | None = None,
    ) -> Turn:
        """Store a turn and read it."""

    def recall(self, text: str, *, budget: int, unverified: bool, leave_out: Collection[str]) -> Recall:
        """What bears on `text`, within `budget` tokens, without the turns to `leave_out`."""

    def turns(self, conversation: str) -> Sequence[Turn]:
        """The turns of a conversation, in order."""

    def learned(self, turn_id: str) -> Sequence[Fact]:
        """The facts that rest on a turn."""


class Thread:
    """One conversation as a model sees it. `instructions` are added to the system persona."""

    def __init__(self, memory: ConversationMemory, conversation: str, personas: tuple[str, str]) -> None:
        self.conversation = conversation
        self.instructions: list[str] = []
        self._memory = memory
        self._personas = personas
        self._summary = ""
        self._evicted: frozenset[str] = frozenset()

    def recalled(self, turn: Turn, model: Model, budget: int, *, unverified: bool) -> Recall:
        """What memory has for a message, within the tokens that model and message leave."""
        # An estimate: asking a model for exact counts would start it for a turn that memory may answer.
        taken = prompt.cost(self._built("", (), "", turn.text), estimate_tokens)
        wanted = min(budget, TINY_BUDGET) if model.tiny else budget
        room = max(1, min(wanted, int(prompt.FULL * model.context_window) - taken))
        try:
            past = self._past(turn, model)
            history = [as_message(each) for each in past]
            old, _ = prompt.evict(history, self._summary, estimate_tokens, model.context_window, used=taken + room)
            in_view = {turn.id, *(each.id for each in past[len(old) :])}
            return self._memory.recall(turn.text, budget=room, unverified=unverified, leave_out=in_view)
        except (GraphError, StoreError) as error:
            return Recall("", (), (), (), 0, Gate(False, str(error)), notes=(str(error),))

    def request(
        self, turn: Turn, model: Model, recalled: str, message: Message, notes: list[str], *, extra: int = 0
    ) -> Iterator[str | list[Message]]:
        """Yields what is done on the way, then the messages to send.

        History is evicted where it is too long, the recall left out where it does not fit. `message` is the turn
        as the model is to see it; `extra` tokens are taken by what comes with every request. Raises `ModelError`
        for a message that is too long by itself.
        """
        count, window = model.count_tokens, model.context_window
        used = prompt.cost(self._built("", (), recalled, message.content, message.images), count) + extra
        if recalled and used > prompt.FULL * window:
            notes.append("What memory found did not fit beside so long a message and was left out.")
            recalled = ""
            used = prompt.cost(self._built("", (), "", message.content, message.images), count) + extra
        prompt.refuse_if_too_long(used, window)
        turns = self._past(turn, model)
        history = [as_message(each) for each in turns]
        old, kept = prompt.evict(history, self._summary, count, window, used=used)
        if old:
            yield from self._summarise(old, model, notes)
            self._evicted |= {each.id for each in turns[: len(old)]}
        yield self._built(self._summary, kept, recalled, message.content, message.images)

    def _built(
        self, summary: str, history: Sequence[Message], recalled: str, text: str, images: tuple[bytes, ...] = ()
    ) -> list[Message]:
        system, user = self._personas
        return prompt.build("\n\n".join([system, *self.instructions]), user, summary, history, recalled, text, images)

    def _past(self, turn: Turn, model: Model) -> list[Turn]:
        """The turns before this one that are still word for word in the prompt; a tiny model gets none."""
        if model.tiny:
            return []
        turns = self._memory.turns(self.conversation)
        if not self._evicted <= {each.id for each in turns}:
            # A turn behind the summary was forgotten: what it said must not live on in the summary.
            self._summary, self._evicted = "", frozenset()
        return [each for each in turns if each.seq < turn.seq and each.id not in self._evicted]

    def _summarise(self, old: Sequence[Message], model: Model, notes: list[str]) -> Iterator[str]:
        count, window = model.count_tokens, model.context_window
        newest = old[len(old) - prompt.fitting(old, count, prompt.EVICT_ABOVE * window) :]
        if not newest:
            return
        yield "Summarising earlier turns"
        try:
            said = model.complete(prompt.summarise(newest, self._summary))
        except ModelError as error:
            notes.append(f"Earlier turns were left out of the prompt without a summary: {error}")
            return
        room = int(prompt.SUMMARY * window) - prompt.AROUND
        self._summary = prompt.shorten("".join(visible([said])).strip(), count, room)


def as_message(turn: Turn) -> Message:
    """A turn as a model sees it: what another person said carries their name."""
    if turn.kind is SourceKind.ASSISTANT:
        return Message("assistant", turn.text)
    named = turn.kind is SourceKind.SPEAKER
    return Message("user", f"{turn.speaker}: {turn.text}" if named else turn.text)
