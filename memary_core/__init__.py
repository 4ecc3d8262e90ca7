"""memary: memory for agents that a person can see, question and correct. Importing it does nothing else."""

from memary_core.memory import Memory
from memary_core.models import Source
from memary_core.settings import Settings

__all__ = ["ChatAgent", "Memory", "Settings", "Source"]


def __getattr__(name: str) -> object:
    if name == "ChatAgent":
        from memary_core.chat_agent import ChatAgent

        return ChatAgent
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
