"""Draw the figures of README.md and the documentation anew: `python docs/make_figures.py`."""

from pathlib import Path

import draw_allocations
import draw_channels
import draw_networks
import matplotlib as mpl

import senn
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
    }
    figures["channels"] = draw_channels.kinds()
    figures.update((name, ax.figure) for name, ax in pictures.items())
    for name, figure in figures.items():
        path = FOLDER / f"{name}.png"
        figure.savefig(path, dpi=110, bbox_inches="tight", metadata={"Software": None})
        print(path.relative_to(FOLDER.parent.parent))


if __name__ == "__main__":
    main()
