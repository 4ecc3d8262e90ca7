"""Facts that *is* states: *is a*, *is from*, *is my brother*, *is the capital of*, *my hometown is*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memary_core.extract import lexicon as lex
from memary_core.extract.draft import Draft, coordinated, singular, subjects
from memary_core.extract.forms import Form, copula, denied
from memary_core.extract.identities import as_thing, belonging, names_a_value, own_name, valued
from memary_core.extract.reading import Reading
from memary_core.models import SPEAKER, Kind, Name, Reference

if TYPE_CHECKING:
    from spacy.tokens import Token

_KINDS_OF = frozenset("more much less kind sort type lot bit couple pair piece one part some member-only".split())
_MUTUAL = frozenset(
    "friend sibling cousin neighbour neighbor colleague coworker flatmate roommate twin partner brother sister".split()
)
_ROLE_LIKE = frozenset("part".split())


def copula_facts(reading: Reading, verb: Token, subject: Name, form: Form | None = None) -> Iterator[Draft]:
    """What the copula `verb` says of `subject`; `form` overrides its tense."""
    form = form or copula(verb)
    yield from been_to(reading, verb, subject)
    if form is None:
        return
    for child in verb.children:
        if child.i < verb.i:
            continue
        if child.dep_ == "attr" or (child.dep_ == "acomp" and _plainly(reading, child)):
            for token, flipped in coordinated(child):
                yield from _attribute(reading, verb, subject, token, form, flipped)
        elif child.dep_ == "acomp" or (child.dep_ in {"advcl", "xcomp", "ccomp"} and child.tag_ in {"JJ", "VBN"}):
            for token, flipped in coordinated(child):
                if token.i != child.i and token.tag_ in {"VB", "VBP"}:
                    continue
                yield from _quality(reading, verb, subject, token, form, flipped)
        elif child.dep_ == "prep":
            yield from _position(reading, verb, subject, child, form)
        elif child.dep_ == "npadvmod" and names_a_value(subject):
            for name in reading.phrase(child):
                yield Draft.role(subject, name, "attribute", verb.i)


def been_to(reading: Reading, verb: Token, subject: Name) -> Iterator[Draft]:
    """*I've never been to Japan*."""
    perfect = any(c.lower_ in {"have", "has", "'ve", "'s", "ve"} and c.dep_ == "aux" for c in verb.children)
    negated = denied(verb)
    if verb.lower_ != "been" or not perfect or negated is None:
        return
    for phrase in verb.children:
        if phrase.dep_ == "prep" and phrase.lower_ == "to":
            for inner in phrase.children:
                for token, _ in coordinated(inner) if inner.dep_ == "pobj" else ():
                    if token.i in reading.units:
                        for name in reading.phrase(token):
                            stem = "has not been to" if negated else "has been to"
                            yield Draft(subject, stem, name, "copula place", verb.i)


def _plainly(reading: Reading, token: Token) -> bool:
    """An adjective to the tagger, a name to us: *I am Lucía*, *my favourite colour is blue*."""
    if token.i in reading.units:
        return True
    subject = next((c for c in token.head.children if c.dep_ == "nsubj"), None)
    return subject is not None and any(names_a_value(name) for name in reading.phrase(subject))


def _attribute(
    reading: Reading, verb: Token, subject: Name, token: Token, form: Form, flipped: bool
) -> Iterator[Draft]:
    denied = form.negated != flipped
    owner = next((c for c in token.children if c.dep_ == "poss"), None)
    if token.lower_ in lex.NOBODY and owner is None:
        return
    if owner is not None and names_a_value(subject) and not (denied or form.past):
        for name in reading.phrase(token):
            yield Draft.role(subject, name, "attribute", verb.i)
        return
    if (
        owner is not None
        and token.i not in reading.units
        and not any(token.i in range(r.start, r.end) for r in reading.relations)
    ):
        yield from belonging(reading, verb, subject, token, denied or form.past)
        return
    if subject.reference is Reference.ROLE and (
        found := list(valued(reading, verb, subject, token, denied or form.past))
    ):
        yield from found
        return
    if subject.reference is Reference.SPEAKER and own_name(reading, token):
        if not denied and not form.past:
            for name in reading.phrase(token):
                reading.mark(name, Kind.PERSON)
                yield Draft(subject, "name", reading.refined(as_thing(name)), "name", verb.i)
            for phrase in token.children:
                if phrase.lower_ == "from":
                    yield from _position(reading, verb, subject, phrase, form, named=True)
        return
    yield from _class(reading, verb, subject, token, form.text(flipped))


