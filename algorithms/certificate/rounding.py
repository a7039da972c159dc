"""What rounding alone does to the answers: Section V, with every number it starts from rounded once more.

Each entry of A, B, E, of the inverse inertias and of D (Fijany Eqs. (69), (73)-(80), (83)) is changed by a
part of at most eps, and each joint's torque by as much of the wrench that b is a component of: what is stored
in a floating point of this eps is not known better. How far the answers move is what no way of solving the
equations of the constraint forces in this precision can be expected to avoid.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from senn.algorithms.answers import ANSWERS
from senn.algorithms.certificate.residuals import Standard, compared, norm, relative, torque_scale
from senn.algorithms.problems.contact.force import none
from senn.algorithms.problems.problem import Problem
from senn.algorithms.problems.solution import Solution
from senn.algorithms.references import articulated, constraint_force
from senn.algorithms.references.constraint_force import Blocks
from senn.algorithms.robots import newton_euler
from senn.algorithms.spatial import Numbers
from senn.traces.errors import InputError


def moved(
    problem: Problem,
    given: Mapping[str, Numbers],
    standard: Standard,
    eps: float,
    sample: int,
    *,
    recurrences: bool,
) -> dict[str, float]:
    """The errors and residuals of answers that differ from those of `given` by one rounding of what they are
    made of; `recurrences`: by a way of `constraint_force.solve`. Equal samples are rounded alike. Infinite
    where no block LDL' of the rounded matrix is left.
    """
    chain, growth = problem.chain, eps * np.sqrt(problem.chain.n)
    found: dict[str, float] = {}
    try:
        rounded = _solution(problem, eps, sample, recurrences=recurrences)
        asked = [one for name, one in ANSWERS.items() if name in given and name not in _APART]
        again = {one.name: one.reference(problem, rounded) for one in asked}
        found |= compared(problem, again, standard)
        if "inverse_mass_matrix" in given:
            found["inverse_mass_matrix_error"] = _inverse_mass_moved(problem, eps, sample)
    except (InputError, np.linalg.LinAlgError):
        found = defaultdict(lambda: np.inf)
    # What no matrix A has a part in: products of n rotations, and the wrench that a torque is a component of.
    found["mass_matrix_error"] = growth
    if "tau" in given:
        wrenches = newton_euler.interbody_forces(chain, problem.q, problem.qd, problem.qdd, problem.gravity)
        found["tau_error"] = growth * max(1.0, norm(wrenches) / (torque_scale(problem) or 1.0))
    return found


_APART = ("tau", "mass_matrix", "inverse_mass_matrix")
"""Answers that no solution of the closed chain moves."""


def _inverse_mass_moved(problem: Problem, eps: float, sample: int) -> float:
    """What rounding does to M^-1, in the Frobenius norm, from what it does to M^-1 x for a random x."""
    chain = problem.chain
    push = np.random.default_rng([sample, 4]).standard_normal(chain.degrees)
    at_rest = replace(
        problem,
        gravity=np.zeros(3),
        qd=np.zeros(chain.degrees),
        tau=push,
        held=none(),
    )
    right, _ = articulated.respond(articulated.factor(chain, problem.q), push[:, None], np.zeros((6, 1)))
    return relative(_solution(at_rest, eps, sample).qdd0 - right[:, 0], norm(right))


def _solution(problem: Problem, eps: float, sample: int, *, recurrences: bool = False) -> Solution:
    """`InputError` where a block of A is no longer positive definite."""
    chain, rng = problem.chain, np.random.default_rng([sample, 3])
    blocks = _blocks(constraint_force.assemble(chain, problem.q), eps, rng)
    still = np.zeros(chain.degrees)
    held = newton_euler.interbody_forces(chain, problem.q, problem.qd, still, problem.gravity)
    part = np.abs(problem.tau)
    part[: chain.qd_shares.total] += np.repeat(np.linalg.norm(held, axis=1), chain.qd_shares.counts)
    tau = problem.tau + eps * rng.uniform(-1.0, 1.0, chain.degrees) * part
    return constraint_force.solve(replace(problem, tau=tau), blocks, recurrences=recurrences)


def _blocks(blocks: Blocks, eps: float, rng: Generator) -> Blocks:
    """The same, entry by entry; what is symmetric stays so."""

    def anew(x: Numbers, *, symmetric: bool = False) -> Numbers:
        part = rng.uniform(-1.0, 1.0, x.shape)
        if symmetric:
            part = np.tril(part) + np.swapaxes(np.tril(part, -1), -1, -2)
        return x * (1.0 + eps * part)

    return replace(
        blocks,
        inverse_inertia=anew(blocks.inverse_inertia, symmetric=True),
        A=anew(blocks.A, symmetric=True),
        B=anew(blocks.B),
        E=anew(blocks.E),
        tip=anew(blocks.tip),
        D=anew(blocks.D, symmetric=True),
    )
