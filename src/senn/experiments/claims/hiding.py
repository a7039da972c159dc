"""Claims on overlap: Step II hidden behind Step I, messages behind computation, waiting for A^M."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import get_args

from senn.algorithms.arm.letters import BIAS, WDOT, V, last
from senn.algorithms.programs import variants
from senn.choices import Residency
from senn.experiments.claims.claim import Finding, Row, Scope, Table, cases_by, claim, either
from senn.experiments.measuring import (
    RESIDENCIES,
    MachineName,
    Measured,
    Trial,
    machine,
    makespan,
    program,
    ratio,
    sends,
    survey,
    words,
    work,
)
from senn.machine.model import Machine
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Arrange, Compute, Instruction, Name, Program, Resident, Value, changed
from senn.machine.program.values import levels
from senn.machine.rewrite import keep
from senn.words import placed, timed


@claim(
    name="step-two-hidden",
    place="VI.E",
    says=(
        "The computation of Step II can be totally overlapped with that of Step I. As a result, its "
        "computation and communication costs do not contribute to the overall cost."
    ),
    experiment="The form paper, data migrating: when Step II ends, and when Lambda^-1 arrives at PR_{2,N}.",
    rule=(
        "Holds on a machine if at every n Step II has ended when Lambda^-1 arrives, so that Step III "
        "waits for it."
    ),
)
def step_two_hidden(scope: Scope) -> Finding:
    trials = [Trial(n, name) for name in scope.machines for n in scope.sizes]
    rows = [_race_of_steps(trial, run) for trial, run in survey(trials).items()]
    hidden = cases_by("machine", rows, lambda row: row["late by"] == 0)
    worst = max(rows, key=lambda row: row["share"])
    because = (
        "Step II computes little and sends often: its scans are rounds of short messages, each as long as a "
        "start-up. Where a start-up costs few operations, Step I is the longer one."
    )
    if not all(hidden.values()):
        because += (
            f" At worst ({worst['machine']}, n = {worst['n']}) Step II ends {worst['late by']:,} cycles "
            f"after Lambda^-1 has arrived: {worst['share']:.0%} of the makespan."
        )
    figures = Table("Form paper, data migrating: cycles", rows)
    return Finding(hidden, "the machine is {}", because, (figures,))


def _race_of_steps(trial: Trial, run: Measured) -> Row:
    """Step II against Step I; Lambda^-1 and A^M are what array 2 waits for."""
    arrived = run.delivery("Lambda^-1")["arrived"]
    late = max(0, run.end("II") - arrived)
    return {
        "machine": trial.machine,
        "n": trial.n,
        "X^2 ready": run.end("II.b"),
        "A^M arrives": run.delivery("LDL")["arrived"],
        "Step II ends": run.end("II"),
        "Lambda^-1 arrives": arrived,
        "late by": late,
        "share": ratio(late, run.makespan),
    }


@claim(
    name="communication-hidden",
    place="VI.E",
    says=(
        "In the diagonalisation of A in Step I.b and the computation of Psi^M in Step I.c, any communication "
        "activity can be overlapped with its immediate computation activity."
    ),
    experiment=(
        "The form paper: cycles for which array 1 stands still in I.b and I.c for messages on their way. "
        "The floor M (alpha + 15 beta) is what A_i^j, moving after its update, and the last G cost, as "
        "nothing is left to be computed meanwhile."
    ),
    rule="Holds on a machine if no cycle of I.b and I.c is exposed at any n.",
)
def communication_hidden(scope: Scope) -> Finding:
    rows = []
    for name in scope.machines:
        for n in scope.few:
            trials = [Trial(n, name, residency=residency) for residency in get_args(Residency)]
            by_residency = {trial.residency: run for trial, run in survey(trials).items()}
            rows.append(_exposed(name, n, by_residency))
    hidden = cases_by("machine", rows, lambda row: row["I.b"] + row["I.c"] == 0)
    above = {row["machine"] for row in rows if row["above"]}
    at_floor = dict.fromkeys(row["machine"] for row in rows if row["floor"] and row["machine"] not in above)
    gone = dict.fromkeys(
        row["machine"] for row in rows if row["floor"] and row["I.b, ahead"] <= row["last G"]
    )
    share = max(row["share"] for row in rows)
    because = (
        "A_i^j is needed at its next place as soon as it is there, and psi_i^j too: nothing is left to hide "
        "their un-shuffles behind. This floor is "
        + (f"all that {either(list(at_floor))} exposes in I.b; elsewhere " if at_floor else "not all: ")
        + f"D, G and K outlast the computation beside them. Up to {share:.0%} of Step I is exposed. If A "
        "moves ahead of its update the last G alone is exposed"
        + (f" on {either(list(gone))}" if gone else ", but not on these machines")
        + "; where a message outlasts the computation beside it, that loses."
    )
    figures = Table("Form paper: exposed stall of array 1, and the floor of I.b", rows)
    return Finding(hidden, "the machine is {}", because, (figures,))


def _exposed(name: MachineName, n: int, runs: Mapping[Residency, Measured]) -> Row:
    away, home, ahead = (runs["migrating"], runs["home"], runs["ahead"])
    last = _to_neighbour(machine(name), 15)
    return {
        "machine": name,
        "n": n,
        "I.b": away.exposed("I.b"),
        "floor": levels(n) * last,
        "above": away.exposed("I.b") - levels(n) * last,
        "I.c": away.exposed("I.c"),
        "share": ratio(away.exposed("I.b", "I.c"), away.end("I")),
        "I.b, home": home.exposed("I.b"),
        "I.c, home": home.exposed("I.c"),
        "I.b, ahead": ahead.exposed("I.b"),
        "last G": last,
        "I.c, ahead": ahead.exposed("I.c"),
    }


def _to_neighbour(machine: Machine, words: int) -> int:
    """Cycles of a message over one channel that is free."""
    if machine.switching == "cut-through":  # where a channel is occupied by the words alone
        return (
            math.ceil(machine.timing.startup) + math.ceil(machine.timing.hop) + machine.message_cycles(words)
        )
    return machine.message_cycles(words)


@claim(
    name="inverse-inertias-early",
    place="VI.E",
    says=(
        "The matrices (I_i)^-1 are computed well before they are needed and hence their communication can be "
        "performed asynchronously."
    ),
    experiment=(
        "The form paper, data migrating and at home: when (I_i)^-1 arrives at PR_{2,i}, and when II.b.4 "
        "reads it."
    ),
    rule=(
        "Well before: at every n the last (I_i)^-1 arrives in the first half of the time until it is "
        "read, so nobody waits for it."
    ),
)
def inverse_inertias_early(scope: Scope) -> Finding:
    trials = [
        Trial(n, name, residency=residency)
        for name in scope.machines
        for residency in RESIDENCIES
        for n in scope.sizes
    ]
    rows: list[Row] = []
    for trial, run in survey(trials).items():
        inverses = run.delivery("(I_i)^-1")
        rows.append(
            {
                "machine": trial.machine,
                "residency": trial.residency,
                "n": trial.n,
                "arrives": inverses["arrived"],
                "least lead": inverses["lead"],
                "arrived/read": ratio(inverses["arrived"], inverses["arrived"] + inverses["lead"]),
            }
        )
    worst = max(rows, key=lambda row: row["arrived/read"])
    because = (
        "Between their computation (I.a.2) and their use (II.b.4) lie all scans of Step II.b. In the "
        f"closest case ({worst['machine']}, n = {worst['n']}, {worst['residency']}) they arrive at "
        f"{worst['arrives']:,}, and lie there for {worst['least lead']:,} cycles."
    )
    early = cases_by("machine", rows, lambda row: row["arrived/read"] <= 0.5)
    return Finding(early, "the machine is {}", because, (Table("Form paper: cycles", rows),))


# ------------------------------------------------------------
# Who waits for whom: array 2 for A^M, and everything for Newton-Euler.


_FORCES = ("II.a", "II.b.1", "II.b.2")
"""Steps that compute F'_T."""


