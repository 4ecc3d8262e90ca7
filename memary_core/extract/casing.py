"""Whether a word is a name, by its capital, its tag, its place and whether English knows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memary_core.extract import lexicon as lex

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

    from memary_core.extract.pipeline import Vocabulary

ARGUMENTS = frozenset("nsubj nsubjpass dobj pobj attr appos conj poss dative oprd ROOT npadvmod compound".split())
FUNCTION_TAGS = frozenset("IN DT PRP PRP$ WP WP$ WRB WDT CC UH TO EX RB RBR RBS PDT RP".split())
_VERB_TAGS = frozenset("VB VBD VBG VBN VBP VBZ MD".split())


class Casing:
    """Judges single words of one parsed text."""

    def __init__(self, doc: Doc, words: Vocabulary) -> None:
        self.words = words
        self.doc = doc
        self.starts = {_first_word(sent) for sent in doc.sents}
        self.cased = any(self.capital(token) for token in doc if token.i not in self.starts)

    def capital(self, token: Token) -> bool:
        """Did the writer, or a certain correction, capitalise this word?"""
        text = token.text
        return text != text.lower() and any(char.isalpha() for char in text) and token.tag_ != "PRP"

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
        if token.tag_ == "MD":
            return low in {"will", "may"} and following is not None and following.tag_ in {"VBZ", "VBD"}
        if low in lex.NOT_NAMES | lex.GREETINGS | lex.FOREIGN_STARTS | lex.CHATTER | lex.NOBODY | lex.CALENDAR:
            return False
        if low in lex.KIN_NAMES:
            return False
        if token.tag_ in FUNCTION_TAGS:
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
        if subject and (self.foreign(token) or self._has_kin(token)):
            return True
        if token.tag_ in _VERB_TAGS or token.tag_ in {"JJ", "NN", "FW"}:
            before = following is not None and token.head.i == following.i
            if (subject or before) and token.head.tag_ in {"VBZ", "VBD", "VBN"}:
                return token.tag_ in _VERB_TAGS or token.head.lemma_ in lex.ANIMATE_VERBS | lex.ORG_VERBS
            return following is not None and following.tag_ == "VBZ" and token.tag_ == "VB"
        return False

    def _has_kin(self, token: Token) -> bool:
        """*Hope is my sister*, *Faith has two kids*: whoever has or is kin is someone."""
        if token.tag_ != "NN" or any(True for _ in token.children):
            return False
        roles = {"attr"} if token.head.lemma_ == "be" else {"dobj"} if token.head.lemma_ == "have" else set()
        related = [c for c in token.head.children if c.dep_ in roles and c.lemma_.lower() in lex.PERSON_ROLES]
        return any(roles == {"dobj"} or any(c.dep_ == "poss" for c in r.children) for r in related)

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

    def nameable(self, token: Token) -> bool:
        """Can this capitalised word belong to a name?"""
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


def _first_word(sent: Span) -> int:
    return next((token.i for token in sent if any(char.isalnum() for char in token.text)), sent.start)
