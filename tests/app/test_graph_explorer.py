"""The graph explorer: what is around an entity, the filters, and what is done to facts and entities there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from memary_core.memory import Memory
from memary_core.models import Source, Trust
from memary_core.settings import Settings
from memary_core.ui import graph_state as state
from memary_core.ui import session
from memary_core.ui.graph_view import Look
from tests.app.conftest import words
from tests.hostile import NAMES

pytest.importorskip("pyvis")
pytestmark = pytest.mark.falkordb

PAGE = "pages/2_Graph_explorer.py"
Run = Callable[..., AppTest]


@pytest.fixture
def told(tmp_path: Path) -> None:
    """Anna is the most present; she knows Tom, and a tool says where he lives."""
    with Memory.open(session.FIRST_SCOPE, Settings(data_dir=tmp_path / "scopes")) as memory:
        memory.add_fact("Anna", "knows", "Tom")
        memory.add_fact("Tom", "lives in", "Porto", source=Source.tool("search", query="Tom", quote="Tom of Porto"))
        memory.add_fact("Porto", "lies in", "Portugal")
        memory.reject(memory.add_fact("Anna", "plays", "tennis").id)
        memory.mention(["Anna", "Anna", "Tom"])


def explorer(run: Run) -> AppTest:
    app = run(PAGE)
    assert not app.exception, app.exception
    return app


def memory_of(app: AppTest) -> Memory:
    held = app.session_state[session.MEMORY]
    assert isinstance(held, Memory)
    return held


def press(app: AppTest, label: str) -> AppTest:
    next(each for each in app.button if each.label == label).click().run()
    assert not app.exception, app.exception
    return app


def centre(app: AppTest) -> str:
    here = memory_of(app).entity(str(app.selectbox(key=state.FIND).value))
    assert here is not None
    return here.name


def triplets(app: AppTest) -> set[tuple[str, str, str]]:
    """What the table below the canvas lists."""
    if not app.dataframe:
        return set()
    return {(row.Subject, row.Predicate, row.Object) for row in app.dataframe[0].value.itertuples()}


def find(app: AppTest, name: str) -> AppTest:
    entity = memory_of(app).entity(name)
    app.selectbox(key=state.FIND).set_value(entity.id if entity else name).run()
    assert not app.exception, app.exception
    return app


def test_is_empty_at_first_and_says_what_will_be_here(run_app: Run) -> None:
    app = explorer(run_app)
    assert "Here you will see what is believed" in words(app)
    assert not app.dataframe
    assert not app.selectbox


@pytest.mark.usefixtures("told")
class TestLooking:
    def test_begins_with_the_most_present_entity_and_two_hops(self, run_app: Run) -> None:
        app = explorer(run_app)
        assert centre(app) == "Anna"
        assert triplets(app) == {("Anna", "knows", "Tom"), ("Tom", "lives in", "Porto")}
        assert "3 entities shown, 2 facts around Anna" in words(app)

    @pytest.mark.parametrize(("hops", "facts"), [(1, 1), (2, 2), (3, 3)])
    def test_goes_as_far_as_asked(self, run_app: Run, hops: int, facts: int) -> None:
        app = explorer(run_app)
        app.get("button_group")[0].set_value(hops).run()
        assert len(triplets(app)) == facts

    def test_shows_rejected_facts_on_request_only(self, run_app: Run) -> None:
        app = explorer(run_app)
        assert ("Anna", "plays", "tennis") not in triplets(app)
        looks = next(each for each in app.get("button_group") if each.key == state.LOOKS)
        looks.set_value([Look.REJECTED]).run()
        assert triplets(app) == {("Anna", "plays", "tennis")}
        assert app.dataframe[0].value.Trust[0] == "rejected"

    def test_shows_the_facts_of_some_sources_only(self, run_app: Run) -> None:
        app = explorer(run_app)
        sources = next(each for each in app.get("button_group") if each.key == state.SOURCES)
        sources.set_value(["manual"]).run()
        assert triplets(app) == {("Anna", "knows", "Tom")}
        assert "2 of 3 entities shown" in words(app)

    def test_centres_what_is_found_and_offers_every_entity(self, run_app: Run) -> None:
        app = explorer(run_app)
        assert app.selectbox(key=state.FIND).options[:2] == ["Anna", "Tom"]
        assert set(app.selectbox(key=state.FIND).options) == {"Anna", "Tom", "Porto", "Portugal", "tennis", "You"}
        assert centre(find(app, "Porto")) == "Porto"
        assert ("Anna", "knows", "Tom") in triplets(app)

    def test_goes_back_and_forward(self, run_app: Run) -> None:
        app = find(find(explorer(run_app), "Tom"), "Porto")
        assert centre(press(app, "Back")) == "Tom"
        assert centre(press(app, "Back")) == "Anna"
        assert next(each for each in app.button if each.label == "Back").disabled
        assert centre(press(app, "Forward")) == "Tom"

    def test_opens_on_the_entity_that_the_address_names(self, run_app: Run) -> None:
        app = run_app()
        app.query_params[state.ENTITY] = "tom"
        app.switch_page(PAGE).run()
        assert centre(app) == "Tom"
        app.query_params[state.ENTITY] = "'}) DETACH DELETE (n)//"
        assert centre(app.run()) == "Tom"

    def test_shows_the_queries_with_parameters_as_data(self, run_app: Run) -> None:
        code = [each.value for each in explorer(run_app).code]
        assert any("MATCH" in each and "$ids" in each for each in code)
        assert not any("Anna" in each for each in code)

    def test_another_scope_begins_anew(self, run_app: Run) -> None:
        app = find(explorer(run_app), "Tom")
        with Memory.open("other", memory_of(app)._settings) as other:
            other.add_fact("Karl", "knows", "Maria")
            other.mention(["Karl"])
        before = memory_of(app)
        app.session_state["memary.switch"] = True
        app.run()
        app.text_input(key="memary.switch.typed").set_value("other")
        press(app, "Switch")
        assert memory_of(app) is not before
        assert centre(app) == "Karl"


@pytest.mark.usefixtures("told")
class TestActing:
    def test_a_fact_shows_its_source_and_is_accepted_and_rejected(self, run_app: Run) -> None:
        app = explorer(run_app)
        press(find(app, "Tom"), "Tom · lives in · Porto")
        assert "“Tom of Porto”" in words(app)
        assert "found by search" in words(app)
        (fact,) = memory_of(app).facts(predicate="lives in")
        press(app, "Accept")
        assert memory_of(app).beliefs.get(fact.id).trust is Trust.ACCEPTED
        press(app, "Reject")
        assert memory_of(app).beliefs.get(fact.id).trust is Trust.REJECTED
        assert ("Tom", "lives in", "Porto") not in triplets(app)
        # Still selected, so that a slip can be undone where it was made.
        press(app, "Accept")
        assert ("Tom", "lives in", "Porto") in triplets(app)

    def test_an_entity_is_pinned_muted_and_centred(self, run_app: Run) -> None:
        app = explorer(run_app)
        tom = memory_of(app).entity("Tom")
        assert tom is not None
        app.selectbox(key=state.PICK).set_value(tom.id).run()
        assert centre(app) == "Anna"
        press(press(app, "Pin"), "Mute")
        row = memory_of(app).salience.get("Tom")
        assert row is not None
        assert (row.pinned, row.muted) == (True, True)
        press(press(app, "Unpin"), "Unmute")
        row = memory_of(app).salience.get("Tom")
        assert row is not None
        assert (row.pinned, row.muted) == (False, False)
        assert centre(press(app, "Centre here")) == "Tom"

    def test_actions_leave_the_other_memory_alone(self, run_app: Run) -> None:
        app = explorer(run_app)
        count = memory_of(app).salience.get("Tom")
        press(press(find(app, "Tom"), "Tom · lives in · Porto"), "Accept")
        assert memory_of(app).salience.get("Tom").count == count.count  # type: ignore[union-attr]

    def test_a_fact_forgotten_meanwhile_is_said_to_be(self, run_app: Run) -> None:
        app = explorer(run_app)
        app.session_state[state.SELECTED] = ("edge", "no such fact")
        app.run()
        assert "forgotten in the meantime" in words(app)


def test_hostile_names_are_shown_as_they_are(run_app: Run, tmp_path: Path) -> None:
    names = [name for name in NAMES if "\n" not in name]
    with Memory.open(session.FIRST_SCOPE, Settings(data_dir=tmp_path / "scopes")) as memory:
        for name in names:
            memory.add_fact("Anna", "knows", name)
        memory.mention(["Anna"])
    app = explorer(run_app)
    listed = {obj for _, _, obj in triplets(app)}
    assert {name for name in names if len(name) < 120} <= listed
    for name in names:
        find(app, name)
        assert not app.exception
    assert not any(each.allow_html for each in app.markdown)


def test_without_a_graph_the_rest_goes_on(run_app: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory.open(session.FIRST_SCOPE, Settings(data_dir=tmp_path / "scopes")) as memory:
        memory.mention(["Anna", "Tom"])
    monkeypatch.setenv("FALKORDB_URL", "redis://127.0.0.1:1")
    app = explorer(run_app)
    assert "cannot be reached" in words(app)
    assert "Searching, salience, pin and mute work meanwhile" in words(app)
    find(app, "Tom")
    press(app, "Pin")
    row = memory_of(app).salience.get("Tom")
    assert row is not None
    assert row.pinned
