"""A book of facts, pure: who is meant by a name or by a chain of roles, and which facts fit a relation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from memary_core.answering.families import (
    Family,
    agent_verb,
    converse,
    families,
    families_asked,
    inverse_roles,
    role_fits,
    roles_under,
)
from memary_core.answering.questions import ANY, Party
from memary_core.identity import canonical_key
from memary_core.models import YOU, Fact, Trust
from memary_core.predicates import PLACE, Relation, relation, stems, table
from memary_core.wording import addressed, possessive

_NUMBERED = re.compile(r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty)\b")
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_TIME = re.compile(
    rf"\b(?:(?:{_MONTHS}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|1\d{{3}}\b|20\d\d\b|\d\d?(?:st|nd|rd|th)\b"
    r"|\d\d?[/.:-]\d\d?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:spring|summer|autumn|winter|fall)\b"
    r"|yesterday\b|today\b|last (?:week|month|year)\b|\d+ (?:years|months|weeks|days)\b|o'clock\b|noon\b|midnight\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Edge:
    """A fact as one relation between two keys; one fact may give several, read from either end."""

    subject: str
    relation: Relation
    object: str
    fact: Fact

    @property
    def over(self) -> bool:
        """Is this told to hold no more?"""
        return self.relation.former or self.fact.valid_to is not None


@dataclass(frozen=True, slots=True)
class Found:
    """An entity that a `Party` may be, how to call it, and the facts that led there."""

    key: str
    label: str
    through: tuple[Fact, ...] = ()


@dataclass(slots=True)
class FactBook:
    """Facts to look things up in. Rejected ones are left out; `you` is the owner's name in them."""

    facts: Sequence[Fact]
    you: str = YOU
    edges: list[Edge] = field(default_factory=list)
    _shown: dict[str, str] = field(default_factory=dict)
    _same: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.facts = [fact for fact in self.facts if fact.trust is not Trust.REJECTED]
        for name in (name for fact in self.facts for name in (fact.subject, fact.object)):
            self._shown.setdefault(_owned_key(name), name)
        names = families()["nickname"].facts | families()["name"].facts
        told = [(fact, relation(fact.predicate)) for fact in self.facts]
        for fact, said in told:
            if said.key in names:
                self._unite(fact.object, fact.subject)
        for fact, said in told:
            self._unite_role(fact, said, told)
        for fact, said in told:
            self._add(fact, said)

    def _add(self, fact: Fact, said: Relation) -> None:
        one, other = self.key(fact.subject), self.key(fact.object)
        self.edges.append(Edge(one, said, other, fact))
        if turned := converse(said):
            one, said, other = other, turned, one
            self.edges.append(Edge(one, said, other, fact))
        *kind, last = stems(fact.object) or ("",)
        if said.head == "hav" and last == "allergi" and kind and not said.negated:
            self.edges.append(Edge(one, relation("is allergic to"), " ".join(kind), fact))
        if said.noun and (does := agent_verb(said.head)):
            self.edges.append(Edge(other, Relation(does), one, fact))
        if not (said.noun or said.be or said.prep or said.negated or " " in said.head):
            self.edges += [Edge(other, Relation(said.head + end, noun=True), one, fact) for end in ("er", "or")]

    def _unite(self, name: str, main: str) -> None:
        if (alias := _owned_key(name)) != self.key(main):
            self._same[alias] = self.key(main)

    def _unite_role(self, fact: Fact, said: Relation, told: Iterable[tuple[Fact, Relation]]) -> None:
        """*My sister* is Anna where the facts name one sister."""
        literal = canonical_key(self._literal(self.key(fact.subject), fact.predicate))
        if said.noun and literal in self._shown:
            holders = {each.object for each, other in told if other == said and each.subject == fact.subject}
            if len(holders) == 1:
                self._unite(literal, fact.object)

    def _literal(self, owner: str, role: str) -> str:
        return f"my {role}" if owner == self.key(self.you) else f"{self._shown.get(owner, owner)}'s {role}"

    def key(self, name: str) -> str:
        """The key that all names of one entity share."""
        found = _owned_key(name)
        for _ in range(4):
            found = self._same.get(found, found)
        return found

    def show(self, key: str) -> str:
        """An entity's name as said to the owner."""
        return "you" if key == self.key(self.you) else addressed(self._shown.get(key, key))

    def knows(self, key: str) -> bool:
        """Is the entity in any fact?"""
        return key in self._shown

    def find(self, party: Party) -> list[Found]:
        """The entities that `party` may be; none where a name or role is not in the facts."""
        start = self.key(self.you) if party.name == YOU else self._named(party.name)
        if not start and party.roles:
            start = self.key(party.name)
        found = [Found(start, self.show(start))] if start else []
        for role in party.roles:
            found = [held for each in found for held in self._step(each, role) or self.composed(each, role)]
        return found

    def composed(self, owner: Found, role: str) -> list[Found]:
        """Who has a role that is a chain of roles: a *brother-in-law* is a sister's husband."""
        asked = roles_under(" ".join(stems(role)))
        found: list[Found] = []
        for name, paths in table()["composed"].items():
            for path in paths if " ".join(stems(name)) in asked else ():
                reached = [owner]
                for step in path:
                    reached = [held for each in reached for held in self._step(each, step)]
                found += [
                    replace(each, label=f"{possessive(owner.label)} {role} {self.show(each.key)}") for each in reached
                ]
        return found

    def _named(self, name: str) -> str | None:
        if self.knows(key := self.key(name)) or key == self.key(self.you):
            return key
        parts = set(key.split())
        fuller = [each for each in self._shown if parts <= set(each.split()) and not re.match(r"my |.*'s ", each)]
        return self.key(fuller[0]) if len(fuller) == 1 and name[:1].isupper() else None

    def _step(self, owner: Found, role: str) -> list[Found]:
        held = self.holders(owner.key, role)
        found = [
            Found(
                key,
                f"{possessive(owner.label)} {edge.fact.predicate if edge.relation.noun else role} {self.show(key)}"
                if self.knows(key) and not re.match(r"(?:my|your) |.*'s ", self._shown[key])
                else self.show(key),
                (*owner.through, edge.fact),
            )
            for key, edge in held.items()
        ]
        literal = self.key(self._literal(owner.key, role))
        if self.knows(literal) and literal not in held:
            found.append(Found(literal, self.show(literal), owner.through))
        return found

    def holders(self, owner: str, role: str) -> dict[str, Edge]:
        """Who has `role` for the entity `owner`, each with the edge that says so."""
        asked = " ".join(stems(role))
        direct = {
            e.object: e
            for e in self.edges
            if e.subject == owner and e.relation.noun and role_fits(asked, e.relation.head)
        }
        for family in families_asked(Relation(asked, noun=True)) if not direct else ():
            told = [e for e in self.edges if e.subject == owner and e.relation.key in family.facts]
            direct = {e.object: e for e in told if not e.over and is_name(e.fact.object)} or direct
        return direct or {(e.subject if e.object == owner else e.object): e for e in self.turned(owner, asked)}

    def turned(self, owner: str, asked: str) -> list[Edge]:
        """Edges told from the other end: *Tom's wife* from *Anna's husband is Tom*, or from a marriage."""
        spouse = bool(roles_under(asked) & roles_under("spous"))
        married = families()["marry"].facts
        return [
            e
            for e in self.edges
            if (e.object == owner and e.relation.noun and roles_under(asked) & inverse_roles(e.relation.head))
            or (spouse and owner in (e.subject, e.object) and not e.relation.noun and e.relation.key in married)
        ]

    def same(self, party: Party, edge: Edge) -> bool:
        """May the edge's object be what `party` names? *coffee* is answered by *black coffee*."""
        if party.name.lower() in ANY and not party.roles:
            return True
        if party.roles or self.key(party.name) == edge.object:
            return edge.object in {each.key for each in self.find(party)}
        if party.name == YOU:
            return edge.object == self.key(self.you)
        asked = stems(party.name)
        return any(
            bool(asked) and bool(told) and asked[-1] == told[-1] and set(asked) <= set(told)
            for told in (stems(edge.fact.object), stems(edge.object))
        )

    def person(self, key: str) -> bool:
        """Is the entity someone, or a pet, whom the owner may ask about? Seen from the facts told of it."""
        personal = frozenset(each for family in families().values() if family.personal for each in family.facts)
        people = roles_under("relativ") | roles_under("pet") | {r for row in table()["inverse"] for r in row}
        both = frozenset(each for f in families().values() if f.both and f.personal for each in f.facts)
        return any(
            (e.subject == key and (e.relation.key in personal or e.relation.negated))
            or (e.object == key and e.relation.key in both and is_name(self.show(key)))
            or (e.object == key and e.relation.noun and e.relation.head.split()[-1:] and self._someone(e, people))
            for e in self.edges
        ) or bool(re.match(r"my |.*'s ", key))

    def _someone(self, edge: Edge, people: frozenset[str]) -> bool:
        return self.show(edge.object)[:1].isupper() and (
            edge.relation.head.split()[-1] in people or edge.subject == self.key(self.you)
        )


