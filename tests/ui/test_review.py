from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memary_core.models import Fact, Source, SourceKind, Trust
from memary_core.ui import review

NOW = datetime(2026, 5, 10, 12, tzinfo=UTC)
SAID = Source(SourceKind.SPEAKER, "rules", at=NOW, quote="I moved to Porto.", speaker="Anna")


def fact(number: int, obj: str = "Porto", trust: Trust = Trust.CANDIDATE, **changes: object) -> Fact:
    made = Fact(
        id=str(number),
        subject="Anna",
        predicate="lives in",
        object=obj,
        subject_id="anna",
        object_id=obj.lower(),
        trust=trust,
        confidence=0.5,
        sources=(SAID,),
        recorded_at=NOW + timedelta(minutes=number),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def test_the_newest_comes_first_and_then_the_surest() -> None:
    facts = [fact(1), fact(3), fact(2), fact(4, confidence=0.9, recorded_at=NOW + timedelta(minutes=3))]
    assert [each.id for each in review.newest(facts)] == ["4", "3", "2", "1"]


@pytest.mark.parametrize(
    ("number", "first", "last"), [(1, "0", "9"), (3, "20", "24"), (9, "20", "24"), (0, "0", "9"), (-2, "0", "9")]
)
def test_pages(number: int, first: str, last: str) -> None:
    shown, pages = review.page_of([fact(i) for i in range(25)], number)
    assert (shown[0].id, shown[-1].id, pages) == (first, last, 3)


def test_no_facts_are_one_empty_page() -> None:
    assert review.page_of([], 4) == ([], 1)


def test_the_open_tab_stays_open_while_its_count_changes() -> None:
    now = review.labels({"Candidates": 1_204, "Rejected": 0})
    assert now == ["Candidates (1,204)", "Rejected (0)"]
    assert review.still_open("Rejected (2)", now) == "Rejected (0)"
    assert review.still_open("History (7)", now) == "Candidates (1,204)"


def test_what_a_fact_stands_against() -> None:
    lisbon = fact(2, "Lisbon", Trust.ACCEPTED)
    others = [
        lisbon,
        fact(3, "Oslo"),
        fact(4, "Rome", Trust.REJECTED),
        fact(5, "Paris", Trust.ACCEPTED, valid_to=NOW),
        fact(6, "Porto", Trust.ACCEPTED),
        fact(7, "Braga", Trust.ACCEPTED, predicate="works in"),
        fact(8, "Braga", Trust.ACCEPTED, subject_id="ben"),
        fact(9, "Bergen", Trust.ACCEPTED, predicate="Lives in"),
    ]
    assert [each.object for each in review.opposed(fact(1), others)] == ["Lisbon", "Bergen"]


def test_evidence_has_the_latest_source_first_and_each_only_once() -> None:
    older = replace(SAID, id="older", at=NOW - timedelta(days=2), quote="Porto, soon.")
    again = replace(SAID, id="again")
    found = review.evidence(fact(1, sources=(older, SAID, again)))
    assert [each.quote for each in found] == [r"“I moved to Porto\.”", r"“Porto, soon\.”"]
    assert found[0].origin.startswith("Anna said, ")


def test_a_tool_says_what_was_asked_and_where_it_was_found() -> None:
    source = Source.tool("search", query="where *is* Acme", url="https://example.invalid/a_b", quote="")
    [found] = review.evidence(fact(1, sources=(source,)))
    assert found == review.Evidence(
        "", r"found by search · asked “where \*is\* Acme”", r"https\://example\.invalid/a\_b"
    )


def test_a_model_that_read_it_is_named() -> None:
    source = Source(SourceKind.USER, "smol_lm", quote="Hi")
    [found] = review.evidence(fact(1, sources=(source,)))
    assert found.origin == r"you said · read by smol\_lm"


@pytest.mark.parametrize(
    ("part", "ids"), [("", "12"), ("PORTO", "12"), (" moved   to ", "12"), ("oslo", "2"), ("in porto", "1"), ("x", "")]
)
def test_searching_reads_triplets_and_quotes(part: str, ids: str) -> None:
    assert "".join(each.id for each in review.fitting([fact(1), fact(2, "Oslo")], part)) == ids
