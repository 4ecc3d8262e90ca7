"""The Review page in a real browser: accepting, taking it back, turning pages, names that attack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memary_core.memory import Memory
from memary_core.models import Source, Trust
from memary_core.settings import Settings
from tests.hostile import NAMES

pytestmark = pytest.mark.browser


def found(app: Any, *triplets: tuple[str, str, str]) -> None:
    with Memory.open("me", Settings(data_dir=app.data_dir)) as memory:
        for subject, predicate, obj in triplets:
            quote = f"{subject} said so."[:300]
            memory.add_fact(subject, predicate, obj, source=Source.tool("search", query=predicate, quote=quote))


def trusts(app: Any) -> list[Trust]:
    with Memory.open("me", Settings(data_dir=app.data_dir)) as memory:
        return [each.trust for each in memory.facts()]


def opened(page: Any, url: str) -> Any:
    page.goto(f"{url}/Review")
    page.get_by_role("tab").first.wait_for()
    page.wait_for_timeout(1000)
    return page


def turn_to(page: Any, number: int) -> None:
    """Turn to a page of cards, and wait until all of them are those of that page."""
    cards = "Array.from(document.querySelectorAll('[class*=st-key-card-]'), each => each.className).sort().join()"
    before = page.evaluate(cards)
    page.get_by_role("button", name=f"Page {number}", exact=True).click()
    page.wait_for_function(
        f"before => !({cards}).split(',').some(each => before.split(',').includes(each))", arg=before
    )
    page.wait_for_function("!document.querySelector('[data-stale=true]')")
    page.wait_for_timeout(500)


def test_accepting_and_taking_it_back(app: Any, page: Any, picture: Callable[[Any, str], None]) -> None:
    found(app, ("Anna", "lives in", "Porto"))
    opened(page, app.url)
    page.get_by_role("button", name="Accept").click()
    page.get_by_text("Accepted: Anna · lives in · Porto").wait_for()
    page.get_by_role("tab", name="Candidates (0)").wait_for()
    assert trusts(app) == [Trust.ACCEPTED]
    picture(page, "review-accepted")
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("tab", name="Candidates (1)").wait_for()
    assert trusts(app) == [Trust.CANDIDATE]


def test_the_rejected_tab_stays_open_while_its_count_changes(app: Any, page: Any) -> None:
    found(app, *[("Anna", "visited", f"Town {i}") for i in range(3)])
    opened(page, app.url)
    for waiting in (2, 1):
        page.get_by_role("button", name="Reject").first.click()
        page.get_by_role("tab", name=f"Candidates ({waiting})").wait_for()
    page.get_by_role("tab", name="Rejected (2)").click()
    page.get_by_role("tabpanel", name="Rejected").get_by_role("button", name="Accept").first.click()
    tab = page.get_by_role("tab", name="Rejected (1)")
    tab.wait_for()
    assert tab.get_attribute("aria-selected") == "true"
    assert sorted(trusts(app)) == [Trust.ACCEPTED, Trust.CANDIDATE, Trust.REJECTED]


def test_names_that_attack_are_shown_as_they_are(app: Any, page: Any, picture: Callable[[Any, str], None]) -> None:
    alerts: list[str] = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    wild = (*NAMES, ":material/delete: :smile: :red[x]", "a -> b -- c", "1. item", "# heading")
    found(app, *[(name, "lives in", "Porto") for name in wild])
    opened(page, app.url)
    shown = ""
    for number in range(1, -(-len(wild) // 10) + 1):
        if number > 1:
            turn_to(page, number)
        shown += "\n".join(page.locator("[class*=st-key-card-]").all_inner_texts()).replace("\u2060", "")
        picture(page, f"review-hostile-{number}")
    for name in (
        "<img src=x onerror=alert(1)>",
        "'}) DETACH DELETE (n)//",
        "$x^2$ **bold** [link](javascript:alert(1))",
    ):
        assert f"{name} · lives in · Porto" in shown
    for name in (":material/delete: :smile: :red[x]", "a -> b -- c", "1. item", "# heading", "x" * 119 + "…"):
        assert f"{name} · lives in · Porto" in shown
    assert page.locator("img[src=x]").count() == 0
    assert alerts == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 400)])
def test_nothing_is_wider_than_the_window(
    app: Any, browser: Any, picture: Callable[[Any, str], None], scheme: str, width: int
) -> None:
    found(app, ("Anna", "lives in", "Porto"), ("x" * 500, "is related to", "y" * 500))
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, locale="en-GB")
    context.set_default_timeout(30_000)
    page = opened(context.new_page(), app.url)
    picture(page, f"review-{scheme}-{width}")
    overflow = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    context.close()
    assert overflow <= 0
