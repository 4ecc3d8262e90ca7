"""The gate's errors on a file of messages; see `tests.recall`."""

from __future__ import annotations

from pathlib import Path

from tests.recall import measure


def main(path: Path, plot: Path | None) -> None:
    """Print missed and needless injections, and each of them."""
    del plot
    measure.main(path)
