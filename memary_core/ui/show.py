"""How things look in words: names as literal text, times, trust. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from memary_core.models import Fact, Source, SourceKind, Trust

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:^&=@\"'])")
_UNITS = ((365 * 86_400, "year"), (30 * 86_400, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute"))

TRUST_ICON = {Trust.ACCEPTED: "check", Trust.CANDIDATE: "help", Trust.REJECTED: "block"}


def literal(text: str, limit: int = 0) -> str:
    """`text` so that Markdown shows it as it is; cut to `limit` characters, if one is given."""
    cut = text if not limit or len(text) <= limit else text[: limit - 1].rstrip() + "…"
    return _MARKDOWN.sub(r"\\\1", " ".join(cut.split()))


def moment(at: datetime | None) -> str:
    """*3 May 2026, 14:02*, in the zone of the machine; *never* for None."""
    if at is None:
        return "never"
    local = at.astimezone()
    return f"{local.day} {local:%B %Y, %H:%M}"


def ago(at: datetime | None, now: datetime | None = None) -> str:
    """*2 days ago*, *in 3 hours*, *just now*; *never* for None."""
    if at is None:
        return "never"
    gap = (now or datetime.now(UTC)) - at
    seconds = abs(gap.total_seconds())
    for size, unit in _UNITS:
        if seconds >= size:
            count = int(seconds // size)
            span = f"{count} {unit}{'' if count == 1 else 's'}"
            return f"{span} ago" if gap > timedelta(0) else f"in {span}"
    return "just now"


def triplet(fact: Fact) -> str:
    """*Anna · lives in · Lisbon*, literal in Markdown."""
    return " · ".join(literal(each, 120) for each in (fact.subject, fact.predicate, fact.object))


def origin(source: Source) -> str:
    """Whose words a source holds, and when: *you said, 2 days ago*. Literal in Markdown."""
    who = {
        SourceKind.USER: "you said",
        SourceKind.SPEAKER: f"{source.speaker or 'someone'} said",
        SourceKind.ASSISTANT: "the assistant said",
        SourceKind.TOOL: f"found by {source.name or 'a tool'}",
        SourceKind.MANUAL: "entered by hand",
        SourceKind.IMPORT: "imported",
    }[source.kind]
    return literal(who, 80) + (f", {ago(source.at)}" if source.at else "")
