"""What the Salience page draws: bars of presence, a timeline of mentions, what rises and what fades. Pure.

Names are data throughout: they are values of a chart, never part of its expressions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import altair as alt
import pandas as pd

from memary_core.models import Salience
from memary_core.ui.period import Period

Drawn = alt.Chart | alt.LayerChart | alt.FacetChart
ACCENT = "#3f8f87"
FADING = "#b9770e"
PALETTE = ("#3f8f87", "#b9770e", "#6d6fc4", "#c2557a", "#5b8c3a", "#3a83b8", "#a0672f", "#8a5bb0", "#7a8288", "#c0564a")
INK = "currentColor"
"""The colour of the page's text, light or dark: charts are drawn as SVG."""
PICKED = "picked"
"""Name of the selection that a click on a bar makes."""

_LABEL = 26
_WEEKS_FROM = 100
_MONTHS_FROM = 730


def labels(rows: Iterable[tuple[str, str]]) -> dict[str, str]:
    """A short label for each (entity id, name): cut to fit an axis, and no two alike."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for entity_id, name in rows:
        plain = " ".join(name.split())
        label = plain if len(plain) <= _LABEL else plain[: _LABEL - 1].rstrip() + "…"
        number = 1
        while (shown := label if number == 1 else f"{label} ({number})") in taken:
            number += 1
        taken.add(shown)
        found[entity_id] = shown
    return found


def bars(rows: Sequence[Salience], by: str = "count", *, decays: bool = True) -> Drawn:
    """One bar an entity: its count, the decayed score as a narrow bar within it. A click picks the entity."""
    names = labels((each.entity_id, each.name) for each in rows)
    data = pd.DataFrame(
        {
            "id": [each.entity_id for each in rows],
            "label": [names[each.entity_id] for each in rows],
            "name": [_tip(each.name) for each in rows],
            "count": [each.count for each in rows],
            "score": [round(each.score, 2) for each in rows],
            "kind": [each.kind.value for each in rows],
        }
    )
    picked = alt.selection_point(name=PICKED, fields=["id"], toggle="true")
    y = alt.Y("label:N", sort=list(names.values()), title=None).axis(
        labelLimit=170, ticks=False, domain=False, labelPadding=8, labelColor=INK
    )
    x = alt.X("count:Q", title=None).axis(tickMinStep=1, format="~s", tickCount=5, labelColor=INK)
    tips = [
        alt.Tooltip("name:N", title="Entity"),
        alt.Tooltip("kind:N", title="Kind"),
        alt.Tooltip("count:Q", title="Mentions", format=","),
        alt.Tooltip("score:Q", title="Score", format=",.2f"),
    ]
    base = alt.Chart(data, height=alt.Step(26)).encode(y=y, tooltip=tips)
    wide = base.mark_bar(color=ACCENT, cornerRadiusEnd=3, height={"band": 0.72}, cursor="pointer").encode(
        x=x, opacity=alt.condition(picked, alt.value(0.38), alt.value(0.13), empty=True)
    )
    narrow = base.mark_bar(color=ACCENT, cornerRadiusEnd=2, height={"band": 0.3}, cursor="pointer").encode(
        x="score:Q" if decays else "count:Q",
        opacity=alt.condition(picked, alt.value(1.0), alt.value(0.35), empty=True),
    )
    return alt.layer(wide.add_params(picked), narrow)


def picked_ids(event: object) -> list[str]:
    """The entity ids in the state of a chart drawn by `bars`; none for anything else."""
    selection = event.get("selection") if isinstance(event, Mapping) else None
    points = selection.get(PICKED) if isinstance(selection, Mapping) else None
    if not isinstance(points, Sequence) or isinstance(points, str):
        return []
    ids = (each.get("id") for each in points if isinstance(each, Mapping))
    return list(dict.fromkeys(each for each in ids if isinstance(each, str)))


def step(period: Period) -> str:
    """Whether a bar of the timeline is a day, a week or a month."""
    if period.days < _WEEKS_FROM:
        return "day"
    return "week" if period.days < _MONTHS_FROM else "month"


def stacks(counts: Mapping[tuple[str, str], int], order: Sequence[str], period: Period) -> list[dict[str, Any]]:
    """The timeline's blocks: for each day, week (from Monday) or month, the entities on top of one another.

    `counts`: (entity id, ISO date) to count; `order`: entity ids from the bottom up.
    """
    every = step(period)
    sums: dict[tuple[date, str], int] = {}
    for (entity_id, day), count in counts.items():
        key = (_bucket(date.fromisoformat(day), every), entity_id)
        sums[key] = sums.get(key, 0) + count
    blocks = []
    for start in sorted({start for start, _ in sums}):
        below = 0
        for entity_id in order:
            if count := sums.get((start, entity_id), 0):
                blocks.append({"start": start, "id": entity_id, "count": count, "low": below, "high": below + count})
                below += count
    return blocks


def timeline(blocks: Sequence[Mapping[str, Any]], names: Mapping[str, str], period: Period) -> Drawn:
    """The blocks of `stacks`, drawn. `names`: entity id to label, in the order of the legend."""
    every = step(period)
    data = pd.DataFrame(
        {
            "start": [pd.Timestamp(each["start"]) for each in blocks],
            "end": [pd.Timestamp(_next(each["start"], every)) - pd.Timedelta(hours=3) for each in blocks],
            "when": [_when(each["start"], every) for each in blocks],
            "label": [names[each["id"]] for each in blocks],
            "count": [each["count"] for each in blocks],
            "low": [each["low"] for each in blocks],
            "high": [each["high"] for each in blocks],
        }
    )
    shown = list(names.values())
    span = [_instant(_bucket(period.first, every)), _instant(_next(_bucket(period.last, every), every))]
    colour = alt.Scale(domain=shown, range=[PALETTE[i % len(PALETTE)] for i in range(len(shown))])
    drawn: alt.Chart = (
        alt.Chart(data, height=300)
        .mark_bar()
        .encode(
            x=alt.X("start:T", title=None, scale=alt.Scale(domain=span)).axis(
                grid=False,
                tickCount=6,
                labelOverlap=True,
                labelColor=INK,
                format="%b %Y" if every == "month" else "%-d %b",
            ),
            x2="end:T",
            y=alt.Y("low:Q", title=None).axis(tickMinStep=1, tickCount=4, labelColor=INK),
            y2="high:Q",
            color=alt.Color("label:N", scale=colour).legend(
                orient="bottom", title=None, columns=3, labelLimit=150, symbolType="square", labelColor=INK
            ),
            tooltip=[
                alt.Tooltip("label:N", title="Entity"),
                alt.Tooltip("when:N", title="When"),
                alt.Tooltip("count:Q", title="Mentions", format=","),
            ],
        )
    )
    return drawn


@dataclass(frozen=True, slots=True)
class Change:
    """How often an entity was mentioned in a period, and in the one before."""

    entity_id: str
    before: int
    now: int

    @property
    def difference(self) -> int:
        """Above 0: it rises; below: it fades."""
        return self.now - self.before


def changes(before: Mapping[str, int], now: Mapping[str, int]) -> list[Change]:
    """Every entity whose mentions differ, what rises most first and what fades most last."""
    ids = before.keys() | now.keys()
    found = (Change(each, before.get(each, 0), now.get(each, 0)) for each in ids)
    return sorted((each for each in found if each.difference), key=lambda each: (-each.difference, each.entity_id))


def tally(before: Mapping[str, int], now: Mapping[str, int]) -> tuple[int, int]:
    """How many entities rise, and how many fade."""
    rising = sum(count > before.get(each, 0) for each, count in now.items())
    return rising, sum(count > now.get(each, 0) for each, count in before.items())


def most_changed(found: Sequence[Change], each_way: int) -> list[Change]:
    """What rises most and what fades most, at most `each_way` of either, in the order of `changes`."""
    rising = [each for each in found[:each_way] if each.difference > 0]
    return rising + [each for each in found[-each_way:] if each.difference < 0]


def change_bars(found: Sequence[Change], names: Mapping[str, str]) -> Drawn:
    """Bars to the right for what rises, to the left for what fades, with the difference beside them."""
    short = labels((each.entity_id, names[each.entity_id]) for each in found)
    data = pd.DataFrame(
        {
            "label": [short[each.entity_id] for each in found],
            "name": [_tip(names[each.entity_id]) for each in found],
            "difference": [each.difference for each in found],
            "shown": [f"{each.difference:+,}".replace("-", "−") for each in found],
            "way": ["rises" if each.difference > 0 else "fades" for each in found],
            "was": [f"{each.before:,} → {each.now:,}" for each in found],
        }
    )
    reach = max((abs(each.difference) for each in found), default=1) * 1.25
    base = alt.Chart(data, height=alt.Step(22)).encode(
        y=alt.Y("label:N", sort=list(short.values()), title=None).axis(
            labelLimit=170, ticks=False, domain=False, labelPadding=8, labelColor=INK
        ),
        x=alt.X("difference:Q", title=None, scale=alt.Scale(domain=[-reach, reach])).axis(None),
        tooltip=[
            alt.Tooltip("name:N", title="Entity"),
            alt.Tooltip("was:N", title="Mentions"),
            alt.Tooltip("way:N", title="It"),
        ],
    )
    colour = alt.Scale(domain=["rises", "fades"], range=[ACCENT, FADING])
    drawn = base.mark_bar(height={"band": 0.6}, cornerRadiusEnd=3).encode(
        color=alt.Color("way:N", scale=colour, legend=None)
    )
    right = (
        base.transform_filter("datum.difference > 0").mark_text(align="left", dx=5, color=INK).encode(text="shown:N")
    )
    left = (
        base.transform_filter("datum.difference < 0").mark_text(align="right", dx=-5, color=INK).encode(text="shown:N")
    )
    return alt.layer(drawn, right, left)


def _bucket(day: date, every: str) -> date:
    if every == "week":
        return day - timedelta(day.weekday())
    return day.replace(day=1) if every == "month" else day


def _next(start: date, every: str) -> date:
    if every == "month":
        return (start + timedelta(31)).replace(day=1)
    return start + timedelta(7 if every == "week" else 1)


def _when(start: date, every: str) -> str:
    if every == "month":
        return f"{start:%B %Y}"
    day = f"{start.day} {start:%B %Y}"
    return f"week of {day}" if every == "week" else day


def _instant(day: date) -> alt.DateTime:
    return alt.DateTime(year=day.year, month=day.month, date=day.day)


def _tip(name: str) -> str:
    return name if len(name) <= 120 else name[:119] + "…"
