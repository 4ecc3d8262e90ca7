from __future__ import annotations

import json
from pathlib import Path

import pytest

from memary_core.ops.command import main

LOCOMO = {
    "speaker_a": "Ana",
    "speaker_b": "Tom",
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [
        {"speaker": "Ana", "dia_id": "D1:1", "text": "I adopted a grey parrot called Kiwi."},
        {"speaker": "Tom", "dia_id": "D1:2", "text": "Lovely, the weather here is dull."},
    ],
    "session_2_date_time": "10:37 am on 27 June, 2023",
    "session_2": [
        {"speaker": "Tom", "dia_id": "D2:1", "text": "Look at this.", "blip_caption": "a photo of a sailing boat"},
        {"speaker": "Ana", "dia_id": "D2:2", "text": "Have you been to the mountains?"},
    ],
    "qa": [
        {"question": "What did Ana adopt?", "answer": "a parrot", "evidence": ["D1:1"], "category": 4},
        {"question": "What boat is in the photo Tom showed?", "answer": "sailing", "evidence": ["D2:1"], "category": 1},
        {"question": "What did Ana sell?", "answer": None, "evidence": ["D1:1"], "category": 5},
        {"question": "When did Ana adopt?", "answer": "May", "evidence": ["D9:9"], "category": 2},
    ],
}
LONGMEMEVAL = [
    {
        "question_id": "one",
        "question_type": "single-session-user",
        "question": "What instrument do I play?",
        "haystack_session_ids": ["a", "b", "c"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 02:21", "2023/05/22 (Mon) 02:21"],
        "haystack_sessions": [
            [{"role": "user", "content": "Recommend a restaurant."}, {"role": "assistant", "content": "Try the pier."}],
            [{"role": "user", "content": "I play the cello, what strings are good?"}],
            [{"role": "user", "content": "How do I descale a kettle?"}],
        ],
        "answer_session_ids": ["b"],
    },
    {
        "question_id": "two_abs",
        "question_type": "single-session-user",
        "question": "What do I fly?",
        "haystack_session_ids": [],
        "haystack_dates": [],
        "haystack_sessions": [],
        "answer_session_ids": ["a"],
    },
]


def row(out: str, name: str) -> list[str]:
    [line] = [line for line in out.splitlines() if line.startswith(name)]
    return line.removeprefix(name).split()


def test_locomo_is_read_asked_and_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "1.json").write_text(json.dumps(LOCOMO))
    assert main(["bench", "locomo", str(tmp_path), "--plot", str(tmp_path / "plot.html")]) == 0
    out = capsys.readouterr().out
    assert row(out, "all questions")[:2] == ["2", "1.000"]
    assert row(out, "multi-hop")[0] == row(out, "single-hop")[0] == "1"
    assert "recall@k" in (tmp_path / "plot.html").read_text("utf-8")


def test_longmemeval_takes_sessions_as_documents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "long.json"
    file.write_text(json.dumps(LONGMEMEVAL))
    assert main(["bench", "longmemeval", str(file)]) == 0
    assert row(capsys.readouterr().out, "all questions")[:2] == ["1", "1.000"]


def test_a_missing_path_is_an_error_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "locomo", str(tmp_path / "none")]) == 1
    assert "There is nothing at" in capsys.readouterr().err
