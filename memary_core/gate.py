"""The gate: can memory help with this message at all, and why. Pure; no model is asked.

A message opens it by naming somebody or something known, or by asking for what only the speaker's own life answers:
what was said, their past, people, things, tastes and plans. Small talk, sums, work on a text that the message itself
holds and questions about the world get no memory. Only what is asked counts: *My textbook is old. Why is the sky
blue?* is a question about the sky.

`gate_rules.json` is the table behind it: classes of words (`_` is a space), and patterns of whole words that may name
a class as `<class>`. The pattern `generic` takes away an *I*, *my* or *we* that means anybody (*how do I boil an
egg*); what is left of them means the speaker.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from memary_core.models import Gate

LONGEST = 2_000
"""Characters read at either end of a long message: there stands what a person asks."""

LETTER = re.compile(r"[^\W\d_]")
_QUOTED = re.compile(
    r"“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|\"[^\"\n]*\"|(?<!\w)'[^\n]{1,300}?'(?!\w)|`[^`]*`|https?://\S+"
)
_SENTENCE = re.compile(r"(?<=[.!?…;])\s+|\n+|\s+[-–—]+\s+")
_PART = re.compile(r"[,:;]\s+|[()]")
_GIVEN = re.compile(r"[:.!?]\s|\n")
_ONE = re.compile(r"\b(?:he|she|him|her|his|hers)\b")
_DOING = re.compile(r".*[aeiouy].*(?:ing|ed)")
_NUMBER = re.compile(r"\d[\d.,]*")
UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1fff\u3040-\ud7af]")
_NAME = re.compile(r"(?<=[\w,] )(?!I\b)[^\W\d_a-z][\w'-]+")


@lru_cache(maxsize=1)
def _rules() -> Mapping[str, Any]:
    """`gate_rules.json`, read once, when first needed."""
    table = resources.files("memary_core").joinpath("gate_rules.json")
    loaded: Mapping[str, Any] = json.loads(table.read_text("utf-8"))
    return loaded


@cache
def words(name: str) -> frozenset[str]:
    """A class of words or short phrases of the table."""
    return frozenset(each.replace("_", " ") for each in _rules()["words"][name].split())


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Any of a list of patterns of the table, the longest first."""

    def either(match: re.Match[str]) -> str:
        listed = _rules()["words"][match[1]].replace(" ", "|").replace("_", " ")
        return f"(?:{listed})" + ("(?:s|es)?" if match[1] == "kin" else "")

    parts = sorted(_rules()["patterns"][name], key=len, reverse=True)
    whole = "|".join(re.sub(r"<([a-z ]+)>", either, part) for part in parts)
    return re.compile(whole if name.startswith("unspaced") or name == "code" else rf"(?<!\w)(?:{whole})(?!\w)", re.M)


def ordinary(word: str) -> bool:
    """Is it a word that stands beside names rather than in them (*does*, *with*, *lives*, *birthday*), or none?"""
    beside = ("particle", "pronoun", "aux", "attribute", "title", "kin")
    return not word or is_verb(word) or word.endswith("ly") or any(word in words(each) for each in beside)


def is_verb(word: str) -> bool:
    """Is it, in lower case, a form of a common verb, or does it end like one?"""
    forms = (word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("d"))
    return bool(_DOING.fullmatch(word)) or any(each in words("verb") for each in forms)


def gate(text: str, named: Sequence[str] = ()) -> Gate:
    """Decide for one message. `named`: the display names of what it names, as `meant` finds it, and of speakers."""
    return Gate(True, "names " + _listed(named)) if named else _decide(text)


def _listed(names: Sequence[str]) -> str:
    shown = [name if len(name) <= 40 else name[:39] + "…" for name in dict.fromkeys(names)]
    return ", ".join(shown[:3]) + (f" and {len(shown) - 3} more" if len(shown) > 3 else "")


@lru_cache(maxsize=64)
def _decide(text: str) -> Gate:
    """Decide by what is asked, whatever the message may name."""
    if not LETTER.search(text):
        return Gate(False, "is a sum" if re.search(r"\d", text) else "holds no words")
    plain = _plain(text)
    prose = plain[: given_from(plain)]
    prose = _QUOTED.sub(" ", prose) if LETTER.search(_QUOTED.sub("", prose)) else prose
    low = prose.lower()
    if _foreign(low):
        return _decide_foreign(low)
    if not LETTER.search(pattern("small talk").sub(" ", low)):
        return Gate(False, "small talk")
    found = [_decide_ask(ask, low, prose, len(prose) < len(plain)) for ask in _asked(low)]
    nothing = Gate(False, "asks nothing of memory, and names nothing known")
    return next((each for each in found if each.open), found[-1] if found else nothing)


def asks_in_english(text: str) -> bool:
    """Does the message ask or request anything, in English?"""
    low = _plain(text).lower()
    return not _foreign(low) and any(_asked(low))


def _plain(text: str) -> str:
    """The message with one kind of apostrophe, cut in the middle where it is long."""
    plain = text.replace("’", "'").replace("`s ", "'s ")
    return plain if len(plain) <= 2 * LONGEST else plain[:LONGEST] + "\n" + plain[-LONGEST:]


def given_from(plain: str) -> int:
    """Where the text begins that the message gives to be worked on, or its code; the message's end if there is none."""
    if len(plain) > 2 * LONGEST + 1:
        return len(plain)
    code = pattern("code").search(plain)
    if not code and not any(pattern("work").match(ask.text) for ask in _asked(plain.lower())):
        return len(plain)
    work = pattern("work").search(plain.lower())
    cut = _GIVEN.search(plain, work.start() if work else 0)
    return min(cut.start() if cut else len(plain), code.start() if code and code.start() else len(plain))


