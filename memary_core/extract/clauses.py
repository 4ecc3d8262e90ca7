"""Facts that a verb states: *lives in*, *works as*, *likes*, *was written by*, *has*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memary_core.extract import lexicon as lex
from memary_core.extract.arguments import doing, gerund, inner_of, objects, prepositions, slots
from memary_core.extract.copulas import copula_facts
from memary_core.extract.draft import Draft, coordinated, subjects
from memary_core.extract.forms import Form, active, is_be, joined_passive, passive
from memary_core.extract.guards import Guards
from memary_core.extract.identities import favourite_facts
from memary_core.extract.reading import Reading
from memary_core.models import Name, Reference

if TYPE_CHECKING:
    from spacy.tokens import Token


def clause_facts(reading: Reading, guards: Guards) -> Iterator[Draft]:
    """The facts of every verb that is asserted."""
    for verb in reading.doc:
        if verb.pos_ not in {"VERB", "AUX"} or verb.dep_ in {"aux", "auxpass"} or verb.i in reading.endless:
            continue
        if verb.lemma_ == "call":
            yield from _renamed(reading, guards, verb)
        if not guards.asserted(verb):
            continue
        if is_be(verb) and verb.dep_ not in {"aux", "auxpass"}:
            yield from favourite_facts(reading, verb) if not subjects(reading, verb) else ()
        used = next((c for c in verb.children if c.dep_ == "xcomp"), None) if verb.lower_ == "used" else None
        for subject in subjects(reading, verb):
            if used is not None:
                yield from _formerly(reading, verb, used, subject)
            elif is_be(verb):
                yield from copula_facts(reading, verb, subject)
            elif any(c.dep_ == "auxpass" for c in verb.children) or joined_passive(verb):
                yield from _passive(reading, verb, subject)
            else:
                yield from _active(reading, verb, subject)


def _renamed(reading: Reading, guards: Guards, verb: Token) -> Iterator[Draft]:
    """*call me Mo*, *everyone calls him Bob*."""
    at = verb.i + 1
    if at + 1 >= len(reading.doc) or not guards.stated(verb) or any(c.dep_ == "neg" for c in verb.children):
        return
    whom, found = reading.doc[at], reading.units.get(at + 1)
    if whom.tag_ == "PRP" and whom.lower_ not in {"me", "us", "him", "her"}:
        return
    if found is None or found[0] != at + 1:
        return
    callers = [c for c in verb.children if c.dep_ == "nsubj"]
    names = reading.phrase(whom) if whom.tag_ != "PRP" else _object_pronoun(reading, whom)
    if len(names) != 1:
        return
    name = reading.refined(found[2])
    myself = names[0].reference is Reference.SPEAKER
    if myself and (not callers or callers[0].lower_ in {"you", "u"}):
        yield Draft(names[0], "name", name, "name", verb.i)
    elif callers and not any(c.dep_ == "aux" and c.tag_ == "MD" for c in verb.children):
        yield Draft(names[0], "also called", name, "alias", verb.i)


def _object_pronoun(reading: Reading, token: Token) -> list[Name]:
    if token.lower_ in {"him", "her"}:
        return reading.antecedent(token)
    return reading.phrase(token)


def _formerly(reading: Reading, verb: Token, inner: Token, subject: Name) -> Iterator[Draft]:
    """*used to live in*."""
    if any(c.dep_ == "neg" for c in verb.children):
        return
    lemma = "be" if is_be(inner) else inner.lemma_
    form = Form(f"used to {lemma}", f"did not use to {lemma}", past=True)
    if is_be(inner):
        yield from copula_facts(reading, inner, subject, form)
    else:
        yield from objects(reading, inner, subject, form, "used to")
        yield from prepositions(reading, inner, subject, form, "used to")


def _passive(reading: Reading, verb: Token, subject: Name) -> Iterator[Draft]:
    form = passive(verb)
    if form is None or verb.lower_ in lex.PASSING_WITH_PREPOSITION:
        return
    if verb.lower_ in lex.NAME_WORDS or verb.lemma_ in {"call", "name", "nickname"}:
        named = {"oprd", "attr", "dobj", "dep"}
        if not any(c.dep_ in named and c.i > verb.i for c in verb.children):
            named = {"advmod", "npadvmod"}
        for token, flipped in slots(verb, named):
            if not (flipped or form.negated):
                yield from _named(reading, verb, subject, token)
        return
    if verb.lower_ == "known" and (alias := _pobj(verb, "as")) is not None:
        for name in reading.phrase(alias):
            if name.reference is Reference.NAMED and alias.i in reading.units:
                yield Draft(subject, "also called", name, "alias", verb.i)
        return
    lasting = verb.lower_ in lex.STATES_OF_LIFE and form.positive.startswith(("is", "was"))
    if lasting and not any(c.dep_ in {"prep", "agent"} for c in verb.children):
        yield Draft(subject, form.text().rsplit(" ", 1)[0], reading.quality(verb), "copula quality", verb.i)
    yield from prepositions(reading, verb, subject, form, "passive")
    if not any(c.dep_ in {"prep", "agent"} and c.i > verb.i for c in verb.children):
        for other in verb.children:
            if other.dep_ == "conj" and joined_passive(other):
                yield from prepositions(reading, other, subject, form, "passive")


def _named(reading: Reading, verb: Token, subject: Name, token: Token) -> Iterator[Draft]:
    for name in reading.phrase(token):
        if subject.reference is Reference.ROLE and name.reference is Reference.NAMED:
            yield Draft.role(subject, name, "relation named", verb.i)
        elif subject.reference is Reference.SPEAKER:
            yield Draft(subject, "name", name, "name", verb.i)
        elif subject.reference is Reference.NAMED and verb.lower_ != "named" and token.i in reading.units:
            yield Draft(subject, "also called", name, "alias", verb.i)


def _active(reading: Reading, verb: Token, subject: Name) -> Iterator[Draft]:
    plural = verb.tag_ == "VBP" or subject.reference is Reference.SPEAKER
    form = active(verb, plural=plural)
    lemma = "have" if form is not None and verb.lemma_ == "get" and form.positive == "has" else verb.lemma_.lower()
    if form is None or (form.progressive and (lemma not in lex.HABITS or planned(verb))):
        return
    if form.negative.startswith("cannot") and lemma not in lex.INABILITIES:
        return
    if form.habit and planned(verb) and lemma in lex.MOTION:
        return
    if lemma in lex.ASPECTUAL and (inner := gerund(verb)) is not None:
        yield from _begun(reading, verb, inner, subject, form)
        return
    if lemma in lex.TASTES and (inner := gerund(verb)) is not None:
        for token, flipped in coordinated(inner):
            if (activity := doing(reading, token)) is not None:
                yield Draft(subject, form.text(flipped), activity, "taste", verb.i)
        return
    roles = {c.dep_ for c in verb.children if c.i > verb.i}
    if lemma != "get" and "xcomp" in roles and "dobj" not in roles:
        return
    if lemma == "get" and (state := next((c for c in verb.children if c.dep_ in {"acomp", "xcomp"}), None)) is not None:
        married = Form(f"got {state.lower_}", f"did not get {state.lower_}", form.negated, past=True)
        if form.past and state.lower_ in {"married", "engaged", "divorced"}:
            yield from prepositions(reading, state, subject, married, "verb preposition")
        return
    kept = lex.KEPT_PHRASES.get(lemma)
    if lemma == "leave" and form.past and any(c.dep_ == "dobj" and c.i in reading.units for c in verb.children):
        yield from objects(reading, verb, subject, form, "verb object")
        return
    if lemma == "turn" and form.past:
        yield from objects(reading, verb, subject, form, "verb object", values=True)
        return
    if lemma in lex.EMPTY_VERBS and kept is None and not (lemma == "stand" and form.negated):
        if lemma == "give" and any(c.lower_ == "up" and c.dep_ == "prt" for c in verb.children):
            yield from objects(reading, verb, subject, form, "verb object")
        if lemma == "do" and form.habit and not form.negated and not form.progressive:
            bare = [c for c in verb.children if c.dep_ == "dobj"]
            if bare and bare[0].tag_ == "NN" and not any(c.dep_ in {"det", "poss"} for c in bare[0].children):
                yield from objects(reading, verb, subject, form, "verb object")
        if any(c.dep_ == "prt" for c in verb.children):
            yield from prepositions(reading, verb, subject, form, "verb preposition", named_only=True)
        return
    if lemma in lex.HABITS_ONLY and (form.past or form.progressive):
        return
    if kept is None:
        yield from objects(reading, verb, subject, form, "verb object")
    if lemma not in lex.TASTES:
        yield from prepositions(reading, verb, subject, form, "verb preposition", kept)


def planned(verb: Token) -> bool:
    """Does the clause carry a time to come?"""
    words = " ".join(t.lower_ for t in verb.subtree)
    if any(time in words for time in lex.FUTURE + lex.FUTURE_MORE):
        return True
    return verb.tag_ == "VBG" and any(
        c.lower_ in {"on", "in"} and any(g.lower_ in lex.CALENDAR for g in c.children) for c in verb.children
    )


def _begun(reading: Reading, verb: Token, inner: Token, subject: Name, form: Form) -> Iterator[Draft]:
    """*started learning Korean*, *quit smoking*."""
    target = [t for t in inner.children if t.dep_ == "dobj"]
    if target:
        step = Form(f"{form.positive} {inner.lower_}", f"{form.negative} {inner.lower_}", form.negated, past=form.past)
        yield from objects(reading, inner, subject, step, "verb object")
    elif any(c.dep_ == "prep" for c in inner.children):
        step = Form(f"{form.positive} {inner.lower_}", f"{form.negative} {inner.lower_}", form.negated, past=form.past)
        yield from prepositions(reading, inner, subject, step, "verb preposition")
    elif (activity := doing(reading, inner)) is not None:
        yield Draft(subject, form.text(), activity, "verb object", verb.i)


def _pobj(verb: Token, preposition: str) -> Token | None:
    found = next((c for c in verb.children if c.dep_ == "prep" and c.lower_ == preposition), None)
    return inner_of(found) if found is not None else None
