from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memary_core.errors import InvalidInput
from memary_core.identity import Identities, canonical_key, checked_name, is_value
from memary_core.models import Entity, Kind
from tests.hostile import NAMES

YOU = Entity("you", "You", Kind.SELF)

SAME = [
    ["Paris", "paris", " PARIS ", "Paris's", "“Paris”", "Paris’s", "'Paris'", "Paris,", "(Paris)", "Ｐａｒｉｓ"],
    ["東京", " 東京 ", "「東京」", "東京。"],
    ["Москва", "москва", "«Москва»"],
    ["The Beatles", "Beatles", "the beatles"],
    ["Jean-Luc", "Jean‐Luc", "jean–luc", "Jean—Luc"],
    ["O'Brien", "O’Brien", "O`Brien", "o'brien's"],
    ["Café", "Cafe\u0301", "CAFÉ"],
    ["Straße", "STRASSE"],
    ["New  York", "New York", "new\u00a0york", "New\tYork"],
]
APART = [
    ("C", "C++"),
    ("C", "C#"),
    ("C++", "C#"),
    ("Müller", "Möller"),
    ("北京大学", "上海大学"),
    ("iPhone 14", "iPhone 15"),
    ("Louis XIV", "Louis XV"),
    (".NET", "net"),
    ("The Who", "WHO"),
    ("US", "us"),
    ("IT", "it"),
    ("An Na", "Na"),
    ("McDonald's", "McDonald"),
    ("Москва", "Минск"),
    ("R&D", "RD"),
    ("Iran", "Iraq"),
    ("Ana", "Anna"),
    ("東京", "京都"),
    ("GPT-4", "GPT-4o"),
]


@pytest.mark.parametrize("names", SAME, ids=lambda names: names[0])
def test_spellings_of_one_name_have_one_key(names: list[str]) -> None:
    assert len({canonical_key(name) for name in names}) == 1


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_tells_things_apart_is_kept(one: str, other: str) -> None:
    assert canonical_key(one) != canonical_key(other)


@given(st.text(max_size=40))
def test_a_key_is_its_own_key(name: str) -> None:
    assert canonical_key(canonical_key(name)) == canonical_key(name)


@given(st.text(max_size=40))
def test_composition_and_width_do_not_matter(name: str) -> None:
    key = canonical_key(name)
    assert canonical_key(unicodedata.normalize("NFD", name)) == key
    assert canonical_key(unicodedata.normalize("NFKC", name)) == key


@given(st.text(min_size=1, max_size=20))
def test_only_a_blank_name_has_an_empty_key(name: str) -> None:
    key = canonical_key(name)
    blank = not name.translate(dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))).strip()
    assert (key == "") == blank


@pytest.mark.parametrize("name", ["", "   ", "\n\t", "\u200b"])
def test_a_blank_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="blank"):
        checked_name(name)


def test_a_name_of_over_10_000_characters_is_refused_and_one_of_10_000_is_not() -> None:
    assert len(checked_name("x" * 10_000)) == 10_000
    with pytest.raises(InvalidInput, match="10,000"):
        checked_name("x" * 10_001)


def test_nul_and_lone_surrogates_become_the_replacement_character() -> None:
    assert checked_name("An\0na") == "An\ufffdna"
    assert checked_name("An\ud800na") == "An\ufffdna"


@pytest.mark.parametrize("name", ["2024", "3.14", "12:30", "50 %", "+351 912"])
def test_figures_are_values(name: str) -> None:
    assert is_value(name)


@pytest.mark.parametrize("name", ["Anna", "iPhone 14", "R2-D2", "東京", "!!!"])
def test_names_with_letters_are_no_values(name: str) -> None:
    assert not is_value(name)


def known(*names: str) -> Identities:
    identities = Identities(YOU)
    for number, name in enumerate(names):
        identities.add(Entity(str(number), name))
    return identities


@pytest.mark.parametrize(
    ("names", "text", "found"),
    [
        (["Anna"], "does ANNA know?", ["ANNA"]),
        (["Anna"], "Annabel came", []),
        (["Anna"], "Anna's dog", ["Anna's"]),
        (["New York", "New York City"], "in new york city today", ["new york city"]),
        (["C++", ".NET"], "I write C++ and .NET code.", ["C++", ".NET"]),
        (["東京"], "東京に住んでいます", ["東京"]),
        (["Will"], "will it rain, Will?", ["Will"]),
        (["US"], "tell us about the US", ["US"]),
        (["Critical Software"], "at Critical Software.", ["Critical Software"]),
        (["Jean-Luc"], "Jean-Luc came", ["Jean-Luc"]),
        (["São Paulo"], "SÃO PAULO!", ["SÃO PAULO"]),
    ],
)
def test_known_names_are_found_as_whole_words(names: list[str], text: str, found: list[str]) -> None:
    hits = known(*names).named_in(text)
    assert [hit.text for hit in hits] == found
    assert all(text[hit.start : hit.end] == hit.text for hit in hits)


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_name_is_found_by_itself(name: str) -> None:
    found = known(checked_name(name)).find(name)
    assert found is not None and found.id == "0"


def test_a_renamed_entity_answers_to_both_names() -> None:
    identities = known("NYC")
    identities.rename("0", "New York City")
    assert identities.by_id["0"].name == "New York City"
    assert identities.find("nyc") is identities.find("new york city") is identities.by_id["0"]


def test_a_rename_read_before_the_entity_is_kept_for_it() -> None:
    identities = Identities(YOU)
    identities.rename("0", "New York City")
    assert identities.add(Entity("0", "NYC")).name == "New York City"
    assert identities.find("NYC") is not None


def test_my_sister_is_ambiguous_once_there_are_two() -> None:
    identities = known("Anna", "Eva")
    identities.set_role("you", "sister", "0")
    assert identities.role("you", "Sister") is identities.by_id["0"]
    identities.set_role("you", "sister", "1")
    assert identities.role("you", "sister") is None
    assert identities.role("0", "sister") is None


def test_search_puts_beginnings_first() -> None:
    assert [each.name for each in known("Joanna", "Anna", "Annabel").search("ann")] == ["Anna", "Annabel", "Joanna"]
