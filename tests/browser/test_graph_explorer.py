"""The explorer's canvas under a real pointer and keyboard, and its offline file without a network."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from memary_core.memory import Memory
from memary_core.models import Source, Trust
from memary_core.settings import Settings
from memary_core.ui import session
from memary_core.ui.graph_component import canvas_script, vis_network
from memary_core.ui.graph_view import drawing, shown
from tests.hostile import NAMES
from tests.ui.graph_examples import around, entity, fact

pytest.importorskip("pyvis")
pytestmark = [pytest.mark.browser, pytest.mark.falkordb]

PATIENCE = 120_000
"""Milliseconds in which the first drawing comes even on a machine that is busy with other things."""
TOOLS = ("Zoom in", "Zoom out", "Fit the whole graph")
READY = ".memary-graph[data-state=ready]"
# Places on the page, in pixels, from vis-network's own coordinates.
NODE = """(graph, label) => {
  const { network } = graph, node = network.body.data.nodes.get({ filter: (each) => each.label === label })[0];
  const at = network.canvasToDOM(network.getPosition(node.id));
  const box = graph.querySelector("canvas").getBoundingClientRect();
  return [box.x + at.x, box.y + at.y];
}"""
EDGE = """(graph, label) => {
  const { network } = graph, edge = network.body.data.edges.get({ filter: (each) => each.label === label })[0];
  const at = network.canvasToDOM(network.body.edges[edge.id].edgeType.getPoint(0.5));
  const box = graph.querySelector("canvas").getBoundingClientRect();
  return [box.x + at.x, box.y + at.y];
}"""
LABELS = "(graph) => graph.network.body.data.nodes.get().map((each) => each.label)"
SELECTED = """(graph) => {
  const { network } = graph, { nodes, edges } = network.getSelection(), data = network.body.data;
  return [...nodes.map((id) => data.nodes.get(id).label), ...edges.map((id) => data.edges.get(id).label)];
}"""


@pytest.fixture
def tell(tmp_path: Path) -> Callable[[Iterable[tuple[str, str, str]]], None]:
    """Stores facts by hand before the app starts; the first subject is the most present entity."""

    def store(facts: Iterable[tuple[str, str, str]]) -> None:
        with Memory.open(session.FIRST_SCOPE, Settings(data_dir=tmp_path / "scopes")) as memory:
            told = list(facts)
            for subject, predicate, obj in told:
                quote = f"{subject} {predicate} {obj}."[:300]
                memory.add_fact(subject, predicate, obj, source=Source.tool("search", quote=quote))
            memory.mention([told[0][0]])

    return store


@pytest.fixture
def anna(tell: Callable[..., None]) -> None:
    tell([("Anna", "knows", "Tom"), ("Tom", "lives in", "Porto"), ("Porto", "lies in", "Portugal")])


@pytest.fixture
def graph(anna: None, app_url: str, page: Any) -> Any:
    """The canvas around Anna, drawn and at rest."""
    return opened(page, app_url)


def opened(page: Any, app_url: str) -> Any:
    page.goto(f"{app_url}/Graph_explorer")
    drawn = page.locator(READY)
    drawn.wait_for(timeout=PATIENCE)
    settled(page)
    return drawn


def settled(page: Any) -> None:
    """Wait until no script of the app runs."""
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()


def heading(page: Any, text: str) -> Any:
    found = page.get_by_role("heading", name=text, exact=True)
    found.wait_for()
    return found


def places(graph: Any) -> Any:
    return graph.evaluate("(graph) => graph.network.getPositions()")


def test_a_click_selects_and_nothing_moves(graph: Any, page: Any) -> None:
    before = places(graph)
    graph.evaluate("(graph) => { graph.network.mark = 'the same'; }")
    page.mouse.click(*graph.evaluate(NODE, "Tom"))
    heading(page, "Tom")
    settled(page)
    assert graph.evaluate(SELECTED) == ["Tom"]
    assert places(graph) == before
    assert graph.evaluate("(graph) => graph.network.mark") == "the same"
    assert page.get_by_role("combobox", name="Find an entity").input_value() == "Anna"


def test_a_double_click_centres_and_back_returns(graph: Any, page: Any) -> None:
    assert set(graph.evaluate(LABELS)) == {"Anna", "Tom", "Porto"}
    page.mouse.dblclick(*graph.evaluate(NODE, "Tom"))
    page.get_by_text("around Tom").wait_for()
    page.locator(READY).wait_for()
    assert set(graph.evaluate(LABELS)) == {"Anna", "Tom", "Porto", "Portugal"}
    page.get_by_role("button", name="Back").click()
    page.get_by_text("around Anna").wait_for()
    page.get_by_role("button", name="Forward").click()
    page.get_by_text("around Tom").wait_for()


def test_a_click_on_an_edge_shows_the_fact_and_accepting_restyles_it_in_place(
    graph: Any, page: Any, tmp_path: Path
) -> None:
    page.mouse.click(*graph.evaluate(EDGE, "lives in"))
    heading(page, "Tom · lives in · Porto")
    assert page.get_by_text("“Tom lives in Porto.”").is_visible()
    settled(page)
    assert graph.evaluate(SELECTED) == ["lives in"]
    before = places(graph)
    dashes = "(graph) => graph.network.body.data.edges.get({filter: (each) => each.label === 'lives in'})[0].dashes"
    assert graph.evaluate(dashes) == [2, 5]
    page.get_by_role("button", name="Accept", exact=True).click()
    page.wait_for_function(
        "() => document.querySelector('[data-testid=stBidiComponentIsolated]').shadowRoot"
        ".querySelector('.memary-graph').network.body.data.edges.get().some((each) => each.dashes === false)"
    )
    assert graph.evaluate(dashes) is False
    assert places(graph) == before
    with Memory.open(session.FIRST_SCOPE, Settings(data_dir=tmp_path / "scopes")) as memory:
        assert memory.facts(predicate="lives in")[0].trust is Trust.ACCEPTED


def test_typing_finds_by_part_of_a_name(graph: Any, page: Any) -> None:
    box = page.get_by_role("combobox", name="Find an entity")
    box.fill("portug")
    box.press("Enter")
    page.get_by_text("around Portugal").wait_for()


def test_the_keyboard_selects_and_passes_the_canvas(graph: Any, page: Any) -> None:
    box = page.get_by_role("combobox", name="Selected")
    box.fill("Porto")
    box.press("Enter")
    heading(page, "Porto")
    settled(page)
    assert graph.evaluate(SELECTED) == ["Porto"]
    page.get_by_role("button", name="Filters").focus()
    reached = []
    for _ in range(16):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "() => { let at = document.activeElement; while (at.shadowRoot) at = at.shadowRoot.activeElement;"
                " return at.getAttribute('aria-label') || at.className; }"
            )
        )
    assert [each for each in reached if each in TOOLS] == list(TOOLS)
    assert any("Selected" in each for each in reached[reached.index("Fit the whole graph") :])
    assert not any("vis-network" in each for each in reached)


def test_the_wheel_scrolls_the_page_and_zooms_only_with_ctrl(graph: Any, page: Any) -> None:
    scale = "(graph) => graph.network.getScale()"
    before = graph.evaluate(scale)
    box = graph.locator("canvas").bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 100)
    page.mouse.wheel(0, 200)
    page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollTop > 0")
    assert graph.evaluate(scale) == before
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    page.wait_for_function(f"([graph, before]) => ({scale})(graph) > before", arg=[graph.element_handle(), before])
    assert graph.evaluate(scale) > before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_canvas_wears_the_theme(anna: None, app_url: str, page: Any, scheme: str, picture: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    graph = opened(page, app_url)
    text, ground = graph.evaluate(
        "(graph) => { const style = getComputedStyle(graph);"
        " return [style.getPropertyValue('--st-text-color'), style.getPropertyValue('--st-background-color')]; }"
    )
    font = graph.evaluate("(graph) => graph.network.body.data.nodes.get()[0].font")
    assert (font["color"], font["strokeColor"]) == (text, ground)
    edge = graph.evaluate("(graph) => graph.network.body.data.edges.get()[0].font.color")
    for colour in (font["color"], edge):
        assert contrast(page, colour, ground) >= 4.5
    picture(page, f"graph-{scheme}")


def contrast(page: Any, one: str, two: str) -> float:
    """The contrast ratio of two CSS colours, as WCAG 2.2 defines it."""
    ratio: float = page.evaluate(
        """([one, two]) => {
          const light = (colour) => {
            const pen = document.createElement("canvas").getContext("2d");
            pen.fillStyle = colour;
            pen.fillRect(0, 0, 1, 1);
            const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map((part) => part / 255)
              .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const [dark, bright] = [light(one), light(two)].sort((a, b) => a - b);
          return (bright + 0.05) / (dark + 0.05);
        }""",
        [one, two],
    )
    return ratio


def test_hostile_names_are_text_everywhere(tell: Any, start_app: Any, page: Any, picture: Any) -> None:
    tell(("Anna", "knows", name) for name in NAMES)
    asked: list[str] = []
    page.on("dialog", lambda dialog: asked.append(dialog.message))
    graph = opened(page, start_app().url)
    labels = graph.evaluate(LABELS)
    assert "<img src=x onerror=alert(1)>" in labels
    assert "'}) DETACH DELETE (n)//" in labels
    assert max(len(each.encode("utf-16-le")) // 2 for each in labels) <= 44
    page.mouse.click(*graph.evaluate(NODE, "<img src=x onerror=alert(1)>"))
    heading(page, "<img src=x onerror=alert(1)>")
    page.mouse.move(*graph.evaluate(NODE, "</script><script>alert(1)</script>"))
    tip = graph.locator(".vis-tooltip")
    tip.wait_for()
    assert "</script><script>alert(1)</script>" in tip.inner_text()
    assert page.locator("img[src=x]").count() == 0
    assert asked == []
    picture(page, "graph-hostile")


def test_three_hundred_nodes_at_most_are_drawn(tell: Any, start_app: Any, page: Any, picture: Any) -> None:
    tell(("Anna", "knows", f"Łukasz Преображенский 東京 مكتبة {at}") for at in range(320))
    graph = opened(page, start_app().url)
    assert len(graph.evaluate(LABELS)) == 300
    assert page.get_by_text("300 of 321 entities shown").is_visible()
    picture(page, "graph-large")


def test_the_offline_file_draws_and_asks_for_nothing(
    tell: Any, start_app: Any, page: Any, browser: Any, tmp_path: Path
) -> None:
    tell(("Anna", "knows", name) for name in ("Tom", *NAMES))
    opened(page, start_app().url)
    with page.expect_download() as coming:
        page.get_by_role("button", name="Offline HTML").click()
    file = tmp_path / coming.value.suggested_filename
    coming.value.save_as(file)
    context = browser.new_context(offline=True)
    try:
        alone = context.new_page()
        requests: list[str] = []
        troubles: list[str] = []
        alone.on("request", lambda request: requests.append(request.url))
        alone.on("dialog", lambda dialog: troubles.append(dialog.message))
        alone.on("pageerror", lambda error: troubles.append(str(error)))
        alone.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
        alone.goto(file.as_uri())
        graph = alone.locator(READY)
        graph.wait_for()
        assert len(graph.evaluate(LABELS)) == len(NAMES) + 2
        alone.mouse.click(*graph.evaluate(NODE, "Tom"))
        alone.get_by_text("Anna · knows · Tom (candidate, confidence 50%)").wait_for()
        assert requests == [file.as_uri()]
        assert troubles == []
        alone.screenshot(path=tmp_path / "offline.png")
    finally:
        context.close()


def test_graphml_is_downloaded(graph: Any, page: Any, tmp_path: Path) -> None:
    networkx = pytest.importorskip("networkx")
    with page.expect_download() as coming:
        page.get_by_role("button", name="GraphML").click()
    coming.value.save_as(tmp_path / "graph.graphml")
    read = networkx.read_graphml(tmp_path / "graph.graphml", force_multigraph=True)
    assert {data["name"] for _, data in read.nodes(data=True)} == {"Anna", "Tom", "Porto"}


def test_a_graph_that_changes_while_it_is_arranged_comes_to_rest(page: Any) -> None:
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.set_content("<main></main>")
    page.add_script_tag(content=vis_network())
    page.add_script_tag(content=canvas_script())
    rounds = [around_of("Anna", "Tom", "Porto"), around_of("Tom", "Anna", "Porto", "Portugal"), around_of("Zoe")]
    for pause in (0, 5, 60):
        page.evaluate(
            """async ([rounds, pause]) => {
              const main = document.querySelector("main");
              main.replaceChildren();
              const canvas = memaryCanvas(main);
              for (const drawing of [...rounds, ...rounds, rounds[1]]) {
                canvas.show(drawing, () => {});
                await new Promise((done) => setTimeout(done, pause));
              }
            }""",
            [rounds, pause],
        )
        graph = page.locator(READY)
        assert set(graph.evaluate(LABELS)) == {"Anna", "Tom", "Porto", "Portugal"}
        assert graph.evaluate("(graph) => graph.network.physics.physicsEnabled") is False
    assert troubles == []


def around_of(centre: str, *others: str) -> dict[str, Any]:
    found = around(centre, *(fact(centre, "knows", other) for other in others))
    return drawing(shown(found, entity(centre), lambda _: True, 2), {})
