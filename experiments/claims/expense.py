"""Claims on expense and speed: Lambda^-1, one processor, redundant arms, nodes with their own control."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple
from functools import cache
from itertools import product

import numpy as np

from experiments import costs
from experiments.claims.claim import *  # the words of a claim
from experiments.claims.factors import PROJECTIONS
from experiments.claims.networks import OTHERS
from experiments.measuring import *  # trials, and what is measured of them
from experiments.paper.crossovers import ERAS, race, serial_cycles
from senn.algorithms import problems
from senn.algorithms.catalogue import algorithm
from senn.algorithms.programs import variants
from senn.algorithms.programs.free import inverse_dynamics
from senn.algorithms.programs.numerics import memory
from senn.api.programs import timed
from senn.machine.engines import lockstep
from senn.machine.program import Operations

_PUBLISHED = 224 + 205
"""Operations per link, as Featherstone and Orin (2000) quote McMillan and Orin (1995)."""
_SAME = 1e-9


@claim
def lambda_dearer(scope: Scope) -> Finding:
    verdicts, tables = [], []
    apart = _difference()
    for form, how in (("paper", "by a sweep of six columns"), ("short", "off the last pivot")):
        rows: list[Row] = []
        for n in scope.sizes:
            program = variants.closed_chain(n, form)
            flops = [work(program, 1, "I.c").flops, work(program, 2, "II.c", "II.d").flops]
            sent = [words(program, 1, "I.c"), words(program, 2, "II.c", "II.d")]
            rows.append(
                {"n": n, "operations I.c": flops[0], "II.c, II.d": flops[1], "ratio": ratio(*flops)}
                | {"words I.c": sent[0], "words II.c, II.d": sent[1], "ratio of words": ratio(*sent)}
            )
        dearer = all(min(row["ratio"], row["ratio of words"]) > 1 for row in rows)
        effect = f"{rows[-1]['ratio']} times the operations at n = {rows[-1]['n']:,}"
        verdicts.append(Verdict("holds" if dearer else "fails", how, effect))
        tables.append(Table(f"An interior process, form {form}; both ways differ by {apart:.0e}", rows))
    return Finding(verdicts[0], tuple(tables), verdicts[1] if apart < _SAME else None)


def _difference() -> float:
    """Largest difference of Lambda^-1 between the forms paper and short, over its largest entry."""
    problem = problems.load("random:16")
    inverses = []
    for form in ("paper", "short"):
        run = lockstep.simulate(placed(Trial(16, "ideal", form)), machine("ideal"), memory(problem))
        inverses.append(np.asarray(run.result["lambda_inverse"], dtype=np.float64))
    return float(np.abs(inverses[0] - inverses[1]).max() / np.abs(inverses[0]).max())


@claim
def serial_cost(scope: Scope) -> Finding:
    ours, best = costs.constraint_forces(1), _per_link(costs.open_chain)
    rows = [
        {"against articulated bodies": "as executed here", **_row(ours, best.flops)},
        {"against articulated bodies": "as published", **_row(ours, _PUBLISHED)},
    ]
    effect = f"{rows[0]['ratio']} times the operations a link as executed here"
    verdict = Verdict("untestable", "the two counts are in [13,14], which we do not have", effect)
    return Finding(verdict, (Table("Open chain, per link", rows),))


@claim
def serial_cost_closed(scope: Scope) -> Finding:
    open_ = ratio(costs.constraint_forces(1).flops, _per_link(costs.open_chain).flops)
    rivals = {"articulated bodies": "articulated bodies", "articulated bodies outward": "outward"}
    ways = {
        "six right-hand sides": costs.constraint_forces(2, columns=6),
        "the last pivot": costs.constraint_forces(1, tips=1),
    }
    rows = [
        {"Lambda^-1 by": way, "over": rival, **_row(count, _per_link(costs.CLOSED[best]).flops)}
        for (rival, best), (way, count) in product(rivals.items(), ways.items())
    ]
    then, today = (
        Verdict(
            "holds" if row["ratio"] < open_ else "fails",
            f"by {row['Lambda^-1 by']}, over {row['over']}",
            f"{row['ratio']} times the operations a link, open chain {open_}",
        )
        for row in (rows[0], rows[-1])
    )
    return Finding(then, (Table(f"Closed chain, per link; open chain: {open_}", rows),), today)


@claim
def other_projections(scope: Scope) -> Finding:
    counts = {name: projection.operations() for name, projection in PROJECTIONS.items()}
    papers, *others = counts
    rows: list[Row] = [
        {"projected on": name, "multiply": count.multiply, "add": count.add, "sine, cosine": count.trig}
        | {"all": count.flops, "over frame i": ratio(count.flops, counts[papers].flops)}
        for name, count in counts.items()
    ]
    least = min(others, key=lambda name: counts[name].flops)
    effect = f"{counts[least].flops} operations for A_i and B_i of a link, in frame i {counts[papers].flops}"
    figures = (Table("Step I.a, a link", rows),)
    if counts[least].flops <= counts[papers].flops:
        return Finding(Verdict("fails", f"counterexample: {least}", effect), figures)
    return Finding(Verdict("untestable", f"{len(others)} other frame is not all", effect), figures)


def _row(ours: Operations, best: int) -> Row:
    all_ = ours.flops
    return {"multiply": ours.multiply, "add": ours.add, "all": all_, "best": best, "ratio": ratio(all_, best)}


def _per_link(count: Callable[[int], Operations]) -> Operations:
    """Operations that one more link adds."""
    more, less = astuple(count(1001)), astuple(count(1000))
    return Operations(*(a - b for a, b in zip(more, less, strict=True)))


# ------------------------------------------------------------
# How much faster than one node of the same machine: redundant arms, and nodes with control of their
# own.

_GAIN = 1.5
_LEAN = "today, form short"
_SIZES = (8, 32)


@claim
def redundant_arms(scope: Scope) -> Finding:
    rows: list[Row] = [
        {"machine": name, "n": n, "cycles": race(name, n).cycles}
        | {era: ratio(min(serial_cycles(name, n, era).values()), race(name, n).cycles) for era in ERAS}
        | {_LEAN: race(name, n, "short").speed_up}
        for name, n in product(scope.machines, (7, 25))
    ]
    station = [row for row in rows if row["n"] == 25]
    then, today = (by_machine(station, column, _GAIN.__le__, "times as fast") for column in ("1993", _LEAN))
    return Finding(then, (Table("Speed-up over the best serial solution", rows),), today)


@claim
def mimd_suitable(scope: Scope) -> Finding:
    rows: list[Row] = []
    for name, n in product(mimd(scope), _SIZES):
        parallel = makespan(_hypercube(name, n))
        gains = {era: ratio(min(serial_cycles(name, n, era).values()), parallel) for era in ERAS}
        rows.append({"machine": name, "n": n, "cycles": parallel, **gains})
    last = [row for row in rows if row["n"] == _SIZES[-1]]
    then, today = (by_machine(last, era, _GAIN.__le__, "times as fast") for era in ERAS)
    return Finding(then, (Table("Speed-up over one node", rows),), today)


def mimd(scope: Scope) -> list[MachineName]:
    """Machines whose nodes have control units of their own."""
    return [name for name in scope.machines if str(name) in MIMD]


def _hypercube(name: MachineName, n: int) -> Trial:
    """The form paper on MIMD hypercubes."""
    cube = OTHERS["hypercube"]
    settings = (("machine.control", "mimd"), *cube.settings)
    return Trial(n, name, residency="home", allocation=cube.allocation, settings=settings)


@cache
def _newton_euler(name: MachineName, n: int) -> int:
    """Makespan of Newton-Euler by scans on an MIMD hypercube."""
    trial = _hypercube(name, n)
    run = timed(inverse_dynamics.program(n), machine_of(trial), "home", trial.allocation)
    return int(run.summary["makespan"])


@claim
def newton_euler_on_mimd(scope: Scope) -> Finding:
    rows: list[Row] = []
    recursion = algorithm("inverse-dynamics-newton-euler").operations
    assert recursion is not None
    for name, n in product(mimd(scope), _SIZES):
        serial, parallel = machine(name).compute_cycles(*recursion(n)), _newton_euler(name, n)
        rows.append(
            {"machine": name, "n": n, "one node": serial, "n nodes": parallel}
            | {"speed-up": ratio(serial, parallel), "% of n": ratio(100 * serial, n * parallel)}
        )
    verdict = by_machine(rows, "% of n", lambda share: share < 25, "% efficiency on n nodes")
    return Finding(verdict, (Table("Newton-Euler on n nodes, each with control of its own: cycles", rows),))
