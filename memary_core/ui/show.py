"""How things look in words: names as literal text, times, trust. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from memary_core.models import YOU, Fact, Source, SourceKind, Trust
from memary_core.wording import capital, sentence

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:^&=@\"'])")
# Streamlit turns these into icons and arrows after escapes are read; a word joiner, which nobody sees, parts them.
_ICON = re.compile(r":(?=[a-z])")
_ARROW = re.compile(r"(?:(?<=\s)|\A)(?:<->|->|<-|--|>=|<=|~=)(?=\s|\Z)")
_TURNS, _ISOLATES = "\u202a\u202b\u202d\u202e", "\u2066\u2067\u2068"
_UNITS = ((365 * 86_400, "year"), (30 * 86_400, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute"))
_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]+`)", re.DOTALL)

TRUST_ICON = {Trust.ACCEPTED: "check", Trust.CANDIDATE: "help", Trust.REJECTED: "block"}


def literal(text: str, limit: int = 0) -> str:
    """`text` so that Markdown shows it as it is; cut to `limit` characters, if one is given."""
    return _literal_part(turned_back(cut(" ".join(text.split()), limit)))


def cut(text: str, limit: int = 0) -> str:
    """`text`, ended by … where it is longer than `limit`."""
    return text if not limit or len(text) <= limit else text[: limit - 1].rstrip() + "…"


def prose(text: str) -> str:
    """A model's answer as Markdown that loads nothing: an image would send what it names to whoever serves it.

    A word joiner, which nobody sees, parts the two signs an image begins with, in code too, where an escape would
    show. Outside code a dollar is a dollar.
    """
    harmless = text.replace("![", "!\u2060[")
    parts = _CODE.split(harmless)
    return "".join(part if number % 2 else part.replace("$", r"\$") for number, part in enumerate(parts))


def hint(text: str) -> str:
    """Advice of ours as Markdown: its lines and its `commands` stay, everything else is literal."""

    def line(raw: str) -> str:
        parts = raw.split("`")
        return "".join(f"`{part}`" if number % 2 else _literal_part(part) for number, part in enumerate(parts))

    return "  \n".join(line(each) for each in text.splitlines())


def _literal_part(text: str) -> str:
    parted = _ARROW.sub(lambda found: "\u2060".join(found[0]), _ICON.sub(":\u2060", text))
    return _MARKDOWN.sub(r"\\\1", parted)


def turned_back(text: str) -> str:
    """`text` with every change of writing direction in it ended, so that none reaches what stands beside it."""
    turns = sum(map(text.count, _TURNS)) - text.count("\u202c")
    isolates = sum(map(text.count, _ISOLATES)) - text.count("\u2069")
    return text + "\u202c" * max(0, turns) + "\u2069" * max(0, isolates)


def count_of(number: int, noun: str) -> str:
    """*1 fact*, *2 facts*, *3 entities*, *1,204 mentions*."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1] + 'ies' if noun.endswith('y') else noun + 's'}"


def moment(at: datetime | None) -> str:
    """*3 May 2026, 14:02*, in the zone of the machine; *never* for None."""
    if at is None:
        return "never"
    return f"{day(at)}, {at.astimezone():%H:%M}"


def day(at: datetime) -> str:
    """*3 May 2026*, in the zone of the machine."""
    local = at.astimezone()
    return f"{local.day} {local:%B %Y}"


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


def statement(fact: Fact) -> str:
    """*Anna lives in Lisbon*, *You have a dog*; plain text, not yet literal in Markdown."""
    one, other = (cut("you" if each == YOU else each, 120) for each in (fact.subject, fact.object))
    return capital(sentence([one], fact.predicate, [other]))


def standing(fact: Fact) -> str:
    """Trust in a word with its icon and colour, as Markdown; a closed fact is *superseded* or *past*."""
    if fact.trust is Trust.REJECTED:
        return ":gray[:material/block: rejected]"
    if fact.valid_to is not None:
        return f":gray[:material/history: {'superseded' if fact.superseded_by else 'past'}]"
    if fact.trust is Trust.CANDIDATE:
        return ":orange[:material/help: candidate]"
    return ":material/check: accepted"


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


def quotes(sources: Iterable[Source]) -> list[str]:
    """What was said, each quote once, plain text."""
    return list(dict.fromkeys(" ".join(each.quote.split()) for each in sources if each.quote.strip()))
