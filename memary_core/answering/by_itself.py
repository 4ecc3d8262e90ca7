"""From the words of a message to what memory says by itself: reading and answering put together."""

from __future__ import annotations

from collections.abc import Iterable

from memary_core.answering.answer import Answer, answer
from memary_core.models import YOU, Fact, Recall


def answer_text(text: str, facts: Iterable[Fact], *, you: str = YOU, model: str = "") -> Answer | None:
    """What `facts` say to a message; None where it asks nothing that memory is for.

    `model` names the spaCy pipeline; where spaCy is not installed the question is read by its shape alone.
    """
    from memary_core.extract.question import read_question

    question = read_question(text, model)
    return answer(question, facts, you) if question else None


def answer_from_recall(text: str, recall: Recall) -> str | None:
    """What the facts of a recall say to a message, as `ChatAgent` wants its `answerer`."""
    found = answer_text(text, recall.facts)
    return found.text if found else None
