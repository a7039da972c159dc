"""The quickest program by machine and n, and whether an unverified field decides it.

Every parallel program with a contact is placed on a SENN at home and migrating, and timed on all machines and
at all corners of their intervals at once; against them stands the cheapest serial solution on one node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from senn.algorithms.family import costs
from senn.algorithms.programs import divide_and_conquer, star, variants
from senn.experiments.measuring import RESIDENCIES, MachineName, VariedMachine, cycles, machine
from senn.machine.model.figures import corners, plain
from senn.machine.program import Program
from senn.machine.retiming import Retiming
from senn.words import placed

PROGRAMS: Mapping[str, Callable[[int], Program]] = {
    **{form: partial(variants.closed_chain, form=form) for form in variants.FORMS},
    **{
        f"{form}, outward": partial(variants.closed_chain, form=form, motion="outward")
        for form in ("short", "omega")
    },
    "star": star.program,
    "star-together": partial(star.program, one_message=True),
    "divide and conquer": divide_and_conquer.program,
}
SERIAL = "serial"
"""The name of the cheapest serial solution among programs."""

Times: TypeAlias = Mapping[str, int]
"""Cycles by program, each at its best residency."""


@dataclass(frozen=True)
class Best:
    """A machine and an n: how long each program takes there, and at the corners of what is not verified."""

    machine: str
    n: int
    residency: Mapping[str, str]
    """By parallel program, the one at which it is as quick as `times` says."""
    times: Times
    moved: Mapping[str, Times]
    """By corner: "startup = 250"."""

    @property
    def winner(self) -> str:
        return _quickest(self.times)

    @property
    def ahead(self) -> float:
        """How many times as long the next one takes."""
        first, second, *_ = sorted(self.times.values())
        return second / first

    @property
    def otherwise(self) -> dict[str, str]:
        """Winner at each corner where it is another program."""
        return {
            corner: _quickest(times)
            for corner, times in self.moved.items()
            if _quickest(times) != self.winner
        }


def best(machines: Sequence[str], sizes: Sequence[int]) -> list[Best]:
    """Every machine at every n, revolute joints, a welded tip. Machines must have one network and size."""
    return [entry for n in sizes for entry in _at_size(machines, n)]


def _at_size(machines: Sequence[str], n: int) -> list[Best]:
    varied = {
        name: [VariedMachine(name, tuple(corner.items())) for corner in corners(machine(name).intervals)]
        for name in machines
    }
    names: list[MachineName] = [each for name in machines for each in (name, *varied[name])]
    times: dict[MachineName, dict[str, int]] = {
        name: {SERIAL: min(cycles(count(n), machine(name)) for count in costs.CLOSED.values())}
        for name in names
    }
    residencies: dict[MachineName, dict[str, str]] = {name: {} for name in names}
    for label, program in PROGRAMS.items():
        for residency in RESIDENCIES:
            retiming = Retiming(placed(program(n), machine(machines[0]), residency), machine(machines[0]))
            makespans = retiming.makespans([machine(name) for name in names]).cycles.tolist()
            for name, makespan in zip(names, makespans, strict=True):
                if makespan < times[name].get(label, makespan + 1):
                    times[name][label], residencies[name][label] = makespan, residency
    return [
        Best(
            name,
            n,
            residencies[name],
            times[name],
            {_text(corner): times[corner] for corner in varied[name]},
        )
        for name in machines
    ]


def _text(corner: VariedMachine) -> str:
    """ "startup = 250, word = 32"."""
    return ", ".join(f"{field} = {plain(value)}" for field, value in corner.figures)


def _quickest(times: Times) -> str:
    return min(times, key=lambda name: times[name])
