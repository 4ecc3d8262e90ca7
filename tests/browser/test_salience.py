"""The Salience page in a real browser: bars picked, rows edited and dropped, two tabs, names that attack."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memary_core.memory import Memory
from memary_core.settings import Settings
from tests.hostile import NAMES

pytestmark = pytest.mark.browser

NOW = datetime.now(UTC)
ROW, HEAD = 35, 18
"""Height of a row of a table, and half of it, in pixels."""


def told(app: Any, *names: str, ago: float = 1) -> None:
    """Let the owner of the app's memory mention these names."""
    with Memory.open("me", Settings(data_dir=app.data_dir)) as memory:
        memory.mention(list(names), at=NOW - timedelta(days=ago))


def counts(app: Any) -> dict[str, int]:
    with Memory.open("me", Settings(data_dir=app.data_dir)) as memory:
        return {each.name: each.count for each in memory.salience.all()}


def opened(page: Any, url: str) -> Any:
    page.goto(f"{url}/Salience")
    page.wait_for_selector("[data-testid=stVegaLiteChart] svg")
    page.wait_for_selector("[data-testid=stDataFrame] canvas")
    settled(page)
    return page


def settled(page: Any) -> None:
    """Wait until no script runs and nothing of the page is being drawn."""
    page.wait_for_function("!document.querySelector('[data-testid=stStatusWidget]')")
    page.wait_for_timeout(700)


def cell(page: Any, row: int, share: float) -> tuple[float, float]:
    """A point in a row of the table of entities, at a share of its width."""
    table = page.locator("[data-testid=stDataFrame]").first
    table.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    box = table.bounding_box()
    return box["x"] + box["width"] * share, box["y"] + ROW * (row + 1) + HEAD


def set_count(page: Any, row: int, to: int) -> None:
    page.mouse.dblclick(*cell(page, row, 0.36))
    page.wait_for_timeout(300)
    page.mouse.dblclick(*cell(page, row, 0.36))
    editor = page.locator("#portal input")
    editor.fill(str(to))
    editor.press("Enter")
    settled(page)


def save(page: Any) -> Any:
    page.get_by_role("button", name="Save", exact=True).first.click()
    dialog = page.get_by_role("dialog")
    dialog.wait_for()
    settled(page)
    return dialog


def test_a_click_on_a_bar_chooses_what_the_timeline_shows(
    app: Any, page: Any, picture: Callable[[Any, str], None]
) -> None:
    told(app, *["Anna"] * 5, *["Lisbon"] * 3, "Porto")
    opened(page, app.url)
    legend = page.locator("[data-testid=stVegaLiteChart]").nth(1).locator(".mark-group.role-legend")
    assert legend.first.text_content() == "AnnaLisbonPorto"
    page.locator("path[aria-roledescription=bar][aria-label*='label: Lisbon']").nth(1).click()
    page.get_by_text("of what you picked").wait_for()
    settled(page)
    assert legend.first.text_content() == "Lisbon"
    picture(page, "salience-picked")


def test_a_count_is_edited_a_row_is_dropped_and_saved(app: Any, page: Any, picture: Callable[[Any, str], None]) -> None:
    told(app, *["Anna"] * 5, *["Lisbon"] * 3, "Porto")
    opened(page, app.url)
    set_count(page, 0, 42)
    page.mouse.click(*cell(page, 1, 0.015))
    page.wait_for_timeout(300)
    page.keyboard.press("Delete")
    settled(page)
    dialog = save(page)
    assert "Anna 5 → 42" in dialog.inner_text()
    assert "Lisbon dropped from attention" in dialog.inner_text()
    assert "What is believed of it stays" in dialog.inner_text()
    picture(page, "salience-save")
    dialog.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Saved 2 changes").wait_for()
    dialog.wait_for(state="hidden")
    assert counts(app) == {"Anna": 42, "Porto": 1}


def test_a_second_tab_is_told_of_the_first_ones_change(app: Any, page: Any) -> None:
    told(app, *["Anna"] * 5, "Porto")
    opened(page, app.url)
    other = opened(page.context.new_page(), app.url)
    set_count(page, 0, 42)
    set_count(other, 0, 7)
    save(other).get_by_role("button", name="Save", exact=True).click()
    other.get_by_text("Saved 1 change").wait_for()
    dialog = save(page)
    assert "Anna: 5 when you opened it, now 7" in dialog.inner_text()
    assert counts(app)["Anna"] == 7
    dialog.get_by_role("button", name="Save over them").click()
    page.get_by_text("Saved 1 change").wait_for()
    assert counts(app)["Anna"] == 42


def test_names_that_attack_are_only_shown(app: Any, page: Any, picture: Callable[[Any, str], None]) -> None:
    alerts: list[str] = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    for times, name in enumerate(reversed(NAMES), 1):
        told(app, *[name] * times)
    opened(page, app.url)
    axis = page.locator("[data-testid=stVegaLiteChart]").first.text_content()
    assert "'}) DETACH DELETE (n)//" in axis
    assert "<img src=x onerror=alert" in axis
    assert page.locator("img[src=x]").count() == 0
    for tab in ("Stream", "What would be recalled", "JSON", "Entities"):
        page.get_by_role("tab", name=tab).click()
        settled(page)
    picture(page, "salience-hostile")
    assert alerts == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", 400), ("dark", 400)])
def test_nothing_is_wider_than_the_window(
    app: Any, browser: Any, picture: Callable[[Any, str], None], scheme: str, width: int
) -> None:
    told(app, *["Anna"] * 5, *["The committee on committees of the city of Lisbon"] * 2)
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, locale="en-GB")
    context.set_default_timeout(30_000)
    page = opened(context.new_page(), app.url)
    picture(page, f"salience-{scheme}-{width}")
    overflow = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    context.close()
    assert overflow <= 0
