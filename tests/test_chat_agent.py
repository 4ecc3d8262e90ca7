"""`ChatAgent`: the surface of the original Memary, with real memories, over HTTP to its models."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memary_core import ChatAgent, Settings
from memary_core.chat_agent import model_id
from memary_core.chat_events import Done, Token
from memary_core.errors import InvalidInput, ModelError, ScopeError
from memary_core.models import SourceKind, Trust
from memary_core.tools.images import image
from tests.llm.chat_server import Reply, Script, serving
from tests.llm.ollama_server import OllamaScript, Pulled, ollama_serving

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::DeprecationWarning:{where}") for where in ("inspect", r"llama_index.*")
]
FILES = (
    "memory_stream.json",
    "entity_knowledge_store.json",
    "system_persona.txt",
    "user_persona.txt",
    "past_chat.json",
)


@pytest.fixture
def server() -> Iterator[OllamaScript]:
    with ollama_serving(OllamaScript([Pulled("llama3:latest"), Pulled("plain", ["completion"])])) as running:
        yield running


@pytest.fixture
def make(graph_home: Path, tmp_path: Path, server: OllamaScript) -> Iterator[Callable[..., ChatAgent]]:
    """Makes agents as the original's users do: paths of five files, and names of models."""
    made: list[ChatAgent] = []

    def agent(folder: str = "data", *given: Any, **options: Any) -> ChatAgent:
        home = tmp_path / folder
        home.mkdir(exist_ok=True)
        for name in ("system", "user"):
            (home / f"{name}_persona.txt").write_text(f"# note\nThe {name} persona.")
        options.setdefault("llm_model_name", "llama3")
        options.setdefault("settings", Settings(ollama_url=server.url))
        made.append(ChatAgent("Personal Agent", *(str(home / each) for each in FILES), *given, **options))
        return made[-1]

    yield agent
    for each in made:
        each.close()


def write(folder: Path, **files: Any) -> None:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))


def test_messages_are_added_and_answered(make: Callable[..., ChatAgent], server: OllamaScript) -> None:
    agent = make()
    assert str(agent) == "Agent Personal Agent"
    agent.add_chat("user", "Anna lives in Lisbon.")
    agent.add_chat("assistant", "Noted.")
    agent.add_chat("system", "Speak like a sailor.")
    agent.add_chat("user", "Where does Anna live?")
    assert agent.get_response() == "Lisbon."
    sent = server.requests[0]["messages"]
    assert sent[0]["content"] == "The system persona.\n\nSpeak like a sailor.\n\nThe user persona."
    assert [each["content"] for each in sent[1:3]] == ["Anna lives in Lisbon.", "Noted."]
    assert sent[-1]["content"].endswith("Where does Anna live?")
    agent.add_chat("assistant", "Lisbon.")
    assert [each.to_dict() for each in agent.get_chat()] == [
        {"role": "system", "content": "The system persona."},
        {"role": "user", "content": "The user persona."},
        {"role": "system", "content": "Speak like a sailor."},
        {"role": "user", "content": "Anna lives in Lisbon."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "Where does Anna live?"},
        {"role": "assistant", "content": "Lisbon."},
    ]
    with pytest.raises(InvalidInput, match="role is user, assistant or system"):
        agent.add_chat("tool", "x")


def test_entities_are_counted_once_for_each_message(make: Callable[..., ChatAgent]) -> None:
    agent = make()
    agent.add_chat("user", "I met Anna.", ["Anna", "Porto", "porto"])
    agent.add_chat("assistant", "Anna again.", ["Anna"])
    agent.add_chat("user", "it was nice there", ["Porto"])
    counts = {each.name: each.count for each in agent.memory.salience.all()}
    assert counts == {"Anna": 2, "Porto": 2}
    assert json.loads((agent.memory.folder / "journal.jsonl").read_text().splitlines()[0])["scope"] == "falkor"


