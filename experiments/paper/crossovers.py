"""Tables and figures of crossovers.md: the machine against one node of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from itertools import cycle
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from experiments import crossovers
from experiments.crossovers import Race, race
from experiments.measuring import MACHINES, fastest, machine, ratio
from experiments.page import Figures, Tables, head, row
from experiments.paper.frontier import BLOCKS, BOTH_ENDS, LESS, ONE_NODE, serial, written
from senn.algorithms.family.parts import star_blocks
from senn.choices import Form
from senn.traces.pictures import style

FORMS: tuple[Form, ...] = ("short", "paper")
SIZES = (4, 8, 16, 32, 64, 128, 256, 512, 1024)


def raced(form: Form, name: str) -> list[Race]:
    """The program and the best serial solution on one node of the machine, n by n."""
    return [race(name, n, form) for n in SIZES]


def pays_from(form: Form) -> Iterator[str]:
    """The numbers of joints from which the parallel program is faster, and what messages cost, by machine."""
    costs = ("a start-up costs (operations)", "a word costs (operations)")
    yield from head("machine", "pays from n", "if messages took no time", *costs)
    for name in MACHINES:
        timing = machine(name).timing
        of_message = (ratio(2 * part, timing.multiply + timing.add) for part in (timing.startup, timing.word))
        yield row(f"`{name}`", *crossovers.crossover(name, SIZES[-1], form), *of_message)


def over_n(form: Form, column: str) -> Iterator[str]:
    """Speed-up or efficiency, n by n and machine by machine."""
    yield from head("n", *(f"`{name}`" for name in MACHINES))
    for races in zip(*(raced(form, name) for name in MACHINES), strict=True):
        yield row(races[0].n, *(getattr(x, column) for x in races))


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
        ax.plot(SIZES, [x.free_speed_up for x in raced(form, name)], zorder=1.5, **free)
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

    return crossovers.pays_from(won, LARGEST)


TABLES: Tables = {"short": partial(pays_from, "short")}
DATA: Tables = {
    "pays-from-form-paper": partial(pays_from, "paper"),
    "pays-from-gathered": gathered,
    **{
        f"{name}-form-{form}": partial(over_n, form, column)
        for form in FORMS
        for name, column in (("speed-up", "speed_up"), ("efficiency", "efficiency"))
    },
}
FIGURES: Figures = {f"crossovers-{form}": partial(drawn, form) for form in FORMS}
