"""What the makespan was spent on: the critical path of a run by kind of cycle, and how that is said."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from senn.traces.analysis.causality import LABELS
from senn.traces.analysis.critical_path import critical_path, path_totals
from senn.traces.errors import InputError

if TYPE_CHECKING:
    from senn.traces.run import Run

WORDS: Mapping[str, str] = {
    "compute": "compute",
    "post": "posting",
    "receive": "receiving",
    "startup": "start-up",
    "words": "words",
    "hop": "heads",
    "queue": "queues",
}
"""What each label of a piece is called where people read it."""


def spent(run: "Run") -> dict[str, int]:
    """The cycles of the critical path by label, all of `causality.LABELS`: they sum to the makespan.

    ``compute``, ``post`` and ``receive`` are work of the array (or node) that all others waited for in that
    cycle; ``startup``, ``words`` and ``hop`` are a message on a channel, and ``queue`` is one that waits for
    it. Waiting for another array is none of them: the path goes on in that array, with what it did.
    InputError if the trace is not of full detail.
    """
    startup, hop = channel_times(run.description["machine"])
    return path_totals(critical_path(run.trace, startup, hop))


def spent_text(cycles: Mapping[str, int]) -> str:
    """ "start-up 73 %, words 18 %, compute 8 %, queues < 1 %": the most first, nothing that took no cycle."""
    whole = sum(cycles.values())
    most_first = sorted((name for name in LABELS if cycles[name]), key=lambda name: -cycles[name])
    return ", ".join(f"{WORDS[name]} {share(cycles[name], whole)}" for name in most_first) or "nothing"


def share(part: int, whole: int) -> str:
    """In per cent, to the nearest; never 0 of something, nor 100 of what is not all."""
    if 0 < 100 * part < whole:
        return "< 1 %"
    if part < whole and 100 * part > 99 * whole:
        return "> 99 %"
    return f"{round(Fraction(100 * part, whole or 1))} %"


def channel_times(machine: Mapping[str, Any]) -> tuple[Fraction, Fraction]:
    """Start-up and hop in cycles of the machine that ran, exact, as run.json describes it."""
    startup, hop = (_number(name, machine[name]) for name in ("startup", "hop"))
    return startup, hop


def _number(name: str, said: object) -> Fraction:
    """An integer, a decimal or a fraction as text: what `senn.machine` writes, and nothing else."""
    if not re.fullmatch(r"\d{1,40}([./]0*[1-9]\d{0,40}|\.0+)?", str(said)):
        raise InputError(f"run.json: {name} of the machine is no number of cycles: {str(said)[:40]!r}")
    return Fraction(str(said))
