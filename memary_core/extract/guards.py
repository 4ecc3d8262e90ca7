"""What the writer does not claim: questions, conditions, hedges, requests, plans, quotations and jokes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from memary_core.extract import lexicon as lex
from memary_core.extract.reading import Reading
from memary_core.extract.text import overlaps
from memary_core.models import Reference

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_JOKE = re.compile("|".join(rf"(?<!\w){re.escape(mark)}(?!\w)" for mark in lex.JOKES), re.IGNORECASE)
_REQUEST = re.compile(
    rf"(?:^|[\n.!?])[^\n.!?:]*\b(?:{'|'.join(sorted(lex.REQUEST_WORDS))}|e\.g\.|following|this)\b[^\n:]{{0,60}}:",
    re.IGNORECASE,
)
_UNREAL = re.compile(
    r"\W*(?:so |and |but )?(?:for (?:example|instance)|e\.g\.|what if|as if|let's say|hypothetically"
    r"|in (?:the|this|that|my|a|his|her) (?:\w+ )?"
    r"(?:movie|film|book|novel|show|series|game|song|story|dream|episode|play)\b)"
)
_LABEL = re.compile(r"^[ \t]*([^\W\d_][^:\n]{0,40}?)[ \t]*:[ \t]+\S.*$", re.MULTILINE)
_SOFTENED = re.compile(r"\b(?<!a )(?<!some )(?<!what )(?<!this )(?<!every )(?<!of )(?:kind|sort) of\b")
_TAGS = frozenset(
    """right huh eh innit yeah yes no correct ok okay true isn't aren't doesn't don't didn't wasn't is are does do
    did was hasn't haven't""".split()
)


class Guards:
    """Answers, for one reading, whether a clause is something the writer holds to be so."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.doc = reading.doc
        text = reading.passage.original
        self.joking = _JOKE.search(text) is not None
        request = _REQUEST.search(reading.passage.parsed)
        self.requested = request.end() if request is not None else len(reading.passage.parsed) + 1
        self.foreign = (*reading.passage.quoted, *reading.passage.hidden, *self._labelled(text))
        self.softened = _SOFTENED.search(reading.passage.parsed.lower()) is not None
        self.asking = "?" in reading.passage.parsed
        self._sents: dict[int, bool] = {}

    def asserted(self, verb: Token) -> bool:
        """Is the clause of `verb` a plain claim?"""
        return self.stated(verb) and self._own_clause(verb) and self._embedding(verb)

    def stated(self, token: Token) -> bool:
        """Does `token` stand where claims are made at all: outside quotes, requests, jokes and questions?"""
        if self.joking or token.idx >= self.requested or token.i in self.reading.endless:
            return False
        if overlaps(*self.reading.place(token.i, token.i + 1), self.foreign):
            return False
        if self._titled(token):
            return False
        sent = token.sent
        if sent.start not in self._sents:
            self._sents[sent.start] = self._sent_open(sent)
        return self._sents[sent.start] and not (self.asking and self._questioned(token, sent))

    def presupposed(self, token: Token) -> bool:
        """Does a description such as *my sister Anna* hold where `token` stands?

        It outlives plans and negation, but not questions, requests, hedges or conditions.
        """
        if not self.stated(token):
            return False
        verb = governor(token)
        if verb is None or verb.pos_ not in {"VERB", "AUX"}:
            return True
        if imperative(verb) or self._hedged(verb) or self._conditional(verb):
            return False
        if any(c.dep_ == "aux" and c.lower_ in {"would", "could", "might", "may", "'d"} for c in verb.children):
            return False
        return self._embedding(verb, presupposing=True)

    def _titled(self, token: Token) -> bool:
        """A capitalised verb inside a sentence belongs to a title."""
        if token.pos_ not in {"VERB", "AUX"} or not token.text[0].isupper() or token.i == token.sent.start:
            return False
        before = self.doc[token.i - 1]
        return not (before.is_punct or before.is_space) and self.reading.original(token.i, token.i + 1)[0].isupper()

    def _sent_open(self, sent: Span) -> bool:
        words = [token for token in sent if token.text[0].isalnum() or token.text[0] == "'"]
        while words and (words[0].lower_ in lex.GREETINGS | {"just"}) and len(words) > 1:
            words = words[1:]
        if not words:
            return False
        first = words[0]
        lower = sent.text.lower()
        if _UNREAL.match(lower) or "according to" in lower:
            return False
        if first.lower_ in lex.CONDITIONAL_STARTS or first.lower_ in lex.HEDGE_WORDS:
            return False
        if first.tag_ in {"WP", "WRB", "WP$"} or (first.tag_ == "WDT" and first.lower_ != "that"):
            return False
        return not self._inverted(first)

    def _labelled(self, text: str) -> Iterator[tuple[int, int]]:
        """*Tom: I live in Porto* are Tom's words: the stretches of `text` that open with a name and a colon."""
        for line in _LABEL.finditer(text):
            words = line.group(1).split()
            titled = all(word[0].isupper() for word in words)
            if titled and len(words) <= 3 and words[-1].casefold() not in lex.LABELS:
                yield line.span()

    def _inverted(self, first: Token) -> bool:
        """*does anna like tea*, *was it*, *is tom here*: a question without its mark."""
        asks = first.lower_ in lex.AUXILIARIES and first.i + 1 < len(self.doc)
        if not asks or first.i in self.reading.units:
            return False
        if any(c.dep_ in SUBJECTS and c.i > first.i for c in (*first.children, *first.head.children)):
            return True
        following = self.doc[first.i + 1]
        return following.tag_ in {"PRP", "PRP$", "DT", "NNP"} or following.i in self.reading.units

    def _questioned(self, token: Token, sent: Span) -> bool:
        mark = next((t for t in sent if t.text.startswith("?") and t.i > token.i), None)
        if mark is None and sent.end < len(self.doc) and self.doc[sent.end].text.startswith("?"):
            mark = self.doc[sent.end]
        if mark is None:
            return False
        return not any(self._asks(t, token) for t in self.doc[token.i + 1 : mark.i])

    def _asks(self, opener: Token, token: Token) -> bool:
        """Does a question of its own begin at `opener`, after the clause of `token` has ended?"""
        before = self.doc[opener.i - 1]
        if before.text not in {",", ";", ":", ".", "-", "--", "–", "—"} and before.lower_ not in {"and", "so", "but"}:
            return False
        rest = [t for t in self.doc[opener.i : opener.sent.end] if t.text[0].isalnum() or t.text[0] == "'"]
        asks = opener.lower_ in lex.AUXILIARIES or opener.tag_ in {"WP", "WRB", "WDT", "WP$"}
        tag = len(rest) < 4 and (opener.lower_ in _TAGS or len(rest) < 3)
        head = token if token.pos_ in {"VERB", "AUX"} else governor(token)
        apart = head is None or opener.i > max(
            (t.i for t in head.subtree if t.head.i == head.i and t.i < opener.i), default=0
        )
        return asks and not tag and apart

    def _own_clause(self, verb: Token) -> bool:
        if self._hedged(verb) or self._conditional(verb) or imperative(verb):
            return False
        subject = next((c for c in verb.children if c.dep_ in SUBJECTS), None)
        return not (subject is not None and subject.lower_ in {"you", "u", "y'all"})

    def _hedged(self, verb: Token) -> bool:
        for child in verb.children:
            if child.lower_ in lex.HEDGE_WORDS or (child.dep_ == "advmod" and child.lower_ in {"kind", "sort"}):
                return True
            if child.dep_ in {"ccomp", "parataxis", "intj"} and self._parenthesis(child):
                return True
        before = self.doc[verb.i - 1] if verb.i > verb.sent.start else None
        if before is not None and before.lower_ in lex.HEDGE_WORDS:
            return True
        if not self.softened:
            return False
        return _SOFTENED.search(self.doc[verb.left_edge.i : verb.right_edge.i + 1].text.lower()) is not None

    def _parenthesis(self, verb: Token) -> bool:
        return verb.lemma_ in lex.HEDGE_VERBS and any(c.lower_ in {"i", "we", "they", "people"} for c in verb.children)

    def _conditional(self, verb: Token) -> bool:
        for child in verb.children:
            if child.dep_ in {"mark", "advmod"} and child.lower_ in lex.OPEN_MARKS and child.i < verb.i:
                return True
            if child.dep_ == "advcl":
                marks = {c.lower_ for c in child.children if c.dep_ in {"mark", "advmod"}}
                if marks & {"if", "unless"}:
                    return True
                if marks & {"when", "whenever"} and (child.i < verb.i or verb.tag_ != "VBD"):
                    return True
        return False

    def _embedding(self, verb: Token, *, presupposing: bool = False) -> bool:
        """Do the clauses around `verb` leave it a claim of the writer's?"""
        at = verb
        for _ in range(len(self.doc)):
            head, role = at.head, at.dep_
            if role == "ROOT" or head.i == at.i:
                return True
            if role == "conj":
                if (
                    head.pos_ in {"VERB", "AUX"}
                    and not any(c.dep_ in SUBJECTS for c in at.children)
                    and (imperative(head) or self._modal(head) or self._hedged(head))
                ):
                    return False
            elif role in {"ccomp", "parataxis", "dep"}:
                if not self._spliced(at, head):
                    return presupposing and role == "ccomp" and head.lemma_ in {"say", "tell", "know"}
                if head.dep_ == "ROOT":
                    return True
            elif role == "advcl":
                marks = [c for c in at.children if c.dep_ in {"mark", "advmod"} and c.i < at.i]
                subordinate = next((c for c in marks if c.lower_ in lex.OPEN_MARKS | lex.FACTUAL_MARKS), None)
                if subordinate is not None and subordinate.lower_ == "since" and at.tag_ == "VBD":
                    return presupposing
                own = any(c.dep_ in SUBJECTS for c in at.children)
                if subordinate is not None and subordinate.lower_ in lex.OPEN_MARKS:
                    return presupposing and subordinate.lower_ not in {"if", "unless", "whether", "like", "in"}
                if subordinate is None and not (own and self._spliced(at, head)):
                    return presupposing
            elif role in {"relcl", "acl"}:
                return presupposing or head.i in self.reading.units or self._described(at, head)
            elif not presupposing:
                return False
            at = head
        return True

    def _described(self, verb: Token, head: Token) -> bool:
        """A relative clause about a person of one's own: *I have a brother who lives in Oslo*."""
        own = any(c.dep_ in SUBJECTS and c.tag_ not in {"WP", "WDT"} and c.lower_ != "that" for c in verb.children)
        role = any(name.reference is not Reference.NAMED for name in self.reading.phrase(head))
        asked = any(c.tag_ in {"WRB", "WP", "WDT", "WP$"} for c in verb.children)
        if own:
            return not asked and self._spliced(verb, head)
        return role or head.i in self.reading.stands

    def _modal(self, verb: Token) -> bool:
        return any(c.dep_ == "aux" and c.tag_ == "MD" for c in verb.children)

    def _spliced(self, verb: Token, head: Token) -> bool:
        """Are these two sentences with a comma between, which the parser takes for one inside the other?"""
        if not any(c.dep_ in SUBJECTS for c in verb.children) or any(c.dep_ == "mark" for c in verb.children):
            return False
        left, right = (verb, head) if verb.i < head.i else (head, verb)
        if (
            head.lemma_ in lex.SPEECH_VERBS | lex.HEDGE_VERBS | {"be"}
            and verb.i > head.i
            and not any(t.text in {",", ";", "-", "–", "—", "."} for t in self.doc[left.i : right.i])
        ):
            return False
        if verb.i < head.i and head.lemma_ in lex.SPEECH_VERBS | lex.HEDGE_VERBS and head.lemma_ != "call":
            return False
        if verb.i > head.i and head.lemma_ in lex.SPEECH_VERBS | lex.HEDGE_VERBS and head.lemma_ != "call":
            subject = next((c for c in verb.children if c.dep_ in SUBJECTS), verb)
            return self.doc[subject.left_edge.i - 1].text in {",", ";"} and any(
                c.dep_ in {"dobj", "prep", "advmod"} and head.i < c.i < subject.i for c in head.children
            )
        return True


def governor(token: Token) -> Token | None:
    """The nearest verb above `token`."""
    at = token
    while at.head.i != at.i:
        at = at.head
        if at.pos_ in {"VERB", "AUX"}:
            return at
    return at if at.pos_ in {"VERB", "AUX"} else None


def imperative(verb: Token) -> bool:
    """A bare verb without a subject: a request."""
    if any(child.dep_ in SUBJECTS or child.dep_ == "expl" for child in verb.children):
        return False
    if verb.dep_ not in {"ROOT", "ccomp", "conj", "advcl", "parataxis"} or verb.tag_ not in {"VB", "VBP"}:
        return False
    if verb.dep_ == "conj":
        head = verb.head
        return head.pos_ in {"VERB", "AUX"} and imperative(head)
    return not any(child.dep_ == "aux" and child.tag_ in {"MD", "TO"} for child in verb.children)
