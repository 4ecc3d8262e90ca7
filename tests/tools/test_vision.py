"""Vision: an uploaded image or one on the web reaches the vision model, with the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from memary_core.errors import ModelError, ToolError
from memary_core.tools.images import Image, ImageFetcher
from memary_core.tools.vision import tool
from tests.tools.site import PNG, Site, picture

CAT = Image(PNG, "image/png", "cat.png")
UPLOADS = {"cat.png": CAT}


@dataclass
class Seeing:
    """A vision model that says `says`, or raises it."""

    says: str | Exception = "A cat."
    asked: list[tuple[Sequence[Image], str]] = field(default_factory=list)

    def __call__(self, images: Sequence[Image], text: str) -> str:
        self.asked.append((images, text))
        if isinstance(self.says, Exception):
            raise self.says
        return self.says


def test_an_uploaded_image_is_looked_at() -> None:
    seeing = Seeing()
    result = tool(seeing, UPLOADS.get).run(image=" cat.png", question="Which animal?")
    assert seeing.asked == [([CAT], "Which animal?")]
    assert (result.text, result.url, result.query) == ("A cat.", None, "cat.png: Which animal?")


def test_an_image_on_the_web_is_looked_at(site: Site) -> None:
    seeing = Seeing()
    url = site.serve("/cat.png", picture())
    result = tool(seeing, UPLOADS.get, ImageFetcher(allowed_for_tests=("127.0.0.1",))).run(image=url)
    assert seeing.asked == [([Image(PNG, "image/png", url)], "What does this image show?")]
    assert result.url == url


def test_an_address_in_this_network_is_not_fetched(site: Site) -> None:
    seeing = Seeing()
    with pytest.raises(ToolError, match="no public address"):
        tool(seeing, UPLOADS.get).run(image=site.serve("/cat.png", picture()))
    assert (seeing.asked, site.asked) == ([], [])


@pytest.mark.parametrize("name", ["dog.png", "", "../cat.png", "file:///etc/passwd", "ftp://a.test/cat.png"])
def test_an_image_that_is_not_there_is_said(name: str) -> None:
    with pytest.raises(ToolError, match="There is no uploaded image"):
        tool(Seeing(), UPLOADS.get).run(image=name)


def test_what_the_model_says_is_bounded_data() -> None:
    assert tool(Seeing("A\x00 cat\u202e."), UPLOADS.get).run(image="cat.png").text == "A cat."
    assert len(tool(Seeing("a" * 50_000), UPLOADS.get).run(image="cat.png").text) < 6_100
    with pytest.raises(ToolError, match="said nothing"):
        tool(Seeing(" \n"), UPLOADS.get).run(image="cat.png")


def test_the_models_own_error_comes_through() -> None:
    with pytest.raises(ModelError, match="away"):
        tool(Seeing(ModelError("away")), UPLOADS.get).run(image="cat.png")


def test_without_a_vision_model_it_is_unavailable_and_says_what_to_set() -> None:
    missing = tool(None, UPLOADS.get)
    assert missing.unavailable == (
        "Looking at images is unavailable, because no vision model is set. Set MEMARY_VISION_MODEL to one."
    )
    with pytest.raises(ToolError, match="MEMARY_VISION_MODEL"):
        missing.run(image="cat.png")
    seeing = Seeing()
    away = tool(seeing, UPLOADS.get, unavailable="llava is not pulled: run `ollama pull llava`.")
    assert away.unavailable.startswith("llava is not pulled")
    with pytest.raises(ToolError, match="not pulled"):
        away.run(image="cat.png")
    assert seeing.asked == []
