"""Which known names a message means: *Jordan*, but not *the Jordan River*; *Will*, but not *will it rain*. Pure.

A name is taken at its word unless it stands in a longer name (*Paris Hilton*, *Treaty of Lisbon*, *Apollo 11*) or is
used as an ordinary word (*the max size*, *in April*). A surname after a known given name is let through where the rest
of the message asks something personal. The classes of words are those of `gate_rules.json`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memary_core.gate import UNSPACED, asks_in_english, gate, given_from, is_verb, ordinary, pattern, words
from memary_core.identity import Identities
from memary_core.models import Entity, Kind

_FROM = re.compile(r"\w+(?:ish|ian|ean|can|ese|nch|tch|ic|im|iss|eek)")
_TOKEN = re.compile(r"(?:(?!I\.)[A-Z]|Mr|Mrs|Dr|St|Prof)\.(?= )|[^\W_]+(?:['-][^\W_]+)*|[^\w\s]|\n")


@dataclass(frozen=True, slots=True)
class _Place:
    """A known name in a message, and up to three words before (nearest first) and after it; a sign ends them."""

    entity: Entity
    surface: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    first: bool
    possessive: bool
    lower: bool


def meant(text: str, known: Identities) -> list[Entity]:
    """The known entities that the message names, each once: not *Jordan* in *the Jordan River*, nor *a ruby*."""
    personal, asks = gate(text).open, asks_in_english(text)
    found = {
        place.entity.id: place.entity
        for place in _places(text, known)
        if _names(place, text.lower().replace("’", "'"), personal, asks)
    }
    return list(found.values())


def _places(text: str, known: Identities) -> Iterator[_Place]:
    """Where the message may name something known, outside of a text it gives: also as *Bob's*, or *bob*."""
    plain = text.replace("’", "'")
    given = given_from(plain)
    tokens = [(each[0], each.start(), each.end()) for each in _TOKEN.finditer(plain)]
    starts = [start for _, start, _ in tokens]
    spans = [(name.start, name.end) for name in known.named_in(text)]
    taken = {at for span in spans for at in range(*span)}
    spans += [(start, end) for word, start, end in tokens if start not in taken and not UNSPACED.match(word)]
    shouted = plain.upper() == plain
    for start, end in sorted(spans):
        bare = plain[start:end].removesuffix("'s").removesuffix("'")
        entity = known.find(bare) or known.find(text[start:end]) or _without_apostrophe(bare, known)
        if entity is None or entity.kind in (Kind.SELF, Kind.VALUE) or start >= given > 0:
            continue
        at, then = bisect_left(starts, start), bisect_left(starts, end)
        before = _run([word for word, _, _ in tokens[max(at - 3, 0) : at]][::-1])
        if before[0].lower() == "the" and f"the {bare.lower()}" in (each.lower() for each in entity.aliases):
            bare = f"the {bare}"
        after = _run([word for word, _, _ in tokens[then : then + 4] if word != "'"])
        possessive = bare not in (plain[start:end], f"the {plain[start:end]}") or plain[end : end + 1] == "'"
        lower = bare.islower() or shouted or (at == 0 and entity.name.islower())
        yield _Place(entity, bare, before, after, at == 0, possessive, lower)


def _without_apostrophe(word: str, known: Identities) -> Entity | None:
    """Whose *annas* is; nobody's where it may be a plural, as of *rose*."""
    one = word[:-1] if len(word) > 3 and word.endswith("s") else ""
    return known.find(one) if one and one.lower() not in words("like words") else None


def _run(side: Sequence[str]) -> tuple[str, ...]:
    """The first three words, up to a sign, filled with empty ones."""
    run = [word if word[0].isalnum() else "" for word in side[:3]]
    cut = run.index("") if "" in run else len(run)
    return (*run[:cut], "", "", "")[:3]


