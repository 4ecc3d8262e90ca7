"""The *JSON* tab of the Salience page: the two files, opened on request, edited as text, saved if still the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import streamlit as st

from memary_core.errors import MemaryError
from memary_core.json_files import OpenedStore, OpenedStream
from memary_core.memory import Memory
from memary_core.ui import json_editor as editor
from memary_core.ui.salience_overview import say
from memary_core.ui.session import done, page_key
from memary_core.ui.show import count_of, literal

_HEIGHT = 420
_PLAIN = """<style>[class*="st-key-json-text"] textarea {
    font-family: "Source Code Pro", monospace; font-size: 0.8rem; white-space: pre; overflow-x: auto;
}</style>"""


@dataclass(frozen=True, slots=True)
class Ready:
    """An edit that was read: what it changes, and how to save it."""

    difference: editor.Difference
    save: Callable[[], None]


def json_tab(memory: Memory) -> None:
    """Both files, one under the other."""
    st.caption(
        "Both files may be edited here or in any editor. The stream is the authority; the store is computed from "
        "it, and what you change there is added to the stream."
    )
    st.html(_PLAIN)
    _file(memory, memory.files.store_path, memory.files.open_store, "application/json")
    _file(memory, memory.files.stream_path, memory.files.open_stream, "application/x-ndjson")


def _file(memory: Memory, path: Path, read: Callable[[], OpenedStore | OpenedStream], mime: str) -> None:
    key = page_key(f"salience.json.{path.name}")
    opened: OpenedStore | OpenedStream | None = st.session_state.get(key)
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{literal(path.name)}**")
            st.space("stretch")
            if opened is None:
                st.button("Open", icon=":material/edit_document:", key=f"{key}.open", on_click=_open, args=(key, read))
            else:
                st.button("Close", icon=":material/close:", key=f"{key}.close", on_click=_close, args=(key,))
            st.download_button(
                "Download",
                lambda: _bytes(memory, path),
                path.name,
                mime,
                key=f"{key}.download",
                icon=":material/download:",
                on_click="ignore",
            )
        if opened is not None:
            _edit(memory, key, opened)


def _edit(memory: Memory, key: str, opened: OpenedStore | OpenedStream) -> None:
    shown = _slice(key, opened, "")
    if not shown.whole:
        part = st.text_input(
            "Find lines",
            placeholder="Part of a line",
            icon=":material/search:",
            key=f"{key}.find",
            help="The file is large: only the lines found are shown and saved.",
        )
        shown = _slice(key, opened, part)
        st.caption(f"{len(shown.items):,} of {count_of(shown.total, 'line')} shown, {shown.found:,} found.")
    place = f"{key}.text.{opened.digest}.{hash(shown.text)}"
    with st.container(key=f"json-text-{'store' if isinstance(opened, OpenedStore) else 'stream'}"):
        text = st.text_area("Content", shown.text, height=_HEIGHT, key=place, label_visibility="collapsed")
    if text == shown.text:
        st.caption("Nothing changed yet.")
        return
    try:
        ready = _read(memory, opened, shown, text)
    except MemaryError as error:
        st.error(literal(str(error)), icon=":material/error:")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Save", type="primary", icon=":material/save:", key=f"{key}.save"):
            try:
                ready.save()
            except MemaryError as error:
                st.error(literal(str(error)), icon=":material/error:")
                return
            say(f"Saved: {ready.difference}")
            _close(key)
            st.rerun()
        st.caption(f"Would be saved: {ready.difference}.")


def _read(memory: Memory, opened: OpenedStore | OpenedStream, shown: editor.Slice, text: str) -> Ready:
    if isinstance(opened, OpenedStore):
        rows = editor.read_store(text)
        every = editor.with_rows(opened.rows, list(shown.items), rows)
        difference = editor.store_difference(list(shown.items), rows)
        return Ready(difference, partial(memory.files.save_store, every, opened.digest))
    seqs = {each["seq"] for each in shown.items}
    edit = editor.read_stream(text, opened.header, seqs)
    save = partial(memory.files.save_stream, edit.kept, edit.added, seqs, opened.digest)
    return Ready(editor.stream_difference(shown.items, edit), save)


def _slice(key: str, opened: OpenedStore | OpenedStream, part: str) -> editor.Slice:
    """The lines that hold `part`; of a large file the last two searches are kept, since every click draws the page."""
    found: dict[str, editor.Slice] = st.session_state.setdefault(f"{key}.slices.{opened.digest}", {})
    if part not in found:
        for old in [each for each in found if each][:-1]:
            del found[old]
        if isinstance(opened, OpenedStore):
            found[part] = editor.store_slice(opened.rows, part)
        else:
            found[part] = editor.stream_slice(opened.header, opened.events, part)
    return found[part]


def _open(key: str, read: Callable[[], OpenedStore | OpenedStream]) -> None:
    done(lambda: st.session_state.__setitem__(key, read()))


def _close(key: str) -> None:
    opened: OpenedStore | OpenedStream | None = st.session_state.pop(key, None)
    if opened is not None:
        st.session_state.pop(f"{key}.slices.{opened.digest}", None)


def _bytes(memory: Memory, path: Path) -> bytes:
    memory.save()
    return path.read_bytes()
