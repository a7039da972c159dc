"""HTML of a run for a notebook: what ran, makespan, verdict, answers, accelerations, and a picture."""

from __future__ import annotations

from html import escape
from typing import Any

from numpy.typing import NDArray

from senn.base.errors import InputError, printable
from senn.base.tables import html_table
from senn.traces import analysis
from senn.traces.facts import RunFacts, facts
from senn.traces.pictures.phases import strip
from senn.traces.run import Run

_SHOWN = 12
"""Degrees of freedom of which a notebook shows the accelerations; the others are in the run."""
_ROW = "display:flex;flex-wrap:wrap;align-items:flex-start;gap:0 2em"
_UNITS = {"qdd": "in rad/s², m/s² where a joint slides"}


def page(run: Run) -> str:
    """A run in sentences, its accelerations by joint, and its picture; no figure depends on rounding.

    Where the trace is too coarse for a figure or the picture, the reason is shown in its place.
    """
    run_facts = facts(run)
    lines = (_how_long(run, run_facts), run_facts.verdict, _answers(run))
    sentences = f"<div><b>{escape(printable(run_facts.sentence))}</b></div>"
    sentences += "".join(f"<div>{escape(line)}</div>" for line in lines)
    try:
        picture = strip(run)
    except InputError as error:
        picture = f"<div>{escape(f'no picture: {error}')}</div>"
    return f'{sentences}<div style="{_ROW}">{_accelerations(run)}{picture}</div>'


def _how_long(run: Run, run_facts: RunFacts) -> str:
    """The makespan, also in microseconds of the machine, and its parts."""
    if run_facts.clock is None:  # a run that was put together by hand
        return f"{run_facts.makespan:,} cycles"
    try:
        spent = analysis.spent_text(run.spent)
    except InputError as error:
        spent = f"what on is not told: {error}"
    microseconds = f"{run_facts.microseconds:,.1f} µs at {float(run_facts.clock):g} MHz"
    return f"{run_facts.makespan:,} cycles = {microseconds}: {spent}"


def _answers(run: Run) -> str:
    """The answers by name, with their shapes and units."""
    if not run.result:
        return "made without numbers: times, no answer"
    return f"answers: {', '.join(f'run.{name} ({_shape(name, x)})' for name, x in run.result.items())}"


def _shape(name: str, numbers: NDArray[Any]) -> str:
    shape = " x ".join(map(str, numbers.shape))
    return f"{shape}, {_UNITS[name]}" if name in _UNITS else shape


def _accelerations(run: Run) -> str:
    """HTML of the first rows of qdd with the names of the joints; empty without them."""
    numbers = run.result.get("qdd")
    if numbers is None or not len(numbers):
        return ""
    names = run.labels if len(run.labels) == len(numbers) else [f"{i}" for i in range(1, len(numbers) + 1)]
    rows = [(printable(name), float(f"{x:.3g}")) for name, x in zip(names, numbers.tolist(), strict=True)]
    rest = [(f"and {len(rows) - _SHOWN} more", "")] if len(rows) > _SHOWN else []
    return html_table([*rows[:_SHOWN], *rest], ("joint", "qdd"))
