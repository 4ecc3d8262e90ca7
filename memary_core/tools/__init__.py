"""What a model may use while it answers. Each tool is one module; this is what all of them are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call, under `name`.

    `description` tells the model what it does and when to use it. `run` is typed, takes only keyword-able
    arguments of JSON types, and returns what the model reads (its `str`); what it raises becomes the error of
    its step, and the answer goes on. `unavailable` says why it cannot be used now and what to set; empty where
    it can.
    """

    name: str
    description: str
    run: Callable[..., object]
    unavailable: str = ""
