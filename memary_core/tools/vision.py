"""The tool `vision`: what an image shows, told by the vision model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memary_core.errors import ToolError
from memary_core.tools import Tool
from memary_core.tools.images import Image, ImageFetcher
from memary_core.tools.result import ToolResult, one_line, plain

DESCRIPTION = (
    "Look at an image. image: the name of an uploaded image, or the http(s) address of one on the web. "
    "question: what to look for."
)
UNSET = "Looking at images is unavailable, because no vision model is set. Set MEMARY_VISION_MODEL to one."

Ask = Callable[[Sequence[Image], str], str]
"""Images and a question to what the vision model says. Raises `ModelError`."""
Uploads = Callable[[str], Image | None]
"""The name of an uploaded image to the image, or None."""


class Vision:
    """Finds the image, uploaded or on the web, and asks the vision model about it."""

    def __init__(self, ask: Ask | None, uploads: Uploads, fetcher: ImageFetcher, unavailable: str = "") -> None:
        self._ask = ask
        self._uploads = uploads
        self._fetcher = fetcher
        self._unavailable = unavailable or ("" if ask else UNSET)

    def tool(self) -> Tool:
        """This, as a tool; unavailable without a vision model."""
        return Tool("vision", DESCRIPTION, self.run, self._unavailable)

    def run(self, image: str, question: str = "What does this image show?") -> ToolResult:
        """What the vision model says of an image. Raises `ToolError`, or the model's `ModelError`."""
        if self._ask is None or self._unavailable:
            raise ToolError(self._unavailable)
        named = image.strip()
        on_web = named.lower().startswith(("http://", "https://"))
        found = self._fetcher.fetch(named) if on_web else self._uploads(named)
        if found is None:
            raise ToolError(
                f"There is no uploaded image {one_line(named, 80)!r}. Give the name of one, or its address."
            )
        asked = one_line(question, 1_000) or "What does this image show?"
        text = plain(self._ask([found], asked))
        if not text:
            raise ToolError("The vision model said nothing of the image. Ask otherwise, or use another model.")
        return ToolResult(text, found.name if on_web else None, f"{one_line(named, 200)}: {asked}")


def tool(ask: Ask | None, uploads: Uploads, fetcher: ImageFetcher | None = None, unavailable: str = "") -> Tool:
    """The tool. `unavailable`: why the vision model cannot be asked, where more is known than that none is set."""
    return Vision(ask, uploads, fetcher or ImageFetcher(), unavailable).tool()
