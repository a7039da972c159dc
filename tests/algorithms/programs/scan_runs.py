"""Algorithms, placed and run; and operations by hand."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import senn
from senn.algorithms import problems
from senn.algorithms.catalogue import ALGORITHMS
from senn.algorithms.problems.problem import Problem
from senn.algorithms.spatial import Numbers
from senn.machine.program import Operations, Program, levels


def mixed(n: int, seed: int | None = None) -> Problem:
    """An arm with 30 % prismatic joints that touches nothing."""
    return problems.free(problems.load(f"random:{n}:prismatic=0.3:seed={n if seed is None else seed}"))


def quickly(name: str, what: Problem) -> Mapping[str, Numbers]:
    """The answers of one engine, migrating."""
    algorithm = ALGORITHMS[name]
    program = algorithm.program(what.chain.n, what.chain.joints)
    run = senn.solved(program, algorithm.memory(what))
    return algorithm.answers(what, run.result)


def error(found: Numbers, expected: Numbers) -> float:
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
    schedule = senn.placed(program, residency=residency)
    return (*(len(tasks) for tasks in schedule.tasks), schedule.network_steps())
