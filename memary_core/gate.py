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

from memary_core.identity import Identities
from memary_core.models import Entity, Gate, Kind

LONGEST = 2_000
"""Characters read at either end of a long message: there stands what a person asks."""

_LETTER = re.compile(r"[^\W\d_]")
_TOKEN = re.compile(r"[^\W_]+(?:['-][^\W_]+)*|[^\w\s]|\n")
_QUOTED = re.compile(
    r"“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|\"[^\"\n]*\"|(?<!\w)'[^\n]{1,300}?'(?!\w)|`[^`]*`|https?://\S+"
)
_SENTENCE = re.compile(r"(?<=[.!?…;])\s+|\n+|\s+[-–—]+\s+")
_PART = re.compile(r"[,:;]\s+|[()]")
_GIVEN = re.compile(r"[:.!?]\s|\n")
_NUMBER = re.compile(r"\d[\d.,]*")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1fff\u3040-\ud7af]")
_NAME = re.compile(r"(?<=[\w,] )(?!I\b)[^\W\d_a-z][\w'-]+")


@lru_cache(maxsize=1)
def _rules() -> Mapping[str, Any]:
    """`gate_rules.json`, read once, when first needed."""
    table = resources.files("memary_core").joinpath("gate_rules.json")
    loaded: Mapping[str, Any] = json.loads(table.read_text("utf-8"))
    return loaded


@cache
def _class(name: str) -> frozenset[str]:
    return frozenset(_rules()["words"][name].replace("_", " ").split(" ")) | frozenset(_rules()["words"][name].split())


@cache
def _pattern(name: str) -> re.Pattern[str]:
    def either(match: re.Match[str]) -> str:
        words = _rules()["words"][match[1]].replace(" ", "|").replace("_", " ")
        return f"(?:{words})" + ("(?:s|es)?" if match[1] == "kin" else "")

    whole = "|".join(re.sub(r"<([a-z ]+)>", either, part) for part in _rules()["patterns"][name])
    return re.compile(whole if name.startswith("unspaced") or name == "code" else rf"(?<!\w)(?:{whole})(?!\w)", re.M)


def gate(text: str, named: Sequence[str] = ()) -> Gate:
    """Decide for one message. `named`: the display names of what it names, as `meant` finds it, and of speakers."""
    return Gate(True, "names " + _listed(named)) if named else _decide(text)


def _listed(names: Sequence[str]) -> str:
    shown = [name if len(name) <= 40 else name[:39] + "…" for name in dict.fromkeys(names)]
    return ", ".join(shown[:3]) + (f" and {len(shown) - 3} more" if len(shown) > 3 else "")


@lru_cache(maxsize=64)
def _decide(text: str) -> Gate:
    """Decide by what is asked, whatever the message may name."""
    if not _LETTER.search(text):
        return Gate(False, "is a sum" if re.search(r"\d", text) else "holds no words")
    plain = _plain(text)
    prose = plain[: _given(plain)]
    prose = _QUOTED.sub(" ", prose) if _LETTER.search(_QUOTED.sub("", prose)) else prose
    low = " ".join(prose.lower().split(" "))
    if _foreign(low):
        return _decide_foreign(low)
    if not _LETTER.search(_pattern("small talk").sub(" ", low)):
        return Gate(False, "small talk")
    closed = Gate(False, "asks nothing of memory, and names nothing known")
    for ask in _asked(low):
        found = _decide_ask(ask, low, prose, len(prose) < len(plain))
        if found.open:
            return found
        closed = found
    return closed


def _plain(text: str) -> str:
    """The message with one kind of apostrophe, cut in the middle where it is long."""
    plain = text.replace("’", "'").replace("`s ", "'s ")
    return plain if len(plain) <= 2 * LONGEST else plain[:LONGEST] + "\n" + plain[-LONGEST:]


