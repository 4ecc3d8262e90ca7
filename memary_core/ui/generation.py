"""An answer on its way, in a thread of its own: a rerun, another page or a closed tab does not end it.

The thread knows nothing of Streamlit; a page looks at `Generation` as often as it likes.
"""

from __future__ import annotations

import atexit
import threading
import weakref
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import cast

from memary_core.agent import ChatAgent
from memary_core.chat_events import Done, Event, Observed, Recalled, Step, Token
from memary_core.errors import MemaryError
from memary_core.models import Fact, Recall, Turn
from memary_core.tools.images import Image

READING = "Reading your message"
BROKEN = "Memary failed while it answered. Your message is stored; send it again, and see the log of the app."
_running: weakref.WeakSet[Generation] = weakref.WeakSet()


class Generation:
    """One message and what comes of it. Attributes are written by its thread and may be read at any time.

    `after` is the seq of the last turn before the message. `ended` is called in the thread, once, at the end.
    `home` is the folder of the scope, by which another session finds an answer that is on its way there.
    """

    def __init__(
        self,
        agent: ChatAgent,
        message: str,
        after: int,
        ended: Callable[[Generation], None] | None = None,
        home: Path | None = None,
        images: Sequence[Image | str] = (),
    ) -> None:
        self.place = (home, agent.conversation)
        self.message = message
        self.images = tuple(images)
        self.after = after
        self.steps: list[str] = [READING]
        self.turn: Turn | None = None
        self.learned: tuple[Fact, ...] = ()
        self.notes: tuple[str, ...] = ()
        self.recall: Recall | None = None
        self.done: Done | None = None
        self.trouble = ""
        self._agent = agent
        self._ended = ended
        self._parts: list[str] = []
        self._stop = threading.Event()
        self._over = threading.Event()
        self._news = threading.Event()
        self._thread = threading.Thread(target=self._run, name="memary-answer", daemon=True)

    def start(self) -> Generation:
        """Begin; returns itself."""
        _running.add(self)
        self._thread.start()
        return self

    @property
    def text(self) -> str:
        """The answer as far as it has come."""
        return "".join(self._parts)

    @property
    def over(self) -> bool:
        """Has it ended?"""
        return self._over.is_set()

    def wait(self, seconds: float) -> None:
        """Return when something new has come, or after `seconds`."""
        self._news.wait(seconds)
        self._news.clear()

    def stop(self, seconds: float = 5.0) -> bool:
        """Stop the answer and keep what has come of it; False where its thread did not end within `seconds`."""
        self._stop.set()
        return self._over.wait(seconds)

    def _run(self) -> None:
        try:
            with closing(cast(Generator[Event, None, None], self._agent.chat(self.message, self.images))) as events:
                for event in events:
                    self._take(event)
                    if self._stop.is_set():
                        break
            # Stopped before the end: the agent stored what there was, and says so here.
            self.done = self.done or self._agent.last
        except MemaryError as error:
            self.trouble = str(error)
        finally:
            if self.done is None and not self.trouble:
                self.trouble = BROKEN
            try:
                if self._ended is not None:
                    self._ended(self)
            finally:
                self._over.set()
                self._news.set()

    def _take(self, event: Event) -> None:
        if isinstance(event, Observed):
            self.turn, self.learned, self.notes = event.turn, event.facts, event.notes
        elif isinstance(event, Recalled):
            self.recall = event.recall
        elif isinstance(event, Step):
            self.steps.append(event.label)
        elif isinstance(event, Token):
            self._parts.append(event.text)
        elif isinstance(event, Done):
            self.done = event
        self._news.set()


class Generations:
    """The answers being given in one session, by conversation."""

    def __init__(self) -> None:
        self._held: dict[str, Generation] = {}

    def of(self, conversation: str, home: Path | None = None) -> Generation | None:
        """The one in a conversation, until it is taken off.

        Where the page was loaded anew there is none, but the one begun before may still be on its way.
        """
        if conversation not in self._held and home is not None:
            for each in list(_running):
                if each.place == (home, conversation) and not each.over:
                    self._held[conversation] = each
        return self._held.get(conversation)

    def begin(self, conversation: str, generation: Generation) -> Generation:
        """Start one."""
        self._held[conversation] = generation
        return generation.start()

    def take_off(self, conversation: str) -> None:
        """Let go of one that is over and has been shown."""
        self._held.pop(conversation, None)

    def stop(self) -> bool:
        """Stop all; False where one does not end in time."""
        ended = [each.stop() for each in self._held.values()]
        return all(ended)


@atexit.register
def _stop_all() -> None:
    """What has come of an answer is stored when the process ends in good order."""
    for each in list(_running):
        if not each.over:
            each.stop(2.0)
