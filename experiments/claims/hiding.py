"""Claims on overlap: Step II hidden behind Step I, messages behind computation, waiting for A^M."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import get_args

from experiments.claims.claim import *  # the words of a claim
from experiments.measuring import *  # trials, and what is measured of them
from senn.algorithms.arm.letters import BIAS, WDOT, V, last
from senn.algorithms.programs import variants
from senn.choices import Residency
from senn.machine.program import Arrange, Compute, Instruction, Name, Program, Resident, Value, changed
from senn.machine.rewrite import keep


@claim
def step_two_hidden(scope: Scope) -> Finding:
    trials = (Trial(n, name) for name, n in product(scope.machines, scope.sizes))
    rows: list[Row] = []
    for trial, run in survey(trials).items():
        ends, arrived = run.end("II"), run.delivery("Lambda^-1")["arrived"]  # which array 2 waits for
        late = max(0, ends - arrived)
        rows.append(
            {"machine": trial.machine, "n": trial.n, "Step II ends": ends, "Lambda^-1 arrives": arrived}
            | {"late by": late, "late, %": ratio(100 * late, run.makespan)}
        )
    verdict = by_machine(rows, "late, %", lambda late: late == 0, "% of the makespan too late")
    return Finding(verdict, (Table("Form paper, data migrating: cycles", rows),))


@claim
def communication_hidden(scope: Scope) -> Finding:
    rows: list[Row] = []
    for name, n in product(scope.machines, scope.few):
        runs = survey(Trial(n, name, residency=residency) for residency in get_args(Residency))
        exposed: dict[str, int] = {trial.residency: run.exposed("I.b", "I.c") for trial, run in runs.items()}
        share = min(Fraction(run.exposed("I.b", "I.c"), run.end("I")) for run in runs.values())
        rows.append({"machine": name, "n": n, **exposed, "least, % of Step I": ratio(100 * share, 1)})
    verdict = by_machine(rows, "least, % of Step I", lambda share: share == 0, "% of Step I exposed")
    return Finding(verdict, (Table("Form paper: exposed stall of array 1 in I.b and I.c, cycles", rows),))


@claim
def inverse_inertias_early(scope: Scope) -> Finding:
    cases = product(scope.machines, RESIDENCIES, scope.sizes)
    rows: list[Row] = []
    for trial, run in survey(Trial(n, name, residency=kept) for name, kept, n in cases).items():
        inverses = run.delivery("(I_i)^-1")
        read = inverses["arrived"] + inverses["lead"]
        rows.append(
            {"machine": trial.machine, "residency": trial.residency, "n": trial.n}
            | {"arrives": inverses["arrived"], "least lead": inverses["lead"]}
            | {"arrives, % of the time until it is read": ratio(100 * inverses["arrived"], read)}
        )
    column = "arrives, % of the time until it is read"
    verdict = by_machine(rows, column, lambda share: share <= 50, column.removeprefix("arrives, "))
    return Finding(verdict, (Table("Form paper: cycles", rows),))


# ------------------------------------------------------------
# Who waits for whom: array 2 for A^M, and everything for Newton-Euler.


_FORCES = ("II.a", "II.b.1", "II.b.2")
"""Steps that compute F'_T."""


@claim
def diagonalisation_dearer(scope: Scope) -> Finding:
    counted: list[Row] = []
    for n in scope.sizes:
        whole = program(Trial(n))
        counted.append(
            {"n": n, "operations I.b": work(whole, 1, "I.b").flops}
            | {"operations to F'_T": work(whole, 2, *_FORCES).flops}
            | {"words I.b": words(whole, 1, "I.b"), "words to F'_T": words(whole, 2, *_FORCES)}
        )
    pairs = product(counted, ("operations", "words"))
    dearer = all(row[f"{quantity} I.b"] > row[f"{quantity} to F'_T"] for row, quantity in pairs)
    rows: list[Row] = []
    for trial, run in survey(Trial(n, name) for name in scope.machines for n in scope.sizes).items():
        ready, arrived = run.end("II.b"), run.delivery("LDL")["arrived"]
        rows.append(
            {"machine": trial.machine, "n": trial.n, "X^2 ready": ready, "A^M arrives": arrived}
            | {"A^M/X^2": ratio(arrived, ready)}
        )
    unit = "times as long until A^M as until X^2"
    waits = by_machine(rows, "A^M/X^2", lambda quotient: dearer and quotient > 1, unit)
    figures = (
        Table("An interior process: Step I.b, and the way to F'_T", counted),
        Table("Form paper, data migrating: cycles", rows),
    )
    return Finding(waits, figures)


@claim
def newton_euler_hidden(scope: Scope) -> Finding:
    rows: list[Row] = []
    for name, n in product(scope.machines, scope.few):
        row: dict[str, object] = {"machine": name, "n": n}
        for form in ("paper", "short"):
            whole, reduced = makespan(Trial(n, name, form)), makespan_of(_reduced, (n, form), name)
            row |= {f"{form}, computed": whole, f"{form}, given": reduced}
            row |= {f"{form}, % longer": ratio(100 * (whole - reduced), reduced)}
        rows.append(row)
    unit = "% longer than if b' were given"
    then, today = (
        by_machine(rows, f"{form}, % longer", lambda longer: longer <= 1, unit) for form in ("paper", "short")
    )
    return Finding(then, (Table("Makespan, and that with b' and Jdot Qdot given", rows),), today)


def _reduced(n: int, form: str) -> Program:
    return without_newton_euler(variants.closed_chain(n, form))


def without_newton_euler(program: Program) -> Program:
    """The closed chain with b' and Jdot Qdot in the memory of array 2 at the start."""
    letters = {(x.letter, x.level) for x in (BIAS, last(WDOT, program.n), last(V, program.n))}
    targets = [line.target for line in program.streams[1] if isinstance(line, Compute | Name)]
    inputs = {target for target in targets if (target.letter, target.level) in letters}
    streams = tuple(
        tuple(rest for line in stream if (rest := _without(line, inputs)) is not None)
        for stream in program.streams
    )
    resident = (*program.resident, *(Resident(value, arrays=(2,)) for value in inputs))
    answers = [name for name in program.results if not name.startswith("forces.")]  # those need forces of b'
    return keep(replace(program, streams=streams, resident=resident), *answers)


def _without(line: Instruction, inputs: set[Value]) -> Instruction | None:
    """The line without the work for values that are inputs; None if nothing is left."""
    if isinstance(line, Compute | Name):
        return None if line.target in inputs else line
    if not isinstance(line, Arrange):
        return line
    values = tuple(value for value in line.values if value not in inputs)
    return changed(line, values=values) if values else None
