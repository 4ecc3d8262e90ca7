"""A neighbourhood as a drawing: which facts are shown, how each looks, and the pyvis network of it. Pure.

Nothing here knows a colour: nodes and edges carry the name of their look, and the canvas takes the colours from the
theme. Names go into `label` and `title` only, which vis-network draws as text.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from memary_core.models import Entity, Fact, Kind, Precision, Salience, SourceKind, Subgraph, Trust
from memary_core.ui.graph_layout import bends, places

if TYPE_CHECKING:
    from pyvis.network import Network

LIMIT = 300
"""Most nodes drawn at once."""
MAX_LABEL = 40
"""Characters of a label; the tooltip has more of a longer name."""
MAX_TITLE = 300

SHAPES = {
    Kind.PERSON: "dot",
    Kind.PLACE: "triangle",
    Kind.ORGANISATION: "square",
    Kind.PRODUCT: "diamond",
    Kind.EVENT: "hexagon",
    Kind.WORK: "triangleDown",
    Kind.OTHER: "dot",
    Kind.VALUE: "square",
    Kind.SELF: "star",
}
KIND_WORDS = {kind: kind.value for kind in Kind} | {Kind.SELF: "you"}
SMALLEST, LARGEST, VALUE_SIZE = 9.0, 30.0, 6.0


class Look(StrEnum):
    """How a fact is shown. A closed fact is superseded, unless a person rejected it."""

    ACCEPTED = "accepted"
    CANDIDATE = "candidate"
    SUPERSEDED = "superseded"
    REJECTED = "rejected"


LOOK_ICONS = {
    Look.ACCEPTED: ":material/check:",
    Look.CANDIDATE: ":material/help:",
    Look.SUPERSEDED: ":material/history:",
    Look.REJECTED: ":material/block:",
}
USUAL_LOOKS = (Look.ACCEPTED, Look.CANDIDATE)
SOURCE_WORDS = {
    SourceKind.USER: "You",
    SourceKind.SPEAKER: "Other people",
    SourceKind.ASSISTANT: "The assistant",
    SourceKind.TOOL: "Tools",
    SourceKind.MANUAL: "By hand",
    SourceKind.IMPORT: "Imports",
}

OPTIONS: dict[str, Any] = {
    "autoResize": True,
    "layout": {"randomSeed": 7, "improvedLayout": False},
    "physics": {
        "solver": "forceAtlas2Based",
        "forceAtlas2Based": {
            "gravitationalConstant": -120,
            "centralGravity": 0.012,
            "springLength": 115,
            "springConstant": 0.06,
            "damping": 0.45,
            "avoidOverlap": 0.4,
        },
        "stabilization": {"enabled": True, "iterations": 250, "updateInterval": 25, "fit": False},
    },
    "interaction": {"hover": True, "tooltipDelay": 250, "selectConnectedEdges": False, "hoverConnectedEdges": False},
    "edges": {"arrows": {"to": {"enabled": True, "scaleFactor": 0.55}}, "selectionWidth": 1.5, "hoverWidth": 0.5},
    "nodes": {"borderWidth": 1.5, "borderWidthSelected": 3},
}


@dataclass(frozen=True, slots=True)
class Shown:
    """What the filters leave of a neighbourhood. `total`: entities found before limit and filters."""

    nodes: tuple[Entity, ...]
    edges: tuple[Fact, ...]
    total: int
    distance: Mapping[str, int]


def look(fact: Fact, at: datetime | None = None) -> Look:
    """How the fact is shown, as of `at` (default: now)."""
    if fact.trust is Trust.REJECTED:
        return Look.REJECTED
    if fact.valid_to is not None and (at is None or fact.valid_to <= at):
        return Look.SUPERSEDED
    return Look.ACCEPTED if fact.trust is Trust.ACCEPTED else Look.CANDIDATE


def trusts_for(looks: Collection[Look]) -> frozenset[Trust]:
    """The trust states to ask the graph for: a superseded fact may have been accepted or not."""
    wanted = {Trust(each.value) for each in looks if each is not Look.SUPERSEDED}
    return frozenset(wanted | {Trust.ACCEPTED, Trust.CANDIDATE} if Look.SUPERSEDED in looks else wanted)


def wanted(
    looks: Collection[Look], kinds: Collection[SourceKind], at: datetime | None = None
) -> Callable[[Fact], bool]:
    """Has a fact one of these looks, as of `at`, and did one of these speak for it?"""

    def keep(fact: Fact) -> bool:
        return look(fact, at) in looks and any(source.kind in kinds for source in fact.sources)

    return keep


def shown(found: Subgraph, centre: Entity, keep: Callable[[Fact], bool], hops: int) -> Shown:
    """What is left where only the facts that `keep` wants are drawn: what they still connect to the centre.

    The centre is always there, even where nothing is known of it.
    """
    edges = [fact for fact in found.edges if keep(fact)]
    beside: dict[str, set[str]] = {}
    for fact in edges:
        beside.setdefault(fact.subject_id, set()).add(fact.object_id)
        beside.setdefault(fact.object_id, set()).add(fact.subject_id)
    distance = {centre.id: 0}
    front = [centre.id]
    for hop in range(1, hops + 1):
        front = [each for near in front for each in sorted(beside.get(near, ())) if each not in distance]
        distance |= dict.fromkeys(front, hop)
    nodes = [each for each in found.nodes if each.id in distance]
    if all(each.id != centre.id for each in nodes):
        nodes.insert(0, centre)
    ids = {each.id for each in nodes}
    edges = [fact for fact in edges if fact.subject_id in ids and fact.object_id in ids]
    kept = {each: steps for each, steps in distance.items() if each in ids}
    return Shown(tuple(nodes), tuple(edges), max(found.total, len(nodes)), kept)


def tally(view: Shown) -> str:
    """*12 of 300 entities shown, 20 facts*."""
    count, facts = len(view.nodes), len(view.edges)
    of = f" of {view.total:,}" if view.total > count else ""
    entities = "entity" if (view.total if of else count) == 1 else "entities"
    return f"{count:,}{of} {entities} shown, {facts:,} fact{'' if facts == 1 else 's'}"


def cut(text: str, limit: int = MAX_LABEL) -> str:
    """`text` on one line of at most `limit` characters, with … where it was cut, never inside a composed sign."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    end = limit - 1
    while end > 1 and (unicodedata.category(line[end]).startswith("M") or "\u200d" in line[end - 1 : end + 1]):
        end -= 1
    return line[:end].rstrip() + "…"


