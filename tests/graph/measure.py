"""Figures for the graph with 100,000 facts: `python -m tests.graph.measure [facts] [URL]`.

Prints medians in milliseconds. Without a URL, an embedded server in a temporary folder is measured. Neo4j's user and
password are in NEO4J_USER and NEO4J_PW.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime

from memary_core.graph.base import FactFilter
from memary_core.graph.cypher import CypherGraph
from memary_core.graph.embedded import EmbeddedServer
from memary_core.graph.falkordb import FalkorGraph
from memary_core.graph.neo4j import Neo4jGraph
from memary_core.models import Entity, Fact, Source, SourceKind, Trust

NOW = datetime(2026, 3, 1, tzinfo=UTC)
TRUSTS = (Trust.ACCEPTED, Trust.CANDIDATE)


def build(count: int) -> tuple[list[Entity], list[Fact]]:
    """`count` facts over a fifth as many entities; a tenth of them about one entity, as it is with You."""
    chance = random.Random(7)
    entities = [Entity(f"{number:032x}", f"Entity {number}") for number in range(count // 5)]
    facts = []
    for number in range(count):
        subject = entities[0] if number % 10 == 0 else chance.choice(entities)
        obj = chance.choice(entities)
        source = Source(SourceKind.USER, id=f"{number:031x}s", turn=f"turn {number // 3}", at=NOW, quote="Some words.")
        facts.append(
            Fact(
                id=f"{number:031x}f",
                subject=subject.name,
                predicate=f"predicate {number % 50}",
                object=obj.name,
                subject_id=subject.id,
                object_id=obj.id,
                trust=Trust.CANDIDATE if number % 20 == 0 else Trust.ACCEPTED,
                confidence=0.5 + number % 40 / 100,
                sources=(source,),
                recorded_at=NOW,
            )
        )
    return entities, facts


def median(act: Callable[[], object], times: int = 15) -> float:
    """Milliseconds."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        act()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken) * 1000


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        server = EmbeddedServer(folder)
        url = sys.argv[2] if len(sys.argv) > 2 else server.connect
        graph: CypherGraph
        if isinstance(url, str) and url.startswith(("neo4j", "bolt")):
            graph = Neo4jGraph(
                url, os.environ.get("NEO4J_USER", "neo4j"), os.environ.get("NEO4J_PW"), "measure", "here"
            )
        else:
            graph = FalkorGraph(url, "memary-measure", "measure", "here", scrub=server.compact, release=server.close)
        graph.open()
        graph.clear()
        graph.open()
        entities, facts = build(count)
        began = time.perf_counter()
        for start in range(0, count, 1000):
            some = facts[start : start + 1000]
            graph.write(some, entities if start == 0 else (), start + 1)
        print(f"write {count} facts: {time.perf_counter() - began:.1f} s")
        chance = random.Random(8)

        def one() -> str:
            return chance.choice(entities[1:]).id

        def many(number: int) -> list[str]:
            return [each.id for each in chance.sample(entities, number)]

        you = entities[0].id
        cases: dict[str, Callable[[], object]] = {
            "one fact by id": lambda: graph.facts(FactFilter(ids=[chance.choice(facts).id])),
            "one hop from one entity": lambda: graph.facts(FactFilter(touching=[one()], trusts=TRUSTS, current=True)),
            "one hop from 20 entities": lambda: graph.facts(FactFilter(touching=many(20), trusts=TRUSTS, current=True)),
            "one hop from You, best 200": lambda: graph.facts(
                FactFilter(touching=[you], trusts=TRUSTS, current=True, limit=200)
            ),
            "subject and object": lambda: graph.facts(FactFilter(subjects=[you], objects=[one()], current=True)),
            "1000 subjects and 1000 objects": lambda: graph.facts(
                FactFilter(subjects=[you, *many(999)], objects=many(1000), current=True)
            ),
            "facts of a turn": lambda: graph.facts(FactFilter(turns=[chance.choice(facts).sources[0].turn or ""])),
            "one predicate, best 100": lambda: graph.facts(FactFilter(predicates=["predicate 7"], limit=100)),
            "candidates, best 100": lambda: graph.facts(FactFilter(trusts=[Trust.CANDIDATE], limit=100)),
            "the whole scope, best 100": lambda: graph.facts(FactFilter(limit=100)),
            "within 200 entities and You": lambda: graph.facts(FactFilter(within=[you, *many(199)], trusts=TRUSTS)),
            "reach 1 hop": lambda: graph.reach([one()], 1, trusts=TRUSTS, at=None, current=True),
            "reach 2 hops": lambda: graph.reach([one()], 2, trusts=TRUSTS, at=None, current=True),
            "reach 2 hops from You": lambda: graph.reach([you], 2, trusts=TRUSTS, at=None, current=True),
            "write one fact": lambda: graph.write([chance.choice(facts)], (), count),
            "totals": graph.totals,
            "applied_seq": graph.applied_seq,
        }
        for name, act in cases.items():
            print(f"{name}: {median(act):.2f} ms")
        print(f"remove an entity and what is about it: {median(lambda: graph.remove([one()], [], count), 3):.0f} ms")
        server.close()
        if len(sys.argv) < 3:
            began = time.perf_counter()
            server.connect()
            print(f"start with {count} facts: {time.perf_counter() - began:.2f} s")
        began = time.perf_counter()
        graph.clear()
        print(f"clear: {time.perf_counter() - began:.1f} s")
        graph.close()


if __name__ == "__main__":
    main()
