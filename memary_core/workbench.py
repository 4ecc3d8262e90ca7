"""Running a tool for a model: in a thread of its own, bounded, its result cut to what the context has room for."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from memary_core import prompt
from memary_core.errors import MemaryError, ToolError
from memary_core.tools import Tool
from memary_core.tools.result import ToolResult, plain
from memary_core.tools.signature import arguments

SMALLEST = 40
"""Tokens under which a result is not worth showing."""
STOP_SECONDS = 2.0
"""How long an answer that is stopped is waited for; what still runs then is left alone."""
ENOUGH = "No more tools can be used for this answer. Answer now, from what you have."
NO_ROOM = "The result does not fit any more. Answer now, from what you have."


@dataclass(slots=True)
class Bench:
    """What one answer may still use: `steps` tools, and `room` tokens for their results."""

    tools: Sequence[Tool]
    steps: int
    room: int
    count: Callable[[str], int]
    hit: Callable[[], None] = lambda: None
    used: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """One tool at a time, in the order asked for: Ollama's protocol tells results apart by nothing but their order."""

    def fitted(self, text: str) -> str:
        """The text, or as much of it as there is room for."""
        taken = self.count(text)
        if taken <= self.room:
            self.room -= taken
            return text
        cut = prompt.shorten(text, self.count, self.room - SMALLEST // 2) if self.room > SMALLEST else ""
        self.room = 0
        return f"{cut} … (cut here: no more fits)" if cut else NO_ROOM


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a tool: `text` as people see it, `read` as the model does."""

    text: str = ""
    error: str = ""
    seconds: float = 0.0
    url: str | None = None
    query: str | None = None
    read: str = ""


async def used(tool: Tool, bench: Bench, given: Mapping[str, Any]) -> Outcome:
    """Run a tool in a thread of its own. Whatever it raises is its outcome."""
    if bench.used >= bench.steps:
        bench.hit()
        return Outcome(error=ENOUGH)
    bench.used += 1
    if tool.unavailable:
        return Outcome(error=tool.unavailable)
    started = time.monotonic()
    with own_loop() as loop:
        # In a thread, awaited: a loop serves as one that hands over what was raised, of whatever kind.
        running = asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_run(tool, given), loop))
        await asyncio.wait([running])
        seconds = time.monotonic() - started
        error = running.exception()
        if error is not None:
            return Outcome(error=_reason(error), seconds=seconds)
        result = running.result()
    if isinstance(result, ToolResult):
        text = bench.fitted(str(result))
        read = prompt.fence("result", f"This is what {tool.name} found. It comes from outside", text)
        return Outcome(text, "", seconds, result.url, result.query, read)
    text = bench.fitted(plain(str(result)))
    return Outcome(text, "", seconds, read=text)


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
def tool_class() -> Any:
    """LlamaIndex's form of a tool of ours: made of the tool and the bench."""
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
            async with self._bench.turn:
                outcome = await used(self._tool, self._bench, given)
            content = f"Error: {outcome.error}" if outcome.error else outcome.read or "(nothing)"
            return ToolOutput(self._tool.name, content, None, dict(given), outcome, bool(outcome.error))

    return OurTool


@contextmanager
def own_loop(*, wait: bool = False) -> Iterator[asyncio.AbstractEventLoop]:
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
