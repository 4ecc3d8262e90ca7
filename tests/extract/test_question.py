"""Questions as they are read: what they leave open, and the words they name the rest by."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memary_core.answering.questions import Hole, Party, Question
from memary_core.extract.question import read_question
from memary_core.models import YOU

ANNA, ME = Party("Anna"), Party(YOU)
SISTER = Party(YOU, ("sister",))


def read(text: str) -> Question:
    found = read_question(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "hole", "relation", "subject", "thing"),
    [
        ("Where does Anna live?", Hole.OBJECT, "lives", (ANNA,), None),
        ("Which city does Anna live in?", Hole.OBJECT, "lives in", (ANNA,), None),
        ("In which city does Anna live?", Hole.OBJECT, "lives in", (ANNA,), None),
        ("where does anna live", Hole.OBJECT, "lives", (Party("anna"),), None),
        ("What does my sister's husband like?", Hole.OBJECT, "likes", (Party(YOU, ("sister", "husband")),), None),
        ("What am I allergic to?", Hole.OBJECT, "is allergic to", (ME,), None),
        ("What doesn't Anna like?", Hole.OBJECT, "does not like", (ANNA,), None),
        ("Who is my sister?", Hole.OBJECT, "sister", (ME,), None),
        ("What is the name of my dog?", Hole.OBJECT, "name", (Party(YOU, ("dog",)),), None),
        ("What is the capital of Portugal?", Hole.OBJECT, "capital", (Party("Portugal"),), None),
        ("Who lives in Lisbon?", Hole.SUBJECT, "lives in", (), Party("Lisbon")),
        ("Who wrote Dune?", Hole.SUBJECT, "wrote", (), Party("Dune")),
        ("Whose cat is Mimi?", Hole.SUBJECT, "cat", (), Party("Mimi")),
        ("Does anyone I know live in Lisbon?", Hole.SUBJECT, "lives in", (), Party("Lisbon")),
        ("Does my sister like black coffee?", Hole.YES_NO, "likes", (SISTER,), Party("black coffee")),
        ("Is Tom Anna's husband?", Hole.YES_NO, "husband", (ANNA,), Party("Tom")),
        ("Is Anna a doctor?", Hole.YES_NO, "is a", (ANNA,), Party("doctor")),
        ("Anna is a doctor, right?", Hole.YES_NO, "is a", (ANNA,), Party("doctor")),
        ("Does Will play rugby?", Hole.YES_NO, "plays", (Party("Will"),), Party("rugby")),
        ("Tell me about Anna", Hole.ABOUT, "", (ANNA,), None),
        ("What do you know about my sister?", Hole.ABOUT, "", (SISTER,), None),
        ("Who is Anna?", Hole.ABOUT, "", (ANNA,), None),
    ],
)
def test_a_question_is_read(
    text: str, hole: Hole, relation: str, subject: tuple[Party, ...], thing: Party | None
) -> None:
    found = read(text)
    assert (found.hole, found.relation, found.subject, found.object) == (hole, relation, subject, thing)


@pytest.mark.parametrize(
    "text",
    [
        "Do you know where my sister lives?",
        "Can you tell me where my sister lives, please?",
        "Remind me where my sister lives.",
        "Hey, where does my sister live again?",
        "I forgot where my sister lives.",
        "Where did I say my sister lives?",
        "Remind me, where is my sister living these days?",
    ],
)
def test_politeness_changes_nothing(text: str) -> None:
    found = read(text)
    assert (found.hole, found.relation, found.subject, found.wh) == (Hole.OBJECT, "lives", (SISTER,), "where")


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("Where does Anna live?", "where Anna lives"),
        ("Where do I live?", "where you live"),
        ("Am I married?", "whether you are married"),
        ("When did Anna move to Porto?", "when Anna moved to Porto"),
        ("What is my sister's name?", "what your sister's name is"),
        ("What are my siblings' names?", "what your siblings' names are"),
        ("How many cats do I have?", "how many cats you have"),
    ],
)
def test_the_clause_says_it_to_the_owner(text: str, clause: str) -> None:
    assert read(text).clause == clause


def test_she_is_the_one_person_named_before() -> None:
    assert read("Anna called me yesterday. Where does she live?").subject == (ANNA,)
    assert read_question("Anna met Tom. Where does she live?") is None


def test_the_last_question_is_read() -> None:
    assert read("Do you like tea? Where does Anna live?").relation == "lives"


@pytest.mark.parametrize(
    "text",
    ["", " ", "?", "Hello!", "I live in Porto.", "When I lived in Rome, I was happy.", "How are you?", "x" * 5000],
)
def test_what_asks_nothing_is_not_read(text: str) -> None:
    assert read_question(text) is None


def test_without_spacy_the_shape_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_question("Where does my sister live?", model="no_such_pipeline") is not None
    assert read("Where does my sister live?") == read_question("Where does my sister live?", "no_such_pipeline")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            "who what where is are does do my Anna 's sister of the and not like lives in , ? . I you to 👍 ' \0".split(
                " "
            )
        ),
        max_size=9,
    )
)
def test_any_words_are_read_or_refused(words: list[str]) -> None:
    found = read_question(" ".join(words))
    assert found is None or found.clause or found.hole is Hole.ABOUT
