"""What memory says by itself: the sentences, the facts they rest on, and when it says that it does not know."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memary_core.answering.answer import Answer, Hole, Party, Question, answer
from memary_core.answering.by_itself import answer_from_recall, answer_text
from memary_core.models import YOU, Fact, Gate, Precision, Recall, Trust

from .measure import GOLD, LATER, by_itself, read, right, told

Triplet = tuple[str, str, str]

FAMILY: list[Triplet] = [
    ("You", "sister", "Anna"),
    ("Anna", "lives in", "Lisbon"),
    ("Anna", "husband", "Tom"),
    ("Tom", "lives in", "Lisbon"),
    ("Tom", "works as", "engineer"),
    ("You", "brother", "Leo"),
    ("Leo", "moved to", "Berlin"),
    ("Leo", "does not like", "coffee"),
    ("You", "likes", "black coffee"),
    ("You", "is allergic to", "peanuts"),
    ("You", "dog", "Rex"),
    ("You", "has", "two cats"),
]


def facts(triplets: list[Triplet]) -> list[Fact]:
    return [told(*each, number) for number, each in enumerate(triplets)]


def said(question: str, triplets: list[Triplet] | None = None) -> str | None:
    found = answer_text(question, facts(FAMILY if triplets is None else triplets))
    return found.text if found else None


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Where does my sister live?", "Your sister Anna lives in Lisbon."),
        ("Who lives in Lisbon?", "Anna and Tom live in Lisbon."),
        ("Where does Leo live?", "Leo moved to Berlin."),
        ("What does my sister's husband do?", "Your sister Anna's husband Tom works as an engineer."),
        ("What does my brother-in-law do?", "Your brother-in-law Tom works as an engineer."),
        ("Who is Tom married to?", "Anna's husband is Tom."),
        ("Who are my siblings?", "Your sister is Anna. Your brother is Leo."),
        ("What am I allergic to?", "You are allergic to peanuts."),
        ("Do I have any pets?", "Yes, you have two cats. Your dog is Rex."),
        ("How many cats do I have?", "You have two cats."),
        ("Does Leo like coffee?", "No, Leo does not like coffee."),
        ("Who likes coffee?", "You like black coffee."),
        ("Do Anna and Leo live in Lisbon?", "Yes, Anna lives in Lisbon. No, as far as I know: Leo moved to Berlin."),
        ("Does Leo live in Berlin or Porto?", "Leo moved to Berlin."),
        ("Is Rex a dog?", "Yes, your dog is Rex."),
        ("Is my sister's name Anna?", "Yes, your sister is Anna."),
        ("Who is Leo?", "Your brother is Leo."),
    ],
)
def test_an_answer_is_facts_in_their_own_words(question: str, wanted: str) -> None:
    assert said(question) == wanted


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Where does Anna work?", "I don't know where Anna works; nothing you told me says so."),
        ("Where do I live?", "I don't know where you live; nothing you told me says so."),
        ("When is my sister's birthday?", "I don't know when your sister's birthday is; nothing you told me says so."),
        ("Did Tom study law?", "I don't know whether Tom studied law; nothing you told me says so."),
        ("What is my mother's name?", "I don't know what your mother's name is; nothing you told me says so."),
        ("Do you know where Zoe works?", "I don't know where Zoe works; nothing you told me says so."),
    ],
)
def test_it_says_that_it_does_not_know(question: str, wanted: str) -> None:
    found = answer_text(question, facts(FAMILY))
    assert found == Answer(wanted, (), known=False) or (found is not None and found.text == wanted)
    assert found is not None
    assert not found.known


def test_what_comes_nearest_is_told_with_it() -> None:
    text = said("Does Tom work at Siemens?", [("Tom", "worked at", "Bosch")])
    assert text is not None
    assert text.startswith("I don't know whether Tom works at Siemens; nothing you told me says so.")
    assert text.endswith("What I know: Tom worked at Bosch.")
    text = said("Where does Tom work?", [("Tom", "no longer works at", "Siemens")])
    assert text is not None
    assert text.startswith("I don't know where Tom works;")
    assert text.endswith("What I know: Tom no longer works at Siemens.")


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of Spain?",
        "Who is Barack Obama?",
        "How do I cook rice?",
        "What should I eat?",
        "Where can I buy milk?",
        "Do cats like milk?",
        "Am I right?",
        "How are you?",
        "What's your name?",
        "Hello!",
        "Thanks a lot",
        "I like tea.",
        "Write me a poem about Lisbon",
        "What did we talk about?",
        "",
        "???",
        "what",
    ],
)
def test_what_is_not_for_memory_is_left_to_the_model(question: str) -> None:
    assert said(question) is None


def test_the_ids_are_of_the_facts_used_and_of_those_that_led_there() -> None:
    found = answer_text("Where does my sister's husband live?", facts(FAMILY))
    assert found is not None
    assert set(found.facts) == {"f0", "f2", "f3"}


def test_both_sides_of_a_contradiction_are_told() -> None:
    text = said("Does Leo like tea?", [("Leo", "likes", "tea"), ("Leo", "does not like", "tea")])
    assert text == "You told me both: Leo likes tea. Leo does not like tea."


def test_rejected_facts_are_never_told_and_candidates_are_marked() -> None:
    rejected = told("Anna", "lives in", "Porto", 1, trust=Trust.REJECTED)
    candidate = told("Anna", "lives in", "Lisbon", 2, trust=Trust.CANDIDATE)
    found = answer_text("Where does Anna live?", [rejected, candidate])
    assert found is not None
    assert found.text == "Anna lives in Lisbon. (Not verified yet.)"


def test_a_fact_that_holds_no_more_answers_only_for_the_past() -> None:
    closed = told("Anna", "lives in", "Lisbon", valid_to=datetime(2026, 2, 1, tzinfo=UTC))
    now = answer_text("Where does Anna live?", [closed])
    assert now is not None
    assert not now.known
    assert now.text.endswith("What I know: Anna used to live in Lisbon.")
    then = answer_text("Where did Anna live?", [closed])
    assert then is not None
    assert then.text == "Anna used to live in Lisbon."


@pytest.mark.parametrize(
    ("precision", "wanted"),
    [
        (Precision.YEAR, "Anna moved to Porto in 2026."),
        (Precision.MONTH, "Anna moved to Porto in March 2026."),
        (Precision.DAY, "Anna moved to Porto on 4 March 2026."),
    ],
)
def test_when_is_answered_from_the_time_a_fact_holds_from(precision: Precision, wanted: str) -> None:
    moved = told("Anna", "moved to", "Porto", valid_from=datetime(2026, 3, 4, tzinfo=UTC), valid_precision=precision)
    found = answer_text("When did Anna move to Porto?", [moved])
    assert found is not None
    assert found.text == wanted


def test_the_owner_may_have_another_name_in_the_facts() -> None:
    question = Question(Hole.OBJECT, "lives in", "where you live", (Party(YOU),), wh="where")
    found = answer(question, [told("Maria", "lives in", "Porto")], you="Maria")
    assert found is not None
    assert found.text == "You live in Porto."


def test_other_names_lead_to_the_same_facts() -> None:
    known: list[Triplet] = [("Robert", "also called", "Bob"), ("Robert", "works at", "NVIDIA")]
    assert said("Where does Bob work?", known) == "Robert works at NVIDIA."
    known = [("my sister", "lives in", "Porto"), ("You", "sister", "Anna")]
    assert said("Where does Anna live?", known) == "Anna lives in Porto."
    assert said("Where does my sister live?", [("your sister", "lives in", "Porto")]) == "Your sister lives in Porto."


def test_likelier_readings_come_first_and_the_facts_decide() -> None:
    wrong = Question(Hole.YES_NO, "is", "whether Tom Anna's husband is", (Party("Tom Anna", ("husband",)),))
    better = Question(Hole.YES_NO, "husband", "whether Tom is Anna's husband", (Party("Anna"),), Party("Tom"))
    found = answer(replace(wrong, others=(better,)), facts(FAMILY))
    assert found is not None
    assert found.text == "Yes, Anna's husband is Tom."


def test_the_answerer_reads_a_recall() -> None:
    recall = Recall("", tuple(facts(FAMILY)), (), (), 0, Gate(True, "names Anna"))
    assert answer_from_recall("Where does Anna live?", recall) == "Anna lives in Lisbon."
    assert answer_from_recall("Hello!", recall) is None


@pytest.mark.parametrize("file", [GOLD, LATER], ids=lambda path: path.stem)
def test_the_gold_questions_are_answered(file: Path) -> None:
    lines = read(file)
    wrong = [line.question for line in lines if not right(by_itself(line), line.answer)]
    assert len(lines) >= 40
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "wanted", "ok"),
    [
        ("Anna lives in Lisbon.", ["Lisbon"], True),
        ("I know nothing.", ["No"], False),
        ("I don't know where Anna lives.", ["Anna"], False),
        ("I don't know.", None, True),
        ("Anna lives in Lisbon.", None, False),
        (None, None, False),
    ],
)
def test_the_measure_counts_what_is_right(text: str | None, wanted: list[str] | None, ok: bool) -> None:
    assert right(text, wanted) is ok
