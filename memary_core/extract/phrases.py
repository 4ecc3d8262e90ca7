"""The words of a question and the noun phrases in them, with every place where each may end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from memary_core.answering.families import families
from memary_core.answering.questions import Party
from memary_core.errors import ModelUnavailable
from memary_core.extract.asking import Asked
from memary_core.models import YOU
from memary_core.predicates import BE, PREPOSITIONS, stem
from memary_core.wording import addressed

AUXILIARY = BE | frozenset("do does did have has had can".split())
MODALS = frozenset("could should would will may might must shall ought let".split())
WH = frozenset("who whom whose what which where when why how".split())
PRONOUNS = {"i": YOU, "me": YOU, "we": YOU, "us": YOU, "myself": YOU}
OTHERS = frozenset("he she they him her them".split())
THEIRS = frozenset("his her their".split())
_NOBODY = frozenset("you your yours it its this that these those there everyone people one he she they him".split())
DETERMINERS = frozenset("a an the any some another every all both".split())
ADVERBS = frozenset(
    "still ever also really usually often currently now actually always even again exactly originally normally "
    "already yet anymore just mostly mainly typically generally else too regularly together".split()
)
DEGREES = frozenset("best most better more much least".split())
NOT_NOUNS = AUXILIARY | MODALS | WH | PREPOSITIONS | ADVERBS | frozenset("and or not , 's that to if".split())


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun phrase: whom it names, where it ends, the word it began with."""

    parties: tuple[Party, ...]
    end: int
    first: str = ""


@lru_cache(maxsize=1)
def _known_verbs() -> frozenset[str]:
    keys = {key for family in families().values() for key in family.asked | family.facts}
    return frozenset(head.split()[0] for head, _, be, noun, _ in keys if head and not be and not noun)


def _tagged(words: Sequence[str], model: str) -> tuple[list[str], list[str]]:
    """Each word's part of speech and lemma; blanks and the words themselves where spaCy is not installed."""
    from memary_core.extract import pipeline

    try:
        language = pipeline.load(model)
    except ModelUnavailable:
        return [""] * len(words), list(words)
    from spacy.tokens import Doc

    parsed = language(Doc(language.vocab, words=[*words, "?"]))
    return [each.tag_ for each in parsed][:-1], [each.lemma_.lower() for each in parsed][:-1]


