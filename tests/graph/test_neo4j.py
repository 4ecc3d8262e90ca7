"""Neo4j's own part: what its troubles are called. The contract is tested on it too, where NEO4J_URL names a server."""

from __future__ import annotations

import socket

import pytest

from memary_core.errors import GraphError, GraphUnavailable
from memary_core.graph.base import FactFilter
from memary_core.graph.neo4j import Neo4jGraph
from tests.conftest import missing
from tests.graph.conftest import NEO4J
from tests.graph.samples import ANNA, EVERYONE, fact

pytest.importorskip("neo4j")
SECRET = "s3cret-pa55"


def server() -> str:
    if NEO4J["NEO4J_URL"] is None:
        missing("neo4j", "NEO4J_URL names no server for the tests.")
    return str(NEO4J["NEO4J_URL"])


def test_an_unreachable_server_is_unavailable_and_the_password_unsaid() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        graph = Neo4jGraph(f"bolt://127.0.0.1:{port}", "neo4j", SECRET, "alice", "here")
        acts = (
            graph.open,
            graph.applied_seq,
            graph.totals,
            graph.clear,
            lambda: graph.facts(FactFilter()),
            lambda: graph.entities([ANNA.id]),
            lambda: graph.write([fact("1")], EVERYONE, 1),
            lambda: graph.remove(["fact 1"], (), 1),
            lambda: graph.reach([ANNA.id], 2, trusts=(), at=None, current=True),
        )
        for act in acts:
            with pytest.raises(GraphUnavailable, match=rf"bolt://127\.0\.0\.1:{port} cannot be reached") as raised:
                act()
            assert SECRET not in str(raised.value)
            assert "go on without it" in str(raised.value)
        graph.close()
        graph.close()


@pytest.mark.parametrize("url", ["redis://localhost", "localhost:7687", "", "bolt://h:port", f"bolt://u:{SECRET}@h"])
def test_an_odd_url_says_what_urls_look_like(url: str) -> None:
    with pytest.raises(GraphError, match="starts with neo4j://") as raised:
        Neo4jGraph(url, "neo4j", None, "alice", "here").open()
    assert SECRET not in str(raised.value)


def test_a_wrong_password_is_unavailable() -> None:
    with pytest.raises(GraphUnavailable, match=r"does not let this user in.*NEO4J_PW") as raised:
        Neo4jGraph(server(), "neo4j", SECRET, "alice", "here").open()
    assert SECRET not in str(raised.value)


def test_a_database_that_is_not_there_is_named_so() -> None:
    graph = Neo4jGraph(
        server(), NEO4J["NEO4J_USER"] or "neo4j", NEO4J["NEO4J_PW"], "alice", "here", database="nosuchdatabase"
    )
    with pytest.raises(GraphError, match="NEO4J_DATABASE"):
        graph.open()


def test_a_query_that_takes_too_long_is_given_up() -> None:
    graph = Neo4jGraph(server(), NEO4J["NEO4J_USER"] or "neo4j", NEO4J["NEO4J_PW"], "alice", "here", timeout=20.0)
    graph.applied_seq()
    graph._timeout = 0.1
    with pytest.raises(GraphUnavailable, match="did not answer in time"):
        graph._ask("UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y RETURN sum(x * y), $scope")
    graph.close()
