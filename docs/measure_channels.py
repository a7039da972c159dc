"""The tables of docs/channels.md: `python docs/measure_channels.py` prints them.

One field of the machine is changed at a time; the program (form paper, migrating) and its answer stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from senn.algorithms.programs import closed_chain
from senn.machine import model
from senn.machine.engines import events, lockstep
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place

MACHINE = "raw"
SIZES = (8, 64)
KINDS: Mapping[str, Mapping[str, str]] = {
    "as it is": {},
    "switching = cut-through, hop = 1": {"machine.switching": "cut-through", "timing.hop": "1"},
    "duplex = half": {"machine.duplex": "half"},
    "ports = one": {"machine.ports": "one"},
    "dma = false": {"machine.dma": "false"},
    "discipline = priority": {"machine.discipline": "priority"},
    "discipline = deadline": {"machine.discipline": "deadline"},
    "vertical = bus": {"machine.vertical": "bus"},
    "control = mimd": {"machine.control": "mimd"},
}


class Measured(NamedTuple):
    """One run, in cycles; `exposed` of each array, none where nodes issue by themselves."""

    makespan: int
    ends: tuple[int, ...]
    exposed: tuple[int | None, ...]


def measure(n: int, kind: str, residency: allocation.Residency = "migrating") -> Measured:
    """The program of `n` links on the machine of this kind."""
    machine = model.load(MACHINE).with_settings(KINDS[kind])
    schedule = place(closed_chain.program(n), allocation.named("identity", n, residency), machine)
    engine = events if machine.ports == "one" else lockstep
    run = engine.simulate(schedule, machine, None, detail="instructions")
    arrays = run.summary["arrays"].values()
    return Measured(
        run.summary["makespan"],
        tuple(one["end"] for one in arrays),
        tuple(one["exposed"] for one in arrays),
    )


def at_home(sizes: tuple[int, ...] = (8, 16, 32, 64, 128)) -> Iterator[str]:
    """Makespans of both residencies with both kinds of switching."""
    yield f"| {MACHINE} | {' | '.join(f'n = {n}' for n in sizes)} |"
    yield "|---" * (1 + len(sizes)) + "|"
    residencies: tuple[allocation.Residency, ...] = ("home", "migrating")
    for residency in residencies:
        for kind, name in zip(list(KINDS)[:2], ("store-and-forward", "cut-through"), strict=True):
            cells = (f"{measure(n, kind, residency).makespan:,}" for n in sizes)
            yield f"| {residency}, {name} | {' | '.join(cells)} |"


def table(sizes: tuple[int, ...] = SIZES) -> Iterator[str]:
    """The rows, in Markdown."""
    heads = [f"n = {n}: {what}" for n in sizes for what in ("makespan", "array 1 ends", "exposed, 1 and 2")]
    yield f"| {MACHINE} | {' | '.join(heads)} |"
    yield "|---" * (1 + len(heads)) + "|"
    for kind in KINDS:
        cells = []
        for n in sizes:
            found = measure(n, kind)
            exposed = ("-" if x is None else f"{x:,}" for x in found.exposed)
            cells += [f"{found.makespan:,}", f"{found.ends[0]:,}", ", ".join(exposed)]
        yield f"| `{kind}` | {' | '.join(cells)} |"


if __name__ == "__main__":
    print("\n".join([*table(), "", *at_home()]))
