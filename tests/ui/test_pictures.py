"""Images of a message: what is taken and what is refused."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from memary_core.errors import ToolError
from memary_core.tools.images import MAX_BYTES
from memary_core.ui import pictures
from tests.llm.chat_server import Answers, listening

PNG = b"\x89PNG\r\n\x1a\n"


@dataclass
class File:
    name: str
    data: bytes

    def getvalue(self) -> bytes:
        return self.data


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("What is https://example.org/a.png?", ["https://example.org/a.png"]),
        ("(http://example.org/a/B.JPG), and again http://example.org/a/B.JPG", ["http://example.org/a/B.JPG"]),
        ("https://example.org/a.webp?size=2&x=y", ["https://example.org/a.webp?size=2&x=y"]),
        ("https://example.org/a.pngx and https://example.org/page.html", []),
        ("file:///etc/a.png javascript:a.png ftp://example.org/a.png", []),
    ],
)
def test_addresses_of_images_are_found_in_a_message(text: str, found: list[str]) -> None:
    assert pictures.addresses(text) == found


def test_a_message_has_a_few_images_at_most() -> None:
    text = " ".join(f"https://example.org/{each}.png" for each in range(9))
    assert len(pictures.addresses(text)) == pictures.MOST
    images, refused = pictures.uploaded([File(f"{each}.png", PNG) for each in range(9)])
    assert len(images) == pictures.MOST
    assert refused == ["4 images are the most for one message; the others were left out."]


def test_what_is_no_image_or_too_large_is_refused_with_the_reason() -> None:
    files = [File("good.png", PNG), File("bad.png", b"<svg/>"), File("large.png", PNG + bytes(MAX_BYTES))]
    images, refused = pictures.uploaded(files)
    assert [each.name for each in images] == ["good.png"]
    assert "bad.png is not a PNG" in refused[0] and "large.png is larger than 10 MB" in refused[1]


class Pictures(Answers):
    def do_GET(self) -> None:
        self.head(200, "image/png")
        self.wfile.write(PNG)


def test_what_was_fetched_is_kept_to_be_shown_and_loopback_is_not_fetched() -> None:
    with listening(Pictures, None) as url:
        fetcher = pictures.Keeping(allowed_for_tests=("127.0.0.1",))
        assert fetcher.fetch(f"{url}/a.png").data == PNG
        assert [each.name for each in fetcher.got] == [f"{url}/a.png"]
        guarded = pictures.Keeping()
        with pytest.raises(ToolError):
            guarded.fetch(f"{url}/a.png")
        assert guarded.got == []
