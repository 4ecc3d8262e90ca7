"""Model-free extraction: names and facts from one message, by grammar alone.

The order is: names already known, spaCy's entities, capitals; then relations shown by wording (*my sister Anna*),
then what each asserted clause states. A fact's confidence is the precision its rule had on the gold set
(`precision.json`, Laplace-smoothed: (right + 1) / (found + 2); 0.5 for rules seen fewer than five times).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Protocol

from memary_core.extract import lexicon as lex
from memary_core.extract.appositions import apposition_facts
from memary_core.extract.clauses import clause_facts
from memary_core.extract.draft import Draft
from memary_core.extract.guards import Guards
from memary_core.extract.phrasing import shown
from memary_core.extract.pipeline import load, vocabulary
from memary_core.extract.reading import Reading
from memary_core.extract.text import MAX_PARSED, prepare
from memary_core.models import Extraction, Kind, Name, Reference, Triplet

if TYPE_CHECKING:
    from spacy.tokens import Doc

UNMEASURED = 0.5
_parsing = threading.Lock()


class KnownNames(Protocol):
    """The names a memory already holds."""

    def find(self, text: str) -> Sequence[Name]:
        """Known names and aliases in `text`: any case, word-bounded, longest first, with offsets in `text`."""


@cache
def confidences() -> Mapping[str, float]:
    """Rule name → precision measured on the gold set."""
    loaded: dict[str, float] = json.loads(files("memary_core.extract").joinpath("precision.json").read_text("utf-8"))
    return loaded


class RuleExtractor:
    """Reads names and facts out of a chat message with spaCy's grammar and no model call. Thread-safe."""

    name = "rules"

    def __init__(self, model: str = "") -> None:
        """`model` is an installed spaCy pipeline; empty means the first of `pipeline.PIPELINES` there is."""
        self._model = model

    def warm(self) -> None:
        """Load the pipeline now rather than at the first message. Raises `ModelUnavailable` when there is none."""
        load(self._model)

    def __call__(self, text: str, *, known: Sequence[Name] = (), at: datetime | None = None) -> Extraction:
        """Read one message written by the scope's owner.

        `known` are the known names that occur in `text`, with offsets; they outvote spaCy. Names come back with
        offsets in `text`. Of longer texts the first `MAX_PARSED` characters are read, and known names beyond.
        `at` is accepted for extractors that date facts; this one does not. Raises `ModelUnavailable` when no
        pipeline is installed.
        """
        del at
        passage = prepare(text, known)
        beyond = [name for name in known if name.start >= MAX_PARSED]
        if not any(char.isalnum() for char in passage.parsed):
            return Extraction(tuple(beyond))
        reading = Reading(self._parse(passage.parsed), passage, known, vocabulary(self._model))
        drafts = list(_unique(_drafts(reading)))
        triplets = tuple(_triplet(reading, draft) for draft in drafts)
        return Extraction((*_mentions(reading, triplets), *beyond), triplets)

    def _parse(self, text: str) -> Doc:
        pipeline = load(self._model)
        with _parsing:
            return pipeline(text)


def _drafts(reading: Reading) -> Iterator[Draft]:
    guards = Guards(reading)
    found = list(clause_facts(reading, guards))
    yield from apposition_facts(reading, guards)
    yield from found


def _unique(drafts: Iterator[Draft]) -> Iterator[Draft]:
    seen: set[tuple[str, str, str]] = set()
    for draft in drafts:
        key = (shown(draft.subject).casefold(), draft.predicate.casefold(), shown(draft.object).casefold())
        if key in seen or key[0] == key[2] or not key[2] or not key[1]:
            continue
        seen.add(key)
        yield draft


def _triplet(reading: Reading, draft: Draft) -> Triplet:
    sent = reading.doc[draft.anchor].sent
    left, right = reading.place(sent.start, sent.end)
    quote = reading.passage.original[left:right].strip()
    return Triplet(
        reading.refined(draft.subject),
        " ".join(draft.predicate.split()),
        reading.refined(draft.object),
        quote,
        confidences().get(draft.rule, UNMEASURED),
        draft.rule,
    )


def _mentions(reading: Reading, triplets: Sequence[Triplet]) -> list[Name]:
    """Names and the things facts are about, longest where they overlap, in the order of the text."""
    things = [
        name
        for triplet in triplets
        for name in (triplet.subject, triplet.object)
        if name.reference is Reference.NAMED and name.kind is not Kind.VALUE and name.start >= 0
    ]
    classes = [triplet.object for triplet in triplets if triplet.rule in {"copula class", "apposition"}]
    named = {reading.refined(name) for _, _, name in reading.spans()}
    taken: set[int] = set()
    kept: list[Name] = []
    for name in sorted([*things, *named], key=lambda name: (name.start - name.end, name.start)):
        if name not in named and name not in classes and _is_role(name.text):
            continue
        if taken.isdisjoint(range(name.start, name.end)):
            taken.update(range(name.start, name.end))
            kept.append(name)
    return sorted(kept, key=lambda name: name.start)


def _is_role(text: str) -> bool:
    head = text.casefold().split()[-1] if text.split() else ""
    return head in lex.COMPANY or head.removesuffix("s") in lex.COMPANY
