"""Matching: the facts that a question, in one reading, may be answered with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from memary_core.answering.factbook import Edge, FactBook, Found, grading, has_number, has_time, is_name, of_kind
from memary_core.answering.families import (
    converse,
    families,
    families_asked,
    families_for,
    role_fits,
    roles_under,
)
from memary_core.answering.questions import ANY, Hole, Party, Question
from memary_core.models import YOU
from memary_core.predicates import Relation, is_role, relation, singular, stem, stems, table
from memary_core.wording import third

_ADVERBIAL = ("why", "how", "how often", "how much")
_NOT_FACTS = ("can", "sai", "tel", "talk", "discus", "ask", "mention")


class Match:
    """One reading of a question, held against the facts of a book."""

    def __init__(self, question: Question, book: FactBook) -> None:
        if over := table()["turned"].get(question.relation):
            question = _turned(question, over)
        asked = relation(question.relation)
        if (turned := converse(asked)) and not asked.negated:
            question, asked = _turned(question, question.relation), turned
            if turned.head == "employ":
                question, asked = _turned(question, "works at"), relation("works at")
        self.asked, self.question, self.book = asked, question, book
        self.past = question.past or asked.past
        self.families = families_asked(relation(f"{question.relation} {question.kind}")) if question.kind else ()
        self.families = self.families or families_for(asked, question.wh)
        verb, _, after = question.relation.removeprefix("can ").partition(" ")
        able = relation(f"{third(verb)} {after}") if asked.head.startswith("can ") else asked
        if able is not asked:
            self.families += families_for(able, question.wh)
        self.grades = grading(asked, question.wh or "whether", self.families), grading(able, question.wh, ())
        self.single = any(each.single for each in self.families) or asked.head.startswith("favorit ")
        self.parties = [book.find(each) for each in question.subject]
        self.found = {each.key: each for party in self.parties for each in party}

    def fitting(self) -> tuple[list[Edge], list[Edge]]:
        """The edges that answer, and those told for want of better."""
        graded: tuple[list[Edge], list[Edge]] = ([], [])
        told: set[tuple[str, str]] = set()
        for edge, grade in self.graded():
            if self.holds(edge) and self._is_asked_for(edge) and (edge.subject, edge.object) not in told:
                graded[grade].append(edge)
                told.add((edge.subject, edge.object))
        kind = self.question.kind
        if not kind:
            return graded
        owned = self.owned(kind) if self.having() else []
        if self.having():
            named = [e for e in graded[0] if e.relation.head != "hav" and is_name(e.fact.object) and e not in owned]
            return (owned or of_kind(named, kind, strict=True), [])
        return of_kind(graded[0], kind), of_kind(graded[1], kind)

    def having(self) -> bool:
        """Does the question ask what somebody has?"""
        return self.asked.head in ("hav", "own", "get", "keep") and not self.asked.noun

    def graded(self) -> list[tuple[Edge, int]]:
        """Every edge between the ends the question names whose relation fits, with how well it fits."""
        question, book = self.question, self.book
        if question.wh in _ADVERBIAL and not any(question.wh in each.wh for each in self.families):
            means = [e for e in self._ends(book.edges) if e.relation.prep in ("by", "with", "via", "through")]
            return [(e, 0) for e in means if question.wh == "how" and e.relation.head == self.asked.head]

        def grade(told: Relation) -> int | None:
            return next((level for each in self.grades if (level := each(told)) is not None), None)

        graded = [(e, grade(e.relation)) for e in self._ends(book.edges)]
        noun = question.kind or (question.object.name if question.object else "")
        if self.having() and noun and not self.asked.negated:
            graded += [(e, 0) for e in self.owned(noun)]
        if question.kind and self._likes():
            graded += [(e, 0) for e in self._ends(book.edges) if e.relation.head == self._favourite()]
        if question.kind and self.asked.head in ("", "do", "hav") and not question.object:
            answering = families_for(relation(question.kind), question.wh)
            graded += [(e, 0) for e in self._ends(book.edges) if any(e.relation.key in f.facts for f in answering)]
        if any(each.both for each in self.families):
            turned = [Edge(e.object, e.relation, e.subject, e.fact) for e in book.edges]
            graded += [(e, grade(e.relation)) for e in self._ends(turned)]
        hits = [(e, level) for e, level in graded if level is not None]
        if self.having() and question.hole is Hole.SUBJECT and question.object:
            pets = roles_under("pet") | roles_under("car")
            graded += [(e, 0) for e in self._ends(book.edges) if e.relation.noun and e.relation.head in pets]
            hits = [(e, level) for e, level in graded if level is not None]
        if self.asked.noun and not any(level == 0 for _, level in hits):
            for owner in self.found:
                hits += [(e, 0) for e in book.turned(owner, self.asked.head)]
            if not hits:
                chains = [each for owner in self.found.values() for each in book.composed(owner, question.relation)]
                facts = [fact for each in chains for fact in each.through]
                hits += [(next(e for e in book.edges if e.fact is fact), 0) for fact in facts]
        hits.sort(key=lambda hit: (self.past and not hit[0].over, hit[0].relation.head != self.asked.head))
        return list({(e.fact.id, e.subject): (e, level) for e, level in reversed(hits)}.values())[::-1]

    def _ends(self, edges: Iterable[Edge]) -> list[Edge]:
        """The edges that touch what the question names, at the end where it names it."""
        question = self.question
        if question.hole is Hole.SUBJECT:
            ends = [e for e in edges if not question.object or self.book.same(question.object, e)]
            among = [e for e in ends if e.subject in self.found]
            return among if self.found else [e for e in ends if not question.subject]
        ends = [e for e in edges if e.subject in self.found]
        if question.hole is Hole.OBJECT and question.object:
            ends = [e for e in ends if self.book.same(question.object, e)]
        return ends

    def owned(self, noun: str) -> list[Edge]:
        """What someone has of a kind: *pets* finds the dog Rex and two cats, *allergies* what one is allergic to."""
        asked = " ".join(each for each in stems(noun) if each not in ANY)
        under = roles_under(asked) if asked else frozenset()
        answering = families_asked(relation(_one(noun)))
        owners = set(self.found)

        def counts(e: Edge) -> bool:
            if e.relation.noun and role_fits(asked, e.relation.head) and asked:
                return True
            thing = stems(e.fact.object)
            has = e.relation.head in ("hav", "own", "keep", "adopt", "bui") and not e.relation.negated
            return (has and bool(under & set(thing))) or any(e.relation.key in f.facts for f in answering)

        owned = [e for e in self.book.edges if (not owners or e.subject in owners) and counts(e)]
        return owned or [e for owner in owners for e in self.book.turned(owner, asked)]

    def _likes(self) -> bool:
        return any(each.name in ("like", "love", "prefer") for each in self.families)

    def _favourite(self) -> str:
        return f"favorit {' '.join(stems(self.question.kind))}"

    def holds(self, edge: Edge) -> bool:
        """Is the edge told of the time the question asks about?"""
        if self.past:
            return True
        told, asked = edge.relation, self.asked
        return not edge.over and not (told.past and not asked.noun and (told.head, told.be) == (asked.head, asked.be))

    def _is_asked_for(self, edge: Edge) -> bool:
        """Is the edge's open end what the question word asks for?"""
        wh, value = self.question.wh, edge.fact.object
        if self.question.hole is Hole.SUBJECT or self.question.hole is Hole.YES_NO:
            return True
        if wh in ("when", "how long") or any(each.time for each in self.families):
            return has_time(value) or (wh in ("when", "how long") and edge.fact.valid_from is not None)
        if any(each.number for each in self.families) and edge.relation.be:
            return has_number(value)
        if wh == "where":
            return not has_time(value)
        if wh in ("who", "whom") and not edge.relation.noun and not edge.relation.be:
            return is_name(self.book.show(edge.object)) or is_role(value)
        if any(each.named for each in self.families) and edge.relation.be:
            return is_name(value)
        return True

    def matches(self, edge: Edge, thing: Party | None) -> bool:
        """Is the edge's object what the question names?"""
        if thing is None or self.book.same(thing, edge):
            return True
        return self.having() and edge in self.owned(thing.name)

    def kin(self) -> list[Edge]:
        """*Is Rex a dog?* is answered by someone's dog being Rex, *is Liv pregnant?* by *is pregnant with* twins."""
        thing = self.question.object
        if not thing or thing.roles or not (self.asked.be and not self.asked.head and not self.asked.negated):
            return []
        asked = " ".join(stems(thing.name))
        kin = [e for e in self.book.edges if e.object in self.found and e.relation.noun and asked]
        so = [e for e in self.book.edges if e.subject in self.found and e.relation.be and e.relation.head == asked]
        return [e for e in kin if role_fits(asked, e.relation.head)] + [e for e in so if not e.relation.negated]

    def denials(self) -> list[Edge]:
        """Edges that say the contrary: the same relation denied, or one of the opposite family."""
        contrary = replace(self.asked, negated=not self.asked.negated)
        opposite = {families()[each.opposite] for each in self.families if each.opposite}
        denied = {replace(contrary, prep=each) for each in ("", "a") if contrary.be and not contrary.head}
        keys = {each.key for each in denied | {contrary}}
        for each in self.families:
            keys |= {(head, prep, be, noun, not no) for head, prep, be, noun, no in each.facts if not noun}
        for each in opposite:
            keys |= each.facts
        return [e for e in self._ends(self.book.edges) if e.relation.key in keys and self.holds(e)]

    def named(self) -> list[Found]:
        """Those found by their role who have a name."""
        held = [each for each in self.found.values() if each.through and is_name(self.book.show(each.key))]
        return [each for each in held if not self.book.show(each.key).startswith(("your ", "my "))]

    def for_memory(self) -> bool:
        """Does the question ask memory about the owner, or about somebody who is known or may have been told of?"""
        question, book = self.question, self.book
        personal = any(each.personal for each in self.families) or (self.asked.noun and is_role(question.relation))
        parties = [each for each in (*question.subject, question.object) if each]
        if any(each.name == YOU for each in parties):
            return personal or self._not_advice()
        if question.hole is Hole.SUBJECT:
            return personal and question.wh in ("who", "whose", "which")
        for party in question.subject:
            key = book.key(party.name)
            if book.find(Party(party.name)):
                return any(book.person(each.key) for each in book.find(Party(party.name)))
            if not book.knows(key) and party.name[:1].isupper() and " " not in party.name:
                return personal or bool(party.roles and is_role(party.roles[0]))
        return False

    def _not_advice(self) -> bool:
        head = self.asked.head.split()[:1]
        if head and head[0] in _NOT_FACTS:
            return False
        if self.asked.be and (not self.asked.head or head[0] in {stem(each) for each in table()["small_talk"]}):
            thing = self.question.object
            small = {stem(each) for each in table()["small_talk"]}
            return thing is not None and not set(stems(thing.name)) & small
        return self.past or self.asked.noun or (head[:1] != head[1:] and head[0] not in _advice())


def _turned(question: Question, over: str) -> Question:
    """The question asked from the other end, with the relation worded as `over`."""
    ends = {Hole.SUBJECT: Hole.OBJECT, Hole.OBJECT: Hole.SUBJECT}
    first = question.subject[0] if question.subject else None
    return replace(
        question,
        hole=ends.get(question.hole, question.hole),
        relation=over,
        subject=(question.object,) if question.object else (),
        object=first,
    )


def _advice() -> set[str]:
    return {stem(each) for each in table()["advice"]}


def _one(noun: str) -> str:
    """A noun without *any* and the like, and no longer plural: *any allergies* → allergy."""
    return singular(" ".join(each for each in noun.split() if each.lower() not in ANY))
