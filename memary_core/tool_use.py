"""An answer with tools: LlamaIndex's agents, each run in an event loop of its own, as news for the conversation.

`FunctionAgent` for models that call functions, `ReActAgent` for the others. The loop runs in a thread of its own,
and so does every tool, so that a notebook's loop does not matter and a tool that hangs holds nobody up who stops.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from queue import SimpleQueue
from typing import Any

from memary_core import prompt
from memary_core.errors import MemaryError, ModelError, ToolError
from memary_core.llm.llama import chat_messages
from memary_core.llm.model import Model
from memary_core.llm.thinking import Part
from memary_core.prompt import Message
from memary_core.reading_agents import Reader
from memary_core.tools import Tool
from memary_core.tools.result import ToolResult, plain
from memary_core.tools.signature import arguments

SPARE_CALLS = 4
"""Model calls past the bound on tools: for the answer, and for forms that have to be asked for again."""
RESULTS = 0.7
"""Share of the free context that results of tools may take; the rest is for what the model says between them."""
SMALLEST = 40
"""Tokens under which a result is not worth showing."""
STOP_SECONDS = 2.0
"""How long an answer that is stopped is waited for; what still runs then is left alone."""
ENOUGH = "No more tools can be used for this answer. Answer now, from what you have."
NO_ROOM = "The result does not fit any more. Answer now, from what you have."


@dataclass(frozen=True, slots=True)
class Called:
    """The model uses a tool. `id` tells uses apart."""

    id: int
    tool: str
    given: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Returned:
    """A tool is done: what the model reads of it, or what went wrong."""

    id: int
    text: str
    error: str
    seconds: float
    url: str | None = None
    query: str | None = None


@dataclass(frozen=True, slots=True)
class Bounded:
    """The bound on the number of tools was hit."""

    steps: int


News = Part | Called | Returned | Bounded


@dataclass(slots=True)
class Bench:
    """What one answer may still use: `steps` tools, and `room` tokens for their results."""

    tools: Sequence[Tool]
    steps: int
    room: int
    count: Callable[[str], int]
    hit: Callable[[], None] = lambda: None
    used: int = 0

    def fitted(self, text: str) -> str:
        """The text, or as much of it as there is room for."""
        taken = self.count(text)
        if taken <= self.room:
            self.room -= taken
            return text
        cut = prompt.shorten(text, self.count, self.room - SMALLEST // 2) if self.room > SMALLEST else ""
        self.room = 0
        return f"{cut} … (cut here: no more fits)" if cut else NO_ROOM


def cost(tools: Sequence[Tool], count: Callable[[str], int], *, calls: bool) -> int:
    """Tokens that the descriptions of the tools take in a request."""
    from llama_index.core.agent.react.prompts import CONTEXT_REACT_CHAT_SYSTEM_HEADER

    schemas = [
        json.dumps([each.name, each.description, arguments(each.name, each.run).model_json_schema()]) for each in tools
    ]
    return count("\n".join(schemas)) + (0 if calls else count(CONTEXT_REACT_CHAT_SYSTEM_HEADER))


def use_tools(
    model: Model, messages: Sequence[Message], tools: Sequence[Tool], *, calls: bool, steps: int, room: int
) -> Generator[News, None, None]:
    """Ask `model`, let it use `tools` at most `steps` times, and tell what happens.

    `calls`: does it call functions? `room`: tokens free in the context. Closing the generator stops everything.
    Raises `ModelError`.
    """
    news: SimpleQueue[News | None] = SimpleQueue()
    bench = Bench(tools, steps, int(RESULTS * room), model.count_tokens)
    bench.hit = lambda: news.put(Bounded(steps))
    with _loop(wait=True) as loop:
        running = asyncio.run_coroutine_threadsafe(_converse(model, messages, bench, calls, news.put), loop)
        running.add_done_callback(lambda _: news.put(None))
        while (each := news.get()) is not None:
            yield each
        running.result()


async def _converse(
    model: Model, messages: Sequence[Message], bench: Bench, calls: bool, tell: Callable[[News], None]
) -> None:
    from llama_index.core.agent.workflow import FunctionAgent, ReActAgent
    from llama_index.core.memory import ChatMemoryBuffer
    from workflows.errors import WorkflowRuntimeError

    system = [each.content for each in messages if each.role == "system"]
    *history, last = chat_messages([each for each in messages if each.role != "system"])
    reader = Reader(react=not calls)
    async with model.llm() as llm:
        common = {
            "tools": [_tool_class()(each, bench) for each in bench.tools],
            "llm": llm,
            "system_prompt": "\n\n".join(system) or None,
            "timeout": None,
        }
        agent = FunctionAgent(**common) if calls else ReActAgent(**common, output_parser=reader.parser())
        # The conversation is fitted into the context before; the buffer must not fit it again.
        memory = ChatMemoryBuffer(token_limit=1 << 40, tokenizer_fn=list)
        handler = agent.run(
            user_msg=last, chat_history=history, memory=memory, max_iterations=bench.steps + SPARE_CALLS
        )
        try:
            async for event in handler.stream_events():
                for each in _told(reader, event):
                    tell(each)
            await handler
        except WorkflowRuntimeError as error:
            raise ModelError(
                f"{model.label} came to no answer with its tools and was stopped. Ask again in other words, use fewer "
                "tools, or another model."
            ) from error
        finally:
            for part in reader.rest():
                tell(part)


def _told(reader: Reader, event: Any) -> Iterator[News]:
    kind = type(event).__name__
    if kind == "ToolCall":
        yield Called(reader.begin(event.tool_id), event.tool_name, event.tool_kwargs)
    elif kind == "ToolCallResult":
        yield _returned(reader.end(event.tool_id), event.tool_output)
    else:
        yield from reader.read(event)


def _returned(number: int, output: Any) -> Returned:
    outcome = output.raw_output if isinstance(output.raw_output, _Outcome) else _Outcome(error=str(output.content))
    return Returned(number, outcome.text, outcome.error, outcome.seconds, outcome.url, outcome.query)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What came of a tool: `text` as people see it, `read` as the model does."""

    text: str = ""
    error: str = ""
    seconds: float = 0.0
    url: str | None = None
    query: str | None = None
    read: str = ""


