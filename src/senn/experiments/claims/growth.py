"""Claims on growth with n and on strategies: sequential, O(log N), optimal; who computes, which pivots."""

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
from senn.experiments.claims.claim import Finding, Row, Scope, Table, cases_by, claim
from senn.experiments.measuring import (
    ELIMINATION,
    REDUCTION,
    RESIDENCIES,
    MachineName,
    Trial,
    cycles,
    machine,
    makespans,
    measured,
    placed,
    program,
    ratio,
    survey,
    timeless,
    work,
)
from senn.machine.model import Machine
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Program
from senn.traces import analysis

SETTLED = 16
"""Smallest n at which every level has all parts of the program; growth is judged from here."""
_MORE = Fraction(101, 100)
_DATA = (("migrating", "migrating data"), ("home", "data at home"))


@claim(
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
)
def strictly_sequential(scope: Scope) -> Finding:
    programs = {"star products": (star.program, 256), "on one node": (hybrid.program, 64)}
    rows: list[Row] = []
    for name in scope.machines:
        for label, (write, largest) in programs.items():
            sizes = [n for n in scope.sizes if SETTLED <= n <= largest]
            times = [_makespan(write, n, name) for n in sizes]
            added = [after - before for before, after in pairwise(times)]
            rows.append(
                {"machine": name, "recurrence": label, f"n = {SETTLED}": times[0]}
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
    sequential = cases_by("machine", scanned, lambda row: row["last/first"] > 1.5)
    return Finding(sequential, "the machine is {}", because, (Table("Makespan, cycles", rows),))


@cache
def _makespan(write: Callable[[int], Program], n: int, name: MachineName) -> int:
    model = machine(name)
    return int(words.timed(_placed(write, n, timeless(model)), model).summary["makespan"])


@cache
def _placed(write: Callable[[int], Program], n: int, machine: Machine) -> Schedule:
    return words.placed(write(n), machine)


@claim(
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
)
def logarithmic_steps(scope: Scope) -> Finding:
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
    levels = [schedule.program.levels for schedule in schedules]
    arrays = [analysis.fit(levels, [len(schedule.tasks[k]) for schedule in schedules]) for k in (0, 1)]
    network = analysis.fit(levels, [schedule.network_steps() for schedule in schedules])
    return {
        "form": form,
        "residency": residency,
        "array 1": str(arrays[0]),
        "array 2": str(arrays[1]),
        "instructions off by": ratio(max(law.residual for law in arrays), 1),
        "network steps": str(network) if network.residual == 0 else "no line",
        "network steps off by": ratio(network.residual, 1),
    }


def _growth(scope: Scope, name: MachineName, residency: Residency) -> Row:
    """Cycles that the first and the last doubling of n from SETTLED on add to the makespan."""
    trials = [Trial(n, name, residency=residency) for n in scope.sizes if n >= SETTLED]
    times = {trial.n: cycles for trial, cycles in makespans(trials).items()}
    added = [times[2 * n] - times[n] for n in times if 2 * n in times]
    return {
        "machine": name,
        "residency": residency,
        "first doubling": added[0],
        "last doubling": added[-1],
        "most/first": ratio(max(added), added[0]),
    }


@claim(
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
)
def optimal(scope: Scope) -> Finding:
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


# ------------------------------------------------------------
# Section VI.B: who computes a term, and which rows are pivots.


FORMS = ("paper", "short")


@claim(
    name="strategy-two",
    place="VI.B",
    says=(
        "The second strategy not only leads to a greater computational efficiency but, more importantly, it "
        "also provides a high degree of overlapping between the computation and the communication."
    ),
    experiment=(
        "The form paper with strategy 2 (the owner of an inverse computes what needs it) and with "
        "strategy 1 (the owner of a row does), data migrating: operations of an interior process, exposed "
        "stall of array 1 in Step I.b, makespan."
    ),
    rule=(
        "Computation: strategy 2 needs fewer operations in Step I.b at every n. Overlap, by machine: it "
        "exposes no more cycles in Step I.b at any n, and less at some."
    ),
)
def strategy_two(scope: Scope) -> Finding:
    rows: list[Row] = []
    for name in scope.machines:
        for n in scope.few:
            second, first = (Trial(n, name, strategy=strategy) for strategy in (2, 1))
            runs = survey([second, first])
            rows.append(
                {
                    "machine": name,
                    "n": n,
                    "exposed, 2": runs[second].exposed("I.b"),
                    "exposed, 1": runs[first].exposed("I.b"),
                    "makespan, 2": runs[second].makespan,
                    "makespan, 1": runs[first].makespan,
                    "1/2": ratio(runs[first].makespan, runs[second].makespan),
                }
            )
    counted = [_operations(n) for n in scope.few]
    cases = {"operations": all(row["strategy 2"] < row["strategy 1"] for row in counted)}
    for name, hides in cases_by("machine", rows, lambda row: row["exposed, 2"] <= row["exposed, 1"]).items():
        of_machine = [row for row in rows if row["machine"] == name]
        if any(row["exposed, 1"] for row in of_machine):
            less = any(row["exposed, 2"] < row["exposed, 1"] for row in of_machine)
            cases[f"exposed stalls on {name}"] = hides and less
    gains = [row["1/2"] for row in rows]
    more = counted[-1]["strategy 1"] - counted[-1]["strategy 2"]
    because = (
        f"Strategy 1 factors two blocks where strategy 2 factors one: {more:,} operations more at n = "
        f"{scope.few[-1]}, {ratio(100 * more, counted[-1]['strategy 2'])} %. And it waits for 80 words "
        f"before a level can begin. In the makespan the advantage of strategy 2 is {min(gains):.3g} to "
        f"{max(gains):.3g}: where array 2 ends last it is nothing."
    )
    figures = (
        Table("Operations of an interior process in Step I.b", counted),
        Table("Exposed stalls in Step I.b, and makespan, by strategy", rows),
    )
    return Finding(cases, "{} are counted", because, figures)


def _operations(n: int) -> Row:
    by_strategy = {f"strategy {k}": work(program(Trial(n, strategy=k)), 1, "I.b").flops for k in (2, 1)}
    return {"n": n, **by_strategy}


@claim(
    name="elimination",
    place="VI.B",
    says=(
        "Odd-even elimination, while less efficient than odd-even reduction for serial computation, provides "
        "additional parallelism in both computation and communication."
    ),
    experiment=(
        "Both eliminations in the forms paper and short, data migrating: operations that all lanes execute, "
        "instructions, messages, makespan."
    ),
    rule=(
        "At an n: reduction executes fewer operations and elimination has the shorter makespan, in both "
        "forms and on every machine."
    ),
)
def elimination(scope: Scope) -> Finding:
    rows: list[Row] = []
    for form in FORMS:
        for name in scope.machines:
            for n in scope.few:
                whole, half = (Trial(n, name, form, elimination=kind) for kind in (ELIMINATION, REDUCTION))
                runs = survey([whole, half])
                rows.append(
                    {
                        "form": form,
                        "machine": name,
                        "n": n,
                        "operations, elimination": runs[whole].flops,
                        "operations, reduction": runs[half].flops,
                        "makespan, elimination": runs[whole].makespan,
                        "makespan, reduction": runs[half].makespan,
                        "reduction/elimination": ratio(runs[half].makespan, runs[whole].makespan),
                    }
                )
    cases = cases_by(
        "n",
        rows,
        lambda row: (
            row["operations, reduction"] < row["operations, elimination"]
            and row["makespan, elimination"] < row["makespan, reduction"]
        ),
    )
    last = rows[-1]
    saved = ratio(last["operations, elimination"], last["operations, reduction"])
    gains = {form: [row["reduction/elimination"] for row in rows if row["form"] == form] for form in FORMS}
    because = (
        f"Reduction executes {saved} times fewer operations at n = {last['n']}, but an array is as slow as "
        "its one active lane, and the solution has to go back through all levels. Its makespan is "
        f"{min(gains['short']):.3g} to {max(gains['short']):.3g} times that of elimination in the form "
        f"short, {min(gains['paper']):.3g} to {max(gains['paper']):.3g} times in the form paper, where "
        "Theta needs no way back."
    )
    return Finding(cases, "n is {}", because, (Table("Data migrating", rows),))