@claim(
    name="diagonalisation-dearer",
    place="VI.E",
    says=(
        "Both the computation and communication cost of diagonalization of matrix A are greater than those "
        "of the evaluation of vector F'_T. Therefore, upon computation of X^2 the processors PR_{2,i} enter "
        "the wait state and become active by receiving the submatrices A_i^M."
    ),
    experiment=(
        "The form paper: operations, words and messages of an interior process in Step I.b, and in Step II.a "
        "and II.b up to F'_T; and on every machine, data migrating, when X^2 is ready and when A^M arrives."
    ),
    rule=(
        "Operations, words, messages: more in Step I.b at every n. On a machine: at every n the last A_i^M "
        "arrives after X^2 is ready."
    ),
)
def diagonalisation_dearer(scope: Scope) -> Finding:
    counted: list[Row] = []
    for n in scope.sizes:
        whole = program(Trial(n))
        row: dict[str, int] = {"n": n}
        for quantity, count in (
            ("operations", lambda *of: work(*of).flops),
            ("words", words),
            ("messages", sends),
        ):
            row |= {
                f"{quantity} I.b": count(whole, 1, "I.b"),
                f"{quantity} II.a-b": count(whole, 2, *_FORCES),
            }
        counted.append(row)
    rows: list[Row] = []
    for trial, run in survey(Trial(n, name) for name in scope.machines for n in scope.sizes).items():
        ready, arrived = run.end("II.b"), run.delivery("LDL")["arrived"]
        rows.append(
            {"machine": trial.machine, "n": trial.n, "X^2 ready": ready, "A^M arrives": arrived}
            | {"waits": max(0, arrived - ready), "late": max(0, ready - arrived)}
        )
    cases = {
        quantity: all(row[f"{quantity} I.b"] > row[f"{quantity} II.a-b"] for row in counted)
        for quantity in ("operations", "words", "messages")
    }
    waits = cases_by("machine", rows, lambda row: row["waits"] > 0)
    cases |= {f"times on {name}": waited for name, waited in waits.items()}
    last_n = counted[-1]
    because = (
        f"At n = {last_n['n']} an interior process executes {last_n['operations I.b']:,} operations in Step "
        f"I.b and {last_n['operations II.a-b']:,} on the way to F'_T, and sends {last_n['messages I.b']} and "
        f"{last_n['messages II.a-b']} messages: Step I.b computes beside its own, a scan waits for each."
    )
    if late := [name for name, waited in waits.items() if not waited]:
        worst = max(rows, key=lambda row: ratio(row["late"], row["A^M arrives"]))
        because += (
            f" On {either(late)} A^M is there first: at worst ({worst['machine']}, n = {worst['n']}) "
            f"{worst['late']:,} cycles before X^2."
        )
    figures = (
        Table("An interior process: Step I.b, and the way to F'_T", counted),
        Table("Form paper, data migrating: cycles", rows),
    )
    return Finding(cases, "{} are compared", because, figures)


