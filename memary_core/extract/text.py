"""Making chat text readable for a parser, keeping track of where it came from and of what is not claimed."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from memary_core.extract import lexicon as lex
from memary_core.models import Name

MAX_PARSED = 20_000
"""Characters of a text that are read; what follows is too long to be a chat message."""

Span = tuple[int, int]

_HIDDEN = re.compile(
    r"```.*?(?:```|\Z)"  # fenced code
    r"|`[^`\n]+`"  # inline code
    r"|\b(?:https?|ftp|file)://\S+|\bwww\.\S+"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,255}(?:\.[\w-]{1,63})+"  # e-mail addresses
    r"|</?[A-Za-z!][^<>\n]*>"  # markup
    r"|(?<!\w)[@#]\w+"
    r"|(?<![\w/])(?:~|\.{1,2})?/(?:[\w.-]+/)+[\w.-]*"  # paths
    r"|(?<![\w-])[\w-]{1,64}\.(?:com|org|net|io|dev|py|js|ts|md|json|txt|csv|pdf|html|png|jpg)\b"
    r"|\b\w{1,64}\([^()\n]*[\"'][^()\n]*\)"  # calls
    r"|^[ \t]*(?:>>>|\$|def |class |import |from \w+ import|SELECT |MATCH \().*$",
    re.DOTALL | re.MULTILINE,
)
_QUOTED = re.compile(
    r"\"[^\"\n]*(?:\"|$)|“[^”\n]*(?:”|$)|«[^»\n]*(?:»|$)|„[^“”\n]*(?:[“”]|$)"
    r"|(?<![\w'])'(?=\w)(?:[^'\n]|(?<=\w)'(?=\w)){3,}?(?<=[\w.!?,])'(?!\w)"
    r"|^[ \t]*>[^\n]*$",
    re.MULTILINE,
)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_SPACES = re.compile(r"\s+")
_CLAUSE = re.compile(r"[^.!?\n]+")
_SENTENCE_START = re.compile(r"(?:\A|[.!?\n…]['\")]*)\s*(?:[-*•]\s*|\d+[.)]\s+)?([^\W\d_])")
_LINE_END = re.compile(r"(?<=[\w)'\"])[ \t]*\n(?=\s*(?:\n|[-*•]|\d+[.)]|[A-Z]|i\b))")
_BULLET = re.compile(r"^[ \t]*(?:[-*•]|\d+[.)])[ \t]+", re.MULTILINE)
_IS = re.compile(
    r"(?<=[a-z])'s(?= (?:a|an|the|called|named|not|from|allergic|married|scared|afraid|into|vegan|vegetarian)\b)"
)
_HAS = re.compile(r"(?<=[a-z])'s(?= (?:got|been)\b)")
_NAME_IS = re.compile(r"(?<=\bname)'s\b")
_AFTER_OWNER = r"(?:my|our|his|her|their|[^\W\d_]+'s)\s+(?:[a-z]+\s+){0,2}?"
_ROLE_NAME = re.compile(
    rf"\b{_AFTER_OWNER}(?P<role>[a-z]+)\s+(?P<name>[^\W\d_]+)"
    r"(?=\s*(?:[,.!?;]|$)|\s+(?:and|is|was|has|had|who|[^\W\d_]{2,}(?:s|ed))\b)"
)
_INVERTED = re.compile(
    r"\b(?:do|does|did|don't|doesn't|didn't|can|could|will|would|should|must|may|might|won't|can't)\s+$", re.IGNORECASE
)
_OWNED_NAME = re.compile(
    r"\b(?:my|our|his|her) (?:[a-z]+ ){0,2}?([a-z]+?)(?:s|(?= name))"
    r"(?= (?:name|birthday|husband|wife|boyfriend|girlfriend|favou?rite)\b)",
    re.IGNORECASE,
)
_CALLED = re.compile(r"\b(?:called|named|nicknamed|name is|call me)\s+(?P<name>[^\W\d_]+)\b")
_NAMES_IN_ES = frozenset({"james", "charles", "agnes", "ines", "andres", "moses"})
_NOT_AFTER_ROLE = frozenset(
    """is was are were has had have who that which and or but can could will would may might must should also
    really always never still just only now then in at on to from of for with by as than if when because so
    too very not does did do gets got went came made took bought said told loves likes hates lives works
    group tongue board ship nature land
    food walker joke appointment shower party company house name birthday job a an the my her his their our
    today yesterday tomorrow here there back home up down out off over about after before around again once
    already currently recently finally actually usually often sometimes used both all each me you it them
    passed fell grew left lost met owns plays runs late later later crazy when if what ya u something""".split()
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A text and its parser-friendly rewriting.

    `origins[i]` is the offset in `original` that character `i` of `parsed` stands for; they never decrease.
    `hidden` (code, addresses) and `quoted` are offsets in `original`.
    """

    original: str
    parsed: str
    origins: tuple[int, ...]
    hidden: tuple[Span, ...]
    quoted: tuple[Span, ...]

    def place(self, start: int, end: int) -> Span:
        """Where characters [start, end) of `parsed` stand in `original`."""
        return self.origins[start], self.origins[end - 1] + 1

    def find(self, start: int, end: int) -> Span:
        """Where characters [start, end) of `original` stand in `parsed`."""
        return bisect_left(self.origins, start), bisect_left(self.origins, end)


