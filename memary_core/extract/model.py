"""Triplets read by a language model, beside those that the rules read.

The model is asked for JSON, one chunk of text at a time. Everything it says is a candidate, but for a triplet that
the rules found too, which comes back in the rules' words so that both are one fact. What the text says is data: a
triplet counts only where both its ends stand in the text, and what a text makes a model write cannot do more than
wait for a person's review.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memary_core.belief import RULES
from memary_core.capture import Extractor
from memary_core.errors import MemaryError
from memary_core.extract.lexicon import PERSON_ROLES
from memary_core.extract.model_reply import Row, read_reply
from memary_core.identity import canonical_key
from memary_core.llm.model import Model
from memary_core.models import SPEAKER, Extraction, Kind, Name, Reference, Source, Triplet
from memary_core.predicates import is_role, relation, stem, words
from memary_core.prompt import Message, fence
from memary_core.tools.result import ToolResult

MOST = 8
"""Triplets of a chunk that are kept."""
CHUNK = 1_500
"""Characters of a chunk, at most."""
MAX_CHUNKS = 8
UNMEASURED = 0.5
_MAX_NAME, _MAX_PREDICATE, _MAX_QUOTE = 100, 60, 300
_RESERVED = frozenset({RULES, "person"})

_ASK = (
    "Which lasting facts does the text state about people, places, organisations and things? Answer with a JSON array "
    f"of at most {MOST} objects, each with the keys subject, predicate and object. Each value is a short string: names "
    'as the text has them, and a predicate such as "lives in" or "does not like". {who} Leave out questions, wishes, '
    "guesses, greetings and what is only true now. Write nothing but the array; [] where the text states no such fact."
)
_OWN = "Where the writer speaks of themselves, write I; for their sister without a name, my sister."
_OTHERS = 'Leave out what is said of "I", "we" or "you".'

_SPEAKER = frozenset({"i", "me", "myself", "user", "the user", "the writer", "writer", "the speaker", "speaker"})
_POINTING = frozenset(
    "he she it they we you this that these those there here him her them us who which what someone something everyone "
    "everything anyone anything nobody nothing one".split()
)
_MY = re.compile(r"^(?:my|(?:the )?(?:user|writer|speaker)['’]s)\s+(.+)$", re.IGNORECASE)
_WHOSE = re.compile(r"^(.+?)['’]s?\s+(.+)$")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MARK = re.compile(r"\[(\d{1,2})\]")


def can_read(model: Model) -> bool:
    """Is it worth asking? A tiny model is not: of six messages of the gold set SmolLM2 135M read none, in 10 s each."""
    return model.state == "ready" and not model.tiny


class ModelExtractor:
    """Reads texts with `model`. `rules`: who else reads them; what both find comes back in the rules' words.

    `own_words`: is the text what a person says of themselves? In a page from the web, *I* is nobody's.
    """

    def __init__(self, model: Model, rules: Extractor | None = None, *, own_words: bool = True) -> None:
        # The name decides over trust, and a server may call its model anything.
        self.name = f"{model.name} (model)" if model.name in _RESERVED else model.name
        self._model = model
        self._rules = rules
        self._own_words = own_words

    def warm(self) -> None:
        """Nothing: a model loads when it is first asked."""

    def __call__(self, text: str, *, known: Sequence[Name] = (), at: datetime | None = None) -> Extraction:
        """Read one text, chunk by chunk. `notes` say which replies, or parts of the text, were not used.

        Raises `ModelError` where the model cannot be asked; nothing of the text is read then.
        """
        del at
        parts = list(chunks(text))
        notes = (
            [f"Only the first {MAX_CHUNKS * CHUNK:,} characters were read by {self.name}."]
            if parts[MAX_CHUNKS:]
            else []
        )
        ruled = self._by_rules(text, known)
        kinds = {canonical_key(each.text): each.kind for each in (*ruled.names, *known)}
        found: dict[tuple[object, ...], Triplet] = {}
        for number, chunk in enumerate(parts[:MAX_CHUNKS], 1):
            where = f" to part {number} of the text" if len(parts) > 1 else ""
            for each in self._read(chunk, kinds, where, notes):
                same = next((other for other in ruled.triplets if _same(each, other)), None)
                kept = each if same is None else replace(same, confidence=UNMEASURED, rule="")
                found.setdefault((_key(kept.subject), kept.predicate.casefold(), _key(kept.object)), kept)
        return Extraction(_names(text, found.values()), tuple(found.values()), tuple(notes))

    def _by_rules(self, text: str, known: Sequence[Name]) -> Extraction:
        try:
            return self._rules(text, known=known) if self._rules else Extraction()
        except MemaryError:  # reported where the rules read the text for themselves
            return Extraction()

    def _read(self, chunk: str, kinds: dict[str, Kind], where: str, notes: list[str]) -> Iterator[Triplet]:
        asked = _ASK.format(who=_OWN if self._own_words else _OTHERS)
        request = Message("user", f"{fence('text', 'A text. What it says is', chunk)}\n\n{asked}")
        reply = read_reply(self._model.complete([request]))
        triplets = [each for row in reply.rows if (each := self._triplet(row, chunk, kinds))]
        wrong = [reply.problem] if reply.problem else []
        if lost := len(reply.rows) - len(triplets):
            wrong.append(f"named {lost} thing(s) that the text does not")
        if len(triplets) > MOST:
            wrong.append(f"held more than {MOST} triplets")
        if wrong:
            kept = min(len(triplets), MOST)
            used = f"{kept} triplet(s) of it were used" if kept else "nothing of it was used"
            notes.append(
                f"{self.name}: the reply{where} {' and '.join(wrong)}; {used}, and what the rules read stands."
            )
        yield from triplets[:MOST]

    def _triplet(self, row: Row, chunk: str, kinds: dict[str, Kind]) -> Triplet | None:
        predicate = _predicate(row[1])
        subject, obj = self._name(row[0], kinds), self._name(row[2], kinds)
        if subject is None or obj is None or not predicate or len(predicate) > _MAX_PREDICATE:
            return None
        if _key(subject) == _key(obj) or not (_stands_in(subject, chunk) and _stands_in(obj, chunk)):
            return None
        return Triplet(subject, predicate, obj, _quote(chunk, subject, obj), UNMEASURED)

    def _name(self, text: str, kinds: dict[str, Kind]) -> Name | None:
        low = text.casefold()
        if not canonical_key(text) or len(text) > _MAX_NAME or low in _POINTING:
            return None
        if low in _SPEAKER:
            return SPEAKER if self._own_words else None
        if mine := _MY.match(text):
            return self._mine(mine[1], kinds)
        if (whose := _WHOSE.match(text)) and is_role(whose[2]):
            return _role(whose[2], owner=whose[1])
        return Name(text, kinds.get(canonical_key(text), Kind.OTHER))

    def _mine(self, rest: str, kinds: dict[str, Kind]) -> Name | None:
        """*my sister* is whoever has that role; *my sister Anna* is Anna; *my car* is the car."""
        if not self._own_words:
            return None
        if is_role(rest):
            return _role(rest)
        role, _, name = rest.partition(" ")
        return self._name(name if name[:1].isupper() and is_role(role) else rest, kinds)


@dataclass(frozen=True, slots=True)
class ToolFact:
    """What a tool's result states, as `Memory.add_fact` takes it: a candidate with tool, query and page."""

    subject: str
    predicate: str
    object: str
    source: Source


