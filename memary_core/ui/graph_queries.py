"""The Cypher behind a drawing, as a person reads it. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from memary_core.graph.heard import Asked

LISTED = 5
"""Items of a list parameter that are written out."""

_CLAUSE = re.compile(r"\s+(?=(?:OPTIONAL MATCH|(?<!OPTIONAL )MATCH|WHERE|WITH|RETURN|ORDER BY|LIMIT|UNWIND)\b)")


def readable(asked: Iterable[Asked]) -> list[tuple[str, str]]:
    """Each different query once, a clause a line, with the parameters of its first use as JSON.

    Queries hold no values of ours: those are in the parameters, where they are shown as data.
    """
    first: dict[str, Mapping[str, Any]] = {}
    for each in asked:
        first.setdefault(each.query, each.parameters)
    return [(_CLAUSE.sub("\n", query), _json(values)) for query, values in first.items()]


def _json(parameters: Mapping[str, Any]) -> str:
    return json.dumps({name: _short(value) for name, value in parameters.items()}, ensure_ascii=False, indent=1)


def _short(value: Any) -> Any:
    if isinstance(value, (list, tuple)) and len(value) > LISTED:
        return [*value[:LISTED], f"… and {len(value) - LISTED:,} more"]
    return value
