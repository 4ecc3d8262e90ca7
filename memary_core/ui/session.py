"""What one browser session holds: which scope it looks at, and that scope's memory. All its keys begin here."""

from __future__ import annotations

import streamlit as st

from memary_core.errors import InvalidInput
from memary_core.files import scope_name
from memary_core.memory import Memory
from memary_core.scope import scopes
from memary_core.ui.services import settings

SCOPE = "memary.scope"
MEMORY = "memary.memory"
FIRST_SCOPE = "me"


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
    if (memory := st.session_state.pop(MEMORY, None)) is not None:
        memory.close()
    for key in [key for key in st.session_state if str(key).startswith("memary.page.")]:
        del st.session_state[key]


def memory() -> Memory:
    """The memory of this session's scope, opened once and kept over reruns."""
    held = st.session_state.get(MEMORY)
    if held is None:
        held = st.session_state[MEMORY] = Memory.open(scope(), settings())
    assert isinstance(held, Memory)
    return held


def page_key(name: str) -> str:
    """A session key that is dropped when the scope is switched."""
    if not name:
        raise InvalidInput("A session key needs a name.")
    return f"memary.page.{name}"
