"""A question as it was read: what it leaves open, and the words it names the rest by."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

ANY = frozenset("anything something anyone anybody someone somebody any anywhere somewhere".split())


@dataclass(frozen=True, slots=True)
class Party:
    """Whom or what a question names: `YOU` or a name as written, then roles: *my sister's husband* is
    ``Party(YOU, ("sister", "husband"))``."""

    name: str
    roles: tuple[str, ...] = ()


class Hole(StrEnum):
    """What a question leaves open: one end of a fact, whether it holds, or all that is known of somebody."""

    SUBJECT = "subject"
    OBJECT = "object"
    YES_NO = "yes-no"
    ABOUT = "about"


@dataclass(frozen=True, slots=True)
class Question:
    """A question as read. `relation` is worded as facts word it (*lives in*, *is allergic to*, *sister*).

    `wh` is the question word in lower case, empty for yes or no; `kind` the noun beside it (*which city*);
    `past` whether it asks about the past. `clause` says the question inside a sentence, to the owner: *where Anna
    lives*. `others` are further ways to read it, likelier first.
    """

    hole: Hole
    relation: str
    clause: str
    subject: tuple[Party, ...] = ()
    object: Party | None = None
    wh: str = ""
    kind: str = ""
    past: bool = False
    others: tuple[Question, ...] = ()
