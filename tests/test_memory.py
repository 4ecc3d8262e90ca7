"""The public API end to end, as a person with nothing but the requirements has it."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memary_core.errors import GraphUnavailable, InvalidInput, NotFound, ScopeError
from memary_core.memory import Memory
from memary_core.models import Source, SourceKind, Trust
from memary_core.scope import Scope, scopes
from memary_core.settings import Settings
from tests.hostile import NAMES

Open = Callable[..., Memory]
ROOT = Path(__file__).parent.parent
ANNA = "My sister Anna lives in Lisbon and works at Critical Software."


def triplets(memory: Memory, **wanted: object) -> set[tuple[str, str, str]]:
    return {(fact.subject, fact.predicate, fact.object) for fact in memory.facts(**wanted)}


def counts(memory: Memory) -> dict[str, int]:
    return {each.name: each.count for each in memory.salience.all()}


LEARNED = {
    ("You", "sister", "Anna"),
    ("Anna", "lives in", "Lisbon"),
    ("Anna", "works at", "Critical Software"),
}


def test_a_message_becomes_mentions_and_accepted_facts_with_their_source(memory: Memory) -> None:
    turn = memory.observe(ANNA)
    memory.observe("Where does Anna live?")
    assert counts(memory) == {"Anna": 2, "Lisbon": 1, "Critical Software": 1}
    assert triplets(memory) == LEARNED
    for fact in memory.facts():
        assert fact.trust is Trust.ACCEPTED
        [source] = fact.sources
        assert (source.kind, source.extractor, source.turn, source.at) == (SourceKind.USER, "rules", turn.id, turn.at)
        assert source.quote in ANNA


def test_recall_brings_the_fact_and_says_why(memory: Memory) -> None:
    memory.observe(ANNA)
    recalled = memory.recall("Where does Anna live?")
    assert recalled.gate.open and recalled.gate.reason == "names Anna"
    assert (recalled.facts[0].subject, recalled.facts[0].object) == ("Anna", "Lisbon")
    assert "Anna lives in Lisbon" in recalled.text
    assert recalled.why[recalled.facts[0].id].startswith("names Anna")
    assert 0 < recalled.tokens <= 800


def test_a_message_does_not_recall_itself(memory: Memory) -> None:
    memory.observe(ANNA)
    assert memory.recall(ANNA).facts == ()
    memory.observe("Anna lives in Lisbon.")
    assert [fact.object for fact in memory.recall(ANNA).facts] == ["Lisbon"]


def test_a_role_finds_whoever_has_it(memory: Memory) -> None:
    memory.observe(ANNA)
    assert tuple(
        getattr(memory.recall("Where does my sister live?").facts[0], each) for each in ("subject", "object")
    ) == ("Anna", "Lisbon")
    memory.observe("My sister likes olives.")
    assert ("Anna", "likes", "olives") in triplets(memory)


def test_a_sister_without_a_name_gets_it_later_and_stays_one_entity(memory: Memory) -> None:
    memory.observe("My sister lives in Porto.")
    assert triplets(memory) == {("your sister", "lives in", "Porto")}
    assert memory.recall("Where does my sister live?").facts[0].object == "Porto"
    memory.observe("My sister is called Anna.")
    assert triplets(memory) == {("Anna", "lives in", "Porto"), ("You", "sister", "Anna")}
    memory.observe("My sister works at Critical Software.")
    assert len({fact.subject_id for fact in memory.facts() if fact.subject != "You"}) == 1
    assert {each.name for each in memory.search_entities("sister")} == {"Anna"}


def test_a_second_sister_makes_my_sister_ambiguous_and_nothing_is_guessed(memory: Memory) -> None:
    memory.observe("My sister Anna lives in Lisbon.")
    memory.observe("My sister Eva lives in Faro.")
    memory.observe("My sister likes olives.")
    assert triplets(memory, predicate="likes") == set()
    assert triplets(memory, predicate="sister") == {("You", "sister", "Anna"), ("You", "sister", "Eva")}


@pytest.mark.parametrize("text", ["hi", "Thanks!", "2+2", "What is the capital of France?", "ok cool"])
def test_a_message_that_needs_no_memory_gets_none(memory: Memory, text: str) -> None:
    memory.observe(ANNA)
    recalled = memory.recall(text)
    assert not recalled.gate.open and recalled.gate.reason
    assert (recalled.text, recalled.facts, recalled.turns, recalled.entities, recalled.tokens) == ("", (), (), (), 0)


def test_a_restatement_adds_a_source_to_the_same_fact(memory: Memory) -> None:
    memory.observe("Anna lives in Lisbon.")
    memory.observe("anna lives in lisbon")
    [fact] = memory.facts(predicate="lives in")
    assert len(fact.sources) == 2
    assert fact.confidence > max(source.confidence for source in fact.sources)


def test_only_what_the_owner_says_is_accepted_at_birth(memory: Memory) -> None:
    memory.observe("I moved to Porto.", speaker="Anna", at=datetime(2026, 3, 1, tzinfo=UTC))
    [fact] = memory.facts()
    assert (fact.subject, fact.object, fact.trust) == ("Anna", "Porto", Trust.CANDIDATE)
    assert fact.sources[0].speaker == "Anna"
    told = memory.add_fact(
        "Anna", "lives in", "Braga", source=Source.tool("search", query="anna", url="https://a.example")
    )
    assert told.trust is Trust.CANDIDATE
    assert memory.add_fact("Anna", "likes", "tea").trust is Trust.ACCEPTED


def test_only_accepted_facts_reach_a_prompt(memory: Memory) -> None:
    fact = memory.add_fact("Anna", "lives in", "Braga", source=Source.tool("search"))
    question = "Where does Anna live?"
    assert "Braga" not in memory.recall(question).text
    assert "Braga" in memory.recall(question, unverified=True).text
    assert "unverified" in memory.recall(question, unverified=True).text
    memory.accept(fact.id)
    assert "Braga" in memory.recall(question).text
    memory.reject(fact.id)
    assert "Braga" not in memory.recall(question).text
    assert "Braga" not in memory.recall(question, unverified=True).text


def test_confidence_breaks_ties_in_recall(memory: Memory) -> None:
    memory.mention(["Anna"])
    sure, unsure = (Source(SourceKind.MANUAL, confidence=each) for each in (0.9, 0.2))
    memory.add_fact("Anna", "likes", "tea", source=unsure)
    memory.add_fact("Anna", "likes", "juice", source=sure)
    assert [fact.object for fact in memory.recall("What does Anna like?").facts] == ["juice", "tea"]
    memory.add_fact("Anna", "likes", "tea", source=Source(SourceKind.MANUAL, confidence=0.95))
    assert [fact.object for fact in memory.recall("What does Anna like?").facts] == ["tea", "juice"]


def test_a_person_restating_a_candidate_accepts_it_and_a_tool_does_not(memory: Memory) -> None:
    fact = memory.add_fact("Anna", "lives in", "Braga", source=Source.tool("search", url="https://a.example"))
    assert (
        memory.add_fact("Anna", "lives in", "Braga", source=Source.tool("search", url="https://b.example")).id
        == fact.id
    )
    assert memory.facts()[0].trust is Trust.CANDIDATE
    memory.observe("Anna lives in Braga.")
    assert [(each.id, each.trust, len(each.sources)) for each in memory.facts()] == [(fact.id, Trust.ACCEPTED, 3)]


def test_a_tool_does_not_bring_back_what_was_rejected(memory: Memory) -> None:
    fact = memory.add_fact("Anna", "lives in", "Braga", source=Source.tool("search"))
    memory.reject(fact.id)
    memory.add_fact("Anna", "lives in", "Braga", source=Source.tool("search"))
    assert [each.trust for each in memory.facts()] == [Trust.REJECTED]


def test_the_neighbourhood_of_anna_shows_everything_around_her(memory: Memory) -> None:
    memory.observe(ANNA)
    around = memory.neighbourhood(["Anna"], hops=2)
    assert {node.name for node in around.nodes} == {"Anna", "You", "Lisbon", "Critical Software"}
    assert {(edge.subject, edge.predicate, edge.object) for edge in around.edges} == LEARNED
    assert (around.nodes[0].name, around.total, around.truncated) == ("Anna", 4, False)
    cut = memory.neighbourhood(["Anna"], hops=2, limit=2)
    assert (len(cut.nodes), cut.total, cut.truncated) == (2, 4, True)


def test_what_was_said_survives_a_restart(open_full: Open) -> None:
    first = open_full()
    first.observe(ANNA)
    first.salience.set_count("Anna", 9)
    facts, turns = first.facts(), first.turns()
    first.close()
    again = open_full()
    assert counts(again)["Anna"] == 9 and again.salience.top(1)[0].name == "Anna"
    assert again.facts() == facts
    assert again.turns() == turns


def test_attention_can_be_rebuilt_without_touching_belief_and_the_reverse(open_full: Open) -> None:
    first = open_full()
    first.observe(ANNA)
    first.observe("I like black coffee.")
    facts, attention = first.facts(), first.salience.all(now=datetime(2027, 1, 1, tzinfo=UTC))
    first.close()
    for name in ("memory_stream.jsonl", "entity_knowledge_store.json", "entity_knowledge_store.meta.json"):
        (first.folder / name).unlink()
    without_attention = open_full()
    assert without_attention.salience.all() == []
    assert without_attention.facts() == facts
    for each in attention:
        without_attention.salience.set_count(each.name, each.count)
    assert without_attention.facts() == facts
    before = without_attention.salience.all(now=datetime(2027, 1, 1, tzinfo=UTC))
    without_attention.close()
    (first.folder / "journal.jsonl").unlink()
    without_belief = open_full()
    assert without_belief.salience.all(now=datetime(2027, 1, 1, tzinfo=UTC)) == before


def test_a_graph_that_was_lost_is_built_again_from_the_journal(open_full: Open) -> None:
    memory = open_full()
    memory.observe(ANNA)
    tool = memory.add_fact("Anna", "likes", "olives", source=Source.tool("search"))
    memory.reject(tool.id)
    facts = memory.facts()
    memory._belief.clear()
    assert memory.facts() == facts


def test_two_scopes_share_nothing(open_full: Open) -> None:
    alice, bob = open_full("alice"), open_full("bob")
    alice.observe(ANNA)
    assert bob.facts() == [] and bob.salience.all() == [] and bob.turns() == []
    assert bob.recall("Where does Anna live?").text == ""
    bob.observe("Anna lives in Rome.")
    assert triplets(bob) == {("Anna", "lives in", "Rome")}
    assert bob.neighbourhood(["Anna"]).total == 2
    cleared = bob.clear()
    assert (cleared.turns, cleared.graph.facts) == (1, 1)
    assert triplets(alice) == LEARNED and counts(alice) == {"Anna": 1, "Lisbon": 1, "Critical Software": 1}


def test_clear_leaves_nothing_of_the_scope(open_full: Open) -> None:
    memory, other_session = open_full(), open_full()
    memory.observe(ANNA)
    memory.save()
    assert other_session.facts() != []
    cleared = memory.clear()
    assert (cleared.entities, cleared.turns, cleared.mentions) == (3, 1, 3)
    for session in (memory, other_session):
        assert session.facts() == [] and session.salience.all() == [] and session.turns() == []
        assert session.recall("Where does Anna live?").text == ""
    assert not any(b"Anna" in path.read_bytes() for path in memory.folder.iterdir() if path.is_file())
    memory.observe("Rex lives in Faro.")
    assert triplets(other_session) == {("Rex", "lives in", "Faro")}


def test_the_assistants_words_raise_no_count_and_teach_nothing(memory: Memory) -> None:
    memory.observe(ANNA)
    facts, before = memory.facts(), counts(memory)
    for _ in range(20):
        memory.observe("Anna lives in Lisbon. Anna also lives in Rome.", speaker="assistant")
    assert memory.facts() == facts
    assert counts(memory) == before
    lines = (memory.folder / "memory_stream.jsonl").read_text("utf-8").splitlines()
    assert sum('"source":"assistant"' in line for line in lines) == 40


def test_another_persons_mentions_raise_no_count_of_mine(memory: Memory) -> None:
    memory.observe("I love Rome.", speaker="Tom")
    assert counts(memory).get("Rome", 0) == 0


def test_a_time_without_a_zone_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="time zone"):
        memory.observe("Anna lives in Lisbon.", at=datetime(2026, 3, 1))
    with pytest.raises(InvalidInput, match="time zone"):
        memory.mention(["Anna"], at=datetime(2026, 3, 1))
    assert memory.turns() == [] and memory.salience.all() == []


@pytest.mark.parametrize("text", ["", "   \n"])
def test_an_empty_message_is_refused(memory: Memory, text: str) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        memory.observe(text)


def test_nul_is_replaced_and_reported(memory: Memory) -> None:
    turn = memory.observe("An\0na lives in Lisbon.")
    assert turn.text == "An\ufffdna lives in Lisbon."
    assert any("replaced" in note for note in turn.notes)
    assert memory.turns()[0].text == turn.text


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_hostile_name_is_stored_and_found_literally(open_full: Open, name: str) -> None:
    memory = open_full()
    memory.mention([name])
    shown = " ".join(name.split())
    fact = memory.add_fact(name, "knows", "Bob", source=Source.manual(quote=name))
    assert memory.salience.get(name) is not None
    assert (fact.subject, fact.sources[0].quote) == (shown, name)
    assert [each.id for each in memory.facts(subject=name)] == [fact.id]
    assert {node.name for node in memory.neighbourhood([name]).nodes} == {shown, "Bob"}
    memory.observe(f"I met {name} today.")
    again = open_full()
    assert again.facts(subject=name)[0].subject == shown
    assert counts(again)[shown] >= 1


def test_what_cannot_be_a_name_is_refused_with_the_reason(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="blank"):
        memory.mention(["Anna", " "])
    with pytest.raises(InvalidInput, match="list of names"):
        memory.mention("Anna")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="10,000"):
        memory.add_fact("x" * 10_001, "knows", "Bob")
    with pytest.raises(InvalidInput, match="itself"):
        memory.add_fact("Anna", "knows", "anna")
    with pytest.raises(InvalidInput, match="predicate"):
        memory.add_fact("Anna", "  ", "Bob")
    assert memory.salience.all() == [] and memory.facts() == []


def test_an_unknown_fact_or_entity_is_an_error_of_ours(memory: Memory) -> None:
    with pytest.raises(NotFound, match="nope"):
        memory.accept("nope")
    with pytest.raises(NotFound, match="Nobody"):
        memory.salience.drop("Nobody")
    assert memory.facts(subject="Nobody") == []
    assert memory.salience.get("Nobody") is None
    assert memory.neighbourhood(["Nobody"]).total == 0


def test_dropping_from_attention_leaves_belief(memory: Memory) -> None:
    memory.observe(ANNA)
    facts = memory.facts()
    memory.salience.drop("Anna")
    assert "Anna" not in counts(memory)
    assert memory.facts() == facts
    assert "Lisbon" in memory.recall("Where does Anna live?").text
    memory.observe("Anna called.")
    assert counts(memory)["Anna"] == 1
    assert {fact.subject_id for fact in memory.facts(subject="Anna")} == {
        fact.subject_id for fact in facts if fact.subject == "Anna"
    }


def test_forgetting_old_mentions_leaves_new_ones_and_facts(memory: Memory) -> None:
    memory.mention(["Anna", "Rex"], at=datetime(2020, 1, 1, tzinfo=UTC))
    memory.observe(ANNA)
    facts = memory.facts()
    assert memory.forget_mentions(before=datetime(2021, 1, 1, tzinfo=UTC)) == 2
    assert counts(memory) == {"Anna": 1, "Lisbon": 1, "Critical Software": 1}
    assert memory.facts() == facts
    assert "2020" not in (memory.folder / "memory_stream.jsonl").read_text("utf-8")


def test_facts_are_found_by_each_of_their_parts(memory: Memory) -> None:
    memory.observe(ANNA)
    assert triplets(memory, subject="anna") == {t for t in LEARNED if t[0] == "Anna"}
    assert triplets(memory, predicate="sister") == {("You", "sister", "Anna")}
    assert triplets(memory, object="LISBON") == {("Anna", "lives in", "Lisbon")}
    assert triplets(memory, trust="candidate") == set()
    with pytest.raises(InvalidInput, match="candidate, accepted or rejected"):
        memory.facts(trust="maybe")


def test_the_facts_of_a_turn_are_those_it_taught(memory: Memory) -> None:
    first = memory.observe(ANNA)
    second = memory.observe("Anna lives in Lisbon, and Tom lives in Faro.")
    assert {(f.subject, f.object) for f in memory.learned(second.id)} == {("Anna", "Lisbon"), ("Tom", "Faro")}
    assert len(memory.learned(first.id)) == 3


@pytest.mark.parametrize("scope", ["", "  ", "a\0b", "a\nb", "x" * 201])
def test_an_impossible_scope_is_refused(tmp_path: Path, scope: str) -> None:
    with pytest.raises(InvalidInput, match="agent ID"):
        Scope(scope, tmp_path / "scopes")
    assert not (tmp_path / "scopes").exists()


@pytest.mark.parametrize("scope", ["../../etc/passwd", "Alice", "alice", "東京", "a/b", "CON", "'; DROP"])
def test_any_other_scope_has_a_folder_inside_the_data_folder(tmp_path: Path, scope: str) -> None:
    made = Scope(scope, tmp_path / "scopes")
    made.begin()
    assert made.folder.parent == tmp_path / "scopes"
    assert made.folder.stat().st_mode & 0o077 == 0
    assert scopes(tmp_path / "scopes") == [scope]


def test_scopes_that_differ_in_case_are_two_and_composition_makes_one(tmp_path: Path) -> None:
    assert Scope("Alice", tmp_path).folder != Scope("alice", tmp_path).folder
    assert Scope("Jose\u0301", tmp_path).folder == Scope("José", tmp_path).folder


def test_a_second_scope_in_one_folder_is_refused(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "scopes")
    Memory(Scope("alice", settings.data_dir, folder=tmp_path / "shared"), settings).close()
    with pytest.raises(ScopeError, match="another scope"):
        Memory(Scope("bob", settings.data_dir, folder=tmp_path / "shared"), settings)


def test_without_a_graph_the_conversation_and_attention_go_on(open_plain: Open) -> None:
    memory = open_plain()
    memory.observe("Yesterday I met Anna in Lisbon.")
    assert counts(memory) == {"Anna": 1, "Lisbon": 1}
    recalled = memory.recall("What about Anna?")
    assert "I met Anna" in recalled.text
    assert recalled.notes == ("No graph is set up in this test.",)
    with pytest.raises(GraphUnavailable, match="No graph"):
        memory.facts()


def test_a_turn_whose_reading_was_cut_off_is_read_at_the_next_start(open_full: Open) -> None:
    memory = open_full()
    memory.close()
    code = textwrap.dedent(
        """
        import os, sys
        from pathlib import Path
        from memary_core import Memory, Settings
        memory = Memory.open(sys.argv[1], Settings(data_dir=Path(sys.argv[2])))
        append = memory._scope.journal.append
        def dies_at_the_facts(events):
            if events[0]["type"] == "facts":
                os._exit(9)
            return append(events)
        memory._scope.journal.append = dies_at_the_facts
        memory.observe(sys.argv[3])
        """
    )
    run = subprocess.run(
        [sys.executable, "-c", code, memory.scope, str(memory.folder.parent), ANNA], cwd=ROOT, check=False
    )
    assert run.returncode == 9
    again = open_full()
    assert counts(again) == {"Anna": 1, "Lisbon": 1, "Critical Software": 1}
    assert triplets(again) == LEARNED
    again.close()
    assert counts(open_full()) == {"Anna": 1, "Lisbon": 1, "Critical Software": 1}


def test_two_processes_give_one_name_one_identity(open_full: Open) -> None:
    memory = open_full()
    code = (
        "import sys; from pathlib import Path; from memary_core import Memory, Settings\n"
        "with Memory.open(sys.argv[1], Settings(data_dir=Path(sys.argv[2]))) as memory:\n"
        "    for name in 'Ana Bob Eva Ivo Joe Kim Leo Mia Ned Pia Sam Tom Uma Vic Zoe'.split():\n"
        "        memory.observe(f'{name} lives in Lisbon.'); memory.mention(['Anna'])\n"
    )
    arguments = [sys.executable, "-c", code, memory.scope, str(memory.folder.parent)]
    runs = [subprocess.Popen(arguments, cwd=ROOT) for _ in range(2)]
    assert [run.wait() for run in runs] == [0, 0]
    assert counts(memory)["Anna"] == 30 and counts(memory)["Lisbon"] == 30
    facts = memory.facts(predicate="lives in", object="Lisbon")
    assert len({fact.subject for fact in facts}) == len(facts) >= 12
    assert {len(fact.sources) for fact in facts} == {2}


def test_both_logs_are_lines_another_program_can_read(memory: Memory) -> None:
    memory.observe(ANNA)
    for name in ("memory_stream.jsonl", "journal.jsonl"):
        lines = [json.loads(line) for line in (memory.folder / name).read_text("utf-8").splitlines()]
        assert lines[0]["format"].startswith("memary ") and lines[0]["scope"] == memory.scope
        assert [line["seq"] for line in lines[1:]] == list(range(1, len(lines)))


def test_a_limit_and_a_budget_hold(memory: Memory) -> None:
    for number in range(12):
        memory.add_fact("Anna", "likes", f"dish number {number}")
    everything = memory.recall("What does Anna like?")
    assert len(everything.facts) == 12
    assert len(memory.recall("What does Anna like?", limit=3).facts) == 3
    small = memory.recall("What does Anna like?", budget=40)
    assert 0 < len(small.facts) < 12 and small.tokens <= 40
    assert memory.recall("What does Anna like?", budget=1).facts == ()
