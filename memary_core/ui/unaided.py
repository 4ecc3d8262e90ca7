"""What memory says by itself, where no model is connected or the model is too small to be trusted with facts."""

from __future__ import annotations

from collections.abc import Sequence

from memary_core.models import Recall, SourceKind, Turn
from memary_core.ui.show import day

NOTED = "Noted. Ask me about it any time."
HERE = "I am here. Tell me something to remember, or ask about what you told me."
NOTHING = "Memory holds no answer to that, and no language model is connected that could give one."


class Unaided:
    """An `Answerer`. `used` are the ids of the facts that its latest answer rests on.

    `alone`: there is no model to fall back on, so that every message gets a reply.
    """

    def __init__(self, spacy_model: str = "", *, alone: bool = False) -> None:
        self.alone = alone
        self.used: tuple[str, ...] = ()
        self._spacy_model = spacy_model

    def __call__(self, text: str, recall: Recall) -> str | None:
        """The answer from facts; else, where there is no model, a plain reply."""
        from memary_core.answering.by_itself import answer_text
        from memary_core.extract.asking import asked_in

        self.used = ()
        found = answer_text(text, recall.facts, model=self._spacy_model)
        if found is not None:
            self.used = found.facts
            return found.text
        if not self.alone:
            return None
        if asked_in(text) is None and "?" not in text:
            return HERE if recall.gate.reason == "small talk" else NOTED
        return closest(recall.turns) or NOTHING


def closest(turns: Sequence[Turn]) -> str:
    """What the person once said that comes nearest to a question; empty where there is nothing."""
    said = next((each for each in turns if each.kind is SourceKind.USER), None)
    if said is None:
        return ""
    words = " ".join(said.text.split())
    quote = words if len(words) <= 300 else words[:299].rstrip() + "…"
    return f"No fact answers that. On {day(said.at)} you said: “{quote}”"
