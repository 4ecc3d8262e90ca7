"""The upper half of the Salience page: figures, bars, the timeline, and what rises and fades."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeVar

import streamlit as st

from memary_core.memory import Memory
from memary_core.models import Kind, Salience
from memary_core.ui import salience_charts as charts
from memary_core.ui.period import Period, in_words, shown_at_first
from memary_core.ui.services import settings
from memary_core.ui.session import kept, page_key

T = TypeVar("T")
KINDS: tuple[Kind, ...] = tuple(each for each in Kind if each not in (Kind.VALUE, Kind.SELF))
CHART = page_key("salience.bars")
_SAID = page_key("salience.said")
_SHOWN, _STACKED, _PICKED_MOST, _EACH_WAY = 20, 5, 10, 6


def remembered(memory: Memory, name: str, asked: Hashable, make: Callable[[], T]) -> T:
    """What `make` gives, made again only where the memory changed, something else is `asked`, or an hour went by."""
    notes: dict[str, tuple[Hashable, T]] = kept("salience.remembered", dict)
    stamp = (memory.revision, asked, datetime.now(UTC).strftime("%Y%m%dT%H"))
    if name not in notes or notes[name][0] != stamp:
        notes[name] = (stamp, make())
    return notes[name][1]


def say(text: str) -> None:
    """Let the page say what was done, the next time it is drawn whole."""
    st.session_state[_SAID] = text


def said() -> None:
    """Say what was done, once. A callback cannot: within a dialog the browser has no place for it yet."""
    if text := st.session_state.pop(_SAID, ""):
        st.toast(text, icon=":material/check:")


def figures(memory: Memory, entities: int, mentions: int) -> None:
    """The row of figures."""
    rising, fading = remembered(memory, "week", "", lambda: _week(memory))
    compared = "in the last 7 days than in the 7 days before, counting what you said yourself."
    pairs = st.columns(2)
    with pairs[0].container(horizontal=True):
        st.metric("Entities", entities, format="%,d", border=True)
        st.metric("Mentions", mentions, format="%,d", border=True)
    with pairs[1].container(horizontal=True):
        st.metric("Rising this week", rising, border=True, help=f"Mentioned more often {compared}")
        st.metric("Fading", fading, border=True, help=f"Mentioned less often {compared}")


def overview(memory: Memory) -> None:
    """Filters, the bars on the left, the timeline and the changes on the right."""
    part, kinds, period = _filters(memory)
    left, right = st.columns([1, 1.15], gap="large")
    with left:
        rows, found = _bars(memory, part, kinds)
    with right:
        picked = charts.picked_ids(st.session_state.get(CHART))[:_PICKED_MOST]
        by_id = {each.entity_id: each for each in rows}
        stacked = [by_id[each] for each in picked if each in by_id] or rows[:_STACKED]
        _timeline(memory, stacked, period, bool(picked), found)
        _changes(memory, part, kinds, period)


def _week(memory: Memory) -> tuple[int, int]:
    now = datetime.now(UTC)
    week = timedelta(days=7)
    return charts.tally(memory.mentioned(now - 2 * week, now - week), memory.mentioned(now - week, now))


def _filters(memory: Memory) -> tuple[str, list[Kind], Period]:
    at_first = kept("salience.first", lambda: shown_at_first(datetime.now().date(), _last(memory)))
    one, two, three, four = st.columns([2, 2, 1, 1], vertical_alignment="bottom")
    part = one.text_input(
        "Find in the charts", placeholder="Part of a name", icon=":material/search:", key=page_key("salience.find")
    )
    kinds: list[Kind] = two.multiselect(
        "Kinds", KINDS, format_func=lambda each: each.value, placeholder="All kinds", key=page_key("salience.kinds")
    )
    first = three.date_input("From", at_first.first, format="DD/MM/YYYY", key=page_key("salience.from"))
    last = four.date_input("To", at_first.last, format="DD/MM/YYYY", key=page_key("salience.to"))
    return part, kinds, Period.between(first, last)


def _last(memory: Memory) -> datetime | None:
    rows, _ = memory.salience.listed()
    return max((each.last_mentioned for each in rows if each.last_mentioned), default=None)


def _bars(memory: Memory, part: str, kinds: list[Kind]) -> tuple[list[Salience], int]:
    decays = settings().half_life_days != float("inf")
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown("#### On your mind")
        by = st.segmented_control(
            "Order by",
            ("Mentions", "Score"),
            default="Mentions",
            required=True,
            label_visibility="collapsed",
            key=page_key("salience.order"),
        )
    order: Literal["count", "score"] = "score" if by == "Score" else "count"
    rows, found = remembered(
        memory,
        "bars",
        (part, tuple(kinds), order),
        lambda: memory.salience.listed(part, kinds, _SHOWN, by=order, muted=False),
    )
    if not rows:
        st.caption("No entity fits that is not muted.")
        return rows, found
    life = f"{settings().half_life_days:g} days"
    score = f"Narrow: the score, in which a mention counts half after {life}. " if decays else ""
    st.caption(f"Wide: mentions. {score}Click bars to choose what the timeline shows.")
    shown = charts.bars(rows, decays=decays)
    st.altair_chart(shown, width="stretch", key=CHART, on_select="rerun", alt=f"The {len(rows)} most mentioned")
    return rows, found


def _timeline(memory: Memory, rows: list[Salience], period: Period, picked: bool, found: int) -> None:
    st.markdown("#### When")
    names = charts.labels((each.entity_id, each.name) for each in rows)
    counts = memory.mention_counts(list(names), after=period.start, before=period.end) if names else {}
    chosen = "what you picked" if picked else f"the first {len(rows)} of {found:,}"
    st.caption(f"Mentions per {charts.step(period)} of {chosen}, {in_words(period)}.")
    if not counts:
        st.caption("There are none. Choose other days above, or click other bars.")
        return
    blocks = charts.stacks(counts, list(names), period)
    st.altair_chart(charts.timeline(blocks, names, period), width="stretch", alt="Mentions over time")


def _changes(memory: Memory, part: str, kinds: list[Kind], period: Period) -> None:
    st.markdown("#### What rises, what fades")
    compared = f"{in_words(period)}, against {in_words(period.before)}"
    st.caption(f"Difference in mentions: {compared}.")
    found = remembered(memory, "changes", period, lambda: _compared(memory, period))
    if part.strip() or kinds:
        asked = (part, tuple(kinds))
        fitting = remembered(memory, "fitting", asked, lambda: _ids(memory, part, kinds))
        found = [each for each in found if each.entity_id in fitting]
    nearly = charts.most_changed(found, 3 * _EACH_WAY)
    rows = {each.entity_id: memory.salience.get(each.entity_id) for each in nearly}
    names = {entity_id: row.name for entity_id, row in rows.items() if row}
    shown = charts.most_changed([each for each in nearly if each.entity_id in names], _EACH_WAY)
    if not shown:
        st.caption("There is none.")
        return
    st.altair_chart(charts.change_bars(shown, names), width="stretch", alt="What rises and what fades")


def _ids(memory: Memory, part: str, kinds: list[Kind]) -> frozenset[str]:
    rows, _ = memory.salience.listed(part, kinds, 10_000_000)
    return frozenset(each.entity_id for each in rows)


def _compared(memory: Memory, period: Period) -> list[charts.Change]:
    before = memory.mentioned(period.before.start, period.before.end)
    return charts.changes(before, memory.mentioned(period.start, period.end))
