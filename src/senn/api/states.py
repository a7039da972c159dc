"""`senn.batch`: many states of one arm along a leading axis, placed and timed once, solved and judged.

`senn.check`: answers of another program to many states, judged by the same certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from os import PathLike
from typing import Any, TypeVar, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from senn.algorithms import problems
from senn.algorithms.certificate.certificate import Certificate
from senn.algorithms.certificate.certify import certify
from senn.algorithms.problems.problem import Problem
from senn.api import own
from senn.api.arguments import unwarned, with_choices
from senn.api.building import algorithm_of, program_of
from senn.api.problems import problem_of
from senn.api.programs import loaded, placed
from senn.api.solving import certified
from senn.base.errors import InputError
from senn.choices import ProblemChoices, RunChoices, StateChoices, choices, usual
from senn.machine import engines
from senn.machine.engines import lockstep, memory
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Program
from senn.traces import run as runs
from senn.traces.naming import counted, listed
from senn.traces.run import Run

T = TypeVar("T")

LANES = 4096
"""Rows of one operation on arrays, states times processes: more leave the processor's caches."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Answers of many states of one arm."""

    timing: Run
    """The run of one state, without numbers: durations never depend on data, so all have its times."""
    result: Mapping[str, NDArray[Any]]
    """Answers by name, (states, *shape) each, as in the `result` of `senn.run`."""
    certificates: tuple[Mapping[str, Any], ...]
    """The certificate of each state, as of `senn.run`; empty with `judge=False`."""

    @property
    def ok(self) -> NDArray[np.bool_]:
        """(states,): whether each answer is certified; empty without certificates."""
        return np.array([certificate["ok"] for certificate in self.certificates], dtype=bool)

    def __repr__(self) -> str:
        timing, count = self.timing, len(next(iter(self.result.values())))
        machine, cycles = timing.description["machine"]["name"], timing.summary["makespan"]
        verdict = f"{int(self.ok.sum())} certified" if self.certificates else "not judged"
        answers = f"{counted(count, 'state')}, {', '.join(self.result)}"
        return f"Batch({answers}; {cycles:,} cycles on {machine}; {verdict})"


