"""From which n the parallel program beats the best serial solution on one node of the same machine."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from experiments import costs
from experiments.measuring import RESIDENCIES, MachineName, Trial, machine, makespan, ratio
from senn.choices import Residency

OF_1993 = ("mass matrix", "articulated bodies")
"""Serial solutions that the paper cites, of `costs.CLOSED`."""
ERAS = {"1993": OF_1993, "today": tuple(costs.CLOSED)}
"""Serial solutions by era: those that the paper cites, and all."""


def serial_cycles(name: MachineName, n: int, era: str = "today") -> dict[str, int]:
    """Cycles of the serial solutions of an era on one node."""
    counts = costs.closed(n)
    return {x: machine(name).compute_cycles(*counts[x]) for x in ERAS[era] if x in counts}


@dataclass(frozen=True)
class Race:
    """The two solutions of one problem: revolute joints, a welded tip; times in cycles."""

    machine: MachineName
    n: int
    form: str
    residency: Residency
    """Where data are kept; of both, the way that is faster."""
    serial: str
    """The cheapest serial solution, one of `costs.CLOSED`."""
    serial_cycles: int
    cycles: int
    """The makespan."""

    @property
    def won(self) -> bool:
        return self.cycles < self.serial_cycles

    @property
    def speed_up(self) -> float:
        return ratio(self.serial_cycles, self.cycles)

    @property
    def efficiency(self) -> float:
        """Speed-up per processor, of which there is one for each joint and array."""
        return ratio(self.serial_cycles, Trial.arrays * self.n * self.cycles)

    @property
    def free(self) -> int:
        """The makespan if messages took no time: no channel cost, and nothing for posting or receiving."""
        return makespan(Trial(self.n, self.machine, self.form, self.residency, free=True))

    @property
    def free_speed_up(self) -> float:
        """With a free network: what is lost beyond it is communication."""
        return ratio(self.serial_cycles, self.free)


@cache
def race(name: MachineName, n: int, form: str = "paper", residency: Residency | None = None) -> Race:
    """Both solutions on a machine, timing only; data migrate or stay at home, by default the faster."""
    serial = serial_cycles(name, n)
    best = min(serial, key=serial.__getitem__)
    ways = (residency,) if residency else RESIDENCIES
    cycles, fastest = min((makespan(Trial(n, name, form, way)), way) for way in ways)
    return Race(name, n, form, fastest, best, serial[best], cycles)


def crossover(name: MachineName, largest: int, form: str) -> tuple[int | None, int | None]:
    """The n from which on the parallel program is faster, 2 <= n <= largest, and the same if messages took no
    time, exactly; None: it never is.

    Within 2^(M-1) < n <= 2^M the makespan hardly changes and the serial time grows, but from 6 to 7 joints,
    so at most once the parallel program begins to win there; at the next M it may lose again.
    """
    races = partial(race, name, form=form)
    wins = pays_from(lambda n: races(n).won, largest)
    return wins, pays_from(lambda n: races(n).free < races(n).serial_cycles, largest)


def pays_from(won: Callable[[int], bool], largest: int) -> int | None:
    """The n >= 2 from which on every n up to `largest` is won; within equal M once won is won."""
    least, high = None, largest
    while high >= 2 and won(high):
        low = (1 << (high - 1).bit_length() - 1) + 1  # the first n of as many levels
        least = low if won(low) else low + bisect_left(range(low, high), True, key=won)
        high = low - 1 if least == low else 0
    return least
