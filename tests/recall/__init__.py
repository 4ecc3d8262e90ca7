"""Recall: what reaches a prompt, and when nothing should.

`gate_gold.jsonl` was written before the gate's rules. One message a line:
`{"known": [...], "aliases": {...}, "text": "...", "memory": true, "note": "..."}`. `known` are the names memory has
(besides You), `aliases`, where given, lead from another name to one of them; `memory` says whether memory can help
with `text`, `note` why. There is no conversation before the message.
"""
