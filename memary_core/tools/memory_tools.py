"""The tools with which a model uses memory: recall, remember, forget, correct.

What it remembers is a candidate, with the model as its reader. It can forget and correct nothing: it proposes, and
the user confirms.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from memary_core.errors import ToolError
from memary_core.models import YOU, Fact, Recall, Source, SourceKind, Trust, Turn, new_id
from memary_core.tools import Tool
from memary_core.tools.images import Image

NAMES = ("recall", "remember", "forget", "correct")
RECALL_BUDGET = 400
"""Tokens of one recall by the model."""
SHOWN = 8
"""Facts named to a model that asked for one that is not there."""
QUOTED = 500
_OWNER = frozenset({"i", "me", "myself", "you", "user", "the user", "owner"})


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a model would have done to memory. `facts` are those it is about; `object` is what a correction says."""

    id: str
    action: Literal["forget", "correct"]
    facts: tuple[Fact, ...]
    object: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Occasion:
    """What tools are used for: one message. `model` is who uses them, `propose` takes what the user must confirm."""

    turn: Turn
    model: str
    propose: Callable[[Proposal], None]
    images: tuple[Image, ...] = ()
    unverified: bool = False


class UsableMemory(Protocol):
    """What these tools need of `Memory`."""

    def recall(self, text: str, *, budget: int, unverified: bool, leave_out: Collection[str]) -> Recall:
        """What bears on `text`."""

    def add_fact(self, subject: str, predicate: str, object: str, *, source: Source | None) -> Fact:
        """Store a fact with its source."""

    def facts(self, subject: str | None) -> Sequence[Fact]:
        """The facts about an entity."""


class ChangeableMemory(Protocol):
    """What carrying a proposal out needs of `Memory`."""

    def forget(self, fact_id: str) -> object:
        """Forget a fact for good."""

    def correct(self, fact_id: str, *, object: str) -> object:
        """Replace a fact by what is right."""


def memory_tools(memory: UsableMemory, occasion: Occasion) -> list[Tool]:
    """The four, for one message."""
    use = _Use(memory, occasion)
    return [Tool(name, getattr(_Use, name).__doc__ or "", getattr(use, name)) for name in NAMES]


def carry_out(proposal: Proposal, memory: ChangeableMemory) -> None:
    """Do what was proposed. Only to be called once the user confirmed it."""
    for fact in proposal.facts:
        if proposal.action == "forget":
            memory.forget(fact.id)
        else:
            memory.correct(fact.id, object=proposal.object)


class _Use:
    """One message's use of memory. The docstrings of its tools are what the model reads."""

    def __init__(self, memory: UsableMemory, occasion: Occasion) -> None:
        self._memory = memory
        self._occasion = occasion

    def recall(self, query: str) -> str:
        """Search the user's memory for what it holds on something. query: a question or names."""
        found = self._memory.recall(
            query,
            budget=RECALL_BUDGET,
            unverified=self._occasion.unverified,
            leave_out={self._occasion.turn.id},
        )
        return found.text or "Memory holds nothing on that."

    def remember(self, subject: str, predicate: str, object: str) -> str:
        """Remember a fact that the user told you and that will matter later. The user reviews it.

        subject: who or what it is about, "user" for the user; predicate: a verb phrase such as "lives in";
        object: what is said of it, a name or a short phrase.
        """
        turn = self._occasion.turn
        source = Source(
            SourceKind.ASSISTANT, extractor=self._occasion.model, turn=turn.id, at=turn.at, quote=turn.text[:QUOTED]
        )
        fact = self._memory.add_fact(_named(subject), predicate, _named(object), source=source)
        state = {Trust.ACCEPTED: "was known already", Trust.REJECTED: "was rejected by the user before"}
        return f"{_said(fact)}: {state.get(fact.trust, 'noted, waiting for the review of the user')}."

    def forget(self, subject: str, predicate: str = "", object: str = "") -> str:
        """Propose to the user that something be forgotten, when they ask for it. They must confirm it.

        subject: who or what it is about, "user" for the user; predicate and object: which fact, where not all.
        """
        facts = self._found(subject, predicate, object)
        return self._propose(Proposal(new_id(), "forget", tuple(facts), by=self._occasion.model))

    def correct(self, subject: str, predicate: str, object: str, new_object: str) -> str:
        """Propose to the user that a fact be corrected, when they say that it is wrong. They must confirm it.

        subject, predicate, object: the fact as memory holds it; new_object: what is right instead of object.
        """
        facts = self._found(subject, predicate, object)
        if len(facts) > 1:
            raise ToolError(f"Which of these? {_listed(facts)} Nothing was proposed; give predicate and object.")
        return self._propose(Proposal(new_id(), "correct", tuple(facts), _named(new_object), self._occasion.model))

    def _found(self, subject: str, predicate: str, obj: str) -> list[Fact]:
        about = [
            each
            for each in self._memory.facts(_named(subject))
            if each.trust is not Trust.REJECTED and each.valid_to is None
        ]
        meant = [
            each
            for each in about
            if _means(predicate, each.predicate) and _means(_named(obj) if obj else "", each.object)
        ]
        if not meant:
            known = f" Memory holds: {_listed(about)}" if about else ""
            raise ToolError(f"Memory holds no such fact about {subject!r:.60}; nothing was proposed.{known}")
        return meant

    def _propose(self, proposal: Proposal) -> str:
        self._occasion.propose(proposal)
        verb = "forgotten" if proposal.action == "forget" else f"corrected to {proposal.object!r:.80}"
        return (
            f"The user is now asked whether this is to be {verb}: {_listed(proposal.facts)} "
            "Nothing is changed until they confirm it; do not say that it was."
        )


def _named(name: str) -> str:
    return YOU if name.strip().casefold() in _OWNER else name


def _means(wanted: str, there: str) -> bool:
    return wanted.strip().casefold() in there.casefold()


def _said(fact: Fact) -> str:
    return f"{fact.subject} {fact.predicate} {fact.object}"


def _listed(facts: Sequence[Fact]) -> str:
    shown = "; ".join(_said(each) for each in facts[:SHOWN])
    return f"{shown}; and {len(facts) - SHOWN} more." if len(facts) > SHOWN else f"{shown}."
