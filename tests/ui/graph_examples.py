"""Entities, facts and neighbourhoods by name, for the tests of the explorer."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memary_core.models import Entity, Fact, Kind, Salience, Source, SourceKind, Subgraph, Trust

NOON = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)


def entity(name: str, kind: Kind = Kind.PERSON, *aliases: str) -> Entity:
    return Entity(f"id-{name}", name, kind, aliases)


def fact(subject: str, predicate: str, obj: str, kind: SourceKind = SourceKind.USER, **given: Any) -> Fact:
    told: dict[str, Any] = {
        "id": f"{subject} {predicate} {obj}",
        "subject": subject,
        "predicate": predicate,
        "object": obj,
        "subject_id": f"id-{subject}",
        "object_id": f"id-{obj}",
        "trust": Trust.ACCEPTED,
        "confidence": 0.9,
        "sources": (Source(kind, quote=f"{subject} {predicate} {obj}."),),
        "recorded_at": NOON,
    }
    return Fact(**(told | given))


def salience(name: str, score: float) -> Salience:
    return Salience(f"id-{name}", name, round(score), score, NOON)


def around(centre: str, *facts: Fact, total: int = 0) -> Subgraph:
    """The subgraph that holds these facts, nearest first."""
    names = list(dict.fromkeys([centre, *(end for each in facts for end in (each.subject, each.object))]))
    return Subgraph(tuple(entity(each) for each in names), facts, total or len(names))
