"""What LlamaIndex's agents say on the way, read as thoughts and answer.

A `FunctionAgent` streams its answer as it is. A `ReActAgent` streams a form, of which only what follows *Answer:*
is the answer; a reply without the form is held back until it is clear that it is one.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Any

from memary_core.llm.thinking import Part, Splitter, visible

THOUGHT, ACTION, ANSWER = "Thought:", "Action:", "Answer:"
BETWEEN = "\n\n"
"""Between what a model says before it uses a tool and what it says after."""


class Reader:
    """Reads the events of one run."""

    def __init__(self, *, react: bool) -> None:
        self._react = react
        self._said = False
        self._open: dict[str, deque[int]] = defaultdict(deque)
        self._uses = 0
        self._begin_call()

    def begin(self, tool_id: str) -> int:
        """A tool is used: a number for this use. Some providers give two uses the same id."""
        self._uses += 1
        self._open[tool_id].append(self._uses)
        return self._uses

    def end(self, tool_id: str) -> int:
        """The number of the use that ended."""
        return self._open[tool_id].popleft()

    def read(self, event: Any) -> Iterator[Part]:
        """What an event adds."""
        kind = type(event).__name__
        if kind == "AgentInput":
            self._begin_call()
        elif kind == "AgentStream":
            if event.thinking_delta:
                yield Part("thought", event.thinking_delta)
            for part in self._splitter.take(event.delta):
                yield from self._part(part)
        elif kind == "AgentOutput":
            for part in self._splitter.rest(whole=True):
                yield from self._part(part)
            if self._react:
                yield from self._put(self._form.end(answers=not event.tool_calls and not event.retry_messages))
            self._begin_call()

    def rest(self) -> Iterator[Part]:
        """What is certain of a reply that broke off."""
        for part in self._splitter.rest(whole=False):
            yield from self._part(part)

    def parser(self) -> Any:
        """LlamaIndex's parser of the form, deaf to `<think>`."""
        from llama_index.core.agent.react.output_parser import ReActOutputParser

        class Parser(ReActOutputParser):
            def parse(self, output: str, is_streaming: bool = False) -> Any:
                return super().parse("".join(visible([output])), is_streaming)

        return Parser()

    def _begin_call(self) -> None:
        self._splitter, self._form = Splitter(), Form()
        self._first = True

    def _part(self, part: Part) -> Iterator[Part]:
        if self._react and part.kind == "answer":
            yield from self._put(self._form.take(part.text))
        else:
            yield from self._put(iter([part]))

    def _put(self, parts: Iterator[Part]) -> Iterator[Part]:
        for part in parts:
            text = part.text
            if part.kind == "answer":
                if self._first and self._said:
                    text = BETWEEN + text
                self._first, self._said = False, True
            yield Part(part.kind, text)


class Form:
    """A reply in ReAct's form: `Thought: … Action: …`, or `Thought: … Answer: …`."""

    def __init__(self) -> None:
        self._text = ""
        self._at = 0
        self._answering = False
        self._acting = False

    def take(self, piece: str) -> Iterator[Part]:
        """What is certain now that `piece` has come."""
        self._text += piece
        if self._acting or not self._text.lstrip().startswith(THOUGHT):
            return
        if not self._answering:
            if not self._at:
                self._at = self._text.index(THOUGHT) + len(THOUGHT)
            cuts = [(at, mark) for mark in (ACTION, ANSWER) if (at := self._text.find(mark, self._at)) >= 0]
            until, mark = min(cuts, default=(len(self._text) - len(ACTION) + 1, ""))
            yield from self._thought(until)
            self._acting = mark == ACTION
            if mark != ANSWER:
                return
            self._answering, self._at = True, until + len(mark)
        yield from self._answer()

    def end(self, *, answers: bool) -> Iterator[Part]:
        """What was held back, now that the reply is over: `answers` where it was taken for an answer."""
        if not answers:
            if not self._acting and not self._answering:
                yield from self._thought(len(self._text))
        elif not self._answering:
            before, mark, after = self._text[self._at :].partition(ANSWER)
            self._at = 0
            text = (after if mark else before).strip()
            if text:
                yield Part("answer", text)

    def _thought(self, until: int) -> Iterator[Part]:
        if until > self._at:
            text, self._at = self._text[self._at : until], until
            yield Part("thought", text)

    def _answer(self) -> Iterator[Part]:
        text = self._text[self._at :]
        shown = text.lstrip() if not self._text[: self._at].partition(ANSWER)[2].strip() else text
        if shown:
            self._at = len(self._text)
            yield Part("answer", shown)
