"""The table and the figures of programs.md: variants of the program beside each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import senn
from experiments.page import Figures, Tables, head, law, row
from senn.algorithms.programs.variants import ELIMINATIONS, closed_chain
from senn.machine import model
from senn.machine.search.combining import combined
from senn.traces.pictures import plots
from senn.traces.run import Run

OEE, OER = ELIMINATIONS
VARIANTS = [
    ("short", 2, strategy, kind, ahead) for strategy in (2, 1) for kind in (OEE, OER) for ahead in (0, 1)
]
VARIANTS += [("paper", arrays, 2, OEE, 0) for arrays in (1, 2, 3, 8)]
VARIANTS += [("short", arrays, 2, OEE, 0) for arrays in (1, 3)]
"""Form, arrays, strategy, elimination, ahead."""
LARGE = 64
MACHINES = ("mark3", "fijany")


def variants() -> Iterator[str]:
    """Instructions as a M + b, exact from n = 3; network steps, exact for n = 2^M; cycles at n = 64."""
    knobs = ("form", "arrays", "strategy", "elimination", "")
    yield from head(*knobs, "instructions of each array", "network steps, n = 2^M", *MACHINES)
    for form, arrays, strategy, kind, ahead in VARIANTS:
        placed = {}
        for n in (3, 4, 16, LARGE):
            program = closed_chain(
                n, form, strategy=strategy, elimination=kind, arrays=arrays, ahead=bool(ahead)
            )
            placed[n] = senn.placed(program)
        every = [*placed.values()]
        laws = [
            law([s.program.levels for s in every], [len(s.tasks[k]) for s in every]) for k in range(arrays)
        ]
        powers = [s for n, s in placed.items() if n & (n - 1) == 0]
        steps = law([s.program.levels for s in powers], [s.network_steps() for s in powers])
        issued = ", ".join(
            f"{count} x ({one})" if (count := len(list(same))) > 1 else one for one, same in groupby(laws)
        )
        cycles = [f"{senn.timed(placed[LARGE], on).summary['makespan']:,}" for on in MACHINES]
        elimination = "elimination" if kind == OEE else "reduction"
        yield row(form, arrays, strategy, elimination, "ahead" * ahead, issued, steps, *cycles)


FEWER: dict[str, dict[str, Any]] = {
    "form paper": {"form": "paper"},
    "form short": {"form": "short"},
    "form short, jets": {"form": "short", "motion": "jets"},
    "form short, jets, one array": {"form": "short", "motion": "jets", "arrays": 1},
    "form short, jets, ahead": {"form": "short", "motion": "jets", "ahead": True},
    "form omega, jets, ahead": {"form": "omega", "motion": "jets", "ahead": True},
}
"""Programs with fewer and fewer start-ups."""
WHERE = ("mark3", "ipsc860", "cluster")


def together(names: Sequence[str] = tuple(FEWER)) -> Iterator[str]:
    """Cycles at n = 64, as the program is written and with `--combine`."""
    yield from head("program", *(f"{machine}{more}" for machine in WHERE for more in ("", ", combined")))
    for name in names:
        program = closed_chain(LARGE, **FEWER[name])
        cycles = []
        for machine in WHERE:
            schedule, on = senn.placed(program, machine), model.load(machine)
            both = schedule, combined(schedule, on)
            cycles += [f"{senn.timed(one, on).summary['makespan']:,}" for one in both]
        yield row(name, *cycles)


# ---------------------------------------------------------------------- pictures


def widths() -> Figure:
    """The paper's form on 1, 2, 3 and 8 arrays, in the same scale of time."""
    runs = [senn.run("random:16:seed=1", machine="fijany", arrays=arrays) for arrays in (1, 2, 3, 8)]
    return stacked(runs, plots.phases, [2 + arrays for arrays in (1, 2, 3, 8)])


def eliminations() -> Figure:
    """Strategies 2 and 1, and odd-even reduction, every engine, in the same scale of time."""
    common: dict[str, Any] = {"machine": "fijany", "form": "short"}
    variants: list[dict[str, Any]] = [{}, {"strategy": 1}, {"elimination": "oer"}]
    runs = [senn.run("random:16:seed=1", **common, **variant) for variant in variants]
    return stacked(runs, plots.timeline, [1, 1, 1])


def stacked(runs: Sequence[Run], draw: Callable[..., Axes], heights: Sequence[int]) -> Figure:
    """One picture above the other, all to the end of the longest run."""
    figure, places = pyplot.subplots(
        len(runs),
        figsize=(11.0, 1.1 * sum(heights) if len(set(heights)) > 1 else 5.0 * len(runs)),
        height_ratios=heights,
        layout="constrained",
    )
    end = max(int(run.trace.hops["end"].to_numpy().max()) for run in runs)  # the last message has arrived
    end = max(end, *(run.summary["makespan"] for run in runs))
    for run, ax in zip(runs, places, strict=True):
        draw(run, ax, stop=end)
    return figure


DATA: Tables = {"variants": variants, "together": together}
FIGURES: Figures = {"widths": widths, "eliminations": eliminations}
