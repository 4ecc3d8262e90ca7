"""Wording, pure: facts and their parts as grammatical English, spoken to the scope's owner.

Facts store predicates in the third person singular (*lives in*, *is a*, *sister*); said of You, or of several,
the verb changes: *You live in Porto*, *Anna and Tom live in Lisbon*, *Your sister is Anna*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from memary_core.predicates import BE, is_verb, relation, singular, stem, table

_VOWEL_SOUND = re.compile(
    r"(?!uni[^n]|us[aeiu]|eu|one\b|once\b|ubiq)[aeiou]|hour|honest|honou?r|heir|[FLMNSXAEIOR][A-Z]"
)
_NUMBER = re.compile(
    r"(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|a|an|the|many|some|"
    r"several|no|few|lots?|my|your|his|her|their|our)\b",
    re.IGNORECASE,
)
_TAKES_ARTICLE = frozenset("hav own driv rid bui adopt want need becom run los sel build rent".split())
_YOURS = {"my": "your", "our": "your", "mine": "yours", "ours": "yours", "myself": "yourself", "i": "you", "me": "you"}


def third(verb: str) -> str:
    """The third person singular of a base form: *live* → lives, *study* → studies, *have* → has."""
    special = {"be": "is", "have": "has", "do": "does", "go": "goes", "can": "can", "will": "will"}
    if verb in special:
        return special[verb]
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    return verb + ("es" if re.search(r"(?:s|x|z|ch|sh|[^aeiou]o)$", verb) else "s")


def past(verb: str) -> str:
    """The past of a base form: *go* → went, *live* → lived, *stop* → stopped."""
    for row in table()["verbs"]:
        base, *forms = str(row).split()
        if verb == base:
            special = {"be": "was", "have": "had", "do": "did", "go": "went"}
            return special.get(verb) or (forms[0] if forms else verb)
    if verb.endswith("e"):
        return verb + "d"
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ied"
    if re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", verb):
        verb += verb[-1]
    return verb + "ed"


@lru_cache(maxsize=4096)
def plain(verb: str) -> str:
    """A verb of a predicate as *you* and *they* take it: *lives* → live, *is* → are, *was* → were; a past stays."""
    special = {"is": "are", "was": "were", "has": "have", "does": "do", "goes": "go", "am": "are"}
    if verb in special:
        return special[verb]
    if not verb.endswith("s") or verb.endswith("ss") or len(verb) < 4:
        return verb
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    return verb[:-2] if verb.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")) else verb[:-1]


def plural(noun: str) -> str:
    """The plural of a noun: *sister* → sisters, *child* → children, *hobby* → hobbies."""
    head, space, last = noun.rpartition(" ")
    for forms in map(str.split, table()["plurals"]):
        if last in forms:
            return f"{head}{space}{forms[1]}"
    if last.endswith("s"):
        return noun
    if "-in-law" in last:
        return head + space + last.replace("-in-law", "s-in-law")
    return head + space + third(last)


def with_article(noun: str) -> str:
    """*a nurse*, *an engineer*; what already has a determiner or a number stays."""
    if _NUMBER.match(noun):
        return noun
    sound = noun if noun[:2].isupper() else noun[:1].lower() + noun[1:]
    return f"{'an' if _VOWEL_SOUND.match(sound) else 'a'} {noun}"


def listed(items: Sequence[str]) -> str:
    """*tea*, *tea and coffee*, *tea, coffee and juice*."""
    return " and ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


def addressed(text: str) -> str:
    """The owner's words said back to the owner: *my sister* → your sister."""
    return re.sub(r"\b(?:my|our|mine|ours|myself|me|I)\b", lambda found: _YOURS[found.group().lower()], text)


def possessive(name: str) -> str:
    """*your*, *Anna's*, *your sister's*."""
    if name == "you":
        return "your"
    plural_noun = re.search(r"\b[a-z]+[^s\W]s$", name) and is_plural(name.split()[-1])
    return f"{name}'" if plural_noun else f"{name}'s"


def is_plural(noun: str) -> bool:
    """Does a noun look like a plural?"""
    return noun == plural(singular(noun)) != singular(noun)


def capital(sentence: str) -> str:
    """The sentence with its first letter large."""
    return sentence[:1].upper() + sentence[1:]


