"""Settings: the only reader of the environment, of `.env` and of Streamlit's secrets.

A value is looked for in this order: the keyword given, the environment, `.env`, the `[memary]` section of
`.streamlit/secrets.toml`, the default. Every field has the environment variable `MEMARY_` + its name;
those with a name of their own in wide use (`FALKORDB_URL`, `OPENAI_API_KEY`, …) answer to that too.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from memary_core.errors import InvalidInput

T = TypeVar("T")
SECRETS = Path(".streamlit") / "secrets.toml"


def _text(raw: str) -> str:
    return raw.strip()


def _optional(raw: str) -> str | None:
    return raw.strip() or None


def _positive(raw: str) -> int:
    value = int(raw)
    if value < 1:
        raise ValueError(raw)
    return value


def _half_life(raw: str) -> float:
    value = float(raw)
    if not value > 0:
        raise ValueError(raw)
    return value


def _setting(
    default: T, parse: Callable[[str], T], wants: str, *, also: tuple[str, ...] = (), secret: bool = False
) -> Any:
    return field(
        default_factory=lambda: default,
        repr=not secret,
        metadata={"parse": parse, "wants": wants, "also": also},
    )


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a deployment may choose. Keys (`*_key`, `neo4j_pw`) never appear in its repr.

    Given keywords win; everything else comes from the environment. Raises `InvalidInput`, naming the
    variable and what it wants, for a value that does not parse.
    """

    data_dir: Path = _setting(Path("data/scopes"), Path, "a folder")
    half_life_days: float = _setting(30.0, _half_life, "a number of days above 0, or inf for no decay")
    recall_budget: int = _setting(800, _positive, "a whole number of tokens, at least 1")
    recall_entities: int = _setting(5, _positive, "a whole number of entities, at least 1")
    context_window: int | None = _setting(None, _positive, "a whole number of tokens, at least 1")
    """Most tokens of a request and its answer together; unset, what suits the provider."""
    max_steps: int = _setting(8, _positive, "a whole number of tool calls for one answer, at least 1")
    lock_timeout: float = _setting(30.0, float, "a number of seconds")
    spacy_model: str = _setting("", _text, "the name of an installed spaCy pipeline")
    llm: str | None = _setting(None, _optional, "ollama:NAME, openai:NAME, gguf:PATH or none")
    vision_model: str | None = _setting(None, _optional, "ollama:NAME, openai:NAME or none")
    ollama_url: str = _setting(
        "http://127.0.0.1:11434", _text, "a URL, or none to look for no Ollama", also=("OLLAMA_HOST",)
    )
    falkordb_url: str | None = _setting(
        None, _optional, "a URL such as redis://localhost:6379", also=("FALKORDB_URL",), secret=True
    )
    neo4j_url: str | None = _setting(
        None, _optional, "a URL such as neo4j://localhost:7687", also=("NEO4J_URL",), secret=True
    )
    neo4j_user: str = _setting("neo4j", _text, "a user name", also=("NEO4J_USER",))
    neo4j_pw: str | None = _setting(None, _optional, "a password", also=("NEO4J_PW",), secret=True)
    neo4j_database: str = _setting("neo4j", _text, "a database name", also=("NEO4J_DATABASE",))
    openai_api_key: str | None = _setting(None, _optional, "an API key", also=("OPENAI_API_KEY",), secret=True)
    openai_base_url: str | None = _setting(None, _optional, "a URL ending in /v1", also=("OPENAI_BASE_URL",))
    openai_model: str = _setting("gpt-4o-mini", _text, "the name of a model", also=("OPENAI_MODEL",))
    perplexity_api_key: str | None = _setting(None, _optional, "an API key", also=("PERPLEXITY_API_KEY",), secret=True)
    googlemaps_api_key: str | None = _setting(None, _optional, "an API key", also=("GOOGLEMAPS_API_KEY",), secret=True)
    alpha_vantage_api_key: str | None = _setting(
        None, _optional, "an API key", also=("ALPHA_VANTAGE_API_KEY",), secret=True
    )

    def __init__(self, **given: Any) -> None:
        """Take `given` as it is and look every other field up."""
        known = {each.name for each in fields(self)}
        if unknown := sorted(set(given) - known):
            raise InvalidInput(f"No such setting: {', '.join(unknown)}. There are: {', '.join(sorted(known))}.")
        layers = _layers()
        for each in fields(self):
            value = given[each.name] if each.name in given else _look_up(each, layers)
            object.__setattr__(self, each.name, value)
        object.__setattr__(self, "data_dir", Path(self.data_dir))
        if not self.half_life_days > 0:
            raise InvalidInput(f"half_life_days is {self.half_life_days}; it wants a number of days above 0, or inf.")


def _layers() -> list[tuple[str, Mapping[str, str]]]:
    layers: list[tuple[str, Mapping[str, str]]] = [("the environment", os.environ)]
    if Path(".env").is_file():
        layers.append((".env", _read_dotenv(Path(".env"))))
    if SECRETS.is_file():
        layers.append((str(SECRETS), _read_secrets(SECRETS)))
    return layers


def _read_dotenv(path: Path) -> Mapping[str, str]:
    try:
        from dotenv import dotenv_values
    except ImportError as error:
        raise InvalidInput(
            "There is a .env file, but python-dotenv, which reads it, is not installed. "
            "Run pip install python-dotenv, or move the values to the environment."
        ) from error
    return {key: value for key, value in dotenv_values(path).items() if value is not None}


def _read_secrets(path: Path) -> Mapping[str, str]:
    try:
        section = tomllib.loads(path.read_text("utf-8")).get("memary", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} does not parse: {error}. Correct it or remove it.") from error
    return {str(key).upper(): str(value) for key, value in section.items()}


def _look_up(each: Any, layers: list[tuple[str, Mapping[str, str]]]) -> Any:
    names = (f"MEMARY_{each.name.upper()}", *each.metadata["also"])
    for where, values in layers:
        bare = (each.name.upper(),) if where == str(SECRETS) else ()
        for name in (*names, *bare):
            raw = values.get(name)
            if raw is None or raw == "":
                continue
            try:
                return each.metadata["parse"](raw)
            except ValueError as error:
                shown = raw if each.repr else "(not shown)"
                raise InvalidInput(f"{name} in {where} is {shown!r}; it wants {each.metadata['wants']}.") from error
    return each.default_factory()
