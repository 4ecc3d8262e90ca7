"""What every graph promises: the docstrings of `memary_core.graph.base`, one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memary_core.errors import GraphError, GraphUnavailable, ScopeError
from memary_core.graph.base import FactFilter, GraphTotals
from memary_core.graph.cypher import FORMAT, CypherGraph
from memary_core.graph.heard import overhear
from memary_core.models import Entity, Fact, Kind, Precision, Source, SourceKind, Trust
from tests.graph.samples import ANNA, BOB, EVERYONE, LISBON, NOW, PORTO, days, fact, source
from tests.hostile import NAMES

ALL = FactFilter()
TRUSTS = tuple(Trust)


def ids(found: list[Fact]) -> list[str]:
    return [each.id.removeprefix("fact ") for each in found]


def sources_of(graph: CypherGraph) -> int:
    return graph.totals().sources


# --- open and applied_seq


def test_a_new_graph_is_empty(graph: CypherGraph) -> None:
    assert graph.applied_seq() == 0
    assert graph.facts(ALL) == []
    assert graph.entities([ANNA.id]) == []
    assert graph.totals() == GraphTotals()


def test_opening_again_changes_nothing(graph: CypherGraph, make_graph: Callable[..., CypherGraph]) -> None:
    graph.write([fact("1")], EVERYONE, 7)
    graph.open()
    again = make_graph()
    again.open()
    assert again.applied_seq() == 7
    assert ids(again.facts(ALL)) == ["1"]


def test_reading_before_opening_finds_nothing(make_graph: Callable[..., CypherGraph]) -> None:
    unopened = make_graph()
    assert unopened.applied_seq() == 0
    assert unopened.facts(ALL) == []
    assert unopened.totals() == GraphTotals()


def test_a_scope_has_one_home(graph: CypherGraph, make_graph: Callable[..., CypherGraph]) -> None:
    graph.write([fact("1")], EVERYONE, 1)
    with pytest.raises(ScopeError, match=r"'here'.*'elsewhere'.*Nothing was changed"):
        make_graph(home="elsewhere").open()
    assert ids(graph.facts(ALL)) == ["1"]


def test_after_clearing_another_home_may_claim_the_scope(
    graph: CypherGraph, make_graph: Callable[..., CypherGraph]
) -> None:
    graph.clear()
    moved = make_graph(home="elsewhere")
    moved.open()
    with pytest.raises(ScopeError):
        graph.open()


def test_a_graph_of_an_older_format_is_emptied(graph: CypherGraph) -> None:
    graph.write([fact("1")], EVERYONE, 5)
    graph._write("MATCH (s:MemaryScope {scope: $scope}) SET s.format = $format", format=FORMAT - 1)
    graph.open()
    assert graph.applied_seq() == 0
    assert graph.totals() == GraphTotals()


def test_a_graph_of_a_newer_format_is_left_alone(graph: CypherGraph) -> None:
    graph.write([fact("1")], EVERYONE, 5)
    graph._write("MATCH (s:MemaryScope {scope: $scope}) SET s.format = $format", format=FORMAT + 1)
    with pytest.raises(GraphError, match=f"format {FORMAT + 1}.*left as it is"):
        graph.open()
    assert ids(graph.facts(ALL)) == ["1"]


# --- write


def test_everything_comes_back_as_it_was_written(graph: CypherGraph) -> None:
    tool = Source(
        SourceKind.TOOL, "search", "source tool", "turn 1", NOW, "a quote", "Bob", "search", "anna?", "https://x", 0.123
    )
    bare = Source(SourceKind.IMPORT, id="source bare")
    full = fact(
        "full",
        trust=Trust.CANDIDATE,
        confidence=0.987654321098765,
        sources=(tool, bare),
        valid_from=datetime(1, 1, 1, tzinfo=UTC),
        valid_to=datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        valid_precision=Precision.MONTH,
        superseded_by="fact other",
    )
    least = fact("least", obj=PORTO)
    graph.write([full, least], EVERYONE, 1)
    assert graph.facts(ALL) == [full, least]
    assert {each.id: each for each in graph.entities([each.id for each in EVERYONE])} == {e.id: e for e in EVERYONE}


@pytest.mark.parametrize("confidence", [1.0, 0.1 + 0.2, 1e-9, 1 / 3, 1.0 - 0.5**40])
def test_confidence_keeps_fifteen_digits(graph: CypherGraph, confidence: float) -> None:
    graph.write([fact("1", confidence=confidence)], EVERYONE, 1)
    assert graph.facts(ALL)[0].confidence == float(f"{confidence:.15g}")


def test_writing_twice_changes_nothing(graph: CypherGraph) -> None:
    facts = [fact("1", sources=(source("x"), source("y"))), fact("2", obj=PORTO), fact("3")]
    graph.write(facts, EVERYONE, 3)
    before = (graph.facts(ALL), graph.totals(), _relations(graph))
    graph.write(facts, EVERYONE, 3)
    assert (graph.facts(ALL), graph.totals(), _relations(graph)) == before


def _relations(graph: CypherGraph) -> int:
    return graph._count("MATCH ({scope: $scope})-[r]->() RETURN count(r)")


def test_a_written_fact_replaces_what_was_there(graph: CypherGraph) -> None:
    graph.write([fact("1", valid_from=NOW, superseded_by="fact 9", valid_precision=Precision.DAY)], EVERYONE, 1)
    changed = fact("1", predicate="moved to", trust=Trust.REJECTED, confidence=0.9)
    graph.write([changed], (), 2)
    assert graph.facts(ALL) == [changed]


def test_a_fact_may_move_between_entities(graph: CypherGraph) -> None:
    graph.write([fact("1")], EVERYONE, 1)
    moved = fact("1", BOB, "lives in", PORTO)
    graph.write([moved], (), 2)
    assert graph.facts(ALL) == [moved]
    assert graph.totals() == GraphTotals(entities=4, facts=1, sources=1)
    assert graph.facts(FactFilter(touching=[ANNA.id, LISBON.id])) == []


def test_a_fact_may_join_an_entity_to_itself(graph: CypherGraph) -> None:
    own = fact("1", ANNA, "knows", ANNA)
    graph.write([own], EVERYONE, 1)
    graph.write([own], EVERYONE, 1)
    assert graph.facts(FactFilter(touching=[ANNA.id])) == [own]
    assert graph.reach([ANNA.id], 2, trusts=TRUSTS, at=None, current=True) == {ANNA.id: 0}


def test_two_facts_may_say_the_same(graph: CypherGraph) -> None:
    graph.write([fact("1"), fact("2")], EVERYONE, 1)
    assert ids(graph.facts(ALL)) == ["1", "2"]


def test_the_last_of_several_with_one_id_counts(graph: CypherGraph) -> None:
    graph.write([fact("1"), fact("1", confidence=0.9)], [replace(ANNA, name="Ana"), *EVERYONE], 1)
    (found,) = graph.facts(ALL)
    assert (found.confidence, found.subject) == (0.9, "Anna")


def test_a_renamed_entity_shows_its_new_name_in_facts(graph: CypherGraph) -> None:
    graph.write([fact("1")], EVERYONE, 1)
    graph.write([], [replace(ANNA, name="Anna Maria", aliases=(), kind=Kind.OTHER)], 2)
    (found,) = graph.facts(ALL)
    assert (found.subject, found.subject_id) == ("Anna Maria", ANNA.id)
    assert graph.entities([ANNA.id]) == [Entity(ANNA.id, "Anna Maria")]


def test_a_fact_needs_both_its_entities(graph: CypherGraph) -> None:
    with pytest.raises(GraphError, match=f"{PORTO.id}.*Nothing was written"):
        graph.write([fact("1"), fact("2", obj=PORTO)], [ANNA, LISBON], 4)
    assert graph.totals() == GraphTotals()
    assert graph.applied_seq() == 0


def test_a_facts_sources_are_replaced(graph: CypherGraph) -> None:
    graph.write([fact("1", sources=(source("x"), source("y")))], EVERYONE, 1)
    graph.write([fact("1", sources=(source("y"), source("z")))], (), 2)
    (found,) = graph.facts(ALL)
    assert [each.id for each in found.sources] == ["source y", "source z"]
    assert sources_of(graph) == 2
    assert graph.facts(FactFilter(turns=["x"])) == []


def test_a_source_stays_while_another_fact_has_it(graph: CypherGraph) -> None:
    shared = source("shared", turn="turn 1")
    graph.write([fact("1", sources=(shared,)), fact("2", obj=PORTO, sources=(shared,))], EVERYONE, 1)
    graph.write([fact("1", sources=(source("own"),))], (), 2)
    assert sources_of(graph) == 2
    assert ids(graph.facts(FactFilter(turns=["turn 1"]))) == ["2"]
    graph.write([fact("2", obj=PORTO, sources=(source("own"),))], (), 3)
    assert sources_of(graph) == 1


def test_a_source_may_change_its_text(graph: CypherGraph) -> None:
    graph.write([fact("1", sources=(source("x", quote="old"),))], EVERYONE, 1)
    graph.write([fact("1", sources=(source("x", quote="new", turn="t"),))], EVERYONE, 2)
    assert graph.facts(ALL)[0].sources == (source("x", quote="new", turn="t"),)


def test_applied_seq_never_goes_back(graph: CypherGraph) -> None:
    graph.write([], (), 9)
    graph.write([fact("1")], EVERYONE, 4)
    assert graph.applied_seq() == 9


def test_many_rows_are_written_in_batches(graph: CypherGraph) -> None:
    people = [Entity(f"{number:032x}", f"Person {number}") for number in range(1101)]
    facts = [fact(str(number), people[number], "knows", people[number + 1]) for number in range(1100)]
    graph.write(facts, people, 1100)
    assert graph.totals() == GraphTotals(entities=1101, facts=1100, sources=1100)
    assert len(graph.facts(FactFilter(touching=[each.id for each in people]))) == 1100
    assert graph.clear() == GraphTotals(entities=1101, facts=1100, sources=1100)
    assert graph.totals() == GraphTotals()


class Stopped(GraphUnavailable):
    pass


class Stopping:
    """Lets a store's first `after` writing queries through, and raises before the next."""

    def __init__(self, graph: CypherGraph, after: int) -> None:
        self.left = after
        self._run = graph._run
        graph._run = self.run  # type: ignore[method-assign,assignment]

    def run(self, query: str, parameters: dict[str, object], *, write: bool) -> list[list[object]]:
        if write:
            if self.left == 0:
                raise Stopped("The server went away.")
            self.left -= 1
        return self._run(query, parameters, write=write)


