"""Facts that wording shows without a verb: *my sister Anna*, *Anna, a nurse from Porto,*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memary_core.extract.draft import Draft, coordinated
from memary_core.extract.guards import Guards
from memary_core.extract.reading import Reading
from memary_core.models import Name, Reference

if TYPE_CHECKING:
    from spacy.tokens import Token


def apposition_facts(reading: Reading, guards: Guards) -> Iterator[Draft]:
    """Relations by possessive, and what stands in apposition to a name."""
    for relation in reading.relations:
        token = reading.doc[relation.end - 1]
        if guards.presupposed(reading.doc[relation.start]) and guards.presupposed(token):
            for name in relation.names:
                yield Draft(relation.owner, relation.role, reading.refined(name), "relation", relation.start)
    for start, end, _ in reading.spans():
        if start in reading.endless:
            continue
        for token in reading.doc[start:end]:
            for child in token.children:
                if child.i >= end and guards.presupposed(child):
                    yield from _apposed(reading, token, child)


def _apposed(reading: Reading, head: Token, child: Token) -> Iterator[Draft]:
    subjects = reading.phrase(head)
    if len(subjects) != 1 or reading.doc[child.left_edge.i - 1].text not in {",", "(", "-", "–", "—"}:
        return
    subject = subjects[0]
    if child.dep_ == "appos" and child.i not in reading.units:
        for token, _ in coordinated(child):
            yield from _described(reading, subject, token)
    elif child.dep_ == "acl" and child.lower_ in {"born", "based", "raised", "founded"}:
        helper = "is" if child.lower_ == "based" else "was"
        for phrase in child.children:
            inner = next((c for c in phrase.children if c.dep_ == "pobj"), None)
            if phrase.dep_ in {"prep", "agent"} and inner is not None:
                for name in reading.phrase(inner):
                    yield Draft(subject, f"{helper} {child.lower_} {phrase.lower_}", name, "apposition", child.i)


def _described(reading: Reading, subject: Name, token: Token) -> Iterator[Draft]:
    owner = next((c for c in token.children if c.dep_ == "poss"), None)
    if owner is not None:
        whose = reading.possessor(owner)
        if whose is not None:
            role = reading.role(reading.noun_start(token), token.i + 1)
            yield Draft(whose, role, subject, "relation", token.i)
        return
    determiner = next((c.lower_ for c in token.children if c.dep_ == "det"), "")
    if determiner not in {"a", "an", "the"} or token.pos_ not in {"NOUN", "PROPN"}:
        return
    of = next((c for c in token.children if c.dep_ == "prep" and c.lower_ == "of"), None)
    inner = next((c for c in of.children if c.dep_ == "pobj"), None) if of is not None else None
    if inner is not None:
        text = reading.original(reading.noun_start(token), token.i + 1)
        for name in reading.phrase(inner):
            yield Draft(subject, f"is {text} of", name, "apposition", token.i)
    else:
        for name in reading.phrase(token):
            if name.reference is Reference.NAMED:
                yield Draft(subject, "is a", name, "apposition", token.i)
    for phrase in token.children:
        if phrase.dep_ == "prep" and phrase.lower_ == "from":
            for place in phrase.children:
                if place.i in reading.units:
                    for name in reading.phrase(place):
                        yield Draft(subject, "is from", name, "apposition", token.i)