def sentence(subjects: Iterable[str], predicate: str, objects: Iterable[str]) -> str:
    """One sentence, without a full stop and not yet capitalised, for facts that share predicate and other end.

    `subjects` and `objects` are names as shown; *you* (small) stands for the scope's owner.
    """
    who, what = list(dict.fromkeys(subjects)), list(dict.fromkeys(objects))
    who.sort(key=lambda name: name != "you")
    first = predicate.partition(" ")[0]
    if predicate == "also called":
        return f"{listed(who)} {_agree('is', who)} also called {listed(what)}"
    if not is_verb(first) and first not in ("no", "used", "cannot", "never"):
        owned = listed([possessive(each) for each in who])
        many = len(what) > 1
        return f"{owned} {plural(predicate) if many else predicate} {'are' if many else _be(predicate)} {listed(what)}"
    if re.fullmatch(r"(?:is|was) (?:no longer |not )?an?", predicate):
        verb, _ = predicate.rsplit(" ", 1)
        kinds = [plural(each) if len(who) > 1 else with_article(each) for each in what]
        return f"{listed(who)} {_conjugated(verb, who)} {listed(kinds)}"
    if (of := re.fullmatch(r"(is|was) (.+) of", predicate)) and _names_a_role(predicate):
        return _role_of(who, of.group(1), of.group(2), what)
    return f"{listed(who)} {_conjugated(predicate, who)} {listed(_objects(predicate, what))}".strip()


def _role_of(who: list[str], verb: str, role: str, what: list[str]) -> str:
    """*Lisbon is the capital of Portugal*, *Rex is a friend of Anna*, *Rex is your friend*."""
    if role.split()[0] in ("a", "an", "the", "one"):
        said = f"{role} of {listed(what)}"
    elif what == ["you"]:
        said = f"your {role if len(who) == 1 else plural(role)}"
    elif len(who) > 1:
        said = f"{plural(role)} of {listed(what)}"
    elif role.split()[-1] in table()["indefinite_of"]:
        said = f"{with_article(role)} of {listed(what)}"
    else:
        said = f"the {role} of {listed(what)}"
    return f"{listed(who)} {_agree(verb, who)} {said}"


def _names_a_role(predicate: str) -> bool:
    given = relation(predicate)
    return bool(given.head) and given.head.split()[-1] not in {stem(each) for each in table()["of_adjectives"]}


def _objects(predicate: str, what: list[str]) -> list[str]:
    """Objects with the article that names in facts lack: *works as an engineer*, *has a cat*, but *has diabetes*."""
    given = relation(predicate)
    if given.prep == "as":
        return [with_article(each) for each in what]
    if given.be or given.prep or given.head.split()[-1:] == [] or given.head.split()[-1] not in _TAKES_ARTICLE:
        return what
    return [with_article(each) if _countable(each) or _make(given.head, each) else each for each in what]


def _make(verb: str, name: str) -> bool:
    """Is a name of one word that of a make, as in *drives a Fiat*?"""
    return verb in ("driv", "rid", "own") and name[:1].isupper() and " " not in name


def _countable(noun: str) -> bool:
    last = noun.split()[-1] if noun.split() else ""
    if not last or last != last.lower() or _NUMBER.match(noun) or last in table()["mass"] or noun == "you":
        return False
    return not re.search(r"(?:s|itis|phobia|ness|ment|mia|ing|people|children|men)$", last) or last.endswith("ss")


def _be(noun: str) -> str:
    return "are" if noun.endswith("s") and not noun.endswith(("ss", "us", "is")) else "is"


def _agree(verb: str, who: Sequence[str]) -> str:
    return plain(verb) if len(who) > 1 or (who and who[0] == "you") else verb


def _conjugated(predicate: str, who: Sequence[str]) -> str:
    """The predicate as its subjects take it; an adverb or *no longer* before the verb stays where it is."""
    parts = predicate.split()
    at = 2 if parts[:2] == ["no", "longer"] else 1 if parts[:1] == ["never"] and len(parts) > 1 else 0
    if at < len(parts) and parts[0] != "used":
        parts[at] = _agree(parts[at], who)
    return " ".join(parts)


def formerly(predicate: str) -> str:
    """The predicate of a fact that holds no more: *lives in* → used to live in; a past, or a noun, stays."""
    first, _, rest = predicate.partition(" ")
    if first in BE:
        return f"{'was' if first == 'is' else first} {rest}".strip()
    given = relation(predicate)
    if given.noun or given.past or given.negated or given.former:
        return predicate
    return f"used to {plain(first)} {rest}".strip()
