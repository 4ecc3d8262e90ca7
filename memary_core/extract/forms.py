"""From a verb as typed to the predicate it makes: *has been working* → works, *don't* → does not, *was born*."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memary_core.extract import lexicon as lex

if TYPE_CHECKING:
    from spacy.tokens import Token

_BE = frozenset("be am is are was were been being 'm 're 's m s re".split())
_IRREGULAR = {"be": "is", "have": "has", "do": "does", "go": "goes"}
_PAST_TIME = frozenset("yesterday ago last earlier once".split())


@dataclass(frozen=True, slots=True)
class Form:
    """A predicate without its preposition, affirmed and denied; `negated` says which the clause means."""

    positive: str
    negative: str
    negated: bool = False
    past: bool = False
    passive: bool = False
    progressive: bool = False
    habit: bool = False

    def text(self, flipped: bool = False) -> str:
        """The predicate as the clause means it, or the opposite when `flipped`."""
        return self.negative if self.negated != flipped else self.positive


def third(lemma: str) -> str:
    """Third person singular present."""
    if lemma in _IRREGULAR:
        return _IRREGULAR[lemma]
    if lemma.endswith(("s", "x", "z", "ch", "sh", "o")):
        return lemma + "es"
    if lemma.endswith("y") and lemma[-2:-1] not in set("aeiou"):
        return lemma[:-1] + "ies"
    return lemma + "s"


def infinitive(form: str, lemma: str) -> str:
    """The verb whose third person is `form`; `lemma` where there is none. spaCy takes *hates* for a form of *hat*."""
    return next((stem for stem in (form[:-1], form[:-2]) if stem and third(stem) == form), lemma)


def is_be(token: Token) -> bool:
    """Is this a form of *be*?"""
    return token.lemma_ == "be" or (token.lower_ in _BE and token.norm_ in {"am", "is", "are", "'s", "be"})


def auxiliaries(verb: Token) -> list[Token]:
    """The helping verbs of `verb`."""
    inflected = verb.tag_ in {"VBZ", "VBD"}  # no modal goes before these: *Will* is a man here
    return [
        child
        for child in verb.children
        if child.dep_ in {"aux", "auxpass"} and child.i < verb.i and not (inflected and child.tag_ == "MD")
    ]


def denied(verb: Token) -> bool | None:
    """Is the verb negated? None when only partly: *don't always*, *not only*."""
    marks = [c for c in verb.children if c.dep_ == "neg" or c.lower_ in {"not", "n't", "nt", "never", "neither"}]
    marks = [mark for mark in marks if mark.lower_ != "no"]
    if not marks:
        subject = [c for c in verb.children if c.dep_ in {"nsubj", "nsubjpass"}]
        return any(c.lower_ in {"neither", "no"} for s in subject for c in s.children)
    for mark in marks:
        follows = mark.nbor() if mark.i + 1 < len(mark.doc) else None
        if follows is not None and follows.lower_ in lex.PARTIAL and follows.head.i == verb.i:
            return None
    return True


def no_longer(verb: Token) -> bool:
    """*no longer*, *not ... anymore*."""
    for child in verb.children:
        if child.lower_ == "longer" and any(c.lower_ in {"no", "any"} for c in child.children):
            return True
        if child.lower_ == "anymore" or (child.lower_ == "more" and any(c.lower_ == "any" for c in child.children)):
            return True
    return False


def lasting(verb: Token) -> bool:
    """*since 2015*, *for ten years*, *always*: what began then still holds."""
    return any(
        (c.lower_ in {"since", "for"} and c.dep_ in {"prep", "mark"}) or c.lower_ == "always" or _since(c)
        for c in verb.children
    )


def _since(child: Token) -> bool:
    return child.dep_ == "advcl" and any(c.lower_ == "since" for c in child.children)


def copula(verb: Token) -> Form | None:
    """The form of *be* as a main verb, or None where it claims nothing about now or then."""
    aux = auxiliaries(verb)
    negated = denied(verb)
    if negated is None or any(a.tag_ in {"MD", "TO"} for a in aux):
        return None
    if any(a.lemma_ == "have" or a.lower_ in {"'ve", "'s"} for a in aux):
        stem = "is" if lasting(verb) else ""
    elif verb.tag_ == "VBG" or aux:
        stem = ""
    else:
        stem = "was" if verb.tag_ == "VBD" or verb.lower_ in {"was", "were"} else "is"
    if not stem:
        return None
    if no_longer(verb):
        return Form(f"{stem} no longer", stem, past=stem == "was")
    return Form(stem, f"{stem} not", negated, past=stem == "was")


def joined_passive(verb: Token) -> bool:
    """*raised* in *was born and raised in*."""
    head = verb.head
    return (
        verb.dep_ == "conj"
        and verb.tag_ in {"VBN", "VBD"}
        and head.tag_ == "VBN"
        and any(c.dep_ == "auxpass" for c in head.children)
        and not any(c.dep_ in {"nsubj", "nsubjpass", "aux", "auxpass", "dobj"} for c in verb.children)
    )


