"""The canvas as a Streamlit component: pyvis's own vis-network, our drawing, and clicks that come back as triggers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from memary_core.errors import NotFound

HERE = Path(__file__).parent
VIS = Path("lib") / "vis-9.1.2" / "vis-network.min.js"
NAME = "memary_graph"

_EXPORT = """
export default function ({ parentElement, data, setTriggerValue }) {
  if (!parentElement.memary) parentElement.memary = memaryCanvas(parentElement);
  parentElement.memary.show(data, (event) => setTriggerValue("event", event));
  return () => {
    if (parentElement.memary) parentElement.memary.end();
    parentElement.memary = null;
  };
}
"""


@cache
def vis_network() -> str:
    """The source of vis-network as the installed pyvis carries it. `NotFound` where pyvis or the file is missing."""
    found = find_spec("pyvis")
    path = Path(found.origin).parent / VIS if found and found.origin else None
    if path is None or not path.is_file():
        raise NotFound(
            "The drawing library was not found in the installed pyvis, so the graph is not drawn. "
            "The facts are untouched. Run pip install --force-reinstall pyvis==0.3.2."
        )
    # Its source map is not shipped, and looking for it would be a request.
    return path.read_text("utf-8").partition("//# sourceMappingURL")[0]


@cache
def canvas_script() -> str:
    """Our drawing code, which defines `memaryCanvas`."""
    return (HERE / "graph_canvas.js").read_text("utf-8")


@cache
def canvas_style() -> str:
    """How the canvas, its buttons and its legend look; colours are Streamlit's `--st-*` variables."""
    return (HERE / "graph_canvas.css").read_text("utf-8")


def canvas(data: dict[str, Any], *, key: str, on_event: Callable[[], None]) -> None:
    """Draw what `graph_view.drawing` returned. `on_event` is called for a click; `event_of` then says which."""
    _renderer()(data=data, key=key, on_event_change=on_event)


def event_of(state: object) -> tuple[str, str, bool] | None:
    """What a canvas' session state says was clicked: "node" or "edge", the id, and whether it was a double click.

    It comes from a browser: anything else than that is None.
    """
    event = state.get("event") if isinstance(state, dict) else None
    if not isinstance(event, dict):
        return None
    what, found, twice = event.get("what"), event.get("id"), event.get("twice")
    if what not in ("node", "edge") or not isinstance(found, str) or not isinstance(twice, bool):
        return None
    return what, found, twice


@cache
def _renderer() -> Callable[..., Any]:
    import streamlit as st

    script = f"{vis_network()}\n{canvas_script()}\n{_EXPORT}"
    renderer: Callable[..., Any] = st.components.v2.component(NAME, css=canvas_style(), js=script)
    return renderer
