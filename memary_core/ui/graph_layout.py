"""Where nodes start and how edges bow, before the physics: the same data always gives the same picture. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from memary_core.models import Fact

RING = 170
"""Pixels between the rings on which nodes start."""


def bends(edges: Iterable[Fact]) -> dict[str, float]:
    """How far each edge bows out, so that facts between the same two entities lie side by side: 0 is straight."""
    found: dict[str, float] = {}
    count: dict[tuple[str, str], int] = {}
    for fact in sorted(edges, key=lambda each: each.id):
        pair = (min(fact.subject_id, fact.object_id), max(fact.subject_id, fact.object_id))
        place = count.get(pair, 0)
        count[pair] = place + 1
        bow = (place + 1) // 2 * 0.22 * (1 if place % 2 else -1)
        found[fact.id] = round(bow if fact.subject_id == pair[0] else -bow, 2)
    return found


def places(nodes: Sequence[str], edges: Iterable[Fact], distance: Mapping[str, int]) -> dict[str, tuple[float, float]]:
    """Where each node starts, in pixels: on a ring for its distance, near the node it was reached from.

    A radial tree: every node has a sector as wide as the leaves under it. The same input gives the same places.
    """
    above = _tree(edges, distance)
    under: dict[str, list[str]] = {}
    for node, parent in above.items():
        under.setdefault(parent, []).append(node)
    leaves: dict[str, int] = {}
    for each in sorted(nodes, key=lambda node: -distance.get(node, 0)):
        leaves[each] = sum(leaves[child] for child in under.get(each, ())) or 1
    found: dict[str, tuple[float, float]] = {}
    roots = [each for each in nodes if each not in above]
    sectors = [(root, 0.0, math.tau) for root in roots]
    for node, start, width in sectors:
        angle, radius = start + width / 2, distance.get(node, 0) * RING
        found[node] = (round(radius * math.cos(angle), 1), round(radius * math.sin(angle), 1))
        for child in under.get(node, ()):
            share = width * leaves[child] / leaves[node]
            sectors.append((child, start, share))
            start += share
    return found


def _tree(edges: Iterable[Fact], distance: Mapping[str, int]) -> dict[str, str]:
    """For each node but the centre, the nearer node that it hangs on."""
    above: dict[str, str] = {}
    for fact in sorted(edges, key=lambda each: each.id):
        for node, other in ((fact.subject_id, fact.object_id), (fact.object_id, fact.subject_id)):
            if distance.get(other, 0) + 1 == distance.get(node, 0):
                above.setdefault(node, other)
    return above