def names(entities: Iterable[Entity], limit: int = 80) -> dict[str, str]:
    """A label for each entity's id, each different: name, aliases, and where two still meet, a number."""
    labels: dict[str, str] = {}
    taken: set[str] = set()
    for each in entities:
        also = ", ".join(cut(alias, MAX_LABEL) for alias in each.aliases[:3])
        base = label = cut(each.name, limit) + (f" (also {also})" if also else "")
        number = 2
        while label in taken:
            label, number = f"{base} · {number}", number + 1
        taken.add(label)
        labels[each.id] = label
    return labels


def build(view: Shown, salience: Mapping[str, Salience]) -> Network:
    """The pyvis network of what is shown. `salience` by entity id; who is not in it was never mentioned."""
    from pyvis.network import Network

    network = Network(directed=True, height="100%", width="100%")
    network.options = OPTIONS
    place = places([each.id for each in view.nodes], view.edges, view.distance)
    most = max((each.score for each in salience.values()), default=0.0)
    for entity in view.nodes:
        x, y = place[entity.id]
        network.add_node(
            entity.id,
            label=cut(entity.name),
            shape=SHAPES[entity.kind],
            group=entity.kind.value,
            size=round(_size(entity, salience.get(entity.id), most), 1),
            title=_title(entity),
            x=x,
            y=y,
        )
    bent = bends(view.edges)
    for fact in view.edges:
        network.add_edge(
            fact.subject_id,
            fact.object_id,
            id=fact.id,
            label=cut(fact.predicate),
            title=f"{cut(fact.predicate, MAX_TITLE)}\n{look(fact).value}",
            look=look(fact).value,
            bend=bent[fact.id],
        )
    return network


def drawing(view: Shown, salience: Mapping[str, Salience], selected: tuple[str, str] | None = None) -> dict[str, Any]:
    """What the canvas gets: pyvis's nodes, edges and options, the centre, what is selected, and the legend.

    `selected`: ("node", entity id) or ("edge", fact id).
    """
    nodes, edges, _, _, _, options = build(view, salience).get_network_data()
    kinds = [kind for kind in Kind if any(each.kind is kind for each in view.nodes)]
    looks = [each for each in Look if any(look(fact) is each for fact in view.edges)]
    return {
        "nodes": nodes,
        "edges": edges,
        "options": json.loads(options),
        "centre": next((each for each, steps in view.distance.items() if steps == 0), None),
        "selected": None if selected is None else {"what": selected[0], "id": selected[1]},
        "legend": {
            "kinds": [{"group": kind.value, "shape": SHAPES[kind], "word": KIND_WORDS[kind]} for kind in kinds],
            "looks": [{"look": each.value, "word": each.value} for each in looks],
        },
        "hint": "Click selects, double click centres. Ctrl and the wheel zoom.",
        "described": f"Graph: {tally(view)}. The box Selected and the table below choose without a mouse.",
    }


def validity(fact: Fact) -> list[str]:
    """*true from May 2024* and *until 3 May 2026*, as far as they are known and no more exactly."""
    told = [f"true from {_date(fact.valid_from, fact.valid_precision)}"] if fact.valid_from else []
    return [*told, f"until {_date(fact.valid_to, Precision.DAY)}"] if fact.valid_to else told


def end_of(day: date | None) -> datetime | None:
    """The last moment of a day where this machine is; None for None."""
    return None if day is None else datetime.combine(day, time.max).astimezone()


def table(facts: Iterable[Fact]) -> list[dict[str, Any]]:
    """The facts as rows for a table, whose cells are shown as text."""
    return [
        {
            "Subject": cut(fact.subject, 120),
            "Predicate": fact.predicate,
            "Object": cut(fact.object, 120),
            "Trust": look(fact).value,
            "Confidence": fact.confidence,
            "Sources": len(fact.sources),
            "Recorded": fact.recorded_at,
        }
        for fact in facts
    ]


def _date(at: datetime, precision: Precision | None) -> str:
    if precision is Precision.YEAR:
        return f"{at:%Y}"
    if precision is Precision.MONTH:
        return f"{at:%B %Y}"
    local = at.astimezone() if precision is None or precision is Precision.INSTANT else at
    return f"{local.day} {local:%B %Y}"


def _title(entity: Entity) -> str:
    also = f"\nalso {cut(', '.join(entity.aliases), MAX_TITLE)}" if entity.aliases else ""
    return f"{cut(entity.name, MAX_TITLE)}\n{KIND_WORDS[entity.kind]}{also}"


def _size(entity: Entity, salience: Salience | None, most: float) -> float:
    if entity.kind is Kind.VALUE:
        return VALUE_SIZE
    share = math.sqrt(salience.score / most) if salience and most > 0 else 0.0
    size = SMALLEST + (LARGEST - SMALLEST) * share
    return max(size, 18.0) if entity.kind is Kind.SELF else size
