"""What the command line does, as functions: every option is an argument of the same name."""

from senn.api.counting import FITTED_FROM, fits, serial, steps
from senn.api.folders import default_folder, open_run
from senn.api.problems import new, problem, read, robot
from senn.api.ranges import sizes
from senn.api.searching import optimise
from senn.api.solving import STAGES, run
from senn.api.text import listing
from senn.api.what_if import hiding, retime, retiming, sensitivities

__all__ = [
    "FITTED_FROM",
    "STAGES",
    "default_folder",
    "fits",
    "hiding",
    "listing",
    "new",
    "open_run",
    "optimise",
    "problem",
    "read",
    "retime",
    "retiming",
    "robot",
    "run",
    "sensitivities",
    "serial",
    "sizes",
    "steps",
]
