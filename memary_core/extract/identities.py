"""Facts that say who or what something of someone's is: *Tom is my brother*, *my hometown is Porto*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memary_core.extract import lexicon as lex
from memary_core.extract.draft import Draft, coordinated, holder, singular
from memary_core.extract.forms import copula
from memary_core.extract.phrasing import shown
from memary_core.extract.reading import Reading
from memary_core.models import Kind, Name, Reference

if TYPE_CHECKING:
    from spacy.tokens import Token


def favourite_facts(reading: Reading, verb: Token) -> Iterator[Draft]:
    """*pizza is my favourite food*, *the capital of France is Paris*: the subject is a thing, what is said a role."""
    form = copula(verb)
    subject = next((c for c in verb.children if c.dep_ == "nsubj"), None)
    said = next((c for c in verb.children if c.dep_ == "attr"), None)
    if form is None or form.negated or form.past or subject is None or said is None or subject.pos_ == "PRON":
        return
    if said.i not in reading.units and any(c.dep_ == "poss" for c in said.children):
        for role in reading.phrase(said):
            if names_a_value(role) and role.text.casefold().split()[-1] not in lex.PERSON_ROLES:
                for each, _ in coordinated(subject):
                    for name in reading.phrase(each):
                        yield Draft.role(role, name, "attribute", verb.i)
        return
    of = next((c for c in subject.children if c.dep_ == "prep" and c.lower_ == "of" and c.i == subject.i + 1), None)
    inner = next((c for c in of.children if c.dep_ == "pobj"), None) if of is not None else None
    if inner is not None and subject.lower_ == "name" and said.i in reading.units:
        for role in reading.phrase(inner):
            for name in reading.phrase(said) if role.reference is Reference.ROLE else ():
                yield Draft.role(role, name, "relation named", verb.i)
        return
    definite = any(c.lower_ == "the" for c in subject.children) and subject.lower_ not in lex.NOBODY
    if inner is not None and definite and said.i in reading.units and inner.i in reading.units:
        text = reading.original(reading.noun_start(subject, bare=True), subject.i + 1)
        for name in reading.phrase(said):
            for whole in reading.phrase(inner):
                yield Draft(name, f"is {text} of", whole, "copula of", verb.i)


def names_a_value(subject: Name) -> bool:
    """Is this a role such as *my hometown* or *my favourite food*, whose copula names a value?"""
    if subject.reference is not Reference.ROLE:
        return False
    words = subject.text.casefold().split()
    return words[-1] in lex.ATTRIBUTES or any(word in lex.SUPERLATIVES for word in words)


def own_name(reading: Reading, token: Token) -> bool:
    """Is this the name the writer gives as their own: *I am Lucía*?"""
    described = any(c.dep_ == "prep" and c.lower_ != "from" for c in token.children)
    if described or any(c.dep_ == "det" for c in token.children) or token.lower_ in lex.OFFICES:
        return False
    if token.i not in reading.units:
        bare = not any(True for _ in token.lefts) and token.lower_.isalpha() and token.tag_ != "VBG"
        return bare and reading.words.unknown(token.lower_) and reading.words.unknown(token.lemma_)
    return token.ent_type_ != "NORP" or token.tag_ in {"NNP"}


def belonging(reading: Reading, verb: Token, subject: Name, token: Token, denied: bool) -> Iterator[Draft]:
    """*Tom is my brother*, *Mia and Zoe are my daughters*."""
    if denied or (subject.reference is Reference.ROLE and not subject.owner and names_a_value(subject)):
        return
    for role in reading.phrase(token):
        if role.reference is not Reference.ROLE or shown(holder(role)) == shown(subject):
            continue
        if role.text.casefold() == "name" and role.owner:
            if (named := holder(role)).reference is Reference.ROLE:
                yield Draft.role(named, reading.refined(subject), "relation named", verb.i)
            continue
        text = reading.role(reading.noun_start(token, bare=True), token.i + 1)
        if any(t.pos_ in {"VERB", "AUX", "CCONJ"} for t in reading.doc[reading.noun_start(token, bare=True) : token.i]):
            continue
        if token.lemma_.lower() in lex.PERSON_ROLES:
            reading.mark(subject, Kind.PERSON)
        yield Draft(holder(role), text, reading.refined(subject), "relation copula", verb.i)


def valued(reading: Reading, verb: Token, subject: Name, token: Token, denied: bool) -> Iterator[Draft]:
    """*my best friend is Chidi*, *my favourite food is ramen*, *my sister's name is Fatima*."""
    determined = any(c.dep_ == "det" and c.lower_ in {"a", "an"} for c in token.children)
    named = token.i in reading.units and not determined
    head = subject.text.casefold().split()[-1]
    dated = reading.value_span(token) is not None and head not in lex.PERSON_ROLES | lex.PETS and not determined
    if denied or not (named or dated or names_a_value(subject)):
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
        plain = token.tag_ in {"JJ", "NN"} and token.ent_type_ != "NORP"
        if name.kind is Kind.VALUE and plain and token.lower_ not in lex.CALENDAR | lex.COLOURS:
            name = as_thing(name)
        text = singular(subject.text)
        plural = next((c for c in verb.children if c.dep_ == "nsubj" and c.tag_ == "NNS" and "_" not in c.text), None)
        if plural is not None and text.casefold().endswith(plural.lower_):
            text = text[: -len(plural.text)] + plural.lemma_
        role = Name(text, subject.kind, Reference.ROLE, subject.owner)
        rule = "name" if text.casefold() == "name" else "relation copula" if named else "attribute"
        yield Draft.role(role, reading.refined(name), rule, verb.i)


def as_thing(name: Name) -> Name:
    """`name` as a thing rather than a value."""
    kind = Kind.OTHER if name.kind is Kind.VALUE else name.kind
    return Name(name.text, kind, name.reference, name.owner, name.start, name.end)
