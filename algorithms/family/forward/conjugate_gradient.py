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

from senn.algorithms.blocks import Blocks, factor, times, transposed
from senn.algorithms.family.arm import SerialArm, joined
from senn.algorithms.family.closing import Free, closed
from senn.algorithms.family.joint_space import at_rest, newton_euler
from senn.algorithms.family.link import solved
from senn.algorithms.family.sweeps import composite_inertias
from senn.algorithms.problems.problem import Problem
from senn.traces.errors import InputError

Precondition = Callable[[Blocks], Blocks]
"""z = Lambda^-1 r."""
ENOUGH = 1e-16
"""When z'r has fallen to the square of this, relative to its start, double precision gains no more."""
Iterate = tuple[Blocks, Any]
"""qdd (N,) and z'r."""
Choice = Callable[[Iterator[Iterate], int], Blocks]
"""The iterate that is the solution, for an arm of so many degrees of freedom."""
PATIENCE = 20
"""Iterations allowed, in multiples of N."""


def solve(problem: Problem) -> dict[str, Blocks]:
    """Accelerations of the open chain, or of the closed one by Table I; preconditioned."""
    return closed(problem, lambda arm, tau: _open_chain(arm, tau, diagonal(arm), _converged(problem)))


def solve_plain(problem: Problem) -> dict[str, Blocks]:
    """Accelerations of the open chain, or of the closed one by Table I, with Lambda = U; `InputError` without
    convergence."""
    return closed(problem, lambda arm, tau: _open_chain(arm, tau, plain, _converged(problem)))


def plain(residual: Blocks) -> Blocks:
    """Lambda = U."""
    return residual


def diagonal(arm: SerialArm) -> Precondition:
    """Lambda = H R H*, one block a joint."""
    pairs = zip(arm.links, composite_inertias(arm), strict=True)
    factors = [factor(link.freedom.seen(composite.packed())) for link, composite in pairs]

    def precondition(residual: Blocks) -> Blocks:
        parts = zip(factors, arm.split(residual), strict=True)
        return joined([solved(ldl, part) for ldl, part in parts])

    return precondition


def open_chain(arm: SerialArm, tau: Blocks, precondition: Precondition, iterations: int) -> Free:
    """The tip free, after so many iterations; the counted form takes as many as degrees of freedom."""

    def last(made: Iterator[Iterate], degrees: int) -> Blocks:
        *_, (qdd, _) = islice(made, iterations + 1)
        return qdd

    return _open_chain(arm, tau, precondition, last)


def _open_chain(arm: SerialArm, tau: Blocks, precondition: Precondition, choose: Choice) -> Free:
    def solution(drive: Blocks) -> Blocks:
        return choose(iterates(arm, drive, precondition), arm.degrees)

    def respond(columns: Blocks) -> Blocks:
        return np.stack([solution(x) for x in transposed(columns)], axis=1)

    return Free(solution(tau - joined(newton_euler(arm))), respond)


def iterates(arm: SerialArm, drive: Blocks, precondition: Precondition) -> Iterator[Iterate]:
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


def _converged(problem: Problem) -> Choice:
    def choose(made: Iterator[Iterate], degrees: int) -> Blocks:
        most, first = PATIENCE * degrees, None
        for qdd, weight in islice(made, most + 1):
            first = weight if first is None else first
            if weight <= ENOUGH**2 * first:
                return qdd
        raise InputError(
            f"problem '{problem.name}': conjugate gradients have not converged after {most} iterations, "
            "the mass matrix is too badly conditioned for them; take forward-articulated"
        )

    return choose
