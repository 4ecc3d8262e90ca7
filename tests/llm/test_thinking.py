from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memary_core.errors import ModelError
from memary_core.llm.thinking import visible


def shown(*pieces: str) -> str:
    return "".join(visible(pieces))


@pytest.mark.parametrize(
    ("said", "seen"),
    [
        ("Lisbon.", "Lisbon."),
        ("<think>She moved.</think>Lisbon.", "Lisbon."),
        ("\n<think>\nShe moved.\n</think>\n\nLisbon.\n", "Lisbon.\n"),
        ("In <think>hm</think>Lisbon.", "In Lisbon."),
        ("<THINK>hm</Think>Lisbon.", "Lisbon."),
        ("<think></think><think>a < b</think>Lisbon.", "Lisbon."),
        ("<think>a <think> b</think>Lisbon.", "Lisbon."),
        ("</think>Lisbon.", "Lisbon."),
        ("<think>never done", ""),
        ("The tag <think> opens a thought.", "The tag <think> opens a thought."),
        ("1 < 2 <thin", "1 < 2 <thin"),
        ("<thinking>", "<thinking>"),
        ("", ""),
    ],
)
def test_what_is_seen_does_not_depend_on_the_pieces(said: str, seen: str) -> None:
    assert shown(said) == seen
    assert shown(*said) == seen
    for at in range(len(said)):
        assert shown(said[:at], "", said[at:]) == seen


@given(st.lists(st.sampled_from(["<think>", "</think>", "<", ">", "think", "/", "İ", "<Th", " a", "\n"])), st.data())
def test_any_cut_gives_the_same(parts: list[str], data: st.DataObject) -> None:
    said = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(said)), max_size=6)))
    pieces = [said[start:end] for start, end in zip([0, *cuts], [*cuts, len(said)], strict=True)]
    assert shown(*pieces) == shown(said)


def test_text_comes_as_soon_as_it_cannot_be_a_tag() -> None:
    pieces = visible(iter(["Lis", "bon <t", "ea"]))
    assert [next(pieces), next(pieces), next(pieces)] == ["Lis", "bon ", "<tea"]


def test_what_was_visible_stays_when_the_model_breaks() -> None:
    def breaking(*said: str) -> Iterator[str]:
        yield from said
        raise ModelError("gone")

    for said, seen in ((["Lisbon <th"], "Lisbon <th"), (["Lisbon <think>but"], "Lisbon ")):
        got = []
        with pytest.raises(ModelError):
            for piece in visible(breaking(*said)):
                got.append(piece)
        assert "".join(got) == seen
