"""Entities and facts to write into graphs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from memary_core.models import Entity, Fact, Kind, Source, SourceKind, Trust

NOW = datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=UTC)
ANNA = Entity("a" * 32, "Anna", Kind.PERSON, ("Anna K.", "Änne"))
LISBON = Entity("b" * 32, "Lisbon", Kind.PLACE)
PORTO = Entity("c" * 32, "Porto", Kind.PLACE)
BOB = Entity("d" * 32, "Bob", Kind.PERSON)
EVERYONE = (ANNA, LISBON, PORTO, BOB)


def source(name: str, **given: Any) -> Source:
    return Source(**{"kind": SourceKind.USER, "extractor": "rules", "id": f"source {name}", "at": NOW, **given})


def fact(name: str, subject: Entity = ANNA, predicate: str = "lives in", obj: Entity = LISBON, **given: Any) -> Fact:
    values: dict[str, Any] = {
        "trust": Trust.ACCEPTED,
        "confidence": 0.5,
        "sources": (source(name),),
        "recorded_at": NOW,
        **given,
    }
    return Fact(
        id=f"fact {name}",
        subject=subject.name,
        predicate=predicate,
        object=obj.name,
        subject_id=subject.id,
        object_id=obj.id,
        **values,
    )


def days(number: int) -> datetime:
    return NOW + timedelta(days=number)
