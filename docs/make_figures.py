"""Draw the figures of README.md and the documentation anew: `python docs/make_figures.py`."""

from pathlib import Path

import draw_allocations
import draw_networks
import matplotlib as mpl
from matplotlib.axes import Axes

import senn
from senn.studies.conduct import here
from senn.studies.picture import drawn
from senn.studies.study import read
from senn.studies.table import table
from senn.traces import plots

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
    }
    pictures = {
        "timeline": plots.timeline(run),
        "phases": plots.phases(run),
        "scaling": plots.scaling(senn.steps("1:1024"), caption="form paper, migrating, mark3"),
        "study_residency": _study("residency"),
        "study_networks": _study("networks"),
    }
    figures.update((name, ax.figure) for name, ax in pictures.items())
    for name, figure in figures.items():
        path = FOLDER / f"{name}.png"
        figure.savefig(path, dpi=110, bbox_inches="tight", metadata={"Software": None})
        print(path.relative_to(FOLDER.parent.parent))


def _study(name: str) -> Axes:
    """The picture of docs/studies/NAME.toml, as `senn study` draws it."""
    study = read(FOLDER.parent / "studies" / f"{name}.toml")
    assert study.picture is not None  # they all ask for one
    rows = [row for _, row in here(study.cases)]
    return drawn(study.picture, table(study.cases, rows), study.name)


if __name__ == "__main__":
    main()
