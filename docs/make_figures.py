"""Draw the figures of README.md and the documentation anew: `python docs/make_figures.py`."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import measure_allocations
import polars as pl
from matplotlib.figure import Figure, SubFigure

import senn
from senn.machine import allocation
from senn.traces import plots

FOLDER = Path(__file__).parent / "figures"


def main() -> None:
    """Write docs/figures/*.png."""
    mpl.use("Agg")
    FOLDER.mkdir(exist_ok=True)
    run = senn.run("ssrms")
    pictures = {
        "timeline": plots.timeline(run),
        "phases": plots.phases(run),
        "scaling": plots.scaling(senn.steps("1:1024"), caption="form paper, migrating, mark3"),
    }
    for name, ax in pictures.items():
        write(name, ax.figure)
    write("places", places())
    measured = measure_allocations.measured(64, measure_allocations.ALONE)
    named = measured.with_columns(pl.format("{}\n{}", "allocation", "residency").alias("allocation"))
    write("allocations", plots.scores(named, caption="n = 64, form paper, mark3").figure)


def places() -> Figure:
    """Eight processes on eight nodes, and on four."""
    chosen = (
        ("identity", "home", 8),
        ("identity", "migrating", 8),
        ("gray", "migrating", 8),
        ("bit-reversed", "migrating", 8),
        ("block", "migrating", 4),
        ("cyclic", "home", 4),
    )
    figure, axes = plt.subplots(3, 2, figsize=(9.6, 7.2), layout="constrained")
    for ax, (name, residency, nodes) in zip(axes.flat, chosen, strict=True):
        table = allocation.named(name, 8, residency, nodes)
        plots.places(table, ax, nodes=nodes, caption=f"{name}, {residency}")
    return figure


def write(name: str, figure: Figure | SubFigure) -> None:
    path = FOLDER / f"{name}.png"
    assert isinstance(figure, Figure)
    figure.savefig(path, dpi=110, bbox_inches="tight", metadata={"Software": None})
    print(path.relative_to(FOLDER.parent.parent))


if __name__ == "__main__":
    main()
