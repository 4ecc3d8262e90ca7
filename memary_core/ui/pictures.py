"""Images in the conversation: uploaded, or named by an address in the message; and how they are shown."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

import streamlit as st
from PIL import Image as Pillow

from memary_core.errors import ToolError
from memary_core.tools.images import Image, ImageFetcher, image
from memary_core.ui.show import literal

TYPES = ["png", "jpg", "jpeg", "webp", "gif"]
MEGABYTES = 10
MOST = 4
"""Images of one message."""
WIDTH = 320
_ADDRESS = re.compile(
    r"https?://[^\s<>\"']+?\.(?:png|jpe?g|webp|gif)(?:\?[^\s<>\"']+)?(?=[\s)\]>\"'.,;!?]|\Z)", re.IGNORECASE
)


class Upload(Protocol):
    """A file as the chat input hands it over."""

    name: str

    def getvalue(self) -> bytes:
        """What is in it."""


class Keeping(ImageFetcher):
    """Fetches images, and keeps what came for the page to show. Safe only for one message at a time."""

    def __init__(self, *, allowed_for_tests: Collection[str] = ()) -> None:
        super().__init__(allowed_for_tests=allowed_for_tests)
        self.got: list[Image] = []

    def fetch(self, url: str) -> Image:
        """As `ImageFetcher.fetch`."""
        found = super().fetch(url)
        self.got.append(found)
        return found


def uploaded(files: Iterable[Upload]) -> tuple[list[Image], list[str]]:
    """Files as images, and why those that are none were left out."""
    found, refused = [], []
    for each in files:
        try:
            found.append(image(each.getvalue(), each.name))
        except ToolError as error:
            refused.append(str(error))
    if found[MOST:]:
        refused.append(f"{MOST} images are the most for one message; the others were left out.")
    return found[:MOST], refused


def addresses(text: str) -> list[str]:
    """The addresses of images in a message, each once, in order."""
    return list(dict.fromkeys(match[0] for match in _ADDRESS.finditer(text)))[:MOST]


def draw(images: Sequence[Image]) -> None:
    """Show images in the thread, each with its name. One that cannot be drawn is named."""
    if not images:
        return
    with st.container(horizontal=True, gap="small"):
        for each in images:
            name = literal(each.name, 60)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error", Pillow.DecompressionBombWarning)
                    st.image(each.data, caption=name, width=WIDTH)
            except (OSError, ValueError, SyntaxError, Pillow.DecompressionBombError, Pillow.DecompressionBombWarning):
                st.caption(f":material/broken_image: {name} cannot be shown.")
