"""The table of operational_space.md. Its tables of errors were computed once, against 80-bit arithmetic."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.page import Tables, head, row
from experiments.paper.schedule import exact
from senn.algorithms.catalogue import ALGORITHMS
from senn.machine.engines.memory import executed
from senn.machine.program.dataflow import flow

COUNTED = (8, 64, 1024)


def programs() -> Iterator[str]:
    """Step laws of the programs as a M + b, migrating, n = 2^M, and what they execute over all processes."""
    sizes = (f"operations, n = {n:,}" for n in COUNTED)
    yield from head("algorithm", "form", "instructions", "network steps", *sizes)
    for name, one in ALGORITHMS.items():
        if one.question == "operational space" and not one.serial:
            for form in ("paper", "short") if "form" in one.choices else ("short",):
                counts = (executed(flow(one.program(n, form=form))).flops for n in COUNTED)
                choice = {"form": form} if "form" in one.choices else {}
                columns = ("instructions_1", "network_steps")
                laws = exact(columns, (4, 8, 16, 64), algorithm=name, residency="migrating", **choice)
                yield row(f"`{name}`", form, *laws, *counts)


DATA: Tables = {"programs": programs}
