"""Undoing the small pipeline's commonest slips before anything is read out of its parse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memary_core.extract import lexicon as lex
from memary_core.extract.forms import infinitive, third

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from memary_core.extract.pipeline import Vocabulary

LONGEST_SENTENCE = 120
"""Tokens; what runs longer is a list or a paste, and is searched for names only."""
_SUBJECTS = frozenset({"nsubj", "nsubjpass"})


def repair(doc: Doc, words: Vocabulary) -> None:
    """Change lemmas, tags and heads of `doc` in place where the parse cannot be right."""
    for token in doc:
        if token.tag_ == "VBZ" and third(token.lemma_) != token.lower_:
            token.lemma_ = infinitive(token.lower_, token.lemma_)
    short = [t for sent in doc.sents if sent.end - sent.start <= LONGEST_SENTENCE for t in sent]
    for token in short:
        if token.tag_ in {"VBZ", "VBD", "VBP"}:
            _joined_clauses(token)
        elif token.lower_ == "not" and token.i > 1 and token.nbor(-1).text == ",":
            _contrast(token)
    for token in short:
        if token.dep_ == "ROOT" and token.i > token.sent.start:
            _object_as_root(token)
            _compound_as_root(token)
        elif token.tag_ == "TO" and token.dep_ == "aux":
            _place_as_verb(token, words)
        elif token.dep_ in {"punct", "dep", "advmod"}:
            named = token.text[0].isupper() and token.tag_ in {"RB", "JJ"} and token.i > token.sent.start + 1
            if named or token.tag_ in {"NN", "NNS", "NNP", "NNPS", "FW"}:
                _stray_object(token)


def _object_as_root(root: Token) -> None:
    """*I hate coriander* with *coriander* as the verb: the verb before it takes it as its object."""
    if root.tag_ not in {"VB", "VBP", "NN", "NNS", "NNP", "JJ"} or any(
        c.dep_ in _SUBJECTS and c.i > root.i for c in root.children
    ):
        return
    verbs = [c for c in root.lefts if c.pos_ in {"VERB", "AUX"} and c.tag_ != "VBG" and c.dep_ != "amod"]
    verb = verbs[-1] if verbs else None
    if verb is None or verb.tag_ == "TO" or verb.lemma_ in {"be", "do"} or verb.tag_ == "MD":
        return
    subject = [c for c in verb.lefts if c.dep_ in _SUBJECTS] or [
        c for c in root.lefts if c.dep_ in _SUBJECTS and c.i < verb.i
    ]
    between = root.doc[verb.i + 1 : root.i]
    if not subject or any(
        not (t.head == root and t.dep_ in {"det", "amod", "compound", "nummod", "neg"}) for t in between
    ):
        return
    if root.tag_ in {"VB", "VBP"} and verb.dep_ == "aux" and verb.lemma_ == "have":
        return
    if any(c.dep_ in {"dobj", "ccomp", "xcomp"} for c in root.rights) or root.tag_ == "VBN":
        return
    outside = [
        c for c in root.children if c.i < verb.i or (c.i > root.i and c.dep_ not in {"conj", "cc", "appos", "relcl"})
    ]
    if root.tag_ in {"VB", "VBP"}:
        root.tag_, root.pos_ = "NN", "NOUN"
    verb.head = verb
    verb.dep_ = "ROOT"
    if verb.pos_ == "AUX":
        verb.pos_ = "VERB"
    for child in outside:
        child.head = verb
    root.head = verb
    root.dep_ = "dobj"


def _contrast(negation: Token) -> None:
    """*She likes tea, not coffee*: the negation belongs to the coffee."""
    verb = negation.head
    thing = next((c for c in verb.rights if c.i > negation.i and c.pos_ in {"NOUN", "PROPN"}), None)
    kept = next((c for c in verb.rights if c.dep_ in {"dobj", "attr"} and c.i < negation.i), None)
    if verb.pos_ != "VERB" or thing is None or kept is None or thing.left_edge.i != negation.i + 1:
        return
    negation.head = thing
    thing.head, thing.dep_ = kept, "conj"


def _joined_clauses(verb: Token) -> None:
    """*My dad is Bob and my mom is Jill*, where *Bob and my mom* is no pair."""
    main = verb.head if verb.dep_ in {"aux", "auxpass"} else verb
    start = verb.i - 1
    while start > verb.sent.start and verb.doc[start].tag_ == "RB":
        start -= 1
    right = next((t for t in (verb.doc[start], *verb.doc[start].ancestors) if t.right_edge.i == start), None)
    for above in tuple(right.ancestors) if right is not None else ():
        if right is None or right.dep_ == "conj" or above.right_edge.i != start or above.i >= main.i:
            break
        right = above
    if right is None or right.dep_ != "conj" or right.i > start or right.head.i == main.i:
        return
    left = right.head
    if right.pos_ not in {"NOUN", "PROPN", "PRON"} or left.pos_ in {"VERB", "AUX"}:
        return
    own = [c for c in main.children if c.dep_ in _SUBJECTS]
    before = [t for t in verb.doc[verb.sent.start : left.left_edge.i] if any(c.dep_ in _SUBJECTS for c in t.lefts)]
    first = next((t for t in reversed(before) if t.pos_ in {"VERB", "AUX"} and t != main), None)
    stranded = verb.doc[left.left_edge.i - 1] if left.left_edge.i > verb.sent.start else None
    loose = stranded is not None and stranded.dep_ == "prep" and not any(True for _ in stranded.children)
    if first is None or own not in ([], [left]) or (own and not (loose or verb.tag_ == "VBZ")):
        return
    if main.is_ancestor(first) and main.dep_ != "ROOT":
        return
    right.head, right.dep_ = main, "nsubj"
    if main.is_ancestor(first):
        first.head, first.dep_ = first, "ROOT"
    main.head, main.dep_ = first, "conj"
    if left.dep_ in _SUBJECTS:
        if loose and stranded is not None:
            left.head, left.dep_ = stranded, "pobj"
        else:
            left.head, left.dep_ = first, "attr" if first.lemma_ == "be" else "dobj"


def _place_as_verb(to: Token, words: Vocabulary) -> None:
    """*I moved to seattle* with *seattle* as the verb."""
    place = to.head
    verb = place.head
    proper = place.tag_ in {"NNP", "NNPS"} or not words.may_be_verb(place.lower_)
    bound = verb.lower_ in {"allergic", "addicted", "married", "engaged", "related"}
    if bound and place.i == to.i + 1:
        proper = True
    if not proper or place.i < to.i or verb == place or not (bound or verb.pos_ == "VERB") or verb.i > to.i:
        return
    if any(c.dep_ in {"dobj", "nsubj", "ccomp", "xcomp"} for c in place.children):
        return
    for child in [
        c for c in place.children if c != to and (c.i < to.i or c.dep_ in {"prep", "punct", "cc", "npadvmod"})
    ]:
        child.head = verb
    to.head = verb
    place.head = to
    to.dep_, place.dep_ = "prep", "pobj"
    to.tag_ = "IN"
    if not bound:
        place.tag_, place.pos_ = "NNP", "PROPN"
    elif place.tag_ == "VB":
        place.tag_, place.pos_ = "NN", "NOUN"


def _stray_object(token: Token) -> None:
    """*I watch anime* with *anime* as an adverb."""
    verb = token.head
    span = verb.doc[verb.i + 1 : token.i]
    if verb.pos_ not in {"VERB", "AUX"} or token.i < verb.i:
        return
    if any(t.head != token and t.dep_ != "prep" for t in span) and verb.doc[token.i - 1].dep_ != "prep":
        return
    before = token.doc[token.i - 1]
    if before.dep_ == "prep" and not any(True for _ in before.children):
        token.head, token.dep_ = before, "pobj"
        return
    taken = {"dobj", "attr", "acomp"} if token.text[0].isupper() else {"dobj", "attr", "acomp", "prep"}
    if token.lower_ in lex.CALENDAR or any(c.dep_ in taken for c in verb.children):
        return
    capital = token.text[0].isupper()
    if token.dep_ == "advmod" and token.tag_ not in {"NN", "NNS"} and verb.lemma_ != "be" and not capital:
        return
    token.dep_ = "attr" if verb.lemma_ == "be" else "dobj"


def _compound_as_root(root: Token) -> None:
    """*I have type 1 diabetes* with *type* as the verb."""
    if root.tag_ not in {"NN", "NNS"} or root.i == 0:
        return
    verb = root.nbor(-1)
    thing = next((c for c in root.rights if c.dep_ == "dobj"), None)
    if thing is None or verb.head != root or verb.dep_ != "aux" or verb.tag_ not in {"VBP", "VBZ", "VBD"}:
        return
    others = [c for c in root.children if c not in (verb, thing)]
    verb.head = verb
    verb.dep_, verb.pos_ = "ROOT", "VERB"
    for child in others:
        child.head = verb
    thing.head = verb
    root.head = thing
    root.dep_ = "compound"
