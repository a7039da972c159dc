"""The figure of machine.md."""

from __future__ import annotations

import senn
from experiments.page import Figures
from senn.traces.pictures import plots

FIGURES: Figures = {"phases": lambda: plots.phases(senn.run("ssrms"))}
