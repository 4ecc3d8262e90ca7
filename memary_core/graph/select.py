"""A `FactFilter` as Cypher: where to start, so that an index is used, and what must hold. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from memary_core.graph.base import FactFilter
from memary_core.models import to_micros

# FalkorDB 4.16 looks a fact up in the relationship's index wherever a condition on an indexed property allows it,
# even between ends that are known: several times slower, and it then misses the facts that come in. So only `scope`
# and `id` are indexed there, and neither stands in a pattern with a known end: the scope is that of both ends. And
# `b` has no label, because it would be taken for the place to start from.
_FROM = "UNWIND $ids AS x MATCH (a:MemaryEntity {scope: $scope, id: x})"
_SAME = "WHERE b.scope = $scope"
_IN = f"{_FROM}<-[f:MEMARY_FACT]-(b) {_SAME}"
_OUT = f"{_FROM}-[f:MEMARY_FACT]->(b) {_SAME}"
STEP = f"{_FROM}-[f:MEMARY_FACT]-(b) {_SAME}"
"""From the entities `$ids`, over a fact `f` in either direction, to `b`."""
_BY_ID = "UNWIND $ids AS x MATCH ()-[f:MEMARY_FACT {scope: $scope, id: x}]->() WHERE f.id = x"
_ALL = "MATCH ()-[f:MEMARY_FACT]->() WHERE f.scope = $scope"


@dataclass(frozen=True, slots=True)
class Selection:
    """`match` binds the facts `f`; `values` are its parameters, besides `$ids`, which is
    `start` in batches. `start` None: the pattern reads the whole scope."""

    match: str
    values: dict[str, Any]
    start: Collection[str] | None


def select(wanted: FactFilter) -> Selection:
    """The facts that `wanted` means, `turns` aside, from the smallest set of ids that it names."""
    starts = {
        name: ids
        for name in ("ids", "objects", "subjects", "touching", "within")
        if (ids := getattr(wanted, name)) is not None
    }
    # An id names one fact, an entity's id any number of them.
    begin = "ids" if "ids" in starts else min(starts, key=lambda name: len(starts[name]), default="")
    tests = {
        "objects": "endNode(f).id IN $objects",
        "subjects": "startNode(f).id IN $subjects",
        "touching": "(startNode(f).id IN $touching OR endNode(f).id IN $touching)",
        "within": "startNode(f).id IN $within AND endNode(f).id IN $within",
    }
    told = [tests[name] for name in starts if name in tests and (name != begin or name == "within")]
    values = {name: list(ids) for name, ids in starts.items() if name in tests}
    more, given = conditions(wanted)
    pattern = {"ids": _BY_ID, "objects": _IN, "subjects": _OUT, "touching": STEP, "within": _OUT, "": _ALL}[begin]
    return Selection(" AND ".join([pattern, *told, *more]), values | given, set(starts[begin]) if begin else None)


def conditions(wanted: FactFilter) -> tuple[list[str], dict[str, Any]]:
    """What must hold of the fact `f` itself, and the parameters in it."""
    told: list[str] = []
    values: dict[str, Any] = {}
    if wanted.predicates is not None:
        told.append("f.predicate IN $predicates")
        values["predicates"] = list(wanted.predicates)
    if wanted.trusts is not None:
        told.append("f.trust IN $trusts")
        values["trusts"] = [each.value for each in wanted.trusts]
    if wanted.at is not None:
        told.append("(f.valid_from IS NULL OR f.valid_from <= $at) AND (f.valid_to IS NULL OR f.valid_to > $at)")
        values["at"] = to_micros(wanted.at)
    if wanted.known_at is not None:
        told.append("f.recorded_at <= $known_at")
        values["known_at"] = to_micros(wanted.known_at)
    if wanted.current:
        told.append("f.valid_to IS NULL")
    return told, values
