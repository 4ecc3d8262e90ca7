"""Neo4j: connection, schema and error mapping. The queries are in `queries` and `select`.

One database may hold many scopes, and other programs' data: labels and types are the project's own.
"""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from memary_core.errors import GraphError, GraphUnavailable
from memary_core.graph.base import KEPT
from memary_core.graph.cypher import CypherGraph, Rows, first_line, shown

if TYPE_CHECKING:
    from neo4j import Driver
    from neo4j.exceptions import Neo4jError

# By the name of the index; that of a constraint has the constraint's.
_SCHEMA = {
    "memary_scope": "CONSTRAINT memary_scope IF NOT EXISTS FOR (n:MemaryScope) REQUIRE n.scope IS UNIQUE",
    "memary_entity": "CONSTRAINT memary_entity IF NOT EXISTS FOR (n:MemaryEntity) REQUIRE (n.scope, n.id) IS UNIQUE",
    "memary_source": "CONSTRAINT memary_source IF NOT EXISTS FOR (n:MemarySource) REQUIRE (n.scope, n.id) IS UNIQUE",
    "memary_fact": "CONSTRAINT memary_fact IF NOT EXISTS FOR ()-[r:MEMARY_FACT]-() REQUIRE (r.scope, r.id) IS UNIQUE",
    "memary_turn": "INDEX memary_turn IF NOT EXISTS FOR (n:MemarySource) ON (n.scope, n.turn)",
    # For counting and clearing: an index over two properties does not serve for the first alone.
    "memary_entities": "INDEX memary_entities IF NOT EXISTS FOR (n:MemaryEntity) ON (n.scope)",
    "memary_sources": "INDEX memary_sources IF NOT EXISTS FOR (n:MemarySource) ON (n.scope)",
    "memary_facts": "INDEX memary_facts IF NOT EXISTS FOR ()-[r:MEMARY_FACT]-() ON (r.scope)",
}


class Neo4jGraph(CypherGraph):
    """One scope's graph in Neo4j 5 or newer, community or enterprise. Connects when first used.

    `url`: `neo4j://`, `neo4j+s://`, `bolt://` or `bolt+s://`. `password` None: the server asks for none. `timeout`
    and `connect_timeout` in seconds.
    """

    dialect = "neo4j"

    def __init__(
        self,
        url: str,
        user: str,
        password: str | None,
        scope: str,
        home: str,
        *,
        database: str = "neo4j",
        timeout: float = 20.0,
        connect_timeout: float = 5.0,
    ) -> None:
        super().__init__(scope, home)
        self._url = url
        self._auth = None if password is None else (user, password)
        self._database = database
        self._timeout = timeout
        self._connect_timeout = connect_timeout
        self._driver: Driver | None = None
        self._connecting = threading.RLock()

    def close(self) -> None:
        """See `GraphStore.close`."""
        with self._connecting:
            driver, self._driver = self._driver, None
        if driver is not None:
            driver.close()

    def _run(self, query: str, parameters: dict[str, Any], *, write: bool) -> Rows:
        try:
            from neo4j import exceptions as neo4j_errors
        except ImportError as error:
            raise GraphUnavailable(
                f"The package neo4j is not installed, so there is no graph. {KEPT} Run pip install neo4j."
            ) from error
        try:
            return self._answer(self._connected(), query, parameters, write=write)
        except neo4j_errors.Neo4jError as error:
            raise self._refused(error) from error
        except (neo4j_errors.ConfigurationError, ValueError) as error:
            raise GraphError(
                f"The graph cannot be used as NEO4J_URL says, {shown(self._url)}. {KEPT} It starts with neo4j://, "
                "neo4j+s://, bolt:// or bolt+s://, and names a host and a port; the password is in NEO4J_PW."
            ) from error
        except (neo4j_errors.DriverError, OSError) as error:
            raise GraphUnavailable(
                f"The graph at {shown(self._url)} cannot be reached ({first_line(error)}). {KEPT} "
                "Start the server, or check NEO4J_URL."
            ) from error

    def _answer(self, driver: Driver, query: str, parameters: dict[str, Any], *, write: bool) -> Rows:
        from neo4j import READ_ACCESS, WRITE_ACCESS, Query

        # Not a managed transaction: that would be tried again for half a minute before it said anything.
        mode = WRITE_ACCESS if write else READ_ACCESS
        with driver.session(database=self._database, default_access_mode=mode) as session:
            return session.run(Query(query, timeout=self._timeout), parameters).values()

    def _connected(self) -> Driver:
        from neo4j import GraphDatabase

        with self._connecting:
            if self._driver is None:
                with ExitStack() as undo:
                    driver = GraphDatabase.driver(
                        self._url,
                        auth=self._auth,
                        connection_timeout=self._connect_timeout,
                        connection_acquisition_timeout=self._connect_timeout + self._timeout,
                        notifications_min_severity="OFF",
                    )
                    undo.callback(driver.close)
                    there = {row[0] for row in self._answer(driver, "SHOW INDEXES YIELD name", {}, write=False)}
                    for name in _SCHEMA.keys() - there:
                        self._answer(driver, f"CREATE {_SCHEMA[name]}", {}, write=True)
                    undo.pop_all()
                    self._driver = driver
            return self._driver

    def _refused(self, error: Neo4jError) -> GraphError:
        from neo4j.exceptions import TransientError

        code = error.code or ""
        if ".Security." in code:
            return GraphUnavailable(
                f"The graph at {shown(self._url)} does not let this user in ({code.rpartition('.')[2]}). {KEPT} "
                "Check NEO4J_USER and NEO4J_PW."
            )
        said = f"({first_line(error)}). {KEPT}"
        if isinstance(error, TransientError) or "TransactionTimedOut" in code:
            return GraphUnavailable(f"The graph at {shown(self._url)} did not answer in time {said} Try again.")
        if "DatabaseNotFound" in code:
            return GraphError(f"The graph at {shown(self._url)} has no such database {said} Check NEO4J_DATABASE.")
        return GraphError(f"The graph at {shown(self._url)} refused a query {said}")
