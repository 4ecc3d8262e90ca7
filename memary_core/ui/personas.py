"""The two personas: what comes with the app, and a scope's own text in its folder, once a person has edited it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memary_core.errors import InvalidInput, StoreError
from memary_core.files import replace_file
from memary_core.models import storable

LIMIT = 20_000
"""Characters; a persona goes into every prompt."""


@dataclass(frozen=True, slots=True)
class Persona:
    """One of the two: how it is called, and the name of its file, in the scope's folder and among the defaults."""

    title: str
    file: str
    help: str

    def text(self, folder: Path, defaults: Path) -> str:
        """The scope's own text; else what comes with the app; else nothing."""
        own = self.own(folder)
        return _read(defaults / self.file) or "" if own is None else own

    def own(self, folder: Path) -> str | None:
        """The scope's own text, or None where nobody edited it."""
        return _read(folder / self.file)

    def save(self, folder: Path, text: str) -> None:
        """Keep `text` for the scope; refuses one that is too long, and replaces the file whole or not at all."""
        if len(text) > LIMIT:
            raise InvalidInput(
                f"{self.title} has {len(text):,} characters, and {LIMIT:,} is the most; nothing was saved. Shorten it."
            )
        replace_file(folder / self.file, storable(text).encode())

    def reset(self, folder: Path) -> None:
        """Go back to what comes with the app."""
        try:
            (folder / self.file).unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{self.file} could not be removed ({error.strerror}); it is still in use.") from error


SYSTEM = Persona("System persona", "system_persona.txt", "What the assistant is told about itself.")
USER = Persona("User persona", "user_persona.txt", "What the assistant is told about you.")


def _read(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{path.name} cannot be read ({error.strerror}). Correct its permissions.") from error