@pytest.mark.parametrize("act", ["write", "remove", "clear"])
def test_whatever_stops_it_doing_it_again_completes_it(make_graph: Callable[..., CypherGraph], act: str) -> None:
    shared = source("shared", turn="turn")
    first = [fact("1", sources=(source("x"), shared)), fact("2", obj=PORTO, sources=(shared,)), fact("3", BOB)]
    second = [fact("1", sources=(source("z"),)), fact("3", BOB, "lives in", PORTO), fact("4", BOB, "knows", ANNA)]
    acts: dict[str, Callable[[CypherGraph], object]] = {
        "write": lambda graph: graph.write(second, EVERYONE, 2),
        "remove": lambda graph: graph.remove(["fact 2"], [BOB.id], 2),
        "clear": lambda graph: graph.clear(),
    }
    whole = make_graph("whole")
    whole.open()
    whole.write(first, EVERYONE, 1)
    acts[act](whole)
    expected = (whole.facts(ALL), whole.totals(), _relations(whole))
    for after in range(30):
        scope = f"stopped after {after}"
        victim = make_graph(scope)
        victim.open()
        victim.write(first, EVERYONE, 1)
        stopping = Stopping(victim, after)
        try:
            acts[act](victim)
        except Stopped:
            assert stopping.left == 0
        else:
            break
        again = make_graph(scope)
        assert again.applied_seq() < 2
        acts[act](again)
        assert (again.facts(ALL), again.totals(), _relations(again)) == expected
    else:
        pytest.fail("the act never completed")
    assert after > 2


