"""LongMemEval (Wu et al., 2024): questions on many sessions between a user and an assistant.

Sessions are the documents: one counts as recalled where any of its turns is. Of interest: any@5 and all@5.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from tests.benchmarks.dialogue import Asked, Said, Tally, baseline, load, moment, replay, report


def main(path: Path, plot: Path | None) -> None:
    """Measure every question in the file at `path`; each brings its own history."""
    rows: dict[str, Tally] = defaultdict(Tally)
    other = Tally()
    for number, row in enumerate(load(path), 1):
        said = turns(row)
        asked = Asked(row["question"], frozenset(row["answer_session_ids"]), row["question_type"])
        if row["question_id"].endswith("_abs") or not asked.evidence:
            continue
        for category, tally in replay(said, [asked], f"question {number}").items():
            rows[category].join(tally)
        other.add(list(dict.fromkeys(baseline(said)(asked.text))), asked.evidence)
    report(rows, other, plot, "LongMemEval, by session")


def turns(row: dict) -> list[Said]:
    """The turns of a question's history, each with its session's id for its own."""
    dated = zip(row["haystack_session_ids"], row["haystack_dates"], row["haystack_sessions"], strict=True)
    return [
        Said(session, turn["role"], turn["content"], moment(date), session)
        for session, date, said in dated
        for turn in said
    ]
