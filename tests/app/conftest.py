"""Pages run through AppTest, without a browser: a clean data folder and no model for each test."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

pytest.importorskip("streamlit")

import streamlit as st
from streamlit.testing.v1 import AppTest

from memary_core.memory import Memory
from memary_core.prompt import Message
from memary_core.ui import session
from tests import scripted

ROOT = Path(__file__).resolve().parents[2]


class ScriptedModel(scripted.ScriptedModel):
    """Its replies are for the conversation: where it is asked for facts, in the background, it finds none."""

    def complete(self, messages: Sequence[Message]) -> str:
        return "[]"


@pytest.fixture
def run_app(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., AppTest]]:
    """`run_app()` runs the chat page, `run_app("pages/1_Salience.py")` that page; each call is a session of its own."""
    monkeypatch.setenv("MEMARY_LLM", "none")
    monkeypatch.chdir(ROOT)
    st.cache_resource.clear()
    begun: list[AppTest] = []

    def run(page: str = "") -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        begun.append(app)
        if page:
            app.switch_page(page)
        return app.run()

    yield run
    for app in begun:
        if session.page_key("reading") in app.session_state:
            app.session_state[session.page_key("reading")].stop(30)
        if session.MEMORY in app.session_state:
            held = app.session_state[session.MEMORY]
            assert isinstance(held, Memory)
            held.close()
    st.cache_resource.clear()


@pytest.fixture
def app(run_app: Callable[..., AppTest]) -> AppTest:
    return run_app()


def words(app: AppTest) -> str:
    """Everything a page says in texts and labels, without the backslashes that make names literal."""
    parts: list[str] = []
    for kind in ("markdown", "caption", "text", "warning", "error", "info"):
        parts += [str(each.value) for each in app.get(kind)]
    parts += [each.label for each in app.button]
    parts += [each.label for each in app.expander]
    return re.sub(r"\\(?=[^\w\s]|_)", "", "\n".join(parts))
