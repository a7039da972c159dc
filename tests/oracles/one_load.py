"""Arms that hold one load, by one dense system for all accelerations and forces."""

from collections.abc import Sequence

import numpy as np

from senn.algorithms.problems.problem import Problem
from senn.algorithms.spatial import Numbers
from tests.oracles import dense


def solve(arms: Sequence[Problem], reach: Sequence[Numbers], inertia: Numbers) -> tuple[Numbers, Numbers]:
    """Accelerations of all joints, and of the load, at rest and without gravity.

    reach: (6, 6) of each arm, from the load's acceleration to the tip's; inertia: (6, 6), of the load.
    """
    masses = [dense.mass_matrix(arm.chain, arm.q) for arm in arms]
    degrees = sum(len(mass) for mass in masses)
    size = degrees + 6
    matrix, right = np.zeros((size + 6 * len(arms),) * 2), np.zeros(size + 6 * len(arms))
    matrix[degrees:size, degrees:size] = inertia
    start = 0
    for k, (arm, mass, X) in enumerate(zip(arms, masses, reach, strict=True)):
        joints = slice(start, start + len(mass))
        force = slice(size + 6 * k, size + 6 * k + 6)
        matrix[joints, joints], right[joints] = mass, arm.tau
        matrix[force, joints] = dense.jacobian(arm.chain, arm.q)
        matrix[force, degrees:size] = -X
        start += len(mass)
    matrix[:size, size:] = matrix[size:, :size].T
    solution = np.linalg.solve(matrix, right)
    return solution[:degrees], solution[degrees:size]
