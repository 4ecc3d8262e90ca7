"""Choosing a model and tools in the sidebar, and an answer that used one, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import App
from tests.browser.test_walk import messages, opened, say, settled
from tests.llm.chat_server import Reply
from tests.llm.ollama_server import OllamaScript, Pulled, ollama_serving

pytestmark = pytest.mark.browser

ABLE = Pulled("able:latest", ("completion", "tools", "thinking"))
SEEING = Pulled("seeing:latest", ("completion", "vision"))


def test_choose_a_model_in_the_sidebar_and_see_the_tool_it_used(
    start_app: Callable[..., App], page: Any, picture: Callable[..., None]
) -> None:
    calls = [Reply(thoughts=("I should look.",), calls=(("recall", {"query": "boats"}),)), Reply(("No boats.",))]
    with ollama_serving(OllamaScript((SEEING, ABLE), Reply(("[]",)), calls)) as server:
        app = start_app(MEMARY_LLM="", OLLAMA_HOST=server.url)
        opened(page, app.url)
        page.get_by_role("button", name="Model, tools and personas").click()
        page.get_by_text("PERPLEXITY_API_KEY is not set").wait_for()
        settled(page)
        picture(page, "picker")
        page.get_by_role("combobox", name="Model", exact=False).first.click()
        page.get_by_role("option", name="seeing (Ollama)").click()
        page.get_by_text("Answers come from seeing (Ollama)").wait_for()
        page.get_by_role("combobox", name="Model", exact=False).first.click()
        page.get_by_role("option", name="able (Ollama) · ready").click()
        page.get_by_text("Answers come from able (Ollama)").wait_for()
        page.keyboard.press("Escape")
        settled(page)
        say(page, "Do I own a boat, do you think?", 1)
        assert "No boats." in messages(page)[-1]
        page.get_by_text("Steps: ").click()
        page.get_by_text("Using recall, ").wait_for()
        settled(page)
        picture(page, "steps")
        assert "I should look." in messages(page)[-1]
        page.reload()
        opened(page, app.url)
        page.get_by_text("Answers come from able (Ollama)").wait_for()
