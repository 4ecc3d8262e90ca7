"""What a phrase stands for: a name, the speaker, a role, a thing, or someone named before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memary_core.extract import lexicon as lex
from memary_core.extract.pipeline import Vocabulary
from memary_core.extract.spans import COMPLEMENTS, Spans, Unit
from memary_core.extract.text import Passage
from memary_core.models import SPEAKER, Kind, Name, Reference

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_MEASURES = frozenset({"lot", "lots", "bit", "plenty", "ton", "tons", "loads"})


@dataclass(frozen=True, slots=True)
class Relation:
    """*my sister Anna*: who, for whom, as what; `start` and `end` are token indexes."""

    owner: Name
    role: str
    names: tuple[Name, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Person:
    """Someone a later *she* may stand for."""

    at: int
    names: tuple[Name, ...]
    gender: str = ""
    plural: bool = False
    role: str = ""


def shown(name: Name) -> str:
    """A name as text: *You*, *Anna*, *my sister*, *Anna's boss*."""
    if name.reference is Reference.SPEAKER:
        return "You"
    if name.reference is Reference.ROLE:
        return f"{name.owner}'s {name.text}" if name.owner else f"my {name.text}"
    return name.text


def owner_of(name: Name) -> str:
    """What `Name.owner` holds for a role that belongs to `name`."""
    return "" if name.reference is Reference.SPEAKER else shown(name)


