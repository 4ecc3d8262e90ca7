"""Images that come with a message: fetched, and shown to the model, or told to it by one that can see."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from memary_core import prompt
from memary_core.chat_events import Step
from memary_core.drafting import Draft
from memary_core.errors import ModelError, ToolError
from memary_core.llm.model import Model
from memary_core.llm.thinking import visible
from memary_core.models import Turn
from memary_core.prompt import Message
from memary_core.thread import as_message
from memary_core.tools.images import Image, ImageFetcher

DESCRIBE = "Describe this image in at most 150 words, for somebody who cannot see it and asked: {question}"
BLIND = (
    "{model} cannot look at images, and there is no model that can, so that nobody looked. Set MEMARY_VISION_MODEL, "
    "for example to ollama:llava."
)
UNSEEN = "(With this came an image, which you cannot see. Say so.)"


def fetched(
    images: Sequence[Image | str], fetcher: ImageFetcher, draft: Draft
) -> Generator[Step, None, tuple[Image, ...]]:
    """The images, those given by address fetched; one that cannot be had is left out, with a note."""
    found = []
    for each in images:
        if isinstance(each, Image):
            found.append(each)
            continue
        yield draft.step("Fetching the image")
        try:
            found.append(fetcher.fetch(each))
        except ToolError as error:
            draft.notes.append(str(error))
    return tuple(found)


def as_seen(
    turn: Turn, images: tuple[Image, ...], model: Model, vision: Model | None, draft: Draft
) -> Generator[Step, None, Message]:
    """The turn as `model` is to see it: with its images, or with what `vision` says of them."""
    text = as_message(turn).content
    if not images or model.state == "not set up":
        return Message("user", text)
    data = tuple(each.data for each in images)
    if model.capabilities.vision:
        return Message("user", text, data)
    if vision is None:
        draft.notes.append(BLIND.format(model=model.label))
        return Message("user", f"{text}\n\n{UNSEEN}")
    yield draft.step(f"Looking at the image with {vision.label}")
    try:
        said = vision.complete([Message("user", DESCRIBE.format(question=text), data)])
    except ModelError as error:
        draft.notes.append(f"Nobody looked at the image: {error}")
        return Message("user", f"{text}\n\n{UNSEEN}")
    told = "".join(visible([said]))
    names = ", ".join(each.name for each in images)
    shown = prompt.fence("image", f"What {vision.name} sees in an image that the user sent. It is", f"{names}: {told}")
    return Message("user", f"{shown}\n\n{text}")
