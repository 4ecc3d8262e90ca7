"""What one browser session holds: which scope it looks at, and that scope's memory. All its keys begin here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from memary_core.errors import InvalidInput, MemaryError
from memary_core.files import scope_name
from memary_core.memory import Memory
from memary_core.scope import scopes
from memary_core.ui.background import Reading
from memary_core.ui.generation import Generations
from memary_core.ui.services import settings

SCOPE = "memary.scope"
MEMORY = "memary.memory"
NOTICES = "memary.notices"
UNVERIFIED = "memary.unverified"
"""Does the person want unverified facts recalled?"""
FIRST_SCOPE = "me"
_PAGE = "memary.page."

T = TypeVar("T")


def scope() -> str:
    """The Agent ID this session looks at: at first the one used last."""
    if SCOPE not in st.session_state:
        known = scopes(settings().data_dir)
        st.session_state[SCOPE] = known[0] if known else FIRST_SCOPE
    return str(st.session_state[SCOPE])


def switch(scope_id: str) -> None:
    """Look at another scope. Raises `InvalidInput` for an id that cannot be one."""
    scope_name(scope_id)
    if scope_id == scope():
        return
    forget()
    st.session_state[SCOPE] = scope_id


def forget() -> None:
    """Drop everything of the present scope from the session; its memory is saved and closed."""
    settled = forget_page_state()
    held = st.session_state.pop(MEMORY, None)
    if isinstance(held, Memory) and settled:
        held.close()


def forget_page_state() -> bool:
    """Drop what the pages keep of the present scope, and stop its answers and what reads in the background.

    False where one of those did not end in time, and so still needs the memory.
    """
    settled = all([generations().stop(), reading().stop()])
    for key in [key for key in st.session_state if str(key).startswith(_PAGE)]:
        del st.session_state[key]
    return settled


def memory() -> Memory:
    """The memory of this session's scope, opened once and kept over reruns."""
    held = st.session_state.get(MEMORY)
    if held is None:
        held = st.session_state[MEMORY] = Memory.open(scope(), settings())
    assert isinstance(held, Memory)
    return held


def generations() -> Generations:
    """The answers being given in this session's scope."""
    return kept("generations", Generations)


def reading() -> Reading:
    """The model's reading for facts in this session's scope."""
    return kept("reading", Reading)


def kept(name: str, make: Callable[[], T]) -> T:
    """What this session keeps under `name` until the scope is switched; made when first asked for."""
    key = page_key(name)
    if key not in st.session_state:
        st.session_state[key] = make()
    found: T = st.session_state[key]
    return found


def page_key(name: str) -> str:
    """A session key that is dropped when the scope is switched."""
    if not name:
        raise InvalidInput("A session key needs a name.")
    return f"{_PAGE}{name}"


def act(action: Callable[..., object], *args: Any) -> None:
    """`done`, as what a widget calls."""
    done(action, *args)


def done(action: Callable[..., object], *args: Any) -> bool:
    """Do what a widget asks for. An error of ours is shown at the top of the page; True where there was none."""
    try:
        action(*args)
    except MemaryError as error:
        notice(str(error))
        return False
    return True


def notice(text: str) -> None:
    """Say something at the top of the page the next time it is drawn, once."""
    st.session_state.setdefault(NOTICES, []).append(text)


def take_notices() -> list[str]:
    """The notices not yet shown."""
    found: list[str] = st.session_state.pop(NOTICES, [])
    return found
