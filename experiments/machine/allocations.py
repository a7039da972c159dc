"""The tables and pictures of allocations.md: who lives where, and what that costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import product

import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure

import senn
from experiments.page import Figures, Tables, head, row
from senn.algorithms.programs import variants
from senn.machine import model
from senn.machine.network import topology
from senn.machine.network.named import senn as paper
from senn.machine.network.routing import Router
from senn.machine.network.topology import Integers
from senn.machine.placing import allocation
from senn.machine.placing.messages import exchanges
from senn.machine.placing.schedule import scores
from senn.traces.pictures import plots

_AT_HOME = ("identity", "unshuffled:1", "morton", "snake", "bit-reversed", "gray", "random:1")
_MIGRATING = ("identity", "identity,gray", "bit-reversed", "gray")
ALONE = [*product(_AT_HOME, ["home"]), *product(_MIGRATING, ["migrating"])]
FOLDED = (("block", "home"), ("block", "migrating"), ("cyclic", "home"))
STATIC = ("identity", "unshuffled:1", "bit-reversed", "gray", "random:1")
TITLES = ("dilation", "congestion", "in all", "load", "words x hops", "network steps", "makespan")
COLUMNS = ("dilation", "congestion", "congestion_in_all", "load", "word_hops", "network_steps", "makespan")


def measured(n: int, names: Iterable[tuple[str, str]], nodes: int = 0) -> Iterator[str]:
    """Scores of allocations under the paper's program on mark3, a row each, without a head."""
    machine, program = model.load("mark3").with_settings({"machine.nodes": nodes}), variants.closed_chain(n)
    for name, residency in names:
        schedule = senn.placed(program, machine, residency, name)
        found = asdict(scores(schedule, senn.timed(schedule, machine).summary["makespan"]))
        yield row(f"`{name}`", residency, *(found[column] for column in COLUMNS))


def partner_slots(table: Integers, router: Router) -> list[int]:
    """By level: the slots that one message each way between all partners i and i + h needs, all posted at
    once, one message per channel and slot. ``table`` is (M + 1, n), ``router`` that of its network."""
    levels = enumerate(table[1:])
    return [topology.slots(router.paths(*exchanges(1 << level, row, row))) for level, row in levels]


def processes_leaving(table: Integers) -> list[int]:
    """By level: the most processes of a node whose partner i + h is on another. ``table`` is (M + 1, n)."""
    shifts = [(row[: -(1 << level)], row[1 << level :]) for level, row in enumerate(table[1:])]
    return [int(np.bincount(here, here != there).max()) for here, there in shifts]


def static(name: str, sizes: Iterable[int]) -> list[int]:
    """`partner_slots` at home on a SENN, routed greedily, added up over the levels."""
    homes = ((n, allocation.named(name, n, "home")) for n in sizes)
    return [sum(partner_slots(home, Router(paper(n), "greedy"))) for n, home in homes]


def alone() -> Iterator[str]:
    """64 processes on 64 nodes."""
    yield from head("allocation", "residency", *TITLES)
    yield from measured(64, ALONE)


def slots() -> Iterator[str]:
    """Slots at home over sizes."""
    sizes = (8, 16, 32, 64, 128, 256)
    yield from head("allocation", f"n = {sizes[0]}", *sizes[1:])
    for name in STATIC:
        yield row(f"`{name}`", *static(name, sizes))


def leaving() -> Iterator[str]:
    """Processes whose partner is elsewhere, n = 1024, summed over levels (levels that have any)."""
    folds = (8, 32, 128)
    yield from head("allocation", *(f"{nodes} nodes" for nodes in folds))
    for name in allocation.FOLDS:
        homes = (allocation.named(name, 1024, "home", nodes) for nodes in folds)
        counts = (processes_leaving(home) for home in homes)
        yield row(f"`{name}`", *(f"{sum(one)} ({np.count_nonzero(one)})" for one in counts))


def folded() -> Iterator[str]:
    """64 processes on fewer nodes."""
    yield from head("nodes", "allocation", "residency", *TITLES)
    for nodes in (32, 16, 8):
        for line in measured(64, FOLDED, nodes):
            yield f"| {nodes} {line}"


SHOWN = (
    ("identity", "home", 8),
    ("identity", "migrating", 8),
    ("gray", "migrating", 8),
    ("bit-reversed", "migrating", 8),
    ("block", "migrating", 4),
    ("cyclic", "home", 4),
)


def places() -> Figure:
    """Eight processes on eight nodes, and on four."""
    figure, axes = pyplot.subplots(3, 2, figsize=(9.6, 7.2), layout="constrained")
    for ax, (name, residency, nodes) in zip(axes.flat, SHOWN, strict=True):
        table = allocation.named(name, 8, residency, nodes)
        plots.places(table, ax, nodes=nodes, caption=f"{name}, {residency}")
    return figure


DATA: Tables = {f.__name__: f for f in (alone, slots, leaving, folded)}
FIGURES: Figures = {"places": places}
