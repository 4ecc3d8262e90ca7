"""Facts that *is* states: *is a*, *is from*, *is my brother*, *is the capital of*, *my hometown is*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memary_core.extract import lexicon as lex
from memary_core.extract.draft import Draft, coordinated, holder, singular, subjects
from memary_core.extract.forms import Form, copula
from memary_core.extract.reading import Reading, shown
from memary_core.models import SPEAKER, Kind, Name, Reference

if TYPE_CHECKING:
    from spacy.tokens import Token

_KINDS_OF = frozenset("kind sort type lot bit couple pair piece one part some member-only".split())
_MUTUAL = frozenset(
    "friend sibling cousin neighbour neighbor colleague coworker flatmate roommate twin partner".split()
)
_ROLE_LIKE = frozenset("part".split())


def copula_facts(reading: Reading, verb: Token, subject: Name, form: Form | None = None) -> Iterator[Draft]:
    """What the copula `verb` says of `subject`; `form` overrides its tense."""
    form = form or copula(verb)
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
        elif child.dep_ == "npadvmod" and _named_attribute(subject):
            for name in reading.phrase(child):
                yield Draft.role(subject, name, "attribute", verb.i)


def favourite_facts(reading: Reading, verb: Token) -> Iterator[Draft]:
    """*pizza is my favourite food*, *the capital of France is Paris*: the subject is a thing, what is said a role."""
    form = copula(verb)
    subject = next((c for c in verb.children if c.dep_ == "nsubj"), None)
    said = next((c for c in verb.children if c.dep_ == "attr"), None)
    if form is None or form.negated or form.past or subject is None or said is None or subject.pos_ == "PRON":
        return
    if said.i not in reading.units and any(c.dep_ == "poss" for c in said.children):
        for role in reading.phrase(said):
            if _named_attribute(role) and role.text.casefold().split()[-1] not in lex.PERSON_ROLES:
                for each, _ in coordinated(subject):
                    for name in reading.phrase(each):
                        yield Draft.role(role, name, "attribute", verb.i)
        return
    of = next((c for c in subject.children if c.dep_ == "prep" and c.lower_ == "of" and c.i == subject.i + 1), None)
    inner = next((c for c in of.children if c.dep_ == "pobj"), None) if of is not None else None
    definite = any(c.lower_ == "the" for c in subject.children) and subject.lower_ not in lex.NOBODY
    if inner is not None and definite and said.i in reading.units and inner.i in reading.units:
        text = reading.original(reading.noun_start(subject, bare=True), subject.i + 1)
        for name in reading.phrase(said):
            for whole in reading.phrase(inner):
                yield Draft(name, f"is {text} of", whole, "copula of", verb.i)


def _plainly(reading: Reading, token: Token) -> bool:
    """An adjective to the tagger, a name to us: *I am Lucía*, *my favourite colour is blue*."""
    if token.i in reading.units:
        return True
    subject = next((c for c in token.head.children if c.dep_ == "nsubj"), None)
    return subject is not None and any(_named_attribute(name) for name in reading.phrase(subject))


def _named_attribute(subject: Name) -> bool:
    if subject.reference is not Reference.ROLE:
        return False
    words = subject.text.casefold().split()
    return words[-1] in lex.ATTRIBUTES or any(word in lex.SUPERLATIVES for word in words)


def _attribute(
    reading: Reading, verb: Token, subject: Name, token: Token, form: Form, flipped: bool
) -> Iterator[Draft]:
    denied = form.negated != flipped
    owner = next((c for c in token.children if c.dep_ == "poss"), None)
    if token.lower_ in lex.NOBODY and owner is None:
        return
    if owner is not None and _named_attribute(subject) and not (denied or form.past):
        for name in reading.phrase(token):
            yield Draft.role(subject, name, "attribute", verb.i)
        return
    if (
        owner is not None
        and token.i not in reading.units
        and not any(token.i in range(r.start, r.end) for r in reading.relations)
    ):
        yield from _belonging(reading, verb, subject, token, denied or form.past)
        return
    if subject.reference is Reference.ROLE and (
        found := list(_valued(reading, verb, subject, token, denied or form.past))
    ):
        yield from found
        return
    if subject.reference is Reference.SPEAKER and _own_name(reading, token):
        if not denied and not form.past:
            for name in reading.phrase(token):
                reading.mark(name, Kind.PERSON)
                yield Draft(subject, "name", reading.refined(_thing(name)), "name", verb.i)
        return
    yield from _class(reading, verb, subject, token, form.text(flipped))


def _own_name(reading: Reading, token: Token) -> bool:
    if any(c.dep_ in {"det", "prep"} for c in token.children) or token.lower_ in lex.OFFICES:
        return False
    if token.i not in reading.units:
        bare = not any(True for _ in token.lefts) and token.lower_.isalpha() and token.tag_ != "VBG"
        return bare and reading.words.unknown(token.lower_) and reading.words.unknown(token.lemma_)
    return token.ent_type_ != "NORP" or token.tag_ in {"NNP"}


def _belonging(reading: Reading, verb: Token, subject: Name, token: Token, denied: bool) -> Iterator[Draft]:
    """*Tom is my brother*, *Mia and Zoe are my daughters*."""
    if denied or (subject.reference is Reference.ROLE and not subject.owner and _named_attribute(subject)):
        return
    for role in reading.phrase(token):
        if role.reference is not Reference.ROLE or shown(holder(role)) == shown(subject):
            continue
        text = reading.role(reading.noun_start(token, bare=True), token.i + 1)
        if any(t.pos_ in {"VERB", "AUX", "CCONJ"} for t in reading.doc[reading.noun_start(token, bare=True) : token.i]):
            continue
        if token.lemma_.lower() in lex.PERSON_ROLES:
            reading.mark(subject, Kind.PERSON)
        yield Draft(holder(role), text, reading.refined(subject), "relation copula", verb.i)


def _valued(reading: Reading, verb: Token, subject: Name, token: Token, denied: bool) -> Iterator[Draft]:
    """*my best friend is Chidi*, *my favourite food is ramen*, *my sister's name is Fatima*."""
    determined = any(c.dep_ == "det" and c.lower_ in {"a", "an"} for c in token.children)
    named = token.i in reading.units and not determined
    head = subject.text.casefold().split()[-1]
    dated = reading.value_span(token) is not None and head not in lex.PERSON_ROLES | lex.PETS and not determined
    if denied or not (named or dated or _named_attribute(subject)):
        return
    for name in reading.phrase(token):
        if head in {"name", "names"} and subject.owner and subject.text.casefold() == head:
            role = holder(subject)
            if role.reference is Reference.ROLE:
                reading.mark(name, Kind.PERSON)
                yield Draft.role(role, reading.refined(name), "relation named", verb.i)
            continue
        if head == "name" or head in lex.PERSON_ROLES or head.removesuffix("s") in lex.PERSON_ROLES:
            reading.mark(name, Kind.PERSON)
        if name.kind is Kind.VALUE and token.tag_ in {"JJ", "NN"} and token.lower_ not in lex.CALENDAR | lex.COLOURS:
            name = _thing(name)
        text = singular(subject.text)
        role = Name(text, subject.kind, Reference.ROLE, subject.owner)
        rule = "name" if text.casefold() == "name" else "relation copula" if named else "attribute"
        yield Draft.role(role, reading.refined(name), rule, verb.i)


