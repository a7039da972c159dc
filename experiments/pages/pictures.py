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
    "critical": lambda: _ssrms().plot("critical"),
    "network": lambda: _ssrms().plot("network"),
    "heat": lambda: senn.run("random:64", machine="mark3", residency="home", check=False).plot("heat"),
    "wires": lambda: measures.picture(Wiring(network("senn", 8), arrays=2)),
    "arm": lambda: senn.problem("ssrms").plot(),
}
