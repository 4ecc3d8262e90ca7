"""The gate on its gold set: at most one message in fifty errs, either way."""

from __future__ import annotations

from tests.recall.measure import decisions


def test_hardly_any_message_gets_memory_without_need_or_lacks_it() -> None:
    rows = list(decisions())
    wanted = [decided.open for row, decided in rows if row["memory"]]
    unwanted = [decided.open for row, decided in rows if not row["memory"]]
    assert len(wanted) >= 120 and len(unwanted) >= 120
    assert wanted.count(False) / len(wanted) <= 0.02
    assert unwanted.count(True) / len(unwanted) <= 0.02
    assert all(decided.reason for _, decided in rows)