@with_choices(StateChoices)
@unwarned
def batch(
    problem: str | PathLike[str] | Problem | Callable[[int], Program] = "ssrms",
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    judge: bool = True,
    given: Mapping[str, ArrayLike] | None = None,
    **options: Unpack[StateChoices],
) -> Batch:
    """Solve many states of one arm at once: `q` (states, coordinates), `qd` and `tau` (states, degrees).

    Missing arguments come from the problem; one row is broadcast. Units and order are as in the problem. The
    program is placed and timed once; the lockstep engine computes the numbers of every state, equal to
    `senn.run` to the bit. With `judge` every state has its own certificate, which takes most of the time.
    InputError for arguments of different numbers of rows, and for the row of a singular contact.

    Of a program of your own, a function or FILE.py:FUNCTION, `given` has the memories: by letter (states, n,
    *shape). There are no certificates.
    """
    if callable(problem) or own.is_own(problem):
        return _of_own(problem, given, options)
    arm = Placed(problem, options)
    rows = _rows(arm.problem, {"q": q, "qd": qd, "tau": tau})
    states = _by_row(lambda row: arm.problem.at(**row), [(row,) for row in rows])
    # a serial page is of one state
    together = 1 if arm.algorithm.whole else max(1, LANES // arm.problem.chain.n)
    some = [(states[first : first + together],) for first in range(0, len(states), together)]
    parts = _by_row(arm.answers, some) if together == 1 else starmap(arm.answers, some)
    answers = [answer for part in parts for answer in part]
    verdicts = _by_row(arm.certified, list(zip(states, answers, strict=True)) if judge else [])
    pairs = zip(verdicts, answers, strict=False)  # of no verdicts
    certificates = tuple(runs.Certificate.of(verdict.as_dict(), answer) for verdict, answer in pairs)
    stacked = {name: np.stack([answer[name] for answer in answers]) for name in answers[0]}
    return Batch(arm.timing, stacked, certificates)


def _of_own(
    spec: str | Callable[[int], Program], given: Mapping[str, ArrayLike] | None, options: StateChoices
) -> Batch:
    arrays = own.numbers(given, spec)
    counts = {array.shape[:2] for array in arrays.values()}
    if len(counts) != 1 or len(shape := counts.pop()) != 2 or 0 in shape:
        each = ", ".join(f"{name} {array.shape}" for name, array in arrays.items()) or "nothing"
        raise InputError(f"given has {each}; give (states, n, *shape), equally many states of each value")
    settings = usual(RunChoices, **cast(Any, {**options, "algorithm": spec}))
    with own.guard(spec):
        program, machine = program_of(settings, shape[1]), loaded(settings["machine"], settings["set"])
        schedule = placed(program, machine, settings["residency"], settings["allocation"])
        each_state = memory.given(program, arrays)
        states = [{name: array[k] for name, array in each_state.items()} for k in range(shape[0])]
        results = lockstep.results(schedule, states)
    return Batch(engines.simulate(schedule, machine, detail="summary"), results, ())


def _by_row(function: Callable[..., T], rows: Sequence[tuple[Any, ...]]) -> list[T]:
    """The function of each row; of several the InputError of one names it, from 0."""
    results = []
    for k, row in enumerate(rows):
        try:
            results.append(function(*row))
        except InputError as error:
            raise InputError(f"row {k}: {error}" if len(rows) > 1 else str(error)) from error
    return results


class Placed:
    """An arm with its program, placed and timed once: for all its states, loads and contacts of one shape."""

    def __init__(self, problem: str | PathLike[str] | Problem, options: StateChoices) -> None:
        self.settings = usual(RunChoices, **cast(Any, options))
        request = problem_of(problem, self.settings)
        self.algorithm = algorithm_of(self.settings)
        self.problem = request if self.algorithm.closed else problems.free(request)
        self.machine = loaded(self.settings["machine"], self.settings["set"])
        self.schedule = self._placed(self.problem)
        self.timing = engines.simulate(self.schedule, self.machine, detail="summary")

    def _placed(self, problem: Problem) -> Schedule:
        chain = problem.chain
        program = program_of(self.settings, chain.n, chain.joints, problem.contact.shape, problem)
        return placed(program, self.machine, self.settings["residency"], self.settings["allocation"])

    def answers(self, states: Sequence[Problem]) -> list[Mapping[str, Any]]:
        """Answers of each state, those of `senn.run` to the bit; of a serial algorithm one state only."""
        schedule, first = self.schedule, states[0]
        if self.algorithm.whole and first.contact_input is not self.problem.contact_input:
            schedule = self._placed(first)  # a serial page holds gravity and contact of its problem
        results = lockstep.results(schedule, [self.algorithm.memory(state) for state in states])
        return [
            self.algorithm.answers(state, {name: blocks[k] for name, blocks in results.items()})
            for k, state in enumerate(states)
        ]

    def certified(self, state: Problem, answers: Mapping[str, Any]) -> Certificate:
        """Certificate of the answers of one state."""
        return certified(state, answers, self.algorithm, self.settings)


def _rows(
    arm: Problem, tables: Mapping[str, ArrayLike | None], axes: Sequence[int] = (2,)
) -> list[dict[str, NDArray[Any]]]:
    """The numbers of every state by name, of tables with a row for each state, or one row for all."""
    arrays = {}
    for name, numbers in tables.items():
        if numbers is None:
            continue
        width = len(arm.qd) if name == "qdd" else 6 if name == "F" else len(getattr(arm, name))
        way_out = f"give (states, {width}), a row for each state of {arm.name}"
        try:
            array = np.asarray(numbers).astype(np.float64, casting="same_kind")
        except (TypeError, ValueError):
            raise InputError(f"{name} is no table of numbers; {way_out}") from None
        if array.ndim not in axes or array.shape[-1] != width or not len(array):
            raise InputError(f"{name} has shape {array.shape}; {way_out}")
        arrays[name] = np.atleast_2d(array)
    counts = {name: len(array) for name, array in arrays.items() if len(array) > 1}
    if len(set(counts.values())) > 1:
        raise InputError(f"{listed(counts)} have {listed(counts.values())} states")
    count = max(counts.values(), default=1)
    return [{name: array[k % len(array)] for name, array in arrays.items()} for k in range(count)]


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Answers of another program to states of one arm, judged."""

    states: tuple[Problem, ...]
    certificates: tuple[Certificate, ...]
    """The certificate of each state."""
    errors: NDArray[np.float64]
    """(states, degrees): relative errors of qdd by joint."""

    @property
    def ok(self) -> bool:
        """Whether every state has the required digits."""
        return all(certificate.ok for certificate in self.certificates)

    def __repr__(self) -> str:
        states, good = counted(len(self.states), "state"), sum(each.ok for each in self.certificates)
        fewest = counted(min(certificate.digits for certificate in self.certificates), "digit")
        return f"Verdicts({states} of {self.states[0].name}: {good} certified, {fewest} or more)"


@with_choices(ProblemChoices)
@unwarned
def check(
    problem: str | PathLike[str] | Problem,
    answers: str | PathLike[str] | Mapping[str, ArrayLike],
    *,
    digits: int | None = None,
    **options: Unpack[ProblemChoices],
) -> Verdicts:
    """Judge the accelerations, and contact forces, that another program gave for many states of an arm.

    `problem` is an arm as of `senn.run`, with its gravity and contact. `answers` is a mapping or an .npz file
    of q (states, coordinates), qd, tau and qdd (states, degrees), and F (states, 6), the force of the end
    effector on its surroundings, moment first, in end-effector axes; without F the tip is free. One row is
    broadcast, and of a single state the arrays may have no axis of states. `digits` is the number that every
    state must have, by default six. A qdd that is not finite has no digit; InputError for a q, qd or tau that
    is not, a missing array and a wrong shape.

    >>> import senn
    >>> arm = senn.problem("ur5_free")
    >>> senn.check(arm, {**arm.numbers, "qdd": senn.run(arm).result["qdd"]}).ok
    True
    """
    table = answers if isinstance(answers, Mapping) else own.arrays(answers)
    if missing := [name for name in ("q", "qd", "tau", "qdd") if name not in table]:
        raise InputError(f"the answers have no {listed(missing)}; give q, qd, tau, qdd and, in contact, F")
    arm = problem_of(problem, options)
    if "F" in table and arm.contact.kind == "none":
        raise InputError(f"the answers have F, but the tip of {arm.name} is free; name its contact")
    if "F" not in table and arm.contact.kind != "none":
        note = "the answers have no F: the tip is free"
        arm = replace(arm.at(contact="free"), remarks=(*arm.remarks, note))
    names = ("q", "qd", "tau", "qdd", "F")
    rows = _rows(arm, {name: table[name] for name in names if name in table}, axes=(1, 2))
    precision = np.result_type(np.float32, np.asarray(table["qdd"]))  # single asks for fewer digits

    def judged(row: Mapping[str, NDArray[Any]]) -> tuple[Problem, Certificate]:
        state = arm.at(q=row["q"], qd=row["qd"], tau=row["tau"])
        force = {"force": row["F"]} if "F" in row else {}
        claim = {"qdd": row["qdd"].astype(precision), **force}
        return state, certify(state, claim, digits=choices(RunChoices)["digits"].convert(digits))

    states, certificates = zip(*_by_row(judged, [(row,) for row in rows]), strict=True)
    return Verdicts(states, certificates, np.array([each.joints["qdd"] for each in certificates]))
