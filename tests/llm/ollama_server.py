"""A server that speaks as much of Ollama's protocol as a test scripts, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from tests.llm.chat_server import Answers, Reply, listening

NOW = "2026-01-01T00:00:00Z"


@dataclass
class Pulled:
    """A model that the server has."""

    name: str
    able: Sequence[str] | None = ("completion", "tools")
    size: str = "3.2B"
    trained: int = 131_072
    template: str = "{{ .Prompt }}"
    families: Sequence[str] = ("llama",)


@dataclass
class OllamaScript:
    """The server's models, and what they answer: the next of `replies`, while there are any, then `reply`."""

    models: Sequence[Pulled] = (Pulled("test:latest"),)
    reply: Reply = field(default_factory=lambda: Reply(("Lis", "bon.")))
    replies: list[Reply] = field(default_factory=list)
    listing_status: int = 200
    requests: list[dict[str, Any]] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    hung_up: Event = field(default_factory=Event)
    url: str = ""

    def next(self) -> Reply:
        return self.replies.pop(0) if self.replies else self.reply


class OllamaAnswers(Answers):
    def do_GET(self) -> None:
        self.send(self.script.listing_status, "application/json", json.dumps(self.listing()))

    def listing(self) -> dict[str, Any]:
        # The address is part of the digest: what one test's server says of a model is not another's.
        models = [
            {"model": each.name, "name": each.name, "digest": f"{self.script.url} {each.name}", "modified_at": NOW}
            for each in self.script.models
        ]
        return {"models": models}

    def answer(self, request: dict[str, Any]) -> None:
        model = next((each for each in self.script.models if each.name in _names(request["model"])), None)
        if model is None:
            self.refuse(404, f"model '{request['model']}' not found")
        elif self.path == "/api/show":
            self.script.shown.append(model.name)
            self.send(200, "application/json", json.dumps(_show(model)))
        elif request.get("tools") and "tools" not in (model.able or ()):
            self.refuse(400, f"registry.ollama.ai/library/{model.name} does not support tools")
        else:
            self.script.requests.append(request)
            self.chat(request, self.script.next())

    def chat(self, request: dict[str, Any], reply: Reply) -> None:
        if reply.body is not None or reply.status != 200:
            self.send(reply.status, "application/json", reply.body or json.dumps({"error": "No."}))
            return
        calls = [{"function": {"name": name, "arguments": given}} for name, given in reply.calls]
        if not request.get("stream"):
            message = {"content": "".join(reply.pieces), "thinking": "".join(reply.thoughts) or None}
            self.send(200, "application/json", json.dumps(_part(message, done=True)))
            return
        self.head(200, "application/x-ndjson")
        for each in reply.thoughts:
            self.line(_part({"content": "", "thinking": each}))
        while True:
            for each in reply.pieces:
                self.line(_part({"content": each}))
            if not reply.endless:
                break
        for call in calls:
            self.line(_part({"content": "", "tool_calls": [call]}))
        if reply.breaks == "garbage":
            self.put("{not json\n")
        elif reply.breaks == "error":
            self.line({"error": "out of memory"})
        elif not reply.breaks:
            self.line(_part({"content": ""}, done=True))

    def refuse(self, status: int, message: str) -> None:
        self.send(status, "application/json", json.dumps({"error": message}))

    def line(self, part: dict[str, Any]) -> None:
        self.put(json.dumps(part) + "\n")


def _names(asked: str) -> tuple[str, str]:
    return asked, f"{asked}:latest"


def _show(model: Pulled) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "template": model.template,
        "details": {"families": list(model.families), "parameter_size": model.size},
        "model_info": {"general.architecture": "llama", "llama.context_length": model.trained},
    }
    return shown | ({"capabilities": list(model.able)} if model.able is not None else {})


def _part(message: dict[str, Any], *, done: bool = False) -> dict[str, Any]:
    ended = {"done_reason": "stop", "prompt_eval_count": 10, "eval_count": 2} if done else {}
    return {"model": "test", "created_at": NOW, "message": {"role": "assistant", **message}, "done": done, **ended}


@contextmanager
def ollama_serving(script: OllamaScript) -> Iterator[OllamaScript]:
    with listening(OllamaAnswers, script) as url:
        script.url = url
        yield script
