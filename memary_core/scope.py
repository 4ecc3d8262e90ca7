"""A scope's folder: which it is, whose it is, and the two logs in it."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from pathlib import Path

from memary_core.errors import MemaryError
from memary_core.files import ScopeLock, private_folder, scope_name
from memary_core.log import Log
from memary_core.models import YOU, Entity, Kind

_VIEWS = ("entity_knowledge_store*", "text.sqlite*", "receipts.jsonl", "*.damaged-*", ".*.tmp")


class Scope:
    """One user's or agent's memory on disk: `folder` holds the two logs, which are the authority, and their views.

    Raises `InvalidInput` for an id that cannot be one, `ScopeError` where the folder is another's.
    """

    def __init__(self, scope_id: str, data_dir: Path, lock_timeout: float = 30.0, folder: Path | None = None) -> None:
        self.name = scope_name(scope_id)
        self.id = unicodedata.normalize("NFC", scope_id)
        self.folder = private_folder(folder or private_folder(data_dir) / self.name)
        self.lock = ScopeLock(self.folder / "lock", lock_timeout)
        self.stream = Log(self.folder / "memory_stream.jsonl", "stream", self.id, self.lock)
        self.journal = Log(self.folder / "journal.jsonl", "journal", self.id, self.lock)
        digest = hashlib.sha256(f"{YOU}\0{self.id}".encode()).hexdigest()
        self.you = Entity(digest[:32], YOU, Kind.SELF)

    @property
    def home(self) -> str:
        """The random id of this folder's journal, by which a graph knows where its scope lives."""
        return self.journal.home()

    def begin(self) -> None:
        """Make the journal, where the scope is new; check that the folder is this scope's."""
        with self.lock.held():
            self.journal.begin()
            self.stream.generation()

    def erase(self) -> None:
        """Empty both logs and remove every view and set-aside file. Other processes notice by the generations."""
        with self.lock.held():
            for log in (self.journal, self.stream):
                log.erase()
            for pattern in _VIEWS:
                for path in self.folder.glob(pattern):
                    path.unlink(missing_ok=True)


def scopes(data_dir: Path) -> list[str]:
    """The ids of the scopes in a data folder, the last used first; folders that are no scope are passed over."""
    found: list[tuple[float, str]] = []
    for journal in data_dir.glob("memary-*/journal.jsonl"):
        try:
            with journal.open("rb") as file:
                scope_id = json.loads(file.readline())["scope"]
            if scope_name(scope_id) == journal.parent.name:
                found.append((journal.stat().st_mtime, scope_id))
        except (OSError, ValueError, KeyError, TypeError, MemaryError):
            continue
    return [scope_id for _, scope_id in sorted(found, reverse=True)]