def _class(reading: Reading, verb: Token, subject: Name, token: Token, stem: str) -> Iterator[Draft]:
    """*is a doctor*, *is the capital of Portugal*, *is 34*."""
    determiner = next((c.lower_ for c in token.children if c.dep_ == "det"), "")
    if not determiner and token.dep_ == "conj" and token.tag_ == "NN" and token.i not in reading.units:
        determiner = next((c.lower_ for c in token.head.children if c.dep_ == "det"), "")
    if determiner in {"no", "that", "this", "such", "what", "quite"} or token.pos_ == "PRON":
        return
    if any(c.lower_ in {"such", "quite", "what"} for c in token.children):
        return
    if determiner == "the" and token.tag_ in {"JJ", "JJR", "JJS", "CD"}:
        return
    of = next((c for c in token.children if c.dep_ == "prep" and c.lower_ == "of" and c.i == token.i + 1), None)
    inner = next((c for c in of.children if c.dep_ == "pobj"), None) if of is not None else None
    if inner is not None:
        if token.lemma_.lower() in _KINDS_OF - _ROLE_LIKE or token.tag_ == "CD":
            return
        text = reading.original(reading.noun_start(token, bare=True), token.i + 1)
        if any(c.lower_ in {"this", "that", "these", "those"} for c in inner.children):
            return
        for each, _ in coordinated(inner):
            for name in reading.phrase(each):
                yield Draft(subject, f"{stem} {text} of", name, "copula of", verb.i)
        return
    mutual = token.tag_ == "NNS" and determiner in {"", "both"} and token.lemma_ in _MUTUAL
    if mutual and len(everyone := subjects(reading, verb)) > 1:
        if SPEAKER in everyone and subject != SPEAKER and stem == "is":
            text = singular(reading.original(reading.noun_start(token), token.i + 1))
            yield Draft(SPEAKER, text, subject, "relation copula", verb.i)
        return
    for name in reading.phrase(token):
        if name.kind is Kind.VALUE and not determiner:
            lasting = token.lower_ not in lex.PASSING_ADJECTIVES | lex.CALENDAR and (
                token.tag_ != "JJ" or reading.words.may_be_adjective(token.lower_) or token.ent_type_ == "NORP"
            )
            if lasting and (token.tag_ in {"CD", "JJ"} or reading.value_span(token) is not None):
                yield Draft(subject, stem, name, "copula quality", verb.i)
            continue
        if determiner in {"a", "an"}:
            yield Draft(subject, f"{stem} a", as_thing(name), "copula class", verb.i)
        elif determiner == "the":
            if token.i not in reading.units:
                yield Draft(subject, stem, as_thing(name), "copula class", verb.i)
        elif determiner in {"", "both"} and token.i not in reading.units and _bare_class(token):
            single = token.lemma_ if token.tag_ == "NNS" else token.text
            text = (
                name.text[: len(name.text) - len(token.text)] + single if name.text.endswith(token.text) else name.text
            )
            plural = token.tag_ == "NNS"
            article = f"{stem} a" if plural else stem
            yield Draft(
                subject,
                article,
                Name(text, Kind.OTHER if plural else Kind.VALUE, start=name.start, end=name.end),
                "copula class",
                verb.i,
            )


def _bare_class(token: Token) -> bool:
    return token.tag_ == "NNS" or (token.tag_ == "NN" and token.lower_ in lex.STATUSES)


