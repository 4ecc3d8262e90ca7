"""The Review page, run as a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from memary_core.memory import Memory
from memary_core.models import Source, Trust
from memary_core.settings import Settings
from memary_core.ui.session import page_key


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    opened = Memory.open("me", Settings(data_dir=tmp_path / "scopes"))
    if opened.beliefs.trouble:
        pytest.skip(opened.beliefs.trouble)
    yield opened
    opened.close()


@pytest.fixture
def show(run_app: Callable[..., AppTest]) -> Callable[[], AppTest]:
    def run() -> AppTest:
        app = run_app("pages/3_Review.py")
        assert not app.exception
        return app

    return run


def found(memory: Memory, obj: str, subject: str = "Anna", quote: str = "") -> str:
    source = Source.tool("search", query="Anna", quote=quote)
    return memory.add_fact(subject, "lives in", obj, source=source).id


def text(app: AppTest) -> str:
    return "\n".join(each.value for each in (*app.markdown, *app.caption))


def test_nothing_to_review(memory: Memory, show: Callable[[], AppTest]) -> None:
    app = show()
    assert [each.label for each in app.tabs] == ["Candidates (0)", "Rejected (0)"]
    assert "Nothing to review." in text(app)


def test_a_card_has_triplet_quote_source_and_what_it_differs_from(memory: Memory, show: Callable[[], AppTest]) -> None:
    memory.add_fact("Anna", "lives in", "Lisbon")
    found(memory, "Porto", quote="Anna has moved to Porto.")
    shown = text(show())
    assert "**Anna · lives in · Porto**" in shown
    assert "> “Anna has moved to Porto\\.”" in shown
    assert "found by search · asked “Anna”" in shown
    assert "Differs from what is held true" in shown
    assert "Anna · lives in · Lisbon (entered by hand" in shown


def test_accepting_and_taking_it_back(memory: Memory, show: Callable[[], AppTest]) -> None:
    fact_id = found(memory, "Porto")
    app = show()
    app.button(f"accept-{fact_id}").click().run()
    assert [each.trust for each in memory.facts(subject="Anna")] == [Trust.ACCEPTED]
    assert app.tabs[0].label == "Candidates (0)"
    assert "Accepted: Anna · lives in · Porto" in text(app)
    [undo] = [each for each in app.button if each.label == "Undo"]
    undo.click().run()
    assert [each.trust for each in memory.facts(subject="Anna")] == [Trust.CANDIDATE]
    assert app.tabs[0].label == "Candidates (1)"


def test_a_rejected_fact_can_be_accepted_again(memory: Memory, show: Callable[[], AppTest]) -> None:
    fact_id = found(memory, "Porto")
    app = show()
    app.button(f"reject-{fact_id}").click().run()
    assert [each.label for each in app.tabs] == ["Candidates (0)", "Rejected (1)"]
    app.session_state[page_key("review.tab")] = "Rejected (1)"
    app.run()
    app.button(f"accept-{fact_id}").click().run()
    assert not app.exception
    assert [each.trust for each in memory.facts(subject="Anna")] == [Trust.ACCEPTED]


def test_many_are_turned_over_in_pages_newest_first(memory: Memory, show: Callable[[], AppTest]) -> None:
    for i in range(23):
        found(memory, f"Town number {i}", subject=f"Person {i}")
    app = show()
    shown = text(app)
    assert "Town number 22" in shown
    assert "Town number 13" in shown
    assert "Town number 12" not in shown
    app.pagination[0].set_value(3).run()
    assert "Town number 0**" in text(app)
    app.text_input[0].set_value("number 17").run()
    assert "1 of 23 fit." in text(app)
    assert "Town number 17" in text(app)


def test_a_fact_gone_meanwhile_is_said(memory: Memory, show: Callable[[], AppTest]) -> None:
    fact_id = found(memory, "Porto")
    app = show()
    memory.clear()
    app.button(f"accept-{fact_id}").click().run()
    assert not app.exception
    assert "Nothing to review." in text(app)


def test_hostile_names_are_escaped(memory: Memory, show: Callable[[], AppTest]) -> None:
    found(memory, "<img src=x onerror=alert(1)>", quote="$x$ **bold** [a](b) :material/delete:")
    shown = text(show())
    assert "\\<img src\\=x onerror\\=alert\\(1\\)\\>" in shown
    assert "**bold**" not in shown
    assert ":material/delete:" not in shown
