"""A neighbourhood as a file: GraphML for other programs, and one HTML page that draws it without any network. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from memary_core.models import Fact, Salience
from memary_core.ui.graph_component import canvas_script, canvas_style, vis_network
from memary_core.ui.graph_view import Shown, look

# What XML 1.0 cannot hold, section 2.2.
_NOT_XML = re.compile("[^\\t\\n\\r\\u0020-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Memary graph</title>
<style>
:root {
  color-scheme: light dark;
  --st-text-color: #1d2625; --st-background-color: #ffffff; --st-secondary-background-color: #f4f6f5;
  --st-primary-color: #2f6f6a; --st-border-color: #d5dcda; --st-base-radius: 8px;
  --st-font: system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --st-text-color: #e4eae9; --st-background-color: #14191a; --st-secondary-background-color: #1e2526;
    --st-primary-color: #5fb3a8; --st-border-color: #37413f;
  }
}
body { margin: 16px; background: var(--st-background-color); color: var(--st-text-color); font-family: var(--st-font); }
h1 { font-size: 1.1rem; margin: 0 0 10px; overflow-wrap: anywhere; }
ul { list-style: none; margin: 12px 0 0; padding: 0; font-size: 0.875rem; line-height: 1.6; overflow-wrap: anywhere; }
/*STYLE*/
</style>
</head>
<body>
<h1></h1>
<main></main>
<ul></ul>
<script id="data" type="application/json">/*DATA*/</script>
<script>
/*VIS*/
</script>
<script>
/*CANVAS*/
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  document.querySelector("h1").textContent = data.heading;
  const list = document.querySelector("ul");
  const tell = (event) => {
    list.replaceChildren();
    for (const line of data.details[event.id] || []) {
      const item = document.createElement("li");
      item.textContent = line;
      list.appendChild(item);
    }
  };
  const canvas = memaryCanvas(document.querySelector("main"));
  const draw = () => canvas.show(data.drawing, tell);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
})();
</script>
</body>
</html>
"""


def graphml(view: Shown, salience: Mapping[str, Salience]) -> str:
    """What is shown as GraphML (graphml.graphdrawing.org), one edge a fact, with the fact's id as the edge's.

    Characters that XML cannot hold become U+FFFD. Times are ISO 8601, lists one item a line.
    """
    import networkx

    graph = networkx.MultiDiGraph()
    for entity in view.nodes:
        row = salience.get(entity.id)
        graph.add_node(
            _xml(entity.id),
            name=_xml(entity.name),
            kind=entity.kind.value,
            aliases=_xml("\n".join(entity.aliases)),
            count=row.count if row else 0,
            score=float(row.score) if row else 0.0,
            distance=view.distance.get(entity.id, 0),
        )
    for fact in view.edges:
        graph.add_edge(
            _xml(fact.subject_id),
            _xml(fact.object_id),
            key=_xml(fact.id),
            predicate=_xml(fact.predicate),
            look=look(fact).value,
            trust=fact.trust.value,
            confidence=float(fact.confidence),
            recorded_at=fact.recorded_at.isoformat(),
            valid_from=fact.valid_from.isoformat() if fact.valid_from else "",
            valid_to=fact.valid_to.isoformat() if fact.valid_to else "",
            sources=_xml("\n".join(source.kind.value for source in fact.sources)),
            quotes=_xml("\n".join(source.quote for source in fact.sources if source.quote)),
        )
    lines = networkx.generate_graphml(graph, named_key_ids=True)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + "\n".join(lines) + "\n"


def offline_html(drawing: Mapping[str, Any], view: Shown, heading: str) -> str:
    """One HTML file that draws `drawing` by itself: it needs no network, and its policy allows it none.

    A click lists what is known of an entity, or where a fact comes from. Names are only in the data, as JSON.
    """
    alone = {"selected": None, "hint": "Click selects. Ctrl and the wheel zoom."}
    data = {"drawing": {**drawing, **alone}, "heading": heading, "details": _details(view)}
    parts = {"STYLE": canvas_style(), "DATA": _embedded(data), "VIS": vis_network(), "CANVAS": canvas_script()}
    return re.sub(r"/\*(STYLE|DATA|VIS|CANVAS)\*/", lambda found: parts[found[1]], _PAGE)


def _embedded(data: object) -> str:
    """JSON that cannot end the script it stands in: with no < there is neither </script nor <!--."""
    return json.dumps(data, ensure_ascii=False).replace("<", "\\u003c").replace("&", "\\u0026")


def _details(view: Shown) -> dict[str, list[str]]:
    lines: dict[str, list[str]] = {each.id: [f"{each.name} ({each.kind.value})"] for each in view.nodes}
    for fact in view.edges:
        told = _sentence(fact)
        lines[fact.subject_id].append(told)
        lines[fact.object_id].append(told)
        quotes = [f"“{source.quote}”" for source in fact.sources if source.quote]
        lines[fact.id] = [told, *quotes]
    return lines


def _sentence(fact: Fact) -> str:
    sure = f"{look(fact).value}, confidence {fact.confidence:.0%}"
    return f"{fact.subject} · {fact.predicate} · {fact.object} ({sure})"


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
