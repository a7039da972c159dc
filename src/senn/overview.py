"""Table of all algorithms of the catalogue with their steps and operations."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from senn.base import files
from senn.choices import MachineChoices, usual
from senn.traces.naming import over, total

if TYPE_CHECKING:
    from senn.algorithms.catalogue import Algorithm

IN_ALL = 32
"""Number of joints for which the operations of algorithms are compared."""
_FITTED = (8, 16, IN_ALL)
_DEGREE, _LARGEST = 4, 1000
"""Degree of a polynomial at most, and denominator of its coefficients."""


def catalogue(name: str | None = None) -> dict[str, dict[str, Any]]:
    """A row per algorithm by name, or the row of one: name, question, title, order, source, runs_on, contact,
    choices, steps, operations, total, operations_in_all.

    `steps`: issued instructions of each array and network steps as laws in M = log2 n rounded up, migrating
    data, revolute joints. `operations`: multiplications (m), additions (a), divisions (d), sines and cosines
    (t) of a serial algorithm for n revolute joints, as polynomials; `total`: their sum; `operations_in_all`:
    the sum for n = IN_ALL, on whatever nodes. Steps without a law are listed for n = 8/16/32. These four are
    read from overview.toml, or counted where an algorithm is not there; a test counts all anew.
    """
    from senn.algorithms import catalogue

    kept = files.toml(Path(__file__).with_suffix(".toml"))
    algorithms = catalogue.ALGORITHMS.values() if name is None else [catalogue.algorithm(name)]
    return {
        each.name: {
            **{key: getattr(each, key) for key in ("name", "question", "title", "order", "source")},
            "runs_on": "one node" if each.serial else "the machine",
            "contact": "in contact" if each.closed else "free tip",
            "choices": list(each.choices),
            **(kept.get(each.name) or counted(each)),
        }
        for each in algorithms
    }


def counted(algorithm: Algorithm) -> dict[str, str | int]:
    """The last four columns of `catalogue` for an algorithm, from its programs or its formulas."""
    if algorithm.operations is not None:
        in_all, counts = algorithm.operations(IN_ALL), [algorithm.operations(n) for n in _SIZES]
        fields = {"m": "multiply", "a": "add", "d": "divide", "t": "trig"}
        by_kind = {kind: [getattr(count, field) for count in counts] for kind, field in fields.items()}
        texts = (f"{kind} {polynomial(values, 'n')}" for kind, values in by_kind.items() if any(values))
        operations, flops = "; ".join(texts), polynomial([count.flops for count in counts], "n")
        return {"steps": "1", "operations": operations, "total": flops, "operations_in_all": in_all.flops}
    from senn.api.building import program_of
    from senn.api.programs import placed
    from senn.machine.engines.memory import executed
    from senn.machine.program.dataflow import flow

    options = usual(MachineChoices, algorithm=algorithm.name)
    flows = [flow(program_of(options, n)) for n in _FITTED]
    schedules = [placed(each) for each in flows]
    arrays = [[len(schedule.tasks[k]) for schedule in schedules] for k in range(len(schedules[0].tasks))]
    network = [schedule.network_steps() for schedule in schedules]
    steps = f"{', '.join(map(_line, arrays))}; network {_line(network)}"
    in_all = executed(flows[-1])
    return {"steps": steps, "operations": "", "total": "", "operations_in_all": in_all.flops}


def _line(counts: list[int]) -> str:
    """a M + b through the counts at M = 3, 4, 5."""
    slope = counts[1] - counts[0]
    if counts[2] - counts[1] != slope:
        return "/".join(map(str, counts))
    return polynomial([counts[0] + slope * (m - 3) for m in _SIZES], "M")


_SIZES = range(3, 12)
"""More than the five that a polynomial of degree 4 needs: the others check it."""


def polynomial(counts: list[int], letter: str) -> str:
    """The polynomial of degree 4 or less through the counts at 3, 4, ..., 11, as text: fitted, rounded to
    fractions, and exact at every count.

    >>> polynomial([n * (n + 1) // 2 - 3 for n in range(3, 12)], "n")
    'n^2/2 + n/2 - 3'
    """
    from numpy.polynomial.polynomial import polyfit

    fitted = polyfit(_SIZES, counts, _DEGREE).tolist()
    coefficients = [Fraction(x).limit_denominator(_LARGEST) for x in fitted]
    values = [sum(x * n**power for power, x in enumerate(coefficients)) for n in _SIZES]
    if values != counts:
        raise ValueError(f"the counts {counts} follow no polynomial of degree {_DEGREE}")
    letters = ["", letter, *(f"{letter}^{power}" for power in range(2, _DEGREE + 1))]
    terms = [(value, name) for value, name in zip(coefficients, letters, strict=True) if value]
    return total(terms[::-1], over)
