"""Finding names: known ones first, then spaCy's entities, then capitals, then what the tagger takes for a name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memary_core.extract import lexicon as lex
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

ARGUMENTS = frozenset("nsubj nsubjpass dobj pobj attr appos conj poss dative oprd ROOT npadvmod compound".split())
_LATIN_END = 0x250
_FUNCTION_TAGS = frozenset("IN DT PRP PRP$ WP WP$ WRB WDT CC UH TO EX RB RBR RBS PDT RP".split())
_VERB_TAGS = frozenset("VB VBD VBG VBN VBP VBZ MD".split())


def find_units(
    doc: Doc, passage: Passage, known: Sequence[Name], words: Vocabulary
) -> dict[int, tuple[int, int, Name]]:
    """Which name each token belongs to: token index → (first, one past last, name). Tokens elsewhere are absent."""
    finder = _Finder(doc, passage, words)
    for name in known:
        finder.take_known(name)
    for ent in doc.ents:
        finder.take_entity(ent)
    finder.take_capitals()
    finder.take_tagged()
    return finder.units


class _Finder:
    def __init__(self, doc: Doc, passage: Passage, words: Vocabulary) -> None:
        self.words = words
        self.doc = doc
        self.passage = passage
        self.units: dict[int, tuple[int, int, Name]] = {}
        self.starts = {_first_word(sent) for sent in doc.sents}
        self.cased = any(self.capital(token) for token in doc if token.i not in self.starts)

    def capital(self, token: Token) -> bool:
        """Did the writer, or a certain correction, capitalise this word?"""
        text = token.text
        return text != text.lower() and any(char.isalpha() for char in text) and token.tag_ != "PRP"

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
            opener = token.tag_ in _FUNCTION_TAGS or token.tag_ == "VB" or token.lower_ in lex.GREETINGS
            if at in self.starts and opener and at + 1 < end:
                breaks = True
            if token.lower_ in {"and", "&"} and ent.label_ == "PERSON":
                breaks = True
            if breaks:
                if run < at:
                    yield run, at
                run = at + 1
        if run < end:
            yield run, end

    def stands_alone(self, token: Token, label: str) -> bool:
        """Can this one word be a name by itself? spaCy's small pipeline often errs at the start of a sentence."""
        low = token.lower_
        if low in lex.NOT_NAMES | lex.CALENDAR | lex.CHATTER | lex.KIN_NAMES:
            return False
        if (
            label in {"NORP", "LANGUAGE"}
            and token.tag_ in {"JJ", "NNPS"}
            and token.dep_ in {"amod", "acomp", "compound"}
        ):
            return False
        if label in {"NORP", "LANGUAGE"} and token.tag_ == "JJ" and token.dep_ not in ARGUMENTS:
            return False
        if token.i in self.starts:
            return self.opens(token)
        return self.capital(token) or token.tag_ in {"NNP", "NNPS", "NN", "NNS"}

    def opens(self, token: Token) -> bool:
        """Is the first word of a sentence, whose capital says nothing, a name?"""
        low = token.lower_
        following = self.doc[token.i + 1] if token.i + 1 < len(self.doc) else None
        if low in lex.NOT_NAMES | lex.GREETINGS | lex.FOREIGN_STARTS | lex.CHATTER | lex.NOBODY | lex.CALENDAR:
            return False
        if low in lex.KIN_NAMES:
            return False
        if token.tag_ == "MD":
            return low in {"will", "may"} and following is not None and following.tag_ in {"VBZ", "VBD"}
        if token.tag_ in _FUNCTION_TAGS:
            return False
        describes = token.dep_ in {"amod", "compound"} and token.head.tag_ in {"NN", "NNS"}
        if describes and token.head.i == token.i + 1 and token.head.text.islower() and not self.words.unknown(low):
            return False
        gerund = low.endswith("ing") and not self.words.unknown(low) and token.ent_type_ != "PERSON"
        describing = (
            token.dep_ not in {"nsubj", "nsubjpass", "poss"}
            and not token.ent_type_
            and (low in self.words.adjectives or low in self.words.verbs or low in self.words.adverbs)
        )
        if gerund or describing or low in {"been", "being", "woah", "whoa"}:
            return False
        if token.tag_ in {"NNP", "NNPS"}:
            return True
        subject = token.dep_ in {"nsubj", "nsubjpass"}
        if subject and self.foreign(token):
            return True
        if token.tag_ in _VERB_TAGS or token.tag_ in {"JJ", "NN", "FW"}:
            before = following is not None and token.head.i == following.i
            if (subject or before) and token.head.tag_ in {"VBZ", "VBD", "VBN"}:
                return token.tag_ in _VERB_TAGS or token.head.lemma_ in lex.ANIMATE_VERBS | lex.ORG_VERBS
            return following is not None and following.tag_ == "VBZ" and token.tag_ == "VB"
        return False

    def foreign(self, token: Token) -> bool:
        """Is this no English word, and not described as a thing?"""
        low = token.lower_
        if (
            low.endswith(("ed", "ing", "ness", "tion"))
            or token.pos_ == "PRON"
            or low in lex.NOBODY | lex.CHATTER | lex.GREETINGS
            or low in lex.SPELLINGS
        ):
            return False
        bare = not any(c.dep_ in {"det", "amod", "poss", "nummod"} for c in token.children)
        return bare and len(token) > 2 and self.words.unknown(token.lower_) and self.words.unknown(token.lemma_.lower())

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

    def nameable(self, token: Token) -> bool:
        low = token.lower_.strip(".")
        if low in lex.KIN_NAMES and not self._in_compound(token):
            return False
        dated = token.ent_type_ in {"DATE", "TIME", "MONEY", "ORDINAL"} and not self._mislabelled(token)
        if low in lex.NOT_NAMES or low in lex.CALENDAR or dated:
            return False
        if token.tag_ in {"PRP$", "PRP", "UH", "DT", "CC", "IN", "WP", "WRB", "EX", "POS", "TO"}:
            return False
        describes = token.dep_ in {"amod", "nmod"} or (token.dep_ == "compound" and token.ent_type_ == "NORP")
        return not (
            (token.tag_.startswith("JJ") or token.ent_type_ in {"NORP", "LANGUAGE"})
            and (describes or token.dep_ == "acomp")
            and not self.capital(token.head)
        ) and not (token.ent_type_ == "NORP" and token.dep_ == "acomp")

    def _mislabelled(self, token: Token) -> bool:
        """A date or amount without a digit or a calendar word is none."""
        ent = next((e for e in self.doc.ents if e.start <= token.i < e.end), None)
        alone = ent is not None and ent.end - ent.start == 1 and token.tag_ in {"NNP", "NNPS"}
        return alone and not any(char.isdigit() for char in token.text)

    def _in_compound(self, token: Token) -> bool:
        return token.dep_ == "compound" or any(c.dep_ == "compound" for c in token.children)

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


def _first_word(sent: Span) -> int:
    return next((token.i for token in sent if any(char.isalnum() for char in token.text)), sent.start)
