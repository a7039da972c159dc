"""Which program is the quickest, by machine and n, and whether that hangs on an unverified figure.

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
from senn.experiments.measuring import RESIDENCIES, at, cycles, machine
from senn.machine.model.figures import corners
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
        """Who wins at the corners where it is another: none where the winner is the same at all of them."""
        return {corner: won for corner, of in self.moved.items() if (won := _quickest(of)) != self.winner}


def best(machines: Sequence[str], sizes: Sequence[int]) -> list[Best]:
    """Every machine at every n: revolute joints, a welded tip. Machines must have one network and size."""
    return [one for n in sizes for one in _at(machines, n)]


def _at(machines: Sequence[str], n: int) -> list[Best]:
    moved = {name: [at(name, corner) for corner in corners(machine(name).intervals)] for name in machines}
    names = [one for name in machines for one in (name, *moved[name])]
    times: dict[str, dict[str, int]] = {
        one: {SERIAL: min(cycles(count(n), machine(one)) for count in costs.CLOSED.values())} for one in names
    }
    residency: dict[str, dict[str, str]] = {one: {} for one in names}
    for label, program in PROGRAMS.items():
        for where in RESIDENCIES:
            retiming = Retiming(placed(program(n), machine(machines[0]), where), machine(machines[0]))
            found = retiming.makespans([machine(one) for one in names]).cycles.tolist()
            for one, taken in zip(names, found, strict=True):
                if taken < times[one].get(label, taken + 1):
                    times[one][label], residency[one][label] = taken, where
    return [
        Best(
            name,
            n,
            residency[name],
            times[name],
            {one.removeprefix(at(name, {})): times[one] for one in moved[name]},
        )
        for name in machines
    ]


def _quickest(times: Times) -> str:
    return min(times, key=lambda name: times[name])
