"""The words of memary as frozen value types. Nothing here does I/O or holds state."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from memary_core.errors import InvalidInput

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
YOU = "You"
"""Display name of the scope's owner."""


def new_id() -> str:
    """A random 128-bit identity, as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def utc(moment: datetime | None) -> datetime:
    """`moment` in UTC, or now. A datetime without a zone is refused: it names no instant."""
    if moment is None:
        return datetime.now(UTC)
    if moment.tzinfo is None:
        raise InvalidInput(
            f"{moment.isoformat()} has no time zone, so nothing was stored. "
            "Pass an aware datetime, for example datetime(2026, 3, 1, tzinfo=UTC)."
        )
    return moment.astimezone(UTC)


def to_micros(moment: datetime) -> int:
    """Whole microseconds since 1970-01-01 UTC."""
    return (moment - EPOCH) // timedelta(microseconds=1)


def from_micros(micros: int) -> datetime:
    """The inverse of `to_micros`."""
    return EPOCH + timedelta(microseconds=micros)


def storable(text: str) -> str:
    """`text` with what no store can hold (NUL, lone surrogates) replaced by U+FFFD."""
    if "\0" not in text and text.isascii():
        return text
    return text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Trust(StrEnum):
    """May a fact reach a prompt? Only an accepted one, unless the person turned *use unverified* on."""

    CANDIDATE = "candidate"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


class SourceKind(StrEnum):
    """Whose words a source holds. `SPEAKER` is a named person other than the scope's owner."""

    USER = "user"
    SPEAKER = "speaker"
    ASSISTANT = "assistant"
    TOOL = "tool"
    MANUAL = "manual"
    IMPORT = "import"


class Kind(StrEnum):
    """What an entity is. `VALUE` (a date, number, adjective) and `SELF` (You) are never on the mind."""

    PERSON = "person"
    PLACE = "place"
    ORGANISATION = "organisation"
    PRODUCT = "product"
    EVENT = "event"
    WORK = "work"
    OTHER = "other"
    VALUE = "value"
    SELF = "self"


class Precision(StrEnum):
    """How exactly a time is known."""

    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    INSTANT = "instant"


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance. `speaker` is the person's name; `kind` says whether it was the owner's, another's or the
    assistant's. `notes` reports what had to be changed before the text could be stored."""

    id: str
    conversation: str
    seq: int
    speaker: str
    text: str
    at: datetime
    kind: SourceKind = SourceKind.USER
    reply_to: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """Where a claim came from: `kind` says whose words, `extractor` who read them."""

    kind: SourceKind
    extractor: str = "person"
    id: str = field(default_factory=new_id)
    turn: str | None = None
    at: datetime | None = None
    quote: str = ""
    speaker: str | None = None
    name: str | None = None
    query: str | None = None
    url: str | None = None
    confidence: float = 0.5

    @classmethod
    def tool(cls, name: str, *, query: str | None = None, url: str | None = None, quote: str = "") -> Source:
        """What the tool `name` returned for `query`."""
        return cls(SourceKind.TOOL, extractor=name, name=name, query=query, url=url, quote=quote)

    @classmethod
    def manual(cls, quote: str = "") -> Source:
        """What a person entered by hand."""
        return cls(SourceKind.MANUAL, quote=quote, confidence=1.0)


@dataclass(frozen=True, slots=True)
class Mention:
    """A surface form naming an entity in one source at one time; `seq` is its place in the stream."""

    seq: int
    entity: str
    entity_id: str
    date: datetime
    turn: str | None
    source: SourceKind


@dataclass(frozen=True, slots=True)
class Entity:
    """An identity. The id is the identity; `name` and `aliases` are ways to find it."""

    id: str
    name: str
    kind: Kind = Kind.OTHER
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Salience:
    """How present an entity is. `count` is exact; `score` is the count decayed by age to the time asked for."""

    entity_id: str
    name: str
    count: int
    score: float
    last_mentioned: datetime | None
    pinned: bool = False
    muted: bool = False
    kind: Kind = Kind.OTHER


@dataclass(frozen=True, slots=True)
class Fact:
    """A triplet in the graph. Open while `valid_to` is None. `sources` is never empty."""

    id: str
    subject: str
    predicate: str
    object: str
    subject_id: str
    object_id: str
    trust: Trust
    confidence: float
    sources: tuple[Source, ...]
    recorded_at: datetime
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    valid_precision: Precision | None = None
    superseded_by: str | None = None


@dataclass(frozen=True, slots=True)
class Subgraph:
    """A neighbourhood: nodes by distance, then salience; `total` nodes were found before the limit."""

    nodes: tuple[Entity, ...]
    edges: tuple[Fact, ...]
    total: int
    distance: Mapping[str, int] = field(default_factory=dict)

    @property
    def truncated(self) -> bool:
        """Were nodes left out?"""
        return self.total > len(self.nodes)


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether a message gets memory at all, and why."""

    open: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Recall:
    """What was chosen for one prompt. Each tuple is best first; `why` maps an item's id to the reason."""

    text: str
    facts: tuple[Fact, ...]
    entities: tuple[Salience, ...]
    turns: tuple[Turn, ...]
    tokens: int
    gate: Gate
    why: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Reference(StrEnum):
    """What a name in an extraction points at."""

    NAMED = "named"
    SPEAKER = "speaker"
    ROLE = "role"


@dataclass(frozen=True, slots=True)
class Name:
    """A surface form found in a text.

    `SPEAKER` stands for *I, me, my*. A `ROLE` is someone known only by relation: *my sister* is
    ``Name("sister", PERSON, ROLE, owner="")`` and *Anna's boss* has ``owner="Anna"``.
    """

    text: str
    kind: Kind = Kind.OTHER
    reference: Reference = Reference.NAMED
    owner: str = ""
    start: int = -1
    end: int = -1


SPEAKER = Name("", Kind.PERSON, Reference.SPEAKER)


@dataclass(frozen=True, slots=True)
class Triplet:
    """Raw (subject, predicate, object) as an extractor read it; not yet believed."""

    subject: Name
    predicate: str
    object: Name
    quote: str
    confidence: float = 0.5
    rule: str = ""
    valid_from: datetime | None = None
    valid_precision: Precision | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything an extractor read in one text, in the order of the text. `notes` says what it could not read."""

    names: tuple[Name, ...] = ()
    triplets: tuple[Triplet, ...] = ()
    notes: tuple[str, ...] = ()