@dataclass(frozen=True, slots=True)
class _Ask:
    """A part of the message that asks something, in lower case and without its lead-in, and what stands before it."""

    text: str
    before: str


def _asked(low: str) -> Iterator[_Ask]:
    """The parts of a message, given in lower case, that ask or request something."""
    before = ""
    for sentence in _SENTENCE.split(low):
        marked = sentence.rstrip(" \"')").endswith(("?", "？"))
        parts = [each.strip(" .!?…'\"") for each in _PART.split(sentence)]
        number, ask = _asking(parts, marked)
        if marked and (not ask or pattern("tag").fullmatch(ask)):
            number, ask = 0, ", ".join(_without_lead(part)[0] for part in parts).strip(" ,")
        if ask:
            yield _Ask(ask, " ".join([before, *parts[:number]]).strip())
        before = f"{before} {sentence}".strip()


def _asking(parts: Sequence[str], marked: bool) -> tuple[int, str]:
    """Which of a sentence's parts begins to ask, and what is asked from there on; empty if none does."""
    for number, part in enumerate(parts):
        rest, led = _without_lead(part)
        if number == 1 and pattern("fragment").fullmatch(rest) and len(parts[0].split()) < 5:
            return 0, f"{_without_lead(parts[0])[0]}, {rest}"
        whole = led or _opens(rest) or (marked and rest.startswith("which "))
        buried = None if whole else pattern("buried").search(rest)
        if whole or buried:
            return number, ", ".join([rest[buried.start() if buried else 0 :], *parts[number + 1 :]]).strip(" ,")
    return 0, ""


def _without_lead(part: str) -> tuple[str, bool]:
    """A part without *so*, *please* and *could you tell me*, and whether that asked something already."""
    led = False
    while part:
        lead = pattern("asking lead").match(part) or pattern("lead").match(part)
        if not lead or not lead.end():
            break
        led = led or lead.re is pattern("asking lead")
        part = part[lead.end() :].lstrip(" ,.!-:")
    return part, led and bool(part)


def _opens(part: str) -> bool:
    return any(pattern(each).match(part) for each in ("question", "inverted", "request"))


def _decide_ask(ask: _Ask, low: str, prose: str, given: bool) -> Gate:
    """Decide for one thing that is asked."""
    own = " ".join(pattern("generic").sub(" ", ask.text).split())
    if pattern("trouble").search(ask.text):
        own = pattern("thing of anybody").sub(" ", own)
    if pattern("remembered").search(own) or pattern("told you").search(low):
        return Gate(True, "asks what was said")
    if pattern("translation").match(ask.text) or (given and pattern("work").match(ask.text)):
        return Gate(False, "asks for work on a text")
    if len(_NUMBER.findall(low)) > 1 and pattern("sum").match(ask.text) and not re.search(r"\b(?:did|have) i\b", own):
        return Gate(False, "is a sum")
    if pattern("advice").search(own):
        return Gate(True, "asks for advice")
    if pattern("own").search(own):
        return Gate(True, "asks about you")
    names = [each for each in _NAME.findall(prose) if not {each.lower()} & (words("month") | words("today"))]
    if not names and _follows(ask):
        return Gate(True, "asks about somebody named before")
    plainly = own == " ".join(ask.text.split()) and not (pattern("request").match(own) or pattern("world").search(own))
    day = plainly and not names and pattern("day").search(own)
    if pattern("life").search(ask.text) or day or (len(names) == 1 and pattern("of someone").search(ask.text)):
        return Gate(True, "asks what memory may hold")
    if pattern("work").match(ask.text):
        return Gate(False, "asks for work on a text")
    return Gate(False, "asks about the world, and names nothing known")


def _follows(ask: _Ask) -> bool:
    """Does it ask about *him* or *her* where nothing in the message says who that is?"""
    left = pattern("lead").sub(" ", pattern("small talk").sub(" ", ask.before))
    if LETTER.search(left) and not pattern("own").search(ask.before):
        return False
    one = _ONE.search(ask.text)
    bare = one and all(ordinary(each) for each in ask.text[: one.start()].replace(",", "").split())
    return bool(bare or pattern("follow-up").fullmatch(ask.text))


def _foreign(low: str) -> bool:
    """Is the message in another language than English?"""
    if len(_OTHER_SCRIPT.findall(low)) * 2 > len(LETTER.findall(low)):
        return True
    found = set(re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", low))
    if found & words("english") or any(each.startswith(("i'", "what'")) for each in found):
        return False
    return any(pattern(f"foreign {each}").search(low) for each in ("question", "own", "greeting"))


def _decide_foreign(low: str) -> Gate:
    """Decide for a message in another language, by its first person and its question words."""
    unspaced = bool(UNSPACED.search(low))
    kind = "unspaced" if unspaced else "foreign"
    asks = "?" in low or "？" in low or bool(pattern(f"{kind} question").search(low))
    if asks and not unspaced and pattern("foreign recall").search(low):
        return Gate(True, "asks what was said")
    if asks and not pattern("foreign how-to").search(low):
        if pattern(f"{kind} own").search(low):
            return Gate(True, "asks about you")
        if pattern(f"{kind} follow-up").search(low) and len(low) < 60:
            return Gate(True, "asks about somebody named before")
    if pattern(f"{kind} greeting").search(low):
        return Gate(False, "small talk")
    return Gate(False, "asks about the world, and names nothing known" if asks else "asks nothing of memory")
