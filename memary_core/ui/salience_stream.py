"""The tabs *Stream* and *What would be recalled* of the Salience page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial

import pandas as pd
import streamlit as st

from memary_core.memory import Memory
from memary_core.models import Mention, Recall, SourceKind
from memary_core.prompt import estimate_tokens
from memary_core.recall import entity_text, fact_text, turn_text
from memary_core.ui.period import Period
from memary_core.ui.salience_overview import say
from memary_core.ui.services import settings
from memary_core.ui.session import done, kept, page_key
from memary_core.ui.show import count_of, cut, day, literal
from memary_core.wording import capital

LIMIT = 500
SAID_BY = {
    SourceKind.USER: "you",
    SourceKind.SPEAKER: "another person",
    SourceKind.ASSISTANT: "the assistant",
    SourceKind.TOOL: "a tool",
    SourceKind.MANUAL: "you, by hand",
    SourceKind.IMPORT: "an import",
}


@dataclass(slots=True)
class _Shown:
    """The mentions that the table shows, and how often those changed."""

    seqs: list[int] = field(default_factory=list)
    revision: int = 0


def mention_rows(mentions: Sequence[Mention], names: dict[str, str]) -> pd.DataFrame:
    """The mentions as a table; its index is the seq. `names`: entity id to the name now shown."""
    columns = {
        "When": pd.to_datetime([each.date for each in mentions], utc=True),
        "Written": [cut(each.entity, 200) for each in mentions],
        "Entity": [cut(names.get(each.entity_id, each.entity), 200) for each in mentions],
        "Said by": [SAID_BY[each.source] for each in mentions],
        "Counts": [each.source in (SourceKind.USER, SourceKind.MANUAL) for each in mentions],
    }
    return pd.DataFrame(columns, index=pd.Index([each.seq for each in mentions], name="seq"))


def recall_rows(found: Recall) -> pd.DataFrame:
    """What was recalled: facts, then turns, then entities, each best first, with the reason and the tokens."""
    items = [("fact", each.id, fact_text(each)) for each in found.facts]
    items += [("turn", each.id, turn_text(each)) for each in found.turns]
    items += [("entity", each.entity_id, entity_text(each)) for each in found.entities]
    columns = {
        "What": [kind for kind, _, _ in items],
        "Text": [cut(text, 500) for _, _, text in items],
        "Because": [capital(found.why.get(each, "")) for _, each, _ in items],
        "Tokens": [estimate_tokens(f"- {text}\n") for _, _, text in items],
    }
    return pd.DataFrame(columns)


def stream_tab(memory: Memory) -> None:
    """Mentions as they were made; some or the old ones can be forgotten."""
    one, two, three, four = st.columns([2, 2, 1, 1], vertical_alignment="bottom")
    part = one.text_input(
        "Entity", placeholder="Part of a name", icon=":material/search:", key=page_key("salience.stream.find")
    )
    kinds = two.multiselect(
        "Said by",
        list(SourceKind),
        format_func=SAID_BY.__getitem__,
        placeholder="Anyone",
        key=page_key("salience.stream.kinds"),
    )
    first = three.date_input("From", None, format="DD/MM/YYYY", key=page_key("salience.stream.from"))
    last = four.date_input("To", None, format="DD/MM/YYYY", key=page_key("salience.stream.to"))
    ids = [each.id for each in memory.search_entities(part, LIMIT)] if part.strip() else None
    after = Period(first, first).start if first else None
    before = Period(last, last).end if last else None
    total = memory.mention_total(ids, after=after, before=before, sources=kinds or None)
    mentions = memory.mentions(ids, after=after, before=before, sources=kinds or None, limit=LIMIT)
    st.caption(f"{len(mentions):,} of {count_of(total, 'mention')} shown, the last one first.")
    # Selected rows are places in the table: where it holds others, the selection must not outlive it.
    shown = kept("salience.stream.shown", _Shown)
    seqs = [each.seq for each in mentions]
    if shown.seqs != seqs:
        shown.seqs, shown.revision = seqs, shown.revision + 1
    chosen: list[int] = []
    if mentions:
        found = {each.entity_id: memory.entity(each.entity_id) for each in mentions}
        names = {entity_id: entity.name for entity_id, entity in found.items() if entity}
        state = st.dataframe(
            mention_rows(mentions, names),
            key=page_key(f"salience.stream.{shown.revision}"),
            hide_index=True,
            on_select="rerun",
            selection_mode="multi-row",
            height=min(36 * len(mentions) + 38, 440),
            column_config={
                "When": st.column_config.DatetimeColumn(format="D MMM YYYY, HH:mm", width="small"),
                "Counts": st.column_config.CheckboxColumn(help="Only what you say yourself raises a count"),
            },
            alt="Mentions",
        )
        chosen = [seqs[row] for row in state.selection.rows if row < len(seqs)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = f"Forget {count_of(len(chosen), 'mention')}" if chosen else "Forget the selected"
        if st.button(label, icon=":material/delete:", disabled=not chosen):
            _forget_chosen(memory, [each for each in mentions if each.seq in set(chosen)])
        st.space("stretch")
        days = st.number_input("Older than, in days", 1, 36_500, 365, width=160, key=page_key("salience.older"))
        if st.button("Forget older mentions", icon=":material/auto_delete:"):
            _forget_older(memory, datetime.now(UTC) - timedelta(days=int(days)))


@st.dialog("Forget these mentions")
def _forget_chosen(memory: Memory, mentions: Sequence[Mention]) -> None:
    names = list(dict.fromkeys(each.entity for each in mentions))
    shown = ", ".join(literal(each, 40) for each in names[:12])
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    st.markdown(f"{count_of(len(mentions), 'mention')} of {shown}{more} will be cut out of the memory stream.")
    _forget(memory, seqs=[each.seq for each in mentions])


@st.dialog("Forget older mentions")
def _forget_older(memory: Memory, before: datetime) -> None:
    total, gone = memory.mention_total(), memory.mention_total(before=before)
    if not gone:
        st.markdown(f"No mention was made before {day(before)}.")
        return
    st.markdown(f"{gone:,} of {count_of(total, 'mention')}, made before {day(before)}, will be cut out of the stream.")
    _forget(memory, before=before)


def _forget(memory: Memory, *, before: datetime | None = None, seqs: Sequence[int] = ()) -> None:
    st.caption("Counts fall by as many. What is believed stays. This cannot be undone.")
    with st.container(horizontal=True):
        forget = partial(memory.forget_mentions, before=before, seqs=seqs)
        if st.button(
            "Forget", type="primary", icon=":material/delete:", key="confirm-forget", on_click=_cut, args=(forget,)
        ):
            st.rerun()
        if st.button("Cancel"):
            st.rerun()


def _cut(forget: Callable[[], int]) -> None:
    done(lambda: say(f"Forgot {count_of(forget(), 'mention')}"))


def recall_tab(memory: Memory) -> None:
    """A message tried on memory, without saying it: the gate's reason, and what would come back."""
    text = st.text_input(
        "Message",
        placeholder="Where does Anna live?",
        icon=":material/psychology:",
        key=page_key("salience.ask"),
        help="Nothing is stored and no model is asked.",
    )
    unverified = st.toggle("With unverified facts", key=page_key("salience.ask.unverified"))
    if not text.strip():
        st.caption("Type a message to see what memory would bring to its prompt, and why.")
        return
    found = memory.recall(text, unverified=unverified)
    reason = literal(found.gate.reason)
    if not found.gate.open:
        st.markdown(f":material/do_not_disturb_on: Memory is not asked: the message {reason}.")
        return
    st.markdown(f":material/check_circle: Memory is asked: the message {reason}.")
    for note in found.notes:
        st.warning(literal(note))
    rows = recall_rows(found)
    if rows.empty:
        st.caption("Nothing that memory holds fits.")
        return
    st.caption(f"{count_of(len(rows), 'item')}, {found.tokens:,} of {settings().recall_budget:,} tokens.")
    st.dataframe(
        rows,
        hide_index=True,
        alt="What would be recalled",
        column_config={
            "What": st.column_config.TextColumn(width="small"),
            "Text": st.column_config.TextColumn(width="large"),
            "Because": st.column_config.TextColumn(width="medium"),
            "Tokens": st.column_config.NumberColumn(width="small"),
        },
    )
    with st.expander("As the prompt holds it", icon=":material/data_object:"):
        st.code(found.text, language=None, wrap_lines=True)
