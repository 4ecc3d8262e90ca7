"""Facts that a verb states: *lives in*, *works as*, *likes*, *was written by*, *has*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memary_core.extract import lexicon as lex
from memary_core.extract.copulas import copula_facts, favourite_facts
from memary_core.extract.draft import Draft, coordinated, named_child, subjects
from memary_core.extract.forms import Form, active, is_be, passive
from memary_core.extract.guards import Guards
from memary_core.extract.reading import Reading
from memary_core.models import Kind, Name, Reference

if TYPE_CHECKING:
    from spacy.tokens import Token

_KEEP_NAMED = frozenset({"have", "own", "get", "adopt", "buy"})
_TIMES = frozenset("since for during until till after before around by at on in over within".split())
_BOUND = frozenset({"study", "teach", "play", "work", "do", "coach", "train"})
"""Verbs whose place or club is a fact even when they have an object: *studies physics at MIT*."""
_DATED = frozenset("born founded built established created released published".split())
_DENIED_PREPOSITIONS = frozenset(
    "about like than without because despite per via except during until till unlike besides".split()
)


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
            elif any(c.dep_ == "auxpass" for c in verb.children):
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
        yield from _objects(reading, inner, subject, form, "used to")
        yield from _prepositions(reading, inner, subject, form, "used to")


def _passive(reading: Reading, verb: Token, subject: Name) -> Iterator[Draft]:
    form = passive(verb)
    if form is None or verb.lower_ in lex.PASSING_WITH_PREPOSITION:
        return
    if verb.lower_ in lex.NAME_WORDS or verb.lemma_ in {"call", "name", "nickname"}:
        named = {"oprd", "attr", "dobj", "dep"}
        if not any(c.dep_ in named and c.i > verb.i for c in verb.children):
            named = {"advmod", "npadvmod"}
        for token, flipped in _slots(verb, named):
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
    yield from _prepositions(reading, verb, subject, form, "passive")


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
    if lemma in lex.ASPECTUAL and (inner := _gerund(verb)) is not None:
        yield from _begun(reading, verb, inner, subject, form)
        return
    if lemma in lex.TASTES and (inner := _gerund(verb)) is not None:
        for token, flipped in coordinated(inner):
            if (doing := _doing(reading, token)) is not None:
                yield Draft(subject, form.text(flipped), doing, "taste", verb.i)
        return
    roles = {c.dep_ for c in verb.children if c.i > verb.i}
    if lemma != "get" and "xcomp" in roles and "dobj" not in roles:
        return
    if lemma == "get" and (state := next((c for c in verb.children if c.dep_ in {"acomp", "xcomp"}), None)) is not None:
        married = Form(f"got {state.lower_}", f"did not get {state.lower_}", form.negated, past=True)
        if form.past and state.lower_ in {"married", "engaged", "divorced"}:
            yield from _prepositions(reading, state, subject, married, "verb preposition")
        return
    kept = lex.KEPT_PHRASES.get(lemma)
    if lemma == "leave" and form.past and any(c.dep_ == "dobj" and c.i in reading.units for c in verb.children):
        yield from _objects(reading, verb, subject, form, "verb object")
        return
    if lemma == "turn" and form.past:
        yield from _objects(reading, verb, subject, form, "verb object", values=True)
        return
    if lemma in lex.EMPTY_VERBS and kept is None and not (lemma == "stand" and form.negated):
        if lemma == "give" and any(c.lower_ == "up" and c.dep_ == "prt" for c in verb.children):
            yield from _objects(reading, verb, subject, form, "verb object")
        if lemma == "do" and form.habit and not form.negated and not form.progressive:
            bare = [c for c in verb.children if c.dep_ == "dobj"]
            if bare and bare[0].tag_ == "NN" and not any(c.dep_ in {"det", "poss"} for c in bare[0].children):
                yield from _objects(reading, verb, subject, form, "verb object")
        if any(c.dep_ == "prt" for c in verb.children):
            yield from _prepositions(reading, verb, subject, form, "verb preposition", named_only=True)
        return
    if lemma in lex.HABITS_ONLY and (form.past or form.progressive):
        return
    if kept is None:
        yield from _objects(reading, verb, subject, form, "verb object")
    if lemma not in lex.TASTES:
        yield from _prepositions(reading, verb, subject, form, "verb preposition", kept)


def planned(verb: Token) -> bool:
    """Does the clause carry a time to come?"""
    words = " ".join(t.lower_ for t in verb.subtree)
    if any(time in words for time in lex.FUTURE + lex.FUTURE_MORE):
        return True
    return verb.tag_ == "VBG" and any(
        c.lower_ in {"on", "in"} and any(g.lower_ in lex.CALENDAR for g in c.children) for c in verb.children
    )


def _gerund(verb: Token) -> Token | None:
    return next((c for c in verb.children if c.dep_ in {"xcomp", "dobj", "ccomp"} and c.tag_ == "VBG"), None)


def _doing(reading: Reading, token: Token) -> Name | None:
    """An activity as an object: *playing chess*, *hiking*."""
    if token.tag_ != "VBG":
        names = reading.phrase(token)
        return names[0] if len(names) == 1 else None
    if any(c.dep_ in {"nsubj", "aux", "mark", "poss", "ccomp", "xcomp", "dative"} for c in token.children):
        return None
    if token.lemma_ in {"have", "see", "find", "be", "get", "make", "know", "hear", "feel", "do"}:
        return None
    end = token.i + 1
    for child in token.children:
        near = child.left_edge.i <= token.i + 2 and child.i <= token.i + 5
        if child.dep_ in {"prt", "dobj"} and child.i > token.i and near and child.pos_ != "PRON":
            span = reading.noun_end(child) if child.dep_ == "dobj" else child.i + 1
            end = max(end, span)
    if end == token.i + 1:
        after = next((c for c in token.children if c.dep_ == "prep" and c.i == token.i + 1), None)
        inner = _inner(after) if after is not None else None
        if inner is not None and not reading.value_span(inner) and inner.pos_ != "PRON":
            end = reading.noun_end(inner)
    return reading.name(token.i, end)


def _begun(reading: Reading, verb: Token, inner: Token, subject: Name, form: Form) -> Iterator[Draft]:
    """*started learning Korean*, *quit smoking*."""
    target = [t for t in inner.children if t.dep_ == "dobj"]
    if target:
        step = Form(f"{form.positive} {inner.lower_}", f"{form.negative} {inner.lower_}", form.negated, past=form.past)
        yield from _objects(reading, inner, subject, step, "verb object")
    elif any(c.dep_ == "prep" for c in inner.children):
        step = Form(f"{form.positive} {inner.lower_}", f"{form.negative} {inner.lower_}", form.negated, past=form.past)
        yield from _prepositions(reading, inner, subject, step, "verb preposition")
    elif (doing := _doing(reading, inner)) is not None:
        yield Draft(subject, form.text(), doing, "verb object", verb.i)


def _slots(verb: Token, roles: set[str]) -> Iterator[tuple[Token, bool]]:
    for child in verb.children:
        if child.dep_ in roles and child.i > verb.i:
            neither = any(c.lower_ == "neither" for c in child.children)
            for token, flipped in coordinated(child):
                yield token, flipped != neither


def _objects(
    reading: Reading, verb: Token, subject: Name, form: Form, rule: str, *, values: bool = False
) -> Iterator[Draft]:
    if any(c.dep_ == "dative" and c.i > verb.i for c in verb.children):
        return
    lemma = "have" if form.positive == "has" else verb.lemma_.lower()
    roles = {"dobj", "attr", "oprd"} if lemma in {"become", "remain"} else {"dobj"}
    dropped = False
    for token, flipped in _slots(verb, roles):
        if lemma in {"become"} and token.dep_ == "attr" and any(c.lower_ in {"a", "an"} for c in token.children):
            form = Form("became a", "did not become a", form.negated, past=True) if form.past else form
        if lemma in lex.TASTES and token.tag_ == "VBG" and not any(c.dep_ == "det" for c in token.children):
            if (doing := _doing(reading, token)) is not None:
                yield Draft(subject, form.text(flipped), doing, "taste", verb.i)
            continue
        named = named_child(token)
        if named is not None:
            yield from _having_named(reading, verb, subject, token, named, form)
            continue
        listed = token.head.i != verb.i and not any(c.dep_ in {"det", "poss"} for c in token.children)
        if (listed and dropped) or _passing(token, form, lemma) or _resulting(verb, token):
            continue
        if dropped := _vague(reading, token, form, lemma):
            continue
        named = next((c for c in token.children if c.dep_ == "appos" and c.i in reading.units), None)
        if named is not None and token.tag_ == "NN" and token.i not in reading.units and lemma != "have":
            token = named
        none = any(c.lower_ in {"no", "zero"} and c.dep_ == "det" for c in token.children)
        if none and form.negated:
            continue
        if form.negated and lemma == "know":
            continue
        yield from _apposed(reading, verb, subject, token, lemma)
        if lemma == "have" and token.head.i == verb.i and _bare_relation(reading, token):
            continue
        for name in reading.phrase(token):
            if (
                name.reference is Reference.NAMED
                and name.kind is Kind.VALUE
                and token.tag_ in {"JJ", "RB"}
                and (token.i not in reading.units)
            ):
                name = reading.name(token.i, token.i + 1)
            if values and token.tag_ != "CD":
                continue
            yield Draft(subject, form.text(flipped or none), name, rule if lemma != "have" else "having", verb.i)


def _bare_relation(reading: Reading, token: Token) -> bool:
    """*I have a sister, Anna*: the relation says it all."""
    return token.tag_ == "NN" and any(
        c.dep_ == "appos" and c.i in reading.units and token.i not in reading.units for c in token.children
    )


def _apposed(reading: Reading, verb: Token, subject: Name, token: Token, lemma: str) -> Iterator[Draft]:
    if lemma != "have" or token.i in reading.units:
        return
    for child in token.children:
        if child.dep_ == "appos" and child.i in reading.units:
            head = reading.role(reading.noun_start(token, bare=True), token.i + 1)
            for each, _ in coordinated(child):
                for name in reading.phrase(each):
                    yield Draft(subject, head, name, "relation named", verb.i)


def _having_named(
    reading: Reading, verb: Token, subject: Name, token: Token, named: Token, form: Form
) -> Iterator[Draft]:
    """*I have a dog called Rex*."""
    if form.negated:
        return
    role = reading.role(reading.noun_start(token, bare=True), token.i + 1)
    for each, _ in coordinated(named):
        if named_child(each) is not None:
            continue
        for name in reading.phrase(each):
            name = reading.refined(Name(name.text, name.kind, start=name.start, end=name.end))
            if verb.lemma_ in _KEEP_NAMED:
                yield Draft(subject, role, name, "relation named", verb.i)
            if verb.lemma_ not in {"have", "own"} and not (verb.lemma_ == "get" and form.positive == "has"):
                yield Draft(subject, form.text(), name, "verb object", verb.i)
    for each, _ in coordinated(named):
        if (inner := named_child(each)) is not None:
            yield from _having_named(reading, verb, subject, each, inner, form)


def _passing(token: Token, form: Form, lemma: str) -> bool:
    low = token.lower_
    if low in lex.DAILY and (form.past or form.progressive or lemma in {"have", "take"}):
        return True
    return low in lex.NOBODY and low not in {"lot", "lots", "bit"} and not any(c.dep_ == "poss" for c in token.children)


def _vague(reading: Reading, token: Token, form: Form, lemma: str) -> bool:
    """Is the object something only this conversation knows, or nothing in particular?"""
    if token.i not in reading.units and token.lower_ in lex.ABSTRACT and any(c.dep_ == "poss" for c in token.children):
        return True
    if token.i in reading.units or (
        reading.phrase(token)[:1] and reading.phrase(token)[0].reference is not Reference.NAMED
    ):
        return False
    low = token.lower_
    if lemma == "have" and form.past:
        return token.lemma_.lower() not in lex.PERSON_ROLES | lex.PETS | lex.ILLS
    if lemma == "get" and form.past:
        return low not in lex.GAINS
    determiners = {c.lower_ for c in token.children if c.dep_ in {"det", "predet"}}
    if determiners & {"this", "that", "these", "those", "such", "what", "another", "every", "all"}:
        return True
    if any(c.lower_ in {"next", "own", "last", "same", "whole", "latest"} for c in token.children):
        return True
    described = any(c.dep_ in {"prep", "relcl", "acl"} for c in token.children)
    bare = token.lower_ in lex.ABSTRACT and not any(c.dep_ in {"compound", "nummod"} for c in token.children)
    if bare and not any(c.lower_ == "of" for c in token.children):
        return True
    if (
        "the" in determiners
        and token.lower_ not in lex.GENERIC_THE
        and not any(c.lower_ == "of" for c in token.children)
    ):
        kept = lemma in lex.HABITS | {"lead", "own", "follow"} - lex.TASTES
        return not kept or form.negated or form.past or (described and not form.habit)
    phased = token.head.dep_ == "xcomp"  # *stopped eating meat*, *used to smoke cigars*
    return form.past and not phased and lemma not in lex.LIFE_EVENTS and token.tag_ != "CD"


def _resulting(verb: Token, token: Token) -> bool:
    """*I take my coffee black* is not about taking coffee."""
    return any(c.tag_ == "JJ" and c.i > token.i and c.dep_ in {"advmod", "oprd", "acomp"} for c in verb.children)


def _inner(preposition: Token) -> Token | None:
    return next((c for c in preposition.children if c.dep_ == "pobj"), None)


def _pobj(verb: Token, preposition: str) -> Token | None:
    found = next((c for c in verb.children if c.dep_ == "prep" and c.lower_ == preposition), None)
    return _inner(found) if found is not None else None


def _prepositions(
    reading: Reading,
    verb: Token,
    subject: Name,
    form: Form,
    rule: str,
    kept: set[str] | None = None,
    *,
    named_only: bool = False,
) -> Iterator[Draft]:
    has_object = any(c.dep_ == "dobj" for c in verb.children)
    phrases = [c for c in verb.children if c.dep_ in {"prep", "agent", "dative"} and c.i > verb.i]
    for phrase in list(phrases):
        if phrase.lower_ == "as" and (inner := _inner(phrase)) is not None:
            phrases += [c for c in inner.children if c.dep_ == "prep" and c.lower_ in {"at", "for", "in"}]
    emitted = has_object
    timed: list[Draft] = []
    for phrase in phrases:
        inner = _inner(phrase)
        word = phrase.lower_
        if named_only and inner is not None and inner.i not in reading.units:
            continue
        if inner is None or word in _DENIED_PREPOSITIONS or (kept is not None and word not in kept):
            continue
        if has_object and not (
            verb.lemma_ in _BOUND and form.habit and word in {"at", "for"} and inner.i in reading.units
        ):
            continue
        for token, flipped in coordinated(inner):
            for name in reading.phrase(named_child(token) or token):
                draft = Draft(subject, f"{form.text(flipped)} {word}", name, rule, verb.i)
                if name.kind is Kind.VALUE and word in _TIMES:
                    timed.append(draft)
                elif _worth(reading, verb, phrase, named_child(token) or token, name, form, emitted):
                    yield draft
                    emitted = True
    agents = form.passive or not emitted
    for draft in timed:
        late = draft.predicate.rsplit(" ", 1)[-1] in {"in", "on"}
        if late and form.past and agents and (not emitted or _agent_only(phrases) or verb.lower_ in _DATED):
            yield draft


def _agent_only(phrases: list[Token]) -> bool:
    return all(
        p.dep_ == "agent" or (p.lower_ in {"in", "on"} and (_inner(p) or p).ent_type_ == "DATE") for p in phrases
    )


def _worth(reading: Reading, verb: Token, phrase: Token, token: Token, name: Name, form: Form, emitted: bool) -> bool:
    named = token.i in reading.units or name.reference is Reference.ROLE
    if token.lower_ in lex.NOBODY or token.lower_ in lex.DAILY or name.reference is Reference.SPEAKER:
        return False
    if named or phrase.lower_ == "as":
        return True
    if verb.lemma_ == "go":
        return form.habit and token.lower_ not in {"bed", "work", "sleep", "home", "store", "toilet", "bathroom"}
    if token.lower_ in lex.ABSTRACT or any(c.lower_ in {"this", "that", "these", "those"} for c in token.children):
        return False
    if form.past and verb.lemma_ not in lex.LASTING_PLACES and phrase.dep_ != "agent":
        return False
    return not emitted and phrase.lower_ not in {"by"} | ({"for"} if verb.lemma_ not in {"work", "play"} else set())
