"""How many tokens a text takes, where no tokenizer is at hand. Pure."""

from __future__ import annotations

from math import ceil


def estimate_tokens(text: str) -> int:
    """Tokens in `text`, for a model whose tokenizer is not at hand; meant to err upwards.

    Byte-pair vocabularies give about one token for four ASCII letters of prose, one for a digit, and for text
    of other scripts about one for two bytes of UTF-8.
    """
    digits = sum("0" <= character <= "9" for character in text)
    others = sum(character < "\x80" for character in text) - digits
    wide = len(text.encode("utf-8", "surrogatepass")) - digits - others
    return ceil(1.1 * digits + others / 3.2 + wide / 1.6)