def _names(place: _Place, low: str, personal: bool, asks: bool) -> bool:
    """Does a known name, where it stands, mean what is known by it?"""
    if UNSPACED.search(place.surface):
        return True
    word, before, after = place.surface.lower(), place.before[0].lower(), place.after[0].lower()
    longer = "" if " " in word else _longer_name(place, asks)
    if longer:
        given = longer == "surname" and before not in words("article")
        return given and (personal or bool(pattern("extension").search(low)))
    if before == "the" and asks and not (personal or place.lower or " " in word or place.surface.isupper()):
        return place.entity.name.lower().startswith("the ")
    article = before in words("article") and before != "the"
    if word not in words("like words") and not (place.entity.kind is Kind.OTHER and place.entity.name.islower()):
        return not (place.lower and article)
    if place.possessive:
        return not (place.lower and before in words("pronoun"))
    if place.lower:
        return _stands_as_name(place, personal or not asks)
    if word in words("month") and (before in words("before months") or (before + after).isdigit()):
        return False
    if word in words("technologies") and not personal and set(re.findall(r"\w+", low)) & words("technology"):
        return False
    return not article and not (place.first and after in words("pronoun"))


def _longer_name(place: _Place, asks: bool) -> str:
    """`surname` where the name goes on (*Paris Hilton*), `other` where it is a part of another (*Lake Victoria*)."""
    before, after = ([each.lower() for each in side] for side in (place.before, place.after))
    big = [not place.lower and each[:1].isupper() for each in (*place.before[:2], *place.after[:2])]
    in_title = big[0] and not ordinary(before[0]) and (before[1] or asks)
    part = (
        after[0].isdigit() or (before[0].isdigit() and big[1]),
        before[0] in words("called") and before[1] in ("the", "first", "given"),
        before[0] in words("sort") or (after[0] == "the" and after[1] in words("sort")),
        after[0] in ("a", "an") and place.lower and (after[1] in words("sort") or "name" in after),
        before[0] in words("rank") or (after[0] in words("feature") and not place.possessive),
        before[0] in words("of works") and before[1] == "who",
        after[0] == "of" and (big[3] or place.lower),
        after[0] == "the" and (big[3] or before[1] == "who"),
        before[0] == "of" and (before[1] in words("of what") or (big[1] and before[2])),
        in_title,
    )
    if any(part):
        return "other"
    if after[0] in words("name particle") and not place.possessive and place.after[1][:1].isupper():
        return "surname"
    whole = place.possessive or ordinary(after[0])
    asks_whether = before[0] in words("be") and not before[1]
    if big[2] and not whole:
        return "" if asks_whether and _FROM.fullmatch(after[0]) and ordinary(after[1]) else "surname"
    if not (place.lower and asks):
        return ""
    if not ordinary(before[0]) and (not before[1] or before[1] in words("particle") | words("aux")):
        return "other"
    if whole or asks_whether or not before[0] or before[0] in words("giving"):
        return ""
    if before[0] in words("aux") - words("be"):
        fronted = before[1] not in ("", "when", "where", "why", "how") and not ordinary(after[1])
        return "surname" if after[1] and (fronted or is_verb(after[1])) else ""
    return "surname"


def _stands_as_name(place: _Place, personal: bool) -> bool:
    """Is an ordinary word in lower case used as a name: *is max coming*, *does bob like tea*?"""
    before, after = ([each.lower() for each in side] for side in (place.before, place.after))
    if after[0] == "and" and after[1] in ("i", "me"):
        return True
    if place.first:
        doing = after[0] == "is" and after[1].endswith("ing")
        told = after[0].endswith(("s", "ed")) or after[0] in words("told")
        return not any(after) or doing or (told and is_verb(after[0]))
    if place.surface.lower() in words("languages of code") and not personal:
        return False
    if before[0] in words("asking of names") and ((after[0] and ordinary(after[0])) or (before[1] or " ") != "what"):
        if before[1] == "what" or before[0].startswith("what"):
            return bool(after[0]) and ordinary(after[0]) and after[0] not in words("of things")
        measured = before[1] in words("measures") | words("sort") or (before[1] == "how" and after[0] == "work")
        return ordinary(after[0]) and not measured
    beside = before[0] in words("beside names")
    return personal and beside and ordinary(after[0]) and after[0] not in words("pronoun")
