"""Former names, each with its replacement: a name that is gone ends with the name to use instead."""

from __future__ import annotations

from collections.abc import Mapping

from senn.base.errors import InputError

REPLACED: Mapping[str, Mapping[str, str]] = {
    "format": dict.fromkeys(("chrome", "paje", "kanata"), "write perfetto, a file that ends in .pftrace"),
    "part": {"cycle": "the page of senn report replays a run cycle by cycle; run.at(cycle) is its state"},
    "picture": {
        "spacetime": "the timeline draws messages, --arrows I.b.5; senn report makes a page with all of them",
        "tracking": "the control loop is an experiment now, python -m experiments control in a checkout",
        "search": "--json of senn optimise has the history of a search and its bounds",
        "scores": "give the runs to a study, and its table to senn study --plot",
        "moment": "the page of senn report replays a run cycle by cycle; run.at(cycle) is its state",
    },
    "option": {
        "plot --level": "it belonged to --kind spacetime; senn report shows messages level by level",
        "plot --cycle": "it belonged to --kind moment; the page of senn report replays a run cycle by cycle",
        "retime --allow-code": "a run is timed anew from its own tables, no code runs; leave it out",
        "optimise --plot": "--json has the history of a search and its bounds",
    },
    "algorithm": {"lambda-both": "run lambda-inverse and lambda, by one elimination each"},
    "search": {
        "arrays": "give assignments of your own, --arrays I.b.4=2, and compare them by a study over arrays"
    },
}
"""Replacement by the kind of a choice and its former name."""

RENAMED: Mapping[str, str] = {
    "senn show": "senn explain RUN",
    "senn plot-arm": "senn plot PROBLEM --kind arm",
    "senn listing": "senn program",
    "senn calibrate": "senn new FILE.toml --calibrate",
    "senn view": "senn export RUN -o run.pftrace, a file that ui.perfetto.dev opens",
    **{f"senn {x}": f"python -m experiments {x}, in a checkout" for x in ("claims", "control", "crossovers")},
    "senn.listing": "senn.program",
    "senn.show": "senn.explain",
    "senn.plot_arm": "senn.problem(...).plot()",
    "senn.calibrate": "the command senn new FILE.toml --calibrate",
    "senn.claims": "experiments.claims.claims, in a checkout",
    "senn.crossovers": "python -m experiments crossovers, in a checkout",
    "senn.energy": 'senn.retime(run, set={"energy.like": MACHINE}).run().energy',
    "senn.control": "experiments.robot.control_loop.control, in a checkout",
    "senn.faults": "experiments.trust.injection.faults, in a checkout",
}
"""What former commands and names of Python are now."""


def former(kind: str, name: str) -> str | None:
    """Message with the replacement if a choice of this kind had this name.

    >>> former("format", "paje")
    'format "paje" is gone: write perfetto, a file that ends in .pftrace'
    """
    replacement = REPLACED.get(kind, {}).get(name)
    return f'{kind} "{name}" is gone: {replacement}' if replacement else None


def refuse_former(kind: str, name: str) -> None:
    """InputError with the replacement if a choice of this kind had this name."""
    if text := former(kind, name):
        raise InputError(text)
