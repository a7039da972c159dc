"""senn: Fijany's two-array shuffle-exchange machine, message by message, cycle by cycle.

>>> import senn
>>> run = senn.run("ssrms")
>>> run.certificate["ok"]
True
"""

from __future__ import annotations

import sys

if sys.argv[0] == "-m" and sys.orig_argv[-len(sys.argv)] in ("senn", "-msenn") and not sys.flags.safe_path:
    del sys.path[0]  # by `python -m senn` the current folder, whose Python files nobody asked for

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from senn import laws
    from senn.api import (
        batch,
        default_folder,
        fits,
        hiding,
        mpi,
        new,
        open_run,
        optimise,
        problem,
        program,
        read,
        retime,
        retiming,
        robot,
        run,
        sensitivities,
        solved,
        steps,
    )
    from senn.base.errors import InputError
    from senn.motion import simulate
    from senn.studies.conduct import compare, study
    from senn.traces.pictures import style
    from senn.verbs import diff, explain, export, plot, report
    from senn.words import placed, timed

__version__ = "0.1.0"
_INSTRUCTIONS = (
    *("PR1", "PR2", "Arrange", "Compute", "Kernel", "Letter", "Name", "Operations", "Program", "Remark"),
    *("Resident", "Send", "Wait", "by_process", "every", "i", "kernel", "levels", "loop", "value"),
)
"""Words of a program of your own."""
__all__ = [
    "InputError",
    "batch",
    "compare",
    "default_folder",
    "diff",
    "explain",
    "export",
    "fits",
    "hiding",
    "laws",
    "mpi",
    "new",
    "open_run",
    "optimise",
    "placed",
    "plot",
    "problem",
    "program",
    "read",
    "report",
    "retime",
    "retiming",
    "robot",
    "run",
    "sensitivities",
    "simulate",
    "solved",
    "steps",
    "study",
    "style",
    "timed",
    *_INSTRUCTIONS,
]
_MODULES = {
    "InputError": "senn.base.errors",
    "compare": "senn.studies.conduct",
    "simulate": "senn.motion",
    "study": "senn.studies.conduct",
    **dict.fromkeys(("diff", "explain", "export", "plot", "report"), "senn.verbs"),
    **dict.fromkeys(_INSTRUCTIONS, "senn.machine.program"),
    **dict.fromkeys(("placed", "timed"), "senn.words"),
}
"""Modules of the names that are not in `senn.api`."""
_RENAMED = {
    "listing": "senn.program",
    "control": "experiments.robot.control_loop.control, in a checkout",
    "faults": "experiments.trust.injection.faults, in a checkout",
}


def __getattr__(name: str) -> Any:
    """Imports on first use, so that `senn --help` is quick."""
    if name in ("laws", "style"):
        return import_module("senn.laws" if name == "laws" else "senn.traces.pictures.style")
    if name in _RENAMED:
        raise AttributeError(f"senn.{name} is now {_RENAMED[name]}")
    if name in __all__:
        return getattr(import_module(_MODULES.get(name, "senn.api")), name)
    raise AttributeError(f"module 'senn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