class Phrases:
    """The words of one question, tagged, and the noun phrases that may begin at each."""

    def __init__(self, asked: Asked, model: str) -> None:
        self.asked = asked
        self.words = asked.words
        self.low = [
            each if i and each[0].isupper() and each.lower() in MODALS else each.lower()
            for i, each in enumerate(self.words)
        ]
        self.tags, self.lemmas = _tagged(self.words, model) if self.words else ([], [])

    # -- noun phrases ------------------------------------------------------------------------------------------

    def subjects(self, at: int, aux: str) -> list[Noun]:
        """The noun phrases at `at`, those first after which the sentence goes on as the auxiliary wants."""
        found = [each for each in self.nouns(at) if each.parties]
        if aux in BE:
            return sorted(found, key=lambda each: not self._complements(each.end))
        return sorted(found, key=lambda each: not self.verbal(self.skip(each.end)))

    def _complements(self, at: int) -> bool:
        if at >= len(self.words):
            return False
        opens = self.low[at] in PREPOSITIONS | DETERMINERS | PRONOUNS.keys() | {"my", "our", "not"}
        return opens or self.tags[at][:2] in ("JJ", "VB", "RB") or self.low[at + 1 : at + 2] == ["'s"]

    def nouns(self, at: int) -> list[Noun]:
        """The noun phrases that may begin at `at`, with every place where each may end."""
        found = self._single(at)
        for first in list(found):
            if self.low[first.end : first.end + 1] in (["and"], ["or"]):
                for second in self._single(first.end + 1):
                    found.append(Noun((*first.parties, *second.parties), second.end, first.first))
        return found

    def _single(self, at: int) -> list[Noun]:
        if at >= len(self.words):
            return []
        low = self.low[at]
        if low in PRONOUNS:
            return [Noun((Party(PRONOUNS[low]),), at + 1, low)]
        antecedent = self.asked.antecedent
        if antecedent and low in THEIRS and self._run(at + 1):
            return self._owned(Party(antecedent), at + 1, low)
        if antecedent and low in OTHERS:
            return [Noun((Party(antecedent),), at + 1, low)]
        if low in THEIRS and at > 2 and (run := self._run(at + 1)):
            return [Noun((Party(self._join(at, run)),), run, low)]
        if low in _NOBODY or low in THEIRS:
            return []
        if low in ("my", "our"):
            return self._owned(Party(YOU), at + 1, low)
        begin = at + 1 if low in DETERMINERS else at
        run = self._run(begin)
        if not run:
            return [Noun((Party(low),), begin, low)] if low in ("any", "all", "both") else []
        if self.low[run : run + 1] == ["'s"]:
            owned = self._owned(Party(self._join(begin, run)), run + 1, low)
            split = [Noun((Party(self._join(begin, end)),), end, low) for end in range(begin + 1, run)]
            return [*owned, *split]
        found = [Noun((Party(self._join(begin, end)),), end, low) for end in range(run, begin, -1)]
        return [*self._of(begin, run, low), *sorted(found, key=lambda each: each.end)]

    def _owned(self, owner: Party, at: int, first: str) -> list[Noun]:
        """What comes after *my* or *Anna's*: roles, to every place where the last may end."""
        run = self._run(at)
        if not run:
            return []
        if self.low[run : run + 1] == ["'s"]:
            return self._owned(self._with_role(owner, at, run), run + 1, first)
        found = [Noun((self._with_role(owner, at, end),), end, first) for end in range(at + 1, run + 1)]
        if self.low[run : run + 1] == ["of"] and (more := self._run(run + 1)):
            found.insert(0, Noun((self._with_role(owner, at, more),), more, first))
        return found

    def _with_role(self, owner: Party, at: int, end: int) -> Party:
        """The owner's role; *my sister Anna* is Anna."""
        named = next((i for i in range(at, end) if self.words[i][0].isupper() and i > at), None)
        if named and all(each[0].isupper() for each in self.words[named:end]):
            return Party(self._join(named, end))
        return Party(owner.name, (*owner.roles, " ".join(self.low[at:end])))

    def _of(self, begin: int, run: int, first: str) -> list[Noun]:
        """*the capital of Portugal*, *the name of my dog*, *a friend of Anna*."""
        run = next((i for i in range(begin, run) if self.low[i] == "of"), run)
        if self.low[run : run + 1] != ["of"] or first in PRONOUNS:
            return []
        role = " ".join(self.low[begin:run])
        owners = self._single(run + 1)
        if self.low[run + 1 : run + 2] == ["mine"]:
            owners = [Noun((Party(YOU),), run + 2)]
        return [
            Noun((Party(each.parties[0].name, (*each.parties[0].roles, role)),), each.end, first) for each in owners
        ]

    def _run(self, at: int) -> int:
        """Where the run of words that may belong to one name or noun ends; 0 for none."""
        end = at
        while end < len(self.words) and (
            (self.low[end] not in NOT_NOUNS and self.low[end] not in PRONOUNS) or self._inside_name(at, end)
        ):
            if end > at and self.low[end] in DETERMINERS | THEIRS | {"my", "our"}:
                break
            end += 1
        return end if end > at else 0

    def _inside_name(self, at: int, here: int) -> bool:
        """Is this the small word of a name: *University of Minho*, *Escola do Bairro*?"""
        small = (
            self.low[here] in ("of", "do", "da", "de", "the", "in", "and", "for") and at < here < len(self.words) - 1
        )
        return small and self.words[here - 1][0].isupper() and self.words[here + 1][0].isupper()

    # -- words -------------------------------------------------------------------------------------------------

    def verbal(self, at: int) -> bool:
        """May the word at `at` be a verb?"""
        if at >= len(self.words) or self.words[at][0].isupper():
            return False
        return self.tags[at].startswith("VB") or stem(self.low[at]) in _known_verbs()

    def finite(self, at: int) -> bool:
        """May the word at `at` be the verb of a sentence?"""
        return at < len(self.words) and (self.low[at] in AUXILIARY or self.verbal(at)) and self.tags[at] != "VBG"

    def participle(self, at: int) -> bool:
        """Does a participle come at `at`, as after *have*?"""
        at = self.skip(at)
        return at < len(self.words) and (self.tags[at] in ("VBN", "VBD") or self.low[at] in ("been", "got"))

    def skip(self, at: int) -> int:
        """The first place from `at` that holds no adverb."""
        while at < len(self.words) and self.low[at] in ADVERBS:
            at += 1
        return at

    def _join(self, start: int, end: int) -> str:
        joined = re.sub(r"\b([a-z]+[^s\W]s) 's", r"\1'", " ".join(self.words[start:end]))
        return joined.replace(" 's", "'s")

    def text(self, start: int, end: int) -> str:
        """Words as said to the owner: *my sister's husband* → your sister's husband."""
        return addressed(self._join(start, end))
