"""Every kernel in a run of a program whose answers are those of articulated bodies.

The reference shares no kernel with the programs, and Pinocchio judges it (`tests.algorithms.references`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

import senn
from senn.algorithms.catalogue import ALGORITHMS
from senn.algorithms.problems.problem import Problem
from senn.algorithms.references import articulated
from senn.algorithms.robots import newton_euler
from senn.algorithms.spatial import Numbers
from senn.base.errors import InputError
from senn.machine.program import Kernel
from tests.algorithms.kernels.uses import uses, uses_in, walks


def expected(problem: Problem) -> dict[str, Numbers]:
    """All answers, by their names in a run; of the mass matrix its product with `qdd`."""
    whole, chain, inert = articulated.solve(problem), problem.chain, np.zeros(problem.chain.degrees)
    tau, still = (
        newton_euler.dynamics(chain, problem.q, problem.qd, rates, problem.gravity).torque
        for rates in (problem.qdd, inert)
    )
    wrench = np.linalg.lstsq(whole.lambda_inverse, problem.tip_vector, rcond=None)[0]
    return {
        **vars(whole),
        "tau": tau,
        "mass_matrix": tau - still,
        "operational_mass": np.linalg.pinv(whole.lambda_inverse),
        "tip_wrench": wrench,
        "tip_acceleration": whole.lambda_inverse @ problem.tip_vector,
    }


def test_programs_of_every_kernel_have_the_answers_of_articulated_bodies() -> None:
    """A program is run if it has a kernel that no other before has, and its problem is regular."""
    kernels = {walk: {described(use.kernel) for use in uses_in(walk.program())} for walk in walks()}
    seen: set[tuple[object, ...]] = set()
    for walk in sorted(walks(), key=lambda walk: -len(kernels[walk])):
        if kernels[walk] <= seen:
            continue
        algorithm = ALGORITHMS[walk.algorithm]
        problem = walk.problem()
        try:
            answers, memory = expected(problem), algorithm.memory(problem)
        except InputError:  # singular: its kernels are left to another
            continue
        found: dict[str, Any] = dict(
            algorithm.answers(problem, senn.solved(walk.program(), memory, detail="summary").result)
        )
        if "mass_matrix" in found:
            found["mass_matrix"] = found["mass_matrix"] @ problem.qdd
        for name, value in found.items():
            scale = max(np.linalg.norm(answers[x]) for x in {name, "qdd0" if name == "qdd" else name})
            assert np.linalg.norm(value - answers[name]) <= 1e-9 * scale, (name, walk)
        seen |= kernels[walk]
    assert {described(use.kernel) for use in uses()} == seen


def described(kernel: Kernel) -> tuple[object, ...]:
    """What makes two kernels the same: name, types of joints, first number of their structure, and form."""
    name, *structure = kernel.name.split(".")
    types = tuple(part for part in structure[1:] if not part.isdigit())
    return name, *structure[:1], types, kernel.form
