"""The figures of README.md."""

from __future__ import annotations

import senn
from docs.make.page import Figures
from senn.api import serial
from senn.traces.pictures import plots

FIGURES: Figures = {
    "timeline": lambda: plots.timeline(senn.run("ssrms")),
    "scaling": lambda: plots.scaling(
        senn.steps("1:1024"), serial=serial(1024), caption="form paper, migrating, mark3"
    ),
}
