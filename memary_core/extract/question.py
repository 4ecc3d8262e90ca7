"""Reading a question: the words of a message to what they leave open, ready to be answered from facts.

spaCy tells verbs from nouns; the shape of English questions does the rest. Where a name could end in two places
(*Is Tom Anna's husband?*) every reading is kept, likelier first, and the facts decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from memary_core.answering.questions import ANY, Hole, Party, Question
from memary_core.extract.asking import asked_in
from memary_core.extract.phrases import (
    AUXILIARY,
    MODALS,
    NOT_NOUNS,
    OTHERS,
    PRONOUNS,
    THEIRS,
    WH,
    Noun,
)
from memary_core.extract.predications import Predications
from memary_core.models import YOU
from memary_core.predicates import BE, PREPOSITIONS, relation, singular
from memary_core.wording import past, third


def read_question(text: str, model: str = "") -> Question | None:
    """What `text` asks that facts about people and things could answer; None where it asks nothing of the kind.

    `model` names the spaCy pipeline. Without spaCy the shape of the sentence alone is read.
    """
    asked = asked_in(text)
    if asked is None:
        return None
    reader = _Reader(asked, model)
    readings = list(dict.fromkeys(reader.read()))[:8]
    return replace(readings[0], others=tuple(readings[1:])) if readings else None


class _Reader(Predications):
    """The words of one question, and the ways to read them."""

    def read(self) -> Iterator[Question]:
        """Every reading, likelier first."""
        if not self.words or self.low[0] in MODALS:
            return
        if self.asked.about:
            yield from self._about(0, "")
        elif self.low[0] in WH or (self.low[0] in PREPOSITIONS and self.low[1:2] and self.low[1] in WH):
            yield from self._wh()
        elif self.low[0] in AUXILIARY and not self.asked.embedded:
            yield from self._inverted(0, "", "")
        else:
            yield from self._statement(0, "", "")
            yield from self._identity(0, "what", "", "is")

    def _about(self, start: int, wh: str, stop: int | None = None) -> Iterator[Question]:
        for noun in self.nouns(start):
            if noun.end == (stop or len(self.words)) and noun.first not in ("a", "an"):
                name = self.text(start, noun.end)
                clause = f"{wh} {name} {'are' if name == 'you' else 'is'}" if wh else f"anything about {name}"
                yield Question(Hole.ABOUT, "", clause, noun.parties, wh=wh)

    # -- questions with a question word ------------------------------------------------------------------------

    def _wh(self) -> Iterator[Question]:
        front = self.low[0] if self.low[0] in PREPOSITIONS else ""
        at = 1 if front else 0
        wh, kind, at = self._question_word(at)
        if at >= len(self.words):
            return
        if wh == "whose":
            yield from self._whose(kind, at)
            return
        among: tuple[Party, ...] = ()
        if wh in ("which", "who", "how many") and self.low[at] in ("of", "in", "among"):
            noun = next((n for n in self.nouns(at + 1) if self.finite(n.end)), None)
            if noun:
                among, at = tuple(_singular(each) for each in noun.parties), noun.end
        if self.low[at : at + 1] and self.low[at] in MODALS:
            return
        inverted = self.low[at] in AUXILIARY and not self.asked.embedded
        if inverted:
            yield from self._inverted(at, wh, kind, front)
        elif self.asked.embedded:
            yield from self._statement(at, wh, kind, front=front)
        opens = self.low[at] not in ("do", "does", "did") or self.low[at + 1 : at + 2] == ["not"]
        if not front and opens and wh in ("who", "what", "which", "how many"):
            yield from self._subject_open(at, wh, kind, among)

    def _question_word(self, at: int) -> tuple[str, str, int]:
        """The question word, the noun beside it and where the rest begins."""
        wh = "who" if self.low[at] == "whom" else self.low[at]
        start = at = at + 1
        while self.low[at : at + 1] == ["else"]:
            start = at = at + 1
        if wh == "how" and self.low[at : at + 1] and self.low[at] not in AUXILIARY | MODALS | PRONOUNS.keys():
            quantity = self.low[at]
            at += 1
            if quantity in ("many", "much", "long", "often"):
                wh, start = f"how {quantity}", at
        if wh.startswith(("what", "which", "whose", "how")):
            while at < len(self.words) and self.low[at] not in NOT_NOUNS - {"of"} and not self._ends_kind(at, start):
                at += 1
                if (
                    self.low[at : at + 1] == ["of"]
                    and at > start
                    and self.low[at - 1] in ("kind", "type", "sort", "breed")
                ):
                    start = at = at + 1
        return wh, " ".join(self.low[start:at]), at

    def _ends_kind(self, at: int, start: int) -> bool:
        """Where the noun beside a question word gives way to a verb or, in an embedded question, the subject."""
        if self.low[at] in PRONOUNS or self.low[at] in ("my", "our", "of") or self.low[at] in OTHERS | THEIRS:
            return True
        if self.asked.embedded and self.words[at][0].isupper():
            return True
        finite = (
            self.tags[at] in ("VBZ", "VBD") and self.low[at + 1 : at + 2] != [] and self.low[at + 1] not in AUXILIARY
        )
        return self.verbal(at) and (at > start or finite)

    def _whose(self, kind: str, at: int) -> Iterator[Question]:
        if kind and self.low[at] in BE:
            begin = at + 1 + (self.low[at + 1 : at + 2] in (["on"], ["in"]))
            for noun in self.nouns(begin):
                if noun.end == len(self.words) and noun.parties:
                    clause = f"whose {kind} {self.text(at + 1, noun.end)} is"
                    yield Question(Hole.SUBJECT, kind, clause, object=noun.parties[0], wh="whose")

    def _subject_open(self, at: int, wh: str, kind: str, among: tuple[Party, ...]) -> Iterator[Question]:
        """*Who lives in Lisbon?*, *who is allergic to nuts?*, *who wrote Dune?*"""
        clause = f"{' '.join(self.low[:at])} {self.text(at, len(self.words))}".strip()
        for rel, thing, over in self.predicate(at):
            if rel in ("is", "was") and thing is None:
                continue
            if thing and thing.roles and rel in ("is", "is a"):
                continue
            yield Question(Hole.SUBJECT, rel, clause, among, thing, "who" if wh == "which" else wh, kind, over)

    # -- subject after the auxiliary ---------------------------------------------------------------------------

    def _inverted(self, at: int, wh: str, kind: str, front: str = "") -> Iterator[Question]:
        """*Where does Anna live?*, *is Anna allergic to nuts?*: the auxiliary at `at`, then subject and rest."""
        aux = self.low[at]
        at += 1
        negated = self.low[at : at + 1] == ["not"]
        at += negated
        identity = list(self._identity(at, wh, kind, aux)) if aux in BE and wh and (kind or not front) else []
        goes_on = self.tags[-1][:2] in ("VB", "JJ", "IN") and len(self.words) > at + 1
        if not goes_on:
            yield from identity
        for noun in self.subjects(at, aux):
            rest = noun.end
            if self.low[rest : rest + 1] == ["not"]:
                negated, rest = True, rest + 1
            yield from self._clause(noun, at, aux, rest, wh, kind, front, negated and bool(wh))
        if goes_on:
            yield from identity

    def _statement(self, at: int, wh: str, kind: str, front: str = "") -> Iterator[Question]:
        """*(where) Anna lives*: subject first. Without a question word it asks whether that is so."""
        for noun in self.nouns(at):
            if noun.end == len(self.words) or not self.finite(noun.end):
                continue
            if noun.end == len(self.words) - 1 and self.low[noun.end] in BE and wh:
                yield from self._identity(at, wh, kind, self.low[noun.end], noun.end)
            verb = self.low[noun.end]
            negated = self.low[noun.end + 1 : noun.end + 2] == ["not"]
            aux = verb if verb in AUXILIARY else ""
            begins = noun.end + (1 + negated if aux else 0)
            if aux in ("have", "has", "had", "do", "does", "did") and not self.participle(begins):
                aux, begins = ("do" if negated else ""), noun.end + (2 if negated else 0)
            if aux or begins < len(self.words):
                yield from self._clause(noun, at, aux, begins, wh, kind, front, negated)

    def _identity(self, at: int, wh: str, kind: str, aux: str, stop: int | None = None) -> Iterator[Question]:
        """*Who is my sister?*, *what is Anna's job?*, *when is my birthday?*, *who is Anna?*"""
        stop = len(self.words) if stop is None else stop
        for noun in self.nouns(at):
            if noun.end != stop or not noun.parties or wh in ("how", "why"):
                continue
            party = noun.parties[0]
            said = f"{wh} {kind} {self.text(at, stop)} {_agreeing(aux, party)}".replace("  ", " ")
            if wh == "where" or (kind and party.roles[-1:] not in (("favourite",), ("favorite",))):
                rel = "is" if wh == "where" or kind not in ("old", "tall") else f"is {kind}"
                yield Question(Hole.OBJECT, rel, said, noun.parties, wh=wh, kind=kind, past=aux in ("was", "were"))
            if kind and party.roles[-1:] in (("favourite",), ("favorite",)):
                inner = Party(party.name, party.roles[:-1])
                yield Question(Hole.OBJECT, f"favourite {kind}", said, (inner,), wh=wh)
            if party.roles and (not kind or kind in ("day", "date", "year", "month", "city", "place")):
                inner = Party(party.name, party.roles[:-1])
                yield Question(
                    Hole.OBJECT, singular(party.roles[-1]), said, (inner,), wh=wh, past=aux in ("was", "were")
                )
            elif wh in ("who", "what") and not kind:
                yield from self._about(at, wh, stop)

    def _clause(
        self, noun: Noun, at: int, aux: str, rest: int, wh: str, kind: str, front: str, negated: bool
    ) -> Iterator[Question]:
        """A subject and what is asked of it."""
        who = self.text(at, noun.end)
        if self.low[rest : rest + 2] in (["use", "to"], ["used", "to"]):
            rest, aux = rest + 2, "did"
        many = len(noun.parties) > 1 or who in ("you", "we") or aux in ("do", "are", "were", "have")
        for rel, thing, over in self.predicate(rest, aux, negated):
            if not wh and thing is None and rel in ("is", "was"):
                continue
            over = over or aux in ("did", "was", "were", "had")
            said = self._said(who, many, aux, rest, negated)
            named = " ".join(filter(None, (front, wh or "whether", kind)))
            if wh in ("how",) and kind in ("old", "tall"):
                rel = f"is {kind}"
            worded = f"{rel} {front}".strip() if front and not rel.endswith(f" {front}") else rel
            parties, hole = noun.parties, Hole.OBJECT if wh else Hole.YES_NO
            owns = relation(rel).head in ("hav", "own", "get", "keep")
            if hole is Hole.YES_NO and "or" in self.low[noun.end :] and not owns:
                hole, thing = Hole.OBJECT, None
            if parties[0].name.lower() in ANY and not parties[0].roles:
                parties, hole, wh = (), Hole.SUBJECT, wh or "who"
            if hole is Hole.YES_NO and thing and thing.roles and rel in ("is", "was", "is a"):
                owner = Party(thing.name, thing.roles[:-1])
                yield Question(Hole.YES_NO, thing.roles[-1], f"{named} {said}", (owner,), parties[0], past=over)
                continue
            if hole is Hole.YES_NO and rel in ("is", "was") and parties[0].roles and thing:
                owner = Party(parties[0].name, parties[0].roles[:-1])
                yield Question(Hole.YES_NO, parties[0].roles[-1], f"{named} {said}", (owner,), thing, past=over)
            yield Question(hole, worded, f"{named} {said}", parties, thing, wh, kind, over)

    def _said(self, who: str, many: bool, aux: str, rest: int, negated: bool) -> str:
        """Subject and rest as a clause to the owner: *(where) Anna lives*, *(whether) you are married*."""
        tail = self.text(rest, len(self.words))
        verb, _, after = tail.partition(" ")
        if aux == "did" and not negated:
            return f"{who} {past(verb)} {after}".strip()
        if aux in ("do", "does") and not negated:
            return f"{who} {verb if many else third(verb)} {after}".strip()
        aux = {"am": "are", "was": "were"}.get(aux, aux) if who == "you" else aux
        return " ".join(filter(None, (who, aux, "not" if negated else "", tail)))


def _singular(party: Party) -> Party:
    return Party(party.name, tuple(map(singular, party.roles)))


def _agreeing(aux: str, party: Party) -> str:
    if party.name == YOU and not party.roles:
        return {"am": "are", "was": "were"}.get(aux, aux)
    return aux
