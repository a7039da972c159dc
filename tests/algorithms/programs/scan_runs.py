"""Programs that one module makes, placed and run: by both engines, with data at home and migrating."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from senn.algorithms.problems import problem
from senn.algorithms.problems.problem import Problem
from senn.algorithms.spatial import Array
from senn.machine import model
from senn.machine.engines import events, lockstep
from senn.machine.placing import allocation
from senn.machine.placing.schedule import Schedule, place
from senn.machine.program import Operations, Program, levels

MARK3 = model.load("mark3")
SIZES = (*range(1, 10), 16, 31)


class Algorithm(Protocol):
    """What a module offers that says an algorithm as a program."""

    def program(self, n: int, joints: Any = None, **choices: Any) -> Program:
        """The structure, without numbers."""

    def memory(self, problem: Problem) -> dict[str, Array]:
        """The resident values."""

    def answers(self, problem: Problem, result: Mapping[str, Array]) -> dict[str, Array]:
        """The standard names."""


def mixed(n: int, seed: int | None = None) -> Problem:
    """An arm with 30 % prismatic joints that touches nothing."""
    return problem.free(problem.load(f"random:{n}:prismatic=0.3:seed={n if seed is None else seed}"))


def placed(program: Program, residency: str = "migrating") -> Schedule:
    return place(program, allocation.named("identity", program.n, residency), MARK3)


def ran(algorithm: Algorithm, what: Problem, **choices: Any) -> dict[str, Array]:
    """The answers, after the engines and both residencies agreed on every bit, and on every cycle."""
    program = _program(algorithm, what, **choices)
    memory = algorithm.memory(what)
    found = []
    for residency in ("migrating", "home"):
        schedule = placed(program, residency)
        runs = [
            events.simulate(schedule, MARK3, memory, check=True),
            lockstep.simulate(schedule, MARK3, memory),
        ]
        assert runs[0].trace.hash == runs[1].trace.hash
        found += [algorithm.answers(what, run.result) for run in runs]
    for other in found[1:]:
        assert set(other) == set(found[0])
        assert all(np.array_equal(other[name], found[0][name]) for name in other)
    return found[0]


def quickly(algorithm: Algorithm, what: Problem, **choices: Any) -> dict[str, Array]:
    """The answers of one engine, migrating."""
    schedule = placed(_program(algorithm, what, **choices))
    return algorithm.answers(what, lockstep.simulate(schedule, MARK3, algorithm.memory(what)).result)


def _program(algorithm: Algorithm, what: Problem, **choices: Any) -> Program:
    return algorithm.program(what.chain.n, what.chain.joints, **choices)


def error(found: Array, expected: Array) -> float:
    """In the 2-norm, relative where the expected is not zero."""
    scale = float(np.linalg.norm(expected))
    return float(np.linalg.norm(found - expected)) / (scale or 1.0)


def bias_operations(n: int) -> Operations:
    """Newton-Euler and F_T of n revolute joints, by hand: 33 multiplications and 42 additions for each pair
    of the five scans, and what the links do by themselves."""
    pairs = scanned(n)
    return Operations(33 * pairs + 135 * n - 6, 42 * pairs + 99 * n - 6, 0, 2 * n)


def scanned(members: int) -> int:
    """The sum over the levels of a scan of the members that have a partner."""
    return sum(members - 2**j for j in range(levels(members)))


def counts(program: Program, residency: str = "migrating") -> tuple[int, ...]:
    """Issued instructions of each array, and network steps."""
    schedule = placed(program, residency)
    return (*(len(tasks) for tasks in schedule.tasks), schedule.network_steps())
