"""Identity, pure: a surface form to its canonical key, and names to the entities they belong to.

The id is the identity. A key is only the form under which spellings of one name meet.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from memary_core.errors import InvalidInput
from memary_core.models import Entity, Kind, Name, storable

MAX_NAME = 10_000
"""Characters a name may have; a longer one is a text, and is refused."""

_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-")
_APOSTROPHES = dict.fromkeys(map(ord, "\u2018\u2019\u201b\u02bc\u0060\u00b4\uff07\u2032"), "'")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"), None)
_FOLD = _DASHES | _APOSTROPHES | _INVISIBLE

# Signs that belong to names (C++, C#, .NET, @home, R&D) are not among these.
_EDGES = "\"'“”„‟«»‹›「」『』《》〈〉()[]{}<>,;:!?…。、，；：！？・·*_~|"
_LEADING = _EDGES
_TRAILING = _EDGES + "."

# Written in capitals these are names (US, WHO, IT); in lower case they are words.
_WORDS = frozenset(
    "a all am an and any are as at be but by can do for go had has he her him his how i if in is it its "
    "may me my no not of off on one or our out own she so the them they this to too up us was we what "
    "when where who whom whose why will with you your".split()
)
# Names that people write like ordinary words: found in a text only in the spelling they are known by.
_LIKE_WORDS = _WORDS | frozenset(
    "april apple art august bill bob chase christian dawn dick drew faith frank gene grace grant guy hope hunter "
    "iris ivy jack jade joy june lance mark mercury miles olive page pat penny pierce pearl rich rob rock rose "
    "ruby sandy sky sue summer target trip victor violet wade ward wing word".split()
)
# Names whose 's is part of the name, not a possessive; given names are left out: theirs is a possessive.
_POSSESSIVE_STEMS = frozenset(
    "applebee,arby,ben & jerry,ben and jerry,bloomingdale,dillard,domino,dunkin,hardee,hershey,"
    "jack daniel,jimmy john,kellogg,kohl,lay,levi,lowe,macy,mcdonald,mcvitie,nando,o'reilly,papa john,"
    "reese,sainsbury,sotheby,st john,st. john,tim horton,trader joe,uncle ben,zaxby".split(",")
)
_SPACES = re.compile(r"\s+")


@lru_cache(maxsize=65_536)
def canonical_key(name: str) -> str:
    """The key under which spellings of one name meet. Idempotent; empty only for a blank name.

    Steps, repeated until nothing changes: Unicode NFKC (UAX #15) and full case folding; white space, dashes
    and apostrophes to one form each; surrounding punctuation and quotes, an English possessive and a leading
    article removed. What tells things apart stays: signs that belong to names (C++, C#, .NET), accents,
    digits, the case of a word that is a name only in capitals (US, WHO, IT), *The* before such a word
    (The Who), a capitalised *A* or *An* (An Na), and the 's of names that end in one (McDonald's).
    """
    key = name
    while (folded := _fold(key)) != key:
        key = folded
    return key


def _fold(name: str) -> str:
    plain = unicodedata.normalize("NFKC", name).translate(_FOLD)
    plain = _SPACES.sub(" ", plain).strip()
    bare = plain.lstrip(_LEADING).rstrip(_TRAILING).strip() or plain
    if bare.isupper() and bare.casefold() in _WORDS and len(bare) > 1:
        return bare
    article, _, rest = bare.partition(" ")
    if rest and article in ("A", "An", "AN") and rest[:1].isalpha():
        return f"{article.capitalize()} {_lower(rest)}"
    low = _lower(bare)
    if low.endswith("'s") and len(low) > 2 and low.removesuffix("'s") not in _POSSESSIVE_STEMS:
        low = low.removesuffix("'s")
    article, _, rest = low.partition(" ")
    if article in ("the", "a", "an") and rest and rest not in _WORDS:
        return rest
    return low


def _lower(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def checked_name(name: str) -> str:
    """`name` as it will be stored and shown: trimmed, white space folded. `InvalidInput` if it names nothing."""
    if not isinstance(name, str):
        raise InvalidInput(f"A name is text, not {type(name).__name__}; nothing was stored.")
    shown = _SPACES.sub(" ", storable(name)).strip()
    if not canonical_key(shown):
        raise InvalidInput("A name cannot be blank; nothing was stored. Give the entity a name.")
    if len(shown) > MAX_NAME:
        raise InvalidInput(
            f"A name has at most {MAX_NAME:,} characters and this one has {len(shown):,}; "
            "nothing was stored. Shorten it, or store the text as a message."
        )
    return shown


def is_value(name: str) -> bool:
    """Is the name only a number, a date in figures, or signs? Such an entity is never on the mind."""
    return not any(letter.isalpha() for letter in name) and any(sign.isdecimal() for sign in name)


class Identities:
    """Which entity a name belongs to. In memory, rebuilt from the two logs; it decides, and stores nothing.

    `you` is the id of the scope's owner, always present.
    """

    def __init__(self, you: Entity) -> None:
        self.you = you
        self.by_id: dict[str, Entity] = {you.id: you}
        self._by_key: dict[str, list[str]] = {}
        self._roles: dict[tuple[str, str], list[str]] = {}
        self._first: dict[str, int] = {}
        self._names: dict[str, str] = {}
        self._kinds: dict[str, Kind] = {}
        self._index(you.name, you.id)

    def __contains__(self, entity_id: str) -> bool:
        return entity_id in self.by_id

    def __len__(self) -> int:
        return len(self.by_id)

    def add(self, entity: Entity) -> Entity:
        """Learn of an entity, or of another name or a clearer kind for one already known."""
        known = self.by_id.get(entity.id)
        if known is None:
            entity = self._corrected(entity)
            self.by_id[entity.id] = entity
            for name in (entity.name, *entity.aliases):
                self._index(name, entity.id)
            return entity
        if known.kind is Kind.OTHER and entity.kind is not Kind.SELF and entity.id not in self._kinds:
            known = self.by_id[entity.id] = replace(known, kind=entity.kind)
        for name in (entity.name, *entity.aliases):
            known = self.add_alias(entity.id, name)
        return known

    def add_alias(self, entity_id: str, name: str) -> Entity:
        """Let the entity answer to `name` too."""
        known = self.by_id[entity_id]
        key = canonical_key(name)
        if entity_id not in self._by_key.get(key, ()):
            known = self.by_id[entity_id] = replace(known, aliases=(*known.aliases, name))
            self._index(name, entity_id)
        return known

    def rename(self, entity_id: str, name: str) -> None:
        """Show the entity under `name`; the old name stays an alias. Kept for later where it is not known yet."""
        self._names[entity_id] = name
        if (known := self.by_id.get(entity_id)) is None:
            return
        self.by_id[entity_id] = _renamed(known, name)
        if entity_id not in self._by_key.get(canonical_key(name), ()):
            self._index(name, entity_id)

    def set_kind(self, entity_id: str, kind: Kind) -> None:
        """What a person says the entity is; it outlasts what extractors say. Kept for later like a name."""
        self._kinds[entity_id] = kind
        if (known := self.by_id.get(entity_id)) is not None:
            self.by_id[entity_id] = replace(known, kind=kind)

    def _corrected(self, entity: Entity) -> Entity:
        entity = replace(entity, kind=self._kinds.get(entity.id, entity.kind))
        return _renamed(entity, self._names[entity.id]) if entity.id in self._names else entity

    def set_role(self, owner_id: str, role: str, entity_id: str) -> None:
        """*My sister* may mean `entity_id`, for `owner_id`."""
        found = self._roles.setdefault((owner_id, canonical_key(role)), [])
        if entity_id not in found:
            found.append(entity_id)

    def role(self, owner_id: str, role: str) -> Entity | None:
        """Whom *my sister* means when `owner_id` says it; None if nobody, or if there are several."""
        found = self.all_in_role(owner_id, role)
        return found[0] if len(found) == 1 else None

    def all_in_role(self, owner_id: str, role: str) -> list[Entity]:
        """Everyone that *my sister* may mean when `owner_id` says it."""
        found = self._roles.get((owner_id, canonical_key(role)), ())
        return [self.by_id[each] for each in found if each in self.by_id]

    def roles(self) -> list[list[str]]:
        """Every role known, as owner id, role and entity id."""
        return [[owner, role, entity] for (owner, role), found in self._roles.items() for entity in found]

    def find(self, name: str) -> Entity | None:
        """The entity that answers to `name` in any spelling of its key, the first learned if there are several."""
        ids = self._by_key.get(canonical_key(name))
        return self.by_id[ids[0]] if ids else None

    def search(self, part: str, limit: int = 20) -> list[Entity]:
        """Entities a name of which contains `part`: beginnings first, then shorter names."""
        wanted = canonical_key(part)
        hits = ((key, ids) for key, ids in self._by_key.items() if wanted in key)
        ranked = sorted(hits, key=lambda hit: (not hit[0].startswith(wanted), len(hit[0]), hit[0]))
        found = dict.fromkeys(entity_id for _, ids in ranked for entity_id in ids)
        return [self.by_id[each] for each in list(found)[:limit]]

    def named_in(self, text: str) -> list[Name]:
        """Every known name in `text`, whole words, longest first where they overlap, in the order of the text.

        Case does not matter, except for names that are also ordinary words (Will, Mark, US).
        """
        names: list[Name] = []
        reach = 0
        for start, ends in _starts(text):
            if start < reach:
                continue
            for end in reversed(ends[: self._longest(text, start, ends)]):
                if found := self._known(text[start:end]):
                    surface = text[start:end]
                    names.append(Name(surface, found.kind, start=start, end=end))
                    reach = end
                    break
        return names

    def _longest(self, text: str, start: int, ends: list[int]) -> int:
        """How many words the longest name that begins with the word at `start` has."""
        return self._first.get(canonical_key(text[start : ends[0]]), 0)

    def _known(self, surface: str) -> Entity | None:
        found = self.find(surface)
        if found is None or found.kind is Kind.SELF or found.kind is Kind.VALUE:
            return None
        if canonical_key(surface).casefold() in _LIKE_WORDS and surface not in (found.name, *found.aliases):
            return None
        return found

    def _index(self, name: str, entity_id: str) -> None:
        key = canonical_key(name)
        self._by_key.setdefault(key, []).append(entity_id)
        for _, ends in _starts(key):
            first = canonical_key(key[: ends[0]])
            self._first[first] = max(self._first.get(first, 0), len(ends))
            break


# Scripts written without spaces: each character counts as a word.
_UNSPACED = r"\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_LETTER = rf"[^\W{_UNSPACED}]"
_WORD = re.compile(rf"[{_UNSPACED}]|\.?{_LETTER}+(?:[’'&.\-]{_LETTER}+)*[+#]*|\S")
_LONGEST = 12


def _starts(text: str) -> Iterator[tuple[int, list[int]]]:
    """Each word's start, with the ends of the runs of up to 12 words that begin there."""
    spans = [match.span() for match in _WORD.finditer(text)]
    for i, (start, _) in enumerate(spans):
        yield start, [end for _, end in spans[i : i + _LONGEST]]


def role_name(owner: Entity, role: str, you: Entity) -> str:
    """What somebody known only by relation is called: *your sister*, *Anna's boss*."""
    return f"your {role}" if owner.id == you.id else f"{owner.name}'s {role}"


def _renamed(entity: Entity, name: str) -> Entity:
    aliases = tuple(each for each in (entity.name, *entity.aliases) if each != name)
    return replace(entity, name=name, aliases=tuple(dict.fromkeys(aliases)))