def _given(plain: str) -> int:
    """Where the text begins that the message gives to be worked on, or its code; the message's end if there is none."""
    code = _pattern("code").search(plain)
    if not code and not any(_pattern("work").match(ask.text) for ask in _asked(plain.lower())):
        return len(plain)
    work = _pattern("work").search(plain.lower())
    cut = _GIVEN.search(plain, work.end() if work else 0)
    return min(cut.start() if cut else len(plain), code.start() if code and code.start() else len(plain))


@dataclass(frozen=True, slots=True)
class _Ask:
    """A part of the message that asks something, in lower case and without its lead-in, and what stands before it."""

    text: str
    before: str


def _asked(low: str) -> Iterator[_Ask]:
    """The parts of a message that ask or request something."""
    before = ""
    for sentence in _SENTENCE.split(low):
        marked = sentence.rstrip(" \"')").endswith(("?", "？"))
        parts = [each.strip(" .!?…'\"") for each in _PART.split(sentence)]
        ask = ""
        for number, part in enumerate(parts):
            rest, led = _without_lead(part)
            buried = _pattern("buried").search(rest)
            if led or _opens(rest) or buried:
                start = buried.start() if buried and not (led or _opens(rest)) else 0
                ask = ", ".join([rest[start:], *parts[number + 1 :]]).strip(" ,")
                before += " " + ", ".join(parts[:number])
                break
        if marked and (not ask or _pattern("tag").fullmatch(ask)):
            ask = ", ".join(_without_lead(part)[0] for part in parts).strip(" ,")
        if ask:
            yield _Ask(ask, before.strip(" ,"))
        before += " " + sentence


def _without_lead(part: str) -> tuple[str, bool]:
    """A part without *so*, *please* and *could you tell me*, and whether that asked something already."""
    led = False
    while part:
        lead = _pattern("asking lead").match(part) or _pattern("lead").match(part)
        if not lead or not lead.end():
            break
        led = led or lead.re is _pattern("asking lead")
        part = part[lead.end() :].lstrip(" ,.!-:")
    return part, led and bool(part)


def _opens(part: str) -> bool:
    return any(_pattern(each).match(part) for each in ("question", "inverted", "request"))


def _decide_ask(ask: _Ask, low: str, prose: str, given: bool) -> Gate:
    """Decide for one thing that is asked."""
    own = _pattern("generic").sub(" ", ask.text)
    if _pattern("trouble").search(ask.text):
        own = re.sub(r"\b(?:when|before|after|while) (?:i|we)\b", " ", own)
        own = re.sub(rf"\bmy (?!{_mine()})[\w-]+(?!'s)\b", " ", own)
    if _pattern("remembered").search(own) or _pattern("told you").search(low):
        return Gate(True, "asks what was said")
    if _pattern("translation").match(ask.text) or (given and _pattern("work").match(ask.text)):
        return Gate(False, "asks for work on a text")
    about_me = _pattern("own").search(own)
    if len(_NUMBER.findall(low)) > 1 and _pattern("sum").match(ask.text) and not re.search(r"\b(?:did|have) i\b", own):
        return Gate(False, "is a sum")
    advice = _pattern("advice").search(own)
    if advice:
        return Gate(True, "asks for advice")
    if about_me:
        return Gate(True, "asks about you")
    names = [each for each in _NAME.findall(prose) if each.lower() not in _class("month")]
    if _pattern("follow-up").fullmatch(ask.text) and (not ask.before or _follows(ask.before)) and not names:
        return Gate(True, "asks about somebody named before")
    if _pattern("life").search(ask.text) or (len(names) == 1 and _pattern("of someone").search(ask.text)):
        return Gate(True, "asks what memory may hold")
    if _pattern("work").match(ask.text):
        return Gate(False, "asks for work on a text")
    return Gate(False, "asks about the world, and names nothing known")


def _follows(before: str) -> bool:
    """Does what stands before a question speak of the speaker, or say nothing at all?"""
    left = _pattern("lead").sub(" ", _pattern("small talk").sub(" ", before))
    return bool(_pattern("own").search(before)) or not _LETTER.search(left)