def _owned_key(name: str) -> str:
    """A name's key, with *your sister* and *my sister* as one."""
    key = canonical_key(name)
    return "my " + key.removeprefix("your ") if key.startswith("your ") else key


def has_number(text: str) -> bool:
    """Does a text hold a number, in digits or words?"""
    return bool(_NUMBERED.search(text.lower()))


def has_time(text: str) -> bool:
    """Does a text hold a date, a month, a weekday or the like?"""
    return bool(_TIME.search(text))


def is_name(text: str) -> bool:
    """Does a text look like somebody's name or a role, and not like a thing?"""
    return text[:1].isupper() or bool(re.match(r"(?:my|your|our) |.*'s |you$", text))


def of_kind(edges: list[Edge], kind: str, *, strict: bool = False) -> list[Edge]:
    """The edges whose object is of the kind asked for, else those of no other kind; with `strict`, only those
    of the kind if the table knows it."""
    asked = stems(kind)[-1:]
    members = {name: {stems(each)[-1] for each in row} for name, row in table()["kinds"].items()}
    mine = next((row for name, row in members.items() if stems(name) == asked), set())
    others = {each for row in members.values() for each in row} - mine

    def last(edge: Edge) -> str:
        return (stems(edge.fact.object) or ("",))[-1]

    hits = [e for e in edges if last(e) in mine or asked[0] in stems(e.fact.object)] if asked else []
    if strict and mine:
        return hits
    return hits or [e for e in edges if not mine or last(e) not in others]


def grading(asked: Relation, wh: str, answering: Sequence[Family]) -> Callable[[Relation], int | None]:
    """How well a fact's relation answers a question's: 0 yes, 1 for want of better, None not at all."""

    def grade(told: Relation) -> int | None:
        if any(told.key in family.facts for family in answering):
            return 0
        if asked.noun:
            if told.noun and role_fits(asked.head, told.head):
                return 0
        elif (told.head, told.be, told.noun, told.negated) == (asked.head, asked.be, False, asked.negated):
            if wh == "where" and not asked.prep:
                fits = told.prep in PLACE
            else:
                fits = told.prep == asked.prep or (not asked.prep and wh in ("when", "whether"))
            if fits and (asked.head or asked.prep == told.prep):
                return 0
        return 1 if any(told.key in family.otherwise for family in answering) else None

    return grade
