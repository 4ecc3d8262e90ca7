"""Salience: what is on the mind and since when, and both files of attention to correct."""

import streamlit as st

from memary_core.ui import frame
from memary_core.ui.salience_entities import entities_tab
from memary_core.ui.salience_files import json_tab
from memary_core.ui.salience_overview import figures, overview, said
from memary_core.ui.salience_stream import recall_tab, stream_tab

memory = frame.page("Salience", "wide")
st.title("Salience")
said()

entities, mentions = memory.salience.total(), memory.mention_total()
if not entities and not mentions:
    st.markdown(
        "Nothing is on the mind yet. When you mention people, places and things in the chat, they appear here: "
        "how often and when you named each, what rises and what fades, and the files behind it, all yours to correct."
    )
    st.page_link("app.py", label="Go to the chat", icon=":material/chat:")
    st.stop()

figures(memory, entities, mentions)
overview(memory)

tabs = st.tabs(["Entities", "Stream", "What would be recalled", "JSON"])
for tab, draw in zip(tabs, (entities_tab, stream_tab, recall_tab, json_tab), strict=True):
    with tab:
        draw(memory)
