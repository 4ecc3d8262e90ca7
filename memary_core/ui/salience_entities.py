"""The *Entities* tab: the table of entities, edited in place, and Save with what it would change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from memary_core.attention import AttentionEdit
from memary_core.errors import MemaryError
from memary_core.identity import MAX_NAME
from memary_core.memory import Memory
from memary_core.models import Salience
from memary_core.ui import salience_table as table
from memary_core.ui.salience_overview import remembered, say
from memary_core.ui.session import kept, page_key
from memary_core.ui.show import count_of, literal

LIMIT = 500
_LISTED = 40
_REFUSED, _DONE = page_key("salience.refused"), page_key("salience.done")


@dataclass(slots=True)
class Shown:
    """The rows as this session sees them. A new `revision` gives the editors a new key, and so no edits."""

    rows: list[Salience] = field(default_factory=list)
    total: int = 0
    revision: int = 0

    @property
    def keys(self) -> tuple[str, str]:
        """The session keys of the table and of the new rows."""
        return page_key(f"salience.table.{self.revision}"), page_key(f"salience.new.{self.revision}")

    @property
    def states(self) -> tuple[Any, Any]:
        """What the two editors hold."""
        return st.session_state.get(self.keys[0]), st.session_state.get(self.keys[1])

    def renew(self, rows: list[Salience], total: int) -> None:
        """Show other rows."""
        if self.total != total or not table.same_rows(self.rows, rows):
            self.rows, self.total = rows, total
            self.revision += 1


def entities_tab(memory: Memory) -> None:
    """The table, with its search box, the new rows and Save."""
    shown = kept("salience.shown", Shown)
    edited = table.is_edited(*shown.states)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        part = st.text_input(
            "Find in the table",
            placeholder="Part of a name",
            icon=":material/search:",
            disabled=edited,
            key=page_key("salience.table.find"),
            help="Save or discard your changes first." if edited else None,
        )
        save = st.button("Save", icon=":material/save:", type="primary", disabled=not edited)
        st.button("Discard", icon=":material/undo:", disabled=not edited, on_click=_discard, args=(shown,))
    if not edited:
        shown.renew(*remembered(memory, "table", part, lambda: memory.salience.listed(part, limit=LIMIT)))
    several = f"{len(shown.rows):,} of {count_of(shown.total, 'entity')} shown"
    st.caption(several + (", the most mentioned first. Search to reach the others." if shown.total > LIMIT else "."))
    _editors(shown)
    if save:
        st.session_state.pop(_DONE, None)
        _confirm(memory, shown)


def _editors(shown: Shown) -> None:
    config: dict[str, Any] = {
        table.NAME: st.column_config.TextColumn(required=True, max_chars=MAX_NAME, width="medium"),
        table.COUNT: st.column_config.NumberColumn(min_value=0, max_value=2**53 - 1, step=1, required=True, default=1),
        table.KIND: st.column_config.TextColumn(disabled=True),
        table.PINNED: st.column_config.CheckboxColumn(help="Always on the mind", default=False),
        table.MUTED: st.column_config.CheckboxColumn(help="Never on the mind; still counted", default=False),
        table.SCORE: st.column_config.NumberColumn(disabled=True, format="%.2f", help="The count, decayed by age"),
        table.LAST: st.column_config.DatetimeColumn(disabled=True, format="D MMM YYYY, HH:mm"),
    }
    keys = shown.keys
    if shown.rows:
        st.data_editor(
            table.frame(shown.rows),
            key=keys[0],
            num_rows="delete",
            hide_index=True,
            column_config=config,
            height=min(36 * len(shown.rows) + 38, 520),
            alt="Entities and how present they are",
        )
    st.caption("Tick a row's left edge and press Delete to drop it. New entities go below.")
    st.data_editor(
        table.empty_frame(),
        key=keys[1],
        num_rows="dynamic",
        hide_index=True,
        column_config=config,
        alt="New entities",
    )


def _discard(shown: Shown) -> None:
    shown.revision += 1
    st.session_state[_DONE] = True


@st.dialog("Save changes", width="medium")
def _confirm(memory: Memory, shown: Shown) -> None:
    """What would be saved, line by line, and what somebody else changed meanwhile."""
    if st.session_state.pop(_DONE, False):
        st.rerun()

    def find(name: str) -> Salience | None:
        entity = memory.entity(name)
        if entity is None:
            return None
        return memory.salience.get(entity.id) or Salience(entity.id, entity.name, 0, 0.0, None, kind=entity.kind)

    draft = table.draft(shown.rows, *shown.states, find)
    for problem in draft.problems:
        st.error(literal(problem), icon=":material/error:")
    lines = [f"- **{literal(each.name, 60)}** {literal(each.text)}" for each in draft.lines[:_LISTED]]
    if more := len(draft.lines) - _LISTED:
        lines += [f"- and {more:,} more"] if more > 0 else []
    st.markdown("\n".join(lines) or "Nothing is changed.")
    if draft.drops:
        st.caption("Dropping takes an entity out of attention. What is believed of it stays.")
    clashes = table.conflicts(draft.edits, find)
    if clashes:
        st.warning(
            "Changed since you opened the table, by another tab or program:\n\n"
            + "\n".join(f"- {literal(each)}" for each in clashes),
            icon=":material/sync_problem:",
        )
    if refused := st.session_state.pop(_REFUSED, ""):
        st.error(literal(refused), icon=":material/error:")
    with st.container(horizontal=True):
        label, key = ("Save over them", "confirm-over") if clashes else ("Save", "confirm-save")
        edits = table.rebased(draft.edits, find) if clashes else draft.edits
        blocked = not edits or bool(draft.problems)
        st.button(label, type="primary", disabled=blocked, key=key, on_click=_save, args=(memory, shown, edits))
        if clashes:
            st.button("Discard mine", on_click=_discard, args=(shown,))
        if st.button("Cancel"):
            st.rerun()


def _save(memory: Memory, shown: Shown, edits: Sequence[AttentionEdit]) -> None:
    try:
        memory.salience.apply(edits)
    except MemaryError as error:
        st.session_state[_REFUSED] = str(error)
    else:
        say(f"Saved {count_of(len(edits), 'change')}")
        _discard(shown)
