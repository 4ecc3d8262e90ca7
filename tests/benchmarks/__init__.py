"""What is measured, and how: recall on dialogues, the gate, and speed as ratios within one run."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path


def run(kind: str, path: Path, plot: Path | None) -> None:
    """Run the benchmark `kind` on `path`: print a table, and draw it where `plot` says."""
    import_module(f"tests.benchmarks.{kind}").main(path, plot)
