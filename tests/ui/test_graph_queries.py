"""The Cypher behind a drawing, as shown."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from memary_core.graph.heard import Asked, note, overhear
from memary_core.memory import Memory
from memary_core.ui.graph_queries import readable


def test_a_query_is_shown_a_clause_a_line_and_once() -> None:
    query = "UNWIND $ids AS x MATCH (a {id: x}) OPTIONAL MATCH (a)--(b) WHERE b.scope = $scope RETURN b LIMIT $most"
    shown = readable([Asked(query, {"most": 1}), Asked(query, {"most": 2})])
    assert shown == [
        (
            "UNWIND $ids AS x\nMATCH (a {id: x})\nOPTIONAL MATCH (a)--(b)\n"
            "WHERE b.scope = $scope\nRETURN b\nLIMIT $most",
            '{\n "most": 1\n}',
        )
    ]


def test_long_lists_are_cut_and_values_stay_data() -> None:
    ((_, parameters),) = readable([Asked("RETURN $ids", {"ids": list("abcdefgh"), "name": "'}) DETACH DELETE (n)//"})])
    assert json.loads(parameters) == {
        "ids": [*"abcde", "… and 3 more"],
        "name": "'}) DETACH DELETE (n)//",
    }


def test_only_what_is_asked_while_listening_is_heard() -> None:
    note("before", {})
    with overhear() as heard:
        note("RETURN 1", {"a": 1})
    note("after", {})
    assert heard == [Asked("RETURN 1", {"a": 1})]


@pytest.mark.falkordb
def test_a_neighbourhood_is_overheard_with_its_parameters(open_full: Callable[..., Memory]) -> None:
    memory = open_full()
    memory.add_fact("Anna", "lives in", "Porto")
    with overhear() as heard:
        memory.neighbourhood(["Anna"])
    assert any("MEMARY_FACT" in each.query for each in heard)
    assert all(each.parameters["scope"] for each in heard)
    assert all("Anna" not in each.query and "Porto" not in each.query for each in heard)
