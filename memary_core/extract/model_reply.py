"""What a language model writes when it is asked for triplets in JSON, read for what it holds. Pure.

Models wrap the JSON in thoughts, fences or prose, call the keys otherwise, write lists instead of objects, echo the
schema, or stop in the middle. Whatever whole triplets there are, are found; what there is not, is said.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memary_core.llm.thinking import visible

Row = tuple[str, str, str]

MAX_REPLY = 20_000
"""Characters of a reply that are read."""
_ATTEMPTS = 200
_DEPTH = 5
_KEYS = (
    frozenset({"subject", "subj", "head", "source", "from", "s", "entity1"}),
    frozenset({"predicate", "relation", "relationship", "verb", "label", "p", "r"}),
    frozenset({"object", "obj", "tail", "target", "to", "value", "o", "entity2"}),
)
_PLACEHOLDERS = frozenset({"string", "str", "...", "…", "subject", "predicate", "object", "type", "null", "none", ""})
_FENCE = re.compile(r"^\s*```.*$", re.MULTILINE)
_FLAT = re.compile(r"\{[^{}\[\]()]{1,1000}\}")
_PART = r"\s*[\"']?([^,|()\n]{1,200}?)[\"']?\s*"
_IN_PARENTHESES = re.compile(rf"\({_PART},{_PART},{_PART}\)")
_BETWEEN_BARS = re.compile(rf"^[ \t*|-]*{_PART}\|{_PART}\|{_PART}\|?[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The triplets of a reply, in its order; `problem` says what was wrong with it, to follow *the reply*."""

    rows: tuple[Row, ...] = ()
    problem: str = ""


def read_reply(reply: str) -> ModelReply:
    """Everything in a reply that is a triplet, and what was wrong with the rest."""
    text = _FENCE.sub("", "".join(visible([reply[:MAX_REPLY]]))).strip()
    if not text:
        return ModelReply(problem="held nothing but thoughts" if reply.strip() else "was empty")
    values, broken = _values(text)
    rows = tuple(dict.fromkeys(row for value in values for row in _rows(value)))
    if not rows and not values:
        rows = tuple(dict.fromkeys(_written_out(text)))
    if broken and any(text.count(left) > text.count(right) for left, right in ("[]", "{}")):
        return ModelReply(rows, "was cut off")
    if not rows and not _says_none(values, text):
        return ModelReply(problem="held no triplets that can be read")
    return ModelReply(rows)


def _values(text: str) -> tuple[list[Any], bool]:
    """Every JSON list or object in a text, outermost first; and whether brackets were left that begin none."""
    found: list[Any] = []
    broken = False
    at, attempts = _next(text, 0), 0
    while at >= 0 and attempts < _ATTEMPTS:
        attempts += 1
        value, end = _value(text, at)
        if end < 0:
            broken, end = True, at + 1
        else:
            found.append(value)
        at = _next(text, end)
    return found, broken


def _next(text: str, start: int) -> int:
    found = [at for bracket in "[{" if (at := text.find(bracket, start)) >= 0]
    return min(found, default=-1)


def _value(text: str, at: int) -> tuple[Any, int]:
    """The value that begins at `at`, and where it ends; -1 where none does."""
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(text, at)
        return value, end
    except (ValueError, RecursionError):
        pass
    if (flat := _FLAT.match(text, at)) is None:
        return None, -1
    try:
        return ast.literal_eval(flat[0]), flat.end()  # as Python writes it: single quotes, a comma at the end
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None, -1


def _rows(value: Any, depth: int = 0) -> Iterator[Row]:
    if depth > _DEPTH:
        return
    if isinstance(value, dict):
        parts = [_part(value, keys) for keys in _KEYS]
        if all(parts):
            yield from _checked(*(part[0] for part in parts[:2]), *parts[2])
        else:
            for each in value.values():
                yield from _rows(each, depth + 1)
    elif isinstance(value, list | tuple):
        if len(value) == 3 and all(isinstance(each, str) for each in value):
            yield from _checked(*value)
        else:
            for each in value:
                yield from _rows(each, depth + 1)


def _part(value: dict[Any, Any], keys: frozenset[str]) -> list[str]:
    """What stands under one of these keys: one text, or several for a list."""
    for key, under in value.items():
        if isinstance(key, str) and key.lower() in keys:
            listed = under if isinstance(under, list) else [under]
            texts = [_text(each.get("name", each.get("id")) if isinstance(each, dict) else each) for each in listed]
            return texts if texts and all(texts) else []
    return []


def _text(value: object) -> str:
    if isinstance(value, bool):
        return ""
    return str(value) if isinstance(value, str | int | float) else ""


def _checked(subject: str, predicate: str, *objects: str) -> Iterator[Row]:
    for each in objects:
        row = (" ".join(subject.split()), " ".join(predicate.split()), " ".join(each.split()))
        if not any(part.lower().strip("<>{}") in _PLACEHOLDERS for part in row):
            yield row


def _written_out(text: str) -> Iterator[Row]:
    """Triplets that are no JSON: *(Anna, lives in, Lisbon)*, or *Anna | lives in | Lisbon*, one a line."""
    for pattern in (_IN_PARENTHESES, _BETWEEN_BARS):
        for found in pattern.finditer(text):
            yield from _checked(*found.groups())


def _says_none(values: list[Any], text: str) -> bool:
    """Does the reply say that there is no fact?"""
    return (bool(values) and not any(map(_filled, values))) or text.lower().strip(" .\"'") in (
        "none",
        "no facts",
        "null",
    )


def _filled(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_filled, value.values()))
    return any(map(_filled, value)) if isinstance(value, list) else value not in ("", None)
