"""A model reads messages for facts in the background: after an answer, and at the start what was left over.

The thread knows nothing of Streamlit. What it reads waits in Review; what it could not read is taken up later.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from memary_core.capture import Extractor
from memary_core.errors import MemaryError, ModelUnavailable
from memary_core.llm.model import Model
from memary_core.memory import Memory
from memary_core.models import Extraction, Name
from memary_core.settings import Settings

_reading: set[Path] = set()
_lock = threading.Lock()


class _Interruptible:
    """An extractor that reads no further message once it is stopped."""

    def __init__(self, extractor: Extractor, stop: threading.Event) -> None:
        self.name = extractor.name
        self._extractor = extractor
        self._stop = stop

    def warm(self) -> None:
        self._extractor.warm()

    def __call__(self, text: str, *, known: Sequence[Name] = (), at: datetime | None = None) -> Extraction:
        if self._stop.is_set():
            raise ModelUnavailable("Reading was put off.")
        return self._extractor(text, known=known, at=at)


class Reading:
    """One session's reading of one scope. One thread at a time, and one for a scope whoever looks at it."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._again = False
        self._notes: list[str] = []

    def begin(self, memory: Memory, model: Model, settings: Settings) -> bool:
        """Read what waits; False where the model is not worth asking, or another session reads already."""
        from memary_core.extract.model import can_read

        if not can_read(model):
            return False
        with _lock:
            if self._thread is not None and self._thread.is_alive() and memory.folder in _reading:
                # It may be past the newest message, or have been put off.
                self._again = True
                self._stop.clear()
                return True
            if memory.folder in _reading:
                return False
            _reading.add(memory.folder)
        self._stop.clear()
        self._thread = threading.Thread(
            target=self._run, args=(memory, model, settings), name="memary-read", daemon=True
        )
        self._thread.start()
        return True

    def put_off(self) -> None:
        """Read no further message now: somebody waits for an answer."""
        self._stop.set()

    def stop(self, seconds: float = 5.0) -> bool:
        """Put off, and wait; False where the thread did not end within `seconds`, and so still needs the memory."""
        with _lock:
            self._stop.set()
            self._again = False
        if self._thread is None:
            return True
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def take_notes(self) -> list[str]:
        """What could not be read since this was last asked, and why."""
        taken, self._notes = self._notes, []
        return taken

    def _run(self, memory: Memory, model: Model, settings: Settings) -> None:
        from memary_core.bootstrap import build_extractor
        from memary_core.extract.model import ModelExtractor

        try:
            extractor = _Interruptible(ModelExtractor(model, build_extractor(settings)), self._stop)
            while True:
                self._read(memory, extractor)
                with _lock:
                    if not self._again:
                        _reading.discard(memory.folder)
                        return
                    self._again = False
        finally:
            with _lock:
                _reading.discard(memory.folder)

    def _read(self, memory: Memory, extractor: Extractor) -> None:
        try:
            notes = memory.extract_pending(extractor).notes
        except MemaryError as error:
            notes = (str(error),)
        if not self._stop.is_set():
            self._notes = list(dict.fromkeys([*self._notes, *notes]))
