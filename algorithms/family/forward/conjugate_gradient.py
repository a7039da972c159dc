"""Forward dynamics by conjugate gradients, O(N^2): Walker and Orin (1982), method 4; Jain Eq. (30).

The product M p is inverse dynamics of an arm at rest, O(N), and N iterations are enough but for rounding.
Preconditioned with Lambda = diag(H R H*), the diagonal of M, which composite inertias give in O(N): Fijany
and Scheid (1989). Jain prints gamma_k = z'z / r'r; that converges with Lambda = U alone. It is
gamma_k = z_{k-1}'r_{k-1} / z_{k-2}'r_{k-2} (Golub and Van Loan, Algorithm 10.3.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from senn.algorithms.blocks import Blocks, factor, times
from senn.algorithms.family.arm import Arm, arm_of, joined
from senn.algorithms.family.closing import closed
from senn.algorithms.family.composite import composite_inertias
from senn.algorithms.family.directions import solved
from senn.algorithms.family.inverse.newton_euler import at_rest, torques
from senn.algorithms.problems.problem import Problem
from senn.machine.program import Operations
from senn.traces.errors import InputError

Precondition = Callable[[Blocks], Blocks]
"""z = Lambda^-1 r."""
ENOUGH = 1e-16
"""Where z'r has fallen to the square of this, relative to its start, double precision has no more to give."""
PATIENCE = 20
"""Iterations allowed, in multiples of N."""


def solve(problem: Problem) -> dict[str, Blocks]:
    """Accelerations of the open chain, or of the closed one by Table I; preconditioned."""
    arm = arm_of(problem)
    return _solved(problem, arm, diagonal(arm))


def solve_plain(problem: Problem) -> dict[str, Blocks]:
    """The same with Lambda = U; `InputError` where it does not converge."""
    return _solved(problem, arm_of(problem), plain)


def plain(residual: Blocks) -> Blocks:
    """Lambda = U."""
    return residual


def diagonal(arm: Arm) -> Precondition:
    """Lambda = H R H*, one block a joint."""
    pairs = zip(arm.links, composite_inertias(arm), strict=True)
    factors = [factor(link.freedom.seen(composite.packed())) for link, composite in pairs]

    def precondition(residual: Blocks) -> Blocks:
        parts = zip(factors, arm.split(residual), strict=True)
        return joined([solved(ldl, own) for ldl, own in parts])

    return precondition


def open_chain(arm: Arm, tau: Blocks, precondition: Precondition, iterations: int) -> Blocks:
    """qdd (N,) with the tip free, after so many iterations."""
    drive = tau - joined(torques(arm))
    *_, (qdd, _) = islice(iterates(arm, drive, precondition), iterations + 1)
    return qdd


def iterates(arm: Arm, drive: Blocks, precondition: Precondition) -> Iterator[tuple[Blocks, Any]]:
    """From qdd = 0 on, after each iteration: qdd (N,), and z'r, which says how far there is to go."""
    qdd, residual, direction, before = np.zeros_like(drive), drive, None, None
    while True:
        z = precondition(residual)
        weight = _dot(z, residual)
        yield qdd, weight
        direction = z if direction is None else z + direction * (weight / before)
        moved = joined(at_rest(arm, arm.split(direction)))
        step = weight / _dot(direction, moved)
        qdd, residual, before = qdd + direction * step, residual - moved * step, weight


def _dot(x: Blocks, y: Blocks) -> Any:
    return times(x[None], y[:, None])[0, 0]


def _solved(problem: Problem, arm: Arm, precondition: Precondition) -> dict[str, Blocks]:
    def respond(columns: Blocks) -> Blocks:
        return np.stack([_converged(problem, arm, x, precondition) for x in columns.T], axis=1)

    drive = problem.tau - joined(torques(arm))
    return closed(problem, arm, respond(drive[:, None])[:, 0], respond)


def _converged(problem: Problem, arm: Arm, drive: Blocks, precondition: Precondition) -> Blocks:
    most, first = PATIENCE * arm.degrees, None
    for qdd, weight in islice(iterates(arm, drive, precondition), most + 1):
        first = weight if first is None else first
        if weight <= ENOUGH**2 * first:
            return qdd
    raise InputError(
        f"problem '{problem.name}': conjugate gradients have not converged after {most} iterations, "
        "the mass matrix is too badly conditioned for them; take forward-articulated"
    )


def operations(n: int) -> Operations:
    """For n revolute joints and n iterations, preconditioned."""
    return Operations(78 * n**2 + 220 * n - 4, 66 * n**2 + 186 * n - 3, 3 * n - 1, 2 * n)


def operations_plain(n: int) -> Operations:
    """For n revolute joints and n iterations, Lambda = U."""
    return Operations(77 * n**2 + 147 * n - 4, 66 * n**2 + 117 * n - 3, 2 * n - 1, 2 * n)
