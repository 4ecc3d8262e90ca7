"""Predicates, pure: the words of a fact's predicate to the relation they name.

`predicates.json` is the table behind it, made to be read and edited: families of predicates that answer one
another, roles (*mum* is a mother, a sister is a sibling), kinds of things and irregular verbs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

PLACE = frozenset("in at on near to from by around outside inside into beside behind across next opposite off".split())
PREPOSITIONS = PLACE | frozenset(
    "with for of as about onto over under after before through against between during without since "
    "within until towards toward among like up than".split()
)
BE = frozenset("is are was were am be been being".split())
_ADJECTIVES = frozenset("interesting boring charming willing amazing annoying exciting caring loving missing".split())
_ARTICLES = frozenset("a an the".split())
_NEGATED = re.compile(
    r"^(?:(?:does|do|did)(?: not|n't)|never|no longer|used to|(?:is|are|was|were|am)(?: not|n't| no longer| never)"
    r"|cannot|can not|can't)\b"
)
_SIGNS = re.compile(r"[^\w'’-]+")


@lru_cache(maxsize=1)
def table() -> Mapping[str, Any]:
    """`predicates.json`, read once, when first needed."""
    loaded: Mapping[str, Any] = json.loads(
        resources.files("memary_core").joinpath("predicates.json").read_text("utf-8")
    )
    return loaded


@lru_cache(maxsize=1)
def _irregular() -> Mapping[str, str]:
    """Every irregular form, of verbs and of plurals, to its base."""
    rows = [row.split() for row in (*table()["verbs"], *table()["plurals"])]
    return {form: row[0] for row in rows for form in row[1:] or row}


def words(text: str) -> list[str]:
    """The words of a text in lower case, without signs."""
    return [each for each in _SIGNS.split(text.lower().replace("’", "'")) if each]


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The key under which the forms of one word meet: *lives*, *lived* and *living*, *colours* and *color*."""
    low = word.lower().replace("’", "'").removesuffix("'s")
    low = _irregular().get(low, low)
    low = low.replace("our", "or").replace("ise", "ize").replace("grey", "gray")
    if len(low) > 4 and low.endswith(("ies", "ied")):
        low = low[:-3] + "y"
    elif len(low) > 4 and low.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        low = low[:-2]
    elif len(low) > 3 and low.endswith("s") and not low.endswith(("ss", "us", "is")):
        low = low[:-1]
    if len(low) > 5 and low.endswith("ing") and re.search("[aeiouy]", low[:-3]):
        low = low[:-3]
    elif len(low) > 4 and low.endswith("ed") and low[-3] != "e" and re.search("[aeiouy]", low[:-2]):
        low = low[:-2]
    low = re.sub(r"([^aeiou])\1$", r"\1", low.removesuffix("e"))
    return low[:-1] + "i" if len(low) > 2 and low.endswith("y") else low


def stems(text: str) -> tuple[str, ...]:
    """The stems of a text's words, without articles."""
    return tuple(stem(each) for each in words(text) if each not in _ARTICLES)


@dataclass(frozen=True, slots=True)
class Relation:
    """What a predicate says: `head` in stems, its preposition, whether it is a form of *be*, or a noun (*sister*).

    `past`: told as over or done. `former`: told to hold no more. Neither is part of the relation's `key`.
    """

    head: str
    prep: str = ""
    be: bool = False
    noun: bool = False
    negated: bool = False
    past: bool = False
    former: bool = False

    @property
    def key(self) -> tuple[str, str, bool, bool, bool]:
        """What makes two relations the same."""
        return self.head, self.prep, self.be, self.noun, self.negated


