"""The figures of pictures.md, that no other page has."""

from __future__ import annotations

from functools import cache

import senn
from experiments.page import Figures
from senn.machine.network import Wiring, measures, network
from senn.traces.run import Run


@cache
def _ssrms() -> Run:
    return senn.run("ssrms")


FIGURES: Figures = {
    "overlap": lambda: _ssrms().plot("overlap"),
    "spacetime": lambda: _ssrms().plot("spacetime", level=1),
    "critical": lambda: _ssrms().plot("critical"),
    "network": lambda: _ssrms().plot("network"),
    "heat": lambda: senn.run("random:64", machine="mark3", residency="home", check=False).plot("heat"),
    "moment": lambda: _ssrms().plot("moment", cycle=1310),
    "wires": lambda: measures.picture(Wiring(network("senn", 8), arrays=2)),
    "arm": lambda: senn.problem("ssrms").plot(),
}
