"""Finding names: known ones first, then spaCy's entities, then capitals, then what the tagger takes for a name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memary_core.extract import lexicon as lex
from memary_core.extract.casing import ARGUMENTS, FUNCTION_TAGS, Casing
from memary_core.extract.spans import Unit
from memary_core.extract.text import Passage, overlaps
from memary_core.models import Kind, Name

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

    from memary_core.extract.pipeline import Vocabulary

KINDS = {
    "PERSON": Kind.PERSON,
    "ORG": Kind.ORGANISATION,
    "GPE": Kind.PLACE,
    "LOC": Kind.PLACE,
    "FAC": Kind.PLACE,
    "PRODUCT": Kind.PRODUCT,
    "EVENT": Kind.EVENT,
    "WORK_OF_ART": Kind.WORK,
    "LAW": Kind.WORK,
    "NORP": Kind.OTHER,
    "LANGUAGE": Kind.OTHER,
}
"""spaCy's entity labels; those left out are dates, numbers and amounts."""

_LATIN_END = 0x250


def find_units(doc: Doc, passage: Passage, known: Sequence[Name], words: Vocabulary) -> dict[int, Unit]:
    """Which name each token belongs to: token index → (first, one past last, name). Tokens elsewhere are absent."""
    finder = _Finder(doc, passage, words)
    for name in known:
        finder.take_known(name)
    for ent in doc.ents:
        finder.take_entity(ent)
    finder.take_capitals()
    finder.take_tagged()
    return finder.units


