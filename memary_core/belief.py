"""Belief, pure: what trust a claim is born with, and what a claim or a person's decision does to the facts.

    claim by            no such open fact      candidate        accepted       rejected
    user, manual        accepted               accepted         +source        candidate
    anyone else         candidate              +source          +source        +source

A person's decision (accept, reject) sets the trust, from any to any. Only accepted facts reach a prompt.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memary_core.errors import InvalidInput
from memary_core.models import Entity, Fact, Precision, Source, SourceKind, Trust, storable

RULES = "rules"
_BELIEVED = frozenset({(SourceKind.USER, RULES), (SourceKind.MANUAL, "person")})
_CONTRACTIONS = (("n't", " not"), ("n’t", " not"))
_SPACES = re.compile(r"\s+")
_MAX_PREDICATE = 200


@dataclass(frozen=True, slots=True)
class Claim:
    """A triplet with its source, as the journal records it. `fact_id`: the id of the fact it opens, if it does."""

    fact_id: str
    subject: Entity
    predicate: str
    object: Entity
    source: Source
    recorded_at: datetime
    valid_from: datetime | None = None
    valid_precision: Precision | None = None


def canonical_predicate(text: str) -> str:
    """A predicate as it is stored: white space folded, contractions of *not* written out, signs at the ends off.

    Negation stays part of it. Raises `InvalidInput` for one that is blank or over 200 characters.
    """
    plain = _SPACES.sub(" ", storable(text)).strip().strip(".,;:!?")
    for short, full in _CONTRACTIONS:
        plain = plain.replace("can" + short, "cannot").replace(short, full)
    if not plain or len(plain) > _MAX_PREDICATE:
        raise InvalidInput(
            f"A predicate is 1 to {_MAX_PREDICATE} characters, such as 'lives in'; "
            f"{text!r:.60} is not one. Nothing was stored."
        )
    return plain


def birth_trust(source: Source) -> Trust:
    """The owner's words read by rules, and what a person enters, are believed; the rest waits for review."""
    return Trust.ACCEPTED if (source.kind, source.extractor) in _BELIEVED else Trust.CANDIDATE


def confidence(sources: Iterable[Source]) -> float:
    """How likely the fact was read right, in (0, 1]: the noisy-or of its independent sources.

    1 - product(1 - c), with c the measured precision of each source's reader; of sources with one origin (a turn,
    a page, a query) only the surest counts. Pearl, *Probabilistic Reasoning in Intelligent Systems* (1988), 4.3.
    """
    surest: dict[tuple[str | None, ...], float] = {}
    for each in sources:
        origin = _origin(each)
        surest[origin] = max(surest.get(origin, 0.0), min(max(each.confidence, 0.01), 1.0))
    return 1.0 - math.prod(1.0 - each for each in surest.values())


def claimed(claim: Claim, facts: Sequence[Fact]) -> Fact:
    """The fact that holds after `claim`, given those about its subject: a new one, or one with a source more."""
    born = birth_trust(claim.source)
    known = next((each for each in facts if each.valid_to is None and _same(each, claim)), None)
    if known is None:
        return Fact(
            id=claim.fact_id,
            subject=claim.subject.name,
            predicate=claim.predicate,
            object=claim.object.name,
            subject_id=claim.subject.id,
            object_id=claim.object.id,
            trust=born,
            confidence=confidence([claim.source]),
            sources=(claim.source,),
            recorded_at=claim.recorded_at,
            valid_from=claim.valid_from,
            valid_precision=claim.valid_precision,
        )
    if any(each.id == claim.source.id for each in known.sources):
        return known
    sources = (*known.sources, claim.source)
    trust = known.trust
    if born is Trust.ACCEPTED and trust is not Trust.ACCEPTED:
        trust = Trust.ACCEPTED if trust is Trust.CANDIDATE else Trust.CANDIDATE
    return replace(known, sources=sources, confidence=confidence(sources), trust=trust)


def decided(fact: Fact, trust: Trust) -> Fact:
    """The fact after a person said what they hold of it."""
    return replace(fact, trust=trust)


def _same(fact: Fact, claim: Claim) -> bool:
    ends = (fact.subject_id, fact.object_id) == (claim.subject.id, claim.object.id)
    return ends and fact.predicate.casefold() == claim.predicate.casefold()


def _origin(source: Source) -> tuple[str | None, ...]:
    if source.turn or source.url or source.query:
        return (source.kind.value, source.turn, source.url, source.name, source.query)
    return (source.id,)
