"""Map of the cost of communication: the makespan over start-up and word time, and the break-even."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import polars as pl

from senn.base.errors import InputError
from senn.machine.model import Machine
from senn.machine.timing.sensitivity import dearest, times
from senn.machine.timing.what_if import Retiming, without_order

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEPS = 24
"""Values along each axis by default."""
_DECADES = 3
_NEAR = 6


@dataclass(frozen=True, eq=False)
class Hiding:
    """Cost of communication: how much longer a run takes than on a network that takes no time.

    ``table`` has a row for each start-up and word time (cycles): makespan, and lost = the share of it by
    which it is longer than `free`, the makespan on a free network. ``curve`` has, by word time, the largest
    start-up with which the makespan is at most (1 + `within`) `free`: exactly, up to the largest word time
    with which there is one. `machine` is where the run is on the map.
    """

    table: pl.DataFrame
    curve: pl.DataFrame
    free: int
    within: Fraction
    machine: Machine
    makespan: int

    def plot(self, ax: Axes | None = None, *, caption: str | None = None) -> Axes:
        """The map as a picture."""
        from senn.traces.pictures.plots import hidden

        t, within = self.machine.timing, float(self.within)
        here = float(t.startup), float(t.word)
        return hidden(self.table, self.curve, here, within, ax, name=self.machine.name, caption=caption)


def hiding(
    retiming: Retiming,
    machine: Machine,
    startups: Sequence[Fraction] | None = None,
    words: Sequence[Fraction] | None = None,
    within: Fraction = Fraction(1, 20),
) -> Hiding:
    """The map of a schedule on this machine with other start-ups and word times; both above 0.

    Without values they are three decades around those of the machine, in equal ratios. InputError where no
    order of service can be kept to.
    """
    retiming.schedule.refuse(machine)
    if why := without_order(machine):
        raise InputError(f"machine {machine.name}: a map takes thousands of machines; {why}")
    t = machine.timing
    alphas, betas = startups or _around(t.startup), words or _around(t.word)
    if min(*alphas, *betas) <= 0:
        raise InputError("a map of start-ups and word times has values above 0: write some, in cycles")
    free = retiming.timing(machine.with_free_network()).makespan
    places = list(product(alphas, betas))
    cycles = retiming.makespans([_at(machine, alpha, beta) for alpha, beta in places]).cycles
    table = pl.DataFrame(
        {
            "startup": [float(alpha) for alpha, _ in places],
            "word": [float(beta) for _, beta in places],
            "makespan": cycles,
            "lost": 1 - free / cycles.clip(1),
        }
    )
    curve = _curve(retiming, machine, sorted(betas), free * (1 + within))
    return Hiding(table, curve, free, within, machine, retiming.timing(machine).makespan)


def _at(machine: Machine, startup: Fraction, word: Fraction) -> Machine:
    return replace(machine, timing=replace(machine.timing, startup=startup, word=word))


def _curve(retiming: Retiming, machine: Machine, words: Sequence[Fraction], most: Fraction) -> pl.DataFrame:
    """By word time, the largest start-up with which the makespan is at most `most`.

    For the given word times, up to the largest that has such a start-up, near which there are some more.
    """

    def largest(name: str, varied: Machine) -> Fraction | None:
        (time,) = (time for time in times(varied, retiming.work) if time.name == name)
        return dearest(time, most, retiming.makespans)

    rows: list[tuple[float, float | None]] = []
    least = _at(machine, Fraction(0), words[0])
    if len(retiming.work.words) and int(retiming.makespans([least]).cycles[0]) <= most:
        slowest = largest("word", least)
        if slowest is not None:
            inside = [word for word in words if word < slowest]
            last = inside[-1] if inside else slowest
            near = [last + k * (slowest - last) / _NEAR for k in range(1, _NEAR) if inside]
            words = [*inside, *near, slowest]
        for word in words:
            startup = largest("startup", _at(machine, Fraction(0), word))
            rows.append((float(word), None if startup is None else float(startup)))
    return pl.DataFrame(rows, schema={"word": pl.Float64, "startup": pl.Float64}, orient="row")


def _around(value: Fraction) -> list[Fraction]:
    """Values from two decades below a value to one above, of few digits; around 1 if it is 0."""
    middle = float(value) or 1.0
    ratio = 10 ** (_DECADES / (STEPS - 1))
    return [Fraction(f"{middle / 100 * ratio**k:.3g}") for k in range(STEPS)]
