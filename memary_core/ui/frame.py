"""The frame around every page: page config, links, the scope, the sidebar, and what is down. Idempotent."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from memary_core.memory import Memory
from memary_core.ui import session

PAGES = (
    ("app.py", "Chat", ":material/chat:"),
    ("pages/1_Salience.py", "Salience", ":material/bar_chart:"),
    ("pages/2_Graph_explorer.py", "Graph explorer", ":material/hub:"),
    ("pages/3_Review.py", "Review", ":material/fact_check:"),
)


def page(title: str, layout: Literal["centered", "wide"] = "wide") -> Memory:
    """Begin a page: the first call of each. Returns the memory of the session's scope."""
    st.set_page_config(page_title=f"{title} · Memary", page_icon=":material/psychology:", layout=layout)
    memory = session.memory()
    with st.sidebar:
        st.markdown("### Memary")
        for path, label, icon in PAGES:
            st.page_link(path, label=label, icon=icon)
    if memory.beliefs.trouble:
        st.warning(memory.beliefs.trouble, icon=":material/cloud_off:")
    return memory
