"""The conversation: what happens from a message to its answer.

A message is stored, and read for names and facts, before any model is asked; then memory is searched; then memory
or the model answers. What was said is stored even where it breaks off. Nothing that goes wrong with a model
ends the conversation: the answer says what happened, and the next message works.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Protocol

from memary_core import prompt
from memary_core.chat_events import Done, Event, Observed, Recalled, Step, Token
from memary_core.errors import GraphError, MemaryError, ModelError, ModelUnavailable, StoreError
from memary_core.llm.providers import Model
from memary_core.llm.thinking import visible
from memary_core.models import Fact, Gate, Recall, SourceKind, Turn
from memary_core.prompt import Message
from memary_core.tokens import estimate_tokens

MEMORY = "memory"
"""`Done.answered_by` where no model was asked."""
KEPT = "Your message, and what was learned from it, are stored."
TINY_BUDGET = 150
"""Tokens of recall that a tiny model can still tell apart. It is asked message by message, too: over the sample
conversation, SmolLM2 135M gave 7 of 10 right answers so, and 1 or 2 with the last exchange before the message."""
STOPPED = "Stopped before the end of the answer; what had come by then is stored."
UNANSWERED = "Stopped before an answer came."
BROKEN = "The answer broke off; what had come by then is stored."

Answerer = Callable[[str, Recall], str | None]
"""Answers a question from a recall by itself, or returns None."""


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


@dataclass(slots=True)
class _Draft:
    """The answer while it is being given."""

    recall: Recall
    by: str = ""
    parts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    error: str | None = None

    def say(self, text: str) -> Token:
        self.parts.append(text)
        return Token(text)

    @property
    def text(self) -> str:
        return "".join(self.parts)


class ChatAgent:
    """One conversation between the scope's owner and the assistant. For one message at a time.

    `answerer` is asked before a tiny or missing model, and instead of one that cannot be reached; where it
    returns None the model answers. `budget` is the most tokens that a recall may take. A conversation that exists
    is taken up again by its id.
    """

    def __init__(
        self,
        memory: ConversationMemory,
        model: Model,
        *,
        conversation: str = "main",
        system_persona: str = "",
        user_persona: str = "",
        answerer: Answerer | None = None,
        budget: int = 800,
    ) -> None:
        self.conversation = conversation
        self.model = model
        self.unverified = False
        """May candidate facts be recalled? They are marked there."""
        self.last: Done | None = None
        """How the latest message ended, also where its events were not read to the end."""
        self._memory = memory
        self._personas = (system_persona, user_persona)
        self._answerer = answerer
        self._budget = budget
        self._summary = ""
        self._evicted: frozenset[str] = frozenset()

    def chat(self, text: str) -> Iterator[Event]:
        """Store `text` as the owner's turn at once, then yield what happens, `Done` last.

        Closing the iterator stops the answer; what had come of it by then is stored. Raises what
        `Memory.observe` raises where the message could not be stored; nothing was asked then.
        """
        started = time.monotonic()
        self.last = None
        turn = self._memory.observe(text, conversation=self.conversation)
        return self._events(turn, started)

    def _events(self, turn: Turn, started: float) -> Generator[Event, None, None]:
        draft = _Draft(Recall("", (), (), (), 0, Gate(False, "not looked for")))
        try:
            yield self._observed(turn)
            yield Step("Looking in memory")
            draft.recall = self._recalled(turn)
            yield Recalled(draft.recall)
            with closing(self._answer(turn, draft)) as events:
                yield from events
        except ModelError as error:
            draft.error = f"{error} {KEPT}"
            if draft.parts:
                draft.notes.append(BROKEN)
        except GeneratorExit:
            draft.notes.append(STOPPED if draft.parts else UNANSWERED)
            raise
        finally:
            done = self.last = self._stored(turn, draft, started)
        yield done

    def _observed(self, turn: Turn) -> Observed:
        try:
            return Observed(turn, tuple(self._memory.learned(turn.id)), turn.notes)
        except (GraphError, StoreError) as error:
            return Observed(turn, (), (*turn.notes, str(error)))

    def _recalled(self, turn: Turn) -> Recall:
        # An estimate: asking a model for exact counts would start it for a turn that memory may answer.
        taken = prompt.cost(prompt.build(*self._personas, "", (), "", turn.text), estimate_tokens)
        window = self.model.context_window
        wanted = min(self._budget, TINY_BUDGET) if self.model.tiny else self._budget
        budget = max(1, min(wanted, int(prompt.FULL * window) - taken))
        try:
            past = self._past(turn)
            history = [_as_message(each) for each in past]
            old, _ = prompt.evict(history, self._summary, estimate_tokens, window, used=taken + budget)
            in_view = {turn.id, *(each.id for each in past[len(old) :])}
            return self._memory.recall(turn.text, budget=budget, unverified=self.unverified, leave_out=in_view)
        except (GraphError, StoreError) as error:
            return Recall("", (), (), (), 0, Gate(False, str(error)), notes=(str(error),))

    def _answer(self, turn: Turn, draft: _Draft) -> Generator[Event, None, None]:
        if self.model.tiny or self.model.state == "not set up":
            said = self._from_memory(turn, draft)
            if said is not None:
                yield said
                return
        try:
            yield from self._from_model(turn, draft)
        except ModelUnavailable as error:
            said = None if draft.parts else self._from_memory(turn, draft)
            if said is None:
                raise
            draft.notes.append(str(error))
            yield said

    def _from_memory(self, turn: Turn, draft: _Draft) -> Token | None:
        said = self._answerer(turn.text, draft.recall) if self._answerer else None
        if not said:
            return None
        draft.by = MEMORY
        return draft.say(said)

    def _from_model(self, turn: Turn, draft: _Draft) -> Generator[Event, None, None]:
        if self.model.state != "not set up":
            yield Step(f"Asking {self.model.label}")
        messages = yield from self._request(turn, draft)
        with closing(visible(self.model.stream(messages))) as pieces:
            for piece in pieces:
                draft.by = self.model.name
                yield draft.say(piece)
        if not draft.parts:
            raise ModelError(f"{self.model.label} gave an empty answer. Send the message again, or word it otherwise.")

    def _request(self, turn: Turn, draft: _Draft) -> Generator[Event, None, list[Message]]:
        """The messages to send: history evicted where it is too long, the recall left out where it does not fit."""
        count, window = self.model.count_tokens, self.model.context_window
        recalled = draft.recall.text
        used = prompt.cost(prompt.build(*self._personas, "", (), recalled, turn.text), count)
        if recalled and used > prompt.FULL * window:
            draft.notes.append("What memory found did not fit beside so long a message and was left out.")
            recalled = ""
            used = prompt.cost(prompt.build(*self._personas, "", (), "", turn.text), count)
        prompt.refuse_if_too_long(used, window)
        turns = self._past(turn)
        history = [_as_message(each) for each in turns]
        old, kept = prompt.evict(history, self._summary, count, window, used=used)
        if old:
            yield from self._summarise(old, draft)
            self._evicted |= {each.id for each in turns[: len(old)]}
        return prompt.build(*self._personas, self._summary, kept, recalled, turn.text)

    def _past(self, turn: Turn) -> list[Turn]:
        """The turns before this one that are still word for word in the prompt; a tiny model gets none."""
        if self.model.tiny:
            return []
        turns = self._memory.turns(self.conversation)
        if not self._evicted <= {each.id for each in turns}:
            # A turn behind the summary was forgotten: what it said must not live on in the summary.
            self._summary, self._evicted = "", frozenset()
        return [each for each in turns if each.seq < turn.seq and each.id not in self._evicted]

    def _summarise(self, old: Sequence[Message], draft: _Draft) -> Generator[Event, None, None]:
        count, window = self.model.count_tokens, self.model.context_window
        newest = old[len(old) - prompt.fitting(old, count, prompt.EVICT_ABOVE * window) :]
        if not newest:
            return
        yield Step("Summarising earlier turns")
        try:
            said = self.model.complete(prompt.summarise(newest, self._summary))
        except ModelError as error:
            draft.notes.append(f"Earlier turns were left out of the prompt without a summary: {error}")
            return
        room = int(prompt.SUMMARY * window) - prompt.AROUND
        self._summary = prompt.shorten("".join(visible([said])).strip(), count, room)

    def _stored(self, turn: Turn, draft: _Draft, started: float) -> Done:
        reply = None
        if draft.text.strip():
            try:
                reply = self._memory.observe(
                    draft.text, speaker="assistant", conversation=self.conversation, reply_to=turn.id
                )
            except MemaryError as error:
                draft.error = " ".join(filter(None, [draft.error, f"The answer could not be stored: {error}"]))
        return Done(
            reply,
            draft.text,
            draft.recall,
            draft.by,
            time.monotonic() - started,
            draft.error,
            tuple(draft.notes),
        )


def _as_message(turn: Turn) -> Message:
    if turn.kind is SourceKind.ASSISTANT:
        return Message("assistant", turn.text)
    named = turn.kind is SourceKind.SPEAKER
    return Message("user", f"{turn.speaker}: {turn.text}" if named else turn.text)
