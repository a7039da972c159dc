"""What a notebook shows of a run: what ran, how long and on what, verdict, answer, and a picture."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from html import escape
from typing import Any

from numpy.typing import NDArray

from senn.traces.errors import InputError, printable
from senn.traces.naming import departures
from senn.traces.run import Run
from senn.traces.tables import html_table

_SHOWN = 12
"""Degrees of freedom of which a notebook shows the accelerations; the others are in the run."""
_ROW = "display:flex;flex-wrap:wrap;align-items:flex-start;gap:0 2em"
_UNITS = {"qdd": "in rad/s², m/s² where a joint slides"}


def page(run: "Run", spent: Callable[[], str], picture: Callable[[], str]) -> str:
    """A run in sentences, its accelerations by joint, and its picture; no figure depends on how a processor
    rounds. ``spent`` says what the makespan was spent on, ``picture`` is HTML; where they raise InputError,
    the reason is shown in their place.
    """
    first = _what_ran(run.description)
    others = (_how_long(run, spent), _verdict(run.certificate), _answers(run))
    said = f"<div><b>{escape(first)}</b></div>" + "".join(f"<div>{escape(one)}</div>" for one in others)
    try:
        drawn = picture()
    except InputError as error:
        drawn = f"<div>{escape(f'no picture: {error}')}</div>"
    return f'{said}<div style="{_ROW}">{_accelerations(run)}{drawn}</div>'


def _what_ran(said: Mapping[str, Any]) -> str:
    """ "ssrms: closed chain, form paper, n = 7, on mark3, 2 arrays of 8 nodes, network senn, migrating"."""
    program, place, machine = (said.get(name, {}) for name in ("program", "allocation", "machine"))
    problem, nodes = said.get("problem", {}), said.get("schedule", {}).get("nodes")
    n = len(problem["joints"]) if "joints" in problem else program.get("n")  # a serial program is one process
    parts = (
        program.get("name", "program"),
        f"form {program['form']}" if program.get("form") else None,
        f"refine {program['refine']}" if program.get("refine") else None,
        *departures(
            program.get("strategy", 2),
            program.get("elimination", ""),
            2,
            ahead=program.get("ahead", False),
            motion=program.get("motion", ""),
        ),
        "single precision" if said.get("precision") == "single" else None,
        f"n = {n}" if n else None,
        f"on {machine['name']}" if "name" in machine else None,
        _arrays(machine, nodes),
        f"network {machine['network']}" if "network" in machine else None,
        f"allocation {place['name']}" if place.get("name", "identity") != "identity" else None,
        place.get("residency"),
    )
    name = f"{problem['name']}: " if "name" in problem else ""
    return printable(name + ", ".join(part for part in parts if part))


def _arrays(machine: Mapping[str, Any], nodes: int | None) -> str | None:
    """ "2 arrays of 8 nodes"."""
    if not nodes or "arrays" not in machine:
        return None
    return f"{_counted(machine['arrays'], 'array')} of {_counted(nodes, 'node')}"


def _how_long(run: "Run", spent: Callable[[], str]) -> str:
    """The makespan, also in microseconds of the machine, and what it was spent on."""
    if "machine" not in run.description:  # a run that was put together by hand
        return f"{run.summary.get('makespan', 0):,} cycles"
    cycles, clock = run.summary["makespan"], Fraction(str(run.description["machine"]["clock_mhz"]))
    try:
        told = spent()
    except InputError as error:
        told = f"what on is not told: {error}"
    return f"{cycles:,} cycles = {float(cycles / clock):,.1f} µs at {float(clock):g} MHz: {told}"


def _verdict(certificate: Mapping[str, Any] | None) -> str:
    """That it agrees, with whom; what is wrong, in the certificate's own sentence."""
    if certificate is None:
        return "not compared with anything: no certificate"
    if not certificate["ok"]:
        return f"FAILED: {certificate['message']}"
    others = certificate.get("besides", ())
    who = " and ".join([certificate["against"], *(one["name"] for one in others)])
    figures = len(certificate["verdicts"]) + sum(len(one["verdicts"]) for one in others)
    return f"agrees with {who}: {_counted(figures, 'figure')}, each within its tolerance"


def _answers(run: "Run") -> str:
    """What there is to ask for."""
    if not run.result:
        return "made without numbers: times, no answer"
    return f"answers: {', '.join(f'run.{name} ({_shape(name, one)})' for name, one in run.result.items())}"


def _shape(name: str, numbers: NDArray[Any]) -> str:
    shape = " x ".join(map(str, numbers.shape))
    return f"{shape}, {_UNITS[name]}" if name in _UNITS else shape


def _accelerations(run: "Run") -> str:
    """The first of qdd by the names of the joints; nothing where there is none."""
    numbers = run.result.get("qdd")
    if numbers is None or not len(numbers):
        return ""
    names = run.labels if len(run.labels) == len(numbers) else [f"{i}" for i in range(1, len(numbers) + 1)]
    rows = [(printable(name), float(f"{x:.3g}")) for name, x in zip(names, numbers.tolist(), strict=True)]
    rest = [(f"and {len(rows) - _SHOWN} more", "")] if len(rows) > _SHOWN else []
    return html_table([*rows[:_SHOWN], *rest], ("joint", "qdd"))


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
