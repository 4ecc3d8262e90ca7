"""Random graphs, asked random questions, against the same contract written down in a few lines of Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from memary_core.graph.base import FactFilter
from memary_core.graph.cypher import CypherGraph
from memary_core.models import Entity, Fact, Trust
from tests.graph.samples import days, fact, source

PEOPLE = [Entity(f"{number:032x}", f"Person {number}") for number in range(5)]
IDS = [each.id for each in PEOPLE]
PREDICATES = ["knows", "likes"]
TURNS = ["t0", "t1", "t2"]
MOMENTS = [days(number) for number in range(4)]


def some(values: list[str]) -> st.SearchStrategy[frozenset[str] | None]:
    return st.none() | st.frozensets(st.sampled_from(values), max_size=4)


@st.composite
def facts(draw: st.DrawFn) -> list[Fact]:
    made = []
    for number in range(draw(st.integers(0, 12))):
        subject, obj = draw(st.sampled_from(PEOPLE)), draw(st.sampled_from(PEOPLE))
        turns = draw(st.lists(st.sampled_from(TURNS), min_size=1, max_size=2, unique=True))
        made.append(
            fact(
                str(number),
                subject,
                draw(st.sampled_from(PREDICATES)),
                obj,
                trust=draw(st.sampled_from(Trust)),
                confidence=draw(st.sampled_from([0.3, 0.6])),
                recorded_at=draw(st.sampled_from(MOMENTS)),
                valid_from=draw(st.none() | st.sampled_from(MOMENTS)),
                valid_to=draw(st.none() | st.sampled_from(MOMENTS)),
                sources=tuple(source(f"{number} {turn}", turn=turn) for turn in turns),
            )
        )
    return made


FILTERS = st.builds(
    FactFilter,
    ids=some([f"fact {number}" for number in range(14)]),
    subjects=some(IDS),
    predicates=some(PREDICATES),
    objects=some(IDS),
    touching=some(IDS),
    turns=some(TURNS),
    within=some(IDS),
    trusts=st.none() | st.frozensets(st.sampled_from(Trust)),
    at=st.none() | st.sampled_from(MOMENTS),
    known_at=st.none() | st.sampled_from(MOMENTS),
    current=st.booleans(),
    limit=st.none() | st.integers(0, 6),
)


def valid(each: Fact, at: datetime | None, current: bool) -> bool:
    if current and each.valid_to is not None:
        return False
    if at is None:
        return True
    return (each.valid_from is None or each.valid_from <= at) and (each.valid_to is None or at < each.valid_to)


def expected(known: list[Fact], wanted: FactFilter) -> list[Fact]:
    def matches(each: Fact) -> bool:
        ends = {each.subject_id, each.object_id}
        return (
            (wanted.ids is None or each.id in wanted.ids)
            and (wanted.subjects is None or each.subject_id in wanted.subjects)
            and (wanted.predicates is None or each.predicate in wanted.predicates)
            and (wanted.objects is None or each.object_id in wanted.objects)
            and (wanted.touching is None or bool(ends & set(wanted.touching)))
            and (wanted.within is None or ends <= set(wanted.within))
            and (wanted.turns is None or bool({one.turn for one in each.sources} & set(wanted.turns)))
            and (wanted.trusts is None or each.trust in wanted.trusts)
            and (wanted.known_at is None or each.recorded_at <= wanted.known_at)
            and valid(each, wanted.at, wanted.current)
        )

    found = sorted(filter(matches, known), key=lambda each: (-each.confidence, -each.recorded_at.timestamp(), each.id))
    return found[: wanted.limit]


def distances(known: list[Fact], start: frozenset[str], hops: int) -> dict[str, int]:
    found = dict.fromkeys(start, 0)
    for hop in range(1, hops + 1):
        for each in known:
            for one, other in ((each.subject_id, each.object_id), (each.object_id, each.subject_id)):
                if found.get(one) == hop - 1:
                    found.setdefault(other, hop)
    return found


@settings(max_examples=60)
@given(known=facts(), questions=st.lists(FILTERS, min_size=6, max_size=6))
def test_a_graph_answers_as_the_contract_says(
    make_graph: Callable[..., CypherGraph], known: list[Fact], questions: list[FactFilter]
) -> None:
    graph = make_graph("random")
    graph.clear()
    graph.open()
    graph.write(known, PEOPLE, 1)
    for wanted in (FactFilter(), *questions):
        assert graph.facts(wanted) == expected(known, wanted), wanted
        if not wanted.touching:
            continue
        trusts = list(Trust) if wanted.trusts is None else wanted.trusts
        passable = [each for each in known if each.trust in trusts and valid(each, wanted.at, wanted.current)]
        for hops in (1, 2, 3):
            reached = graph.reach(wanted.touching, hops, trusts=trusts, at=wanted.at, current=wanted.current)
            assert reached == distances(passable, frozenset(wanted.touching), hops)


@settings(max_examples=40)
@given(first=facts(), second=facts(), removed=st.frozensets(st.sampled_from(IDS), max_size=2))
def test_whatever_was_written_before_only_the_last_counts(
    make_graph: Callable[..., CypherGraph], first: list[Fact], second: list[Fact], removed: frozenset[str]
) -> None:
    graph = make_graph("random")
    graph.clear()
    graph.open()
    graph.write(first, PEOPLE, 1)
    graph.write(second, PEOPLE, 2)
    known = list(({each.id: each for each in first} | {each.id: each for each in second}).values())
    assert graph.facts(FactFilter()) == expected(known, FactFilter())
    assert graph.totals().sources == len({one.id for each in known for one in each.sources})
    gone = [each.id for each in known if int(each.id.split()[1]) % 3 == 0]
    graph.remove(gone, removed, 3)
    left = [each for each in known if each.id not in gone and not removed & {each.subject_id, each.object_id}]
    assert graph.facts(FactFilter()) == expected(left, FactFilter())
    assert graph.totals().sources == len({one.id for each in left for one in each.sources})
    assert {each.id for each in graph.entities(IDS)} == set(IDS) - removed


@settings(max_examples=60)
@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30))
def test_text_comes_back_as_it_was(make_graph: Callable[..., CypherGraph], text: str) -> None:
    graph = make_graph("texts")
    graph.open()
    thing = replace(PEOPLE[0], name=text, aliases=(text,))
    written = replace(fact("1", thing, text, PEOPLE[1], sources=(source("1", quote=text),)), subject=text)
    graph.write([written], [thing, PEOPLE[1]], 1)
    assert graph.facts(FactFilter(predicates=[text])) == [written]
    assert graph.entities([thing.id]) == [thing]