def _class(reading: Reading, verb: Token, subject: Name, token: Token, stem: str) -> Iterator[Draft]:
    """*is a doctor*, *is the capital of Portugal*, *is 34*."""
    determiner = next((c.lower_ for c in token.children if c.dep_ == "det"), "")
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
            yield Draft(subject, f"{stem} a", _thing(name), "copula class", verb.i)
        elif determiner == "the":
            if token.i not in reading.units:
                yield Draft(subject, stem, _thing(name), "copula class", verb.i)
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


def _thing(name: Name) -> Name:
    kind = Kind.OTHER if name.kind is Kind.VALUE else name.kind
    return Name(name.text, kind, name.reference, name.owner, name.start, name.end)


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
        if low in lex.PASSING_WITH_PREPOSITION or phrase.lower_ in {"than", "about", "like", "at", "because", "as"} - {
            "at"
        }:
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


def _position(reading: Reading, verb: Token, subject: Name, phrase: Token, form: Form) -> Iterator[Draft]:
    """*is from Ankara*, *is in Paris*, *is into jazz*; for attributes, *my birthday is on June 12*."""
    inner = next((c for c in phrase.children if c.dep_ == "pobj"), None)
    if inner is None or any(c.dep_ in {"attr", "acomp"} for c in verb.children):
        return
    word = phrase.lower_
    for token, flipped in coordinated(inner):
        for name in reading.phrase(token):
            if _named_attribute(subject):
                if word in {"on", "in", "at"} and not form.negated and not flipped:
                    yield Draft.role(subject, name, "attribute", verb.i)
                continue
            named = token.i in reading.units
            if name.kind is Kind.VALUE or not (named or word == "into" or (word == "from" and token.pos_ == "NOUN")):
                continue
            if word in {"in", "from", "into", "near", "at", "with"}:
                yield Draft(subject, f"{form.text(flipped)} {word}", name, "copula place", verb.i)
