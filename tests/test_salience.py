from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memary_core.salience import Attention, log2_add

DAY = 86_400_000_000
NOW = 20_000 * DAY
ENTITIES = ("a", "b", "c", "d")

moments = st.integers(NOW - 400 * DAY, NOW + 10 * DAY)
mentions = st.tuples(st.just("mention"), st.sampled_from(ENTITIES), moments)
sets = st.tuples(st.just("set"), st.sampled_from(ENTITIES), moments, st.integers(0, 50))
drops = st.tuples(st.just("drop"), st.sampled_from(ENTITIES))
half_lives = st.sampled_from([0.5, 30.0, 365.0, math.inf])


def recomputed(events: list[tuple], entity: str, half_life: float) -> tuple[int, float]:
    """Count and score of an entity from its whole history, as the definition says it."""
    weights: list[tuple[int, float]] = []
    for kind, name, *rest in events:
        if name != entity:
            continue
        if kind == "mention":
            weights.append((1, rest[0]))
        elif kind == "set":
            weights = [(rest[1], rest[0])] if rest[1] else []
        else:
            weights = []
    score = sum(n * 2.0 ** ((at - NOW) / (half_life * DAY)) for n, at in weights)
    return sum(n for n, _ in weights), score


@given(st.lists(st.one_of(mentions, mentions, sets, drops), max_size=60), half_lives)
def test_counts_and_scores_equal_a_plain_recomputation(events: list[tuple], half_life: float) -> None:
    attention = Attention(half_life)
    for kind, name, *rest in events:
        if kind == "mention":
            attention.mention(name, rest[0])
        elif kind == "set":
            attention.set_count(name, rest[1], rest[0])
        else:
            attention.drop(name)
    for entity in ENTITIES:
        count, score = recomputed(events, entity, half_life)
        row = attention.rows.get(entity)
        assert (row.count if row else 0) == count
        assert attention.score(entity, NOW) == pytest.approx(score, rel=1e-9, abs=1e-300)


@given(st.lists(st.tuples(st.sampled_from(ENTITIES), moments), min_size=1, max_size=40), st.randoms())
def test_the_order_of_arrival_does_not_matter(events: list[tuple[str, int]], random: object) -> None:
    one, other = Attention(30.0), Attention(30.0)
    for name, at in events:
        one.mention(name, at)
    shuffled = list(events)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for name, at in shuffled:
        other.mention(name, at)
    for entity in {name for name, _ in events}:
        assert one.rows[entity].count == other.rows[entity].count
        assert one.score(entity, NOW) == pytest.approx(other.score(entity, NOW), rel=1e-9)


@given(st.dictionaries(st.integers(0, 500).map(str), st.integers(1, 1000), max_size=80), st.integers(1, 100))
def test_top_equals_a_full_sort(counts: dict[str, int], k: int) -> None:
    attention = Attention(30.0)
    for name, count in counts.items():
        attention.set_count(name, count, NOW)
    best = sorted(counts, key=lambda name: (-counts[name], name))[:k]
    assert attention.top(k) == best


def test_top_returns_the_highest_not_the_lowest() -> None:
    attention = Attention(30.0)
    for number in range(30):
        attention.set_count(str(number), number + 1, NOW)
    assert attention.top(5) == ["29", "28", "27", "26", "25"]


def test_pinned_are_always_in_and_muted_and_hidden_never() -> None:
    attention = Attention(30.0)
    for number in range(10):
        attention.set_count(str(number), number + 1, NOW)
    attention.flag("0", pinned=True)
    attention.flag("9", muted=True)
    attention.hide("8")
    assert attention.top(3) == ["7", "6", "0"]
    attention.flag("0", pinned=False)
    attention.flag("9", muted=False)
    assert attention.top(3) == ["9", "7", "6"]


def test_a_pinned_entity_that_was_never_mentioned_is_in_top() -> None:
    attention = Attention(30.0)
    attention.set_count("a", 3, NOW)
    attention.flag("b", pinned=True)
    assert attention.top(2) == ["a", "b"]


def test_a_mention_weighs_half_after_one_half_life() -> None:
    attention = Attention(30.0)
    attention.mention("a", NOW - 30 * DAY)
    assert attention.score("a", NOW) == pytest.approx(0.5)


def test_without_decay_the_score_is_the_count() -> None:
    attention = Attention(math.inf)
    for at in (0, NOW, 5):
        attention.mention("a", at)
    assert attention.score("a", NOW + 10_000 * DAY) == pytest.approx(3.0)


def test_a_recent_mention_outranks_two_old_ones() -> None:
    attention = Attention(30.0)
    attention.mention("old", NOW - 90 * DAY)
    attention.mention("old", NOW - 90 * DAY)
    attention.mention("new", NOW)
    assert attention.top(1) == ["new"]


def test_after_a_drop_the_next_mention_is_the_first() -> None:
    attention = Attention(30.0)
    attention.set_count("a", 9, NOW)
    attention.flag("a", pinned=True)
    attention.drop("a")
    assert attention.top(1) == []
    attention.mention("a", NOW)
    assert attention.rows["a"].count == 1 and not attention.rows["a"].pinned


@given(st.floats(-2000, 2000), st.floats(-2000, 2000))
def test_log2_add_is_the_logarithm_of_the_sum(a: float, b: float) -> None:
    assert log2_add(a, b) == pytest.approx(float(_exact(a, b)), abs=1e-9)
    assert log2_add(a, -math.inf) == a == log2_add(-math.inf, a)


def _exact(a: float, b: float) -> float:
    import numpy as np

    return np.logaddexp2(a, b)
