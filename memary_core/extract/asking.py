"""From a message to the words of its question: politeness, contractions and *do you know* taken off."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memary_core.answering.factbook import is_name

_FILLER = re.compile(
    r"^(?:(?:hey|hi|hello|ok|okay|so|and|but|well|um+|uh+|please|now|also|oh|hmm+|btw|by the way|quick question|"
    r"question|just checking|listen|actually|sorry|anyway|memary|wait|yeah|yes|no|thanks|then|again|"
    r"remind me again|(?:remind|tell) me(?=,)|(?:what|how) about)[\s,:!.;-]+)+",
    re.IGNORECASE,
)
_TRAILER = re.compile(
    r"[\s,]+(?:please|again|exactly|though|right now|at the moment|these days|nowadays|currently|today|anyway|now|"
    r"by the way|by any chance|at all|if you (?:know|remember|recall)|do you (?:know|remember)|thanks|thank you|"
    r"then|before|previously|in the past|for (?:breakfast|lunch|dinner|supper|brunch)|do you think|"
    r"as far as you know|or not|"
    r"(?:is|are|was|does|do|did|has|have)(?: not)? (?:he|she|they|it|i)(?: not)?|will you|can you)$",
    re.IGNORECASE,
)
_TAG = re.compile(r",\s*(?:right|correct|yeah|no|yes|ok|okay|true)$", re.IGNORECASE)
_CONTRACTED = (
    (re.compile(r"\b(what|who|where|when|how|which|why)(?:'s|(?<!w)s)\b", re.IGNORECASE), r"\1 is"),
    (re.compile(r"\b(can)(?:'t|not)\b", re.IGNORECASE), r"\1 not"),
    (re.compile(r"\bwo(?:n't)\b", re.IGNORECASE), "will not"),
    (re.compile(r"\b(do|does|did|is|are|was|were|has|have|had|should|would|could)n'?t\b", re.IGNORECASE), r"\1 not"),
    (re.compile(r"\b(who|what|where|they|we|you)'re\b", re.IGNORECASE), r"\1 are"),
    (re.compile(r"\bi'?m\b(?!')", re.IGNORECASE), "I am"),
    (re.compile(r"\b(i|we|you|they|who)'ve\b", re.IGNORECASE), r"\1 have"),
    (re.compile(r"\b(\w+)'ll\b", re.IGNORECASE), r"\1 will"),
    (re.compile(r"\b(i|you|we|they|he|she)'d\b", re.IGNORECASE), r"\1 would"),
    (re.compile(r"\b(who) is (got|been)\b", re.IGNORECASE), r"\1 has \2"),
    (re.compile(r"\b(mother|father|sister|brother|son|daughter)s? in law\b", re.IGNORECASE), r"\1-in-law"),
    (re.compile(r"\b(?!this|his|has|was)([a-z]{3,})s (name|age|birthday|job|address|number|nickname)\b"), r"\1's \2"),
    (re.compile(r"\bhow (?:is|are) (.+) related to me$", re.IGNORECASE), r"who is \1"),
    (re.compile(r"\bhow do i know (.+)$", re.IGNORECASE), r"who is \1"),
    (re.compile(r"\bwhat is (.+)'s relation(?:ship)? to me$", re.IGNORECASE), r"who is \1"),
    (re.compile(r"^what (?:is|was) (.+ )(?:degree|major) in$", re.IGNORECASE), r"what is \1major"),
    (re.compile(r"^(what .*\bstud(?:y|ied)) (?:at|in) (?:university|uni|college|school)$", re.IGNORECASE), r"\1"),
    (re.compile(r"^which (\w+) is mine$", re.IGNORECASE), r"what is my \1"),
    (re.compile(r"(\w)s'(?=\s)"), r"\1s's"),
    (re.compile(r"\b(which|what|who) (\w+) of mine\b", re.IGNORECASE), r"which of my \2"),
    (re.compile(r"^(?:do|does|is|are|has|have) (?:any|either|one|some|none) of (?=my )", re.IGNORECASE), "which of "),
    (re.compile(r"\bfavou?rite thing to (eat|drink)\b", re.IGNORECASE), r"favourite \1"),
    (re.compile(r"\bfavourite eat\b"), "favourite food"),
    (re.compile(r"\bdo i have (?:a|an|any) (\w+) allergy\b", re.IGNORECASE), r"am I allergic to \1"),
    (re.compile(r"\bdoes (.+) have (?:a|an|any) (\w+) allergy\b", re.IGNORECASE), r"is \1 allergic to \2"),
    (re.compile(r"\b(?:kind|type|breed|sort) of (\w+) do i (?:have|own)\b", re.IGNORECASE), r"breed is my \1"),
    (re.compile(r"\b(?:kind|type|breed|sort) of (\w+) does (.+) (?:have|own)\b", re.IGNORECASE), r"breed is \2's \1"),
    (re.compile(r"^(.+) (is|was) (when|where|who|what)$", re.IGNORECASE), r"\3 \2 \1"),
    (re.compile(r"\bwhat do (?:people|they|we|i|you) call (.+)$", re.IGNORECASE), r"what is \1 called"),
    (re.compile(r"\bthe (?:date|day) of (?=\S+(?: \S+)? (?:birthday|anniversary|wedding))", re.IGNORECASE), ""),
)
_KNOW = r"(?:know|remember|recall|tell me|remind me(?: of)?|say|work out|look up|find out|have any idea|have)"
_PREFIX = re.compile(
    rf"^(?:(?:do|did|can|could|would|will) you (?:happen to |still |please |maybe |even |also )*{_KNOW}"
    r"(?: what it was| again)?"
    r"|(?:please )?(?:tell|remind) me(?: again)?(?: of)?|i (?:would|do) (?:like|love) to know|i want to know"
    r"|i need to know|i (?:have )?(?:completely |totally |just )?(?:forgot|forgotten|forget)"
    r"|i (?:do|can) not (?:quite |really )?(?:know|remember|recall)|i (?:wonder|am wondering)|i was wondering"
    r"|(?:have you got |do you have )?(?:any|an) (?:idea|clue)(?: of)?|let me know"
    r"|are you able to tell me|any chance you know"
    r"|(?:have|did) i (?:ever |already )?(?:tell|told|mention|mentioned|say|said|explain|explained)(?: to)?(?: you)?"
    r"|(?:please )?(?:list|name|give me|show me)(?: all)?(?: of)?(?=\s+(?:my|our|what|who|where|when)\b|\s+\w+'s )"
    r"|(?:is it|am i) (?:true|right|correct)(?: in thinking)?|do you think|you (?:know|remember|recall))\s+",
    re.IGNORECASE,
)
_WITHOUT_MARK = re.compile(
    r"^(?:(?:please )?(?:tell|remind) me|i would (?:like|love) to know|i (?:want|need) to know|i (?:have )?\w* ?forgot"
    r"|i (?:do|can) not (?:quite |really )?(?:remember|recall)|i wonder|let me know"
    r"|(?:please )?(?:list|name|give me|show me)\b)",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"^(?:what (?:all )?(?:do|can|did|could|have) (?:you|i) (?:ever |already |still )?"
    r"(?:know|remember|recall|tell me|tell you|told you|say|said|mention|mentioned|have)"
    r"(?: to you)? (?:about|on|of)|what else do you know about|what is known about"
    r"|(?:(?:do|can|could) you )?(?:tell me|know|remember|have|recall) "
    r"(?:(?:everything|anything|something|all|more|what)(?: that)? ?(?:you (?:know|remember) )?)?about"
    r"|(?:show me )?what you (?:know|remember) about|is there anything (?:that )?you (?:know|remember) about"
    r"|(?:everything|anything)(?: you know)? about|describe|summari[sz]e what you know (?:about|of))\s+(?P<who>.+)$",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"^(?P<wh>(?:what|which|where|who|when|how)\b.*?) (?:did|have|had) (?:i|you) (?:ever |already )?"
    r"(?:say|said|tell you|told you|mention|mentioned|think)(?: that)? (?P<rest>\S.*)$",
    re.IGNORECASE,
)
_KNOW_ANYONE = re.compile(
    r"^(?:do (?:i|we) (?:know|have) (?:any|some)(?:one|body|(?: friends| people))(?: \w+ know)?|who do (?:i|we) know) "
    r"(?:(?:who|that)|(?P<at>in|from|at)) (?P<rest>.+)$",
    re.IGNORECASE,
)
_ANYONE = re.compile(
    r"^(?:is there |are there )(?:any|some)(?:one|body)(?: (?:i|we|that i) know)?(?: who| that)?(?: is)? (?P<rest>.+)$",
    re.IGNORECASE,
)
_CLEFT = re.compile(
    r"^(?P<wh>(?i:what|which|where|who|when)\b.*?) (?:is|was) it (?:that )?(?P<rest>(?:I|i|my|our|[A-Z]\w*)\b.+)$"
)
_ANYTHING = re.compile(
    r"^(?i:is there |are there )?(?:[Aa]ny|[Ss]ome)(?:thing| (?P<kind>[a-z]+))(?: that)? "
    r"(?P<rest>(?:I|i|my|[A-Z]\w*)\b.+)$"
)
_I_KNOW = re.compile(r"\b(any|some|every)(one|body)(?: (?:that )?(?:i|we) know| in my \w+)\b", re.IGNORECASE)
_BEGINNINGS = frozenset(
    "I My Me The A An We Our He She It They His Her Their This That These Those There Today Yesterday "
    "Tomorrow Hi Hello Hey So And But Oh Ok Okay In On At When If Yes No Thanks Thank Last You Your Do "
    "Does Did Is Are Was What Where Who How Why Which Well Also Just Then Now Please Good Great Sorry "
    "Maybe After Before Since For As Not Some All".split()
)
_WORD = re.compile(r"'s(?![\w'])|,|[^\s,]+?(?='s(?![\w'])|[\s,]|$)")
_OPENERS = re.compile(
    r"^(?:(?:at|in|on|for|to|from|with|by|of|since) )?(?:who|whom|whose|what|which|where|when|why|how)\b"
    r"|^(?:do|does|did|is|are|am|was|were|has|have|had|can)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """The words of a question. `embedded`: in the order of a statement. `about`: all is asked of what is named.

    `antecedent` is whom *she* or *he* can only mean, from the sentences before.
    """

    words: tuple[str, ...]
    embedded: bool = False
    about: bool = False
    antecedent: str = ""


def asked_in(text: str) -> Asked | None:
    """The question in a message, the last if there are several; None where nothing is asked."""
    plain = re.sub(r"[‘’ʼ`´]", "'", text).replace("\0", " ")
    plain = re.sub(r"[“”\"*_]", "", re.sub(r"\s+", " ", plain)).strip()
    if not plain or len(plain) > 2000:
        return None
    sentences = [
        each.strip()
        for each in re.split(
            r"(?<=[?!])\s+|(?<!\bDr[.])(?<!\bMr[.])(?<!\bMrs[.])(?<!\bMs[.])(?<!\bSt[.])(?<=[.])\s+(?=[A-Z])", plain
        )
        if each.strip()
    ]
    marked = [i for i, each in enumerate(sentences) if each.endswith("?")]
    at = marked[-1] if marked else len(sentences) - 1
    found = _bare(sentences[at])
    if found is None and not marked and len(sentences) > 1:
        return None
    antecedent = _antecedent(" ".join(sentences[:at]))
    return found and Asked(found.words, found.embedded, found.about, antecedent)


def _bare(sentence: str) -> Asked | None:
    marked = sentence.rstrip("!. ").endswith("?")
    bare = sentence.strip(" ?!.…")
    for pattern, plain in _CONTRACTED:
        bare = pattern.sub(plain, bare)
    bare = _TAG.sub("", _I_KNOW.sub(r"\1\2", _FILLER.sub("", bare)))
    while (shorter := _TRAILER.sub("", bare)) != bare and len(shorter.split()) > 1:
        bare = shorter
    if like := re.match(r"what (?:is|was|are|were) (?P<who>.+) like$", bare, re.IGNORECASE):
        return Asked(_words(like["who"]), about=True)
    if last := re.match(r"(?P<rest>\S+(?: \S+)* \w+) (?P<wh>where|when|how)$", bare):
        return Asked(_words(f"{last['wh']} {last['rest']}"), embedded=True)
    if about := _ABOUT.match(bare):
        return Asked(_words(about["who"]), about=True)
    if (said := _SAID.match(bare)) and not said["rest"].lower().startswith(("about ", "to ")):
        return Asked(_words(f"{said['wh']} {said['rest']}"), embedded=True)
    if anyone := _KNOW_ANYONE.match(bare):
        at = (anyone["at"] or "").lower()
        linked = {"in": "lives in ", "from": "is from ", "at": "works at "}.get(at, "")
        return Asked(_words(f"who {linked}{anyone['rest']}"))
    if cleft := _CLEFT.match(bare):
        return Asked(_words(f"{cleft['wh']} {cleft['rest']}"), embedded=True)
    if thing := _ANYTHING.match(bare):
        return Asked(_words(f"what {thing['kind'] or ''} {thing['rest']}"), embedded=True)
    if anyone := _ANYONE.match(bare):
        verb = "" if re.match(r"\w+s\b", anyone["rest"]) else "is "
        return Asked(_words(f"who {verb}{anyone['rest']}"))
    asks = marked or bool(_WITHOUT_MARK.match(bare))
    rest = bare
    while prefix := _PREFIX.match(rest):
        rest = rest[prefix.end() :]
    if rest != bare:
        return _embedded(re.sub(r"^(?:that|if|whether) ", "", rest)) if asks else None
    if not marked and not _OPENERS.match(bare):
        return None
    return Asked(_words(bare))


def _embedded(rest: str) -> Asked:
    """What comes after *do you know*: a clause in the order of a statement, or a name alone."""
    words = _words(rest)
    name_only = len(words) <= 3 and is_name(rest) and "'s" not in words and not re.match(r"(?:my|our) ", rest)
    return Asked(words, embedded=True, about=name_only and all(each[0].isupper() for each in words))


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text))


def _antecedent(before: str) -> str:
    """The one name in the sentences before the question, if there is exactly one."""
    names = dict.fromkeys(each for each in re.findall(r"\b[A-Z][a-z]+\b", before) if each not in _BEGINNINGS)
    return next(iter(names)) if len(names) == 1 else ""