# --- a graph that went back


def test_writing_over_a_gap_is_refused(graph: CypherGraph, make_graph: Callable[..., CypherGraph]) -> None:
    graph.write([fact("1")], EVERYONE, 5)
    other = make_graph()
    other.clear()
    with pytest.raises(GraphUnavailable, match="went back from change 5 to 0"):
        graph.write([fact("2")], (), 6)
    with pytest.raises(GraphUnavailable):
        graph.remove(["fact 2"], (), 6)
    assert graph.applied_seq() == 0
    graph.write([fact("1"), fact("2")], EVERYONE, 6)
    assert ids(graph.facts(ALL)) == ["1", "2"]


# --- remove


def test_removing_takes_facts_entities_and_orphaned_sources(graph: CypherGraph) -> None:
    shared = source("shared")
    graph.write(
        [
            fact("1", sources=(shared, source("x"))),
            fact("2", obj=PORTO, sources=(shared,)),
            fact("3", BOB, "knows", ANNA),
            fact("4", BOB, obj=PORTO),
        ],
        EVERYONE,
        4,
    )
    graph.remove(["fact 1", "no such fact"], (), 5)
    assert ids(graph.facts(ALL)) == ["2", "3", "4"]
    assert sources_of(graph) == 3
    graph.remove((), [ANNA.id, "no such entity"], 6)
    assert ids(graph.facts(ALL)) == ["4"]
    assert graph.totals() == GraphTotals(entities=3, facts=1, sources=1)
    assert graph.applied_seq() == 6
    graph.remove(["fact 1"], [ANNA.id], 6)
    assert graph.totals() == GraphTotals(entities=3, facts=1, sources=1)


