"""The entity knowledge store's two files: rows a person may read and edit, and what proves them ours.

The rows are a view. `entity_knowledge_store.meta.json` names the place in the logs they were computed at, and
the digest of the rows; before new rows are written it lists their digest too, so a crash between the two
writes is not taken for a hand edit.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from memary_core.errors import InvalidInput, StoreDamaged, StoreTooNew
from memary_core.files import replace_file
from memary_core.log import Position
from memary_core.models import Kind

Rows = list[dict[str, Any]]
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Meta:
    """Where in the logs the rows stand. `unlisted` are identities that have no row (dropped, or only in
    facts); `unread` are turns stored but not yet read."""

    stream: Position
    journal: Position
    fingerprints: tuple[str, str]
    half_life_days: float
    digests: tuple[str, ...] = ()
    unlisted: Rows = field(default_factory=list)
    roles: list[list[str]] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


class Snapshot:
    """Reads and writes the two files of one scope's folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "entity_knowledge_store.json"
        self._meta_path = folder / "entity_knowledge_store.meta.json"
        self._seen: tuple[int, int, int] | None = None

    def touched(self) -> bool:
        """Did the rows' file change since it was last read or written here? One `stat`."""
        return self._stamp() != self._seen

    def load(self) -> bytes | None:
        """The rows' file as it is, or None where there is none."""
        self._seen = self._stamp()
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreDamaged(
                f"{self.path.name} cannot be read ({error.strerror}); it was left as it is. "
                "Move it aside: it is written anew from the memory stream."
            ) from error

    def meta(self) -> Meta | None:
        """What is known of the rows; None where that is missing or damaged: then the logs are replayed."""
        try:
            data = json.loads(self._meta_path.read_bytes())
            if not isinstance(data, dict):
                return None
            if data.pop("format") > FORMAT:
                raise StoreTooNew(
                    f"{self._meta_path.name} was written by a newer memary; it was left as it is. Update memary."
                )
            data["stream"] = Position(**data["stream"])
            data["journal"] = Position(**data["journal"])
            data["digests"] = tuple(data["digests"])
            data["fingerprints"] = tuple(data["fingerprints"])
            return Meta(**data)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, rows: Rows, meta: Meta) -> None:
        """Replace both files."""
        data = dump_rows(rows)
        before = self.meta()
        self._write_meta(meta, (*(before.digests[-1:] if before else ()), digest(data)))
        replace_file(self.path, data)
        self._write_meta(meta, (digest(data),))
        self._seen = self._stamp()

    def _write_meta(self, meta: Meta, digests: tuple[str, ...]) -> None:
        data = {"format": FORMAT, **asdict(meta), "digests": digests}
        replace_file(self._meta_path, json.dumps(data, ensure_ascii=False).encode())

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            now = self.path.stat()
        except OSError:
            return None
        return now.st_mtime_ns, now.st_size, now.st_ino


def digest(data: bytes) -> str:
    """The sha256 of a file's content."""
    return hashlib.sha256(data).hexdigest()


def dump_rows(rows: Rows) -> bytes:
    """An indented JSON array, one row a line, so that an editor and a diff show it well."""
    lines = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
    return f"[\n{lines}\n]\n".encode() if rows else b"[]\n"


def parse_rows(data: bytes | str) -> Rows:
    """The rows in a text a person may have edited; unknown fields are refused.

    Raises `InvalidInput` naming line and column, or row and field, of the first thing that is wrong.
    """
    try:
        text = data if isinstance(data, str) else data.decode("utf-8-sig")
        rows = json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"Line {error.lineno}, column {error.colno}: {error.msg}. Nothing was changed.") from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(f"The file is not UTF-8 JSON text ({error}). Nothing was changed.") from error
    if not isinstance(rows, list):
        raise InvalidInput("The store is a JSON array of entities, and this is not an array. Nothing was changed.")
    for number, row in enumerate(rows, 1):
        if wrong := _wrong(row):
            raise InvalidInput(f"Entity {number}: {wrong}. Nothing was changed.")
    return rows


_KINDS = tuple(kind.value for kind in Kind)
_FIELDS: dict[str, tuple[type, ...]] = {
    "entity": (str,),
    "count": (int,),
    "date": (str, type(None)),
    "kind": (str,),
    "entity_id": (str,),
    "aliases": (list,),
    "pinned": (bool,),
    "muted": (bool,),
    "weight": (float, int, type(None)),
}


def _wrong(row: object) -> str:
    if not isinstance(row, dict) or not isinstance(row.get("entity"), str) or not row["entity"].strip():
        return 'it needs at least {"entity": "a name"}'
    for key, value in row.items():
        if key not in _FIELDS:
            return f"{key!r} is no field of it; there are {', '.join(_FIELDS)}"
        if not isinstance(value, _FIELDS[key]) or (isinstance(value, bool) and bool not in _FIELDS[key]):
            return f"{key} is {value!r:.40}, which is no {_FIELDS[key][0].__name__}"
    if not 0 <= row.get("count", 0) < 2**53:
        return f"count is {row['count']}; it is a whole number, 0 or more"
    if row.get("kind", "other") not in _KINDS:
        return f"kind is {row['kind']!r:.40}; there are {', '.join(_KINDS)}"
    return ""
