"""Answering, pure: what memory says by itself to a question that was read, from facts alone.

Every sentence of an answer is a fact in its own words, so an answer may miss a question but never invents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from memary_core.factbook import ANY, Edge, FactBook, Party, grading, has_number, has_time, is_name, of_kind
from memary_core.models import YOU, Fact, Precision, Trust
from memary_core.predicates import (
    converse,
    families,
    families_for,
    is_role,
    relation,
    role_fits,
    roles_under,
    singular,
    stem,
    stems,
    table,
)
from memary_core.wording import addressed, capital, formerly, sentence

MOST = 8
"""Facts told at most of one entity."""
_ADVERBIAL = ("why", "how", "how often", "how much")


class Hole(StrEnum):
    """What a question leaves open: one end of a fact, whether it holds, or all that is known of somebody."""

    SUBJECT = "subject"
    OBJECT = "object"
    YES_NO = "yes-no"
    ABOUT = "about"


@dataclass(frozen=True, slots=True)
class Question:
    """A question as read. `relation` is worded as facts word it (*lives in*, *is allergic to*, *sister*).

    `wh` is the question word in lower case, empty for yes or no; `kind` the noun beside it (*which city*);
    `past` whether it asks about the past. `clause` says the question inside a sentence, to the owner: *where Anna
    lives*. `others` are further ways to read it, likelier first.
    """

    hole: Hole
    relation: str
    clause: str
    subject: tuple[Party, ...] = ()
    object: Party | None = None
    wh: str = ""
    kind: str = ""
    past: bool = False
    others: tuple[Question, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What memory says. `facts` are the ids of those it rests on; `known` is False where it says it does not know."""

    text: str
    facts: tuple[str, ...] = ()
    known: bool = True


def answer(question: Question, facts: Iterable[Fact], you: str = YOU) -> Answer | None:
    """What `facts` say to `question`, or that they do not say; None where the question is not for memory.

    `you` is the owner's name in the facts. Which facts may be told is the caller's choice; rejected ones never
    are, and one that is not accepted is marked.
    """
    book = FactBook(tuple(facts), you)
    readings = [_Reading(each, book) for each in (question, *question.others)]
    for tried in readings:
        if found := tried.reply():
            return found
    return next((tried.unknown() for tried in readings if tried.for_memory()), None)


