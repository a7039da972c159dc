"""Who waits for whom: array 2 for A^M, and everything for Newton-Euler."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from senn.algorithms.arm.letters import BIAS, WDOT, V, last
from senn.algorithms.programs import variants
from senn.experiments.claims.claim import Claim, Finding, Row, Scope, Table, either, held
from senn.experiments.measuring import (
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
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Arrange, Compute, Instruction, Name, Program, Resident, Value, changed
from senn.machine.rewrite import keep
from senn.words import placed, timed

DIAGONALISATION = Claim(
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
    examine=lambda scope: _diagonalisation(scope),
)

FULLY_HIDDEN = Claim(
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
    examine=lambda scope: _hidden(scope),
)

_FORCES = ("II.a", "II.b.1", "II.b.2")
"""The steps that lead to F'_T."""


def _diagonalisation(scope: Scope) -> Finding:
    counted: list[Row] = []
    for n in scope.sizes:
        whole = program(Trial(n))
        row: dict[str, int] = {"n": n}
        for what, count in (
            ("operations", lambda *of: work(*of).flops),
            ("words", words),
            ("messages", sends),
        ):
            row |= {f"{what} I.b": count(whole, 1, "I.b"), f"{what} II.a-b": count(whole, 2, *_FORCES)}
        counted.append(row)
    rows: list[Row] = []
    for trial, run in survey(Trial(n, name) for name in scope.machines for n in scope.sizes).items():
        ready, arrived = run.end("II.b"), run.delivery("LDL")["arrived"]
        rows.append(
            {"machine": trial.machine, "n": trial.n, "X^2 ready": ready, "A^M arrives": arrived}
            | {"waits": max(0, arrived - ready), "late": max(0, ready - arrived)}
        )
    cases = {
        what: all(row[f"{what} I.b"] > row[f"{what} II.a-b"] for row in counted)
        for what in ("operations", "words", "messages")
    }
    waits = held(rows, "machine", lambda row: row["waits"] > 0)
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


def _hidden(scope: Scope) -> Finding:
    rows: list[Row] = []
    for form in ("paper", "short"):
        for n in scope.few:
            for name in scope.machines:
                whole = makespan(Trial(n, name, form))
                given = _given(name, n, form)
                rows.append(
                    {"form": form, "machine": name, "n": n, "computed": whole, "given": given}
                    | {"computed/given": ratio(whole, given)}
                )
    hidden = held(rows, "machine", lambda row: row["computed"] <= 1.01 * row["given"])
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
        "Makespan, and that with b' and Jdot Qdot given", sorted(rows, key=lambda row: row["machine"])
    )
    return Finding(hidden, "the machine is {}", because, (figures,))


@cache
def _given(name: str, n: int, form: str) -> int:
    """The makespan on a machine where Newton-Euler need not be computed."""
    return int(timed(_spared(n, form), machine(name)).summary["makespan"])


@cache
def _spared(n: int, form: str) -> Schedule:
    """Placed once: the claim is about machines of one design, which differ in their times."""
    return placed(without_newton_euler(variants.closed_chain(n, form)))


def without_newton_euler(program: Program) -> Program:
    """The closed chain to which b' and Jdot Qdot are given: in the memory of array 2 at the start."""
    known = {(x.letter, x.level) for x in (BIAS, last(WDOT, program.n), last(V, program.n))}
    targets = [line.target for line in program.streams[1] if isinstance(line, Compute | Name)]
    given = {target for target in targets if (target.letter, target.level) in known}
    streams = tuple(
        tuple(left for line in stream if (left := _without(line, given)) is not None)
        for stream in program.streams
    )
    resident = (*program.resident, *(Resident(value, arrays=(2,)) for value in given))
    answers = [name for name in program.results if not name.startswith("forces.")]  # those need forces of b'
    return keep(replace(program, streams=streams, resident=resident), *answers)


def _without(line: Instruction, given: set[Value]) -> Instruction | None:
    """What is left of a line where these values need not be made, nor brought home."""
    if isinstance(line, Compute | Name):
        return None if line.target in given else line
    if not isinstance(line, Arrange):
        return line
    left = tuple(value for value in line.values if value not in given)
    return changed(line, values=left) if left else None
