"""Review: what was read but is not believed yet, to accept or reject; and what was rejected."""

import streamlit as st

from memary_core.errors import GraphError
from memary_core.models import Trust
from memary_core.ui import frame, review
from memary_core.ui.review_cards import cards, last_decision
from memary_core.ui.session import page_key

memory = frame.page("Review", "centered")
st.title("Review")

try:
    candidates = review.newest(memory.facts(trust=Trust.CANDIDATE))
    rejected = review.newest(memory.facts(trust=Trust.REJECTED))
except GraphError:
    st.info("Review works again when the graph is back. What was read meanwhile is kept, and waits here then.")
    st.stop()

last_decision(memory)
lists = (
    (
        "Candidates",
        candidates,
        "Nothing to review.",
        "Read by a model, found by a tool or said by somebody else. Until you accept it, it reaches no answer.",
    ),
    ("Rejected", rejected, "Nothing was rejected.", "Kept, so that it does not come back; never used in an answer."),
)
labels = review.labels({name: len(facts) for name, facts, _, _ in lists})
TAB = page_key("review.tab")
if TAB in st.session_state:
    st.session_state[TAB] = review.still_open(st.session_state[TAB], labels)
for tab, (name, facts, empty, about) in zip(st.tabs(labels, key=TAB, on_change="rerun"), lists, strict=True):
    if not tab.open:
        continue
    with tab:
        if not facts:
            st.markdown(empty)
            continue
        st.caption(about)
        part = ""
        if len(facts) > review.PAGE:
            part = st.text_input(
                "Find",
                placeholder="Part of a name, a predicate or a quote",
                icon=":material/search:",
                key=page_key(f"review.{name}.find"),
                label_visibility="collapsed",
            )
        found = review.fitting(facts, part)
        if part.strip():
            st.caption(f"{len(found):,} of {len(facts):,} fit.")
        cards(memory, found, name)
