from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memary_core.errors import ScopeError, StoreBusy, StoreDamaged, StoreError, StoreTooNew
from memary_core.files import ScopeLock
from memary_core.log import Damage, Log, Position


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return make(tmp_path)


def make(folder: Path, scope: str = "alice") -> Log:
    return Log(folder / "stream.jsonl", "stream", scope, ScopeLock(folder / "lock", 5.0))


def events(log: Log, after: Position | None = None) -> list[tuple[int, object]]:
    return [(entry.seq, entry.event.get("n")) for entry in log.read(after or Position())]


def add_raw(log: Log, raw: bytes) -> None:
    with log.path.open("ab") as file:
        file.write(raw)


def test_what_was_appended_is_read_back_in_order(log: Log) -> None:
    assert log.append([{"n": 1}, {"n": 2}]) == [1, 2]
    assert log.append([{"n": 3}]) == [3]
    assert events(log) == [(1, 1), (2, 2), (3, 3)]


def test_a_reader_follows_from_where_it_stood(log: Log) -> None:
    log.append([{"n": 1}])
    [entry] = log.read()
    assert not log.changed_since(entry.after)
    make(log.path.parent).append([{"n": 2}])
    assert log.changed_since(entry.after)
    assert events(log, entry.after) == [(2, 2)]


def test_a_line_of_another_program_gets_the_next_seq(log: Log) -> None:
    log.append([{"n": 1}])
    add_raw(log, b'{"n": 2}\n{"n": 3}')
    assert events(log) == [(1, 1), (2, 2), (3, 3)]
    assert log.append([{"n": 4}]) == [4]
    assert events(log) == [(1, 1), (2, 2), (3, 3), (4, 4)]


def test_a_log_that_another_program_began_is_read_and_continued(log: Log) -> None:
    log.path.write_text('{"n": 1}\n')
    assert events(log) == [(1, 1)]
    assert log.append([{"n": 2}]) == [2]
    assert events(log) == [(1, 1), (2, 2)]


def test_an_unfinished_last_line_is_left_by_readers_and_set_aside_by_the_next_writer(log: Log) -> None:
    log.append([{"n": 1}])
    add_raw(log, b'{"n": 2, "te')
    assert events(log) == [(1, 1)]
    assert log.append([{"n": 3}]) == [2]
    assert events(log) == [(1, 1), (2, 3)]
    [aside] = log.path.parent.glob("*.damaged-*")
    assert b'line 3 (is no JSON object): {"n": 2, "te' in aside.read_bytes()


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"not json\n", "is no JSON object"),
        (b"[1, 2]\n", "is no JSON object"),
        (b"\xff\xfe broken\n", "is no JSON object"),
        (b"\0" * 64 + b"\n", "is no JSON object"),
        (b'{"seq": "7"}\n', "has a seq that is no whole number"),
        (b'{"seq": true}\n', "has a seq that is no whole number"),
        (b'{"seq": 1, "n": 9}\n', "repeats a seq"),
        (b"[" * 100_000 + b"\n", "is no JSON object"),
    ],
    ids=["text", "array", "encoding", "zeros", "seq text", "seq bool", "repeated", "deep"],
)
def test_a_damaged_line_is_noted_with_its_number_and_the_rest_is_read(log: Log, raw: bytes, reason: str) -> None:
    log.append([{"n": 1}])
    add_raw(log, raw + b'{"n": 2}\n')
    damage: list[Damage] = []
    assert [entry.event.get("n") for entry in log.read(damage=damage)] == [1, 2]
    assert [(each.line, each.reason) for each in damage] == [(3, reason)]


def test_blank_lines_a_byte_order_mark_and_crlf_do_no_harm(log: Log) -> None:
    log.path.write_bytes(b'\xef\xbb\xbf{"n": 1}\r\n\r\n{"n": 2}\r\n')
    damage: list[Damage] = []
    assert [entry.event["n"] for entry in log.read(damage=damage)] == [1, 2]
    assert damage == []


def test_setting_damage_aside_keeps_the_rest_and_starts_a_new_generation(log: Log) -> None:
    log.append([{"n": 1}])
    add_raw(log, b"broken\n")
    log.append([{"n": 2}])
    before = log.generation()
    damage: list[Damage] = []
    list(log.read(damage=damage))
    path = log.set_aside(damage)
    assert b"line 3 (is no JSON object): broken" in path.read_bytes()
    assert events(log) == [(1, 1), (2, 2)]
    assert log.generation() != before
    assert log.append([{"n": 3}]) == [3]