def test_what_was_returned_to_the_original_is_not_taken_for_the_users_words(
    make: Callable[..., ChatAgent], server: OllamaScript
) -> None:
    agent = make()
    agent.add_chat("user", "Where does Anna live?")
    agent.add_chat("user", "rag: Anna lives in Faro.", ["Anna"])
    [fact] = agent.memory.facts(subject="Anna")
    assert fact.trust is Trust.CANDIDATE
    assert agent.memory.turns()[-1].kind is SourceKind.SPEAKER
    agent.get_response()
    assert "rag: Anna lives in Faro." in server.requests[0]["messages"][-1]["content"]


def test_no_answer_is_an_error_that_says_why(make: Callable[..., ChatAgent], server: OllamaScript) -> None:
    agent = make()
    with pytest.raises(InvalidInput, match="add_chat first"):
        agent.get_response()
    agent.add_chat("user", "Tell me a story.")
    server.replies.append(Reply(status=500, body='{"error": "out of memory"}'))
    with pytest.raises(ModelError, match="out of memory"):
        agent.get_response()
    assert agent.get_response() == "Lisbon."


def test_a_tool_that_is_added_is_used(make: Callable[..., ChatAgent], server: OllamaScript) -> None:
    def multiply(a: int, b: int) -> int:
        """Multiply two integers and returns the result integer"""
        return a * b

    agent = make()
    assert agent.tools == ["search", "vision", "locate", "stocks"]
    agent.add_tool({"multiply": multiply})
    server.replies += [Reply(calls=[("multiply", {"a": "6", "b": 7})]), Reply(("It is 42.",))]
    *_, done = agent.chat("What is 6 times 7?")
    assert isinstance(done, Done)
    assert done.text == "It is 42."
    first, second = server.requests
    assert second["messages"][-1]["content"] == "42"
    offered = [each["function"]["name"] for each in first["tools"]]
    # Those without a key are not offered.
    assert offered == ["recall", "remember", "forget", "correct", "locate", "multiply"]
    agent.remove_tool("multiply")
    assert agent.tools == ["search", "vision", "locate", "stocks"]
    with pytest.raises(InvalidInput, match="no tool 'multiply'"):
        agent.remove_tool("multiply")


def test_tools_are_chosen_by_name(make: Callable[..., ChatAgent]) -> None:
    def shout(text: str) -> str:
        """Say it loud."""
        return text.upper()

    agent = make(include_from_defaults=["search"])
    assert agent.tools == ["search"]
    agent.add_tool({"Shout": shout})
    agent.update_tools(["Location", "Stocks"])
    assert agent.tools == ["locate", "stocks"]
    agent.update_tools(["Shout", "Search"])
    assert agent.tools == ["Shout", "search"]
    with pytest.raises(InvalidInput, match=r"no tool 'News'.*search, vision, locate, stocks, Shout"):
        agent.update_tools(["News"])
    assert agent.tools == ["Shout", "search"]


def test_what_no_model_could_use_is_refused_with_the_reason(make: Callable[..., ChatAgent]) -> None:
    def untyped(a):  # type: ignore[no-untyped-def]
        """Typed not."""

    def undocumented(a: int) -> int:
        return a

    def many(*a: int) -> int:
        """Many."""
        return 0

    def strange(a: Callable[[Settings], int]) -> int:
        """Strange."""
        return 0

    agent = make()
    for name, function, why in (
        ("untyped", untyped, "its parameter a has no type"),
        ("undocumented", undocumented, "it has no docstring"),
        ("many", many, "cannot be given by name"),
        ("strange", strange, "cannot be told what it takes"),
        ("a tool", untyped, "a tool's name is"),
        ("recall", untyped, "a tool of memory"),
        ("nothing", 3, "not a function"),
    ):
        with pytest.raises(InvalidInput, match=why):
            agent.add_tool({name: function})  # type: ignore[dict-item]
    assert agent.tools == ["search", "vision", "locate", "stocks"]


