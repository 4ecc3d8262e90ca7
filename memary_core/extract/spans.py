"""From tokens to the writer's own words: where a phrase begins and ends, and what stands there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memary_core.extract import lexicon as lex
from memary_core.extract.text import Passage
from memary_core.models import Kind, Name

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

Unit = tuple[int, int, Name]
"""First token, one past the last, and the name they make."""
VALUE_ENTITIES = frozenset({"DATE", "TIME", "MONEY", "PERCENT", "QUANTITY", "CARDINAL", "ORDINAL"})
_MODIFIERS = frozenset("amod compound nummod nmod quantmod npadvmod advmod neg".split())
COMPLEMENTS = {
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
_LONGEST_PHRASE = 8


class Spans:
    """A parsed passage and the names in it, as stretches of tokens."""

    def __init__(self, doc: Doc, passage: Passage, units: dict[int, Unit]) -> None:
        self.doc = doc
        self.passage = passage
        self.units = units
        self._spans = sorted(set(units.values()), key=lambda unit: unit[0])

    def spans(self) -> list[tuple[int, int, Name]]:
        """Every name once, in the order of the text."""
        return self._spans

    def original(self, start: int, end: int) -> str:
        """The writer's own characters for tokens [start, end)."""
        left, right = self.place(start, end)
        return " ".join(self.passage.original[left:right].split())

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where tokens [start, end) stand in the writer's text."""
        last = self.doc[end - 1]
        return self.passage.place(self.doc[start].idx, last.idx + len(last))

    def name(self, start: int, end: int) -> Name:
        """Tokens [start, end) as a thing."""
        left, right = self.place(start, end)
        return Name(self.original(start, end), Kind.OTHER, start=left, end=right)

    def number(self, token: Token) -> Name:
        """A bare number as a value."""
        return replace(self.name(token.i, token.i + 1), kind=Kind.VALUE)

    def quality(self, token: Token) -> Name:
        """An adjective with what narrows it: *lactose intolerant*, *3 years old*."""
        start = token.i
        for child in sorted(token.lefts, key=lambda child: -child.i):
            if child.dep_ not in {"npadvmod", "compound", "amod", "nmod"} or child.right_edge.i + 1 != start:
                break
            start = child.left_edge.i
        tail = next((c for c in token.children if c.dep_ == "oprd" and c.tag_ == "JJ" and c.i == token.i + 1), token)
        return replace(self.name(start, tail.i + 1), kind=Kind.VALUE)

    def role(self, start: int, end: int) -> str:
        """The words of a role, in the singular, without *own* and the like."""
        words = [t for t in self.doc[start:end] if t.lower_ not in {"own", "dear", "late", "lovely", "beloved"}]
        head = self.doc[end - 1]
        texts = [self.original(t.i, t.i + 1) for t in words]
        if texts and (head.tag_ in {"NNS", "NNPS"} or head.lower_.removesuffix("s") in lex.PERSON_ROLES):
            low = head.lower_
            texts[-1] = head.lemma_ if head.tag_ == "NNS" else low if low in lex.PERSON_ROLES else low.removesuffix("s")
        return " ".join(texts)

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
            wanted = COMPLEMENTS.get(token.lemma_.lower(), "of")
            inner = next((c for c in preposition.children if c.dep_ == "pobj"), None)
            if preposition.lower_ in {wanted, "of"} and inner is not None and inner.pos_ != "PRON":
                if inner.i in self.units:
                    return self.units[inner.i][1]
                span = self._span(inner)
                return span[1] if span is not None else inner.i + 1
        if end < len(self.doc) and self.doc[end].dep_ == "nummod" and self.doc[end].head.i == token.i:
            return end + 1
        return end

    def _root(self, start: int, end: int) -> Token:
        return next((t for t in self.doc[start:end] if not start <= t.head.i < end or t.head.i == t.i), self.doc[start])