def test_a_rewrite_keeps_seqs_and_home_and_sends_readers_back_to_the_start(log: Log) -> None:
    log.append([{"n": 1}, {"n": 2}, {"n": 3}])
    home, last = log.home(), list(log.read())[-1].after
    log.rewrite(lambda entry: None if entry.event["n"] == 2 else entry.event)
    assert events(log, last) == [(1, 1), (3, 3)]
    assert log.home() == home and log.compacted_through() == 3
    assert log.append([{"n": 4}]) == [4]


def test_another_scopes_log_is_refused(log: Log) -> None:
    log.append([{"n": 1}])
    other = make(log.path.parent, scope="bob")
    with pytest.raises(ScopeError, match="another scope"):
        list(other.read())
    with pytest.raises(ScopeError):
        other.append([{"n": 2}])
    assert events(log) == [(1, 1)]


def test_a_newer_format_is_refused_and_left_untouched(log: Log) -> None:
    log.path.write_text('{"format": "memary stream", "version": 99}\n{"n": 1}\n')
    before = log.path.read_bytes()
    with pytest.raises(StoreTooNew, match="newer"):
        list(log.read())
    with pytest.raises(StoreTooNew):
        log.append([{"n": 2}])
    assert log.path.read_bytes() == before


def test_a_folder_in_the_place_of_the_log_is_an_error_of_ours(log: Log) -> None:
    log.path.mkdir()
    with pytest.raises(StoreDamaged, match="cannot be read"):
        list(log.read())


def test_the_log_is_for_this_user_only(log: Log) -> None:
    log.append([{"n": 1}])
    assert log.path.stat().st_mode & 0o077 == 0


def test_another_writer_that_keeps_the_lock_is_an_error_not_a_hang(tmp_path: Path) -> None:
    mine = Log(tmp_path / "stream.jsonl", "stream", "alice", ScopeLock(tmp_path / "lock", 0.2))
    with make(tmp_path).lock.held(), pytest.raises(StoreBusy, match="nothing was stored"):
        mine.append([{"n": 1}])
    assert mine.append([{"n": 1}]) == [1]


@pytest.mark.skipif(sys.platform == "win32", reason="no RLIMIT_FSIZE")
def test_a_full_disk_loses_nothing_that_was_stored(tmp_path: Path) -> None:
    code = textwrap.dedent(
        """
        import resource, signal, sys
        from pathlib import Path
        from tests.test_log import make
        from memary_core.errors import StoreError
        log = make(Path(sys.argv[1]))
        log.append([{"n": 1}])
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        size = log.path.stat().st_size
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 40, hard))
        try:
            log.append([{"n": 2, "text": "x" * 500}])
        except StoreError as error:
            print(error)
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        log.append([{"n": 3}])
        print([entry.event["n"] for entry in log.read()])
        """
    )
    root = Path(__file__).parent.parent
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=root,
        check=True,
        env=os.environ,
    )
    assert "this change was not stored" in run.stdout
    assert run.stdout.rstrip().endswith("[1, 3]")


def test_many_processes_append_without_losing_or_repeating_a_seq(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from tests.test_log import make\n"
        "log = make(Path(sys.argv[1]))\n"
        "for n in range(60): log.append([{'n': n}, {'n': n}])\n"
    )
    root = Path(__file__).parent.parent
    runs = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], cwd=root) for _ in range(4)]
    assert [run.wait() for run in runs] == [0] * 4
    assert [seq for seq, _ in events(make(tmp_path))] == list(range(1, 481))


def test_an_event_that_is_no_json_is_refused_before_anything_is_written(log: Log) -> None:
    log.append([{"n": 1}])
    with pytest.raises(TypeError):
        log.append([{"n": 2}, {"n": object()}])
    assert events(log) == [(1, 1)]


@given(st.binary(max_size=300))
def test_no_content_breaks_reading_or_appending(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    log = make(tmp_path_factory.mktemp("fuzz"))
    log.path.write_bytes(raw)
    try:
        before = [entry.event for entry in log.read()]
        log.append([{"n": "new"}])
    except StoreError:
        return
    assert [entry.event for entry in log.read()][-1]["n"] == "new"
    assert len(list(log.read())) == len(before) + 1


def test_a_line_is_one_json_object(log: Log) -> None:
    log.append([{"n": "a\nb", "name": "東京"}])
    line = log.path.read_text("utf-8").splitlines()[1]
    assert json.loads(line) == {"seq": 1, "n": "a\nb", "name": "東京"}
    assert "東京" in line
