"""What the Review page shows of a fact: where it came from, what it stands against, and its place in the list. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memary_core.models import Fact, Source, Trust
from memary_core.ui.show import literal, origin

PAGE = 10
"""Cards on one page."""

_QUOTE = 400


@dataclass(frozen=True, slots=True)
class Evidence:
    """One source in words, literal in Markdown: what was said, by whom and when, and where it was found."""

    quote: str
    origin: str
    url: str = ""


def newest(facts: Iterable[Fact]) -> list[Fact]:
    """What was recorded last comes first; of the same moment, the surest."""
    return sorted(facts, key=lambda each: (each.recorded_at, each.confidence, each.id), reverse=True)


def fitting(facts: Iterable[Fact], part: str) -> list[Fact]:
    """The facts that hold `part`, in any case, in the triplet or in a quote."""
    wanted = " ".join(part.split()).casefold()
    return [each for each in facts if wanted in _words(each)]


def labels(counts: Mapping[str, int]) -> list[str]:
    """The tabs' labels: *Candidates (1,204)*."""
    return [f"{name} ({count:,})" for name, count in counts.items()]


def still_open(before: str, now: Sequence[str]) -> str:
    """The label that the open tab has now, when its count has changed; the first for a tab that is none."""
    name = before.rpartition(" (")[0]
    return next((each for each in now if each.rpartition(" (")[0] == name), now[0])


def page_of(facts: Sequence[Fact], number: int, size: int = PAGE) -> tuple[Sequence[Fact], int]:
    """The facts of page `number` (from 1), and how many pages there are, at least 1.

    A number beyond the last page gives the last one: the list shrinks as it is worked through.
    """
    pages = max(1, -(-len(facts) // size))
    start = (min(max(1, number), pages) - 1) * size
    return facts[start : start + size], pages


def opposed(fact: Fact, believed: Iterable[Fact]) -> list[Fact]:
    """Of the facts believed: those now held of the same subject and predicate with another object."""
    return [
        each
        for each in believed
        if each.trust is Trust.ACCEPTED
        and each.valid_to is None
        and each.subject_id == fact.subject_id
        and each.predicate.casefold() == fact.predicate.casefold()
        and each.object_id != fact.object_id
    ]


def evidence(fact: Fact) -> list[Evidence]:
    """Its sources, the latest first, each quote once."""
    known: dict[tuple[str, str, str], Evidence] = {}
    for source in sorted(fact.sources, key=_when, reverse=True):
        shown = Evidence(_quoted(source), origin(source) + _read_by(source), literal(source.url or "", 200))
        known.setdefault((shown.quote, shown.origin, shown.url), shown)
    return list(known.values())


def _words(fact: Fact) -> str:
    parts = (fact.subject, fact.predicate, fact.object, *(each.quote for each in fact.sources))
    return " ".join(" ".join(parts).split()).casefold()


def _quoted(source: Source) -> str:
    return f"“{literal(source.quote, _QUOTE)}”" if source.quote.strip() else ""


def _read_by(source: Source) -> str:
    """Who read it, where that is neither the rules nor a person, and what was asked."""
    parts = []
    if source.extractor not in ("rules", "person", source.name or ""):
        parts.append(f"read by {literal(source.extractor, 60)}")
    if source.query:
        parts.append(f"asked “{literal(source.query, 80)}”")
    return "".join(f" · {each}" for each in parts)


def _when(source: Source) -> float:
    return source.at.timestamp() if source.at else 0.0
