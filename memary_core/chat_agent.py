"""`ChatAgent`: memary for programs, with the surface of the original Memary's agent of that name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from memary_core.agent import Dialogue
from memary_core.answering.by_itself import answer_from_recall
from memary_core.bootstrap import open_memory
from memary_core.chat_events import Done, Event
from memary_core.errors import InvalidInput, ModelError
from memary_core.files import ScopeLock
from memary_core.identity import canonical_key, checked_name
from memary_core.llm.model import Model
from memary_core.llm.providers import choose, choose_vision
from memary_core.memory import Cleared, Memory
from memary_core.models import SourceKind, Turn
from memary_core.originals import CONVERSATION, Originals, spoken
from memary_core.prompt import persona
from memary_core.scope import Scope
from memary_core.settings import Settings
from memary_core.thread import as_message
from memary_core.tools import Tool
from memary_core.tools.defaults import NAMES, default_tools
from memary_core.tools.images import Image
from memary_core.tools.memory_tools import NAMES as MEMORY_TOOLS
from memary_core.tools.memory_tools import Occasion, memory_tools
from memary_core.tools.signature import tool_from

_PROVIDERS = ("ollama", "openai", "gguf")
_OPENAIS = ("gpt", "chatgpt", "o1", "o3", "o4")
_ALSO = {"location": "locate", "stock": "stocks"}


@dataclass(frozen=True, slots=True)
class Context:
    """A message as `get_chat` gives it: `role` is system, user or assistant."""

    role: str
    content: str

    def __str__(self) -> str:
        return f"{self.role}: {self.content} |"

    def to_dict(self) -> dict[str, str]:
        """As a line of the original's past_chat.json."""
        return {"role": self.role, "content": self.content}