@claim(
    name="newton-euler-hidden",
    place="VI.E",
    says=(
        "With a multilevel parallel computation approach the computation of b'(theta, Qdot) can be fully "
        "overlapped with the rest of the computations. This eliminates the possibility of performance "
        "degradation due to its fine grain."
    ),
    experiment=(
        "The makespan of the forms paper and short, data migrating, and of the same programs to which b' and "
        "Jdot Qdot are given, without the lines that compute them."
    ),
    rule="Fully, on a machine: at no n and in neither form does giving it save a hundredth of the makespan.",
)
def newton_euler_hidden(scope: Scope) -> Finding:
    rows: list[Row] = []
    for form in ("paper", "short"):
        for n in scope.few:
            for name in scope.machines:
                whole = makespan(Trial(n, name, form))
                reduced = _reduced_makespan(name, n, form)
                rows.append(
                    {"form": form, "machine": name, "n": n, "computed": whole, "given": reduced}
                    | {"computed/given": ratio(whole, reduced)}
                )
    hidden = cases_by("machine", rows, lambda row: row["computed"] <= 1.01 * row["given"])
    worst = max(rows, key=lambda row: row["computed/given"])
    because = (
        "Newton-Euler computes little in many rounds of short messages, all of them before X^2. Where a "
        "round takes no longer than the operations beside it in Step I.b, it is hidden behind them."
    )
    if not all(hidden.values()):
        because += (
            f" On {worst['machine']} the form {worst['form']} takes {worst['computed/given']} times as long "
            f"as if b' were given (n = {worst['n']})."
        )
    figures = Table(
        "Makespan, and that with b' and Jdot Qdot given", sorted(rows, key=lambda row: str(row["machine"]))
    )
    return Finding(hidden, "the machine is {}", because, (figures,))


@cache
def _reduced_makespan(name: MachineName, n: int, form: str) -> int:
    """Makespan of the program to which b' and Jdot Qdot are given."""
    return int(timed(_reduced_schedule(n, form), machine(name)).summary["makespan"])


@cache
def _reduced_schedule(n: int, form: str) -> Schedule:
    """Schedule without Newton-Euler, one for all machines: they differ only in their times."""
    return placed(without_newton_euler(variants.closed_chain(n, form)))


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
