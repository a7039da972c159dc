"""From which n the parallel program beats the best serial solution on one node of the same machine."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from experiments import costs
from experiments.measuring import MACHINES, RESIDENCIES, MachineName, Trial, machine, makespan, ratio
from senn.api.arguments import sizes
from senn.choices import Form, Residency
from senn.traces.pictures import style

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

    @property
    def won(self) -> bool:
        return self.cycles < self.serial_cycles


@dataclass(frozen=True)
class Crossover:
    """From which n on a machine pays off, up to the largest n tried; None: it does not."""

    machine: MachineName
    pays_from: int | None
    """The n from which on the parallel program is faster than the best serial solution on one node."""
    free_pays_from: int | None
    """The same, if messages took no time."""
    startup: float
    """What a message costs on a channel before its first word, in operations."""
    word: float
    """What a word of it costs."""


@cache
def race(name: MachineName, n: int, form: str = "paper", residency: Residency | None = None) -> Race:
    """Both solutions on a machine, timing only; data migrate or stay at home, whichever is faster."""
    serial = serial_cycles(name, n)
    best = min(serial, key=serial.__getitem__)
    ways = (residency,) if residency else RESIDENCIES
    cycles, fastest = min((makespan(Trial(n, name, form, way)), way) for way in ways)
    return Race(name, n, form, fastest, best, serial[best], cycles)


def crossover(name: str, largest: int, form: str = "paper", residency: Residency | None = None) -> Crossover:
    """The n from which on a machine pays off, 2 <= n <= largest, exactly.

    Within 2^(M-1) < n <= 2^M the makespan hardly changes and the serial time grows, but from 6 to 7 joints,
    so at most once the parallel program begins to win there; at the next M it may lose again.
    """

    tests: tuple[Callable[[Race], bool], ...] = (lambda x: x.won, lambda x: x.free < x.serial_cycles)
    wins = (pays_from(lambda n, won=won: won(race(name, n, form, residency)), largest) for won in tests)  # type: ignore[misc]
    timing = machine(name).timing
    costs_of = (ratio(2 * part, timing.multiply + timing.add) for part in (timing.startup, timing.word))
    return Crossover(name, *wins, *costs_of)


COLUMNS = (
    *("machine", "n", "residency", "serial", "serial_cycles", "cycles", "speed_up", "efficiency"),
    "free_speed_up",
)


def crossovers(
    n: str | Iterable[int] = "4:256",
    *,
    machines: Sequence[str] = MACHINES,
    form: Form = "short",
    residency: Residency | None = None,
) -> pl.DataFrame:
    """The parallel program and the best serial solution on one node of the same machine, a row for each n.

    Columns are machine, n, residency, serial (the solution), serial_cycles, cycles, speed_up, efficiency (the
    speed-up per processor) and free_speed_up (if messages took no time). `n` is as in `senn.steps`, from 2
    on, and `machines` are presets, by default all with the paper's network. `residency` is "migrating" or
    "home", by default the faster. Timing only, for revolute joints and a welded tip.

    >>> from experiments.crossovers import crossovers
    >>> crossovers([8, 64], machines=["mark3"])["speed_up"].to_list()
    [0.229, 0.932]
    """
    races = [race(name, size, form, residency) for name in machines for size in sizes(n)]
    return pl.DataFrame([{column: getattr(one, column) for column in COLUMNS} for one in races])


def pays_from(won: Callable[[int], bool], largest: int) -> int | None:
    """The n >= 2 from which on every n up to `largest` is won; within equal M once won is won."""
    least, high = None, largest
    while high >= 2 and won(high):
        low = (1 << (high - 1).bit_length() - 1) + 1  # the first n of as many levels
        least = low if won(low) else low + bisect_left(range(low, high), True, key=won)
        high = low - 1 if least == low else 0
    return least


def draw(whole: pl.DataFrame, ax: Axes | None = None, *, caption: str | None = None) -> Axes:
    """Speed-up over n, a line per machine, and the line below which one node is faster.

    Of machines whose lines are the same to the eye each is seen: the one below is drawn wider. The speed-up
    if messages took no time, which is nearly the same on all machines, lies below them as a pale band.
    """
    with style.applied():
        ax = style.axes(ax, 9.0, 5.6)
        entries: list[style.Entry] = []
        curves = [rows for _, rows in whole.group_by("machine", maintain_order=True)]
        free: dict[str, Any] = {"color": style.mixed(style.OTHER, 0.6), "linewidth": 9.0}
        for k, (rows, (color, marker)) in enumerate(zip(curves, cycle(style.LOOKS))):
            beneath = sum(_alike(rows, other) for other in curves[k + 1 :])
            line: dict[str, Any] = {"color": color, "linewidth": 1.6 + 2.0 * beneath}
            line |= {"marker": marker, "markersize": 5.5 + 3.0 * beneath}
            ax.plot(rows["n"], rows["free_speed_up"], zorder=1.5, **free)
            ax.plot(rows["n"], rows["speed_up"], **line)
            entries.append(Line2D([], [], label=rows["machine"][0], **line))
        entries.append(Line2D([], [], label="if messages took no time", **free))
        ax.axhline(1.0, color=style.INK, linewidth=0.8)
        ax.set_xscale("log", base=2)
        ax.set_yscale("log", base=2)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter("{x:g}")
        ax.set_xlabel("n, joints")
        ax.set_ylabel("speed-up over one node")
        ax.grid()
        style.headed(ax, _finding(whole), entries, caption)
    return ax


def _alike(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether two machines have the same line, to the eye."""
    pairs = zip(one["speed_up"], other["speed_up"], strict=False)
    return one.height == other.height and all(abs(a / b - 1) < 0.03 for a, b in pairs)


def _finding(whole: pl.DataFrame) -> str:
    """How many machines win at the last n, and the least and the most speed-up there."""
    last = whole.filter(n=whole["n"].max()).sort("speed_up")
    least, most = last.row(0, named=True), last.row(-1, named=True)
    won = last.filter(last["speed_up"] > 1).height
    several = f"{won} of {last.height} machines beat one node of their"
    who = "every machine beats one node of its" if won == last.height else several
    return (
        f"At n = {most['n']:,} {who} own: {least['machine']} is {least['speed_up']:.3g}, "
        f"{most['machine']} {most['speed_up']:.3g} times as fast"
    )
