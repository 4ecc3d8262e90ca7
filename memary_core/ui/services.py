"""Services that all sessions share: settings and the model. Never a scope, never a person's state."""

from __future__ import annotations

import streamlit as st

from memary_core.llm.providers import Model, choose
from memary_core.settings import Settings


@st.cache_resource(show_spinner=False)
def settings() -> Settings:
    """The deployment's settings, read once."""
    return Settings()


@st.cache_resource(show_spinner=False)
def model() -> Model:
    """The language model that the settings choose."""
    return choose(settings())
