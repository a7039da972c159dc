"""The tables and pictures of divide_and_conquer.md; its table of errors was computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from matplotlib import pyplot
from matplotlib.figure import Figure

import senn
from experiments import measuring
from experiments.page import Figures, Tables, head, over_sizes, row, titled
from senn.algorithms.programs import divide_and_conquer, variants
from senn.algorithms.robots.generators import LETTERS
from senn.algorithms.robots.side_tree import SideTree
from senn.machine.engines.memory import executed
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Program
from senn.traces.pictures import plots

SIZES = (8, 16, 32, 64, 128, 256)
PROGRAMS: dict[str, Callable[[int], Program]] = {
    **{form: partial(variants.closed_chain, form=form) for form in variants.FORMS},
    "divide and conquer": divide_and_conquer.program,
    "divide and conquer, one array": partial(divide_and_conquer.program, arrays=1),
}
# --------------------------------------------------------------------- steps, words and cycles


def placed(name: str, n: int) -> Schedule:
    """A program on a SENN, data migrating; where it is placed does not depend on times."""
    return senn.placed(PROGRAMS[name](n))


def makespan(schedule: Schedule, machine: str) -> int:
    """In cycles of the machine."""
    return int(senn.timed(schedule, machine).summary["makespan"])


def sizes(chosen: Iterable[int] = SIZES) -> Iterator[str]:
    """What each program issues, sends and computes."""
    yield from head("n", "program", "instructions", "network steps", "messages", "words", "operations")
    for n in chosen:
        for name in PROGRAMS:
            schedule = placed(name, n)
            issued = " + ".join(str(len(tasks)) for tasks in schedule.tasks)
            words = senn.timed(schedule, "ideal").summary["words"]
            counts = len(schedule.messages), words, executed(schedule.flow).flops
            yield row(n, name, issued, schedule.network_steps(), *(f"{count:,}" for count in counts))


def makespans(chosen: Iterable[int] = SIZES) -> Iterator[str]:
    """Cycles on every preset whose arrays are a SENN; migrating."""
    machines = measuring.MACHINES
    yield from head("n", "program", *(f"`{name}`" for name in machines))
    for n in chosen:
        for name in PROGRAMS:
            schedule = placed(name, n)
            cells = (f"{makespan(schedule, machine):,}" for machine in machines)
            yield row(n, name, *cells)


_ONE = ("revolute",)
KINDS: dict[str, tuple[str, tuple[SideTree, ...]]] = {
    "all revolute": ("RRRRRRRR", ()),
    "one universal": ("RRRURRRR", ()),
    "one spherical": ("RRRSRRRR", ()),
    "free base": ("FRRRRRRR", ()),
    "all spherical": ("SSSSSSSS", ()),
    "one joint beside link 4": ("RRRRRRRR", (SideTree(4, _ONE, (0,)),)),
    "three joints beside link 4": ("RRRRRRRR", (SideTree(4, 3 * _ONE, (0, 1, 2)),)),
    "one joint beside every link": ("RRRRRRRR", tuple(SideTree(at, _ONE, (0,)) for at in range(1, 9))),
}
"""Arms of eight links."""
ON = ("mark3", "raw")


def kinds() -> Iterator[str]:
    """Cycles, operations and words of arms with other joints and with side branches, beside the closed
    chain's form short; migrating."""
    yield from head("arm", "program", *(f"`{name}`" for name in ON), "operations", "words")
    for arm, (word, branches) in KINDS.items():
        joints = tuple(LETTERS[letter] for letter in word)
        for name, make in (("divide and conquer", divide_and_conquer.program), ("short", PROGRAMS["short"])):
            schedule = senn.placed(make(len(joints), joints=joints, branches=branches))
            cells = (makespan(schedule, machine) for machine in ON)
            words = int(senn.timed(schedule, "ideal").summary["words"])
            counts = (*cells, executed(schedule.flow).flops, words)
            yield row(arm, name, *(f"{count:,}" for count in counts))


# ---------------------------------------------------------------------- pictures

STYLES = dict(
    zip(PROGRAMS, (("C7", "o-"), ("C0", "o-"), ("C2", "o-"), ("C1", "s-"), ("C1", "s:")), strict=True)
)
MACHINES = ("ideal", "raw", "mark3")
LENGTHS = tuple(2**k for k in range(2, 11))


def over_links() -> Figure:
    """Makespans of the programs over n on three machines."""
    figure, places = pyplot.subplots(1, len(MACHINES), figsize=(12.0, 5.4), layout="constrained")
    fastest = []
    for machine, ax in zip(MACHINES, places, strict=True):
        cycles = {label: [makespan(placed(label, n), machine) for n in LENGTHS] for label in PROGRAMS}
        for label, (color, style) in STYLES.items():
            ax.plot(LENGTHS, [c / 1000 for c in cycles[label]], style, color=color, label=label)
        fastest.append(f"{min(cycles, key=lambda label, of=cycles: of[label][-1])} on {machine}")
        over_sizes(ax, "links n", LENGTHS[::2])
        ax.set_ylim(bottom=0)
        ax.set_title(machine, weight="normal")
        ax.grid(axis="y")
    places[0].set_ylabel("makespan, thousand cycles")
    figure.legend(*places[0].get_legend_handles_labels(), loc="outside lower left", ncols=len(PROGRAMS))
    titled(figure, f"Fastest at n = {LENGTHS[-1]:,}: {', '.join(fastest)}")
    return figure


def phases() -> Figure:
    """Divide and conquer above form short, n = 16, in the same scale of time."""
    runs = [
        senn.timed(program, detail="full")
        for program in (divide_and_conquer.program(16), variants.closed_chain(16, "short"))
    ]
    figure, places = pyplot.subplots(2, figsize=(11.0, 10.0), layout="constrained")
    ends = (max(run.trace.hops["end"].max(), run.summary["makespan"]) for run in runs)
    end = max(ends)  # the last message has arrived
    for run, ax in zip(runs, places, strict=True):
        plots.phases(run, ax, stop=end)
    return figure


DATA: Tables = {f.__name__: f for f in (sizes, makespans, kinds)}
FIGURES: Figures = {"divide_and_conquer": over_links, "divide_and_conquer_phases": phases}