# --- facts

LIVES = fact("lives", valid_from=days(-10), valid_to=days(10), confidence=0.9, recorded_at=days(1))
MOVED = fact("moved", obj=PORTO, valid_from=days(10), confidence=0.8, recorded_at=days(2), trust=Trust.CANDIDATE)
KNOWS = fact("knows", BOB, "knows", ANNA, confidence=0.8, recorded_at=days(3), trust=Trust.REJECTED)
AWAY = fact("away", BOB, "not lives in", PORTO, confidence=0.8, recorded_at=days(2), valid_to=days(0))
FILTERS = [
    (FactFilter(), ["lives", "knows", "away", "moved"]),
    (FactFilter(limit=2), ["lives", "knows"]),
    (FactFilter(limit=0), []),
    (FactFilter(ids=["fact moved", "fact moved", "no such"]), ["moved"]),
    (FactFilter(ids=[]), []),
    (FactFilter(subjects=[BOB.id]), ["knows", "away"]),
    (FactFilter(objects=[PORTO.id]), ["away", "moved"]),
    (FactFilter(objects=[PORTO.id], limit=1), ["away"]),
    (FactFilter(subjects=[BOB.id], objects=[PORTO.id, LISBON.id]), ["away"]),
    (FactFilter(subjects=[BOB.id, ANNA.id], objects=[PORTO.id]), ["away", "moved"]),
    (FactFilter(subjects=[], objects=[PORTO.id]), []),
    (FactFilter(predicates=["lives in"]), ["lives", "moved"]),
    (FactFilter(predicates=["LIVES IN"]), []),
    (FactFilter(predicates=[]), []),
    (FactFilter(touching=[ANNA.id]), ["lives", "knows", "moved"]),
    (FactFilter(touching=[ANNA.id], limit=2), ["lives", "knows"]),
    (FactFilter(touching=[ANNA.id, BOB.id]), ["lives", "knows", "away", "moved"]),
    (FactFilter(touching=[ANNA.id], ids=["fact knows", "fact away"]), ["knows"]),
    (FactFilter(touching=[ANNA.id], subjects=[BOB.id]), ["knows"]),
    (FactFilter(touching=[ANNA.id], predicates=["knows"]), ["knows"]),
    (FactFilter(touching=[PORTO.id], within=[ANNA.id, PORTO.id]), ["moved"]),
    (FactFilter(within=[ANNA.id, BOB.id, PORTO.id]), ["knows", "away", "moved"]),
    (FactFilter(within=[ANNA.id]), []),
    (FactFilter(turns=["turn knows", "turn lives", "no such"]), ["lives", "knows"]),
    (FactFilter(turns=["turn knows", "turn lives"], ids=["fact knows"]), ["knows"]),
    (FactFilter(turns=[]), []),
    (FactFilter(trusts=[Trust.CANDIDATE, Trust.REJECTED]), ["knows", "moved"]),
    (FactFilter(trusts=[]), []),
    (FactFilter(current=True), ["knows", "moved"]),
    (FactFilter(at=days(-11)), ["knows", "away"]),
    (FactFilter(at=days(-10)), ["lives", "knows", "away"]),
    (FactFilter(at=days(0)), ["lives", "knows"]),
    (FactFilter(at=days(10)), ["knows", "moved"]),
    (FactFilter(known_at=days(0)), []),
    (FactFilter(known_at=days(2)), ["lives", "away", "moved"]),
]


@pytest.fixture
def stocked(graph: CypherGraph) -> CypherGraph:
    facts = [
        replace(each, sources=(source(each.id, turn=each.id.replace("fact", "turn")),))
        for each in (AWAY, KNOWS, MOVED, LIVES)
    ]
    graph.write(facts, EVERYONE, 4)
    return graph


