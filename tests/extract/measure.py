"""Precision and recall of the rules on a gold file: `python -m tests.extract.measure [FILE] [--write]`.

A line of a gold file is {"text", "facts": [[subject, predicate, object], ...], "names": [...]}; "names" may be left
out where a message has no settled list. Subjects and objects are compared by casefold without articles and
possessives, predicates by casefold without articles.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from memary_core.extract.phrasing import shown
from memary_core.extract.rules import RuleExtractor
from memary_core.models import Extraction, Kind, Triplet

GOLD = Path(__file__).with_name("gold.jsonl")
PRECISION = Path(__file__).parents[2] / "memary_core" / "extract" / "precision.json"
FEWEST = 5
Key = tuple[str, str, str]


def thing(text: str, subject: str = "") -> str:
    """A subject or object as it is compared."""
    low = " ".join(text.casefold().replace("’", "'").split()).strip(" .,;!")
    if subject and low.startswith(f"{subject}'s "):
        low = low.removeprefix(f"{subject}'s ")
    return re.sub(r"^(?:(?:a|an|the|my|our|your|his|her|their|its)\s+)+", "", low)


def key(fact: Iterable[str]) -> Key:
    """A fact as it is compared."""
    subject, predicate, obj = fact
    words = [word for word in predicate.casefold().split() if word not in {"a", "an", "the"}]
    return thing(subject), " ".join(words), thing(obj, thing(subject))


def triple(found: Triplet) -> Key:
    """A triplet as it is compared."""
    return key((shown(found.subject), found.predicate, shown(found.object)))


@dataclass
class Score:
    """Counts over one gold file."""

    right: int = 0
    found: int = 0
    wanted: int = 0
    names_right: int = 0
    names_found: int = 0
    names_wanted: int = 0
    by_rule: Counter[str] = field(default_factory=Counter)
    right_by_rule: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.wanted if self.wanted else 1.0

    @property
    def names_precision(self) -> float:
        return self.names_right / self.names_found if self.names_found else 1.0

    @property
    def names_recall(self) -> float:
        return self.names_right / self.names_wanted if self.names_wanted else 1.0


def measure(path: Path = GOLD, read: Callable[[str], Extraction] | None = None) -> Score:
    """Run `read` (the rules) over a gold file."""
    read = read or RuleExtractor()
    score = Score()
    for line in path.read_text("utf-8").splitlines():
        if line.strip():
            _add(score, json.loads(line), read)
    return score


def _add(score: Score, gold: dict[str, object], read: Callable[[str], Extraction]) -> None:
    text, facts, names = str(gold["text"]), gold["facts"], gold.get("names")
    assert isinstance(facts, list)
    extraction = read(text)
    wanted = {key(fact) for fact in facts}
    found = {triple(each): each for each in extraction.triplets}
    score.wanted += len(wanted)
    score.found += len(found)
    for each, triplet in found.items():
        score.by_rule[triplet.rule] += 1
        if each in wanted:
            score.right += 1
            score.right_by_rule[triplet.rule] += 1
        else:
            score.errors.append(f"wrong   {each}  [{triplet.rule}]  in: {text}")
    score.errors += [f"missed  {each}  in: {text}" for each in sorted(wanted - set(found))]
    if isinstance(names, list):
        want = {thing(name) for name in names}
        have = {thing(name.text) for name in extraction.names if name.kind is not Kind.VALUE}
        score.names_wanted += len(want)
        score.names_found += len(have)
        score.names_right += len(want & have)
        if want != have:
            score.errors.append(f"names   missed {sorted(want - have)} wrong {sorted(have - want)}  in: {text}")


def smoothed(score: Score) -> dict[str, float]:
    """Precision per rule, Laplace-smoothed; 0.5 for rules seen fewer than `FEWEST` times."""
    return {
        rule: round((score.right_by_rule[rule] + 1) / (count + 2), 3) if count >= FEWEST else 0.5
        for rule, count in sorted(score.by_rule.items())
    }


def main() -> None:
    """Print the figures; with --write, store them for the rules to use."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=GOLD)
    parser.add_argument("--write", action="store_true", help=f"write {PRECISION.name}")
    given = parser.parse_args()
    score = measure(given.file)
    print("\n".join(score.errors))
    for rule, count in score.by_rule.most_common():
        print(f"{rule:20} {score.right_by_rule[rule]:4} of {count:4}")
    print(f"facts  precision {score.precision:.3f}  recall {score.recall:.3f}  ({score.right} right,")
    print(f"       {score.found} found, {score.wanted} wanted)")
    print(f"names  precision {score.names_precision:.3f}  recall {score.names_recall:.3f}")
    if given.write:
        PRECISION.write_text(json.dumps(smoothed(score), indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