@lru_cache(maxsize=1)
def _mine() -> str:
    kin, own = (_rules()["words"][each].replace(" ", "|") for each in ("kin", "own"))
    return rf"(?:\w+ )?(?:{kin}|{own})(?:s|es)?\b"


def _foreign(low: str) -> bool:
    """Is the message in another language than English?"""
    if len(_OTHER_SCRIPT.findall(low)) * 2 > len(_LETTER.findall(low)):
        return True
    words = set(re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", low))
    if words & _class("english") or any(each.startswith(("i'", "what'")) for each in words):
        return False
    return any(_pattern(f"foreign {each}").search(low) for each in ("question", "own", "greeting"))


def _decide_foreign(low: str) -> Gate:
    """Decide for a message in another language, by its first person and its question words."""
    unspaced = bool(_UNSPACED.search(low))
    kind = "unspaced" if unspaced else "foreign"
    asks = "?" in low or "？" in low or bool(_pattern(f"{kind} question").search(low))
    if asks and not unspaced and _pattern("foreign recall").search(low):
        return Gate(True, "asks what was said")
    if asks and not _pattern("foreign how-to").search(low):
        if _pattern(f"{kind} own").search(low):
            return Gate(True, "asks about you")
        if _pattern(f"{kind} follow-up").search(low) and len(low) < 60:
            return Gate(True, "asks about somebody named before")
    if _pattern(f"{kind} greeting").search(low):
        return Gate(False, "small talk")
    return Gate(False, "asks about the world, and names nothing known" if asks else "asks nothing of memory")


@dataclass(frozen=True, slots=True)
class _Place:
    """A known name in a message, and up to three words before (nearest first) and after it; a sign ends them."""

    entity: Entity
    surface: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    first: bool
    possessive: bool
    lower: bool


def meant(text: str, known: Identities) -> list[Entity]:
    """The known entities that the message names, each once: not *Jordan* in *the Jordan River*, nor *a ruby*."""
    low = _plain(text).lower()
    personal = _decide(text).open
    asks = not _foreign(low) and any(_asked(low))
    found: dict[str, Entity] = {}
    for place in _places(text, known):
        if place.entity.id not in found and _names(place, low, personal, asks):
            found[place.entity.id] = place.entity
    return list(found.values())


def _places(text: str, known: Identities) -> Iterator[_Place]:
    """Where the message may name something known, outside of a text it gives: also as *Bob's*, or *bob*."""
    plain = text.replace("’", "'")
    given = _given(plain) if len(plain) <= 2 * LONGEST else len(plain)
    tokens = [(each[0], each.start(), each.end()) for each in _TOKEN.finditer(plain)]
    spans = [(name.start, name.end) for name in known.named_in(text)]
    taken = {at for span in spans for at in range(*span)}
    spans += [(start, end) for word, start, end in tokens if start not in taken and not _UNSPACED.match(word)]
    shouted = plain.upper() == plain
    for start, end in sorted(spans):
        bare = plain[start:end].removesuffix("'s").removesuffix("'")
        entity = known.find(bare) or known.find(text[start:end])
        if entity is None or entity.kind in (Kind.SELF, Kind.VALUE) or start >= given > 0:
            continue
        before = _run([word for word, _, to in reversed(tokens) if to <= start])
        after = _run([word for word, at, _ in tokens if at >= end and word != "'"])
        possessive = bare != plain[start:end] or plain[end : end + 1] == "'"
        first = start == tokens[0][1]
        lower = bare.islower() or shouted or (first and entity.name.islower())
        yield _Place(entity, bare, before, after, first, possessive, lower)


def _run(words: Sequence[str]) -> tuple[str, ...]:
    """The first three words, up to a sign, filled with empty ones."""
    run = [word if word[0].isalnum() else "" for word in words[:3]]
    cut = run.index("") if "" in run else len(run)
    return (*run[:cut], "", "", "")[:3]


def _names(place: _Place, low: str, personal: bool, asks: bool) -> bool:
    """Does a known name, where it stands, mean what is known by it?"""
    if _UNSPACED.search(place.surface):
        return True
    word, before, after = place.surface.lower(), place.before[0].lower(), place.after[0].lower()
    longer = "" if " " in word else _longer_name(place, asks)
    if longer:
        return longer == "surname" and (personal or bool(_pattern("extension").search(low)))
    article = before in ("a", "an", "any", "some", "every", "each", "no")
    if word not in _class("like words") and not (place.entity.kind is Kind.OTHER and place.entity.name.islower()):
        return not (place.lower and article)
    if place.possessive:
        return not (place.lower and before in _class("pronoun"))
    if place.lower:
        return _stands_as_name(place, personal or not asks)
    if word in _class("month") and (before in _class("before months") or (before + after).isdigit()):
        return False
    if word in _class("technologies") and not personal and set(re.findall(r"\w+", low)) & _class("technology"):
        return False
    return not article and not (place.first and after in _class("pronoun"))


def _longer_name(place: _Place, asks: bool) -> str:
    """`surname` where the name goes on (*Paris Hilton*), `other` where it is a part of another (*Lake Victoria*)."""
    before, after = ([each.lower() for each in words] for words in (place.before, place.after))
    big = [not place.lower and each[:1].isupper() for each in (*place.before[:2], *place.after[:2])]
    named = before[0] in ("name", "word", "term", "idiom", "phrase") and before[1] in ("the", "first", "given")
    if after[0].isdigit() or (before[0].isdigit() and big[1]) or named:
        return "other"
    if before[0] in _class("rank") or (after[0] in _class("feature") and not place.possessive):
        return "other"
    if after[0] in ("of", "the") and big[3]:
        return "other"
    if before[0] == "of" and (before[1] in _class("of what") or (big[1] and before[2])):
        return "other"
    if big[0] and not _ordinary(before[0]) and (before[1] or asks):
        return "other"
    whole = place.possessive or _ordinary(after[0])
    asks_whether = before[0] in _class("be") and not before[1]
    if big[2] and not whole:
        return "" if asks_whether and _ordinary(after[1]) else "surname"
    if not (place.lower and asks):
        return ""
    if not _ordinary(before[0]) and (not before[1] or before[1] in _class("particle") | _class("aux")):
        return "other"
    if whole or asks_whether or not before[0] or before[0] in _class("giving"):
        return ""
    if before[0] in _class("aux") - _class("be"):
        return "surname" if after[1] and _is_verb(after[1]) else ""
    return "surname" if _ordinary(after[1]) else ""


def _ordinary(word: str) -> bool:
    """Is it a word that stands beside names rather than in them (*does*, *with*, *lives*, *birthday*), or none?"""
    beside = ("particle", "pronoun", "aux", "attribute", "title", "month", "kin")
    return not word or _is_verb(word) or word.endswith("ly") or any(word in _class(each) for each in beside)


def _is_verb(word: str) -> bool:
    forms = (word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("d"))
    return word.endswith(("ing", "ed")) or any(each in _class("verb") for each in forms)


def _stands_as_name(place: _Place, personal: bool) -> bool:
    """Is an ordinary word in lower case used as a name: *is max coming*, *does bob like tea*?"""
    before, after = ([each.lower() for each in words] for words in (place.before, place.after))
    if place.first:
        doing = after[0] == "is" and after[1].endswith("ing")
        return not any(after) or doing or (after[0].endswith("s") and _is_verb(after[0]))
    if place.surface.lower() in _class("languages of code") and not personal:
        return False
    if before[0] in _class("asking of names") and ((after[0] and _ordinary(after[0])) or (before[1] or " ") != "what"):
        if before[1] == "what" or before[0].startswith("what"):
            return bool(after[0]) and _ordinary(after[0]) and after[0] not in _class("of things")
        return _ordinary(after[0]) and not (before[1] == "how" and after[0] == "work")
    beside = before[0] in _class("beside names")
    return personal and beside and _ordinary(after[0]) and after[0] not in _class("pronoun")
