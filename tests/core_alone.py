"""Run by itself in an environment that has only numpy, filelock and a database driver: the core works there."""

from __future__ import annotations

import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from memary_core import Memory, Settings


def main() -> None:
    """Observe, mention, recall and reopen, without anything that the core may not need."""
    extra = [name for name in ("spacy", "streamlit", "llama_index", "pyvis", "openai", "pandas") if find_spec(name)]
    if extra and "--strict" in sys.argv:
        sys.exit(f"This environment is not bare: it has {', '.join(extra)}.")
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder))
        with Memory.open("alice", settings) as memory:
            memory.observe("Yesterday I met Anna in Lisbon.")
            memory.mention(["Anna"])
            recalled = memory.recall("What did I say about anna?")
            assert "Yesterday I met Anna in Lisbon." in recalled.text, recalled
        with Memory.open("alice", settings) as memory:
            assert [(each.name, each.count) for each in memory.salience.top(2)] == [("Anna", 2), ("Lisbon", 1)]
    print("The core works alone: 1 passed, 0 failed")


if __name__ == "__main__":
    main()
