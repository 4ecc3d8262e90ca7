"""Values to rows and back: what the graph stores of an entity, a source and a fact. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from memary_core.identity import canonical_key
from memary_core.models import (
    Entity,
    Fact,
    Kind,
    Precision,
    Source,
    SourceKind,
    Trust,
    from_micros,
    storable,
    to_micros,
)

MAX_ID = 1000
"""Characters in an id; FalkorDB's index holds up to 4,096."""
ENTITY = ("key", "name", "kind", "aliases")
SOURCE = ("kind", "extractor", "turn", "at", "quote", "speaker", "tool", "query", "url", "confidence")
FACT = (
    "predicate",
    "trust",
    "confidence",
    "sources",
    "valid_from",
    "valid_to",
    "valid_precision",
    "superseded_by",
    "recorded_at",
)


def clean(value: Any) -> Any:
    """`value` with every text in it made storable: a last line of defence, because a NUL in a parameter would end
    the header in which FalkorDB's client sends all of them."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {key: clean(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [clean(each) for each in value]
    return value


def scope_key(scope: str) -> str:
    """The scope as the graph holds it: printable, without spaces, different for different scopes.

    FalkorDB's index takes `alice`, ` alice` and `alice` with a control sign and more behind it for the same text,
    and its unique constraints end the server over an empty or very long one.
    """
    key = "".join(
        sign
        if sign.isprintable() and not sign.isspace() and sign != "%"
        else quote(sign, safe="", errors="surrogatepass")
        for sign in scope
    )
    return key if 0 < len(key) <= MAX_ID else "%" + hashlib.sha256(key.encode()).hexdigest()


def unusable(facts: Sequence[Fact], entities: Sequence[Entity]) -> list[str]:
    """The ids among these, of turns too, that an index cannot tell from others (see `scope_key`)."""
    ids = {each.id for each in entities}
    for fact in facts:
        ids |= {fact.id, fact.subject_id, fact.object_id}
        for source in fact.sources:
            ids.add(source.id)
            if source.turn is not None:
                ids.add(source.turn)
    return sorted(each for each in ids if not 0 < len(each.strip()) == len(each) <= MAX_ID or not each.isprintable())


def entity_row(entity: Entity) -> dict[str, Any]:
    """An entity as the properties of its node."""
    return {
        "id": entity.id,
        "key": canonical_key(entity.name),
        "name": entity.name,
        "kind": entity.kind.value,
        "aliases": list(entity.aliases),
    }


def source_row(source: Source) -> dict[str, Any]:
    """A source as the properties of its node."""
    return {
        "id": source.id,
        "kind": source.kind.value,
        "extractor": source.extractor,
        "turn": source.turn,
        "at": _micros(source.at),
        "quote": source.quote,
        "speaker": source.speaker,
        "tool": source.name,
        "query": source.query,
        "url": source.url,
        "confidence": _number(source.confidence),
    }


def fact_row(fact: Fact) -> dict[str, Any]:
    """A fact as the properties of its relationship, with the ids of its two ends."""
    return {
        "id": fact.id,
        "subject": fact.subject_id,
        "object": fact.object_id,
        "predicate": fact.predicate,
        "trust": fact.trust.value,
        "confidence": _number(fact.confidence),
        "sources": list(dict.fromkeys(source.id for source in fact.sources)),
        "valid_from": _micros(fact.valid_from),
        "valid_to": _micros(fact.valid_to),
        "valid_precision": None if fact.valid_precision is None else fact.valid_precision.value,
        "superseded_by": fact.superseded_by,
        "recorded_at": to_micros(fact.recorded_at),
    }


def entity_of(row: Sequence[Any]) -> Entity:
    """The inverse of `entity_row`, from the columns id and `ENTITY`."""
    entity_id, _, name, kind, aliases = row
    return Entity(entity_id, name, Kind(kind), tuple(aliases or ()))


def source_of(row: Sequence[Any]) -> Source:
    """The inverse of `source_row`, from the columns id and `SOURCE`."""
    source_id, kind, extractor, turn, at, quote, speaker, tool, query, url, confidence = row
    return Source(
        kind=SourceKind(kind),
        extractor=extractor,
        id=source_id,
        turn=turn,
        at=_moment(at),
        quote=quote,
        speaker=speaker,
        name=tool,
        query=query,
        url=url,
        confidence=float(confidence),
    )


def fact_of(row: Sequence[Any], sources: Mapping[str, Source]) -> Fact:
    """The inverse of `fact_row`, from the columns id, subject's id and name, object's id and name, and `FACT`."""
    fact_id, subject_id, subject, object_id, obj, predicate, trust, confidence, source_ids, *rest = row
    valid_from, valid_to, precision, superseded_by, recorded_at = rest
    return Fact(
        id=fact_id,
        subject=subject,
        predicate=predicate,
        object=obj,
        subject_id=subject_id,
        object_id=object_id,
        trust=Trust(trust),
        confidence=float(confidence),
        sources=tuple(sources[each] for each in source_ids if each in sources),
        recorded_at=from_micros(recorded_at),
        valid_from=_moment(valid_from),
        valid_to=_moment(valid_to),
        valid_precision=None if precision is None else Precision(precision),
        superseded_by=superseded_by,
    )


def _micros(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


def _number(value: float) -> float:
    # FalkorDB answers with 15 significant digits; stored so, a value comes back as it went in.
    return float(f"{value:.15g}")
