"""Draw the figures of README.md and the documentation anew: `python docs/make_figures.py`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import draw_allocations
import draw_channels
import draw_dca
import draw_joints
import draw_networks
import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import senn
from senn.experiments.studies.conduct import here
from senn.experiments.studies.picture import drawn
from senn.experiments.studies.study import read
from senn.experiments.studies.table import table
from senn.traces.pictures import plots
from senn.traces.run import Run

FOLDER = Path(__file__).parent / "figures"


def main() -> None:
    """Write docs/figures/*.png."""
    mpl.use("Agg")
    FOLDER.mkdir(exist_ok=True)
    run = senn.run("ssrms")
    figures = {
        "networks": draw_networks.figure(),
        "places": draw_allocations.places(),
        "allocations": draw_allocations.scores(),
        "divide_and_conquer": draw_dca.makespans(),
        "divide_and_conquer_phases": draw_dca.phases(),
        "widths": widths(),
        "eliminations": eliminations(),
    }
    pictures = {
        "timeline": plots.timeline(run),
        "phases": plots.phases(run),
        "scaling": plots.scaling(senn.steps("1:1024"), caption="form paper, migrating, mark3"),
        "study_residency": _study("residency"),
        "study_networks": _study("networks"),
    }
    figures["channels"] = draw_channels.kinds()
    figures["joints"] = draw_joints.costs()
    figures.update((name, ax.figure) for name, ax in pictures.items())
    for name, figure in figures.items():
        path = FOLDER / f"{name}.png"
        figure.savefig(path, dpi=110, bbox_inches="tight", metadata={"Software": None})
        print(path.relative_to(FOLDER.parent.parent))


def widths() -> Figure:
    """The paper's form on 1, 2, 3 and 8 arrays, in the same scale of time."""
    runs = [senn.run("random:16:seed=1", machine="raw", arrays=arrays) for arrays in (1, 2, 3, 8)]
    return stacked(runs, plots.phases, [2 + arrays for arrays in (1, 2, 3, 8)])


def eliminations() -> Figure:
    """Strategies 2 and 1, and odd-even reduction, every engine, in the same scale of time."""
    common: dict[str, Any] = {"machine": "raw", "form": "short"}
    variants: list[dict[str, Any]] = [{}, {"strategy": 1}, {"elimination": "oer"}]
    runs = [senn.run("random:16:seed=1", **common, **variant) for variant in variants]
    return stacked(runs, plots.timeline, [1, 1, 1])


def stacked(runs: Sequence[Run], draw: Callable[[Run, Axes], Axes], heights: Sequence[int]) -> Figure:
    """One picture above the other, all to the end of the longest run."""
    figure, places = plt.subplots(
        len(runs),
        figsize=(11.0, 1.1 * sum(heights) if len(set(heights)) > 1 else 5.0 * len(runs)),
        height_ratios=heights,
        layout="constrained",
    )
    end = max(run.summary["makespan"] for run in runs)
    for run, ax in zip(runs, places, strict=True):
        ax.set_xlim(0, end)
        draw(run, ax)
        ax.set_xlim(0, end)
    return figure


def _study(name: str) -> Axes:
    """The picture of docs/studies/NAME.toml, as `senn study` draws it."""
    study = read(FOLDER.parent / "studies" / f"{name}.toml")
    assert study.picture is not None  # they all ask for one
    rows = [row for _, row in here(study.points)]
    return drawn(study.picture, table(study.points, rows), study.name)


if __name__ == "__main__":
    main()
