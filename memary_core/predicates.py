"""Predicates, pure: the words of a fact's predicate to the relation they name, and which relations answer which.

`predicates.json` is the table behind it, made to be read and edited: families of predicates that answer one
another, roles (*mum* is a mother, a sister is a sibling), kinds of things and irregular verbs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from typing import Any

PLACE = frozenset(
    "in at on near to from by around outside inside into beside behind across next opposite off".split()
)
PREPOSITIONS = PLACE | frozenset(
    "with for of as about onto over under after before through against between during without since "
    "within until towards toward among like up".split()
)
BE = frozenset("is are was were am be been being".split())
_ARTICLES = frozenset("a an the".split())
_NEGATED = re.compile(
    r"^(?:(?:does|do|did)(?: not|n't)|never|no longer|used to|(?:is|are|was|were|am)(?: not|n't| no longer| never)"
    r"|cannot|can not|can't)\b"
)
_ALSO_VERBS = frozenset({"coach", "mentor", "fish", "snak", "ferret", "mat"})
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
    return {form: row[0] for row in rows for form in row[1:]}


def words(text: str) -> list[str]:
    """The words of a text in lower case, without signs."""
    return [each for each in _SIGNS.split(text.lower().replace("’", "'")) if each]


@lru_cache(maxsize=65_536)
def stem(word: str, base: bool = False) -> str:
    """The key under which the forms of one word meet: *lives*, *lived* and *living*, *colours* and *color*.

    With `base`, `word` is already a base form, so that *found* (to found) is not taken for the past of *find*.
    """
    low = word.lower().replace("’", "'").removesuffix("'s")
    if not base:
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


def relation(predicate: str, base: bool = False) -> Relation:
    """Read a predicate: *lives in*, *does not like*, *is allergic to*, *no longer works at*, *favourite colour*.

    With `base`, its verb is given in the base form, as questions with *do* have it.
    """
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
    noun = not (negated or former or base or is_verb(parts[0]))
    if noun:
        return Relation(" ".join(stems(low)), noun=True)
    be = parts[0] in BE
    past = past or parts[0] in ("was", "were") or _is_past(parts[0])
    rest = parts[1:] if be else parts
    if be and rest in (["a"], ["an"]):
        return Relation("", "a", True, False, negated, past, former)
    rest = [each for each in rest if each not in _ARTICLES]
    prep = rest[-1] if rest and rest[-1] in PREPOSITIONS and (be or len(rest) > 1) else ""
    head = [stem(each, base=base and not i) for i, each in enumerate(rest[:-1] if prep else rest)]
    return Relation(" ".join(head), prep, be, False, negated, past, former)


def is_verb(word: str) -> bool:
    """Does a predicate that begins with `word` begin with a verb? A noun such as *sister* or *boss* does not."""
    if word in BE or word in ("has", "have", "had", "does", "can", "cannot", "will"):
        return True
    if stem(word) in _role_stems() - _ALSO_VERBS:
        return False
    if word in _irregular():
        return not any(word in row.split() for row in table()["plurals"])
    return (len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "'s"))) or _is_past(word)


def _is_past(word: str) -> bool:
    if word in _irregular():
        return not word.endswith(("s", "ing")) and word not in ("are", "am", "been")
    return len(word) > 4 and word.endswith("ed") and word[-3] != "e"


def converse(given: Relation) -> Relation | None:
    """The relation seen from the other end: *was written by* → wrote, *is capital of* → capital. None for most."""
    if not given.be or given.prep not in ("by", "of") or not given.head:
        return None
    if given.prep == "by":
        return Relation(given.head, negated=given.negated, past=given.past, former=given.former)
    if given.head.split()[-1] in {stem(each) for each in table()["of_adjectives"]}:
        return None
    return replace(given, prep="", be=False, noun=True)


def agent_verb(noun: str) -> str:
    """What a doer does, both as stems: *founder* → found, *author* → writ; empty for a noun of another kind."""
    doer = _plain(noun)
    known = " " in doer or doer in _roles() or any(doer in under for under in _roles().values())
    return "" if known or not doer.endswith(("er", "or")) else doer[:-2]


@dataclass(frozen=True, slots=True)
class Family:
    """Relations that answer one another, as `predicates.json` lists them."""

    name: str
    asked: frozenset[tuple[str, str, bool, bool, bool]]
    facts: frozenset[tuple[str, str, bool, bool, bool]]
    otherwise: frozenset[tuple[str, str, bool, bool, bool]]
    wh: frozenset[str]
    opposite: str = ""
    single: bool = False
    both: bool = False
    personal: bool = False
    time: bool = False
    number: bool = False

    def answers(self, asked: Relation, wh: str) -> bool:
        """Is this the family for a question with that relation and question word, empty for yes or no?"""
        return asked.key in self.asked and (not self.wh or wh in self.wh)


@lru_cache(maxsize=1)
def families() -> Mapping[str, Family]:
    """All families by name."""
    return {name: _family(name, row) for name, row in table()["families"].items()}


def _family(name: str, row: Mapping[str, Any]) -> Family:
    keys = {part: frozenset(relation(each).key for each in row.get(part, ())) for part in ("asked", "facts", "else")}
    flags = {each: bool(row.get(each)) for each in ("single", "both", "personal", "time", "number")}
    wh = row.get("wh", ())
    return Family(
        name,
        keys["asked"],
        keys["facts"],
        keys["else"],
        frozenset([wh] if isinstance(wh, str) else wh),
        row.get("opposite", ""),
        **flags,
    )


def families_for(asked: Relation, wh: str) -> tuple[Family, ...]:
    """The families that may answer a question."""
    return tuple(each for each in families().values() if each.answers(asked, wh))


def is_asked(phrase: str) -> bool:
    """Is a phrase, whole, one that a family lists as asked for, such as *does for a living*?"""
    key = relation(phrase).key
    return any(key in each.asked for each in families().values())


@lru_cache(maxsize=1)
def _same_roles() -> Mapping[str, str]:
    """Every other name of a role to the one the table uses: *mum* → mother."""
    return {_key(each): _key(row[0]) for row in table()["same_roles"] for each in row[1:]}


@lru_cache(maxsize=1)
def _roles() -> Mapping[str, frozenset[str]]:
    return {_key(role): frozenset(map(_key, under)) for role, under in table()["roles"].items()}


@lru_cache(maxsize=1)
def _role_stems() -> frozenset[str]:
    every = set(_roles()) | set(_same_roles()) | set(_same_roles().values())
    return frozenset(every.union(*_roles().values()))


def singular(noun: str) -> str:
    """One of what a noun names: *sisters* → sister, *allergies* → allergy, *children* → child."""
    head, space, last = noun.rpartition(" ")
    for row in table()["plurals"]:
        if last in row.split():
            return head + space + row.split()[0]
    if last.endswith("ies") and len(last) > 4:
        last = last[:-3] + "y"
    elif last.endswith(("sses", "shes", "ches", "xes")):
        last = last[:-2]
    elif last.endswith("s") and not last.endswith(("ss", "us", "is")) and len(last) > 3:
        last = last[:-1]
    return head + space + last


def _key(text: str) -> str:
    return " ".join(stems(text))


def _plain(role: str) -> str:
    """A role, as stems, under the name the table uses for it; *older sis* → older sister."""
    *others, head = role.split()
    same = _same_roles()
    return same.get(role) or " ".join([*others, same.get(head, head)])


@lru_cache(maxsize=1024)
def roles_under(role: str) -> frozenset[str]:
    """The roles, as stems, that someone asking for `role` (stems) may mean: itself and its kinds."""
    found: set[str] = set()
    waiting = [_plain(role)]
    while waiting:
        if (each := waiting.pop()) not in found:
            found.add(each)
            waiting += _roles().get(each, ())
    return frozenset(found)


def is_role(text: str) -> bool:
    """Is this a word for someone's relation, pet or property that the table knows, such as *sister*?"""
    head = stems(text)[-1:]
    return bool(head) and (head[0] in _role_stems() or _key(text) in _role_stems())


def role_fits(asked: str, told: str) -> bool:
    """May a fact with the noun `told` answer a question for the noun `asked`? Both as stems.

    *sister* is answered by *older sister*, but *colour* not by *favourite colour*, nor *husband* by *ex husband*.
    """
    asked, told = _plain(asked), _plain(told)
    if told in roles_under(asked):
        return True
    *asked_with, asked_head = asked.split()
    *told_with, told_head = told.split()
    extra = set(told_with) - set(asked_with)
    if extra & {"favorit", "ex", "form", "late", "best"} - ({"best"} if asked_head == "friend" else set()):
        return False
    return set(asked_with) <= set(told_with) and (told_head == asked_head or told_head in roles_under(asked_head))


def inverse_roles(role: str) -> frozenset[str]:
    """The roles that Tom has for Anna when Anna's `role` (stems) is Tom, turned round: *husband* → husband, wife."""
    found: set[str] = set()
    for one, other in table()["inverse"]:
        for here, there in ((_key(one), _key(other)), (_key(other), _key(one))):
            if _plain(role) in roles_under(here):
                found |= roles_under(there)
    return frozenset(found)