def relation(predicate: str) -> Relation:
    """Read a predicate: *lives in*, *does not like*, *is allergic to*, *no longer works at*, *favourite colour*."""
    low = " ".join(words(predicate))
    negated = past = former = False
    if found := _NEGATED.match(low):
        marker, rest = found.group(), low[found.end() :].strip()
        past = marker.startswith(("did", "was", "were"))
        former = marker == "used to" or marker.endswith("no longer")
        negated = not former
        low = f"is {rest}".strip() if marker.split()[0] in BE else rest
        low = f"can {rest}" if marker.startswith("can") else low
    parts = low.split()
    if not parts:
        return Relation("", negated=negated)
    if not (negated or former or is_verb(parts[0])):
        return Relation(" ".join(stems(low)), noun=True)
    be = parts[0] in BE
    past = past or parts[0] in ("was", "were") or _is_past(parts[0])
    after = parts[1:] if be else parts
    be = be and not (after and after[0].endswith("ing") and len(after[0]) > 4 and after[0] not in _ADJECTIVES)
    if be and after in (["a"], ["an"]):
        return Relation("", "a", True, False, negated, past, former)
    after = [each for each in after if each not in _ARTICLES]
    prep = after[-1] if after and after[-1] in PREPOSITIONS and (be or len(after) > 1) else ""
    head = [stem(each) for each in (after[:-1] if prep else after)]
    return Relation(" ".join(head), prep, be, False, negated, past, former)


def is_verb(word: str) -> bool:
    """Does a predicate that begins with `word` begin with a verb? A noun such as *sister* or *boss* does not."""
    if word in BE or word in ("has", "have", "had", "does", "can", "cannot", "will"):
        return True
    if word in _role_words():
        return False
    if word in _irregular():
        return not any(word in row.split() for row in table()["plurals"])
    return (len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "'s"))) or _is_past(word)


def _is_past(word: str) -> bool:
    if word in _irregular():
        return not word.endswith(("s", "ing")) and word not in ("are", "am", "been")
    return len(word) > 4 and word.endswith("ed") and word[-3] != "e"


@lru_cache(maxsize=1)
def same_roles() -> Mapping[str, str]:
    """Every other name of a role to the one the table uses: *mum* → mother."""
    return {role_key(each): role_key(row[0]) for row in table()["same_roles"] for each in row[1:]}


@lru_cache(maxsize=1)
def roles() -> Mapping[str, frozenset[str]]:
    """Every wide role to the narrower ones it takes in: *sibling* → sister, brother."""
    return {role_key(role): frozenset(map(role_key, under)) for role, under in table()["roles"].items()}


@lru_cache(maxsize=1)
def _role_stems() -> frozenset[str]:
    every = set(roles()) | set(same_roles()) | set(same_roles().values())
    return frozenset(every.union(*roles().values()))


def singular(noun: str) -> str:
    """One of what a noun names: *sisters* → sister, *allergies* → allergy, *children* → child."""
    head, space, last = noun.rpartition(" ")
    for forms in map(str.split, table()["plurals"]):
        if last in forms:
            return f"{head}{space}{forms[0]}"
    if last.endswith("ies") and len(last) > 4:
        last = last[:-3] + "y"
    elif last.endswith(("sses", "shes", "ches", "xes")):
        last = last[:-2]
    elif last.endswith("s") and not last.endswith(("ss", "us", "is")) and len(last) > 3:
        last = last[:-1]
    return head + space + last


@lru_cache(maxsize=1)
def _role_words() -> frozenset[str]:
    """Roles of one word as written, one or many; *coaches* and *mentors* are verbs."""
    rows = [*table()["same_roles"], *([role, *under] for role, under in table()["roles"].items())]
    ones = {each for row in rows for each in row if " " not in each}
    return frozenset(ones | {f"{each}s" for each in ones - {"mentor", "ferret", "mate", "snake", "bird", "parrot"}})


def role_key(text: str) -> str:
    """A role as stems: *favourite colours* → favorit color."""
    return " ".join(stems(text))


def is_role(text: str) -> bool:
    """Is this a word for someone's relation, pet or property that the table knows, such as *sister*?"""
    head = stems(text)[-1:]
    if not head or is_verb(words(text)[0]):
        return False
    return bool(head[0] in _role_stems() or role_key(text) in _role_stems())
