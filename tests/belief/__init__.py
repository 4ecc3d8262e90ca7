"""Belief: what a statement does to the facts there are.

`sequences_gold.jsonl` was written before the rules of supersession. One sequence a line:
`{"said": [["2026-01-05", "Anna lives in Lisbon."], ...], "open": [...], "closed": [...], "conflict": [...]}`.
`said` are the owner's messages in the order they arrive, which need not be that of their dates; of one date, neither
was said first unless its words tell (*actually*). At the end, each triplet

- in `open` is a current fact. Facts not listed may be current or not;
- in `closed` is a superseded fact. One that is also in `open` was closed, and opened again as another fact;
- in a pair in `conflict` is current, and the pair is recorded for a person to decide.

Predicates are those of `tests/extract/gold.jsonl`, as the message has them. Of those that mean the same (*moved to*,
*lives in*) any will do for an open fact that was told twice.
"""
