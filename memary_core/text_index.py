"""Full text over turns, and mentions by entity and time: a view over the two logs in one SQLite file.

FTS5 ranks by BM25 (Robertson and Zaragoza, 2009). Two tokenizers: porter for words, trigram for scripts
written without spaces. The file may be deleted at any time; it is built again from the logs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

import numpy as np

from memary_core.log_view import LogView
from memary_core.models import Mention, SourceKind, Turn, from_micros, to_micros
from memary_core.stream_events import COUNTED
from memary_core.turn_ranking import Hits, TurnTable, rank

_SOURCES = {kind.value: kind for kind in SourceKind}
_SESSION_GAP = 6 * 3_600_000_000
"""Microseconds of silence after which a conversation begins a new session."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A thread of turns: its id, its first words, when it began and went on, and how many turns it has."""

    id: str
    title: str
    began: datetime
    last: datetime
    turns: int


class TextIndex:
    """The index of one scope, brought level with the logs whenever it is asked something."""

    def __init__(self, view: LogView) -> None:
        self._view = view
        self._columns: tuple[tuple[Any, ...], TurnTable] | None = None

    def close(self) -> None:
        """Let go of the file."""
        self._view.close()

    def search(self, text: str, limit: int = 10, speakers: frozenset[str] = frozenset()) -> list[Turn]:
        """The turns that fit `text` best, best first; turns of the assistant are left out.

        `speakers`: whose turns it asks for, as `speakers()` has them. How they are ranked: `turn_ranking`.
        """
        table = self._table()
        if not len(table.seq):
            return []
        best = rank(text, table, partial(self._hits, "words"), self._pieces, speakers)[:limit]
        seqs = [int(table.seq[place]) for place, _ in best]
        turns = {turn.seq: turn for turn in self._turns(f"WHERE seq IN ({','.join('?' * len(seqs))})", seqs)}
        return [turns[seq] for seq in seqs]

    def speakers(self) -> frozenset[str]:
        """Everybody who ever said something: names, and `user` for the owner."""
        table = self._table()
        return frozenset(map(str, np.unique(table.speaker[table.human])))

    def turn(self, turn_id: str) -> Turn | None:
        """One turn by its id."""
        rows = self._turns("WHERE id = ?", (turn_id,))
        return rows[0] if rows else None

    def turns(self, conversation: str) -> list[Turn]:
        """The turns of a conversation, in order."""
        return self._turns("WHERE conversation = ? ORDER BY seq", (conversation,))

    def turns_naming(self, entity_ids: Sequence[str], limit: int) -> list[Turn]:
        """The newest turns of people that name one of the entities."""
        marks = ",".join("?" * len(entity_ids))
        return self._turns(
            f"WHERE kind <> 'assistant' AND id IN (SELECT turn FROM mentions WHERE entity_id IN ({marks})) "
            "ORDER BY seq DESC LIMIT ?",
            (*entity_ids, limit),
        )

    def conversations(self, limit: int = 100) -> list[Conversation]:
        """The conversations, the last used first."""
        rows = self._all(
            "SELECT threads.conversation, text, began, last, n FROM (SELECT conversation, min(seq) AS first, "
            "max(seq) AS newest, min(at) AS began, max(at) AS last, count(*) AS n FROM turns GROUP BY conversation) "
            "AS threads JOIN turns ON turns.seq = threads.first ORDER BY newest DESC LIMIT ?",
            (limit,),
        )
        return [Conversation(row[0], row[1][:80], from_micros(row[2]), from_micros(row[3]), row[4]) for row in rows]

    def mentions(
        self,
        entity_ids: Sequence[str] | None = None,
        *,
        after: datetime | None = None,
        before: datetime | None = None,
        sources: Collection[SourceKind] | None = None,
        limit: int = 1000,
    ) -> list[Mention]:
        """Mentions, the last stored first, of these entities or of all, from `after` on and before `before`.

        `sources`: only those in the words of one of these.
        """
        where, values = _mention_filter(entity_ids, after, before, sources)
        rows = self._all(
            f"SELECT seq, entity, entity_id, at, turn, source FROM mentions {where} ORDER BY seq DESC LIMIT ?",
            (*values, limit),
        )
        return [Mention(row[0], row[1], row[2], from_micros(row[3]), row[4], _source(row[5])) for row in rows]

    def count_mentions(
        self,
        entity_ids: Sequence[str] | None = None,
        *,
        after: datetime | None = None,
        before: datetime | None = None,
    ) -> dict[tuple[str, str], int]:
        """How often the person named each entity on each day: (entity id, ISO date) to count.

        Days are those of the machine's time zone.
        """
        where, values = _mention_filter(entity_ids, after, before, COUNTED)
        rows = self._all(
            "SELECT entity_id, date(at / 1000000, 'unixepoch', 'localtime') AS day, count(*) "
            f"FROM mentions {where} GROUP BY entity_id, day",
            values,
        )
        return {(row[0], row[1]): row[2] for row in rows}

    def count_by_entity(self, after: datetime, before: datetime) -> dict[str, int]:
        """How often the person named each entity, from `after` on and before `before`: entity id to count."""
        where, values = _mention_filter(None, after, before, COUNTED)
        return dict(self._all(f"SELECT entity_id, count(*) FROM mentions {where} GROUP BY entity_id", values))

    def mention_total(
        self,
        entity_ids: Sequence[str] | None = None,
        *,
        after: datetime | None = None,
        before: datetime | None = None,
        sources: Collection[SourceKind] | None = None,
    ) -> int:
        """How many mentions there are of these entities, in this time and from these sources."""
        where, values = _mention_filter(entity_ids, after, before, sources)
        return int(self._all(f"SELECT count(*) FROM mentions {where}", values)[0][0])

    def totals(self) -> tuple[int, int]:
        """How many turns and how many mentions there are."""
        row = self._all("SELECT (SELECT count(*) FROM turns), (SELECT count(*) FROM mentions)", ())[0]
        return row[0], row[1]

    def _hits(self, index: str, *terms: str) -> Hits:
        """Where any of these words stands, by its place in the table."""
        query = " OR ".join('"' + term.replace('"', '""') + '"' for term in dict.fromkeys(terms))
        rows = self._all(f"SELECT rowid, -bm25({index}) FROM {index} WHERE {index} MATCH ?", (query,)) if terms else []
        found = np.array(rows, dtype=float).reshape(-1, 2)
        places = np.searchsorted(self._table().seq, found[:, 0].astype(np.int64))
        return Hits(places, found[:, 1])

    def _pieces(self, terms: Sequence[str]) -> Hits:
        return self._hits("pieces", *terms)

    def _table(self) -> TurnTable:
        """The turns as columns, read once and again where any were added."""
        newest = self._all("SELECT count(*), max(seq) FROM turns", ())[0]
        if self._columns is None or self._columns[0] != newest:
            columns = "seq, words, conversation, at, speaker, asks, dated, kind"
            rows = self._all(f"SELECT {columns} FROM turns ORDER BY seq", ())
            self._columns = (newest, _as_table(rows))
        return self._columns[1]

    def _turns(self, clause: str, values: Sequence[object]) -> list[Turn]:
        columns = "seq, id, conversation, speaker, kind, turns.text, at, reply_to"
        return [
            Turn(row[1], row[2], row[0], row[3], row[5], from_micros(row[6]), SourceKind(row[4]), row[7])
            for row in self._all(f"SELECT {columns} FROM turns {clause}", values)
        ]

    def _all(self, sql: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        with self._view.level() as db:
            return db.execute(sql, values).fetchall()


def _source(raw: str) -> SourceKind:
    """Whose words a mention is in; another program may have written what is none of ours."""
    return _SOURCES.get(raw, SourceKind.IMPORT)


def _mention_filter(
    entity_ids: Sequence[str] | None,
    after: datetime | None,
    before: datetime | None,
    sources: Collection[str] | None,
) -> tuple[str, list[object]]:
    parts: list[str] = []
    values: list[object] = []
    for column, wanted in (("entity_id", entity_ids), ("source", sources)):
        if wanted is not None:
            parts.append(f"{column} IN ({','.join('?' * len(wanted))})")
            values += wanted
    for moment, sign in ((after, ">="), (before, "<")):
        if moment is not None:
            parts.append(f"at {sign} ?")
            values.append(to_micros(moment))
    return ("WHERE " + " AND ".join(parts) if parts else ""), values


def _as_table(rows: list[tuple[Any, ...]]) -> TurnTable:
    sessions: list[int] = []
    begun = 0
    open_ones: dict[str, tuple[int, int]] = {}
    for row in rows:
        conversation, at = row[2], row[3]
        last, number = open_ones.get(conversation, (at - 2 * _SESSION_GAP, 0))
        if abs(at - last) > _SESSION_GAP:
            number, begun = begun, begun + 1
        sessions.append(number)
        open_ones[conversation] = (at, number)
    columns = list(zip(*rows, strict=True)) or [()] * 8
    return TurnTable(
        seq=np.array(columns[0], dtype=np.int64),
        words=np.array(columns[1], dtype=float),
        session=np.array(sessions, dtype=np.int64),
        speaker=np.array(columns[4], dtype=np.str_),
        asks=np.array(columns[5], dtype=bool),
        dated=np.array(columns[6], dtype=bool),
        human=np.array([kind != SourceKind.ASSISTANT for kind in columns[7]], dtype=bool),
    )
