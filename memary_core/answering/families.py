"""Families, pure: which relations answer which, and which roles and kinds of things a word takes in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from memary_core.predicates import Relation, relation, role_key, roles, same_roles, stem, table


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
    known = " " in doer or doer in roles() or any(doer in under for under in roles().values())
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
    named: bool = False

    def answers(self, asked: Relation, wh: str) -> bool:
        """Is this the family for a question with that relation and question word, empty for yes or no?"""
        return asked.key in self.asked and (not self.wh or wh in self.wh)


@lru_cache(maxsize=1)
def families() -> Mapping[str, Family]:
    """All families by name."""
    return {name: _family(name, row) for name, row in table()["families"].items()}


def _family(name: str, row: Mapping[str, Any]) -> Family:
    keys = {part: frozenset(relation(each).key for each in row.get(part, ())) for part in ("asked", "facts", "else")}
    flags = {each: bool(row.get(each)) for each in ("single", "both", "personal", "time", "number", "named")}
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


def families_asked(asked: Relation) -> tuple[Family, ...]:
    """The families that may answer a relation, whatever the question word."""
    return tuple(each for each in families().values() if asked.key in each.asked)


def families_for(asked: Relation, wh: str) -> tuple[Family, ...]:
    """The families that may answer a question."""
    return tuple(each for each in families().values() if each.answers(asked, wh))


def is_asked(phrase: str) -> bool:
    """Is a phrase, whole, one that a family lists as asked for, such as *does for a living*?"""
    return bool(families_asked(relation(phrase)))


def _plain(role: str) -> str:
    """A role, as stems, under the name the table uses for it; *older sis* → older sister."""
    *others, head = role.split()
    same = same_roles()
    return same.get(role) or " ".join([*others, same.get(head, head)])


@lru_cache(maxsize=1024)
def roles_under(role: str) -> frozenset[str]:
    """The roles, as stems, that someone asking for `role` (stems) may mean: itself and its kinds."""
    found: set[str] = set()
    waiting = [_plain(role)]
    while waiting:
        if (each := waiting.pop()) not in found:
            found.add(each)
            waiting += roles().get(each, ())
    return frozenset(found)


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
        for here, there in ((role_key(one), role_key(other)), (role_key(other), role_key(one))):
            if _plain(role) in roles_under(here):
                found |= roles_under(there)
    return frozenset(found)
