"""What a question says of its subject: the words from the verb on, to a relation and its other end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memary_core.answering.families import is_asked
from memary_core.answering.questions import Party
from memary_core.extract.phrases import ADVERBS, AUXILIARY, DEGREES, THEIRS, Phrases
from memary_core.predicates import BE, PREPOSITIONS, relation
from memary_core.wording import plain, third

Said = tuple[str, Party | None, bool]
"""A relation, its other end, and whether it is past."""


class Predications(Phrases):
    """The words of one question, and what may be said from each place on."""

    def predicate(self, at: int, aux: str | None = None, negated: bool = False) -> Iterator[Said]:
        """Relation, other end and whether it is past, of the words from `at`. `aux` None: a finite verb comes first."""
        if aux is None:
            aux = self.low[at] if at < len(self.words) and self.low[at] in AUXILIARY else ""
            verb_next = aux not in ("have", "has", "had", "do", "does", "did")
            at += bool(aux)
            if self.low[at : at + 1] == ["not"]:
                negated, at = True, at + 1
            elif not verb_next and not self.participle(at):
                aux, at = "", at - 1
        at = self.skip(at)
        if aux in BE:
            yield from self._being(at, aux, negated)
        elif at < len(self.words):
            perfect = aux in ("have", "has", "had")
            verb = self._verb(at, aux)
            if perfect and self.low[at] == "been":
                yield from self._been(at + 1)
            elif perfect and self.low[at] == "got":
                yield from self._with_object("has", at + 1, negated, False)
            else:
                finite = "can " + verb if aux == "can" else verb
                yield from self._with_object(finite, at + 1, negated, perfect or relation(verb).past)

    def _verb(self, at: int, aux: str) -> str:
        """The verb at `at` as facts word it: third person, or past as it stands."""
        low = self.low[at]
        if aux in ("do", "does", "did"):
            return third(low)
        if aux == "can":
            return low
        if self.tags[at] in ("VBP", "VB") or (not self.tags[at] and not low.endswith(("s", "ed"))):
            return third(low)
        return low

    def _been(self, at: int) -> Iterator[Said]:
        at = self.skip(at)
        if at < len(self.words) and self.tags[at] == "VBG":
            yield from self._with_object(third(self.lemmas[at]), at + 1, False, False)
        elif self.low[at : at + 1] == ["to"] or at == len(self.words):
            yield from self._with_object("has been", at, False, True)
        else:
            yield from self._being(at, "was", False)

    def _being(self, at: int, aux: str, negated: bool) -> Iterator[Said]:
        """What follows a form of *be*."""
        be = ("was" if aux in ("was", "were") else "is") + (" not" if negated else "")
        over = aux in ("was", "were")
        if at >= len(self.words):
            yield be, None, over
            return
        tag, low = self.tags[at], self.low[at]
        if (tag == "VBG" or low.endswith("ing")) and len(self.lemmas[at]) > 1 and low not in ("interesting", "boring"):
            negation = "does not " if negated else ""
            verb = self.lemmas[at] if self.lemmas[at] != low else low
            yield from self._with_object(negation + (verb if negated else third(verb)), at + 1, False, over)
        whole = f"{be} {' '.join(self.low[at:])}"
        if any(each in PREPOSITIONS for each in self.low[at:]) or is_asked(whole):
            yield from self._with_object(be, at, False, over)
        for noun in self.nouns(at):
            if noun.end == len(self.words) and noun.parties:
                yield f"{be} a" if noun.first in ("a", "an") else be, noun.parties[0], over

    def _with_object(self, verb: str, at: int, negated: bool, over: bool) -> Iterator[Said]:
        """A verb and what follows: particles and a preposition join the relation, a noun phrase is the other end."""
        if negated and verb.split()[0] not in BE:
            verb = f"does not {_base(verb)}"
        be = verb.split()[0] in BE
        kept = [i for i in range(at, len(self.words)) if self.low[i] not in ADVERBS]
        rest = [self.low[i] for i in kept]
        phrase = " ".join([verb, *(each for each in rest if each not in THEIRS | {"my", "our"})])
        if not rest or is_asked(phrase) or rest[-1] in PREPOSITIONS:
            yield phrase, None, over
        if rest and rest[-1] in DEGREES:
            yield from self._with_object(verb, at + len(self.words), False, over)
        for split, i in enumerate(kept):
            prep = self.low[i] in PREPOSITIONS or self.low[i] == "to"
            before = rest[:split]
            said = " ".join([verb, *before, *([self.low[i]] if prep else [])])
            fits = self._joins(kept[:split], be) and (prep or self._opens(kept[:split], be))
            for noun in self.nouns(i + 1 if prep else i) if fits or (prep and is_asked(said)) else ():
                follows = self.low[noun.end] if noun.end < len(self.words) else "."
                if noun.parties and (follows in ADVERBS | DEGREES or follows == "." or follows in PREPOSITIONS):
                    for party in noun.parties:
                        yield said, party, over

    def _joins(self, before: Sequence[int], be: bool) -> bool:
        """May the words before a preposition belong to the relation: *allergic* to, *grow up* in?"""
        return be or all(self.tags[i][:2] in ("RP", "IN", "RB", "VB", "") for i in before)

    def _opens(self, before: Sequence[int], be: bool) -> bool:
        """May a noun phrase follow these words: nothing, or particles as in *set up*?"""
        return not be and all(self.tags[i] == "RP" for i in before)


def _base(verb: str) -> str:
    first, _, rest = verb.partition(" ")
    return f"{plain(first)} {rest}".strip()
