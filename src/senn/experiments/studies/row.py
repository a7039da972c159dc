"""One run of a study as one row: what was asked, every score, or the error that ended it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from senn import __version__, api
from senn.experiments.studies.grid import Point
from senn.experiments.studies.parameters import SIZE
from senn.traces.analysis.causality import LABELS
from senn.traces.errors import InputError

if TYPE_CHECKING:
    from senn.traces.run import Run

Row: TypeAlias = dict[str, Any]

SPENT = "spent_"
"""And a label of the critical path: a column of a study."""

SCORES = {
    "levels": int,
    "nodes": int,  # of each array
    "makespan": int,
    "microseconds": float,  # of the makespan, at the machine's clock
    "instructions": int,
    "network_steps": int,
    "messages": int,
    "hops": int,
    "words": int,
    "word_hops": int,
    "dilation": int,
    "congestion": int,
    "congestion_in_all": int,
    "load": int,
    "stall": int,
    "dependency_wait": int,
    "exposed": int,
    "hidden": int,
    **{f"{SPENT}{name}": int for name in LABELS},  # the makespan, by what the critical path spent it on
    "free_network": int,  # with `bounds`: T0
    "blocking": int,  # with `bounds`: T_block
    "certificate_error": float,
    "certificate_residual": float,
    "certificate_tolerance": float,
    "certificate_ok": bool,
    "seconds": float,
}
"""The scores that every row has, some null, in the order of the columns, and their types."""


def row(point: Point) -> Row:
    """Compute a run: a pure function of the point but for `seconds`, the time it took.

    Whatever goes wrong in it is the row's `error`, which is null in a run that came to its end.
    """
    start = time.perf_counter()
    try:
        if point.version != __version__:
            raise InputError(
                f"the study is of senn {point.version}, this worker has {__version__}; install the same"
            )
        found = _scores(api.run(**point.arguments))
    except Exception as error:
        found = {"error": _said(error)}
    seconds = round(time.perf_counter() - start, 3)
    return {**point.parameters, "error": None, **found, "seconds": seconds, "version": __version__}


def failed(point: Point, error: str) -> Row:
    """The row of a run that could not even say what went wrong."""
    return {**point.parameters, "error": error, "version": __version__}


def is_row(found: object, point: Point) -> bool:
    """Whether what was read is a row of this point: its parameters, and scores of the types they have."""
    if not (isinstance(found, dict) and {**found, **point.parameters} == found and "error" in found):
        return False
    kinds: dict[str, type | tuple[type, ...]] = {**SCORES, "error": str}
    for name, value in found.items():
        kind = (int, float) if kinds.get(name) is float else kinds.get(name, str | int | float | bool)
        if not (value is None or isinstance(value, kind)):
            return False
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            return False
    return True


def is_fine(row: Mapping[str, Any]) -> bool:
    """Whether the run came to its end, with a certificate that holds where it has numbers."""
    return row["error"] is None and row.get("certificate_ok") is not False


def _scores(run: Run) -> Row:
    said, summary, certificate = run.description, run.summary, run.certificate or {}
    processes, arrays = said["program"]["n"], summary["arrays"]  # one process of a serial algorithm
    stall, exposed = summary["stall"], summary["exposed"]  # None where nodes issue by themselves: mimd
    return {
        # Whatever is said of the schedule and of its bounds: a score that is added there is a column here.
        **_numbers(said["schedule"], said["scores"], said.get("bounds", {})),
        SIZE: len(said["problem"]["joints"]),
        "levels": (processes - 1).bit_length(),
        "makespan": summary["makespan"],
        "microseconds": float(summary["makespan"] / Fraction(str(said["machine"]["clock_mhz"]))),
        "instructions": sum(one["instructions"] for one in arrays.values()),
        **{f"instructions_{k}": one["instructions"] for k, one in arrays.items()},
        **{name: summary[name] for name in ("messages", "hops", "words", "stall", "exposed", "hidden")},
        "dependency_wait": None if stall is None else stall - exposed,
        **(
            {f"{SPENT}{name}": count for name, count in run.spent.items()}
            if run.trace.detail == "full"
            else {}
        ),
        "certificate_error": certificate.get("error"),
        "certificate_residual": certificate.get("worst_residual"),
        "certificate_tolerance": certificate.get("tolerance"),
        "certificate_ok": certificate.get("ok"),
        "trace_hash": run.trace.hash,
    }


def _numbers(*tables: Mapping[str, Any]) -> Row:
    every = {name: value for table in tables for name, value in table.items()}
    return {name: value for name, value in every.items() if isinstance(value, int | float)}


def _said(error: Exception) -> str:
    """What the user would have read; an error that nobody foresaw with its name."""
    from senn.machine.engines.control import Deadlock
    from senn.machine.engines.memory import Violation

    if isinstance(error, InputError | Deadlock | Violation):
        return str(error)
    return f"{type(error).__name__}: {error}"