def test_files_of_the_original_are_taken_over_once(make: Callable[..., ChatAgent], tmp_path: Path) -> None:
    write(
        tmp_path / "data",
        memory_stream=[
            {"entity": "Anna", "date": "2024-04-01T12:00:00"},
            {"entity": "Lisbon", "date": "2024-04-01T12:00:00"},
            {"entity": "anna", "date": "2024-04-02T12:00:00+00:00"},
            {"entity": "", "date": "2024-04-02T12:00:00+00:00"},
            {"entity": "Tom", "date": "yesterday"},
        ],
        entity_knowledge_store=[
            {"entity": "Anna", "count": 6, "date": "2024-04-02T12:00:00"},
            {"entity": "Omar", "count": 3, "date": "2024-03-02T12:00:00+00:00"},
            {"entity": "Bad", "count": -1, "date": "2024-03-02T12:00:00+00:00"},
        ],
        past_chat=[
            {"role": "user", "content": "My sister Anna lives in Lisbon."},
            {"role": "user", "content": "rag: Anna lives in Faro."},
            {"role": "assistant", "content": "I see."},
        ],
    )
    before = {each.name: each.read_bytes() for each in (tmp_path / "data").glob("*.json")}
    agent = make()
    counts = {each.name: each.count for each in agent.memory.salience.all()}
    assert counts == {"Anna": 2, "Lisbon": 1, "Omar": 3}
    omar = agent.memory.salience.get("Omar")
    assert omar is not None and omar.last_mentioned == datetime(2024, 3, 2, 12, tzinfo=UTC)
    assert [(each.role, each.content) for each in agent.get_chat()[2:]] == [
        ("user", "My sister Anna lives in Lisbon."),
        ("user", "rag: Anna lives in Faro."),
        ("assistant", "I see."),
    ]
    trusts = {each.object: each.trust for each in agent.memory.facts(subject="Anna")}
    assert (trusts["Lisbon"], trusts["Faro"]) == (Trust.ACCEPTED, Trust.CANDIDATE)
    notes = "\n".join(agent.notes)
    for part in ("local time", "1 count(s)", "'Bad'", "'Tom'", "past_chat.json was taken over"):
        assert part in notes
    for name, content in before.items():
        assert (tmp_path / "data" / name.replace(".json", ".original.json")).read_bytes() == content
    again = make()
    assert again.notes == []
    assert {each.name: each.count for each in again.memory.salience.all()} == counts
    assert len(again.get_chat()) == 5


def test_a_take_over_that_was_cut_off_is_finished_without_doubling(
    make: Callable[..., ChatAgent], tmp_path: Path
) -> None:
    stream = [{"entity": "Anna", "date": "2024-04-01T12:00:00"}, {"entity": "Tom", "date": "2024-04-02T12:00:00"}]
    chat = [{"role": "user", "content": "I like tea."}, {"role": "user", "content": "And cake."}]
    write(tmp_path / "data", memory_stream=stream[:1], past_chat=chat[:1])
    make().close()
    for name, rows in (("memory_stream", stream), ("past_chat", chat)):
        (tmp_path / "data" / f"{name}.importing.json").write_text(json.dumps(rows))
    agent = make()
    assert {each.name: each.count for each in agent.memory.salience.all() if each.name in ("Anna", "Tom")} == {
        "Anna": 1,
        "Tom": 1,
    }
    assert [each.content for each in agent.get_chat()[2:]] == ["I like tea.", "And cake."]
    assert (tmp_path / "data" / "memory_stream-1.original.json").exists()


def test_a_damaged_file_stays_and_the_agent_starts(make: Callable[..., ChatAgent], tmp_path: Path) -> None:
    write(tmp_path / "data", past_chat=[])
    (tmp_path / "data" / "memory_stream.json").write_text('[{"entity": "An')
    agent = make()
    assert any("memory_stream.json cannot be read" in each for each in agent.notes)
    assert (tmp_path / "data" / "memory_stream.json").exists()
    agent.add_chat("user", "Hello Anna.")
    assert len(agent.get_chat()) == 3


