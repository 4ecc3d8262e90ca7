"""The main walk through the app, as a person takes it: tell, ask, look at the receipt, correct, come back."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import App

pytestmark = pytest.mark.browser

TOLD = "My sister Anna lives in Lisbon and works at Critical Software."
ASKED = "Where does Anna live?"


def settled(page: Any) -> None:
    """Wait until no script runs."""
    page.wait_for_timeout(200)
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')


def opened(page: Any, url: str) -> None:
    page.goto(url)
    page.get_by_test_id("stChatInputTextArea").wait_for()
    settled(page)


def say(page: Any, text: str, answers: int) -> None:
    """Send a message, and wait for its answer to be accounted for."""
    page.get_by_test_id("stChatInputTextArea").fill(text)
    page.keyboard.press("Enter")
    page.get_by_text(re.compile(r"^Steps: \d+")).nth(answers - 1).wait_for()
    settled(page)


def messages(page: Any) -> list[str]:
    return [str(each) for each in page.get_by_test_id("stChatMessage").all_inner_texts()]


def test_tell_ask_and_see_why(app: App, page: Any, picture: Callable[..., None]) -> None:
    opened(page, app.url)
    picture(page, "chat-empty")
    say(page, TOLD, 1)
    page.get_by_text("Remembered: Your sister is Anna · Anna lives in Lisbon").wait_for()
    say(page, ASKED, 2)
    assert "Anna lives in Lisbon." in messages(page)[-1]
    page.get_by_text("From memory: 1 fact").click()
    page.get_by_text("Anna · lives in · Lisbon").wait_for()
    settled(page)
    receipt = messages(page)[-1]
    assert "accepted" in receipt
    assert "you said, just now" in receipt
    assert f"“{TOLD}”" in receipt
    assert "because: names Anna" in receipt
    assert "8 tokens" in receipt
    picture(page, "chat-receipt")
    say(page, "hi", 3)
    assert "Tell me something to remember" in messages(page)[-1]
    assert "From memory" not in messages(page)[-1]


def test_talk_and_receipts_are_there_after_a_restart(app: App, page: Any) -> None:
    opened(page, app.url)
    say(page, TOLD, 1)
    say(page, ASKED, 2)
    app.restart()
    opened(page, app.url)
    page.get_by_text("From memory: 1 fact").click()
    page.get_by_text("because: names Anna").wait_for()
    assert TOLD in messages(page)[0]


def test_not_true_takes_a_fact_out_of_the_answers(app: App, page: Any) -> None:
    opened(page, app.url)
    say(page, TOLD, 1)
    say(page, ASKED, 2)
    page.get_by_text("From memory: 1 fact").click()
    page.get_by_role("button", name="Not true").wait_for()
    settled(page)
    page.get_by_role("button", name="Not true").click()
    page.get_by_text("rejected").wait_for()
    say(page, ASKED, 3)
    assert "Lisbon" not in messages(page)[-1]


def test_another_agent_id_is_empty_and_the_first_comes_back_whole(app: App, page: Any) -> None:
    opened(page, app.url)
    say(page, TOLD, 1)
    switch(page, "../../etc/passwd")
    page.get_by_text("Memary remembers what you tell it").wait_for()
    assert messages(page) == []
    assert len(list(app.data_dir.glob("memary-*"))) == 2
    switch(page, "me")
    page.get_by_text(TOLD).first.wait_for()
    assert TOLD in messages(page)[0]


def visited(page: Any, label: str) -> None:
    """Go to a page by its link."""
    page.get_by_test_id("stSidebar").get_by_role("link", name=label).click()
    page.get_by_role("heading", name=label, exact=True).wait_for()
    settled(page)


def counts(page: Any) -> list[tuple[str, str]]:
    """Names and counts in the table of entities, from the table that stands for it in assistive technology."""
    grid = page.get_by_test_id("stDataFrame").first.locator("table")
    grid.wait_for(state="attached")
    rows = grid.locator("tbody tr").all()
    cells = [[str(cell) for cell in row.locator("td").all_text_contents()] for row in rows]
    named = [[each for each in row if each.strip()] for row in cells]
    return [(row[0], row[1]) for row in named if len(row) > 1]


def test_a_count_is_corrected_and_is_still_so_after_a_restart(
    app: App, page: Any, picture: Callable[..., None]
) -> None:
    opened(page, app.url)
    say(page, TOLD, 1)
    say(page, ASKED, 2)
    visited(page, "Salience")
    assert sorted(counts(page)) == [("Anna", "2"), ("Critical Software", "1"), ("Lisbon", "1")]
    grid = page.get_by_test_id("stDataFrame").first
    grid.scroll_into_view_if_needed()
    box = grid.bounding_box()
    page.mouse.click(box["x"] + 100, box["y"] + 52)
    page.wait_for_timeout(300)
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    page.keyboard.type("9")
    page.locator("#portal input").wait_for()
    page.keyboard.press("Enter")
    page.locator("#portal input").wait_for(state="detached")
    settled(page)
    page.get_by_role("button", name="Save").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("2 → 9").wait_for()
    picture(page, "salience-save")
    dialog.get_by_role("button", name="Save").click()
    dialog.wait_for(state="detached")
    settled(page)
    app.restart()
    page.goto(app.url + "/Salience")
    page.get_by_role("heading", name="Salience", exact=True).wait_for()
    settled(page)
    assert counts(page)[0] == ("Anna", "9")
    picture(page, "salience-after-restart")


def switch(page: Any, scope: str) -> None:
    page.get_by_test_id("stSidebar").get_by_role("button", name="Switch").click()
    page.get_by_label("Agent ID", exact=True).fill(scope)
    page.get_by_test_id("stPopoverBody").get_by_role("button", name="Switch").click()
    page.get_by_test_id("stSidebar").get_by_text(scope, exact=True).wait_for()
    settled(page)


def test_clearing_is_confirmed_by_the_agent_id(app: App, page: Any, picture: Callable[..., None]) -> None:
    opened(page, app.url)
    say(page, TOLD, 1)
    page.get_by_role("button", name="Clear memory").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("3 facts with 3 sources").wait_for()
    dialog.get_by_role("textbox").fill("somebody else")
    dialog.get_by_role("button", name="Clear memory").click()
    dialog.get_by_text("That is not the Agent ID").wait_for()
    picture(page, "clear-refused")
    dialog.get_by_role("textbox").fill("me")
    dialog.get_by_role("button", name="Clear memory").click()
    page.get_by_text("Memary remembers what you tell it").wait_for()
    settled(page)
    assert page.get_by_role("dialog").count() == 0
    assert messages(page) == []


def test_personas_are_edited_in_their_dialog(app: App, page: Any) -> None:
    opened(page, app.url)
    page.get_by_role("button", name="Model, tools and personas").click()
    page.get_by_role("button", name="Edit personas").click()
    page.get_by_role("textbox", name="System persona").fill("You are brief.")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("dialog").wait_for(state="detached")
    settled(page)
    [kept] = app.data_dir.glob("memary-*/system_persona.txt")
    assert kept.read_text() == "You are brief."


@pytest.mark.parametrize(
    ("path", "heading"),
    [("/", "Chat"), ("/Salience", "Salience"), ("/Graph_explorer", "Graph explorer"), ("/Review", "Review")],
)
def test_every_page_may_be_visited_first(app: App, page: Any, path: str, heading: str) -> None:
    elsewhere: list[str] = []
    page.on("request", lambda request: elsewhere.append(request.url))
    page.goto(app.url + path)
    page.get_by_role("heading", name=heading, exact=True).wait_for()
    settled(page)
    sidebar = page.get_by_test_id("stSidebar")
    assert sidebar.get_by_test_id("stPageLink").all_inner_texts() != []
    assert sidebar.get_by_text("Memory at a glance").count() == 1
    assert page.get_by_test_id("stException").count() == 0
    assert page.title() == f"{heading} · Memary"
    outside = [
        url for url in elsewhere if not url.startswith((app.url, app.url.replace("http", "ws"), "data:", "blob:"))
    ]
    assert outside == []


def test_hostile_words_stay_words(app: App, page: Any) -> None:
    alarms: list[str] = []
    page.on("dialog", lambda dialog: (alarms.append(dialog.message), dialog.dismiss()))
    opened(page, app.url)
    name = "<img src=x onerror=alert(1)> **b** $x$ `c` '}) DETACH DELETE (n)//"
    say(page, f"My friend {name} lives in Lisbon.", 1)
    assert name in messages(page)[0]
    assert page.get_by_test_id("stChatMessage").locator("img, strong, code, .katex").count() == 0
    assert alarms == []
