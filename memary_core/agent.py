"""The conversation: what happens from a message to its answer.

A message is stored, and read for names and facts, before any model is asked; then memory is searched; then memory
or the model answers, with tools where it was given any. What was said is stored even where it breaks off. Nothing
that goes wrong with a model ends the conversation: the answer says what happened, and the next message works.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing

from memary_core import prompt, tool_use
from memary_core.chat_events import Done, Event, Observed, Recalled, Token
from memary_core.drafting import Draft
from memary_core.errors import GraphError, MemaryError, ModelError, ModelUnavailable, StoreError
from memary_core.llm.model import Model, ToolsUnsupported
from memary_core.llm.thinking import Part, parts
from memary_core.looking import as_seen, fetched
from memary_core.models import Gate, Recall, Turn
from memary_core.prompt import Message
from memary_core.thread import ConversationMemory, Thread
from memary_core.tools import Tool
from memary_core.tools.images import Image, ImageFetcher
from memary_core.tools.memory_tools import Occasion

MEMORY = "memory"
"""`Done.answered_by` where no model was asked."""
KEPT = "Your message, and what was learned from it, are stored."
STOPPED = "Stopped before the end of the answer; what had come by then is stored."
UNANSWERED = "Stopped before an answer came."
BROKEN = "The answer broke off; what had come by then is stored."
LOOK = "What does this image show?"
"""What an image without words asks."""

Answerer = Callable[[str, Recall], str | None]
"""Answers a question from a recall by itself, or returns None."""
Toolbox = Callable[[Occasion], Sequence[Tool]]
"""The tools for one message. Those that are unavailable are not shown to the model."""


class Dialogue:
    """One conversation between the scope's owner and the assistant. For one message at a time.

    `answerer` is asked before a tiny or missing model, and instead of one that cannot be reached; where it
    returns None the model answers. `budget` is the most tokens that a recall may take, `steps` the most tools that
    one answer may use. `vision` looks at images where the model cannot. A conversation that exists is taken up
    again by its id.
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
        toolbox: Toolbox | None = None,
        steps: int = 8,
        vision: Model | None = None,
        fetcher: ImageFetcher | None = None,
    ) -> None:
        self.conversation = conversation
        self.model = model
        self.unverified = False
        """May candidate facts be recalled? They are marked there."""
        self.toolbox = toolbox
        self.vision = vision
        self.last: Done | None = None
        """How the latest message ended, also where its events were not read to the end."""
        self._memory = memory
        self._thread = Thread(memory, conversation, (system_persona, user_persona))
        self._answerer = answerer
        self._budget = budget
        self._steps = steps
        self._fetcher = fetcher or ImageFetcher()
        self._calls = True

    def chat(self, text: str, images: Sequence[Image | str] | None = None) -> Iterator[Event]:
        """Store `text` as the owner's turn at once, then yield what happens, `Done` last.

        `images`: uploaded ones, or addresses of some on the web. Closing the iterator stops the answer; what had
        come of it by then is stored. Raises what `Memory.observe` raises where the message could not be stored;
        nothing was asked then.
        """
        if images and not text.strip():
            text = LOOK
        return self.reply(self._memory.observe(text, conversation=self.conversation), images)

    def reply(self, turn: Turn, images: Sequence[Image | str] | None = None) -> Iterator[Event]:
        """Answer a turn of this conversation that is stored already; as `chat`."""
        self.last = None
        return self._events(turn, tuple(images or ()), time.monotonic())

    def instruct(self, text: str) -> None:
        """Add to what the assistant is told about itself, from the next message on."""
        self._thread.instructions.append(text)

    def _events(self, turn: Turn, images: Sequence[Image | str], started: float) -> Generator[Event, None, None]:
        draft = Draft(Recall("", (), (), (), 0, Gate(False, "not looked for")))
        try:
            yield self._observed(turn)
            yield draft.step("Looking in memory")
            draft.recall = self._thread.recalled(turn, self.model, self._budget, unverified=self.unverified)
            yield Recalled(draft.recall)
            with closing(self._answer(turn, images, draft)) as events:
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

    def _answer(self, turn: Turn, images: Sequence[Image | str], draft: Draft) -> Generator[Event, None, None]:
        if self.model.tiny or self.model.state == "not set up":
            said = None if images else self._from_memory(turn, draft)
            if said is not None:
                yield said
                return
        try:
            yield from self._from_model(turn, images, draft)
        except ModelUnavailable as error:
            said = None if draft.parts else self._from_memory(turn, draft)
            if said is None:
                raise
            draft.notes.append(str(error))
            yield said

    def _from_memory(self, turn: Turn, draft: Draft) -> Token | None:
        said = self._answerer(turn.text, draft.recall) if self._answerer else None
        if not said:
            return None
        draft.by = MEMORY
        return draft.say(said)

    def _from_model(self, turn: Turn, images: Sequence[Image | str], draft: Draft) -> Generator[Event, None, None]:
        seen = yield from fetched(images, self._fetcher, draft)
        message = yield from as_seen(turn, seen, self.model, self.vision, draft)
        tools = self._tools(turn, seen, draft)
        if self.model.state != "not set up":
            yield draft.step(f"Asking {self.model.label}")
        if tools:
            yield from self._with_tools(turn, message, tools, draft)
        else:
            messages = yield from self._request(turn, message, draft)
            with closing(parts(self.model.stream(messages))) as pieces:
                for part in pieces:
                    yield from self._said(part, draft)
        if not draft.parts:
            what = (
                "thought, but gave no answer"
                if any(each.kind == "thought" for each in draft.taken())
                else "said nothing"
            )
            raise ModelError(f"{self.model.label} {what}. Send the message again, or word it otherwise.")

    def _with_tools(
        self, turn: Turn, message: Message, tools: Sequence[Tool], draft: Draft
    ) -> Generator[Event, None, None]:
        calls = self._calls and self.model.capabilities.tools
        try:
            yield from self._agent(turn, message, tools, draft, calls=calls)
        except ToolsUnsupported as error:
            if draft.parts or not calls:
                raise
            self._calls = False
            draft.notes.append(f"{error} It is told of its tools in words instead.")
            yield from self._agent(turn, message, tools, draft, calls=False)

    def _agent(
        self, turn: Turn, message: Message, tools: Sequence[Tool], draft: Draft, *, calls: bool
    ) -> Generator[Event, None, None]:
        count, window = self.model.count_tokens, self.model.context_window
        extra = tool_use.cost(tools, count, calls=calls)
        messages = yield from self._request(turn, message, draft, extra)
        room = int(prompt.FULL * window) - prompt.cost(messages, count) - extra
        with closing(
            tool_use.use_tools(self.model, messages, tools, calls=calls, steps=self._steps, room=max(0, room))
        ) as news:
            for each in news:
                if isinstance(each, Part):
                    yield from self._said(each, draft)
                elif isinstance(each, tool_use.Called):
                    yield draft.call(each)
                elif isinstance(each, tool_use.Returned):
                    yield from draft.returned(each)
                else:
                    bound = f"The answer used {each.steps} tools, which is the most it may (MEMARY_MAX_STEPS)."
                    draft.notes += [] if bound in draft.notes else [bound]

    def _said(self, part: Part, draft: Draft) -> Iterator[Event]:
        if part.kind == "thought":
            yield from draft.think(part.text)
        else:
            draft.by = self.model.name
            yield draft.say(part.text)

    def _tools(self, turn: Turn, images: tuple[Image, ...], draft: Draft) -> list[Tool]:
        if self.toolbox is None or self.model.tiny or self.model.state == "not set up":
            return []
        occasion = Occasion(turn, self.model.name, draft.proposals.append, images, self.unverified)
        return [each for each in self.toolbox(occasion) if not each.unavailable]

    def _request(
        self, turn: Turn, message: Message, draft: Draft, extra: int = 0
    ) -> Generator[Event, None, list[Message]]:
        messages: list[Message] = []
        for each in self._thread.request(turn, self.model, draft.recall.text, message, draft.notes, extra=extra):
            if isinstance(each, str):
                yield draft.step(each)
            else:
                messages = each
        return messages

    def _stored(self, turn: Turn, draft: Draft, started: float) -> Done:
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
            draft.taken(),
            tuple(draft.proposals),
        )


ChatAgent = Dialogue
