"""The neighbourhood as GraphML and as one HTML file."""

from __future__ import annotations

import json
import re

import pytest

from memary_core.models import SourceKind
from memary_core.ui.graph_export import graphml, offline_html
from memary_core.ui.graph_view import Look, Shown, drawing, shown, wanted
from tests.hostile import NAMES
from tests.ui.graph_examples import around, entity, fact, salience

pytest.importorskip("pyvis")
networkx = pytest.importorskip("networkx")


def view(*names: str) -> Shown:
    found = around("Anna", *(fact("Anna", "knows", name) for name in names))
    return shown(found, entity("Anna"), wanted(list(Look), list(SourceKind)), 2)


class TestGraphML:
    def test_reads_back_with_every_name(self) -> None:
        named = [name for name in NAMES if "\x1b" not in name]
        graph = networkx.parse_graphml(graphml(view(*named), {}), force_multigraph=True)
        assert {data["name"] for _, data in graph.nodes(data=True)} == {"Anna", *named}
        assert graph.number_of_edges() == len(named)

    def test_keeps_parallel_facts_with_their_ids(self) -> None:
        found = around("Anna", fact("Anna", "knows", "Tom"), fact("Anna", "trusts", "Tom"))
        kept = shown(found, entity("Anna"), wanted(list(Look), list(SourceKind)), 2)
        graph = networkx.parse_graphml(graphml(kept, {}), force_multigraph=True)
        told = {key: data["predicate"] for _, _, key, data in graph.edges(keys=True, data=True)}
        assert told == {"Anna knows Tom": "knows", "Anna trusts Tom": "trusts"}

    def test_replaces_what_xml_cannot_hold(self) -> None:
        graph = networkx.parse_graphml(graphml(view("\x1b[31mred\x0c"), {}))
        assert "\ufffd[31mred\ufffd" in {data["name"] for _, data in graph.nodes(data=True)}

    def test_carries_salience_and_trust(self) -> None:
        graph = networkx.parse_graphml(graphml(view("Tom"), {"id-Anna": salience("Anna", 7)}))
        assert graph.nodes["id-Anna"]["count"] == 7
        assert graph.edges["id-Anna", "id-Tom"]["look"] == "accepted"


class TestOfflineHtml:
    PAGE = offline_html(drawing(view(*NAMES), {}), view(*NAMES), "Around <b>Anna</b>")

    def test_asks_for_nothing_from_outside(self) -> None:
        assert not re.search(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=", self.PAGE)
        assert "default-src 'none'" in self.PAGE
        assert "sourceMappingURL" not in self.PAGE

    def test_no_name_ends_the_script_it_stands_in(self) -> None:
        assert self.PAGE.count("</script>") == 3
        assert "<img" not in self.PAGE
        assert "<b>Anna" not in self.PAGE

    def test_the_data_are_whole(self) -> None:
        found = re.search(r'<script id="data" type="application/json">(.*?)</script>', self.PAGE, re.DOTALL)
        assert found is not None
        data = json.loads(found[1])
        assert data["heading"] == "Around <b>Anna</b>"
        assert len(data["drawing"]["nodes"]) == len(NAMES) + 1
        assert data["drawing"]["selected"] is None

    def test_a_name_like_a_placeholder_stays_a_name(self) -> None:
        kept = view("/*VIS*/")
        page = offline_html(drawing(kept, {}), kept, "/*DATA*/")
        assert '"heading": "/*DATA*/"' in page
        assert page.count("vis-network") == self.PAGE.count("vis-network")
