"""The picture of what_if.md: where the communication of the Space Station arm would be hidden."""

from matplotlib.axes import Axes

import senn
from experiments.page import Figures
from senn.traces.pictures.style import of_run


def hidden() -> Axes:
    run = senn.run("ssrms", machine="mark3", numbers=False)
    return senn.hiding(run).plot(caption=of_run(run)[1])


FIGURES: Figures = {"hidden": hidden}