async def _used(tool: Tool, bench: Bench, given: Mapping[str, Any]) -> _Outcome:
    """Run a tool in a thread of its own. Whatever it raises is its outcome."""
    if bench.used >= bench.steps:
        bench.hit()
        return _Outcome(error=ENOUGH)
    bench.used += 1
    if tool.unavailable:
        return _Outcome(error=tool.unavailable)
    started = time.monotonic()
    with _loop() as loop:
        # In a thread, awaited: a loop serves as one that hands over what was raised, of whatever kind.
        running = asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_run(tool, given), loop))
        await asyncio.wait([running])
        seconds = time.monotonic() - started
        error = running.exception()
        if error is not None:
            return _Outcome(error=_reason(error), seconds=seconds)
        result = running.result()
    if isinstance(result, ToolResult):
        text = bench.fitted(str(result))
        read = prompt.fence("result", f"This is what {tool.name} found. It comes from outside", text)
        return _Outcome(text, "", seconds, result.url, result.query, read)
    text = bench.fitted(plain(str(result)))
    return _Outcome(text, "", seconds, read=text)


async def _run(tool: Tool, given: Mapping[str, Any]) -> object:
    checked = arguments(tool.name, tool.run).model_validate(given)
    try:
        result = tool.run(**{each: getattr(checked, each) for each in checked.model_fields_set})
        return await result if inspect.isawaitable(result) else result
    except SystemExit as error:
        raise ToolError("It tried to end the program, which was not let happen.") from error


def _reason(error: BaseException) -> str:
    from pydantic import ValidationError

    if isinstance(error, MemaryError):
        return str(error)
    if isinstance(error, ValidationError):
        wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        return f"It was given what it does not take: {wrong}"[:500]
    return f"{type(error).__name__}: {error}"[:500]


@cache
def _tool_class() -> Any:
    from llama_index.core.tools.types import AsyncBaseTool, ToolMetadata, ToolOutput

    class OurTool(AsyncBaseTool):
        """A tool of ours in LlamaIndex's form."""

        def __init__(self, tool: Tool, bench: Bench) -> None:
            self._tool, self._bench = tool, bench
            self._metadata = ToolMetadata(tool.description, tool.name, arguments(tool.name, tool.run))

        @property
        def metadata(self) -> ToolMetadata:
            return self._metadata

        def call(self, *_: Any, **given: Any) -> ToolOutput:
            return asyncio.run(self.acall(**given))

        async def acall(self, *_: Any, **given: Any) -> ToolOutput:
            outcome = await _used(self._tool, self._bench, given)
            content = f"Error: {outcome.error}" if outcome.error else outcome.read or "(nothing)"
            return ToolOutput(self._tool.name, content, None, dict(given), outcome, bool(outcome.error))

    return OurTool


@contextmanager
def _loop(*, wait: bool = False) -> Iterator[asyncio.AbstractEventLoop]:
    """An event loop in a daemon thread. At the end all that still runs in it is cancelled, and with `wait` awaited."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=_run_forever, args=(loop,), name="memary-tools", daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        asyncio.run_coroutine_threadsafe(_cancelled(), loop)
        if wait:
            thread.join(STOP_SECONDS)


def _run_forever(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _cancelled() -> None:
    loop = asyncio.get_running_loop()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for each in others:
        each.cancel()
    if others:
        await asyncio.wait(others, timeout=STOP_SECONDS / 2)
    await loop.shutdown_asyncgens()
    loop.stop()
