"""The objects and prepositional phrases of a verb, and which of them are worth a fact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memary_core.extract import lexicon as lex
from memary_core.extract.draft import Draft, coordinated, named_child
from memary_core.extract.forms import Form
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


def gerund(verb: Token) -> Token | None:
    """The *-ing* form that `verb` governs: *loves playing*."""
    return next((c for c in verb.children if c.dep_ in {"xcomp", "dobj", "ccomp"} and c.tag_ == "VBG"), None)


def doing(reading: Reading, token: Token) -> Name | None:
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
        inner = inner_of(after) if after is not None else None
        if inner is not None and not reading.value_span(inner) and inner.pos_ != "PRON":
            end = reading.noun_end(inner)
    return reading.name(token.i, end)


def slots(verb: Token, roles: set[str]) -> Iterator[tuple[Token, bool]]:
    """What fills the given roles after `verb`, coordination included, each with whether it is denied apart."""
    for child in verb.children:
        if child.dep_ in roles and child.i > verb.i:
            neither = any(c.lower_ == "neither" for c in child.children)
            for token, flipped in coordinated(child):
                yield token, flipped != neither


def objects(
    reading: Reading, verb: Token, subject: Name, form: Form, rule: str, *, values: bool = False
) -> Iterator[Draft]:
    """The facts of the objects of `verb`."""
    if any(c.dep_ == "dative" and c.i > verb.i for c in verb.children):
        return
    lemma = "have" if form.positive == "has" else verb.lemma_.lower()
    roles = {"dobj", "attr", "oprd"} if lemma in {"become", "remain"} else {"dobj"}
    dropped = none = False
    for token, flipped in slots(verb, roles):
        if lemma in {"become"} and token.dep_ == "attr" and any(c.lower_ in {"a", "an"} for c in token.children):
            form = Form("became a", "did not become a", form.negated, past=True) if form.past else form
        if lemma in lex.TASTES and token.tag_ == "VBG" and not any(c.dep_ == "det" for c in token.children):
            if (activity := doing(reading, token)) is not None:
                yield Draft(subject, form.text(flipped), activity, "taste", verb.i)
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
        none = none if listed else any(c.lower_ in {"no", "zero"} and c.dep_ == "det" for c in token.children)
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
            if values:
                name = reading.number(token)
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
    owned = any(c.dep_ == "poss" for c in token.children)
    if owned and token.i not in reading.units and token.lower_ in lex.ABSTRACT:
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
    return form.past and not phased and lemma not in lex.LIFE_EVENTS | lex.TASTES and token.tag_ != "CD"


def _resulting(verb: Token, token: Token) -> bool:
    """*I take my coffee black* is not about taking coffee."""
    return any(c.tag_ == "JJ" and c.i > token.i and c.dep_ in {"advmod", "oprd", "acomp"} for c in verb.children)


def inner_of(preposition: Token) -> Token | None:
    """The noun that a preposition governs."""
    return next((c for c in preposition.children if c.dep_ == "pobj"), None)


def prepositions(
    reading: Reading,
    verb: Token,
    subject: Name,
    form: Form,
    rule: str,
    kept: set[str] | None = None,
    *,
    named_only: bool = False,
) -> Iterator[Draft]:
    """The facts of the prepositional phrases of `verb`; `kept` and `named_only` restrict which count."""
    has_object = any(c.dep_ in {"dobj", "attr"} for c in verb.children)
    phrases = [c for c in verb.children if c.dep_ in {"prep", "agent", "dative"} and c.i > verb.i]
    for phrase in list(phrases):
        if phrase.lower_ == "as" and (inner := inner_of(phrase)) is not None:
            phrases += [c for c in inner.children if c.dep_ == "prep" and c.lower_ in {"at", "for", "in"}]
    emitted = has_object
    timed: list[Draft] = []
    for phrase in phrases:
        inner = inner_of(phrase)
        word = phrase.lower_
        if named_only and inner is not None and inner.i not in reading.units:
            continue
        if inner is None or word in _DENIED_PREPOSITIONS or (kept is not None and word not in kept):
            continue
        if has_object and not (
            verb.lemma_ in _BOUND and form.habit and word in {"at", "for"} and inner.i in reading.units
        ):
            continue
        if (other := _gapped(reading, phrase)) is not None:
            for name in reading.phrase(inner):
                yield Draft(other, f"{form.text()} {word}", name, rule, verb.i)
            continue
        for token, flipped in coordinated(inner):
            if token.i in reading.units and token.i != inner.i and _opens_gap(reading, token, word):
                break
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


def _opens_gap(reading: Reading, token: Token, word: str) -> bool:
    end = reading.units[token.i][1]
    return end < len(reading.doc) and reading.doc[end].lower_ == word and reading.doc[end].dep_ == "prep"


def _gapped(reading: Reading, phrase: Token) -> Name | None:
    """*Tom* in *Anna works at IBM and Tom at Intel*, seen from the second *at*."""
    name = reading.unit(phrase.i - 1) if phrase.i else None
    start = reading.units[phrase.i - 1][0] if name is not None else 0
    joined = start > 1 and reading.doc[start - 1].lower_ in {"and", "but"} and reading.doc[phrase.i - 1].dep_ == "conj"
    earlier = any(t.lower_ == phrase.lower_ and t.dep_ == "prep" for t in phrase.head.children if t.i < start)
    return name if joined and earlier else None


def _agent_only(phrases: list[Token]) -> bool:
    return all(
        p.dep_ == "agent" or (p.lower_ in {"in", "on"} and (inner_of(p) or p).ent_type_ == "DATE") for p in phrases
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
