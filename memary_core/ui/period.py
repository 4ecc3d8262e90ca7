"""A period of whole days, as a person chooses it with two dates. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta


@dataclass(frozen=True, slots=True)
class Period:
    """Whole days of the machine's time zone, both included."""

    first: date
    last: date

    @classmethod
    def between(cls, one: date, other: date) -> Period:
        """The days from one to the other, in whichever order they are given."""
        return cls(min(one, other), max(one, other))

    @property
    def days(self) -> int:
        """How many days it has, at least 1."""
        return (self.last - self.first).days + 1

    @property
    def before(self) -> Period:
        """The period of the same length just before."""
        return Period(self.first - timedelta(self.days), self.first - timedelta(1))

    @property
    def start(self) -> datetime:
        """The first instant of it."""
        return datetime.combine(self.first, time.min).astimezone()

    @property
    def end(self) -> datetime:
        """The first instant after it."""
        return datetime.combine(self.last + timedelta(1), time.min).astimezone()


def shown_at_first(today: date, last: datetime | None) -> Period:
    """The 30 days up to today; where nothing was mentioned in them, up to the last mention."""
    thirty = Period(today - timedelta(29), today)
    if last is None or last >= thirty.start:
        return thirty
    day = last.astimezone().date()
    return Period(day - timedelta(29), day)


def in_words(period: Period) -> str:
    """*1 to 7 May 2026*, *28 April to 4 May 2026*."""
    first, last = period.first, period.last
    if first == last:
        return f"{last.day} {last:%B %Y}"
    shown = f"{first.day}"
    if (first.month, first.year) != (last.month, last.year):
        shown += f" {first:%B}" if first.year == last.year else f" {first:%B %Y}"
    return f"{shown} to {last.day} {last:%B %Y}"
