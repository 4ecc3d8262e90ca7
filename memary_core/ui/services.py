"""Services that all sessions share: settings and the models. Never a scope, never a person's state."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import streamlit as st

from memary_core.errors import MemaryError
from memary_core.llm.model import Model, NoModel
from memary_core.llm.providers import Choice, available, choose, choose_vision
from memary_core.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
"""The folder of app.py."""
DATA = ROOT / "data"
"""What comes with the app: the personas to begin with, and the sample conversation."""


@st.cache_resource(show_spinner=False)
def settings() -> Settings:
    """The deployment's settings, read once."""
    return Settings()


@st.cache_resource(show_spinner=False, ttl=60)
def model() -> Model:
    """The language model that the settings choose; looked at again every minute, since a server may come up."""
    return _or_none(lambda: choose(settings()))


@st.cache_resource(show_spinner=False, ttl=60, max_entries=32)
def model_named(choice: str) -> Model:
    """The model that a scope chose, as `MEMARY_LLM` would name it."""
    return _or_none(lambda: choose(replace(settings(), llm=choice)))


@st.cache_resource(show_spinner=False, ttl=60, max_entries=32)
def vision(choice: str) -> Model | None:
    """The model that looks at images: the one named, or what the settings choose; None where there is none."""
    try:
        return choose_vision(replace(settings(), vision_model=choice) if choice else settings())
    except MemaryError as error:
        return NoModel(reason=str(error), label="No model", advice=str(error))


@st.cache_resource(show_spinner=False, ttl=60)
def choices() -> list[Choice]:
    """Every model that could be chosen now."""
    try:
        return available(settings())
    except MemaryError:  # a wrong setting: said where the model is shown
        return available(replace(settings(), llm=None))


def _or_none(choosing: Callable[[], Model]) -> Model:
    try:
        return choosing()
    except MemaryError as error:
        return NoModel(reason=str(error), label="No model", advice=str(error))


@st.cache_resource(show_spinner=False)
def warm() -> threading.Thread:
    """Load in the background, once for the process, what the first message would wait for."""
    thread = threading.Thread(target=_warm, args=(settings(), model()), name="memary-warm", daemon=True)
    thread.start()
    return thread


def _warm(chosen: Settings, chosen_model: Model) -> None:
    # What is missing is reported where it is used.
    if find_spec("spacy") is not None:
        from memary_core.extract import pipeline

        with suppress(MemaryError):
            pipeline.load(chosen.spacy_model)
    if chosen_model.state == "ready":
        with suppress(MemaryError):
            chosen_model.count_tokens("Hello")
