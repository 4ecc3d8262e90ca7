"""FalkorDB: connection, schema and error mapping. The queries are in `cypher`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from memary_core.errors import GraphError, GraphUnavailable
from memary_core.graph.base import KEPT
from memary_core.graph.cypher import CypherGraph, Rows, first_line, shown

if TYPE_CHECKING:
    from falkordb import Graph

_FACT = "MEMARY_FACT"
_UNIQUE = {"MemaryScope": ("scope",), "MemaryEntity": ("scope", "id"), "MemarySource": ("scope", "id")}
# Of a fact nothing else: see `select`. Two facts with one id cannot come about: a graph has one writer at a time here.
_INDEXES = {**_UNIQUE, "MemarySource": ("scope", "id", "turn"), _FACT: ("scope", "id")}
_CHECK = "Start the server, or check FALKORDB_URL."


class FalkorGraph(CypherGraph):
    """One scope's graph in FalkorDB, named `graph_name`. Connects when first used.

    `url`: `redis://`, `rediss://`, `falkor://`, `falkors://` or `unix://`, or what returns one; it is asked again
    after the connection was lost. `timeout` and `connect_timeout` in seconds. `scrub` takes what was deleted out of
    the server's files, and `release` is called on close: both are the embedded server's.
    """

    dialect = "falkordb"

    def __init__(
        self,
        url: str | Callable[[], str],
        graph_name: str,
        scope: str,
        home: str,
        *,
        timeout: float = 20.0,
        connect_timeout: float = 5.0,
        scrub: Callable[[], None] | None = None,
        release: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(scope, home)
        self._url = url
        self._graph_name = graph_name
        self._timeout = timeout
        self._connect_timeout = connect_timeout
        self._scrubber = scrub
        self._release = release
        self._graph: Graph | None = None
        self._connecting = threading.RLock()

    def close(self) -> None:
        """See `GraphStore.close`."""
        self._disconnect()
        if self._release is not None:
            self._release()

    def _scrub(self) -> None:
        if self._scrubber is not None:
            self._scrubber()

    def _run(self, query: str, parameters: dict[str, Any], *, write: bool) -> Rows:
        def answer(graph: Graph) -> Rows:
            ask = graph.query if write else graph.ro_query
            rows: Rows = ask(query, parameters).result_set
            return rows

        return self._guarded(lambda: answer(self._connected()))

    def _guarded(self, act: Callable[[], Rows]) -> Rows:
        from redis import exceptions as redis_errors

        try:
            return act()
        except (redis_errors.ConnectionError, redis_errors.TimeoutError, OSError) as error:
            self._disconnect()
            raise GraphUnavailable(
                f"The graph at {self._where()} cannot be reached ({first_line(error)}). {KEPT} "
                + ("Try again: it is then started anew." if callable(self._url) else _CHECK)
            ) from error
        except (redis_errors.RedisError, redis_errors.RedisClusterException) as error:
            if "empty key" in str(error):
                # Nobody has made the graph yet, or the server lost it: reading it finds nothing, and connecting
                # again makes its indexes.
                self._disconnect()
                return []
            raise GraphError(
                f"The graph at {self._where()} refused a query ({first_line(error)}). {KEPT}{_advice(error)}"
            ) from error

    def _connected(self) -> Graph:
        with self._connecting:
            if self._graph is None:
                self._graph = self._connect()
            return self._graph

    def _connect(self) -> Graph:
        try:
            from falkordb import FalkorDB
        except ImportError as error:
            raise GraphUnavailable(
                f"The package falkordb is not installed, so there is no graph. {KEPT} Run pip install falkordb."
            ) from error
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        try:
            database = FalkorDB.from_url(
                self._url() if callable(self._url) else self._url,
                protocol=2,
                socket_timeout=self._timeout,
                socket_connect_timeout=self._connect_timeout,
                # A lost connection is reported, not retried: the server may have come back without its latest changes.
                retry=Retry(NoBackoff(), 0),
            )
        except ValueError as error:
            raise GraphError(
                f"The graph cannot be used as FALKORDB_URL says, {self._where()}. {KEPT} It starts with redis://, "
                "rediss://, falkor://, falkors:// or unix://; signs like # / ? in a password are written %23 %2F %3F."
            ) from error
        graph = database.select_graph(self._graph_name)
        _prepare(graph)
        return graph

    def _disconnect(self) -> None:
        with self._connecting:
            graph, self._graph = self._graph, None
        if graph is not None:
            graph.client.close()
            # Closing a client leaves the sockets of a pool that it was given.
            pool = getattr(graph.client.connection, "connection_pool", None)
            if pool is not None:
                pool.disconnect()

    def _where(self) -> str:
        if callable(self._url):
            return "the embedded server"
        return shown(self._url)


def _prepare(graph: Graph) -> None:
    """Create the indexes and uniqueness constraints that are missing."""
    from redis.exceptions import ResponseError

    indexed = {
        (row[0], name) for row in graph.query("CALL db.indexes() YIELD label, properties").result_set for name in row[1]
    }
    constrained = {each["label"] for each in graph.list_constraints() if each["type"] == "UNIQUE"}

    def create(make: Callable[..., object], *args: str) -> None:
        try:
            make(*args)
        except ResponseError as error:
            # Another process made it in the meantime.
            if "already" not in str(error):
                raise

    for label, names in _INDEXES.items():
        make_index = graph.create_edge_range_index if label == _FACT else graph.create_node_range_index
        for name in names:
            if (label, name) not in indexed:
                create(make_index, label, name)
    for label, names in _UNIQUE.items():
        if label not in constrained:
            create(graph.create_node_unique_constraint, label, *names)


def _advice(error: BaseException) -> str:
    text = str(error)
    if "unknown command" in text:
        return " That server is a Redis without the FalkorDB module: point FALKORDB_URL at a FalkorDB."
    if "MISCONF" in text:
        return " The server cannot write to its disk: make room there."
    return ""
