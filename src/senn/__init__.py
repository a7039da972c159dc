"""senn: Fijany's two-array shuffle-exchange machine, message by message, cycle by cycle.

>>> import senn
>>> run = senn.run("ssrms")
>>> run.certificate["ok"]
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from senn import laws
    from senn.api import (
        default_folder,
        fits,
        hiding,
        listing,
        open_run,
        optimise,
        problem,
        read,
        retime,
        retiming,
        robot,
        run,
        sensitivities,
        steps,
    )
    from senn.experiments.studies.compare import compare
    from senn.traces.errors import InputError
    from senn.words import placed, solved, timed

__version__ = "0.1.0"
__all__ = [
    "InputError",
    "compare",
    "default_folder",
    "fits",
    "hiding",
    "laws",
    "listing",
    "open_run",
    "optimise",
    "placed",
    "problem",
    "read",
    "retime",
    "retiming",
    "robot",
    "run",
    "sensitivities",
    "solved",
    "steps",
    "timed",
]


def __getattr__(name: str) -> Any:
    """Imports on first use, so that `senn --help` is quick."""
    if name == "InputError":
        return import_module("senn.traces.errors").InputError
    if name == "compare":
        return import_module("senn.experiments.studies.compare").compare
    if name == "laws":
        return import_module("senn.laws")
    if name in ("placed", "solved", "timed"):
        return getattr(import_module("senn.words"), name)
    if name in __all__:
        return getattr(import_module("senn.api"), name)
    raise AttributeError(f"module 'senn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
