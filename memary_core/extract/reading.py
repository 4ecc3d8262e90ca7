"""One message as the rules see it: who is who, what a phrase stands for, and which relations its wording shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memary_core.extract import lexicon as lex
from memary_core.extract.pipeline import Vocabulary
from memary_core.extract.repair import repair
from memary_core.extract.text import Passage
from memary_core.extract.units import find_units
from memary_core.models import SPEAKER, Kind, Name, Reference

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

VALUE_ENTITIES = frozenset({"DATE", "TIME", "MONEY", "PERCENT", "QUANTITY", "CARDINAL", "ORDINAL"})
_MODIFIERS = frozenset("amod compound nummod nmod quantmod npadvmod advmod neg".split())
_COMPLEMENTS = {
    "allergy": "to",
    "intolerance": "to",
    "passion": "for",
    "degree": "in",
    "phd": "in",
    "masters": "in",
    "master": "in",
    "bachelor": "in",
    "crush": "on",
}
"""Nouns that say little without the phrase after them."""
_MEASURES = frozenset({"lot", "lots", "bit", "plenty", "ton", "tons", "loads"})
_TRAVEL = frozenset("move go come travel fly drive return relocate commute emigrate".split())
_LONGEST_PHRASE = 8
_LONGEST_SENTENCE = 120
"""Tokens; what runs longer is a list or a paste, and is searched for names only."""


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


class Reading:
    """A parsed passage with its names, relations and antecedents found."""

    def __init__(self, doc: Doc, passage: Passage, known: Sequence[Name], words: Vocabulary) -> None:
        repair(doc, words)
        self.words = words
        self.endless = {t.i for sent in doc.sents if sent.end - sent.start > _LONGEST_SENTENCE for t in sent}
        self.doc = doc
        self.passage = passage
        self.units = find_units(doc, passage, known, words)
        self.relations: list[Relation] = []
        self.persons: list[Person] = []
        self.doubtful: list[Person] = []
        self._grouped: dict[int, Relation] = {}
        self.stands: dict[int, tuple[Name, ...]] = {}
        self._kinds: dict[str, Kind] = {
            name.text.casefold(): name.kind for name in known if name.kind is not Kind.OTHER
        }
        for start, end, name in self.spans():
            if start in self.endless:
                continue
            if name.text.casefold() not in self._kinds and (kind := self._kind(start, end)) is not None:
                self._kinds[name.text.casefold()] = kind
        self._walk()

    # Names

    def spans(self) -> list[tuple[int, int, Name]]:
        """Every name once, in the order of the text."""
        return sorted(set(self.units.values()), key=lambda unit: unit[0])

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

    def original(self, start: int, end: int) -> str:
        """The writer's own characters for tokens [start, end)."""
        left, right = self.place(start, end)
        return " ".join(self.passage.original[left:right].split())

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where tokens [start, end) stand in the writer's text."""
        last = self.doc[end - 1]
        return self.passage.place(self.doc[start].idx, last.idx + len(last))

    def _root(self, start: int, end: int) -> Token:
        return next((t for t in self.doc[start:end] if not start <= t.head.i < end or t.head.i == t.i), self.doc[start])

    def _kind(self, start: int, end: int) -> Kind | None:
        root = self._root(start, end)
        while root.dep_ == "conj" and root.head.i != root.i and root.head.pos_ in {"PROPN", "NOUN"}:
            root = root.head
        if root.dep_ == "pobj" and root.head.dep_ == "prep":
            preposition, verb = root.head.lower_, root.head.head
            if verb.lemma_ in lex.ORG_VERBS and preposition in {"at", "for"}:
                return Kind.ORGANISATION
            if preposition in {"in", "near"} and verb.pos_ in {"VERB", "AUX"}:
                return Kind.PLACE
            if preposition in {"to", "from", "into"} and (verb.lemma_ in _TRAVEL or verb.lemma_ == "be"):
                return Kind.PLACE
            if preposition == "with" and verb.pos_ == "VERB":
                return Kind.PERSON
            if preposition == "to" and verb.lower_ in {"married", "engaged"}:
                return Kind.PERSON
        if root.dep_ == "nsubj" and root.head.lemma_ in lex.ANIMATE_VERBS:
            return Kind.PERSON
        bodily = root.dep_ == "nsubj" and any(c.dep_ == "acomp" and c.lower_ in lex.BODILY for c in root.head.children)
        if bodily or (root.dep_ == "dobj" and root.head.lemma_ in {"marry", "meet", "date"}):
            return Kind.PERSON
        if root.dep_ == "dobj" and root.head.lemma_ == "visit" and root.ent_type_ != "PERSON":
            return Kind.PLACE
        return None

    # Antecedents and relations, in one pass from left to right

    def _walk(self) -> None:
        at = 0
        while at < len(self.doc):
            if at in self.endless:
                at += 1
                continue
            relation = self._relation(at)
            if relation is not None:
                self._note(relation)
                at = relation.end
                continue
            found = self.units.get(at)
            if found is not None and found[0] == at:
                self._note_name(found[0], found[1])
                at = found[1]
                continue
            self._note_role(self.doc[at])
            at += 1

    def _note(self, relation: Relation) -> None:
        self.relations.append(relation)
        self._grouped.update(dict.fromkeys(range(relation.start, relation.end), relation))
        head = relation.role.split()[-1].casefold()
        if head in lex.PERSON_ROLES:
            for name in relation.names:
                self._kinds[name.text.casefold()] = Kind.PERSON
        gender = "m" if head in lex.MALE else "f" if head in lex.FEMALE else ""
        self.persons.append(Person(relation.start, relation.names, gender, len(relation.names) > 1))

    def _note_name(self, start: int, end: int) -> None:
        name = self.unit(start)
        root = self._root(start, end)
        if name is None:
            return
        if (gender := self._introduced(root, name)) is not None:
            self.persons.append(Person(start, (name,), gender))
            return
        acts = root.dep_ in {"nsubj", "nsubjpass", "conj", "ROOT"} and root.ent_type_ != "GPE"
        alive = acts and root.head.lemma_ in lex.ANIMATE_VERBS | {"work", "move", "have"}
        if root.dep_ in {"nsubj", "nsubjpass", "poss"}:
            self.doubtful.append(Person(start, (name,)))
        if name.kind is Kind.PLACE or (name.kind in {Kind.ORGANISATION, Kind.WORK} and not alive):
            return
        if root.dep_ == "attr" and self._thing_said(root):
            return
        other = root.dep_ in {"poss", "appos", "attr"}
        if name.kind is Kind.PERSON or acts or other or root.ent_type_ == "PERSON":
            self.persons.append(Person(start, (name,)))

    def _thing_said(self, root: Token) -> bool:
        """Is this what someone's favourite thing is, or their hometown?"""
        subject = next((c for c in root.head.children if c.dep_ == "nsubj"), None)
        return (
            subject is not None
            and any(c.dep_ == "poss" for c in subject.children)
            and subject.lemma_.lower() not in lex.PERSON_ROLES | lex.PETS | {"name"}
        )

    def _introduced(self, root: Token, name: Name) -> str | None:
        """*my son is called Mateo*: from here on the son is Mateo. The gender of the role, or None if not so."""
        subject: Token | None = None
        if root.dep_ == "appos" and root.head.dep_ == "dobj":
            subject = root.head
        elif root.dep_ in {"attr", "oprd"} and root.head.lemma_ in {"be", "call", "name"}:
            subject = next((c for c in root.head.children if c.dep_ in {"nsubj", "nsubjpass"}), None)
        if root.dep_ == "oprd" and root.head.dep_ == "acl":
            subject = root.head.head
        if subject is not None and subject.lower_ == "name":
            subject = next((c for c in subject.children if c.dep_ == "poss"), None)
        known = next((p for p in self.persons if subject is not None and p.at == subject.i), None)
        if known is None or known.names[0].reference is not Reference.ROLE:
            return None
        self.persons.remove(known)
        self.stands[known.at] = (name,)
        if root.ent_type_ != "PERSON" and known.role in lex.PERSON_ROLES:
            self._kinds[name.text.casefold()] = Kind.PERSON
        return known.gender

    def _note_role(self, token: Token) -> None:
        if token.lemma_.lower() not in lex.PERSON_ROLES | lex.PETS or token.pos_ not in {"NOUN", "PROPN"}:
            return
        gender = "m" if token.lemma_.lower() in lex.MALE else "f" if token.lemma_.lower() in lex.FEMALE else ""
        plural = token.tag_ in {"NNS", "NNPS"}
        if any(child.dep_ == "poss" for child in token.children):
            names = self.phrase(token)
        elif token.dep_ == "dobj" and token.head.lemma_ in {"have", "get"} and not plural:
            owner = next((c for c in token.head.children if c.dep_ == "nsubj"), None)
            owners = self.phrase(owner) if owner is not None else []
            kind = Kind.PERSON if token.lemma_.lower() in lex.PERSON_ROLES else Kind.OTHER
            names = [Name(self._words(token), kind, Reference.ROLE, owner_of(owners[0]))] if len(owners) == 1 else []
        else:
            names = []
        if names and token.dep_ == "attr" and token.head.lemma_ == "be":
            subject = next((c for c in token.head.children if c.dep_ == "nsubj"), token)
            before = next((p for p in self.persons if p.at == subject.i), None)
            if before is None and subject.lower_ in lex.THIRD_SINGULAR:
                meant = self.antecedent(subject)
                before = next((p for p in self.persons if meant and shown(p.names[0]) == shown(meant[0])), None)
            if before is not None:  # *Ngozi is my aunt* brings nobody new
                self.persons.append(Person(before.at, before.names, gender))
                return
        if names:
            self.persons.append(Person(token.i, tuple(names), gender, plural, token.lemma_.lower()))
            self.stands[token.i] = tuple(names)

    def _relation(self, at: int) -> Relation | None:
        """*my sister Anna*, *Anna's husband, Tom,*, *our cats Luna and Milo*, starting at token `at`."""
        token = self.doc[at]
        if at in self.units:
            return self._reversed(at)
        if token.tag_ == "PRP$" or (token.lower_ == "his" and token.dep_ == "poss"):
            owner, first = self.possessor(token), at + 1
        elif token.text in {"'s", "'"} and at > 0 and (token.tag_ == "POS" or at - 1 in self.units):
            owner, first = self._before(at - 1), at + 1
        else:
            return None
        end = first
        while end < len(self.doc) and end not in self.units and self._role_word(self.doc[end]):
            end += 1
        if owner is None or end == first or not self._role_noun(self.doc[end - 1]):
            return None
        comma = end < len(self.doc) and self.doc[end].text in {",", "("}
        person = self.doc[end - 1].lower_ in lex.PERSON_ROLES | lex.PETS or "_in_law" in self.doc[end - 1].lower_
        start = end + 1 if comma else end
        found = self.units.get(start)
        if found is not None and self._common_word(found[0]):
            return None
        if found is None or found[0] != start or (comma and not self._set_off(found[0], found[1], person)):
            return None
        last = self.doc[found[1] - 1]
        if last.dep_ in {"compound", "amod", "nmod"} and last.head.i >= found[1] and last.head.i not in self.units:
            return None
        head = self.doc[end - 1]
        names = [self.units[start][2]]
        stop = found[1]
        if head.tag_ == "NNS" or (head.lower_.endswith("s") and head.lower_[:-1] in lex.PERSON_ROLES | lex.PETS):
            for more_start, more_end in self._listed(stop):
                names.append(self.units[more_start][2])
                stop = more_end
        return Relation(owner, self.role(first, end), tuple(names), at, stop)

    def _reversed(self, at: int) -> Relation | None:
        """*Marta, my boss,*"""
        start, end, name = self.units[at]
        if start != at or end + 2 >= len(self.doc) or self.doc[end].text != "," or self.doc[end + 1].tag_ != "PRP$":
            return None
        stop = end + 2
        while stop < len(self.doc) and stop not in self.units and self._role_word(self.doc[stop]):
            stop += 1
        head = self.doc[stop - 1]
        closed = stop >= len(self.doc) or self.doc[stop].text in {",", ".", "!", ";", ")"}
        listed = stop + 1 < len(self.doc) and self.doc[stop].text == "," and self.doc[stop + 1].lower_ in {"and", "or"}
        owner = self.possessor(self.doc[end + 1])
        known = head.lower_ in lex.PERSON_ROLES | lex.PETS
        if stop == end + 2 or not closed or listed or not known or owner is None or owner == self.unit(at):
            return None
        return Relation(owner, self.role(end + 2, stop), (name,), at, stop)

    def _common_word(self, at: int) -> bool:
        """A lower-case English noun that the tagger takes for a name: *mother tongue*."""
        token = self.doc[at]
        return token.text.islower() and not self.words.unknown(token.lower_) and not token.ent_type_

    def _role_word(self, token: Token) -> bool:
        if token.lower_ in {"late", "own", "dear"}:
            return True
        return token.tag_ in {"JJ", "JJR", "JJS", "NN", "NNS", "VBG", "NNP", "FW"} and (
            token.text[0].islower() or token.tag_ == "JJ"
        )

    def _role_noun(self, token: Token) -> bool:
        low = token.lower_
        known = low in lex.PERSON_ROLES | lex.PETS or low.removesuffix("s") in lex.PERSON_ROLES | lex.PETS
        return known or "_in_law" in low or token.tag_ in {"NN", "NNS"}

    def role(self, start: int, end: int) -> str:
        """The words of a role, in the singular, without *own* and the like."""
        words = [t for t in self.doc[start:end] if t.lower_ not in {"own", "dear", "late", "lovely", "beloved"}]
        head = self.doc[end - 1]
        texts = [self.original(t.i, t.i + 1) for t in words]
        if texts and (head.tag_ in {"NNS", "NNPS"} or head.lower_.removesuffix("s") in lex.PERSON_ROLES):
            low = head.lower_
            texts[-1] = head.lemma_ if head.tag_ == "NNS" else low if low in lex.PERSON_ROLES else low.removesuffix("s")
        return " ".join(texts)

    def _set_off(self, start: int, end: int, person: bool) -> bool:
        root = self._root(start, end)
        if not person and not (end < len(self.doc) and self.doc[end].text in {",", ")"}):
            return False  # *busy with my shop, Jon* speaks to Jon
        closed = end >= len(self.doc) or self.doc[end].is_punct or self.doc[end].is_sent_start or root.dep_ == "appos"
        return (
            closed
            and root.dep_ in {"appos", "nsubj", "ROOT", "npadvmod"}
            and not (end < len(self.doc) and self.doc[end].text == "," and any(c.dep_ == "cc" for c in root.children))
        )

    def _listed(self, at: int) -> Iterator[tuple[int, int]]:
        while at < len(self.doc) and (self.doc[at].text == "," or self.doc[at].lower_ in {"and", "&"}):
            at += 1
            if at < len(self.doc) and self.doc[at].lower_ in {"and", "&"}:
                at += 1
            found = self.units.get(at)
            if found is None or found[0] != at:
                return
            yield found[0], found[1]
            at = found[1]

    def _before(self, at: int) -> Name | None:
        if at in self._grouped:
            names = self._grouped[at].names
            return self.refined(names[0]) if len(names) == 1 else None
        if at in self.units:
            return self.unit(at)
        names_of = self.phrase(self.doc[at]) if self.doc[at].pos_ == "NOUN" else []
        return names_of[0] if len(names_of) == 1 and names_of[0].reference is Reference.ROLE else None

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

    # Phrases

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
        if token.lower_ in _COMPLEMENTS and (span := self._span(token)) is not None and span[1] > token.i + 1:
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

    def value_span(self, token: Token) -> Span | None:
        """The date, time or amount that `token` is in."""
        return next((e for e in self.doc.ents if e.label_ in VALUE_ENTITIES and e.start <= token.i < e.end), None)

    def _words(self, token: Token) -> str:
        span = self._span(token)
        if span is None:
            return ""
        words = [t for t in self.doc[span[0] : span[1]] if t.lower_ not in {"own", "dear"}]
        return " ".join(self.original(t.i, t.i + 1) for t in words)

    def _span(self, token: Token) -> tuple[int, int] | None:
        ent = self.value_span(token)
        if ent is not None and ent.label_ in {"DATE", "TIME", "MONEY", "PERCENT", "QUANTITY"} and token.tag_ != "NNS":
            start, end = ent.start, ent.end
            while start < end - 1 and self.doc[start].tag_ in {"DT", "IN", "PRP$"}:
                start += 1
            return start, end
        if token.tag_ == "CD":
            first = token.i
            while first > 0 and self.doc[first - 1].tag_ == "CD":
                first -= 1
            return first, next((t.i for t in self.doc[token.i :] if t.tag_ != "CD"), len(self.doc))
        start = token.i
        for child in sorted(token.lefts, key=lambda child: -child.i):
            if child.dep_ not in _MODIFIERS or child.tag_ in {"DT", "WDT"} or child.right_edge.i + 1 != start:
                if child.right_edge.i + 1 == start and child.is_punct and child.text in {"_", "-"}:
                    start = child.i
                    continue
                break
            if child.dep_ in {"advmod", "neg"} and token.pos_ in {"NOUN", "PROPN"}:
                break
            start = child.left_edge.i
        while start < token.i and (
            self.doc[start].tag_ in {"DT", "PRP$", "CC", "RB"}
            or self.doc[start].is_punct
            or self.doc[start].lower_ in lex.COUNTLESS
        ):
            start += 1
        end = self._tail(token)
        return (start, end) if end - start <= _LONGEST_PHRASE else None

    def _tail(self, token: Token) -> int:
        end = token.i + 1
        if end < len(self.doc) and (self.doc[end].dep_ == "prep" and self.doc[end].head.i == token.i):
            preposition = self.doc[end]
            wanted = _COMPLEMENTS.get(token.lemma_.lower(), "of")
            inner = next((c for c in preposition.children if c.dep_ == "pobj"), None)
            if preposition.lower_ in {wanted, "of"} and inner is not None and inner.pos_ != "PRON":
                if inner.i in self.units:
                    return self.units[inner.i][1]
                span = self._span(inner)
                return span[1] if span is not None else inner.i + 1
        if end < len(self.doc) and self.doc[end].dep_ == "nummod" and self.doc[end].head.i == token.i:
            return end + 1
        return end

    def noun_start(self, token: Token, *, bare: bool = False) -> int:
        """Where the phrase headed by `token` begins; `bare` leaves numbers out."""
        span = self._span(token)
        start = span[0] if span is not None else token.i
        while bare and start < token.i and self.doc[start].tag_ == "CD":
            start += 1
        return start

    def noun_end(self, token: Token) -> int:
        """One past the last token of the phrase headed by `token`."""
        if token.i in self.units:
            return self.units[token.i][1]
        span = self._span(token)
        return span[1] if span is not None else token.i + 1

    def name(self, start: int, end: int) -> Name:
        """Tokens [start, end) as a thing."""
        left, right = self.place(start, end)
        return Name(self.original(start, end), Kind.OTHER, start=left, end=right)

    def quality(self, token: Token) -> Name:
        """An adjective with what narrows it: *lactose intolerant*, *3 years old*."""
        start = token.i
        for child in sorted(token.lefts, key=lambda child: -child.i):
            if child.dep_ not in {"npadvmod", "compound", "amod", "nmod"} or child.right_edge.i + 1 != start:
                break
            start = child.left_edge.i
        tail = next((c for c in token.children if c.dep_ == "oprd" and c.tag_ == "JJ" and c.i == token.i + 1), token)
        return replace(self.name(start, tail.i + 1), kind=Kind.VALUE)
