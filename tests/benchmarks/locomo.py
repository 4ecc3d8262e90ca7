"""LoCoMo (Maharana et al., ACL 2024): very long dialogues of two people, with questions on them.

Turn-level, categories 1 to 4 with evidence; captions are part of their turn. No model and no embedding.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from tests.benchmarks.dialogue import Asked, Said, Tally, baseline, load, replay, report, sessions

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}


def turns(conversation: dict) -> list[Said]:
    """The turns of one conversation."""
    return [
        Said(turn["dia_id"], turn["speaker"], _text(turn), at, key)
        for key, at, said in sessions(conversation)
        for turn in said
    ]


def questions(conversation: dict, known: frozenset[str]) -> list[Asked]:
    """Those that are to be answered, with the evidence that names a turn."""
    found = []
    for row in conversation["qa"]:
        evidence = frozenset(row.get("evidence") or ()) & known
        if row["category"] in CATEGORIES and evidence:
            found.append(Asked(row["question"], evidence, CATEGORIES[row["category"]]))
    return found


def main(path: Path, plot: Path | None) -> None:
    """Measure every conversation at `path`, print the table and draw it."""
    rows: dict[str, Tally] = defaultdict(Tally)
    other = Tally()
    for number, data in enumerate(load(path), 1):
        conversation = {**data, **data.get("conversation", {})}
        said = turns(conversation)
        asked = questions(conversation, frozenset(turn.id for turn in said))
        for category, tally in replay(said, asked, f"conversation {number}").items():
            rows[category].join(tally)
        ranked = baseline(said)
        for each in asked:
            other.add(ranked(each.text), each.evidence)
    report(rows, other, plot, "LoCoMo, by turn")


def _text(turn: dict) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} {caption}" if caption else str(turn["text"])