class _Finder(Casing):
    def __init__(self, doc: Doc, passage: Passage, words: Vocabulary) -> None:
        super().__init__(doc, words)
        self.passage = passage
        self.units: dict[int, Unit] = {}

    def add(self, start: int, end: int, kind: Kind) -> None:
        start, end = self.trim(start, end)
        if start >= end or any(at in self.units for at in range(start, end)):
            return
        left, right = self.passage.place(self.doc[start].idx, self.doc[end - 1].idx + len(self.doc[end - 1]))
        text = " ".join(self.passage.original[left:right].split())
        if not any(char.isalnum() for char in text) or overlaps(left, right, self.passage.hidden):
            return
        name = Name(text, kind, start=left, end=right)
        self.units.update(dict.fromkeys(range(start, end), (start, end, name)))

    def trim(self, start: int, end: int) -> tuple[int, int]:
        def loose(token: Token) -> bool:
            return token.is_punct or token.is_space or token.tag_ in {"DT", "POS", "PRP$", "PRP", "CC", "TO", "IN"}

        while start < end and loose(self.doc[start]) and not self.doc[start].text[0].isdigit():
            start += 1
        while start < end and loose(self.doc[end - 1]) and self.doc[end - 1].text != ")":
            end -= 1
        return start, end

    def take_known(self, name: Name) -> None:
        if not 0 <= name.start < name.end <= len(self.passage.original):
            return
        start, end = self.passage.find(name.start, name.end)
        span = self.doc.char_span(start, end, alignment_mode="expand") if start < end else None
        if span is None or overlaps(name.start, name.end, self.passage.hidden):
            return
        if any(at in self.units for at in range(span.start, span.end)):
            return
        text = " ".join(self.passage.original[name.start : name.end].split())
        exact = Name(text, name.kind, start=name.start, end=name.end)
        self.units.update(dict.fromkeys(range(span.start, span.end), (span.start, span.end, exact)))

    def take_entity(self, ent: Span) -> None:
        kind = KINDS.get(ent.label_)
        if kind is None:
            return
        for start, end in self.pieces(ent):
            first = self.doc[start]
            if end - start == 1 and not self.stands_alone(first, ent.label_):
                continue
            while (
                start > 0 and self.doc[start - 1].lower_.rstrip(".") in lex.TITLES and self.capital(self.doc[start - 1])
            ):
                start -= 1
            while end < len(self.doc) and self.continues(end, first):
                end += 1
            self.add(start, end, kind)

    def pieces(self, ent: Span) -> Iterator[tuple[int, int]]:
        """The parts of an entity that can be names: no lower-case words of the sentence, no list of people."""
        start, end = self.trim(ent.start, ent.end)
        run = start
        for at in range(start, end):
            token = self.doc[at]
            joins = token.lower_ in lex.SMALL_JOINERS and not (ent.label_ == "PERSON" and token.lower_ in {"and", "&"})
            breaks = (
                token.is_space
                or token.text in {",", ";", ":"}
                or (
                    not self.capital(token)
                    and not joins
                    and not token.is_digit
                    and not token.is_punct
                    and token.tag_ != "POS"
                    and (self.cased or token.tag_ not in {"NNP", "NNPS", "NN", "NNS"})
                )
            )
            opener = token.tag_ in FUNCTION_TAGS or token.tag_ == "VB" or token.lower_ in lex.GREETINGS
            if at in self.starts and opener and at + 1 < end:
                breaks = True
            before = self.doc[ent.start - 1].lower_ if ent.start else ""
            listed = "," in ent.text or (before in {",", "are", *lex.NAME_WORDS} and ent.end - ent.start == 3)
            if token.lower_ in {"and", "&"} and (ent.label_ == "PERSON" or listed):
                breaks = True
            if breaks:
                if run < at:
                    yield run, at
                run = at + 1
        if run < end:
            yield run, end

    def continues(self, at: int, first: Token) -> bool:
        token = self.doc[at]
        return (
            self.capital(token)
            and token.tag_ in {"NNP", "NNPS"}
            and (self.doc[at - 1].dep_ == "compound" and self.doc[at - 1].head.i == at)
            and token.ent_type_ not in {"DATE", "TIME", "PERSON"}
        )

    def take_capitals(self) -> None:
        at = 0
        while at < len(self.doc):
            if not self.starts_run(at):
                at += 1
                continue
            end = at + 1
            while end < len(self.doc):
                if self.in_run(end):
                    end += 1
                elif self.joins(end) and end + 1 < len(self.doc) and self.in_run(end + 1):
                    end += 2
                elif self.joins(end) and end + 2 < len(self.doc) and self.joins(end + 1) and self.in_run(end + 2):
                    end += 3
                else:
                    break
            self.add(at, end, Kind.OTHER)
            at = end

    def in_run(self, at: int) -> bool:
        token = self.doc[at]
        if at in self.units or token.is_punct or token.is_space or at in self.starts:
            return False
        if token.is_digit:
            return at - 1 not in self.units and self.capital(self.doc[at - 1]) and not token.ent_type_
        return self.capital(token) and self.nameable(token)

    def joins(self, at: int) -> bool:
        if self.doc[at - 1].lower_ in lex.OFFICES:
            return False
        return self.doc[at].lower_ in lex.SMALL_JOINERS - {"and", "y", "e"} and not self.capital(self.doc[at])

    def starts_run(self, at: int) -> bool:
        token = self.doc[at]
        if at in self.units or token.is_punct or token.is_space or token.is_digit or not self.capital(token):
            return False
        if at not in self.starts:
            return self.nameable(token)
        more = at + 1 < len(self.doc) and self.in_run(at + 1)
        if more and token.tag_ in {"NNP", "NNPS", "NN", "JJ"}:
            low = token.lower_.rstrip(".")
            return low not in lex.GREETINGS | lex.CALENDAR | lex.NOT_NAMES | lex.FOREIGN_STARTS
        return self.opens(token) and self.nameable(token)

    def take_tagged(self) -> None:
        """Names typed in lower case, as far as the tagger sees them."""
        for token in self.doc:
            if token.i in self.units or self.capital(token):
                continue
            placed = token.dep_ in {"nsubj", "nsubjpass", "pobj"} and token.tag_ in {"NN", "JJ", "FW", "NNS"}
            placed = placed or (
                token.dep_ == "dobj" and token.head.lemma_ in {"meet", "marry", "know", "date", "visit"}
            )
            if token.tag_ not in {"NNP", "NNPS"} and not (placed and self.foreign(token)):
                continue
            low = token.lower_
            if (
                low in lex.NOT_NAMES | lex.CALENDAR | lex.CHATTER | lex.GREETINGS | lex.PERSON_ROLES
                or not token.is_alpha
            ):
                continue
            if token.ent_type_ in {"DATE", "TIME"} or token.dep_ == "compound" or token.dep_ not in ARGUMENTS:
                continue
            if ord(max(token.text)) >= _LATIN_END:
                continue
            self.add(token.i, token.i + 1, Kind.OTHER)
