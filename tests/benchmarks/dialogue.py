"""Recall on dialogues: replayed through the public API, each question asked, the evidence turns counted.

Reported for each k: recall@k (share of a question's evidence among the first k turns recalled), any@k (is one of
them there) and all@k (are all), as means over the questions; and the same for BM25 over turns.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from tqdm import tqdm

from memary_core.memory import Memory
from memary_core.scope import Scope
from memary_core.settings import Settings

KS = (5, 10, 20)
Ranker = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of a data set: its id there, who said it, what and when, and in which session."""

    id: str
    speaker: str
    text: str
    at: datetime
    session: str


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: the ids that hold its answer, and its category."""

    text: str
    evidence: frozenset[str]
    category: str


@dataclass(slots=True)
class Tally:
    """What was found, question by question."""

    found: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    any: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    all: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    tokens: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    closed: int = 0

    def add(self, ranked: Sequence[str], evidence: frozenset[str]) -> None:
        """Count one question."""
        for k in KS:
            hits = len(evidence & set(ranked[:k]))
            self.found[k].append(hits / len(evidence))
            self.any[k].append(float(hits > 0))
            self.all[k].append(float(hits == len(evidence)))

    def join(self, other: Tally) -> None:
        """Take in the questions of another tally."""
        for mine, theirs in ((self.found, other.found), (self.any, other.any), (self.all, other.all)):
            for k in KS:
                mine[k] += theirs[k]
        self.tokens += other.tokens
        self.seconds += other.seconds
        self.closed += other.closed


def replay(turns: Sequence[Said], questions: Sequence[Asked], name: str) -> dict[str, Tally]:
    """Observe every turn in a memory of its own, ask every question; a tally for each category."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder))
        memory = Memory(Scope("benchmark", settings.data_dir), settings, trouble="Facts are not measured here.")
        ids = {
            memory.observe(said.text, speaker=said.speaker, at=said.at).id: said.id
            for said in tqdm(turns, desc=f"{name}: observing", leave=False)
        }
        for asked in tqdm(questions, desc=f"{name}: asking", leave=False):
            started = time.perf_counter()
            recalled = memory.recall(asked.text, budget=1_000_000, limit=max(KS))
            tally = tallies[asked.category]
            tally.seconds.append(time.perf_counter() - started)
            tally.tokens.append(memory.recall(asked.text).tokens)
            tally.closed += not recalled.gate.open
            tally.add([ids[turn.id] for turn in recalled.turns], asked.evidence)
        memory.close()
    return tallies


def baseline(turns: Sequence[Said]) -> Ranker:
    """BM25 over turns by the library bm25s, with English stemming and stop words."""
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    index = bm25s.BM25()
    index.index(
        bm25s.tokenize([said.text for said in turns], stopwords="en", stemmer=stemmer, show_progress=False),
        show_progress=False,
    )

    def ranked(question: str) -> Sequence[str]:
        words = bm25s.tokenize(question, stopwords="en", stemmer=stemmer, show_progress=False)
        places, _ = index.retrieve(words, k=min(max(KS), len(turns)), show_progress=False)
        return [turns[int(place)].id for place in places[0]]

    return ranked


def report(rows: dict[str, Tally], other: Tally, plot: Path | None, title: str) -> None:
    """Print a table by category, the total, and the baseline's; draw recall@k where `plot` says."""
    total = Tally()
    for tally in rows.values():
        total.join(tally)
    head = "".join(f"{name + '@' + str(k):>11}" for name in ("recall", "any", "all") for k in KS)
    print(f"{title:<24}{'n':>6}{head}{'tokens':>9}{'ms':>8}{'closed':>8}")
    for name, tally in (*sorted(rows.items()), ("all questions", total), ("BM25 over turns", other)):
        cells = "".join(f"{_mean(part[k]):>11.3f}" for part in (tally.found, tally.any, tally.all) for k in KS)
        spent = (
            f"{_mean(tally.tokens):>9.0f}{1000 * _mean(tally.seconds):>8.1f}{tally.closed:>8}" if tally.tokens else ""
        )
        print(f"{name:<24}{len(tally.found[KS[0]]):>6}{cells}{spent}")
    if plot is not None:
        _draw({"memary": total, "BM25 over turns": other}, plot, title)


def _draw(tallies: dict[str, Tally], path: Path, title: str) -> None:
    import altair
    import pandas

    rows = [(name, k, _mean(tally.found[k])) for name, tally in tallies.items() for k in KS]
    frame = pandas.DataFrame(rows, columns=["system", "k", "recall@k"])
    scale = altair.Scale(domain=[0, 1])
    chart = altair.Chart(frame, title=title).mark_bar()
    chart.encode(x="system:N", y=altair.Y("recall@k:Q", scale=scale), color="system:N", column="k:O").save(path)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def moment(text: str) -> datetime:
    """*1:56 pm on 8 May, 2023*, or an ISO date, as UTC."""
    for form in ("%I:%M %p on %d %B, %Y", "%Y/%m/%d (%a) %H:%M", "%Y/%m/%d"):
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def sessions(conversation: dict) -> Iterator[tuple[str, datetime, list[dict]]]:
    """The sessions of a LoCoMo conversation in order: key, date and turns."""
    keys = sorted((key for key in conversation if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:]))
    for key in keys:
        yield key, moment(conversation[f"{key}_date_time"]), conversation[key]


def load(path: Path) -> list[dict]:
    """The JSON documents at a path: a file, or every JSON file of a folder."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    found: list[dict] = []
    for file in files:
        data = json.loads(file.read_text("utf-8"))
        found += data if isinstance(data, list) else [data]
    return found