class ChatAgent:
    """An agent with a memory of its own. Any number of them share nothing, in one process or in several.

    The folder of `memory_stream_json` is the scope's folder, and `user_id` the scope: a second `user_id` in one
    folder raises `ScopeError`. Files there in the original's format are taken over once, and kept as
    `*.original.json`; `notes` says so. `llm_model_name` and `vision_model_name` may name the provider, as in
    `ollama:llama3.2` or `openai:gpt-4o`; without a name the settings choose. `include_from_defaults` is a subset of
    search, vision, locate and stocks. Close it, or use it as a context manager.
    """

    def __init__(
        self,
        name: str,
        memory_stream_json: str | Path,
        entity_knowledge_store_json: str | Path,
        system_persona_txt: str | Path,
        user_persona_txt: str | Path,
        past_chat_json: str | Path,
        user_id: str = "falkor",
        llm_model_name: str | None = None,
        vision_model_name: str | None = None,
        include_from_defaults: Sequence[str] = NAMES,
        *,
        settings: Settings | None = None,
    ) -> None:
        chosen = settings or Settings()
        if llm_model_name:
            chosen = replace(chosen, llm=model_id(llm_model_name))
        if vision_model_name:
            chosen = replace(chosen, vision_model=model_id(vision_model_name))
        self.name = name
        self._settings = chosen
        self._own: dict[str, Tool] = {}
        self._used: list[str] = []
        self.update_tools(include_from_defaults)
        files = Originals(Path(memory_stream_json), Path(entity_knowledge_store_json), Path(past_chat_json))
        self.memory = _opened(user_id, chosen, Path(memory_stream_json).resolve().parent, files)
        self.notes = files.notes
        self._personas = tuple(map(self._persona, (system_persona_txt, user_persona_txt)))
        self.model: Model = choose(chosen)
        self._eyes = choose_vision(chosen)
        self._dialogue = self._begin()

    def __str__(self) -> str:
        return f"Agent {self.name}"

    # The conversation

    def chat(self, text: str, images: Sequence[Image | str] | None = None) -> Iterator[Event]:
        """Store a message and answer it; see `memary_core.chat_events` for what is yielded."""
        return self._dialogue.chat(text, images)

    def add_chat(self, role: str, content: str, entities: Sequence[str] | None = None) -> None:
        """Add a message to the conversation without asking for an answer.

        `role`: user or assistant; system adds an instruction for the assistant, for as long as this agent lives.
        `entities` are counted as mentioned by the user, each once, whether the message names them or not.
        """
        if role not in ("user", "assistant", "system"):
            raise InvalidInput(f"role is user, assistant or system, not {role!r:.40}; nothing was added.")
        named: dict[str, str] = {}
        for each in entities or ():
            named.setdefault(canonical_key(checked_name(each)), each)
        if role == "system":
            self._dialogue.instruct(content)
            self._system.append(Context(role, content))
            counted: set[str] = set()
        else:
            counted = self._said(role, content)
        found = {name: self.memory.entity(name) for name in named.values()}
        if new := [name for name, entity in found.items() if entity is None or entity.id not in counted]:
            self.memory.mention(new)

    def get_chat(self) -> list[Context]:
        """The conversation: both personas and the instructions, then every message in order."""
        system, user = self._personas
        turns = (Context(each.role, each.content) for each in map(as_message, self.memory.turns(CONVERSATION)))
        return [Context("system", system), Context("user", user), *self._system, *turns]

    def get_response(self) -> str:
        """Answer the user's last message; the answer is added to the conversation.

        Raises `InvalidInput` where nobody has said anything, `ModelError` where no answer came.
        """
        said = [each for each in self.memory.turns(CONVERSATION) if each.kind is not SourceKind.ASSISTANT]
        if not said:
            raise InvalidInput("Nothing was said that could be answered. Add a message with add_chat first.")
        done = None
        for event in self._dialogue.reply(said[-1]):
            done = event
        if not isinstance(done, Done) or not done.text.strip():
            raise ModelError(str(done.error if isinstance(done, Done) else "The answer did not end. Ask again."))
        return done.text.strip()

    # Tools

    @property
    def tools(self) -> list[str]:
        """Names of the tools in use, besides those of memory."""
        return list(self._used)

    def add_tool(self, tool_additions: Mapping[str, Callable[..., object]]) -> None:
        """Add functions by name. Each has types and a docstring, from which the model learns how to use it.

        Raises `InvalidInput` for one that cannot be a tool, with the reason; none is added then.
        """
        if taken := [each for each in tool_additions if each in MEMORY_TOOLS]:
            raise InvalidInput(f"{', '.join(taken)} is a tool of memory; nothing was added. Use another name.")
        made = {name: tool_from(name, function) for name, function in tool_additions.items()}
        self._own |= made
        self._used = list(dict.fromkeys([*self._used, *made]))

    def remove_tool(self, tool_name: str) -> None:
        """Take a tool out of use; one that was added is let go of."""
        name = self._known(tool_name)
        if name not in self._used:
            raise InvalidInput(f"{name} is not in use; nothing was removed. In use: {', '.join(self._used) or 'none'}.")
        self._used.remove(name)
        self._own.pop(name, None)

    def update_tools(self, updated_tools: Sequence[str]) -> None:
        """Use these tools and no others, of those that come with memary and those that were added."""
        self._used = list(dict.fromkeys(map(self._known, updated_tools)))

    # Keeping

    def clear_memory(self) -> Cleared:
        """Remove everything of this agent's memory, for good: attention, facts, conversation. Returns what that was."""
        gone = self.memory.clear()
        self._dialogue = self._begin()
        return gone

    clearMemory = clear_memory

    def close(self) -> None:
        """Save, and let go of everything."""
        self.memory.close()

    def __enter__(self) -> ChatAgent:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self) -> Dialogue:
        self._system: list[Context] = []
        system, user = self._personas
        return Dialogue(
            self.memory,
            self.model,
            conversation=CONVERSATION,
            system_persona=system,
            user_persona=user,
            answerer=answer_from_recall,
            budget=self._settings.recall_budget,
            toolbox=self._toolbox,
            steps=self._settings.max_steps,
            vision=self._eyes,
        )

    def _toolbox(self, occasion: Occasion) -> list[Tool]:
        known = default_tools(self._settings, self.memory, occasion, self._eyes) | self._own
        return [*memory_tools(self.memory, occasion), *(known[each] for each in self._used)]

    def _said(self, role: str, content: str) -> set[str]:
        """Store a message; the ids of the entities that it was counted as mentioning."""
        speaker, text = spoken(role, content)
        turns = self.memory.turns(CONVERSATION)
        if speaker == "assistant" and turns and _is_answer(turns[-1], text):
            return set()  # get_response has added it already
        turn = self.memory.observe(text, speaker, conversation=CONVERSATION)
        if turn.kind is not SourceKind.USER:
            return set()
        recent = self.memory.mentions(after=turn.at, sources=[SourceKind.USER])
        return {each.entity_id for each in recent if each.turn == turn.id}

    def _known(self, name: str) -> str:
        plain = _ALSO.get(name.strip().lower(), name.strip().lower())
        found = name if name in self._own else plain if plain in NAMES else None
        if found is None:
            raise InvalidInput(
                f"There is no tool {name!r:.60}; nothing was changed. There are: {', '.join([*NAMES, *self._own])}."
            )
        return found

    def _persona(self, path: str | Path) -> str:
        try:
            return persona(Path(path).read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            self.notes.append(f"{Path(path).name} cannot be read ({error}); the agent goes without it.")
            return ""


def model_id(name: str) -> str:
    """A model's name as the settings want it: names of OpenAI's are told by how they begin, others are Ollama's."""
    if name == "none" or name.partition(":")[0] in _PROVIDERS:
        return name
    return f"openai:{name}" if name.startswith(_OPENAIS) else f"ollama:{name}"


def _opened(user_id: str, settings: Settings, folder: Path, files: Originals) -> Memory:
    """The memory in `folder`, with the original's files taken over. Another agent's folder is refused untouched."""
    Scope(user_id, settings.data_dir, settings.lock_timeout, folder).begin()
    with ScopeLock(folder / "import.lock", settings.lock_timeout).held():
        files.set_aside()
        memory = open_memory(user_id, settings, folder)
        files.take_over(memory)
    return memory


def _is_answer(turn: Turn, text: str) -> bool:
    return turn.kind is SourceKind.ASSISTANT and turn.text.strip() == text.strip()