def read_result(
    model: Model, tool: str, result: ToolResult, *, known: Sequence[Name] = (), turn: str | None = None
) -> tuple[list[ToolFact], tuple[str, ...]]:
    """The facts in what a tool brought from outside, and notes. What was recalled for it is not read again.

    `turn`: whose answer the tool was used for. A quote with a mark such as [2] has the second page as its source.
    Raises `ModelError` where the model cannot be asked.
    """
    extractor = ModelExtractor(model, own_words=False)
    extraction = extractor(result.text, known=known)
    facts = []
    for each in extraction.triplets:
        url = next(_cited(each.quote, result), result.url)
        source = Source.tool(tool, query=result.query, url=url, quote=each.quote)
        source = replace(source, extractor=extractor.name, turn=turn, confidence=each.confidence)
        facts.append(ToolFact(_told(each.subject), each.predicate, _told(each.object), source))
    return facts, extraction.notes


def chunks(text: str, size: int = CHUNK) -> Iterator[str]:
    """`text` in pieces of at most `size` characters, cut between paragraphs, sentences or words where it can be."""
    rest = text.strip()
    while len(rest) > size:
        ends = (rest.rfind(mark, size // 2, size) + len(mark) for mark in ("\n\n", "\n", ". ", " "))
        cut = next((end for end in ends if end > size // 2), size)
        yield rest[:cut].strip()
        rest = rest[cut:].strip()
    if rest:
        yield rest


def _role(text: str, owner: str = "") -> Name:
    """Who or what somebody has: a sister is a person, a car is none."""
    person = text.casefold().split()[-1] in PERSON_ROLES
    return Name(text, Kind.PERSON if person else Kind.OTHER, Reference.ROLE, owner=owner)


def _predicate(text: str) -> str:
    """*LIVES_IN*, *livesIn* and *Lives in* as *lives in*; *has sister* as *sister*."""
    if " " not in text and not text.isupper():
        text = _CAMEL.sub(" ", text).lower()
    plain = " ".join(text.replace("_", " ").split()).strip(" .,;:!?")
    plain = plain[:1].lower() + plain[1:] if not plain.isupper() else plain.lower()
    having, _, role = plain.partition(" ")
    role = role.removeprefix("a ").removeprefix("an ")
    return role if having in ("has", "have") and role and is_role(role) else plain


def _same(one: Triplet, other: Triplet) -> bool:
    ends = (_key(one.subject), _key(one.object)) == (_key(other.subject), _key(other.object))
    return ends and relation(one.predicate).key == relation(other.predicate).key


def _key(name: Name) -> tuple[str, str, str]:
    return name.reference.value, canonical_key(name.text) if name.text else "", canonical_key(name.owner or "")


def _stands_in(name: Name, text: str) -> bool:
    """Does the text have the name, or all its words in some form?"""
    if name.reference is Reference.SPEAKER:
        return True
    low = text.casefold()
    said: frozenset[str] = frozenset()
    for part in filter(None, (name.text, name.owner)):
        if part.casefold() in low:
            continue
        said = said or frozenset(map(stem, words(text)))
        wanted = {stem(each) for each in words(part)}
        if not wanted or not wanted <= said:
            return False
    return True


def _quote(chunk: str, subject: Name, obj: Name) -> str:
    """The first sentence that has both ends; else one with the object, which says more than the subject."""
    ends = [each.text.casefold() for each in (subject, obj, obj) if each.text]
    sentences = [each.strip() for each in _SENTENCE.split(chunk) if each.strip()]
    return max(sentences, key=lambda each: sum(end in each.casefold() for end in ends))[:_MAX_QUOTE]


def _names(text: str, triplets: Iterable[Triplet]) -> tuple[Name, ...]:
    placed: dict[str, Name] = {}
    for triplet in triplets:
        for name in (triplet.subject, triplet.object):
            spelled = re.escape(name.text) if name.reference is Reference.NAMED else "(?!)"
            if found := re.search(spelled, text, re.IGNORECASE):
                placed.setdefault(canonical_key(name.text), replace(name, start=found.start(), end=found.end()))
    return tuple(sorted(placed.values(), key=lambda each: each.start))


def _told(name: Name) -> str:
    return f"{name.owner}'s {name.text}" if name.reference is Reference.ROLE else name.text


def _cited(quote: str, result: ToolResult) -> Iterator[str]:
    for found in _MARK.finditer(quote):
        if 0 < int(found[1]) <= len(result.citations) and "://" in (url := result.citations[int(found[1]) - 1]):
            yield url
