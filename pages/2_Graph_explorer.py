"""Graph explorer: what is believed around one entity, drawn, listed, and open to correction."""

import streamlit as st

from memary_core.errors import GraphError
from memary_core.graph.heard import overhear
from memary_core.ui import frame
from memary_core.ui import graph_state as state
from memary_core.ui.graph_component import canvas
from memary_core.ui.graph_controls import controls
from memary_core.ui.graph_export import graphml, offline_html
from memary_core.ui.graph_panel import panel
from memary_core.ui.graph_queries import readable
from memary_core.ui.graph_view import LIMIT, Look, drawing, names, shown, table, tally, trusts_for
from memary_core.ui.show import literal

memory = frame.page("Graph explorer")
st.header("Graph explorer", anchor=False)
here = state.centre(memory)
if here is None:
    st.markdown(
        "Here you will see what is believed, as a graph: the people, places and things you mention, "
        "and the facts that connect them, each with its sources."
    )
    st.page_link("app.py", label="Tell memary something in the chat", icon=":material/chat:")
    st.stop()

asked, said = controls(memory, here)
beside, side = st.columns([2.25, 1])
try:
    with overhear() as queries:
        found = memory.neighbourhood(
            [here.id],
            asked.hops,
            LIMIT,
            trusts=trusts_for(asked.looks),
            at=asked.at,
            closed=Look.SUPERSEDED in asked.looks,
        )
except GraphError:
    with beside:
        st.info("The graph is drawn again when it is back. Searching, salience, pin and mute work meanwhile.")
    with side:
        panel(memory, here, asked.keep)
    st.stop()

view = shown(found, here, asked.keep, asked.hops)
salience = {each.id: row for each in view.nodes if (row := memory.salience.get(each.id))}
facts = view.edges
state.mirror(view.nodes, facts)
drawn = drawing(view, salience, state.selected())
said.caption(f"{tally(view)} around {literal(here.name, 60)}")
with beside:
    canvas(drawn, key=state.CANVAS, on_event=lambda: state.on_canvas(memory))
with side:
    near = names(view.nodes)
    st.selectbox(
        "Selected",
        list(near),
        index=None,
        format_func=near.__getitem__,
        key=state.PICK,
        on_change=state.on_pick,
        placeholder="A fact, or an entity out of view",
        filter_mode="contains",
    )
    panel(memory, here, asked.keep)

st.subheader("Facts", anchor=False)
if facts:
    st.dataframe(
        table(facts),
        key=state.TABLE,
        hide_index=True,
        on_select=lambda: state.on_row(facts),
        selection_mode="single-row",
        column_config={
            "Confidence": st.column_config.NumberColumn(format="percent"),
            "Recorded": st.column_config.DatetimeColumn(format="D MMM YYYY, HH:mm"),
        },
    )
else:
    st.caption("No fact here that the filters let through.")
files = (
    ("GraphML", "graphml", "application/graphml+xml", lambda: graphml(view, salience)),
    ("Offline HTML", "html", "text/html", lambda: offline_html(drawn, view, f"Around {here.name}")),
)
with st.container(horizontal=True):
    for label, ending, mime, make in files:
        st.download_button(label, make, f"memary-graph.{ending}", mime, icon=":material/download:", on_click="ignore")
with st.expander("Cypher used", icon=":material/code:"):
    for query, parameters in readable(queries):
        st.code(query, language="cypher")
        st.code(parameters, language="json")
