"""Tables and figures of crossovers.md: the machine against the best serial solution on one node of it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import cycle
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from experiments import costs
from experiments.measuring import MACHINES, RESIDENCIES, MachineName, Trial, fastest, machine, makespan, ratio
from experiments.page import Figures, Tables, head, row
from experiments.paper.frontier import BLOCKS, BOTH_ENDS, LESS, ONE_NODE, serial, written
from senn.algorithms.family.parts import star_blocks
from senn.choices import Form, Residency
from senn.traces.pictures import style

FORMS: tuple[Form, ...] = ("short", "paper")
SIZES = (4, 8, 16, 32, 64, 128, 256, 512, 1024)


OF_1993 = ("mass matrix", "articulated bodies")
ERAS = {"1993": OF_1993, "today": tuple(costs.CLOSED)}
"""Serial solutions by era, of `costs.CLOSED`: those that the paper cites, and all."""


def serial_cycles(name: MachineName, n: int, era: str = "today") -> dict[str, int]:
    """Cycles of the serial solutions of an era on one node."""
    counts = costs.closed(n)
    return {x: machine(name).compute_cycles(*counts[x]) for x in ERAS[era] if x in counts}


class Race(NamedTuple):
    """The two solutions of one problem: revolute joints, a welded tip; times in cycles."""

    parallel: Trial
    """Data stay at home or migrate; of both, the way that is faster."""
    cycles: int
    """The makespan."""
    serial: str
    """The cheapest serial solution on one node, one of `costs.CLOSED`."""
    serial_cycles: int

    @property
    def won(self) -> bool:
        return self.cycles < self.serial_cycles

    @property
    def speed_up(self) -> float:
        return ratio(self.serial_cycles, self.cycles)

    @property
    def efficiency(self) -> float:
        """Speed-up per processor, of which there is one for each joint and array."""
        return ratio(self.serial_cycles, Trial.arrays * self.parallel.n * self.cycles)

    @property
    def free(self) -> int:
        """The makespan if messages took no time: no channel cost, and nothing for posting or receiving."""
        return makespan(replace(self.parallel, free=True))

    @property
    def free_speed_up(self) -> float:
        return ratio(self.serial_cycles, self.free)


@cache
def race(name: MachineName, n: int, form: str = "paper", residency: Residency | None = None) -> Race:
    """Both solutions on a machine, timing only; data migrate or stay at home, by default the faster."""
    serial = serial_cycles(name, n)
    best = min(serial, key=serial.__getitem__)
    trials = (Trial(n, name, form, way) for way in ((residency,) if residency else RESIDENCIES))
    fastest = min(trials, key=makespan)
    return Race(fastest, makespan(fastest), best, serial[best])


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


def raced(form: Form, name: str) -> list[Race]:
    """The program and the best serial solution on one node of the machine, n by n."""
    return [race(name, n, form) for n in SIZES]


def by_machine(form: Form) -> Iterator[str]:
    """The numbers of joints from which the parallel program is faster, and what messages cost, by machine."""
    costs = ("a start-up costs (operations)", "a word costs (operations)")
    yield from head("machine", "pays from n", "if messages took no time", *costs)
    for name in MACHINES:
        timing = machine(name).timing
        of_message = (ratio(2 * part, timing.multiply + timing.add) for part in (timing.startup, timing.word))
        yield row(f"`{name}`", *crossover(name, SIZES[-1], form), *of_message)


def over_n(form: Form, column: str) -> Iterator[str]:
    """Speed-up or efficiency, n by n and machine by machine."""
    yield from head("n", *(f"`{name}`" for name in MACHINES))
    for races in zip(*(raced(form, name) for name in MACHINES), strict=True):
        yield row(races[0].parallel.n, *(getattr(x, column) for x in races))


def drawn(form: Form) -> Axes:
    """Speed-up over n, a line per machine, and the line below which one node is faster.

    Of machines whose lines are the same to the eye each is seen: the one below is drawn wider. The speed-up
    if messages took no time, which is nearly the same on all machines, lies below them as a pale band.
    """
    ax, entries = style.axes(None, 9.0, 5.6), []
    curves = {name: [x.speed_up for x in raced(form, name)] for name in MACHINES}
    free: dict[str, Any] = {"color": style.mixed(style.OTHER, 0.6), "linewidth": 9.0}
    for k, (name, (color, marker)) in enumerate(zip(MACHINES, cycle(style.LOOKS))):
        beneath = sum(_alike(curves[name], curves[other]) for other in MACHINES[k + 1 :])
        line: dict[str, Any] = {"color": color, "linewidth": 1.6 + 2.0 * beneath}
        line |= {"marker": marker, "markersize": 5.5 + 3.0 * beneath}
        ax.plot(SIZES, [ratio(x.serial_cycles, x.free) for x in raced(form, name)], zorder=1.5, **free)
        ax.plot(SIZES, curves[name], **line)
        entries.append(Line2D([], [], label=name, **line))
    entries.append(Line2D([], [], label="if messages took no time", **free))
    ax.axhline(1.0, color=style.INK, linewidth=0.8)
    ax.set_xscale("log", base=2)
    ax.set_yscale("log", base=2)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:g}")
    ax.set(xlabel="n, joints", ylabel="speed-up over one node")
    ax.grid()
    finding = _finding({name: curve[-1] for name, curve in curves.items()})
    style.headed(ax, finding, entries, f"form {form}, data where they are faster")
    return ax


def _alike(one: list[float], other: list[float]) -> bool:
    """Whether two machines have the same line, to the eye."""
    return all(abs(a / b - 1) < 0.03 for a, b in zip(one, other, strict=True))


def _finding(last: dict[str, float]) -> str:
    """How many machines win at the last n, and the least and the most speed-up there."""
    least, most = min(last, key=last.__getitem__), max(last, key=last.__getitem__)
    won = sum(speed_up > 1 for speed_up in last.values())
    several = f"{won} of {len(last)} machines beat one node of their"
    who = "every machine beats one node of its" if won == len(last) else several
    ends = f"{least} is {last[least]:.3g}, {most} {last[most]:.3g} times as fast"
    return f"At n = {SIZES[-1]:,} {who} own: {ends}"


RACED = ("short", "short, outward", "star", "star-together", "star-blocks", BOTH_ENDS)
RIVALS = tuple(name + less for name in (ONE_NODE, "gather-solve-scatter") for less in ("", LESS))
LARGEST = 256


@cache
def makespans(name: str, n: int, nodes: int) -> dict[str, int]:
    """Cycles on every machine; data begin and end at the nodes, that of n/nodes links at each."""
    on = {x: machine(x) for x in MACHINES}
    if name.startswith(ONE_NODE):
        return {x: at.compute_cycles(*serial(n, inverse=name == ONE_NODE)) for x, at in on.items()}
    return {str(x): cycles for x, (cycles, _) in fastest(written(name, n, nodes), on).items()}


def gathered() -> Iterator[str]:
    """From which n on up to LARGEST a program is faster than one node that has all data, and than one that
    gathers them; each with Lambda^-1, and without."""
    yield from head("machine", "program", *RIVALS)
    for name in MACHINES:
        for program in RACED:
            yield row(name, program, *(_from(name, program, rival) or f"> {LARGEST}" for rival in RIVALS))


def _from(name: str, program: str, rival: str) -> int | None:
    """A node for each link; of `star-blocks`, and of its rival that gathers, for each eight. Two nodes from
    both ends, which begin with seven links."""

    def won(n: int) -> bool:
        if program == BOTH_ENDS and n < 7:
            return False
        nodes = 2 if program == BOTH_ENDS else -(-n // star_blocks.LINKS) if program in BLOCKS else n
        return makespans(program, n, nodes)[name] < makespans(rival, n, nodes)[name]

    return pays_from(won, LARGEST)


TABLES: Tables = {"short": partial(by_machine, "short")}
DATA: Tables = {
    "pays-from-form-paper": partial(by_machine, "paper"),
    "pays-from-gathered": gathered,
    **{
        f"{name}-form-{form}": partial(over_n, form, column)
        for form in FORMS
        for name, column in (("speed-up", "speed_up"), ("efficiency", "efficiency"))
    },
}
FIGURES: Figures = {f"crossovers-{form}": partial(drawn, form) for form in FORMS}
