"""A problem solved on the machine, and its answer certified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from senn.api import chosen as made
from senn.api import described, inputs
from senn.api.certified import certified
from senn.api.extremes import unwarned
from senn.api.problems import asked as of_user
from senn.api.signature import taking
from senn.choices import Detail, RunChoices
from senn.traces.errors import InputError

if TYPE_CHECKING:
    from senn.algorithms.catalogue import Algorithm
    from senn.algorithms.problems.problem import Problem
    from senn.machine.model import Machine
    from senn.machine.placing.schedule import Schedule
    from senn.traces.run import Run

STAGES = ("reading", "placing", "simulating", "checking", "certifying")
"""What `run` does, one after the other."""

KEEP_VALUES_UP_TO = 32
"""Runs of at most so many processes keep every value of the program and every payload, for replays."""


@taking(RunChoices)
@unwarned
def run(
    problem: str | PathLike[str] | Problem = "ssrms",
    *,
    progress: Callable[[str], None] = lambda stage: None,
    before: Callable[[str], None] = lambda inputs: None,
    **chosen: Unpack[RunChoices],
) -> Run:
    """Solve a problem on arrays of processors, message by message, and certify the answer.

    `problem` is a bundled name, a generator text, a TOML file, a URDF with `tip`, or a Problem. Algorithms of
    the open chain leave a contact out, with a note. An `allocation` may be a table (M + 1, n) of nodes, or
    one for each array, and a `machine` a Machine. The engine "lockstep" gives the same run to the cycle and
    bit, and is refused where it cannot be; only "events" has memories to `check`. `bounds` adds two makespans
    of the same schedule to the description, without and with more communication: T0 on a free network, and
    T_block where a send returns on delivery. `progress` is told each of STAGES as it begins, and `before` the
    hash of all inputs before the simulation: what it raises ends the run.

    Without `numbers` the timing alone runs (durations never depend on data): the same trace, but no result
    and no certificate.

    The run's `result` has what the algorithm answers; of the closed chain qdd and qdd0 (degrees,), the
    main chain's joints and then those of side branches, force (6,), lambda_inverse (6, 6), acceleration0 (6,)
    and the interbody forces, forces (n, 6), of the main chain. Its `certificate` says how that compares with
    independent serial solvers. Nothing is written: `run.save(folder)`.
    """
    from senn.algorithms import problems
    from senn.algorithms.certificate import other_references
    from senn.machine.engines import events
    from senn.machine.engines.memory import rounded
    from senn.machine.placing.scores import scores

    _refuse_at_odds(chosen)
    progress("reading")
    asked = of_user(problem, chosen)
    on, taken = made.machine(chosen), made.algorithm(chosen)
    numbers, precision, detail = chosen["numbers"], chosen["precision"], chosen["detail"]
    if precision != "double" and taken.serial:
        raise InputError(
            f'precision "{precision}": the serial algorithm {taken.name} computes in double precision; '
            "leave --precision out, or take a parallel algorithm"
        )
    what = _noted(asked if taken.closed else problems.free(asked), taken, numbers)
    if chosen["against"] == "pinocchio":
        other_references.refuse(what)
    chain = what.chain
    program = made.program(chosen, chain.n, chain.joints, what.contact.shape, what)
    progress("placing")
    schedule = made.schedule(chosen, program, on)
    if chosen["combine"]:
        schedule = made.combined(schedule, on)
    known_by = inputs.of_run(problem, asked.name, chosen, on, schedule)
    before(known_by)
    progress("simulating")
    keep = numbers and (chain.n <= KEEP_VALUES_UP_TO if chosen["values"] is None else chosen["values"])
    resident = rounded(taken.memory(what), precision) if numbers else None
    if chosen["engine"] == "lockstep":
        from senn.machine.engines import lockstep

        raw = lockstep.simulate(schedule, on, resident, detail=detail, keep_values=keep)
    else:
        check = chosen["check"]
        least: Detail = "full" if check else detail  # the invariants are those of the whole trace
        raw = events.simulate(schedule, on, resident, detail=least, check=check, keep_values=keep)
    if chosen["check"]:
        progress("checking")
        from senn.machine import invariants

        invariants.check(schedule, on, raw.trace)
        invariants.check_free_network(schedule, on, events.simulate)
        invariants.check_repeats(schedule, on, events.simulate)
    description = {
        **raw.description,
        "algorithm": taken.name,
        "problem": described.of_problem(what),
        **described.of_run(chosen),
        **({"bounds": _bounds(schedule, on, raw)} if chosen["bounds"] else {}),
        "allocation": {
            "name": made.allocation_name(chosen),
            "residency": made.residency(chosen, schedule),
            **raw.description["allocation"],
        },
        "scores": asdict(scores(schedule, int(raw.summary["makespan"]))),
        "versions": described.versions(),
        "inputs": known_by,
    }
    whole = replace(raw, description=description)
    if numbers:
        progress("certifying")
        found = dict(taken.answers(what, raw.result))
        certificate = certified(what, found, taken, chosen)
        whole = replace(whole, result=found, certificate=certificate.as_dict())
    return whole.at_detail(detail)


def _refuse_at_odds(chosen: RunChoices) -> None:
    """Choices that do not go together, before anything is read."""
    if chosen["check"] and chosen["engine"] == "lockstep":
        raise InputError(
            'the engine "lockstep" has no memory of a node that could be checked: use the events engine'
        )
    if chosen["against"] == "pinocchio" and not chosen["numbers"]:
        raise InputError("--against pinocchio compares numbers; leave it out, or --no-numbers")
    if chosen["values"] and not chosen["numbers"]:
        raise InputError("values are kept of a run with numbers; leave --values out, or --no-numbers")


def _noted(what: Problem, taken: Algorithm, numbers: bool) -> Problem:
    """The problem, with what has to be said of its makespan."""
    if taken.serial and (what.chain.branches or any(joint != "revolute" for joint in what.chain.joints)):
        note = "the operations, and so the makespan, are those of a chain of as many revolute joints"
        what = replace(what, said=(*what.said, note))
    if numbers and "n_c joints counted" in taken.title and what.contact.constrained:
        note = "the operations, and so the makespan, are those of a contact that is solved after n_c joints"
        what = replace(what, said=(*what.said, note))
    if numbers and "n iterations counted" in taken.title:
        note = "the operations, and so the makespan, are those of n iterations; rounding makes it take more"
        what = replace(what, said=(*what.said, note))
    return what


def _bounds(schedule: Schedule, machine: Machine, run: Run) -> dict[str, int]:
    """T0 <= T always; T <= T_block usually: queues have anomalies, so that is reported and never asserted."""
    from senn.machine import invariants
    from senn.machine.engines import events

    blocking = events.simulate(
        schedule, machine.with_settings({"machine.dma": False}), None, detail="summary"
    )
    return {
        "free_network": invariants.free_network(schedule, machine),
        "makespan": run.summary["makespan"],
        "blocking": blocking.summary["makespan"],
    }
