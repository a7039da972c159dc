"""Collective operations as data that must reach nodes, and what a schedule of messages leaves where.

In a round every channel carries at most one datum. With all ports a node uses all of its channels at once;
with one port it sends one datum and receives one. Products of data that a node holds take no time. Parallel
channels count as one: a routed message takes the first of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from senn.machine.network.named import network
from senn.machine.network.routing import Router

Sent = tuple[int, int, str]
"""From a node, to a neighbour, which datum."""
Schedule = Sequence[Sequence[Sent]]
"""The messages of each round."""
Place = tuple[int, str]
"""A node and a datum that it holds."""


@dataclass(frozen=True)
class Graph:
    """The channels of a network as pairs of neighbours, and what a node may do in a round."""

    name: str
    nodes: int
    one_port: bool

    @cached_property
    def channels(self) -> tuple[tuple[int, int], ...]:
        found = network(self.name, self.nodes)
        return tuple(sorted(set(zip(found.source.tolist(), found.target.tolist(), strict=True))))

    @cached_property
    def distances(self) -> list[list[int]]:
        rows: list[list[int]] = Router(network(self.name, self.nodes)).distances.tolist()
        return rows


@dataclass(frozen=True)
class Task:
    """What is where at the start, what must be where at the end, and which products make a datum.

    `products` has every datum, each after those that it is made of; data of the start are made of nothing.
    """

    products: Mapping[str, Sequence[tuple[str, ...]]]
    start: Mapping[str, int]
    goals: Sequence[Place]

    @cached_property
    def origins(self) -> Mapping[str, frozenset[int]]:
        """Of each datum, the nodes whose data it depends on."""
        found: dict[str, frozenset[int]] = {}
        for name, ways in self.products.items():
            parts = (found[x] for x in ways[0]) if ways else ({self.start[name]},)
            found[name] = frozenset().union(*parts)
        return found

    @cached_property
    def ends(self) -> Mapping[str, frozenset[int]]:
        """Of each datum, the nodes that need it, or anything that depends on it, at the end."""
        found = {name: {node for node, x in self.goals if x == name} for name in self.products}
        for name in reversed(self.products):
            for part in {x for way in self.products[name] for x in way}:
                found[part] |= found[name]
        return {name: frozenset(nodes) for name, nodes in found.items()}


def spans(n: int, goals: Sequence[tuple[int, int, int]]) -> Task:
    """Products of neighbours in their order: node i begins with datum i, `goals` are (node, first, last)."""
    widths = [(a, a + width - 1) for width in range(1, n + 1) for a in range(n - width + 1)]
    ways = {_span(a, b): [(_span(a, c), _span(c + 1, b)) for c in range(a, b)] for a, b in widths}
    start = {_span(i, i): i for i in range(n)}
    return Task(ways, start, [(node, _span(a, b)) for node, a, b in goals])


def _span(a: int, b: int) -> str:
    return f"{a}" if a == b else f"{a}-{b}"


def elimination(n: int) -> Task:
    """Odd-even elimination: row i of level j + 1 is made of rows i - 2^j, i and i + 2^j of level j."""
    levels = (n - 1).bit_length()
    ways: dict[str, list[tuple[str, ...]]] = {f"{i}": [] for i in range(n)}
    for j, i in product(range(levels), range(n)):
        before = [f"{k}" + "'" * j for k in (i, i - 2**j, i + 2**j) if 0 <= k < n]
        ways[f"{i}" + "'" * (j + 1)] = [tuple(before)]
    return Task(ways, {f"{i}": i for i in range(n)}, [(i, f"{i}" + "'" * levels) for i in range(n)])


def transposition(n: int) -> Task:
    """A matrix of 2^floor(M/2) rows, an element a node, row by row: its transpose."""
    rows = 2 ** ((n - 1).bit_length() // 2)
    columns = n // rows
    goals = [(j * rows + i, f"{i * columns + j}") for i, j in product(range(rows), range(columns))]
    return Task({f"{i}": [] for i in range(n)}, {f"{i}": i for i in range(n)}, goals)


def _ends(n: int, *kinds: str) -> list[tuple[int, int, int]]:
    """Node, first and last datum of the products that are wanted."""
    every = {"all": [(0, 0, n - 1)], "prefixes": [(i, 0, i) for i in range(n)]}
    every["suffixes"] = [(i, i, n - 1) for i in range(n)]
    return [goal for kind in kinds for goal in every[kind]]


OPERATIONS: Mapping[str, Callable[[int], Task]] = {
    "broadcast": lambda n: Task({"0": []}, {"0": 0}, [(i, "0") for i in range(n)]),
    "reduction": lambda n: spans(n, _ends(n, "all")),
    "prefixes": lambda n: spans(n, _ends(n, "prefixes")),
    "prefixes and suffixes": lambda n: spans(n, _ends(n, "prefixes", "suffixes")),
    "transposition": transposition,
    "elimination": elimination,
}
"""Tasks of n nodes with a datum each; a broadcast starts and a reduction ends at node 0."""


def distance(what: Task, graph: Graph) -> int:
    """Rounds before the farthest datum can be where it is needed."""
    pairs = ((a, node) for node, name in what.goals for a in what.origins[name])
    return max(graph.distances[a][node] for a, node in pairs)


# -------------------------------------------------------------------------------- replay


@dataclass(frozen=True)
class Origin:
    """Where a datum of a node comes from: in which round, from which neighbour, or a product of which."""

    round: int
    sender: int | None = None
    parts: tuple[str, ...] = ()


def replay(what: Task, graph: Graph, schedule: Schedule) -> dict[Place, Origin]:
    """Where all data of the nodes come from; ValueError for a message that is impossible, or for a goal
    that is missed."""
    found = {(node, name): Origin(0) for name, node in what.start.items()}
    for number, messages in enumerate(schedule, 1):
        _allowed(graph, messages)
        if missing := [x for x in messages if (x[0], x[2]) not in found]:
            raise ValueError(f"round {number}: node {missing[0][0]} does not hold {missing[0][2]}")
        for source, target, name in messages:
            found.setdefault((target, name), Origin(number, source))
        for node, (name, ways) in product(range(graph.nodes), what.products.items()):
            made = (way for way in ways if all((node, part) in found for part in way))
            if (node, name) not in found and (way := next(made, None)) is not None:
                found[node, name] = Origin(number, None, way)
    if missed := [x for x in what.goals if x not in found]:
        raise ValueError(f"node {missed[0][0]} never holds {missed[0][1]}")
    return found


def _allowed(graph: Graph, messages: Sequence[Sent]) -> None:
    pairs = [(source, target) for source, target, _ in messages]
    if not set(pairs) <= set(graph.channels) or len(set(pairs)) < len(pairs):
        raise ValueError(f"one datum a channel: {pairs}")
    if graph.one_port and any(len({x[k] for x in pairs}) < len(pairs) for k in (0, 1)):
        raise ValueError(f"one datum out of a node and one in: {pairs}")


def needed(what: Task, origins: Mapping[Place, Origin]) -> set[Place]:
    """The data at nodes that the goals depend on."""
    found: set[Place] = set()
    waiting = list(what.goals)
    while waiting:
        if (place := waiting.pop()) in found:
            continue
        found.add(place)
        origin = origins[place]
        waiting += [(place[0], part) for part in origin.parts]
        if origin.sender is not None:
            waiting.append((origin.sender, place[1]))
    return found


def without_waste(what: Task, graph: Graph, schedule: Schedule) -> Schedule:
    """The messages that the goals depend on."""
    origins = replay(what, graph, schedule)
    kept = needed(what, origins)
    return [
        [x for x in messages if (x[1], x[2]) in kept and origins[x[1], x[2]] == Origin(number, x[0])]
        for number, messages in enumerate(schedule, 1)
    ]


def written(schedule: Schedule) -> str:
    """One line: messages with spaces between, rounds with semicolons.

    >>> written([[(0, 1, "0")], [(1, 2, "0-1"), (1, 0, "1")]])
    '0>1:0; 1>2:0-1 1>0:1'
    """
    return "; ".join(" ".join(f"{a}>{b}:{name}" for a, b, name in messages) for messages in schedule)


def read(text: str) -> Schedule:
    """The schedule of a line."""
    message = re.compile(r"(\d+)>(\d+):(\S+)")
    return [[(int(a), int(b), name) for a, b, name in message.findall(part)] for part in text.split(";")]
