"""An answer with tools: LlamaIndex's agents, each run in an event loop of its own, as news for the conversation.

`FunctionAgent` for models that call functions, `ReActAgent` for the others. The loop runs in a thread of its own,
and so does every tool, so that a notebook's loop does not matter and a tool that hangs holds nobody up who stops.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from memary_core.errors import ModelError
from memary_core.llm.llama import chat_messages
from memary_core.llm.model import Model
from memary_core.llm.thinking import Part
from memary_core.prompt import Message
from memary_core.reading_agents import Reader
from memary_core.tools import Tool
from memary_core.tools.signature import arguments
from memary_core.workbench import Bench, Outcome, own_loop, tool_class

SPARE_CALLS = 4
"""Model calls past the bound on tools: for the answer, and for forms that have to be asked for again."""
RESULTS = 0.7
"""Share of the free context that results of tools may take; the rest is for what the model says between them."""


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


def warm() -> None:
    """Import what the first answer with tools would wait seconds for."""
    import llama_index.core.agent.workflow  # noqa: F401

    tool_class()


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
    with own_loop(wait=True) as loop:
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
            "tools": [tool_class()(each, bench) for each in bench.tools],
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
    outcome = output.raw_output if isinstance(output.raw_output, Outcome) else Outcome(error=str(output.content))
    return Returned(number, outcome.text, outcome.error, outcome.seconds, outcome.url, outcome.query)
