"""Answering: what memory says by itself to a question that was read, from facts alone.

Every sentence of an answer is a fact in its own words, so an answer may miss a question but never invents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memary_core.answering.factbook import Edge, FactBook, has_time
from memary_core.answering.matching import Match
from memary_core.answering.questions import Hole, Party, Question
from memary_core.identity import canonical_key
from memary_core.models import YOU, Fact, Precision, Trust
from memary_core.predicates import relation
from memary_core.wording import addressed, capital, formerly, sentence

__all__ = ["Answer", "Hole", "Party", "Question", "answer"]

MOST = 8
"""Facts told at most of one entity."""


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


class _Reading(Match):
    """One reading of a question, and what is said to it."""

    def reply(self) -> Answer | None:
        """The answer the facts hold, if they do."""
        if self.question.hole is Hole.ABOUT:
            return self._about()
        if self.question.hole is Hole.YES_NO:
            return self._yes_no()
        edges, spare = self.fitting()
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

    def _yes_no(self) -> Answer | None:
        if len(self.parties) > 1:
            each = [_Reading(replace(self.question, subject=(one,)), self.book) for one in self.question.subject]
            replies = [one.reply() or one.unknown() for one in each]
            if not any(one.known for one in replies):
                return None
            return Answer(" ".join(one.text for one in replies), tuple(i for one in replies for i in one.facts))
        thing = self.question.object
        edges = [(e, level) for e, level in self.graded() if self.matches(e, thing)]
        yes = [e for e, level in edges if level == 0 and self.holds(e)]
        yes += [e for e in self.kin() if e not in yes]
        no = [e for e in self.denials() if self.matches(e, thing)]
        over = [e for e, _ in edges if not self.holds(e) and e.over]
        if yes and no:
            return self._answer(f"You told me both: {self._told(yes, no)}", [*yes, *no])
        if yes:
            return self._answer("Yes, " + self._told(yes, small=True), yes)
        if no or over:
            return self._answer("No, " + self._told([*no, *over], small=True), [*no, *over])
        if spare := [e for e, level in edges if level == 1 or not self.holds(e)]:
            return self._answer(self._told(spare), spare)
        others = [
            e for e, level in self.graded() if level == 0 and self.holds(e) and e.relation.noun is self.asked.noun
        ]
        others = [e for e in others if has_time(e.fact.object) == has_time(thing.name if thing else "")]
        if thing and not others and (named := self._name()):
            same = any(self.book.key(thing.name) == each.key for each in self.named())
            said = named.text[:1].lower() + named.text[1:] if named.text.startswith("You") else named.text
            return replace(named, text=f"{'Yes,' if same else 'No, as far as I know:'} {said}")
        if self.single and thing and others:
            return self._answer("No, as far as I know: " + self._told(others, small=True), others)
        return None

    def _about(self) -> Answer | None:
        """What is known of somebody: who they are first; with no question word, all of it."""
        keys = set(self.found)
        told = [e for e in reversed(self.book.edges) if keys & {e.subject, e.object} and not e.over]
        edges = list({e.fact.id: e for e in told}.values())[::-1]
        thing = self.question.wh == "what" and all(
            not each.roles and each.name.islower() for each in self.question.subject
        )
        if thing:
            edges = [e for e in edges if e.subject in keys and e.relation.be]
        being = [e for e in edges if (e.relation.noun and e.object in keys) or (_is(e) and e.subject in keys)]
        if self.question.wh and being and self.book.key(self.book.you) not in keys:
            edges = being
        edges.sort(key=lambda e: (e not in being, e.subject not in keys))
        return self._answer(self._told(edges[:MOST], names=False), edges[:MOST]) if edges else None

    def _name(self) -> Answer | None:
        """*What is my sister's name?* where the fact is that my sister is Anna."""
        if not any(each.name == "name" for each in self.families) or not (held := self.named()):
            return None
        edges = [e for each in held for e in self.book.edges if e.fact is each.through[-1]][: len(held)]
        return self._answer(self._told(edges), edges)

    def _count(self, edges: list[Edge]) -> str:
        each_one = all(e.relation.noun for e in edges) and len(edges) > 1
        return f"I know of {len(edges)}: " if each_one and self.question.wh == "how many" else ""

    def _told(self, edges: list[Edge], also: Sequence[Edge] = (), *, small: bool = False, names: bool = True) -> str:
        """The facts of the edges as sentences: objects that share the rest are listed, then subjects."""
        by_object: dict[tuple[str, str], list[str]] = {}
        for fact in {e.fact.id: e.fact for e in (*edges, *also)}.values():
            said = formerly(fact.predicate) if fact.valid_to else fact.predicate
            one, other = self.book.key(fact.subject), self.book.key(fact.object)
            value = self._label(other, fact.object, names and not relation(said).noun, fact)
            value = addressed(fact.object) if one == other else value
            by_object.setdefault((self._label(one, fact.subject, names, fact), said), []).append(
                value + self._since(fact, said)
            )
        by_subject: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
        for (who, said), what in by_object.items():
            alone = who if relation(said).noun else ""
            by_subject.setdefault((alone, said, tuple(what)), []).append(who)
        told = [sentence(who, said, what) for (_, said, what), who in by_subject.items()]
        return " ".join(f"{each if small and not i else capital(each)}." for i, each in enumerate(told))

    def _label(self, key: str, name: str, names: bool, fact: Fact) -> str:
        found = self.found.get(key)
        if found and names and found.through and fact not in found.through:
            return found.label
        return addressed(name) if canonical_key(name) == key != self.book.key(self.book.you) else self.book.show(key)

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

    def unknown(self) -> Answer:
        """That memory does not know, with what it knows that comes nearest."""
        text = f"I don't know {self.question.clause}; nothing you told me says so."
        near = [e for e, level in self.graded() if level == 0 and not self.holds(e)]
        if self.question.hole is Hole.YES_NO and not self.having():
            near += [e for e, level in self.graded() if level == 0 and self.holds(e)]
        if self.asked.be and not self.asked.head:
            near = [e for e in near if e.relation.be]
        near = near[:3]
        return self._answer(f"{text} What I know: {self._told(near, small=True)}" if near else text, near, False)


def _is(edge: Edge) -> bool:
    """Does the edge say what somebody is, and no more?"""
    return edge.relation.be and not edge.relation.head
