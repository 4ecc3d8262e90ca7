"""The app in a real Chromium: a server of its own per test, a page, and pictures for a person to look at.

`app_url` is the address of an empty app; `app` is the same with `restart()` and its data folder; `page` is a browser
page; `picture` saves a screenshot. Whatever is missing skips the test, unless MEMARY_REQUIRE names `browser`.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / ".artefacts"
STARTED_WITHIN = 60.0


class App:
    """A running `streamlit run app.py` with a data folder and a free port of its own."""

    def __init__(self, data_dir: Path, **environment: str):
        self.data_dir = data_dir
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("MEMARY_", "STREAMLIT_"))},
            "MEMARY_LLM": "none",
            "MEMARY_DATA_DIR": str(data_dir),
            **environment,
        }
        self._process: subprocess.Popen[bytes] | None = None
        self.log = data_dir.parent / f"streamlit-{self.port}.log"

    def start(self) -> None:
        """Start the server and wait until it says that it is healthy."""
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
        command += ["--server.port", str(self.port), "--server.fileWatcherType", "none"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(command, cwd=ROOT, env=self._environment, stdout=log, stderr=log)
        deadline = time.monotonic() + STARTED_WITHIN
        while not self._healthy():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"The app did not start:\n{self.log.read_text(errors='replace')[-4000:]}")
            time.sleep(0.1)

    def stop(self) -> None:
        """Ask the server to end, and wait for it: its last writes are made before the next start."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(15)
        self._process = None

    def restart(self) -> None:
        """The same data folder and port under a new process."""
        self.stop()
        self.start()

    def _healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _missing(what: str) -> None:
    if "browser" in os.environ.get("MEMARY_REQUIRE", "").replace(",", " ").split():
        pytest.fail(f"{what}, and MEMARY_REQUIRE names browser.")
    pytest.skip(f"{what}.")


@pytest.fixture
def start_app(tmp_path: Path) -> Iterator[Callable[..., App]]:
    """`start_app(MEMARY_X="…")` runs an app over the test's data folder, with these environment variables."""
    running: list[App] = []

    def start(**environment: str) -> App:
        app = App(tmp_path / "scopes", **environment)
        running.append(app)
        app.start()
        return app

    yield start
    for app in running:
        app.stop()


@pytest.fixture
def app(start_app: Callable[..., App]) -> App:
    return start_app()


@pytest.fixture
def app_url(app: App) -> str:
    return app.url


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """One Chromium for all tests: Playwright's own if it is installed, else the system's."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        _missing("Playwright is not installed")
    options: dict[str, Any] = {
        "args": ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    }
    system = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
    if system:
        options["executable_path"] = system
    with sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(**options)
        except Error as error:
            _missing(f"No Chromium starts ({str(error).splitlines()[0]})")
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page of 1440 by 900 in a context of its own, with a default timeout of 30 seconds."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB")
    context.set_default_timeout(30_000)
    yield context.new_page()
    context.close()


@pytest.fixture
def picture() -> Callable[[Any, str], None]:
    """`picture(page, "name")` leaves `.artefacts/name.png` for a person to look at."""

    def save(page: Any, name: str) -> None:
        PICTURES.mkdir(exist_ok=True)
        page.screenshot(path=PICTURES / f"{name}.png", full_page=True)

    return save
