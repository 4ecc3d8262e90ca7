"""The Review page's cards: a fact with its evidence and what it stands against, and a person's decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from memary_core.memory import Memory
from memary_core.models import Fact, Trust
from memary_core.ui import review
from memary_core.ui.session import done, page_key
from memary_core.ui.show import standing, triplet

_DECIDED = page_key("review.decided")
_OPPOSED_MOST, _EVIDENCE_MOST = 5, 2


@dataclass(frozen=True, slots=True)
class Decided:
    """A fact as it was before the last decision, and what was decided."""

    fact: Fact
    trust: Trust


def last_decision(memory: Memory) -> None:
    """One line on what was decided last, with the way back."""
    decided: Decided | None = st.session_state.get(_DECIDED)
    if decided is None:
        return
    icon = ":material/check:" if decided.trust is Trust.ACCEPTED else ":material/block:"
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.markdown(f"{icon} {decided.trust.value.capitalize()}: {triplet(decided.fact)}", width="content")
        st.button("Undo", icon=":material/undo:", type="tertiary", on_click=_undo, args=(memory, decided))


def cards(memory: Memory, facts: Sequence[Fact], list_name: str) -> None:
    """One page of facts, newest first, with the pages to turn below."""
    key = page_key(f"review.{list_name}.page")
    shown, pages = review.page_of(facts, int(st.session_state.get(key, 1)))
    for fact in shown:
        _card(memory, fact)
    if pages > 1:
        if st.session_state.get(key, 1) > pages:
            st.session_state[key] = pages
        st.pagination(pages, key=key, width="stretch")


def _card(memory: Memory, fact: Fact) -> None:
    with st.container(border=True, key=f"card-{fact.id}"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.markdown(f"**{triplet(fact)}**", width="content")
            st.markdown(f"{standing(fact)} · confidence {fact.confidence:.2f}", width="content")
        found = review.evidence(fact)
        for each in found[:_EVIDENCE_MOST]:
            _evidence(each)
        if more := found[_EVIDENCE_MOST:]:
            with st.expander(f"{len(more)} more sources" if len(more) > 1 else "1 more source"):
                for each in more[:50]:
                    _evidence(each)
        _against(memory, fact)
        with st.container(horizontal=True):
            st.button(
                "Accept",
                icon=":material/check:",
                key=f"accept-{fact.id}",
                on_click=_decide,
                args=(memory, fact, Trust.ACCEPTED),
            )
            if fact.trust is not Trust.REJECTED:
                st.button(
                    "Reject",
                    icon=":material/block:",
                    key=f"reject-{fact.id}",
                    on_click=_decide,
                    args=(memory, fact, Trust.REJECTED),
                )


def _evidence(shown: review.Evidence) -> None:
    with st.container(gap=None):
        if shown.quote:
            st.markdown(f"> {shown.quote}")
        st.caption(shown.origin)
        if shown.url:
            st.markdown(f":small[{shown.url}]")


def _against(memory: Memory, fact: Fact) -> None:
    believed = memory.facts(fact.subject_id, fact.predicate, trust=Trust.ACCEPTED)
    against = review.opposed(fact, believed)
    if not against:
        return
    lines = [f"{triplet(each)} ({review.evidence(each)[0].origin})" for each in against[:_OPPOSED_MOST]]
    if len(against) > _OPPOSED_MOST:
        lines.append(f"and {len(against) - _OPPOSED_MOST:,} more")
    st.markdown("  \n".join([":orange[:material/compare_arrows: Differs from what is held true]", *lines]))


def _decide(memory: Memory, fact: Fact, trust: Trust) -> None:
    decide = memory.accept if trust is Trust.ACCEPTED else memory.reject
    if done(decide, fact.id):
        st.session_state[_DECIDED] = Decided(fact, trust)


def _undo(memory: Memory, decided: Decided) -> None:
    if done(partial(memory.beliefs.decide, decided.fact.id, decided.fact.trust, "user")):
        st.session_state.pop(_DECIDED, None)
