"""What the rules pass to each other: a fact in the making, its subjects, and what is coordinated with what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memary_core.extract import lexicon as lex
from memary_core.extract.phrasing import shown
from memary_core.extract.reading import Reading
from memary_core.models import SPEAKER, Kind, Name, Reference

if TYPE_CHECKING:
    from spacy.tokens import Token

_SUBJECTS = frozenset({"nsubj", "nsubjpass"})


@dataclass(frozen=True, slots=True)
class Draft:
    """A fact as a rule reads it; `anchor` is the index of the token it hangs on."""

    subject: Name
    predicate: str
    object: Name
    rule: str
    anchor: int

    @classmethod
    def role(cls, role: Name, name: Name, rule: str, anchor: int) -> Draft:
        """*my sister is Anna* as (You, sister, Anna): the role turns into the predicate."""
        return cls(holder(role), singular(role.text), name, rule, anchor)


def singular(text: str) -> str:
    """*flatmates* as *flatmate*, for roles one knows."""
    *before, last = text.split()
    before = before[1:] if before and before[0].casefold() in lex.NUMBERS else before
    low = last.casefold()
    known = lex.PERSON_ROLES | lex.PETS
    plural = low not in known and low.removesuffix("s") in known
    return " ".join([*before, last[:-1] if plural else last])


def holder(role: Name) -> Name:
    """Whose role it is: the speaker, *Anna*, or again a role (*my sister's husband*)."""
    if not role.owner:
        return SPEAKER
    if role.owner.startswith("my "):
        return Name(role.owner.removeprefix("my "), Kind.PERSON, Reference.ROLE)
    if "'s " in role.owner:
        owner, _, text = role.owner.rpartition("'s ")
        return Name(text, Kind.PERSON, Reference.ROLE, owner)
    return Name(role.owner, Kind.PERSON)


def subjects(reading: Reading, verb: Token) -> list[Name]:
    """Whom the clause of `verb` is about: named, the speaker, or known by role. Nothing else makes a subject."""
    found: dict[str, Name] = {}
    for token in _subject_tokens(reading, verb):
        for each, flipped in [(token, False)] if token.i < verb.i and verb.head == token else coordinated(token):
            if flipped:
                return []
            introduced = reading.stands.get(each.i, ()) if each.dep_ == "dobj" else ()
            for name in introduced or reading.phrase(each):
                if _can_be_subject(reading, each, name):
                    found.setdefault(shown(name).casefold(), name)
    return [reading.refined(name) for name in found.values()]


def _can_be_subject(reading: Reading, token: Token, name: Name) -> bool:
    if name.reference is not Reference.NAMED or token.pos_ == "PRON":
        return True
    if token.i in reading.units or token.i in reading.stands:
        return True
    return any(token.i in range(r.start, r.end) for r in reading.relations)


def _subject_tokens(reading: Reading, verb: Token) -> list[Token]:
    own = [c for c in verb.children if c.dep_ in _SUBJECTS]
    own = _addressed(reading, verb, own)
    if any(c.lower_ in {"me", "him", "them", "us"} for c in own):
        return []
    if own:
        relative = [c for c in own if c.tag_ in {"WP", "WDT"} or (c.lower_ == "that" and verb.dep_ == "relcl")]
        if relative:
            return [verb.head] if verb.dep_ == "relcl" else []
        return own
    first = reading.doc[verb.sent.start]
    modal = [c for c in verb.children if c.tag_ == "MD" and c.i in reading.units]
    if modal:
        return modal
    before = reading.doc[verb.i - 1] if verb.i > verb.sent.start else verb
    if verb.dep_ == "conj" and before.i in reading.units and before.dep_ == "conj" and before.head.i < verb.i - 1:
        return [before]
    if verb.dep_ == "conj" and verb.head.pos_ in {"VERB", "AUX"} and not _interposed(verb):
        return _subject_tokens(reading, verb.head)
    if verb.dep_ in {"ROOT", "ccomp"} and first.i in reading.units and reading.units[first.i][1] == verb.i:
        return [first]
    return []


def _addressed(reading: Reading, verb: Token, own: list[Token]) -> list[Token]:
    """Subjects without the one only spoken to: *Maria, the week was long*."""
    if len(own) < 2:
        return own
    called = [c for c in own if c.i in reading.units and reading.units[c.i][1] < len(reading.doc)]
    spoken = [c for c in called if reading.doc[reading.units[c.i][1]].text == ","]
    first, last = own[0], own[-1]
    if spoken and reading.doc[last.left_edge.i - 1].lower_ == "and":
        between = [t for t in reading.doc[first.i + 1 : last.left_edge.i] if t.i in reading.units]
        return [*own, *between]  # *Anna, Tom, and Eva all live in Rome*
    return [c for c in own if c not in spoken]


def _interposed(verb: Token) -> bool:
    """Does something stand before this coordinated verb that may be its own subject, unseen by the parser?"""
    at = verb.i - 1
    while at > verb.head.i and verb.doc[at].dep_ != "cc" and verb.doc[at].text not in {",", ";"}:
        token = verb.doc[at]
        if token.tag_ in {"NN", "NNS", "NNP", "JJ", "JJS", "JJR", "DT", "PRP"} and token.dep_ not in {
            "npadvmod",
            "neg",
        }:
            return True
        at -= 1
    return False


def coordinated(token: Token) -> Iterator[tuple[Token, bool]]:
    """`token` and what is joined to it, each with whether it is denied apart: *tea but not coffee*."""
    seen = [(token, False)]
    while seen:
        at, flipped = seen.pop(0)
        yield at, flipped
        beside = (c for c in at.children if c.dep_ == "appos" and c.left_edge.i == at.i + 1)
        for child in (*at.children, *(c for side in beside for c in side.children)):
            if child.dep_ != "conj" or any(c.dep_ in _SUBJECTS for c in child.children) or _opens_clause(child):
                continue
            if at.dep_ == "pobj" and not any(c.dep_ == "cc" for c in (*at.children, *child.subtree)):
                continue  # *in Split, Croatia*
            verbal = child.pos_ in {"VERB", "AUX"} and at.pos_ not in {"VERB", "AUX"} and child.tag_ != "VBG"
            bare = child.tag_ in {"VB", "VBP", "VBN"} and all(c.dep_ == "conj" for c in child.rights)
            if verbal and not bare:
                continue
            left = child.left_edge
            before = left.nbor(-1) if left.i > left.sent.start else None
            denied = left.lower_ == "not" or (before is not None and before.lower_ == "not")
            seen.append((child, denied))


def _opens_clause(token: Token) -> bool:
    """In *the capital of Germany and Anna lives there*, Anna is no second country."""
    last = token.right_edge
    if last.i + 1 >= len(token.doc):
        return False
    after = last.nbor()
    if after.dep_ in {"aux", "auxpass"}:
        after = after.head
    return after.tag_ in {"VBZ", "VBD", "VBP", "MD"} and not after.is_ancestor(token) and after.sent == token.sent


def named_child(token: Token) -> Token | None:
    """The name in *a dog called Rex*, seen from *dog*."""
    for child in token.children:
        if child.dep_ in {"acl", "amod", "relcl"} and child.lower_ in lex.NAME_WORDS:
            after = [c for c in child.children if c.i > child.i]
            return next((c for c in after if c.dep_ in {"oprd", "dobj", "attr", "dep", "npadvmod", "advmod"}), None)
    return None
