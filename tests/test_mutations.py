"""The product, broken on purpose: one small change at a time, and for each a named test must fail.

A mutant is the package with one piece of text replaced, in a folder of its own. That the tests pass on the
package as it is, the rest of the suite shows.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

MUTANTS = {
    "sort reversed": (
        "salience.py",
        "return (-row.weight, -row.count, -row.last, entity_id)",
        "return (row.weight, row.count, -row.last, entity_id)",
        "test_salience.py::test_top_returns_the_highest_not_the_lowest",
    ),
    "least mentioned injected": (
        "salience.py",
        "least = np.partition(ranked, len(ranked) - k)[len(ranked) - k]",
        "least = np.partition(ranked, k - 1)[k - 1]; ranked = np.where(ranked <= least, 1.0, _NEVER); least = 0.0",
        "test_most_mentioned.py",
    ),
    "gate always open": (
        "recall.py",
        "if not decided.open:",
        "if False:",
        "test_memory.py::test_a_message_that_needs_no_memory_gets_none",
    ),
    "trust filter dropped": (
        "recall.py",
        "else {Trust.ACCEPTED}",
        "else set(Trust)",
        "test_memory.py::test_only_accepted_facts_reach_a_prompt",
    ),
    "everything accepted at birth": (
        "belief.py",
        "return Trust.ACCEPTED if (source.kind, source.extractor) in _BELIEVED else Trust.CANDIDATE",
        "return Trust.ACCEPTED",
        "test_memory.py::test_only_what_the_owner_says_is_accepted_at_birth",
    ),
    "scope dropped from a query": (
        "graph/select.py",
        '_ALL = "MATCH ()-[f:MEMARY_FACT]->() WHERE f.scope = $scope"',
        "_ALL = \"MATCH ()-[f:MEMARY_FACT]->() WHERE $scope <> ''\"",
        "graph/test_contract.py::test_two_scopes_in_one_database_never_meet",
    ),
    "fence removed": (
        "prompt.py",
        "return _DATA.format(fence=name, what=what, content=harmless)",
        "return content",
        "test_prompt.py::test_a_recall_says_that_it_is_data",
    ),
    "echo counted": (
        "stream_events.py",
        "COUNTED = frozenset({SourceKind.USER.value, SourceKind.MANUAL.value})",
        "COUNTED = frozenset(each.value for each in SourceKind)",
        "test_memory.py::test_the_assistants_words_raise_no_count_and_teach_nothing",
    ),
    "a set count lost to later mentions": (
        "salience.py",
        "row.count += 1",
        "row.count = row.count + 1 if row.count < 9 else 9",
        "test_salience.py::test_counts_and_scores_equal_a_plain_recomputation",
    ),
    "decay by arrival instead of time": (
        "salience.py",
        "row.weight = log2_add(row.weight, at / self.half_life)",
        "row.weight = log2_add(row.weight, max(at, row.last) / self.half_life)",
        "test_salience.py::test_counts_and_scores_equal_a_plain_recomputation",
    ),
    "case tells entities apart": (
        "identity.py",
        'unicodedata.normalize("NFKC", text).casefold()',
        'unicodedata.normalize("NFKC", text)',
        "test_identity.py::test_spellings_of_one_name_have_one_key",
    ),
    "hand edits ignored": (
        "hand_edits.py",
        "if count != old.count or entity.id not in identities:",
        "if False:",
        "test_entity_store.py::test_nine_by_hand_then_one_mention_is_ten",
    ),
    "a fence that its content can close": (
        "prompt.py",
        '_ANGLE.sub("‹", content.strip())',
        "content.strip()",
        "test_prompt.py::test_nothing_inside_a_fence_closes_it",
    ),
    "a torn line swallows the next": (
        "log.py",
        'if rest.strip() and not rest.endswith(b"\\n"):',
        "if False:",
        "test_log.py::test_an_unfinished_last_line_is_left_by_readers_and_set_aside_by_the_next_writer",
    ),
    "another scope's folder accepted": (
        "log.py",
        'if head.get("scope", self.scope) != self.scope:',
        "if False:",
        "test_log.py::test_another_scopes_log_is_refused",
    ),
    "a cut-off turn read twice": (
        "capture.py",
        "done = self._mentioned_in(turn) if turn.id in self._recovering else set()",
        "done: set[str] = set()",
        "test_memory.py::test_a_turn_whose_reading_was_cut_off_is_read_at_the_next_start",
    ),
    "recall ignores its budget": (
        "recall.py",
        "if used + cost <= ask.budget:",
        "if True:",
        "test_memory.py::test_a_limit_and_a_budget_hold",
    ),
    "dropping from attention forgets the entity": (
        "stream_events.py",
        "attention.drop(entity.id)",
        "attention.drop(entity.id); identities.__init__(identities.you)",
        "test_memory.py::test_dropping_from_attention_leaves_belief",
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_broken_product_fails_a_named_test(tmp_path: Path, name: str) -> None:
    file, old, new, test = MUTANTS[name]
    compiled = shutil.ignore_patterns("__pycache__")
    package = shutil.copytree(ROOT / "memary_core", tmp_path / "memary_core", ignore=compiled)
    tests = shutil.copytree(ROOT / "tests", tmp_path / "tests", ignore=compiled)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    source = (package / file).read_text("utf-8")
    assert source.count(old) == 1, f"the mutant {name!r} no longer fits {file}"
    (package / file).write_text(source.replace(old, new), "utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", str(tests / test)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert run.returncode == 1, f"{test} does not notice {name!r}:\n{run.stdout[-2000:]}{run.stderr[-500:]}"
    assert " failed" in run.stdout