def test_facts_are_chosen_by_every_field(stocked: CypherGraph) -> None:
    for wanted, expected in FILTERS:
        assert ids(stocked.facts(wanted)) == expected, wanted


def test_any_collection_of_ids_will_do(stocked: CypherGraph) -> None:
    for kind in (list, tuple, set, frozenset, dict.fromkeys):
        wanted = FactFilter(touching=kind([ANNA.id, BOB.id]), trusts=kind([Trust.ACCEPTED]))
        assert ids(stocked.facts(wanted)) == ["lives", "away"]


def test_what_was_asked_can_be_overheard(stocked: CypherGraph) -> None:
    with overhear() as heard:
        stocked.facts(FactFilter(touching=[ANNA.id]))
    assert any(ANNA.id in each.parameters["ids"] for each in heard)
    assert all(ANNA.id not in each.query and "$scope" in each.query for each in heard)


# --- reach


def test_reach_measures_the_shortest_way_in_either_direction(stocked: CypherGraph) -> None:
    def reach(start: list[str], hops: int, **given: object) -> dict[str, int]:
        options: dict[str, object] = {"trusts": TRUSTS, "at": None, "current": False, **given}
        return stocked.reach(start, hops, **options)  # type: ignore[arg-type]

    assert reach([LISBON.id], 1) == {LISBON.id: 0, ANNA.id: 1}
    assert reach([LISBON.id], 2) == {LISBON.id: 0, ANNA.id: 1, PORTO.id: 2, BOB.id: 2}
    assert reach([LISBON.id], 3) == reach([LISBON.id], 2)
    assert reach([LISBON.id, BOB.id], 1) == {LISBON.id: 0, BOB.id: 0, ANNA.id: 1, PORTO.id: 1}
    assert reach([LISBON.id, "no such"], 2, trusts=[Trust.ACCEPTED]) == {LISBON.id: 0, ANNA.id: 1}
    assert reach([BOB.id], 2, current=True) == {BOB.id: 0, ANNA.id: 1, PORTO.id: 2}
    assert reach([PORTO.id], 1, at=days(-10)) == {PORTO.id: 0, BOB.id: 1}
    assert reach(["no such"], 2) == {}
    assert reach([], 2) == {}


# --- totals, clear, scopes


def test_totals_count_each_kind(stocked: CypherGraph) -> None:
    assert stocked.totals() == GraphTotals(entities=4, facts=4, candidates=1, sources=4)


def test_clearing_returns_what_was_removed(stocked: CypherGraph) -> None:
    assert stocked.clear() == GraphTotals(entities=4, facts=4, candidates=1, sources=4)
    assert stocked.clear() == GraphTotals()
    assert stocked.applied_seq() == 0
    stocked.write([fact("1")], EVERYONE, 1)
    assert ids(stocked.facts(ALL)) == ["1"]


def test_two_scopes_in_one_database_never_meet(make_graph: Callable[..., CypherGraph]) -> None:
    mine, other = make_graph("alice"), make_graph("alice' OR true //")
    for graph, confidence in ((mine, 0.9), (other, 0.1)):
        graph.open()
        graph.write([fact("1", confidence=confidence), fact("2", BOB, "knows", ANNA)], EVERYONE, int(confidence * 10))
    assert mine.applied_seq() == 9
    assert other.applied_seq() == 1
    for graph, confidence in ((mine, 0.9), (other, 0.1)):
        every = [
            ALL,
            FactFilter(ids=["fact 1", "fact 2"]),
            FactFilter(subjects=[ANNA.id, BOB.id]),
            FactFilter(objects=[ANNA.id, LISBON.id]),
            FactFilter(touching=[ANNA.id]),
            FactFilter(within=[ANNA.id, BOB.id, LISBON.id]),
        ]
        for wanted in every:
            found = graph.facts(wanted)
            assert sorted(ids(found)) == ["1", "2"], wanted
            assert confidence in [each.confidence for each in found]
        assert graph.totals() == GraphTotals(entities=4, facts=2, sources=2)
        assert len(graph.entities([each.id for each in EVERYONE])) == 4
        assert graph.reach([LISBON.id], 3, trusts=TRUSTS, at=None, current=True) == {
            LISBON.id: 0,
            ANNA.id: 1,
            BOB.id: 2,
        }
    other.remove(["fact 1"], [BOB.id], 2)
    assert other.totals() == GraphTotals(entities=3, facts=0, sources=0)
    assert mine.totals() == GraphTotals(entities=4, facts=2, sources=2)
    other.clear()
    assert mine.totals() == GraphTotals(entities=4, facts=2, sources=2)
    assert mine.applied_seq() == 9


