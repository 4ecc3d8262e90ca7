"""Which past turns fit a message: full text, and where in the conversation the words stand.

A turn's neighbours often hold the answer (*What did you do?* · *We went to the lake.*), so a word counts for the
turns around it too. Each part lies between 0 and 1; their weights were fitted on dialogues and say which help:

    near       the message's words in the six turns around, as BM25 ranks them          0.7
    covered    how much of the message stands in or near the turn, by weight of words   0.4
    session    the words in the whole session, as BM25 ranks them                       0.4
    exact      the words in the turn itself, as BM25 ranks them                         0.2
    pieces     parts of words, by trigrams: other forms, compounds, misspellings        0.3
    speaker    the turn is by somebody the message names (or by the owner, for *I*)     0.6
    asked      the turn follows a question in which the words stand                     0.6
    dated      the message asks when, and the turn tells a time, times `covered`        0.5
    told       the turn says much rather than little                                    0.45
    asking     the turn is itself a question                                           -0.15

BM25: Robertson and Zaragoza, *The Probabilistic Relevance Framework* (2009), k1 = 1.2, b = 0.75.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

WEIGHTS = {
    "near": 0.7,
    "covered": 0.4,
    "session": 0.4,
    "exact": 0.2,
    "pieces": 0.3,
    "speaker": 0.6,
    "asked": 0.6,
    "dated": 0.5,
    "told": 0.45,
    "asking": -0.15,
}
STOP_WORDS = frozenset(
    "a about am an and any are as at be been but by can could did do does for from had has have he her him his how "
    "i if in is it its just like me my no not of on or our she should so some tell than that the their them then "
    "there these they this those to us was we were what when where which who whom whose why will with would you "
    "your".split()
)
# Words of questions rather than of answers: left out where others are left.
_ASKING_WORDS = STOP_WORDS | frozenset(
    "after also before during get go goes going gone got happen happened kind long made make makes many more most much "
    "name names new often one ones own take takes thing things took type went while".split()
)
_WORD = re.compile(r"\w+")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{3,}")
_WHEN = re.compile(r"\b(?:when|what (?:year|month|date|day|time)|how long)\b", re.IGNORECASE)
TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|week|weekend|month|year|recently|just|\d{4}|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|"
    r"october|november|december)s?\b",
    re.IGNORECASE,
)
# How much a word counts for the turns after it and before it, by distance.
_AROUND = ((1, 0.8), (2, 0.6), (3, 0.4), (-1, 0.7), (-2, 0.5))
_K1, _B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class TurnTable:
    """All turns of a scope in order, as columns: seq, words, session (0, 1, …), speaker, and three marks.

    A session is an unbroken stretch of one conversation. `human`: not said by the assistant.
    """

    seq: NDArray[np.int64]
    words: Numbers
    session: NDArray[np.int64]
    speaker: NDArray[np.str_]
    asks: NDArray[np.bool_]
    dated: NDArray[np.bool_]
    human: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Hits:
    """The turns that hold one word, by their places in the table, each with its BM25 for that word."""

    places: NDArray[np.int64]
    scores: Numbers


def rank(
    text: str,
    table: TurnTable,
    hits: Callable[[str], Hits],
    pieces: Callable[[Sequence[str]], Hits],
    speakers: frozenset[str],
) -> list[tuple[int, float]]:
    """The turns that share something with `text`, best first, as (place in the table, score).

    `hits` finds a word, `pieces` parts of words. `speakers`: whose turns the message asks for.
    """
    spoken = {word for name in speakers for word in _words(name)}
    terms = [word for word in _words(text) if word not in STOP_WORDS and word not in spoken]
    found = [each for term in _telling(terms) if len((each := hits(term)).places)]
    parts = _parts(text, terms, table, found, pieces)
    if speakers:
        parts["speaker"] = np.isin(table.speaker, list(speakers)).astype(float)
    touched = parts["near"] + parts["session"] + parts["pieces"] > 0
    score = np.sum([WEIGHTS[name] * part for name, part in parts.items()], axis=0)
    wanted = np.flatnonzero(touched & table.human)
    order = wanted[np.lexsort((-table.seq[wanted], -score[wanted]))]
    return [(int(place), float(score[place])) for place in order]


def _parts(
    text: str, terms: list[str], table: TurnTable, found: list[Hits], pieces: Callable[[Sequence[str]], Hits]
) -> dict[str, Numbers]:
    size = len(table.seq)
    near, covered, session, exact = (np.zeros(size) for _ in range(4))
    sessions = int(table.session[-1]) + 1 if size else 0
    around = sum((_shifted(table.words, table, step) for step, _ in _AROUND), table.words)
    in_session = np.bincount(table.session, table.words, sessions).astype(np.float64)
    total = 0.0
    for each in found:
        hit = np.zeros(size)
        hit[each.places] = 1.0
        exact[each.places] += each.scores
        weight = _idf(size, len(each.places))
        total += weight
        count, reach = hit.copy(), hit.copy()
        for step, share in _AROUND:
            moved = _shifted(hit, table, step)
            count += moved
            np.maximum(reach, share * moved, out=reach)
        near += weight * _saturated(count, around)
        covered += weight * reach
        told = np.bincount(table.session, hit, sessions).astype(np.float64)
        session += (_idf(sessions, int((told > 0).sum())) * _saturated(told, in_session))[table.session]
    relative = exact / (sum(float(each.scores.max()) for each in found) or 1.0)
    covered /= total or 1.0
    return {
        "near": _relative(near),
        "covered": covered,
        "session": _relative(session),
        "exact": _relative(exact),
        "pieces": _relative(_spread(pieces(_long(terms, text)), size)),
        "asked": _shifted(np.where(table.asks, relative, 0.0), table, 1),
        "dated": covered * table.dated if _WHEN.search(text) else np.zeros(size),
        "told": np.log1p(np.minimum(table.words, 40)) / 3,
        "asking": table.asks.astype(float),
    }


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(word.lower() for word in _WORD.findall(text)))


def _telling(terms: list[str]) -> list[str]:
    return [term for term in terms if term not in _ASKING_WORDS] or terms


def _long(terms: list[str], text: str) -> list[str]:
    """What trigrams can find: words of four letters or more, and runs of scripts without spaces."""
    runs = [run[i : i + 3] for run in _UNSPACED.findall(text) for i in range(len(run) - 2)]
    return [term for term in terms if len(term) >= 4 and not _UNSPACED.search(term)] + runs


def _spread(hits: Hits, size: int) -> Numbers:
    out = np.zeros(size)
    out[hits.places] = hits.scores
    return out


def _shifted(values: Numbers, table: TurnTable, step: int) -> Numbers:
    """What the turn `step` places before has (after, where negative), within one session."""
    out = np.zeros(len(values))
    if abs(step) >= len(values):
        return out
    same = table.session[abs(step) :] == table.session[: -abs(step)]
    if step > 0:
        out[step:] = np.where(same, values[:-step], 0.0)
    else:
        out[:step] = np.where(same, values[-step:], 0.0)
    return out


def _saturated(count: Numbers, length: Numbers) -> Numbers:
    average = float(length.mean()) or 1.0
    return count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * length / average))


def _idf(size: int, having: int) -> float:
    return float(np.log1p((size - having + 0.5) / (having + 0.5)))


def _relative(values: Numbers) -> Numbers:
    most = float(values.max()) if len(values) else 0.0
    return values / most if most > 0 else values
