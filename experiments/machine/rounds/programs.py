"""A schedule of rounds as a program of the machine, with numbers and the answers that NumPy gives.

Data are affine maps x -> a x + b, whose product depends on their order; in an elimination they are rows of a
tridiagonal system. On `machine` a message takes a cycle on a channel, of any length, and nothing else takes
time, so the makespan is the rounds of the schedule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.machine.rounds.tasks import OPERATIONS, Graph, Place, Schedule, Sent, Task, needed, replay
from senn.algorithms.gallery.cyclic_reduction import reduced
from senn.machine import model
from senn.machine.model import Machine
from senn.machine.program import (
    PR1,
    Compute,
    Instruction,
    Kernel,
    Name,
    ProcessSet,
    Program,
    Resident,
    Send,
    Wait,
    value,
)

Numbers = NDArray[np.float64]


def machine(graph: Graph) -> Machine:
    """The network, on which a message takes a cycle a channel and everything else none."""
    return model.load("ideal").with_settings(
        {
            "machine.network": graph.name,
            "machine.nodes": graph.nodes,
            "machine.ports": "one" if graph.one_port else "all",
            "timing.flop": 0,
            "timing.post": 0,
            "timing.startup": 1,
        }
    )


def composed(inner: Numbers, outer: Numbers) -> Numbers:
    """The map that applies the first, then the second: of (a, b) and (c, d) it is (a c, b c + d)."""
    return np.stack([inner[:, 0] * outer[:, 0], inner[:, 1] * outer[:, 0] + outer[:, 1]], axis=1)


PRODUCT = Kernel("product", "{0} then {1}", composed)
MIDDLE = Kernel("middle", "reduce({0}, {1}, {2})", reduced.evaluate)
FIRST = Kernel("first", "reduce({0}, -, {1})", lambda row, behind: reduced.evaluate(row, None, behind))
LAST = Kernel("last", "reduce({0}, {1}, -)", lambda row, before: reduced.evaluate(row, before, None))


def program(operation: str, graph: Graph, schedule: Schedule) -> Program:
    """One array; process p + 1 is node p. `given` has its numbers, `expected` its answers."""
    n, what = graph.nodes, OPERATIONS[operation](graph.nodes)
    origins = replay(what, graph, schedule)
    kept = needed(what, origins)
    words = 4 if operation == "elimination" else 2
    x, named = value("x", words), {name: value(f"x[{name}]", words) for name in what.products}

    def kernel(name: str, parts: Sequence[str]) -> Kernel:
        if operation != "elimination" or len(parts) == 3:
            return MIDDLE if operation == "elimination" else PRODUCT
        after, own = (int(x.rstrip("'")) for x in (parts[1], name))
        return FIRST if after > own else LAST

    datum = itemgetter(2)

    def lines() -> Iterator[Instruction]:
        for name, node in what.start.items():
            if (node, name) in kept:
                yield Name(f"0.{name}", named[name], x, where=_set([node]))
        for number, messages in enumerate(schedule, 1):
            by_name = [(name, list(some)) for name, some in groupby(sorted(messages, key=datum), datum)]
            for name, some in by_name:
                targets = (PR1[table] for table in _tables(n, some))
                yield Send(f"{number}.{name}", named[name], *targets)
            for name, some in by_name:
                sender, there = {b: a for a, b, _ in some}, _set(b for _, b, _ in some)
                writers = [sender.get(p, -1) + 1 for p in range(n)]
                yield Name(f"{number}.{name}", named[name], named[name][writers], where=there)
                yield Wait(f"{number}.{name}", named[name], where=there)
            for name in what.products:
                ways = {
                    place: origins[place].parts
                    for place in kept
                    if place[1] == name and origins[place].round == number and origins[place].parts
                }
                for parts in sorted(set(ways.values())):
                    where = _set(node for (node, _), way in ways.items() if way == parts)
                    expression = kernel(name, parts)(*(named[part] for part in parts))
                    yield Compute(f"{number}.{name}", named[name], expression, where)

    answers = {key: value(key, words) for key in _answers(what)}
    last = [
        Name(f"{key}.{node}", answers[key], named[name], where=_set([node]))
        for key, goals in _answers(what).items()
        for node, name in goals
    ]
    start = Resident(x, (1,), _set(what.start.values()))
    title = f"{operation}, {graph.name}"
    return Program(title, n, ((*lines(), *last),), (start,), {key: (1, answers[key]) for key in answers})


def _set(nodes: Iterable[int]) -> ProcessSet:
    return ProcessSet.of(sorted(node + 1 for node in nodes))


def _tables(n: int, messages: Sequence[Sent]) -> Iterator[list[int]]:
    """Destinations of one datum, in each table one for every sender."""
    left = list(messages)
    while left:
        here = {a: b for a, b, _ in reversed(left)}
        yield [here.get(p, -1) + 1 for p in range(n)]
        left = [message for message in left if here[message[0]] != message[1]]


def _answers(what: Task) -> dict[str, list[Place]]:
    """Goals with one datum a node: "first", and "second" of nodes that need two."""
    found: dict[str, list[Place]] = {"first": [], "second": []}
    for place in what.goals:
        found["second" if place[0] in dict(found["first"]) else "first"].append(place)
    return {key: places for key, places in found.items() if places}


# ------------------------------------------------------------------------------ numbers


def given(operation: str, n: int, seed: int = 0) -> dict[str, Numbers]:
    """Maps of small whole numbers, whose products are exact; or rows of a dominant tridiagonal system."""
    rng = np.random.default_rng(seed)
    if operation != "elimination":
        return {"x": np.stack([rng.choice([-2.0, -1.0, 1.0, 2.0], n), rng.integers(-9, 10, n) * 1.0], axis=1)}
    rows = rng.uniform(-1, 1, (n, 4)) + [0, 3, 0, 0]
    rows[0, 0] = rows[-1, 2] = 0
    return {"x": rows}


def error(operation: str, n: int, result: dict[str, Any], memory: dict[str, Numbers]) -> float:
    """The largest difference to NumPy: products of matrices [[a, 0], [b, 1]], or the solution of the
    tridiagonal system."""
    x, what = memory["x"], OPERATIONS[operation](n)
    if operation == "elimination":
        a, b, c, d = x.T
        solution = np.linalg.solve(np.diag(a[1:], -1) + np.diag(b) + np.diag(c[:-1], 1), d)
        rows = result["first"]
        return float(np.abs(rows[:, 3] / rows[:, 1] - solution).max())
    matrices = np.zeros((n, 2, 2)) + np.diag([0.0, 1.0])
    matrices[:, :, 0] = x
    worst = 0.0
    for key, goals in _answers(what).items():
        for node, name in goals:
            span = [int(k) for k in name.split("-")]
            expected = reduce(np.matmul, matrices[span[0] : span[-1] + 1])[:, 0]
            worst = max(worst, float(np.abs(result[key][node] - expected).max()))
    return worst
