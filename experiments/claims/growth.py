"""Claims on growth with n, and on strategies: sequential, O(log N), optimal; who computes, which pivots."""

from __future__ import annotations

from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

from experiments.claims.claim import *  # the words of a claim
from experiments.measuring import *  # trials, and what is measured of them
from experiments.paper.crossovers import ERAS, serial_cycles
from senn.algorithms.blocks import times
from senn.algorithms.kernels import two_ports
from senn.algorithms.programs import star, variants
from senn.algorithms.spatial import Numbers
from senn.choices import Residency
from senn.machine.program import interior
from senn.traces import analysis

SETTLED = 16
"""Smallest n at which every level has all parts of the program; growth is judged from here."""
_MORE = 1.01
_ROUNDING = 1e-10


class TwoPort(NamedTuple):
    """A span of links: A (6, 6), C and J (21,), packed; `kernels.two_ports` has the equations."""

    a: Numbers
    c: Numbers
    j: Numbers


def composed(x: TwoPort, y: TwoPort) -> TwoPort:
    """The span x with the span y behind it."""
    k = two_ports.close.evaluate(x.c, y.j)
    inner = two_ports.through.evaluate(k, x.a)
    return TwoPort(
        times(y.a, inner),
        two_ports.compliance_behind.evaluate(y.c, y.a, k),
        two_ports.inertia_behind.evaluate(x.j, x.a, y.j, inner),
    )


def random_ports(count: int, seed: int) -> TwoPort:
    """Two-ports with any A, and C and J positive definite."""
    rng = np.random.default_rng(seed)
    lower = np.tril_indices(6)
    symmetric = [root @ root.swapaxes(1, 2) for root in rng.standard_normal((2, count, 6, 6))]
    return TwoPort(rng.standard_normal((count, 6, 6)), *(whole[:, *lower] for whole in symmetric))


@claim
def strictly_sequential(scope: Scope) -> Finding:
    x, y, z = (random_ports(1000, seed) for seed in range(3))
    left, right = composed(composed(x, y), z), composed(x, composed(y, z))
    error = max(
        float((np.abs(p - q).reshape(1000, -1).max(1) / np.abs(p).reshape(1000, -1).max(1)).max())
        for p, q in zip(left, right, strict=True)
    )
    rows = [{"n": n, "steps one by one": n - 1, "levels": star.program(n).levels} for n in scope.sizes]
    logarithmic = all(row["levels"] == (row["n"] - 1).bit_length() for row in rows)
    effect = f"{rows[-1]['levels']} levels at n = {rows[-1]['n']:,}, not {rows[-1]['steps one by one']:,}"
    figures = (Table(f"Levels; (x y) z and x (y z) differ by at most {error:.0e}", rows),)
    if error > _ROUNDING or not logarithmic:
        return Finding(Verdict("untestable", "not refuted", effect), figures)
    return Finding(Verdict("fails", "composition of two-ports is associative", effect), figures)


@claim
def logarithmic_steps(scope: Scope) -> Finding:
    counts = [_law(scope, *case) for case in product(variants.FORMS, RESIDENCIES)]
    growth = [_growth(scope, name, residency) for residency, name in product(RESIDENCIES, scope.machines)]
    straight = cases_by("residency", counts, lambda row: row["off by"] == 0)
    judged = {str(row["machine"]) for row in judged_rows(growth)}
    level = cases_by("residency", judged_rows(growth), lambda row: row["most/first"] <= _MORE)
    cases: dict[str, bool] = {name: straight[name] and level[name] for name in RESIDENCIES}
    good = [name for name, holds in cases.items() if holds]
    effect = f"{counts[1]['array 1']} instructions of array 1"
    figures = (
        Table(f"Laws over n = 3..{scope.sizes[-1]}", counts),
        Table("Cycles that a doubling of n adds", growth),
    )
    where = f"data {' or '.join(good)}, {AT_COSTS.format(every(judged, 'machines'))}"
    return Finding(Verdict("holds" if good else "fails", where if good else "", effect, cases), figures)