class _Reading:
    """One way to read a question, held against the facts."""

    def __init__(self, question: Question, book: FactBook) -> None:
        asked = relation(question.relation)
        if (turned := converse(asked)) and not asked.negated:
            ends = {Hole.SUBJECT: Hole.OBJECT, Hole.OBJECT: Hole.SUBJECT}
            first = question.subject[0] if question.subject else None
            question = replace(
                question,
                hole=ends.get(question.hole, question.hole),
                subject=(question.object,) if question.object else (),
                object=first,
            )
            asked = turned
        self.asked, self.question, self.book = asked, question, book
        self.past = question.past or asked.past
        self.families = families_for(asked, question.wh)
        self.single = any(each.single for each in self.families) or asked.head.startswith("favorit ")
        self.parties = [book.find(each) for each in question.subject]
        self.found = {each.key: each for party in self.parties for each in party}

    def reply(self) -> Answer | None:
        """The answer the facts hold, if they do."""
        if self.question.hole is Hole.ABOUT:
            return self._about()
        if self.question.hole is Hole.YES_NO:
            return self._yes_no()
        edges, spare = self._fitting()
        if not edges and (named := self._name()):
            return named
        edges = edges or spare
        if not edges:
            return None
        count = self._count(edges)
        text = count + self._told(edges, small=bool(count))
        for party, found in zip(self.question.subject, self.parties, strict=True):
            keys = {each.key for each in found}
            if len(self.parties) > 1 and not any(keys & {e.subject, e.object} for e in edges):
                text += f" I don't know about {self.book.show(self.book.key(party.name))}."
        return self._answer(text, edges)

    def _fitting(self) -> tuple[list[Edge], list[Edge]]:
        """The edges that answer, and those told for want of better."""
        graded: tuple[list[Edge], list[Edge]] = ([], [])
        told: set[tuple[str, str]] = set()
        for edge, grade in self._graded():
            if self._holds(edge) and self._is_asked_for(edge) and (edge.subject, edge.object) not in told:
                graded[grade].append(edge)
                told.add((edge.subject, edge.object))
        kind = self.question.kind
        if not kind:
            return graded
        owned = self._owned(kind) if self._having() else []
        if self._having():
            named = [e for e in graded[0] if e.relation.head != "hav" and is_name(e.fact.object) and e not in owned]
            return (owned or of_kind(named, kind, strict=True), [])
        return of_kind(graded[0], kind), of_kind(graded[1], kind)

    def _having(self) -> bool:
        return self.asked.head in ("hav", "own", "get", "keep") and not self.asked.noun

    def _graded(self) -> list[tuple[Edge, int]]:
        """Every edge between the ends the question names whose relation fits, with how well it fits."""
        question, book = self.question, self.book
        if question.wh in _ADVERBIAL and not any(question.wh in each.wh for each in self.families):
            return []
        grade = grading(self.asked, question.wh or "whether", self.families)
        graded = [(e, grade(e.relation)) for e in self._ends(book.edges)]
        noun = question.kind or (question.object.name if question.object else "")
        if self._having() and noun and not self.asked.negated:
            graded += [(e, 0) for e in self._owned(noun)]
        if question.kind and self._likes():
            graded += [(e, 0) for e in self._ends(book.edges) if e.relation.head == self._favourite()]
        if question.kind and self.asked.head in ("", "do", "hav") and not question.object:
            answering = families_for(relation(question.kind), question.wh)
            graded += [(e, 0) for e in self._ends(book.edges) if any(e.relation.key in f.facts for f in answering)]
        if any(each.both for each in self.families):
            turned = [Edge(e.object, e.relation, e.subject, e.fact) for e in book.edges]
            graded += [(e, grade(e.relation)) for e in self._ends(turned)]
        hits = [(e, level) for e, level in graded if level is not None]
        if self.asked.noun and not any(level == 0 for _, level in hits):
            for owner in self.found:
                hits += [(e, 0) for e in book.turned(owner, self.asked.head)]
        hits.sort(key=lambda hit: hit[0].relation.head != self.asked.head)
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

    def _owned(self, noun: str) -> list[Edge]:
        """What someone has of a kind: *pets* finds the dog Rex and two cats, *allergies* what one is allergic to."""
        asked = " ".join(each for each in stems(noun) if each not in ANY)
        under = roles_under(asked) if asked else frozenset()
        answering = families_for(relation(_one(noun)), "what")
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

    def _holds(self, edge: Edge) -> bool:
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
            return is_name(self.book.show(edge.object))
        return True

    def _yes_no(self) -> Answer | None:
        if len(self.parties) > 1:
            each = [_Reading(replace(self.question, subject=(one,)), self.book) for one in self.question.subject]
            replies = [one.reply() or one.unknown() for one in each]
            if not any(one.known for one in replies):
                return None
            return Answer(" ".join(one.text for one in replies), tuple(i for one in replies for i in one.facts))
        thing = self.question.object
        edges = [(e, level) for e, level in self._graded() if self._matches(e, thing)]
        yes = [e for e, level in edges if level == 0 and self._holds(e)]
        yes += [e for e in self._kin() if e not in yes]
        no = [e for e in self._denials() if self._matches(e, thing)]
        over = [e for e, _ in edges if not self._holds(e) and e.over]
        if yes and no:
            return self._answer(f"You told me both: {self._told(yes, no)}", [*yes, *no])
        if yes:
            return self._answer("Yes, " + self._told(yes, small=True), yes)
        if no or over:
            return self._answer("No, " + self._told([*no, *over], small=True), [*no, *over])
        if spare := [e for e, level in edges if level == 1 or not self._holds(e)]:
            return self._answer(self._told(spare), spare)
        others = [e for e, level in self._graded() if level == 0 and self._holds(e) and e.relation.noun is self.asked.noun]
        others = [e for e in others if has_time(e.fact.object) == has_time(thing.name if thing else "")]
        if thing and not others and (named := self._name()):
            same = any(self.book.key(thing.name) == each.key for each in self._named())
            said = named.text[:1].lower() + named.text[1:] if named.text.startswith("You") else named.text
            return replace(named, text=f"{'Yes,' if same else 'No, as far as I know:'} {said}")
        if self.single and thing and others:
            return self._answer("No, as far as I know: " + self._told(others, small=True), others)
        return None

    def _matches(self, edge: Edge, thing: Party | None) -> bool:
        if thing is None or self.book.same(thing, edge):
            return True
        return self._having() and edge in self._owned(thing.name)

    def _kin(self) -> list[Edge]:
        """*Is Rex a dog?* is answered by someone's dog being Rex."""
        thing = self.question.object
        if not thing or thing.roles or not (self.asked.be and not self.asked.head and not self.asked.negated):
            return []
        asked = " ".join(stems(thing.name))
        kin = [e for e in self.book.edges if e.object in self.found and e.relation.noun and asked]
        return [e for e in kin if role_fits(asked, e.relation.head)]

    def _denials(self) -> list[Edge]:
        """Edges that say the contrary: the same relation denied, or one of the opposite family."""
        contrary = replace(self.asked, negated=not self.asked.negated)
        opposite = {families()[each.opposite] for each in self.families if each.opposite}
        denied = {replace(contrary, prep=each) for each in ("", "a") if contrary.be and not contrary.head}
        keys = {each.key for each in denied | {contrary}}
        for each in self.families:
            keys |= {(head, prep, be, noun, not no) for head, prep, be, noun, no in each.facts if not noun}
        for each in opposite:
            keys |= each.facts
        return [e for e in self._ends(self.book.edges) if e.relation.key in keys and self._holds(e)]

    def _about(self) -> Answer | None:
        """What is known of somebody: who they are first; with no question word, all of it."""
        keys = set(self.found)
        edges = list({e.fact.id: e for e in self.book.edges if keys & {e.subject, e.object} and not e.over}.values())
        being = [e for e in edges if (e.object in keys and e.relation.noun) or (e.subject in keys and e.relation.be and not e.relation.head)]
        if self.question.wh and being and self.book.key(self.book.you) not in keys:
            edges = being
        edges.sort(key=lambda e: (e not in being, e.subject not in keys))
        return self._answer(self._told(edges[:MOST], names=False), edges[:MOST]) if edges else None

    def _name(self) -> Answer | None:
        """*What is my sister's name?* where the fact is that my sister is Anna."""
        if not any(each.name == "name" for each in self.families) or not (held := self._named()):
            return None
        edges = [e for each in held for e in self.book.edges if e.fact is each.through[-1]][: len(held)]
        return self._answer(self._told(edges), edges)

    def _named(self) -> list[Found]:
        """Those found by their role who have a name."""
        held = [each for each in self.found.values() if each.through and is_name(self.book.show(each.key))]
        return [each for each in held if not self.book.show(each.key).startswith(("your ", "my "))]

    def _count(self, edges: list[Edge]) -> str:
        each_one = all(e.relation.noun for e in edges) and len(edges) > 1
        return f"I know of {len(edges)}: " if each_one and self.question.wh == "how many" else ""

    def _told(self, edges: list[Edge], also: Sequence[Edge] = (), *, small: bool = False, names: bool = True) -> str:
        """The facts of the edges as sentences: objects that share the rest are listed, then subjects."""
        by_object: dict[tuple[str, str], list[str]] = {}
        for fact in {e.fact.id: e.fact for e in (*edges, *also)}.values():
            said = formerly(fact.predicate) if fact.valid_to else fact.predicate
            one, other = self.book.key(fact.subject), self.book.key(fact.object)
            value = self._label(other, names and not relation(said).noun, fact)
            value = addressed(fact.object) if one == other else value
            by_object.setdefault((self._label(one, names, fact), said), []).append(value + self._since(fact, said))
        by_subject: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for (who, said), what in by_object.items():
            alone = relation(said).noun
            by_subject.setdefault((said + "\0" + who if alone else said, tuple(what)), []).append(who)
        told = [sentence(who, said.partition("\0")[0], what) for (said, what), who in by_subject.items()]
        return " ".join(f"{each if small and not i else capital(each)}." for i, each in enumerate(told))

    def _label(self, key: str, names: bool, fact: Fact) -> str:
        found = self.found.get(key)
        by_role = found and names and found.through and fact not in found.through
        return found.label if found and by_role else self.book.show(key)

    def _since(self, fact: Fact, said: str) -> str:
        """The time a fact holds from, told to those who ask when."""
        if self.question.wh not in ("when", "how long") or fact.valid_from is None or has_time(fact.object):
            return ""
        form = {Precision.YEAR: "in %Y", Precision.MONTH: "in %B %Y"}.get(
            fact.valid_precision or Precision.DAY, f"on {fact.valid_from.day} %B %Y"
        )
        when = fact.valid_from.strftime(form)
        return " " + (when if relation(said).past else f"since {when.partition(' ')[2]}")

    def _answer(self, text: str, edges: Iterable[Edge], known: bool = True) -> Answer:
        through = [fact for each in self.found.values() for fact in each.through]
        used = {fact.id: fact for fact in (*through, *(e.fact for e in edges))}
        if any(fact.trust is not Trust.ACCEPTED for fact in used.values()):
            text += " (Not verified yet.)"
        return Answer(text, tuple(used), known)

    def for_memory(self) -> bool:
        """Does the question ask memory about the owner, or about somebody who is known or may have been told of?"""
        question, book = self.question, self.book
        personal = any(each.personal for each in self.families) or is_role(question.relation)
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
        if head == ["can"]:
            return False
        if self.asked.be and (not self.asked.head or head[0] in {stem(each) for each in table()["small_talk"]}):
            thing = self.question.object
            small = {stem(each) for each in table()["small_talk"]}
            return thing is not None and not set(stems(thing.name)) & small
        return self.past or self.asked.noun or (head[:1] != head[1:] and head[0] not in _advice())

    def unknown(self) -> Answer:
        """That memory does not know, with what it knows that comes nearest."""
        text = f"I don't know {self.question.clause}; nothing you told me says so."
        near = [e for e, level in self._graded() if level == 0 and not self._holds(e)]
        if self.question.hole is Hole.YES_NO and not self._having():
            near += [e for e, level in self._graded() if level == 0 and self._holds(e)]
        if self.asked.be and not self.asked.head:
            near = [e for e in near if e.relation.be]
        near = near[:3]
        return self._answer(f"{text} What I know: {self._told(near, small=True)}" if near else text, near, False)


def _advice() -> set[str]:
    return {stem(each) for each in table()["advice"]}


def _one(noun: str) -> str:
    """A noun without *any* and the like, and no longer plural: *any allergies* → allergy."""
    return singular(" ".join(each for each in noun.split() if each.lower() not in ANY))
