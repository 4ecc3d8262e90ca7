"""The command line's words, and what each does."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from memary_core.errors import InvalidInput, MemaryError


def main(arguments: Sequence[str]) -> int:
    """Run one command; returns the exit code. Errors of ours are shown as their message."""
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        given.run(given)
    except MemaryError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m memary_core", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")
    bench = commands.add_parser("bench", help="measure recall, or the gate, on a data set of yours")
    kinds = bench.add_subparsers(required=True, metavar="what")
    for kind, wants in (("locomo", "folder or file"), ("longmemeval", "file"), ("gate", "file")):
        each = kinds.add_parser(kind, help=f"a {kind} {wants}")
        each.add_argument("path", type=Path)
        each.add_argument("--plot", type=Path, help="also draw the result, as this HTML file")
        each.set_defaults(run=_bench, kind=kind)
    return parser


def _bench(given: argparse.Namespace) -> None:
    try:
        from tests.benchmarks import run
    except ImportError as error:
        raise InvalidInput(
            f"The benchmarks are not here ({error}). Run this in a clone of the repository, with "
            "pip install -r tests/requirements.txt."
        ) from error
    if not given.path.exists():
        raise InvalidInput(f"There is nothing at {given.path}. Name a file or folder in the data set's own format.")
    run(given.kind, given.path, given.plot)
