"""Answers that take their time, in a browser: they stream, can be stopped, and outlive the page they began on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.browser.conftest import App
from tests.browser.test_walk import messages, opened, settled, visited
from tests.llm.chat_server import Script, serving

pytestmark = pytest.mark.browser


class Slow(list[str]):
    """Pieces of which all but the first wait until they are let go, and then keep coming."""

    def __init__(self) -> None:
        super().__init__(["Once "])
        self.go = threading.Event()

    def __iter__(self) -> Iterator[str]:
        yield "Once "
        self.go.wait(60)
        yield from ("upon ", "a ", "time.")


@pytest.fixture
def slow() -> Iterator[Slow]:
    pieces = Slow()
    yield pieces
    pieces.go.set()


@pytest.fixture
def app(start_app: Callable[..., App], slow: Slow) -> Iterator[App]:
    with serving(Script(pieces=slow)) as script:
        yield start_app(MEMARY_LLM="openai:test", OPENAI_BASE_URL=script.url)
        slow.go.set()


def begun(app: App, page: Any) -> None:
    opened(page, app.url)
    page.get_by_test_id("stChatInputTextArea").fill("Tell me a story about Anna")
    page.keyboard.press("Enter")
    page.get_by_test_id("stChatMessage").get_by_text("Once").wait_for()


def test_an_answer_streams_and_ends(app: App, page: Any, slow: Slow, picture: Callable[..., None]) -> None:
    begun(app, page)
    assert page.get_by_role("button", name="Stop").is_visible()
    assert page.get_by_role("button", name="Load the sample").count() == 0
    picture(page, "chat-streaming")
    slow.go.set()
    page.get_by_text("Once upon a time.").wait_for()
    page.get_by_role("button", name="Stop").wait_for(state="detached")
    settled(page)
    assert "Steps:" in messages(page)[-1]


def test_stop_keeps_what_was_streamed(app: App, page: Any, slow: Slow) -> None:
    begun(app, page)
    page.get_by_role("button", name="Stop").click()
    slow.go.set()
    page.get_by_text("Steps:").wait_for()
    settled(page)
    assert "Once" in messages(page)[-1]
    assert "time." not in messages(page)[-1]
    page.get_by_text("Steps:").click()
    page.get_by_text("Stopped before the end of the answer").wait_for()


def test_another_page_does_not_end_an_answer(app: App, page: Any, slow: Slow) -> None:
    begun(app, page)
    visited(page, "Review")
    slow.go.set()
    visited(page, "Chat")
    page.get_by_text("Once upon a time.").wait_for()


def test_an_answer_outlives_the_tab_it_began_in(app: App, page: Any, slow: Slow) -> None:
    begun(app, page)
    page.reload()
    page.get_by_test_id("stChatMessage").get_by_text("Once").wait_for()
    slow.go.set()
    page.get_by_text("Once upon a time.").wait_for()
    page.get_by_text("Steps:").wait_for()
    settled(page)
    assert len(messages(page)) == 2
