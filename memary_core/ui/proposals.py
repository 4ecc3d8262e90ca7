"""What a model would have forgotten or corrected, as a card that the person confirms or dismisses."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memary_core.errors import GraphError, NotFound
from memary_core.identity import canonical_key
from memary_core.memory import Memory
from memary_core.models import Fact
from memary_core.tools.memory_tools import Proposal, carry_out
from memary_core.ui import session
from memary_core.ui.receipts import Pending, Receipt, Receipts
from memary_core.ui.show import cut, literal, triplet

CONFIRMED, DISMISSED = "confirmed", "dismissed"
KEPT = "What is forgotten here is kept as rejected: it reaches no answer, and Review can bring it back."


class Confirmed:
    """Carries out, by what can be undone, what a person confirmed: a fact that goes is rejected, and is kept."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def forget(self, fact_id: str) -> None:
        """Reject a fact."""
        self._memory.reject(fact_id)

    def correct(self, fact_id: str, *, object: str) -> None:
        """Add what is right, as the person's own entry, and reject what was wrong."""
        fact = self._memory.beliefs.get(fact_id)
        if canonical_key(fact.object) == canonical_key(object):
            return
        # In this order, what is known is never less than before where one of the two fails.
        self._memory.add_fact(fact.subject, fact.predicate, object)
        self._memory.reject(fact_id)


def asked(proposal: Pending, facts: Sequence[Fact]) -> str:
    """What is asked, as Markdown: *Forget this?* or *Correct Lisbon to Porto?*"""
    if proposal.action == "forget":
        return "Forget this?" if len(facts) == 1 else f"Forget these {len(facts)}?"
    there = literal(cut(facts[0].object, 80)) if facts else "this"
    return f"Correct {there} to **{literal(cut(proposal.object, 80))}**?"


def outcome(proposal: Pending, settled: str) -> str:
    """What came of a proposal, in words."""
    if settled == DISMISSED:
        return "Dismissed; nothing was changed."
    return "Corrected." if proposal.action == "correct" else f"Done. {KEPT}"


def draw(memory: Memory, receipts: Receipts, receipt: Receipt) -> None:
    """A card for each proposal of an answer."""
    for each in receipt.proposals:
        try:
            facts = _facts(memory, each)
        except GraphError:  # the frame says so at the top of the page
            return
        with st.container(border=True, gap="xsmall"):
            _card(memory, receipts, receipt, each, facts)


def _card(memory: Memory, receipts: Receipts, receipt: Receipt, proposal: Pending, facts: Sequence[Fact]) -> None:
    st.markdown(f":material/rule: {literal(proposal.by, 60)} proposes. {asked(proposal, facts)}")
    for fact in facts:
        st.markdown(f"- {triplet(fact)}")
    if settled := receipt.settled.get(proposal.id):
        st.caption(outcome(proposal, settled))
        return
    if not facts:
        st.caption("It is not held any more.")
        return
    if proposal.action == "forget":
        st.caption(KEPT)
    key = session.page_key(f"proposal.{proposal.id}")
    with st.container(horizontal=True, gap="small"):
        for word, icon, answer in (
            ("Confirm", ":material/check:", CONFIRMED),
            ("Dismiss", ":material/close:", DISMISSED),
        ):
            st.button(
                word,
                key=f"{key}.{answer}",
                type="tertiary",
                icon=icon,
                on_click=session.act,
                args=(settle, memory, receipts, receipt.turn, proposal, answer),
            )


def settle(memory: Memory, receipts: Receipts, turn: str, proposal: Pending, answer: str) -> None:
    """Carry a proposal out, or not, and note that on its receipt. What was settled stays as it is."""
    receipts.refresh()
    held = receipts.get(turn)
    if held is None or proposal.id in held.settled:
        return
    if answer == CONFIRMED:
        facts = tuple(_facts(memory, proposal))
        carry_out(Proposal(proposal.id, proposal.action, facts, proposal.object, proposal.by), Confirmed(memory))
    receipts.settle(turn, proposal.id, answer)


def _facts(memory: Memory, proposal: Pending) -> list[Fact]:
    found = []
    for each in proposal.facts:
        try:
            found.append(memory.beliefs.get(each))
        except NotFound:
            continue
    return found
