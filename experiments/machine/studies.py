"""The figures of studies.md."""

from __future__ import annotations

from functools import partial

from matplotlib.axes import Axes

from experiments.page import DOCS, Figures
from senn.studies.conduct import here
from senn.studies.row import table
from senn.studies.study import drawn, read


def study(name: str) -> Axes:
    """The picture of docs/studies/NAME.toml, as `senn study` draws it."""
    asked = read(DOCS / "studies" / f"{name}.toml")
    assert asked.picture is not None  # they all ask for one
    rows = [row for _, row in here(asked.points)]
    return drawn(asked.picture, table(asked.points, rows), asked.name)


FIGURES: Figures = {f"study_{name}": partial(study, name) for name in ("residency", "networks")}
