"""What is sequential, O(log N) steps, and what optimal means."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise

from senn import words
from senn.algorithms.family import costs
from senn.algorithms.programs import star, variants
from senn.algorithms.programs.free import hybrid
from senn.choices import Residency
from senn.experiments.claims.claim import Claim, Finding, Row, Scope, Table, held
from senn.experiments.measuring import (
    ELIMINATION,
    REDUCTION,
    RESIDENCIES,
    Trial,
    cycles,
    machine,
    makespans,
    measured,
    placed,
    ratio,
    timeless,
)
from senn.machine.model import Machine
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Program
from senn.traces import analysis

SETTLED = 16
"""From this n on all parts of the program are there at every level; growth is judged from here."""
_MORE = Fraction(101, 100)
_DATA = (("migrating", "migrating data"), ("home", "data at home"))

SEQUENTIAL = Claim(
    name="strictly-sequential",
    place="I",
    says=(
        "The O(N) algorithms are strictly sequential, that is, parallelism in their computation is bounded. "
        "The main bottleneck is the parallelization of the nonlinear recurrences for computation of the "
        "articulated-body inertia."
    ),
    experiment=(
        "What a doubling of n adds to the makespan, n = 16 to 256, data migrating: of the recurrence as a "
        "scan of star products (the links as two-ports, whose composition is associative); and of the "
        "same recurrence on one node, all the rest by scans (the hybrid), n up to 64."
    ),
    rule=(
        "Sequential on a machine if the last doubling of n adds more than one and a half times what the "
        "first one adds to the scan of star products."
    ),
    examine=lambda scope: _sequential(scope),
)

LOGARITHMIC = Claim(
    name="logarithmic-steps",
    place="VI.A, abstract",
    says="The whole solution is computed in a time of O(log N) + O(1) with O(N) processors.",
    experiment=(
        "Issued instructions and network steps of the three forms over n = 3, 4, 6, 8, ..., and cycles of "
        "the form paper on every machine, with data migrating and at home."
    ),
    rule=(
        "Steps: all counts lie on a M + b, M = log2 n rounded up, without a residual. Cycles: on every "
        "machine no doubling of n from 16 on adds more than 1.01 times what the first one adds."
    ),
    examine=lambda scope: _logarithmic(scope),
)

OPTIMAL = Claim(
    name="optimal",
    place="abstract, VI.A, VII",
    says=(
        "A both time- and processor-optimal parallel algorithm: the time lower bound of O(log N) with O(N) "
        "processors."
    ),
    experiment=(
        "The form paper on the machine with a free network, one cycle per operation, 2 n processors; against "
        "the operations of the best serial solution and those that all processors execute."
    ),
    rule=(
        "Time: no doubling of n from 16 on adds more than 1.01 times what the first one adds; any way needs "
        "log2 n steps, as every tau_i enters every qdd_i. Work: processors x time over serial work stays "
        "within 1.1 of its value at n = 16."
    ),
    examine=lambda scope: _optimal(scope),
)


def _sequential(scope: Scope) -> Finding:
    programs = {"star products": (star.program, 256), "on one node": (hybrid.program, 64)}
    rows: list[Row] = []
    for name in scope.machines:
        for label, (program, largest) in programs.items():
            sizes = [n for n in scope.sizes if SETTLED <= n <= largest]
            taken = [_taken(program, n, name) for n in sizes]
            added = [after - before for before, after in pairwise(taken)]
            rows.append(
                {"machine": name, "recurrence": label, f"n = {SETTLED}": taken[0]}
                | {"first doubling": added[0], "last doubling": added[-1]}
                | {"last/first": ratio(added[-1], added[0])}
            )
    scanned = [row for row in rows if row["recurrence"] == "star products"]
    serial = [row["last/first"] for row in rows if row["recurrence"] == "on one node"]
    most = max(row["last/first"] for row in scanned)
    because = (
        "What a link does to the links inside of it depends on them only through its two ends, and two such "
        "two-ports are one: no term of the recurrence needs to be known before the next is begun. The last "
        f"doubling adds at most {most} times what the first one adds; with the recurrence on one node "
        f"{min(serial)} to {max(serial)} times."
    )
    sequential = held(scanned, "machine", lambda row: row["last/first"] > 1.5)
    return Finding(sequential, "the machine is {}", because, (Table("Makespan, cycles", rows),))


@cache
def _taken(program: Callable[[int], Program], n: int, name: str) -> int:
    on = machine(name)
    return int(words.timed(_placed(program, n, timeless(on)), on).summary["makespan"])


@cache
def _placed(program: Callable[[int], Program], n: int, on: Machine) -> Schedule:
    return words.placed(program(n), on)


def _logarithmic(scope: Scope) -> Finding:
    counts = [_law(scope, form, residency) for form in variants.FORMS for residency in RESIDENCIES]
    growth = [_growth(scope, name, residency) for residency in RESIDENCIES for name in scope.machines]
    cases = {"instructions": all(row["instructions off by"] == 0 for row in counts)}
    for residency, data in _DATA:
        rows = [row for row in counts if row["residency"] == residency]
        cases[f"network steps of {data}"] = all(row["network steps off by"] == 0 for row in rows)
    for residency, data in _DATA:
        worst = max(row["most/first"] for row in growth if row["residency"] == residency)
        cases[f"cycles with {data}"] = worst <= _MORE
    home = max(growth, key=lambda row: (row["residency"] == "home", row["most/first"]))
    return Finding(
        cases=cases,
        when="{} are counted",
        because=(
            "Migrating, every level costs the same: partners are neighbours at every level. At home they are "
            f"2^(j-1) apart and their messages meet: on {home['machine']} a doubling of n adds up to "
            f"{home['most/first']:.1f} times what the first one adds."
        ),
        figures=(
            Table(f"Laws over n = 3..{scope.sizes[-1]}", counts),
            Table("Cycles that a doubling of n adds", growth),
        ),
    )


def _law(scope: Scope, form: str, residency: Residency) -> Row:
    sizes = sorted({*scope.sizes, *(3 * m // 4 for m in scope.few)})
    schedules = [placed(Trial(n, "ideal", form, residency)) for n in sizes]
    levels = [one.program.levels for one in schedules]
    arrays = [analysis.fit(levels, [len(one.tasks[k]) for one in schedules]) for k in (0, 1)]
    network = analysis.fit(levels, [one.network_steps() for one in schedules])
    return {
        "form": form,
        "residency": residency,
        "array 1": str(arrays[0]),
        "array 2": str(arrays[1]),
        "instructions off by": ratio(max(law.residual for law in arrays), 1),
        "network steps": str(network) if network.residual == 0 else "no line",
        "network steps off by": ratio(network.residual, 1),
    }


def _growth(scope: Scope, name: str, residency: Residency) -> Row:
    """What the first and the last doubling of n from SETTLED on add to the makespan."""
    trials = [Trial(n, name, residency=residency) for n in scope.sizes if n >= SETTLED]
    times = {trial.n: taken for trial, taken in makespans(trials).items()}
    added = [times[2 * n] - times[n] for n in times if 2 * n in times]
    return {
        "machine": name,
        "residency": residency,
        "first doubling": added[0],
        "last doubling": added[-1],
        "most/first": ratio(max(added), added[0]),
    }


def _optimal(scope: Scope) -> Finding:
    rows = []
    for n in scope.sizes:
        run, reduced = (measured(Trial(n, "ideal", elimination=kind)) for kind in (ELIMINATION, REDUCTION))
        serial = min(cycles(count(n), machine("ideal")) for count in costs.CLOSED.values())
        rows.append(
            {
                "n": n,
                "cycles": run.makespan,
                "serial": serial,
                "processors x cycles / serial": ratio(2 * n * run.makespan, serial),
                "operations executed / serial": ratio(run.flops, serial),
                "by reduction": ratio(reduced.flops, serial),
            }
        )
    settled = [row for row in rows if row["n"] >= SETTLED]
    added = [after["cycles"] - before["cycles"] for before, after in pairwise(settled)]
    first, last = (settled[k]["processors x cycles / serial"] for k in (0, -1))
    executed = settled[-1]["operations executed / serial"] / settled[0]["operations executed / serial"]
    reduced_growth = settled[-1]["by reduction"] / settled[0]["by reduction"]
    return Finding(
        cases={
            "time and processors are counted apart": max(added) <= _MORE * added[0],
            "their product is compared with the serial work": last <= 1.1 * first,
        },
        when="{}",
        because=(
            f"A doubling of n adds {added[-1]:,} cycles. But all rows take part at all levels, which is "
            f"work of order n log n: from n = {settled[0]['n']} to {settled[-1]['n']} processors x time "
            f"grows from {first:.3g} to {last:.3g} times the serial work. Of what is really executed, the "
            f"share per serial operation grows {executed:.2g} times; by odd-even reduction "
            f"{reduced_growth:.2g}."
        ),
        figures=(Table("Free network, one cycle per operation, 2 n processors", rows),),
    )
