"""The composition root: builds a memory from settings. The only importer of concrete backends and extractors,
which it imports when they are chosen."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from memary_core.capture import Extractor
from memary_core.errors import GraphUnavailable
from memary_core.graph.base import GraphStore
from memary_core.memory import Memory
from memary_core.scope import Scope
from memary_core.settings import Settings

_OWN_SERVER = "the data folder of this server"
"""An embedded server holds only the graphs of the folder it lies in, so every scope there is at home."""


def open_memory(scope_id: str, settings: Settings, folder: Path | None = None) -> Memory:
    """One scope's memory. Where the graph cannot be had, the memory opens all the same and says why."""
    scope = Scope(scope_id, settings.data_dir, settings.lock_timeout, folder)
    scope.begin()
    graph, trouble = build_graph(scope, settings)
    return Memory(scope, settings, graph=graph, trouble=trouble, extractor=build_extractor(settings))


def build_graph(scope: Scope, settings: Settings) -> tuple[GraphStore | None, str]:
    """The graph that the settings choose, not yet connected; or None, and what to do about it."""
    try:
        if settings.neo4j_url:
            from memary_core.graph.neo4j import Neo4jGraph

            given = (settings.neo4j_url, settings.neo4j_user, settings.neo4j_pw, scope.id, scope.home)
            return Neo4jGraph(*given, database=settings.neo4j_database), ""
        if settings.falkordb_url:
            from memary_core.graph.falkordb import FalkorGraph

            return FalkorGraph(settings.falkordb_url, scope.name, scope.id, scope.home), ""
        from memary_core.graph.embedded import EmbeddedServer
        from memary_core.graph.falkordb import FalkorGraph

        # A folder chosen by hand is a home by itself: its neighbours may hold a scope with the same id.
        home = scope.folder.parent if scope.folder.name == scope.name else scope.folder
        server = EmbeddedServer(home / "falkordb")
        return FalkorGraph(
            server.connect, scope.name, scope.id, _OWN_SERVER, scrub=server.compact, release=server.close
        ), ""
    except GraphUnavailable as error:
        return None, str(error)
    except ImportError as error:
        return None, (
            f"The driver of the graph is not installed ({error.name}). Attention and the conversation go on. "
            "Run pip install -r requirements.txt."
        )


def build_extractor(settings: Settings) -> Extractor | None:
    """The rules, where spaCy is installed; None leaves known and capitalised names."""
    if find_spec("spacy") is None:
        return None
    from memary_core.extract.rules import RuleExtractor

    return RuleExtractor(settings.spacy_model)
