"""One message as the rules see it: who is who, and which relations its wording shows (*my sister Anna*)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memary_core.extract import lexicon as lex
from memary_core.extract.phrasing import Person, Phrasing, Relation, owner_of, shown
from memary_core.extract.pipeline import Vocabulary
from memary_core.extract.repair import LONGEST_SENTENCE, repair
from memary_core.extract.text import Passage
from memary_core.extract.units import find_units
from memary_core.models import Kind, Name, Reference

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_TRAVEL = frozenset("move go come travel fly drive return relocate commute emigrate".split())


class Reading(Phrasing):
    """A parsed passage with its names, relations and antecedents found, in one pass from left to right."""

    def __init__(self, doc: Doc, passage: Passage, known: Sequence[Name], words: Vocabulary) -> None:
        repair(doc, words)
        kinds = {name.text.casefold(): name.kind for name in known if name.kind is not Kind.OTHER}
        super().__init__(doc, passage, find_units(doc, passage, known, words), kinds, words)
        self.endless = {t.i for sent in doc.sents if sent.end - sent.start > LONGEST_SENTENCE for t in sent}
        self.relations: list[Relation] = []
        self.stands: dict[int, tuple[Name, ...]] = {}
        for start, end, name in self.spans():
            if start in self.endless or name.text.casefold() in self._kinds:
                continue
            if (kind := self._kind(start, end)) is not None:
                self._kinds[name.text.casefold()] = kind
        self._walk()

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
        if comma and start < len(self.doc) and self.doc[start].lower_ == "the":
            start += 1
        found = self.units.get(start)
        if found is not None and self._common_word(found[0]):
            return None
        if found is None or found[0] != start:
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
        if comma and not self._set_off(found[0], stop, person, listed=len(names) > 1):
            return None
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
        if token.lower_.rpartition("_")[2] in lex.PERSON_ROLES:
            return True
        return token.tag_ in {"JJ", "JJR", "JJS", "NN", "NNS", "VBG", "NNP", "FW"} and (
            token.text[0].islower() or token.tag_ == "JJ"
        )

    def _role_noun(self, token: Token) -> bool:
        low = token.lower_
        low = low.rpartition("_")[2] if "_" in low and "_in_law" not in low else low
        known = low in lex.PERSON_ROLES | lex.PETS or low.removesuffix("s") in lex.PERSON_ROLES | lex.PETS
        return known or "_in_law" in low or token.tag_ in {"NN", "NNS"}

    def _set_off(self, start: int, end: int, person: bool, listed: bool) -> bool:
        root = self._root(start, end)
        if not person and not (end < len(self.doc) and self.doc[end].text in {",", ")"}):
            return False  # *busy with my shop, Jon* speaks to Jon
        if listed:
            return end >= len(self.doc) or self.doc[end].is_punct or self.doc[end].is_sent_start is True
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
