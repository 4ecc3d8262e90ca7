"""From a Python function to a tool: what it takes, read from its types, and what it is for, from its docstring."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable
from typing import Any

from memary_core.errors import InvalidInput
from memary_core.tools import Tool

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)


def tool_from(name: str, function: Callable[..., object]) -> Tool:
    """`function` as the tool `name`. It may be a coroutine function.

    Raises `InvalidInput`, which says what is missing, for one that no model could be told how to call: without a
    docstring, with a parameter that has no type, takes any number of values, or is of a type that JSON cannot say.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name == "handoff":
        raise _refused(str(name), "a tool's name is up to 64 letters, digits, _ and -, and not 'handoff'")
    if not callable(function):
        raise _refused(name, "it is not a function")
    described = inspect.getdoc(function)
    if not described or inspect.isclass(function):
        raise _refused(name, "it has no docstring, from which a model learns what it is for")
    arguments(name, function)
    return Tool(name, described, function)


def arguments(name: str, function: Callable[..., object]) -> Any:
    """The pydantic model of what `function` takes; raises `InvalidInput` where there is none."""
    from pydantic import ConfigDict, create_model
    from pydantic.errors import PydanticUserError

    try:
        parameters = inspect.signature(function).parameters.values()
        hints = typing.get_type_hints(function, include_extras=True)
    except (ValueError, TypeError, NameError) as error:
        raise _refused(name, f"what it takes cannot be read ({error})") from error
    fields: dict[str, Any] = {}
    for each in parameters:
        if each.kind in _VARIABLE:
            raise _refused(name, f"its parameter {each.name} cannot be given by name")
        if each.name not in hints:
            raise _refused(name, f"its parameter {each.name} has no type")
        fields[each.name] = (hints[each.name], ... if each.default is each.empty else each.default)
    try:
        model = create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
        model.model_json_schema()
    except (PydanticUserError, NameError, TypeError) as error:
        raise _refused(name, f"a model cannot be told what it takes ({str(error).splitlines()[0]})") from error
    return model


def _refused(name: str, why: str) -> InvalidInput:
    return InvalidInput(f"{name!r:.80} cannot be a tool, because {why}. Nothing was added.")