# --- text is data

TEXTS = (
    *NAMES,
    '"',
    "\\",
    '\\"',
    "\\\\",
    "`",
    "``]->() DETACH DELETE x",
    "$scope",
    "\n\r\t",
    "\x01\x1b",
    "\u2028\u2029\ufeff",
    "//",
    "/* */",
    '"}] MATCH (n) DETACH DELETE n //',
    'x" scope="other" y="',
    "1e5",
    "true",
)


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text)[:30])
def test_any_text_comes_back_as_it_was(graph: CypherGraph, text: str) -> None:
    thing = Entity("e" * 32, text, Kind.OTHER, (text, text + "!"))
    told = replace(source("1", quote=text, extractor=text, speaker=text, query=text, url=text), name=text)
    written = fact("1", thing, text, ANNA, sources=(told,), superseded_by=text)
    graph.write([written], [thing, ANNA], 1)
    assert graph.facts(FactFilter(predicates=[text])) == [written]
    assert graph.entities([thing.id]) == [thing]
    assert graph.totals() == GraphTotals(entities=2, facts=1, sources=1)


PLAIN = [text for text in TEXTS if text.isprintable() and len(text) <= 1000]
ODD = [" a", "a ", "a\x01b", "a\tb", "\t", "", " ", "x" * 5000, "\0", "\ud800"]


@pytest.mark.parametrize("text", PLAIN, ids=lambda text: ascii(text)[:30])
def test_any_plain_text_may_be_an_id(graph: CypherGraph, text: str) -> None:
    thing = Entity(text, "Thing")
    written = replace(fact("1", thing, "is", ANNA), id=text, sources=(replace(source("1"), id=text, turn=text),))
    graph.write([written], [thing, ANNA], 1)
    assert graph.facts(FactFilter(ids=[text], touching=[text], turns=[text])) == [written]
    graph.remove([text], [text], 2)
    assert graph.totals() == GraphTotals(entities=1)


@pytest.mark.parametrize("text", ODD, ids=lambda text: ascii(text)[:30])
def test_ids_that_an_index_confuses_are_refused(graph: CypherGraph, text: str) -> None:
    odd = Entity(text, "Thing")
    for facts, entities in (
        ([], [odd]),
        ([fact("1", odd)], EVERYONE),
        ([replace(fact("1"), id=text)], EVERYONE),
        ([fact("1", sources=(replace(source("1"), id=text),))], EVERYONE),
        ([fact("1", sources=(source("1", turn=text),))], EVERYONE),
    ):
        with pytest.raises(GraphError, match="Nothing was written"):
            graph.write(facts, entities, 1)
    assert graph.totals() == GraphTotals()
    assert graph.applied_seq() == 0


def test_scopes_that_look_alike_are_different_scopes(make_graph: Callable[..., CypherGraph]) -> None:
    scopes = ["a", "A", "a%20", *dict.fromkeys([*ODD, *TEXTS])]
    for number, scope in enumerate(scopes):
        graph = make_graph(scope)
        graph.open()
        graph.write([fact("1", recorded_at=days(number))], EVERYONE, number + 1)
    for number, scope in enumerate(scopes):
        graph = make_graph(scope)
        assert [each.recorded_at for each in graph.facts(ALL)] == [days(number)], scope[:20]
        assert graph.applied_seq() == number + 1


@pytest.mark.parametrize("text", ["\0", "a\0b", "\ud800", "x\udfffy", "'\0}) DETACH DELETE (n)//"])
def test_what_no_database_stores_becomes_the_replacement_character(graph: CypherGraph, text: str) -> None:
    thing = Entity("e" * 32, text, Kind.OTHER, (text,))
    graph.write([fact("1", thing, text, ANNA, sources=(source("1", quote=text),))], [thing, ANNA], 1)
    (found,) = graph.facts(ALL)
    for stored in (found.subject, found.predicate, found.sources[0].quote):
        assert "\ufffd" in stored
        assert "\0" not in stored
        stored.encode("utf-8")
    assert graph.totals() == GraphTotals(entities=2, facts=1, sources=1)
    assert graph.facts(FactFilter(predicates=[text])) == [found]
