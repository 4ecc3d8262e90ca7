"""The gate: can memory help with this message at all, and why. Pure; no model is asked.

A message that names nothing known and asks nothing of memory gets none: a greeting, thanks, a sum, a question
about the world.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memary_core.models import Gate

_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SMALL_TALK = re.compile(
    r"\b(?:hi+|hey+|hello+|hiya|yo|howdy|good (?:morning|afternoon|evening|night|day)|thanks?(?: you)?|thank you|thx|"
    r"ty|cheers|bye+|goodbye|see (?:you|ya)(?: later| soon| tomorrow)?|ok(?:ay)?|k|cool|great|nice|awesome|perfect|wow|"
    r"lol|haha+|yes|yeah|yep|no|nope|sure|please|sorry|got it|i see|sounds good|never ?mind|there|again|memary|friend|"
    r"how are you(?: doing)?(?: today)?|how(?:'s| is) it going|what(?:'s| is) up|who are you|what can you do|so much|"
    r"very much|a lot|everyone|all|then|really|for (?:that|this|your help|the help)|you(?:'re| are) welcome)\b"
)
_QUESTION = re.compile(
    r"^(?:(?:so|and|but|ok|okay|hey|hi|please|well)[, ]+)*(?:who|whom|whose|what|which|when|where|why|how|is|are|am|"
    r"was|were|do|does|did|can|could|should|would|will|have|has|had|may)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^(?:please |can you |could you |would you )?(?:tell|remind|show|list|give|name|recall|summari[sz]e|recommend|"
    r"suggest|help|find|plan|pick|choose)\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:i|i'm|i’m|i've|i’ve|i'd|i’d|me|my|mine|myself|we|us|our|ours|let's|let’s)\b", re.IGNORECASE)
_REMEMBER = re.compile(
    r"\b(?:remember|remind|recall|forgot|forget|mentioned|memory|memories|told you|you know|do you know|did (?:i|we)|"
    r"last time|earlier|previously|so far|on my mind|we (?:talk|discuss|sp[eo]k)\w*)\b",
    re.IGNORECASE,
)
_WORLD = re.compile(
    r"\b(?:how (?:to|do you|does one|do i (?:install|convert|write|spell|use|fix|boil|cook|make))|"
    r"what(?:'s| is| are|’s) (?:a|an|the (?:capital|population|meaning|definition|difference|distance|square|weather|"
    r"time|date|largest|tallest|highest|longest|boiling|speed|formula|plural|opposite))\b|define|explain|translate|"
    r"convert|calculate|write (?:a|an|me)|spell|who (?:invented|wrote|painted|discovered|won|"
    r"is the (?:president|ceo|king|queen|prime))|(?:tell|give) me a (?:joke|story|fact|riddle))\b",
    re.IGNORECASE,
)
_PROPER = re.compile(r"(?<=[\w,] )[A-Z][\w’'-]+")


def gate(text: str, named: Sequence[str]) -> Gate:
    """Decide for one message. `named`: the display names of the known entities it names."""
    words = " ".join(_WORDS.findall(text.lower().replace("’", "'")))
    if named:
        return Gate(True, "names " + _listed(named))
    if not re.search(r"[^\W\d_]", text):
        return Gate(False, "holds no words")
    if not _SMALL_TALK.sub(" ", words).strip():
        return Gate(False, "small talk")
    if _REMEMBER.search(text):
        return Gate(True, "asks what is remembered")
    asks = "?" in text or "？" in text or bool(_QUESTION.search(text.strip()) or _REQUEST.search(text.strip()))
    if not asks:
        return Gate(False, "asks nothing of memory and names nothing known")
    if _WORLD.search(text):
        return Gate(False, "asks about the world, and names nothing known")
    if _OWN.search(text):
        return Gate(True, "asks about you")
    if _PROPER.search(text.replace(" I ", " i ")):
        return Gate(False, "asks about something memory does not know")
    return Gate(True, "asks something that memory may hold")


def _listed(names: Sequence[str]) -> str:
    shown = [name if len(name) <= 40 else name[:39] + "…" for name in dict.fromkeys(names)]
    return ", ".join(shown[:3]) + (f" and {len(shown) - 3} more" if len(shown) > 3 else "")