class Phrasing(Spans):
    """Answers what a noun phrase or a pronoun stands for, given who was named before."""

    def __init__(
        self, doc: Doc, passage: Passage, units: dict[int, Unit], kinds: Mapping[str, Kind], words: Vocabulary
    ) -> None:
        super().__init__(doc, passage, units)
        self.words = words
        self.persons: list[Person] = []
        self.doubtful: list[Person] = []
        self._grouped: dict[int, Relation] = {}
        self._kinds: dict[str, Kind] = dict(kinds)

    def unit(self, at: int) -> Name | None:
        """The name that token `at` belongs to, with the best kind known for it."""
        found = self.units.get(at)
        if found is None:
            return None
        name = found[2]
        return replace(name, kind=self._kinds.get(name.text.casefold(), name.kind))

    def mark(self, name: Name, kind: Kind) -> None:
        """Let every mention of `name` have this kind, unless a known name said otherwise."""
        self._kinds.setdefault(name.text.casefold(), kind)

    def refined(self, name: Name) -> Name:
        """`name` with the best kind known for it."""
        if name.reference is not Reference.NAMED or name.kind is Kind.VALUE:
            return name
        return replace(name, kind=self._kinds.get(name.text.casefold(), name.kind))

    def possessor(self, token: Token) -> Name | None:
        """Whom a possessive points at, if only one person can be meant."""
        low = token.lower_
        if low in lex.SPEAKER_POSSESSIVES:
            return SPEAKER
        if low in lex.THIRD_SINGULAR:
            found = self.antecedent(token)
            return found[0] if len(found) == 1 else None
        if low == "whose" and token.head.head.dep_ == "relcl":
            found = self.phrase(token.head.head.head)
            return found[0] if len(found) == 1 else None
        names = self.phrase(token)
        return names[0] if len(names) == 1 and token.tag_ != "PRP$" else None

    def antecedent(self, token: Token) -> list[Name]:
        """The one person (or for *they* the one group) named before `token` that it can mean, else nothing."""
        gender = lex.THIRD_SINGULAR.get(token.lower_)
        before = [person for person in self.persons if person.at < token.i]
        if gender is None:
            groups = [person for person in before if person.plural]
            singles = [person for person in before if not person.plural]
            if token.lower_ in {"they", "their"} and len(groups) == 1 and not singles:
                return list(groups[0].names)
            return []
        fitting: dict[str, Name] = {}
        genders = {shown(name).casefold(): person.gender for person in before for name in person.names if person.gender}
        for person in before:
            for name in person.names:
                known = genders.get(shown(name).casefold(), "")
                if not person.plural and known in {"", gender}:
                    fitting.setdefault(shown(name).casefold(), self.refined(name))
        if not fitting:
            fitting = {name.text.casefold(): name for p in self.doubtful if p.at < token.i for name in p.names}
            if len(fitting) == 1:
                self._kinds.update(dict.fromkeys(fitting, Kind.PERSON))
                fitting = {key: self.refined(name) for key, name in fitting.items()}
        return list(fitting.values()) if len(fitting) == 1 else []

    def phrase(self, token: Token) -> list[Name]:
        """What the noun phrase headed by `token` stands for, coordination aside; empty when it names nothing."""
        if token.i in self._grouped:
            return [self.refined(name) for name in self._grouped[token.i].names]
        if token.i in self.units:
            return self._unit_phrase(token)
        low = token.lower_
        if low in lex.KIN_NAMES and not any(c.dep_ in {"poss", "det", "compound"} for c in token.children):
            return [Name(self.original(token.i, token.i + 1).lower(), Kind.PERSON, Reference.ROLE)]
        if low in lex.SPEAKER_PRONOUNS or low == "mine":
            return [SPEAKER]
        if token.tag_ in {"PRP", "DT", "WDT", "WP", "EX", "PRP$"} or token.pos_ == "PRON":
            return self.antecedent(token) if low in {"he", "she", "they"} else []
        if low in lex.NOBODY and low not in _MEASURES and not any(c.dep_ == "poss" for c in token.children):
            return []
        return self._common(token)

    def _unit_phrase(self, token: Token) -> list[Name]:
        name = self.unit(token.i)
        if name is None:
            return []
        if token.lower_ in COMPLEMENTS and (span := self._span(token)) is not None and span[1] > token.i + 1:
            return [self.name(*span)]
        owner = next((c for c in token.children if c.dep_ == "poss"), None)
        start, end, _ = self.units[token.i]
        if owner is not None and owner.i < start and token.tag_ in {"NN", "NNS"} and token.text.islower():
            return self._owned(token, owner)
        outer = token.head
        if outer.i >= end and token.dep_ == "compound" and outer.i not in self.units and outer.pos_ == "NOUN":
            return self._common(token.head)
        return [self._extended(token, name)]

    def _extended(self, token: Token, name: Name) -> Name:
        """*two Teslas*, *12 Rose Lane*, *a blue Fiat*: a name used as a common noun keeps its modifiers."""
        start, end, _ = self.units[token.i]
        root = self._root(start, end)
        common = any(c.lower_ in {"a", "an", "another"} for c in root.children) or root.tag_ == "NNPS"
        first = start
        while first > 0 and self.doc[first - 1].head.i == root.i:
            modifier = self.doc[first - 1]
            kept = modifier.dep_ == "nummod" or (common and modifier.dep_ in {"amod", "compound"})
            if not kept or modifier.i in self.units:
                break
            first -= 1
        return name if first == start else replace(self.name(first, end), kind=name.kind)

    def _owned(self, token: Token, owner: Token) -> list[Name]:
        whose = self.possessor(owner)
        text = self._words(token)
        if whose is None or not text:
            return []
        lemma = token.lemma_.lower()
        kind = Kind.PERSON if lemma in lex.PERSON_ROLES or token.lower_ in lex.PERSON_ROLES else Kind.OTHER
        return [Name(text, kind, Reference.ROLE, owner_of(whose))]

    def _common(self, token: Token) -> list[Name]:
        owner = next((c for c in token.children if c.dep_ == "poss"), None)
        if owner is None and token.dep_ == "conj" and token.lower_ in lex.KIN and not any(True for _ in token.lefts):
            owner = next((c for c in token.head.children if c.dep_ == "poss"), None)  # *my mother and father*
        if owner is not None and token.pos_ in {"NOUN", "PROPN", "VERB", "ADJ"}:
            return self._owned(token, owner)
        if token.lower_ in _MEASURES:
            inner = next((g for c in token.children if c.lower_ == "of" for g in c.children if g.dep_ == "pobj"), None)
            return self.phrase(inner) if inner is not None else []
        span = self._span(token)
        if span is None:
            return []
        start, end = span
        kind = Kind.VALUE if self.is_value(token, start, end) else Kind.OTHER
        return [replace(self.name(start, end), kind=kind)]

    def is_value(self, token: Token, start: int, end: int) -> bool:
        """Is this a date, a number, a colour or a quality rather than a thing?"""
        if token.tag_ == "CD" or token.lower_ in lex.CALENDAR:
            return True
        if token.tag_ in {"JJ", "JJR", "JJS"} and token.dep_ not in {"dobj", "pobj"}:
            return True
        if token.lower_ in lex.COLOURS and token.dep_ == "attr":
            return True
        ent = self.value_span(token)
        return ent is not None and ent.start <= start and end <= ent.end
