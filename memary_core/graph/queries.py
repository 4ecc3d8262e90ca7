"""The Cypher that FalkorDB and Neo4j both speak, and the graph it builds. No query here holds a value.

Every pattern binds `$scope`, on both databases. Labels and types carry the project's name, so that they cannot meet
another program's in a shared database.

    (:MemaryScope  {scope, home, format, applied_seq})
    (:MemaryEntity {scope, id, key, name, kind, aliases})
    (:MemarySource {scope, id, kind, extractor, turn, at, quote, speaker, tool, query, url, confidence})
    (:MemaryEntity)-[:MEMARY_FACT {scope, id, predicate, trust, confidence, sources, valid_from, …}]->(:MemaryEntity)
    (:MemarySource)-[:MEMARY_MENTIONS {scope, fact}]->(:MemaryEntity)

A source mentions a fact's two ends once per fact it supports; the `fact` on the mention is what tells, without
looking at any other fact, that a source supports nothing any more.
"""

from __future__ import annotations

from collections.abc import Sequence

from memary_core.graph.rows import ENTITY, FACT, SOURCE


def _columns(variable: str, names: Sequence[str]) -> str:
    return ", ".join(f"{variable}.{name}" for name in names)


def _assign(variable: str, names: Sequence[str]) -> str:
    return ", ".join(f"{variable}.{name} = row.{name}" for name in names)


CLAIM = (
    "MERGE (s:MemaryScope {scope: $scope}) ON CREATE SET s.home = $home, s.format = $format, s.applied_seq = 0 "
    "RETURN s.home, s.format"
)
SEQ = "MATCH (s:MemaryScope {scope: $scope}) RETURN s.applied_seq"
RECORD = (
    "MERGE (s:MemaryScope {scope: $scope}) ON CREATE SET s.home = $home, s.format = $format, s.applied_seq = 0 "
    "WITH s WHERE s.applied_seq < $seq SET s.applied_seq = $seq"
)
ENTITIES = f"UNWIND $rows AS row MERGE (e:MemaryEntity {{scope: $scope, id: row.id}}) SET {_assign('e', ENTITY)}"
SOURCES = f"UNWIND $rows AS row MERGE (s:MemarySource {{scope: $scope, id: row.id}}) SET {_assign('s', SOURCE)}"
ENDS = "UNWIND $ids AS x MATCH (e:MemaryEntity {scope: $scope, id: x}) RETURN e.id"
STORED = "UNWIND $ids AS x MATCH (a)-[f:MEMARY_FACT {scope: $scope, id: x}]->(b) RETURN f.id, a.id, b.id, f.sources"
FACTS = (
    "UNWIND $rows AS row MATCH (a:MemaryEntity {scope: $scope, id: row.subject}) "
    "MATCH (b:MemaryEntity {scope: $scope, id: row.object}) "
    "MERGE (a)-[f:MEMARY_FACT {scope: $scope, id: row.id}]->(b) SET " + _assign("f", FACT)
)
MENTIONS = (
    "UNWIND $rows AS row MATCH (s:MemarySource {scope: $scope, id: row.source}) "
    "MATCH (e:MemaryEntity {scope: $scope, id: row.entity}) "
    "MERGE (s)-[:MEMARY_MENTIONS {scope: $scope, fact: row.fact}]->(e)"
)
UNMENTION = (
    "UNWIND $rows AS row MATCH (s:MemarySource {scope: $scope, id: row.source})"
    "-[m:MEMARY_MENTIONS {scope: $scope, fact: row.fact}]->() DELETE m"
)
BARE = (
    "UNWIND $ids AS x MATCH (s:MemarySource {scope: $scope, id: x}) "
    "OPTIONAL MATCH (s)-[m:MEMARY_MENTIONS]->() WITH s, count(m) AS n WHERE n = 0 DELETE s"
)
DROP_FACTS = "UNWIND $ids AS x MATCH ()-[f:MEMARY_FACT {scope: $scope, id: x}]->() DELETE f"
DROP_ENTITIES = "UNWIND $ids AS x MATCH (e:MemaryEntity {scope: $scope, id: x}) DETACH DELETE e"
READ_ENTITIES = f"UNWIND $ids AS x MATCH (e:MemaryEntity {{scope: $scope, id: x}}) RETURN e.id, {_columns('e', ENTITY)}"
READ_FACTS = "f.id, startNode(f).id, startNode(f).name, endNode(f).id, endNode(f).name, " + _columns("f", FACT)
SOURCE_IDS = 5 + FACT.index("sources")
BEST_FIRST = "ORDER BY f.confidence DESC, f.recorded_at DESC, f.id LIMIT $limit"
READ_SOURCES = f"UNWIND $ids AS x MATCH (s:MemarySource {{scope: $scope, id: x}}) RETURN s.id, {_columns('s', SOURCE)}"
TURNS = (
    "UNWIND $ids AS x MATCH (s:MemarySource {scope: $scope, turn: x})-[m:MEMARY_MENTIONS {scope: $scope}]->() "
    "RETURN DISTINCT m.fact"
)
# The scope's own node goes first: whatever stops the clearing, `applied_seq` no longer claims what is gone.
CLEAR = (
    "MATCH (s:MemaryScope {scope: $scope}) WITH s LIMIT $most DELETE s RETURN count(s)",
    "MATCH (s:MemarySource {scope: $scope}) WITH s LIMIT $most DETACH DELETE s RETURN count(s)",
    "MATCH ()-[f:MEMARY_FACT {scope: $scope}]->() WITH f LIMIT $most DELETE f RETURN count(f)",
    "MATCH (e:MemaryEntity {scope: $scope}) WITH e LIMIT $most DETACH DELETE e RETURN count(e)",
)
TOTALS = (
    "MATCH (e:MemaryEntity {scope: $scope}) RETURN count(e)",
    "MATCH ()-[f:MEMARY_FACT {scope: $scope}]->() RETURN count(f)",
    "MATCH ()-[f:MEMARY_FACT {scope: $scope}]->() WHERE f.trust = $trust RETURN count(f)",
    "MATCH (s:MemarySource {scope: $scope}) RETURN count(s)",
)