def _quality(reading: Reading, verb: Token, subject: Name, token: Token, form: Form, flipped: bool) -> Iterator[Draft]:
    """*is vegetarian*, *is allergic to peanuts*, *is 3 years old*."""
    low = token.lower_
    if any(c.dep_ in {"ccomp", "xcomp", "pcomp"} for c in token.children):
        return
    phrase = next((c for c in token.children if c.dep_ == "prep" and c.i > token.i), None)
    if phrase is None:
        phrase = next((c for c in verb.children if c.dep_ == "prep" and c.i == token.i + 1), None)
    inner = next((c for c in phrase.children if c.dep_ == "pobj"), None) if phrase is not None else None
    if phrase is not None and low in {"short", "known"} and phrase.lower_ in {"for", "as"} and inner is not None:
        for name in reading.phrase(inner):
            pair = (name, subject) if low == "short" else (subject, name)
            yield Draft(pair[0], "also called", pair[1], "alias", verb.i)
        return
    if low == "married" and phrase is not None and phrase.lower_ != "to":
        phrase = inner = None
    if phrase is not None and inner is not None and not reading.value_span(inner):
        skilled = low in {"good", "bad", "great", "terrible"} and phrase.lower_ == "at"
        keen = low == "passionate" and phrase.lower_ == "about"
        comparing = phrase.lower_ in {"than", "about", "like", "because", "as"}
        if not (skilled or keen) and (low in lex.PASSING_WITH_PREPOSITION or comparing):
            return
        objects = list(coordinated(inner))
        objects += [
            (c, f) for c, f in coordinated(token) if c.i > inner.i and c.pos_ in {"NOUN", "VERB"} and c.i != token.i
        ]
        for each, denied in objects:
            for name in reading.phrase(each) or _loose(reading, each):
                if name.reference is Reference.SPEAKER:
                    continue
                yield Draft(
                    subject, f"{form.text(flipped != denied)} {low} {phrase.lower_}", name, "copula about", verb.i
                )
        return
    if phrase is not None and inner is None:
        return
    if (
        low in lex.PASSING_ADJECTIVES
        or token.tag_ in {"RB", "JJR", "VBG", "RBR"}
        or (token.pos_ == "NOUN" and token.i > verb.i + 6)
    ):
        return
    if any(c.tag_ == "DT" for c in token.children) or (low.endswith("ing") and "_" not in low):
        return
    if form.past and not reading.value_span(token) and low not in lex.STATUSES | lex.STATES_OF_LIFE:
        return
    if (
        token.tag_ == "VBN"
        and "_" not in token.text
        and token.ent_type_ != "NORP"
        and low not in {"married", "divorced", "retired", "engaged"}
    ):
        return
    known = reading.words.may_be_adjective(low) or low in lex.STATUSES
    if not (known or "_" in low or low.endswith(("ish", "ian", "less", "free")) or token.ent_type_ == "NORP"):
        return
    yield Draft(subject, form.text(flipped), reading.quality(token), "copula quality", verb.i)


def _loose(reading: Reading, token: Token) -> list[Name]:
    """A coordinated noun that the tagger takes for a verb."""
    bare = not any(True for _ in token.children if _.dep_ not in {"punct", "cc", "conj"})
    return [reading.name(token.i, token.i + 1)] if token.pos_ == "VERB" and bare else []


def _position(
    reading: Reading, verb: Token, subject: Name, phrase: Token, form: Form, *, named: bool = False
) -> Iterator[Draft]:
    """*is from Ankara*, *is in Paris*, *is into jazz*; for attributes, *my birthday is on June 12*."""
    inner = next((c for c in phrase.children if c.dep_ == "pobj"), None)
    if inner is None or (not named and any(c.dep_ in {"attr", "acomp"} for c in verb.children)):
        return
    word = phrase.lower_
    for token, flipped in coordinated(inner):
        for name in reading.phrase(token):
            if names_a_value(subject):
                if word in {"on", "in", "at"} and not form.negated and not flipped:
                    yield Draft.role(subject, name, "attribute", verb.i)
                continue
            named = token.i in reading.units
            if name.kind is Kind.VALUE or not (named or word == "into" or (word == "from" and token.pos_ == "NOUN")):
                continue
            if word in {"in", "from", "into", "near", "at", "with"}:
                yield Draft(subject, f"{form.text(flipped)} {word}", name, "copula place", verb.i)