def test_agents_in_one_process_share_nothing(make: Callable[..., ChatAgent], server: OllamaScript) -> None:
    one, two = make("one"), make("two")
    one.add_chat("user", "Anna lives in Lisbon.", ["Anna"])
    one.add_tool({"shout": _shout})
    two.add_chat("user", "Where does Anna live?")
    two.get_response()
    assert "Lisbon" not in json.dumps(server.requests[0]["messages"])
    assert two.memory.facts(subject="Anna") == []
    assert len(two.get_chat()) == 4
    assert "shout" not in two.tools
    one.clear_memory()
    assert one.get_chat()[2:] == []
    assert one.memory.facts() == []
    assert len(two.get_chat()) == 4


def _shout(text: str) -> str:
    """Say it loud."""
    return text.upper()


def test_a_second_user_in_one_folder_is_refused_and_changes_nothing(
    make: Callable[..., ChatAgent], tmp_path: Path
) -> None:
    make().add_chat("user", "Hello Anna.")
    write(tmp_path / "data", past_chat=[{"role": "user", "content": "Mine."}])
    with pytest.raises(ScopeError):
        make("data", "somebody else")
    assert (tmp_path / "data" / "past_chat.json").exists()


def test_models_are_named_as_the_original_names_them(make: Callable[..., ChatAgent], server: OllamaScript) -> None:
    assert model_id("llama3") == "ollama:llama3"
    assert model_id("llama3.2:1b") == "ollama:llama3.2:1b"
    assert model_id("gpt-3.5-turbo") == "openai:gpt-3.5-turbo"
    assert model_id("ollama:gpt-oss") == "ollama:gpt-oss"
    assert make("a").model.label == "llama3 (Ollama)"
    missing = make("b", llm_model_name="mistral")
    missing.add_chat("user", "Tell me a story.")
    with pytest.raises(ModelError, match="ollama pull mistral"):
        missing.get_response()
    with serving(Script()) as other:
        settings = Settings(ollama_url="none", openai_base_url=other.url)
        agent = make("c", llm_model_name="gpt-3.5-turbo", settings=settings)
        *_, done = agent.chat("Where does Anna live?")
    assert isinstance(done, Done)
    assert (done.text, done.answered_by) == ("Lisbon.", "gpt-3.5-turbo")


def test_events_stream_and_memory_answers_without_a_model(make: Callable[..., ChatAgent]) -> None:
    agent = make(llm_model_name="none")
    agent.add_chat("user", "Anna lives in Lisbon.")
    events = list(agent.chat("Where does Anna live?"))
    assert "Lisbon" in "".join(each.text for each in events if isinstance(each, Token))
    assert isinstance(events[-1], Done) and events[-1].answered_by == "memory"


def test_the_vision_tool_finds_what_was_uploaded(make: Callable[..., ChatAgent], server: OllamaScript) -> None:
    server.models = [*server.models, Pulled("llava:latest", ["completion", "vision"])]
    agent = make(vision_model_name="llava", include_from_defaults=["vision"])
    server.replies += [
        Reply(("A cat.",)),
        Reply(calls=[("vision", {"image": "the image", "question": "What colour?"})]),
        Reply(("Black.",)),
        Reply(("It is black.",)),
    ]
    *_, done = agent.chat("What colour is it?", [image(b"\x89PNG\r\n\x1a\n" + bytes(20), "cat.png")])
    assert isinstance(done, Done)
    assert done.text == "It is black."
    assert [each["model"].partition(":")[0] for each in server.requests] == ["llava", "llama3", "llava", "llama3"]
    assert server.requests[2]["messages"][0]["content"] == "What colour?"
    assert "Black." in server.requests[3]["messages"][-1]["content"]
