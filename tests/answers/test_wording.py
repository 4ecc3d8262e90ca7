"""Facts as English sentences, and predicates as relations."""

from __future__ import annotations

import pytest

from memary_core.answering.families import converse, families, inverse_roles, role_fits, roles_under
from memary_core.predicates import is_role, relation, singular, stem, stems, table
from memary_core.wording import addressed, formerly, listed, past, plural, possessive, sentence, third, with_article


@pytest.mark.parametrize(
    ("subjects", "predicate", "objects", "wanted"),
    [
        (["you"], "lives in", ["Porto"], "you live in Porto"),
        (["Anna", "you"], "does not like", ["coffee"], "you and Anna do not like coffee"),
        (["Anna", "Tom"], "is a", ["doctor"], "Anna and Tom are doctors"),
        (["Anna"], "is a", ["NVIDIA engineer"], "Anna is an NVIDIA engineer"),
        (["you"], "is a", ["university student"], "you are a university student"),
        (["you"], "sister", ["Anna", "Bea"], "your sisters are Anna and Bea"),
        (["Anna"], "favourite colour", ["blue"], "Anna's favourite colour is blue"),
        (["you"], "has", ["two cats", "a dog", "diabetes"], "you have two cats, a dog and diabetes"),
        (["you"], "has", ["cat"], "you have a cat"),
        (["Lisbon"], "is capital of", ["Portugal"], "Lisbon is the capital of Portugal"),
        (["Rex"], "is friend of", ["Anna"], "Rex is a friend of Anna"),
        (["Rex"], "is friend of", ["you"], "Rex is your friend"),
        (["you"], "is afraid of", ["spiders"], "you are afraid of spiders"),
        (["you"], "no longer works at", ["X"], "you no longer work at X"),
        (["you"], "used to live in", ["Rome"], "you used to live in Rome"),
        (["Anna"], "works as", ["engineer"], "Anna works as an engineer"),
        (["Robert"], "also called", ["Bob"], "Robert is also called Bob"),
        (["you"], "was born in", ["Recife"], "you were born in Recife"),
        (["you"], "cannot stand", ["noise"], "you cannot stand noise"),
    ],
)
def test_a_sentence_agrees_with_its_subject(
    subjects: list[str], predicate: str, objects: list[str], wanted: str
) -> None:
    assert sentence(subjects, predicate, objects) == wanted


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("lives", "live"),
        ("lived", "living"),
        ("studies", "study"),
        ("colours", "color"),
        ("stopped", "stop"),
        ("wrote", "writes"),
        ("siblings", "sibling"),
        ("allergies", "allergy"),
        ("children", "child"),
    ],
)
def test_the_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_other_words_do_not() -> None:
    assert len({stem(each) for each in ("live", "like", "love", "car", "work", "walk")}) == 6


@pytest.mark.parametrize(
    ("predicate", "head", "prep", "noun", "negated"),
    [
        ("lives in", "liv", "in", False, False),
        ("does not like", "lik", "", False, True),
        ("is not allergic to", "allergic", "to", False, True),
        ("no longer works at", "work", "at", False, False),
        ("favourite colour", "favorit color", "", True, False),
        ("sister", "sister", "", True, False),
        ("coaches", "coach", "", False, False),
        ("boss", "bos", "", True, False),
    ],
)
def test_a_predicate_is_read(predicate: str, head: str, prep: str, noun: bool, negated: bool) -> None:
    read = relation(predicate)
    assert (read.head, read.prep, read.noun, read.negated) == (head, prep, noun, negated)


def test_what_holds_no_more_is_marked() -> None:
    assert relation("used to live in").former
    assert relation("no longer works at").former
    assert relation("worked at").past
    assert not relation("works at").past


def test_a_relation_is_seen_from_the_other_end() -> None:
    written = converse(relation("was written by"))
    assert written is not None
    assert written.key == relation("wrote").key
    capital = converse(relation("is capital of"))
    assert capital is not None
    assert capital.key == relation("capital").key
    assert converse(relation("is afraid of")) is None
    assert converse(relation("lives in")) is None


def test_roles_take_in_their_kinds_and_other_names() -> None:
    assert role_fits("sibl", "sister")
    assert role_fits("mum", "mother")
    assert role_fits("sister", "older sister")
    assert not role_fits("color", "favorit color")
    assert not role_fits("sister", "brother")
    assert "wif" in inverse_roles("husband")
    assert "mother" in inverse_roles("son")
    assert "dog" in roles_under("pet")
    assert is_role("sister")
    assert not is_role("cares for")


def test_words_change_their_form() -> None:
    assert [third(each) for each in ("study", "have", "watch", "play")] == ["studies", "has", "watches", "plays"]
    assert [past(each) for each in ("go", "live", "study", "stop")] == ["went", "lived", "studied", "stopped"]
    assert [plural(each) for each in ("child", "hobby", "sister-in-law")] == ["children", "hobbies", "sisters-in-law"]
    assert [singular(each) for each in ("children", "allergies", "boss")] == ["child", "allergy", "boss"]
    assert [with_article(each) for each in ("hour", "unit", "MRI")] == ["an hour", "a unit", "an MRI"]
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert addressed("my sister and I") == "your sister and you"
    assert [possessive(each) for each in ("you", "Anna", "your parents")] == ["your", "Anna's", "your parents'"]
    assert formerly("is a") == "was a"


def test_the_table_is_sound() -> None:
    names = set(families())
    assert all(each.opposite in names | {""} for each in families().values())
    assert all(each.asked and each.facts for each in families().values())
    known = {key for row in table()["roles"].items() for each in (row[0], *row[1]) for key in [stems(each)]}
    composed = {stems(step) for paths in table()["composed"].values() for path in paths for step in path}
    assert composed <= known
