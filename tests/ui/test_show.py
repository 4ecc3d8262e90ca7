"""How things look in words."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from memary_core.models import Source, SourceKind, Trust
from memary_core.ui import show
from tests.answers.measure import told
from tests.hostile import NAMES

NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)


@pytest.mark.parametrize("name", NAMES)
def test_literal_leaves_no_sign_of_markdown_unescaped(name: str) -> None:
    shown = show.literal(name)
    assert not re.search(r"[\\`*_{}\[\]()<>#+\-.!|~$:^&=@\"']", re.sub(r"\\[^\w\s]", "", shown))
    assert re.sub(r"\\([^\w\s])|\u2060", r"\1", shown) == " ".join(name.split())


def test_literal_cuts_before_it_escapes() -> None:
    assert show.literal("*" * 50, 5) == r"\*\*\*\*…"
    assert len(show.literal("x" * 10_000, 120)) == 120


def test_literal_puts_everything_on_one_line() -> None:
    assert show.literal("one\n\n# two\t three") == r"one \# two three"


def test_prose_keeps_markdown_but_loads_no_image() -> None:
    assert show.prose("**b** ![alt](http://x) costs $5") == "**b** !\u2060[alt](http://x) costs \\$5"
    assert show.prose("run `echo $HOME`") == "run `echo $HOME`"
    assert show.prose("```\n$a ![x](y)\n```") == "```\n$a !\u2060[x](y)\n```"
    assert "![" not in show.prose("`![a](b)` and ![a][b]")


def test_hint_keeps_its_commands_and_its_lines() -> None:
    assert show.hint("Run `ollama pull x_y`.\nOr set A_B.") == "Run `ollama pull x_y`\\.  \nOr set A\\_B\\."


@pytest.mark.parametrize(
    ("number", "noun", "words"),
    [
        (0, "fact", "0 facts"),
        (1, "entity", "1 entity"),
        (2, "entity", "2 entities"),
        (1204, "mention", "1,204 mentions"),
    ],
)
def test_count_of(number: int, noun: str, words: str) -> None:
    assert show.count_of(number, noun) == words


@pytest.mark.parametrize(
    ("gap", "words"),
    [
        (timedelta(seconds=20), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=5), "5 hours ago"),
        (timedelta(days=2), "2 days ago"),
        (timedelta(days=65), "2 months ago"),
        (timedelta(days=800), "2 years ago"),
        (timedelta(days=-3), "in 3 days"),
    ],
)
def test_ago(gap: timedelta, words: str) -> None:
    assert show.ago(NOW - gap, NOW) == words


def test_times_that_are_not_known_are_never() -> None:
    assert show.ago(None) == show.moment(None) == "never"


def test_moment_and_day() -> None:
    local = NOW.astimezone()
    assert show.day(NOW) == f"{local.day} May 2026"
    assert show.moment(NOW) == f"{local.day} May 2026, {local:%H:%M}"


def test_triplet_is_literal_and_cut() -> None:
    fact = told("*Anna*", "lives in", "L" * 500)
    assert show.triplet(fact).startswith(r"\*Anna\* · lives in · LLL")
    assert show.triplet(fact).endswith("…")


@pytest.mark.parametrize(
    ("triplet", "said"),
    [
        (("Anna", "lives in", "Lisbon"), "Anna lives in Lisbon"),
        (("You", "sister", "Anna"), "Your sister is Anna"),
        (("You", "lives in", "Porto"), "You live in Porto"),
    ],
)
def test_statement(triplet: tuple[str, str, str], said: str) -> None:
    assert show.statement(told(*triplet)) == said


def test_standing_has_a_word_for_each_state() -> None:
    assert show.standing(told("a", "b", "c")).endswith("accepted")
    assert "candidate" in show.standing(told("a", "b", "c", trust=Trust.CANDIDATE))
    assert "rejected" in show.standing(told("a", "b", "c", trust=Trust.REJECTED))
    assert "past" in show.standing(told("a", "b", "c", valid_to=NOW))
    assert "superseded" in show.standing(told("a", "b", "c", valid_to=NOW, superseded_by="d"))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (Source(SourceKind.USER), "you said"),
        (Source(SourceKind.SPEAKER, speaker="An*na"), r"An\*na said"),
        (Source(SourceKind.ASSISTANT), "the assistant said"),
        (Source.tool("search"), "found by search"),
        (Source.manual(), "entered by hand"),
        (Source(SourceKind.IMPORT), "imported"),
    ],
)
def test_origin(source: Source, words: str) -> None:
    assert show.origin(source) == words


def test_quotes_come_once_and_on_one_line() -> None:
    sources = [Source(SourceKind.USER, quote=each) for each in ("a\nb", "a b", "", "c")]
    assert show.quotes(sources) == ["a b", "c"]
