"""Section VI.C's first strategy: parallelism inside matrix-vector operations."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from senn.algorithms.programs import variants
from senn.experiments.claims.claim import Claim, Finding, Row, Scope, Table, either, held
from senn.experiments.measuring import machine, ratio, timeless
from senn.machine.model import Machine
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Compute
from senn.machine.rewrite import on_units
from senn.words import placed, timed

FINE_UNITS = Claim(
    name="fine-grain-strategy",
    place="VI.C",
    says=(
        "A first possible strategy is to exploit fine-grain parallelism in various matrix-vector operations. "
        "However, this would require the implementation of the algorithm on special-purpose parallel "
        "architectures. Here, we consider a second strategy based on a coarse-grain computation."
    ),
    experiment=(
        "The form paper on nodes with k = 1 to 36 arithmetic units, and with any number, which share every "
        "operation of a process, n = 8 and 32, data migrating: each matrix-vector operation in a schedule of "
        "its own scalar operations, longest chain first, and its sums in the order in which one unit makes "
        "them. And N nodes of two units against the second strategy's 2N nodes of one."
    ),
    rule=(
        "As said on a machine: at both n, 2N arithmetic units are faster as a second array than as a second "
        "unit in every node of one."
    ),
    examine=lambda scope: _units(scope),
)

UNITS = (1, 2, 4, 9, 36)
ANY = 10**6
"""More than any kernel has operations."""
_SIZES = (8, 32)


def _units(scope: Scope) -> Finding:
    rows: list[Row] = []
    gains: list[Row] = []
    for name in scope.machines:
        for n in (n for n in scope.few if n in _SIZES):
            taken = {units: _makespan(name, n, 2, units) for units in (*UNITS, ANY)}
            fine = _makespan(name, n, 1, 2)
            first = {"machine": name, "n": n}
            rows.append(
                {
                    **first,
                    "2 units in N nodes": fine,
                    "2N nodes": taken[1],
                    "2N/2 units": ratio(taken[1], fine),
                }
            )
            gains.append(
                first
                | {f"k = {units}": ratio(taken[1], taken[units]) for units in UNITS[1:]}
                | {"any k": ratio(taken[1], taken[ANY])}
            )
    said = held(rows, "machine", lambda row: row["2N nodes"] < row["2 units in N nodes"])
    other = [name for name, holds in said.items() if not holds]
    most = [row["any k"] for row in gains]
    reached = [ratio(row["k = 36"], row["any k"]) for row in gains]
    because = (
        f"With any number of units in each of 2N nodes it is {min(most)} to {max(most)} times as fast: what "
        "is left are messages, and the longest chain of every operation. 36 units have "
        f"{min(reached):.0%} of that or more."
    )
    if other:
        because += f" On {either(other)} two units in a node do more than a second array."
    figures = (
        Table("2N arithmetic units: makespan, cycles", rows),
        Table("How many times as fast 2N nodes are with k units each", gains),
        Table("A level of Step I.b: operations that follow each other, each taking as long", _level()),
    )
    return Finding(said, "the machine is {}", because, figures)


@cache
def _level() -> list[Row]:
    """What an interior process computes in the first level of Step I.b."""
    shared = {k: on_units(variants.closed_chain(_SIZES[0]), k, (1, 1, 1, 1)) for k in (*UNITS, ANY)}
    level = [
        [
            line
            for line in one.streams[0]
            if isinstance(line, Compute) and line.step.startswith("I.b") and line.level == 1
        ]
        for one in shared.values()
    ]
    titles = ["all", *(f"k = {k}" for k in UNITS[1:]), "any k"]
    return [
        {"step": lines[0].step, "computes": str(lines[0])}
        | {
            title: line.expression.operations(line.expression.kernels[0]).flops
            for title, line in zip(titles, lines, strict=True)
        }
        for lines in zip(*level, strict=True)
    ]


@cache
def _makespan(name: str, n: int, arrays: int, units: int) -> int:
    """Of the form paper, where every node has so many arithmetic units."""
    on = machine(name)
    times = (on.timing.multiply, on.timing.add, on.timing.divide, on.timing.trig)
    proportions = tuple(Fraction(time) / (sum(times) or 1) for time in times)
    return int(timed(_placed(n, arrays, units, proportions, timeless(on)), on).summary["makespan"])


@cache
def _placed(n: int, arrays: int, units: int, times: tuple[Fraction, ...], on: Machine) -> Schedule:
    return placed(on_units(variants.closed_chain(n, arrays=arrays), units, times), on)