def _law(scope: Scope, form: str, residency: Residency) -> Row:
    sizes = sorted({*scope.sizes, *(3 * m // 4 for m in scope.few)})
    schedules = [placed(Trial(n, "ideal", form, residency)) for n in sizes]
    levels = [schedule.program.levels for schedule in schedules]
    arrays = [analysis.fit(levels, [len(schedule.tasks[k]) for schedule in schedules]) for k in (0, 1)]
    network = analysis.fit(levels, [schedule.network_steps() for schedule in schedules])
    return {"form": form, "residency": residency, "array 1": str(arrays[0]), "array 2": str(arrays[1])} | {
        "network steps": str(network) if network.residual == 0 else "no line",
        "off by": ratio(max(law.residual for law in (*arrays, network)), 1),
    }


def _growth(scope: Scope, name: MachineName, residency: Residency) -> Row:
    """Cycles that the first and the last doubling of n from SETTLED on add to the makespan."""
    trials = [Trial(n, name, residency=residency) for n in scope.sizes if n >= SETTLED]
    times = {trial.n: cycles for trial, cycles in makespans(trials).items()}
    added = [times[2 * n] - times[n] for n in times if 2 * n in times]
    row: Row = {"machine": name, "residency": residency, "first doubling": added[0]}
    return {**row, "last doubling": added[-1], "most/first": ratio(max(added), added[0])}


@claim
def optimal(scope: Scope) -> Finding:
    rows: list[Row] = []
    product_of = "processors x cycles / serial, {}"
    for n in scope.sizes:
        run, reduced = (measured(Trial(n, "ideal", elimination=kind)) for kind in (ELIMINATION, REDUCTION))
        serial = {era: min(serial_cycles("ideal", n, era).values()) for era in ERAS}
        rows.append(
            {"n": n, "cycles": run.makespan}
            | {product_of.format(era): ratio(2 * n * run.makespan, x) for era, x in serial.items()}
            | {"operations executed / serial, 1993": ratio(run.flops, serial["1993"])}
            | {"by reduction": ratio(reduced.flops, serial["1993"])}
        )
    settled = [row for row in rows if row["n"] >= SETTLED]
    added = [after["cycles"] - before["cycles"] for before, after in pairwise(settled)]
    law = analysis.fit([(row["n"] - 1).bit_length() for row in settled], [row["cycles"] for row in settled])

    def against(era: str) -> Verdict:
        first, last = (settled[k][product_of.format(era)] for k in (0, -1))
        halves = {"time": max(added) <= _MORE * added[0], "processors": last <= 1.1 * first}
        condition = ", ".join(f"{'' if holds else 'not '}optimal in {half}" for half, holds in halves.items())
        effect = f"2 n ({law}) over serial work: {first} at n = 16, {last} at n = {settled[-1]['n']:,}"
        return Verdict("holds" if all(halves.values()) else "fails", condition, effect, halves)

    figures = (Table("Free messages, one cycle per operation", rows),)
    return Finding(against("1993"), figures, against("today"))


# ------------------------------------------------------------
# Section VI.B: who computes a term, and which rows are pivots.


@claim
def strategy_two(scope: Scope) -> Finding:
    rows: list[Row] = []
    for name, n in product(scope.machines, scope.few):
        second, first = (Trial(n, name, strategy=strategy) for strategy in (2, 1))
        runs = survey([second, first])
        operations = [work(program(trial), 1, "I.b").flops for trial in (second, first)]
        exposed = [runs[trial].exposed("I.b") for trial in (second, first)]
        rows.append(
            {"machine": name, "n": n, "operations, 2": operations[0], "operations, 1": operations[1]}
            | {"exposed, 2": exposed[0], "exposed, 1": exposed[1]}
            | {"makespan, 1/2": ratio(runs[first].makespan, runs[second].makespan)}
        )
    cheaper = cases_by("machine", rows, lambda row: row["operations, 2"] < row["operations, 1"])
    calmer = cases_by("machine", rows, lambda row: row["exposed, 2"] <= row["exposed, 1"])
    less = {str(row["machine"]) for row in rows if row["exposed, 2"] < row["exposed, 1"]}
    cases = {name: cheaper[name] and calmer[name] and name in less for name in cheaper}
    effect = span(rows, "makespan, 1/2", "times as fast as strategy 1")
    return Finding(decided(cases, effect, AT_COSTS, "machines"), (Table("Step I.b, by strategy", rows),))


@claim
def elimination(scope: Scope) -> Finding:
    rows: list[Row] = []
    for n in scope.few:
        row: dict[str, int | float] = {"n": n}
        for label, kind in (("elimination", ELIMINATION), ("reduction", REDUCTION)):
            trial = Trial(n, "ideal", elimination=kind)
            run, schedule = measured(trial), placed(trial)
            in_sequence = sum(interior(stream, "").flops for stream in schedule.program.streams)
            row |= {
                f"operations, {label}": run.flops,
                f"lanes, {label}": ratio(run.flops, in_sequence),
                f"messages a step, {label}": ratio(len(schedule.messages), schedule.network_steps()),
                f"makespan if messages are free, {label}": run.makespan,
            }
        rows.append(row)
    quantities = ("operations", "lanes", "messages a step")
    cases = {
        name: all(row[f"{name}, elimination"] > row[f"{name}, reduction"] for row in rows)
        for name in quantities
    }
    last = rows[-1]
    lanes, messages = (last[f"{x}, elimination"] / last[f"{x}, reduction"] for x in quantities[1:])
    effect = f"{lanes:.3g} times the lanes, {messages:.3g} times the messages a step, at n = {last['n']}"
    return Finding(decided(cases, effect, "by {}", "counts"), (Table("Form paper, data migrating", rows),))
