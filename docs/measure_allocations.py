"""The tables of docs/allocations.md: `python docs/measure_allocations.py` prints them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict

import numpy as np
import polars as pl

from senn.algorithms.programs import closed_chain
from senn.machine import model
from senn.machine.engines import lockstep
from senn.machine.network.named import senn
from senn.machine.network.routing import Router
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.placing.scores import partner_slots, processes_leaving, scores

ALONE = (
    ("identity", "home"),
    ("unshuffled:1", "home"),
    ("morton", "home"),
    ("snake", "home"),
    ("bit-reversed", "home"),
    ("gray", "home"),
    ("random:1", "home"),
    ("identity", "migrating"),
    ("identity,gray", "migrating"),
    ("bit-reversed", "migrating"),
    ("gray", "migrating"),
)
FOLDED = (("block", "home"), ("block", "migrating"), ("cyclic", "home"))
STATIC = ("identity", "unshuffled:1", "bit-reversed", "gray", "random:1")
COLUMNS = ("dilation", "congestion", "congestion_in_all", "load", "word_hops", "network_steps", "makespan")


def measured(n: int, names: Iterable[tuple[str, str]], nodes: int = 0) -> pl.DataFrame:
    """Scores of allocations under the paper's program on mark3, a row each."""
    machine, program = model.load("mark3").with_settings({"machine.nodes": nodes}), closed_chain.program(n)
    rows = []
    for name, residency in names:
        table = allocation.named(name, n, residency, machine.nodes_for(program.levels))
        schedule = place(program, table, machine)
        run = lockstep.simulate(schedule, machine, None, detail="summary")
        rows.append(
            {"allocation": name, "residency": residency, **asdict(scores(schedule, run.summary["makespan"]))}
        )
    return pl.DataFrame(rows)


def static(name: str, sizes: Iterable[int]) -> list[int]:
    """`partner_slots` at home on a SENN, routed greedily, added up over the levels."""
    homes = ((n, allocation.named(name, n, "home")) for n in sizes)
    return [sum(partner_slots(home, Router(senn(n), "greedy"))) for n, home in homes]


def tables() -> Iterator[str]:
    """All tables, line by line."""
    yield "n = 64 on 64 nodes"
    yield from markdown(measured(64, ALONE))
    for nodes in (32, 16, 8):
        yield f"n = 64 on {nodes} nodes"
        yield from markdown(measured(64, FOLDED, nodes))
    yield "slots at home"
    for name in STATIC:
        yield f"| `{name}` | {' | '.join(map(str, static(name, (8, 16, 32, 64, 128, 256))))} |"
    yield "processes whose partner is elsewhere, n = 1024, summed over levels (levels that have any)"
    for name in allocation.FOLDS:
        homes = (allocation.named(name, 1024, "home", nodes) for nodes in (8, 32, 128))
        leaving = (processes_leaving(home) for home in homes)
        cells = (f"{sum(one)} ({np.count_nonzero(one)})" for one in leaving)
        yield f"| `{name}` | {' | '.join(cells)} |"


def markdown(table: pl.DataFrame) -> Iterator[str]:
    for row in table.iter_rows(named=True):
        yield f"| `{row['allocation']}` | {row['residency']} | {' | '.join(f'{row[c]:,}' for c in COLUMNS)} |"


if __name__ == "__main__":
    for line in tables():
        print(line)
