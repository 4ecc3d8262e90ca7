"""How often the gate errs: `python -m tests.recall.measure [FILE]`.

A row of FILE holds what memory knows, a message, and whether the message needs memory.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from memary_core.gate import gate
from memary_core.identity import Identities
from memary_core.models import Entity, Gate, Kind
from memary_core.naming import meant

GOLD = Path(__file__).with_name("gate_gold.jsonl")


def decisions(path: Path = GOLD) -> Iterator[tuple[dict, Gate]]:
    """Each row, with what the gate decides."""
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        identities = Identities(Entity("you", "You", Kind.SELF))
        for number, name in enumerate(row["known"]):
            aliases = tuple(other for other, of in row.get("aliases", {}).items() if of == name)
            identities.add(Entity(str(number), name, aliases=aliases))
        yield row, gate(row["text"], [each.name for each in meant(row["text"], identities)])


def main(path: Path) -> None:
    """Print both error rates, and each error."""
    missed, injected, wanted, unwanted = 0, 0, 0, 0
    for row, decided in decisions(path):
        wanted += row["memory"]
        unwanted += not row["memory"]
        if decided.open is row["memory"]:
            continue
        missed += row["memory"]
        injected += not row["memory"]
        print("missed  " if row["memory"] else "injected", row["text"], row["known"], f"[{decided.reason}]")
    needless = f"injected {injected} of {unwanted} ({injected / unwanted:.1%})"
    print(f"missed {missed} of {wanted} ({missed / wanted:.1%}), {needless}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else GOLD)
