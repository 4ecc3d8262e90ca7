from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.tools.site import Site, serving


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site
