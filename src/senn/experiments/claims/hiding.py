"""What is hidden behind what: Step II behind Step I, messages behind computation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import get_args

from senn.choices import Residency
from senn.experiments.claims.claim import Claim, Finding, Row, Scope, Table, either, held
from senn.experiments.measuring import RESIDENCIES, Measured, Trial, machine, ratio, survey
from senn.machine.model import Machine
from senn.machine.program.values import levels

STEP_TWO = Claim(
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
    examine=lambda scope: _step_two(scope),
)

COMMUNICATION = Claim(
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
    examine=lambda scope: _communication(scope),
)

INVERSES = Claim(
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
    examine=lambda scope: _inverses(scope),
)


def _step_two(scope: Scope) -> Finding:
    trials = [Trial(n, name) for name in scope.machines for n in scope.sizes]
    rows = [_race_of_steps(trial, run) for trial, run in survey(trials).items()]
    hidden = held(rows, "machine", lambda row: row["late by"] == 0)
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


def _communication(scope: Scope) -> Finding:
    rows = []
    for name in scope.machines:
        for n in scope.few:
            places = [Trial(n, name, residency=where) for where in get_args(Residency)]
            by_place = {trial.residency: run for trial, run in survey(places).items()}
            rows.append(_exposed(name, n, by_place))
    hidden = held(rows, "machine", lambda row: row["I.b"] + row["I.c"] == 0)
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
    figures = Table("Form paper: cycles exposed in array 1, and the floor of I.b", rows)
    return Finding(hidden, "the machine is {}", because, (figures,))


def _exposed(name: str, n: int, runs: Mapping[Residency, Measured]) -> Row:
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


def _to_neighbour(on: Machine, words: int) -> int:
    """Cycles of a message over one channel that is free."""
    if on.switching == "cut-through":  # where a channel is occupied by the words alone
        return math.ceil(on.timing.startup) + math.ceil(on.timing.hop) + on.message_cycles(words)
    return on.message_cycles(words)


def _inverses(scope: Scope) -> Finding:
    trials = [
        Trial(n, name, residency=residency)
        for name in scope.machines
        for residency in RESIDENCIES
        for n in scope.sizes
    ]
    rows: list[Row] = []
    for trial, run in survey(trials).items():
        found = run.delivery("(I_i)^-1")
        rows.append(
            {
                "machine": trial.machine,
                "residency": trial.residency,
                "n": trial.n,
                "arrives": found["arrived"],
                "least lead": found["lead"],
                "arrived/read": ratio(found["arrived"], found["arrived"] + found["lead"]),
            }
        )
    worst = max(rows, key=lambda row: row["arrived/read"])
    because = (
        "Between their computation (I.a.2) and their use (II.b.4) lie all scans of Step II.b. In the "
        f"closest case ({worst['machine']}, n = {worst['n']}, {worst['residency']}) they arrive at "
        f"{worst['arrives']:,}, and lie there for {worst['least lead']:,} cycles."
    )
    early = held(rows, "machine", lambda row: row["arrived/read"] <= 0.5)
    return Finding(early, "the machine is {}", because, (Table("Form paper: cycles", rows),))
