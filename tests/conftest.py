"""What every test shares: an environment of its own, and how a missing part is treated."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from memary_core.memory import Memory
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