def passive(verb: Token) -> Form | None:
    """*was written*, *is based*, *got promoted*."""
    aux = auxiliaries(verb)
    if not aux and joined_passive(verb):
        aux = auxiliaries(verb.head)
    helper = next((a for a in aux if a.dep_ == "auxpass"), None)
    negated = denied(verb)
    if helper is None or negated is None or any(a.tag_ in {"MD", "TO"} or a.lower_ == "being" for a in aux):
        return None
    if helper.lower_ == "being" or helper.tag_ == "VBG":
        return None
    if helper.lemma_ == "get":
        stem = "got" if helper.tag_ in {"VBD", "VBN"} else "gets"
    else:
        stem = "was" if helper.lower_ in {"was", "were", "been"} else "is"
    participle = verb.lower_
    longer = "no longer " if no_longer(verb) else ""
    participle += next((f" {c.lower_}" for c in verb.children if c.dep_ == "prt" and c.i > verb.i), "")
    return Form(
        f"{stem} {longer}{participle}",
        f"{stem} not {participle}",
        negated and not longer,
        past=stem != "is",
        passive=True,
    )


def _particle(child: Token) -> bool:
    near = child.dep_ == "advmod" and child.i == child.head.i + 1 and child.lower_ in {"away", "apart"}
    return child.i > child.head.i and (child.dep_ == "prt" or near)


def active(verb: Token, *, plural: bool = False) -> Form | None:
    """The form of a verb that says what is or was; None for plans, wishes and this minute's doings."""
    aux = auxiliaries(verb)
    particle = next((f" {c.lower_}" for c in verb.children if _particle(c)), "")
    lemma = verb.lemma_.lower()
    negated = denied(verb)
    if negated is None:
        return None
    present = Form(third(lemma) + particle, f"does not {lemma}{particle}", negated, habit=True)
    if no_longer(verb):
        stem = verb.lower_ if verb.tag_ == "VBD" and not aux else third(lemma)
        return Form(f"no longer {stem}{particle}", present.positive)
    words = {a.lower_ for a in aux}
    if any(a.tag_ == "MD" for a in aux):
        if words & {"can", "ca"} and negated:
            return Form(f"can {lemma}{particle}", f"cannot {lemma}{particle}", True)
        return present if words == {"can"} and lemma in lex.ABILITIES else None
    if "to" in words:
        return None
    if words & {"do", "does", "did"}:
        if "did" in words:
            return Form(verb.lower_, f"did not {lemma}{particle}", negated, past=True) if negated else None
        return present
    has = any(a.lemma_ == "have" or a.lower_ in {"'ve", "ve", "has", "have", "had"} for a in aux) or (
        "'s" in words and verb.tag_ == "VBN"
    )
    if verb.tag_ == "VBG":
        helper = next((a for a in aux if is_be(a)), None)
        if helper is None or helper.lower_ in {"was", "were"}:
            return None
        return Form(present.positive, present.negative, negated, progressive=True, habit=True)
    if has:
        return _perfect(verb, lemma, particle, negated, present)
    if aux and any(is_be(a) for a in aux):
        return None
    return _simple(verb, lemma, particle, negated, present, plural)


def _perfect(verb: Token, lemma: str, particle: str, negated: bool, present: Form) -> Form:
    if lemma == "get":
        return Form("has", "does not have", negated, habit=True)
    if not negated and lasting(verb) and lemma in lex.STATES | lex.TASTES:
        return present
    past = lex.PAST_OF.get(verb.lower_, verb.lower_)
    return Form(past + particle, f"has not {verb.lower_}{particle}", negated, past=True)


def _simple(verb: Token, lemma: str, particle: str, negated: bool, present: Form, plural: bool) -> Form | None:
    same = verb.lower_ == lemma and lemma not in lex.PAST_LIKE_BASE | {"read", "put", "let", "set"}
    if (verb.tag_ == "VBD" or (verb.tag_ == "VBN" and not auxiliaries(verb))) and not same:
        return Form(verb.lower_ + particle, f"did not {lemma}{particle}", negated, past=True)
    if verb.tag_ == "VBZ" and verb.lower_.endswith("s"):
        return Form(verb.lower_ + particle, f"does not {lemma}{particle}", negated, habit=True)
    bare = verb.lower_ in lex.PAST_LIKE_BASE | {"read", "put", "let", "set"}
    if bare and (verb.lower_ in lex.PAST_LIKE_BASE or not plural or _past_time(verb)):
        return Form(verb.lower_ + particle, f"did not {lemma}{particle}", negated, past=True)
    return present


def _past_time(verb: Token) -> bool:
    return any(t.lower_ in _PAST_TIME for t in verb.subtree)
