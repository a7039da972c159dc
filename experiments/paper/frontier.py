"""The tables and the picture of frontier.md: which program, on how many nodes, on which machine.

Every program is placed on p = 2, 4, ..., n nodes of a SENN, n/p links on each, at home and migrating, and
timed on all machines by exact retiming; for n up to 128, at p = n or with blocks of links, also at all
corners of what is not verified of them. A serial solution is the cheapest that has Lambda^-1, as all programs
have it, also where every node solves; and, in rows of its own, the cheapest without. Serial passes of blocks
and from both ends are counted in the same scalars. Five minutes on two cores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from math import floor, log10
from typing import Any

from matplotlib import patheffects, pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import NullLocator

import senn
from experiments import costs
from experiments.measuring import MachineName, VariedMachine, corners, fastest, machine
from experiments.page import Figures, Tables, data, head, row
from senn.algorithms import problems
from senn.algorithms.family import gather_and_solve
from senn.algorithms.family.parts import both_ends, star_blocks
from senn.algorithms.programs import divide_and_conquer, star, variants
from senn.api.programs import placed
from senn.machine import model
from senn.machine.model import Machine
from senn.machine.model.figures import plain
from senn.machine.network.measures import measures
from senn.machine.network.named import senn as network
from senn.machine.program import Operations, Program
from senn.traces.pictures import style
from tests.oracles import extended

SIZES, VARIED = (8, 16, 32, 64, 128, 256), 128
MACHINES = ("ideal", "maspar", "raw", "t800", "fijany", "mark3", "ipsc860", "ipsc860-long", "cluster")
"""Those with a SENN, the cheapest start-up first."""
ONE_NODE, BOUND = "one node", "any program"
PROGRAMS: Mapping[str, Callable[[int], Program]] = {
    **{form: partial(variants.closed_chain, form=form) for form in variants.FORMS},
    **{
        f"{form}, outward": partial(variants.closed_chain, form=form, motion="outward")
        for form in ("short", "omega")
    },
    "short, tree": partial(variants.closed_chain, form="short", motion="outward", elimination="oer"),
    "divide and conquer": divide_and_conquer.program,
    "star": star.program,
    "star-together": partial(star.program, one_message=True),
}
"""Programs that share out the work, of n links."""
BLOCKS = {"star-blocks": False, "star-blocks-together": True}
"""Star programs of a block a node, and whether a level sends one message."""
BOTH_ENDS = "both-ends"
"""A program of two nodes, one in each array."""
GATHERING = {"gather-and-solve": True, "gather-solve-scatter": False}
"""Programs that do not, and whether every node solves."""
LESS = ", no Lambda^-1"
"""Of a serial solution, or of nodes that solve serially: accelerations and the contact force alone."""
SERIAL = (*GATHERING, *(name + LESS for name in (ONE_NODE, *GATHERING)))
AXES = {"rounds": "startup", "words": "word", "operations": "flop"}
"""Makespans where one of these times is a cycle, and all others nothing."""


@dataclass(frozen=True)
class Point:
    """A program for n links on so many nodes: its cycles on machines, and on those of AXES."""

    program: str
    n: int
    nodes: int
    cycles: Mapping[MachineName, int]
    residency: Mapping[MachineName, str]


def unit(axis: str) -> Machine:
    """The machine on which nothing but this takes time."""
    none = {f"timing.{x}": 0 for x in ("flop", "word", "post", "startup")}
    return model.load("mark3").with_settings(none | {f"timing.{AXES[axis]}": 1})


@cache
def machines(n: int, names: tuple[str, ...] = MACHINES) -> dict[MachineName, Machine]:
    """The machines, their corners if n is in reach, and those of AXES."""
    at_corners: list[MachineName] = [
        VariedMachine(name, tuple(corner.items()))
        for name in names
        for corner in (corners(machine(name).intervals) if n <= VARIED else ())
    ]
    return {name: machine(name) for name in (*names, *at_corners)} | {axis: unit(axis) for axis in AXES}


def serial(n: int, *, inverse: bool = True) -> Operations:
    """The cheapest serial solution, a sine as 20 operations, with Lambda^-1 or without."""
    return min(costs.closed(n, inverse=inverse).values(), key=lambda x: x.flops + 19 * x.trig)


def written(program: str, n: int, nodes: int) -> Program:
    """The program for n links and, if it has a process a node, so many nodes."""
    base = program.removesuffix(LESS)
    if base in GATHERING:
        operations, everywhere = serial(n, inverse=base == program), GATHERING[base]
        return gather_and_solve.program(n, processes=nodes, operations=operations, everywhere=everywhere)
    if base in BLOCKS:
        together = BLOCKS[base]
        return star_blocks.program(n, processes=nodes, one_message=together, passes=costs.block)
    if base == BOTH_ENDS:
        return both_ends.program(n, passes=both_ends.joined(costs.hung, costs.block))
    return PROGRAMS[program](n)


def point(program: str, n: int, nodes: int, names: tuple[str, ...] = MACHINES) -> Point:
    """Each machine at the better residency."""
    varied = nodes == 1 or nodes >= n or program in (*BLOCKS, BOTH_ENDS)
    on = {k: x for k, x in machines(n, names).items() if varied or isinstance(k, str)}
    if program.startswith(ONE_NODE):
        operations = serial(n, inverse=program == ONE_NODE)
        return Point(program, n, 1, {name: x.compute_cycles(*operations) for name, x in on.items()}, {})
    fewer = {name: x.with_settings({"machine.nodes": nodes}) for name, x in on.items()}
    parallel = written(program, n, nodes)
    found = fastest(parallel, fewer, "identity" if parallel.n <= nodes else "block")
    return Point(program, n, nodes, *({x: y[k] for x, y in found.items()} for k in (0, 1)))  # type: ignore[arg-type]


@cache
def bringing(links: int) -> Mapping[MachineName, int]:
    """Cycles of each machine to bring the states of so many nodes to one of them, and the answers back."""
    if links == 1:
        return dict.fromkeys(MACHINES, 0)
    program = gather_and_solve.program(links, operations=Operations(), everywhere=False)
    on = {name: machine(name).with_settings({"machine.nodes": links}) for name in MACHINES}
    return {name: cycles for name, (cycles, _) in fastest(program, on).items()}


@cache
def points() -> list[Point]:
    """Every program of every size on every number of nodes."""
    numbers = [(n, 2**k) for n in SIZES for k in range(1, n.bit_length())]
    cases = [(name, n, 1) for n in SIZES for name in (ONE_NODE, ONE_NODE + LESS)]
    several = (*PROGRAMS, *BLOCKS, *(name for name in SERIAL if not name.startswith(ONE_NODE)))
    cases += [(BOTH_ENDS, n, 2) for n in SIZES]
    cases += [(program, n, p) for program in several for n, p in numbers]
    with ProcessPoolExecutor(2) as pool:
        return list(pool.map(point, *zip(*cases, strict=True)))


def of_size(n: int, *, inverse: bool = True) -> list[Point]:
    """Points of all programs for n links, or of those alone that have Lambda^-1."""
    return [x for x in points() if x.n == n and not (inverse and x.program.endswith(LESS))]


def quickest(here: Iterable[Point], on: MachineName) -> Point:
    """On a machine or at a corner of it."""
    return min((x for x in here if on in x.cycles), key=lambda x: x.cycles[on])


def shared(here: Iterable[Point]) -> list[Point]:
    """Those where every link has its own node."""
    return [x for x in here if x.nodes == x.n]


def apart(x: Point, name: str) -> int:
    """Cycles of a point where every link has its own node, which has its state at the start and its
    acceleration at the end: with those of gathering and scattering, if fewer nodes solve."""
    return x.cycles[name] + bringing(x.n // x.nodes)[name]


def otherwise(here: Sequence[Point], name: str) -> dict[str, str]:
    """By corner of the machine, the quickest program where it is another."""
    moved = [x for x in here[0].cycles if isinstance(x, VariedMachine) and x.base == name]
    best = {_text(corner): quickest(here, corner).program for corner in moved}
    return {corner: x for corner, x in best.items() if x != quickest(here, name).program}


def _text(corner: VariedMachine) -> str:
    """ "startup = 250, word = 32"."""
    return ", ".join(f"{field} = {plain(value)}" for field, value in corner.figures)


def programs() -> Iterator[str]:
    """Every point, and the bounds of any program that begins and ends with a link on each of n nodes, which
    were computed once: exact ranks modulo a prime."""
    yield from head("program", "n", "nodes", *AXES, *MACHINES)
    for n in SIZES:
        yield from (row(*cells) for cells in data("frontier", "programs") if cells[:2] == [BOUND, str(n)])
        for x in points():
            if x.n == n:
                yield row(x.program, n, x.nodes, *(x.cycles[k] for k in (*AXES, *MACHINES)))


def winners() -> Iterator[str]:
    """A row for each machine and n."""
    columns = ("machine", "n", "quickest", "nodes", "cycles", "next", "behind by", "quickest on n nodes")
    apart_at = ("quickest if a link's data begin at its own node", "its nodes", "its cycles")
    more = ("residency", "cycles there", "depends on", "quickest if Lambda^-1 is not asked for")
    yield from head(*columns, *more, *apart_at)
    for name, n in product(MACHINES, SIZES):
        here = of_size(n)
        first, alone = quickest(here, name), quickest(shared(here), name)
        following = quickest([x for x in here if x.program != first.program], name)
        behind = f"{following.cycles[name] / first.cycles[name] - 1:.0%}"
        of_first = (first.program, first.nodes, first.cycles[name], following.program, behind)
        of_shared = (alone.program, alone.residency[name], alone.cycles[name])
        without = quickest(of_size(n, inverse=False), name).program.removesuffix(LESS)
        best = min(here, key=lambda x, on=name: apart(x, on))  # type: ignore[misc]
        of_apart = (best.program, best.nodes, apart(best, name))
        yield row(name, n, *of_first, *of_shared, _depends(here, name), without, *of_apart)


def _depends(here: Sequence[Point], name: str) -> str:
    """Corners of one figure if there are any, else the first of several."""
    if here[0].n > VARIED:
        return "not tried"
    moved = otherwise(here, name)
    alone = [corner for corner in moved if ", " not in corner]
    return "; ".join(f"{x}: {moved[x]}" for x in alone or list(moved)[:1]) or "-"


AT = 64


def across() -> Iterator[str]:
    """Words over the middle of a chain of AT links, data at home; and the fewest there can be."""
    yield from head("program", "nodes", "outward", "inward")
    for p in (2, AT):
        yield from (row(*cells) for cells in data("frontier", "across") if cells[:2] == [BOUND, str(p)])
        on = model.load("mark3").with_settings({"machine.nodes": p})
        for name in (*PROGRAMS, *BLOCKS, *GATHERING):
            program = written(name, AT, p)
            messages = placed(program, on, "home", "identity" if program.n == p else "block").messages
            source, target = (nodes >= p // 2 for nodes in (messages.source_node, messages.target_node))
            sums = (int(messages.words[mask].sum()) for mask in (~source & target, source & ~target))
            yield row(name, p, *sums)


SOLVED: Mapping[str, Mapping[str, Any]] = {
    ONE_NODE: {"algorithm": "forward-outward"},
    BOTH_ENDS: {"algorithm": BOTH_ENDS},
    "star-blocks": {"algorithm": "star-blocks"},
    "short": {"form": "short"},
    "short, tree": {"form": "short", "motion": "outward", "elimination": "oer"},
}
"""The programs that win, with numbers; blocks have eight links."""
ARMS = ("random:{}:seed=1", "rods:{}:slenderness=0.01")


def digits() -> Iterator[str]:
    """Whole digits of the worst of qdd, the contact force and Lambda^-1, against balls that hold the right
    answers: of the programs that win, without refinement and, where they have it, with one step."""
    yield from head("arm", "program", "refined", *map(str, SIZES))
    for arm in ARMS:
        problem = [problems.load(arm.format(n)) for n in SIZES]
        right = [extended.enclosed(what) for what in problem]
        for (name, choices), refine in product(SOLVED.items(), (0, 1)):
            if refine and "form" not in choices:
                continue
            cells = []
            for what, truth in zip(problem, right, strict=True):
                run = senn.run(what, machine="ideal", detail="summary", refine=refine, **choices)
                answers = ("qdd", "force", "lambda_inverse")
                off = max(extended.error(run.result[x], getattr(truth, x)) for x in answers)
                cells.append(max(0, floor(-log10(off))))
            yield row(arm.format("n"), name, "1 step" if refine else "no", *cells)


LIGHT = {
    "short": "#D3E6F2",
    "short, tree": "#E2E2E2",
    "short, outward": "#9CC8E3",
    "star": "#F3C26B",
    "star-together": "#F9DFAE",
    "star-blocks": "#8FCBA6",
    "star-blocks-together": "#CBE7D5",
    BOTH_ENDS: "#D9C8E8",
}
"""Fills of winners that share out the work."""
NAMES = {"gather-and-solve": "gather", "gather-solve-scatter": "scatter"}


def drawn() -> Figure:
    """Who wins on which machine, above; below what every program needs at n = 64."""
    figure = pyplot.figure(figsize=(11.4, 11.8), layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=(6.2, 5.0))
    _draw_winners(above)
    _draw_points(below)
    return figure


def _draw_winners(ax: Axes) -> None:
    winners = []
    for (y, name), (x, n) in product(enumerate(MACHINES), enumerate(SIZES)):
        here = of_size(n)
        first, on_all = quickest(here, name), quickest(shared(here), name)
        winners.append(first)
        color = LIGHT.get(first.program, "white")
        hatch = "////" if otherwise(here, name) else None
        look = {"facecolor": color, "edgecolor": "#999999", "hatch": hatch}
        ax.add_patch(Rectangle((x, y), 1, 1, linewidth=0.7, **look))
        alone = next(point for point in here if point.program == ONE_NODE).cycles[name]
        where = "p = n" if first.nodes == first.n else f"p = {first.nodes}"
        lines = [first.program, f"{where}, {alone / first.cycles[name]:.3g} times"]
        if first.program == ONE_NODE:
            more = f"{100 * (on_all.cycles[name] / alone - 1):.0f} %"
            lines = [ONE_NODE, f"({NAMES.get(on_all.program, on_all.program)} +{more})"]
        text = {"ha": "center", "va": "center", "fontsize": style.SMALL, "color": style.INK}
        box = {"facecolor": color, "edgecolor": "none", "pad": 1.2}
        ax.text(x + 0.5, y + 0.5, "\n".join(lines), bbox=box, **text)
    ax.set(xlim=(0, len(SIZES)), ylim=(len(MACHINES), 0), xlabel="n, links")
    ax.set_xticks([k + 0.5 for k in range(len(SIZES))], map(str, SIZES))
    ax.set_yticks([k + 0.5 for k in range(len(MACHINES))], MACHINES)
    style.plain_frame(ax)
    between = sum(1 < x.nodes < x.n for x in winners)
    ends = sum(x.program == BOTH_ENDS for x in winners)
    hatched = f"depends on an unverified value of the machine (tried up to n = {VARIED})"
    title = f"Fewer than n nodes win in {between} of {len(winners)} cells, two nodes in {ends} of them"
    caption = "times: as fast as one node; in brackets the best on n nodes, and how much longer it takes"
    style.headed(ax, title, [style.patch(hatched, facecolor="white", hatch="////")], caption)


def _draw_points(ax: Axes) -> None:
    """Rounds and operations on logarithmic axes, words beside the names; filled: no other needs less."""
    candidates = [x for x in points() if x.n == AT and not x.program.endswith(LESS)]
    here = [x for x in candidates if x.program not in BLOCKS and x.nodes == AT]
    here += [x for x in candidates if x.program in ("star-blocks", BOTH_ENDS) and x.nodes < AT]
    for x in here:
        needs = [x.cycles[axis] for axis in AXES]
        others = ([y.cycles[axis] for axis in AXES] for y in here if y is not x)
        beaten = any(all(a <= b for a, b in zip(other, needs, strict=True)) for other in others)
        face = "white" if beaten else style.INK
        ax.plot(needs[0], needs[2], "o", color=style.INK, markerfacecolor=face, markersize=8)
        name = x.program if x.nodes == AT else f"{x.program}, p = {x.nodes}"
        right, up = PLACES.get(name, (1, 0))
        ax.annotate(
            f"{name}, {needs[1]:,} words",
            (needs[0], needs[2]),
            (9 * right, 11 * up),
            textcoords="offset points",
            ha=("right", "center", "left")[right + 1],
            va="center",
            fontsize=style.SMALL,
            path_effects=[patheffects.withStroke(linewidth=2.5, foreground="white")],
        )
    distance = measures(network(AT)).diameter
    ax.axvspan(1, distance, color=style.GRID, zorder=0)
    diameter = f"diameter of {AT} nodes: {distance}"
    ax.text(distance * 0.96, 9000, diameter, ha="right", fontsize=style.SMALL, rotation=90)
    alone = unit("operations").compute_cycles(*serial(AT))
    ax.axhline(alone, color=style.OTHER, linestyle="--", linewidth=1)
    ax.text(290, alone * 1.03, "one node has all data", ha="right", fontsize=style.SMALL)
    ax.set(xscale="log", yscale="log", xlim=(2.5, 300), ylim=(7000, 42000))
    ax.set(xlabel="rounds: messages in a row", ylabel="operations in a row")
    for axis, ticks in ((ax.xaxis, _ROUNDS), (ax.yaxis, _OPERATIONS)):
        axis.set_ticks(ticks, [f"{tick:,}" for tick in ticks])
        axis.set_minor_locator(NullLocator())
    ax.grid()
    title = f"What programs need for {AT} links on p = {AT} nodes, or fewer; filled: no other needs less"
    style.headed(ax, title, [])


_ROUNDS, _OPERATIONS = (3, 5, 7, 10, 20, 40, 80, 160), (8000, 12000, 16000, 24000, 32000)
PLACES: Mapping[str, tuple[int, int]] = {
    "gather-and-solve": (0, 1),
    "gather-solve-scatter": (1, -1),
    "star-together": (1, 1),
    "both-ends, p = 2": (1, -1),
    "star-blocks, p = 2": (1, -1),
    "star-blocks, p = 4": (0, 1),
    "star-blocks, p = 8": (-1, 0),
    "star-blocks, p = 16": (0, -1),
    "star-blocks, p = 32": (1, -1),
    "omega, outward": (-1, 0),
    "short, outward": (-1, 0),
    "paper": (0, 1),
}
"""Where a name stands beside its mark; the others to the right."""

DATA: Tables = {"programs": programs, "winners": winners, "across": across, "digits": digits}
FIGURES: Figures = {"frontier": drawn}