class _Draft:
    """Text under rewriting, each character with the offset it came from."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.origins = list(range(len(text)))

    def sub(self, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str | None]) -> None:
        """Put `replace(match)` for every match; None leaves it alone."""
        pieces: list[str] = []
        origins: list[int] = []
        done = 0
        for match in pattern.finditer(self.text):
            new = replace(match)
            if new is None:
                continue
            start, end = match.span()
            pieces += [self.text[done:start], new]
            origins += self.origins[done:start]
            source = self.origins[start:end] or self.origins[start - 1 : start]
            origins += [source[min(at, len(source) - 1)] for at in range(len(new))]
            done = end
        if not done:
            return
        pieces.append(self.text[done:])
        self.origins = origins + self.origins[done:]
        self.text = "".join(pieces)

    def blank(self, spans: Sequence[Span]) -> None:
        """Put one space for each of `spans`, which must not overlap. Only while nothing has moved yet."""
        for start, end in reversed(spans):
            self.text = f"{self.text[:start]} {self.text[end:]}"
            self.origins[start:end] = [start]


def prepare(text: str, known: Sequence[Name] = ()) -> Passage:
    """Leave out code, addresses and symbols, restore what people leave out, and mark quotations."""
    original = text[:MAX_PARSED]
    hidden = tuple(match.span() for match in _HIDDEN.finditer(original))
    plain = "".join(_readable(char) for char in original)
    quoted = tuple(match.span() for match in _QUOTED.finditer(plain))
    draft = _Draft(_capitals_of(plain, known))
    draft.blank(hidden)
    draft.sub(_LINE_END, lambda match: ".\n")
    draft.sub(_BULLET, lambda match: "")
    draft.sub(_SPACES, lambda match: " ")
    draft.sub(_CLAUSE, _calmed)
    draft.sub(_WORD, _spelled)
    draft.sub(re.compile(r"\bw/o?(?=\s)"), lambda match: "without" if "o" in match.group() else "with")
    draft.sub(re.compile(r"\s+(?:-{1,3}|–|—)\s+|\s*—\s*"), lambda match: ", ")
    draft.sub(_NAME_IS, lambda match: " is")
    draft.sub(_IS, lambda match: " is")
    draft.sub(_HAS, lambda match: " has")
    draft.sub(re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])"), lambda match: "_")
    draft.sub(re.compile(r"(?<=[a-z]) in laws?\b"), lambda match: match.group().replace(" ", "_"))
    draft.sub(re.compile(r"(?<=\d)-(?=\d)"), lambda match: "\u2011")
    draft.sub(_SPACES, lambda match: " ")
    draft.sub(re.compile(r"\s+(?=[.,!?;:](?:\s|\Z))"), lambda match: "")
    draft.sub(re.compile(r"([.!?])[.!?]+"), lambda match: "?" if "?" in match.group() else match.group()[0])
    draft.sub(re.compile(r"\A[\s.,;]+"), lambda match: "")
    draft.sub(_OWNED_NAME, _apostrophe)
    draft.sub(_ROLE_NAME, _role_named)
    draft.sub(_CALLED, lambda match: _with_capital(match) if match["name"] not in _NOT_AFTER_ROLE else None)
    draft.sub(_SENTENCE_START, lambda match: match.group()[:-1] + _upper(match.group(1)))
    return Passage(original, draft.text, tuple(draft.origins), hidden, quoted)


def overlaps(start: int, end: int, spans: Iterable[Span]) -> bool:
    """Does [start, end) share a character with one of `spans`?"""
    return any(start < right and left < end for left, right in spans)


def _readable(char: str) -> str:
    if char in "’‘`´":
        return "'"
    if char in "“”„«»":
        return '"'
    if char in "\n\t " or char.isalnum():
        return char
    category = unicodedata.category(char)
    blank = category[0] in "CZ" or category in {"So", "Sk", "Me"} or "\ufe00" <= char <= "\ufe0f"
    return " " if blank else char


def _capitals_of(plain: str, known: Sequence[Name]) -> str:
    chars = list(plain)
    for name in known:
        if 0 <= name.start < name.end <= len(chars):
            for word in _WORD.finditer(plain, name.start, name.end):
                chars[word.start()] = _upper(chars[word.start()])
    return "".join(chars)


def _calmed(match: re.Match[str]) -> str | None:
    """Shouting in lower case."""
    words = [word for word in _WORD.findall(match.group()) if len(word) > 1]
    shouted = len(words) > 1 and all(word.isupper() for word in words)
    return "".join(_lower(char) for char in match.group()) if shouted else None


def _spelled(match: re.Match[str]) -> str | None:
    word = match.group()
    low = word.lower()
    if low in lex.CHATTER and not (len(word) > 1 and word.isupper()):
        return ""
    if low in lex.SENTENCE_BREAKS:
        return ". "
    new = lex.SPELLINGS.get(low)
    if new is not None and not word.isupper():
        return _upper(new[0]) + new[1:] if word[0].isupper() else new
    return "I" + word[1:] if low == "i" or low.startswith("i'") else None


def _apostrophe(match: re.Match[str]) -> str | None:
    """*my dogs name* as *my dog's name*."""
    known = match.group(1).lower() in lex.PERSON_ROLES | lex.PETS
    whole = match.group()
    stem = whole[:-1] if match.end() > match.end(1) else whole
    return f"{stem}'s" if known else None


def _role_named(match: re.Match[str]) -> str | None:
    name = match["name"]
    if match["role"] not in lex.PERSON_ROLES | lex.PETS or name in _NOT_AFTER_ROLE:
        return None
    if _INVERTED.search(match.string[: match.start()]):
        return None  # *where does my sister live*
    sure = re.match(r"\s+(?:is|was|has|had|who)\b", match.string[match.end() :])
    if _verb_like(name) and not sure:
        return None
    return _with_capital(match)


def _with_capital(match: re.Match[str]) -> str:
    at = match.start("name") - match.start()
    whole = match.group()
    return whole[:at] + _upper(whole[at]) + whole[at + 1 :]


def _verb_like(word: str) -> bool:
    if word in _NAMES_IN_ES:
        return False
    return word.endswith(("ed", "ing", "ly")) or (word.endswith("s") and not word.endswith(("as", "is", "os", "us")))


def _upper(char: str) -> str:
    return char.upper() if len(char.upper()) == 1 else char


def _lower(char: str) -> str:
    return char.lower() if len(char.lower()) == 1 else char
