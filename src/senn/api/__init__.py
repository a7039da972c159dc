"""Functions of the command line: every option is an argument of the same name."""

from senn.api.arguments import sizes
from senn.api.problems import new, problem, read, robot
from senn.api.solving import STAGES, default_folder, open_run, run, solved
from senn.api.states import batch
from senn.api.timing import FITTED_FROM, fits, optimise, program, steps
from senn.api.what_if import hiding, retime, retiming, sensitivities

__all__ = [
    "FITTED_FROM",
    "STAGES",
    "batch",
    "default_folder",
    "fits",
    "hiding",
    "new",
    "open_run",
    "optimise",
    "problem",
    "program",
    "read",
    "retime",
    "retiming",
    "robot",
    "run",
    "sensitivities",
    "sizes",
    "solved",
    "steps",
]
