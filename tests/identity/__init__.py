"""Identity: which names belong to one thing.

`pairs_gold.jsonl` was written before the rules for aliases, kinds and suggestions. One pair a line:
`{"a": ..., "b": ..., "verdict": "join", "said": "...", "why": "..."}`. A side is a name, or
`{"name", "kind", "facts": [[predicate, object], ...]}`. `said`, where given, is a sentence of the owner's. The verdict:

- `join`: one thing without asking, by equal canonical keys or by an alias that `said` states;
- `apart`: neither joined nor suggested;
- `ask`: likely one thing; never joined without a person, to be suggested in Review.
"""
