"""Forward dynamics of the open chain, a section per algorithm: articulated bodies, the innovations
factorisation, conjugate gradients. That by the mass matrix is in `joint_space`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from senn.algorithms.blocks import Blocks, factor, times, transposed
from senn.algorithms.family import popov_vereshchagin as pv
from senn.algorithms.family.arm import BASE, ChildSums, SerialArm, Vectors, ancestors, inwards, joined, zeros
from senn.algorithms.family.closing import Free, closed
from senn.algorithms.family.joint_space import at_rest, newton_euler, without_bias
from senn.algorithms.family.link import divided, inward, outward, product
from senn.algorithms.family.sweeps import Hinge, composite_inertias
from senn.algorithms.problems.problem import Problem
from senn.base.errors import InputError

# ---------------------------------------------------------------------- articulated bodies, O(N)
#
# The bias on the way or computed before: Jain Eqs. (45)-(46), (55), (60). Published by Vereshchagin (1974),
# Armstrong (1979, spherical joints), Featherstone (1983), Rodriguez (1987), Brandl, Johanni and Otter (1986),
# Bae and Haug (1987), Rosenthal (1987): one algorithm, as Jain shows.


def by_articulated_bodies(arm: SerialArm, tau: Blocks) -> Free:
    """The tip free. Nothing is computed before: the accelerations a and forces b that velocities cause go
    through the same two passes as the torques, z = phi (z+ + b) + P a and alpha = alpha+ + H'qdd + a (60)."""
    whole, by, none = pv.both_passes(arm, tau, zeros(arm, 6, 0))
    qdd, _ = pv.accelerations(arm, whole, by, arm.weight, none)
    return Free(qdd, lambda x: joined(accelerations(arm, whole.hinges, arm.split(x))))


def by_articulated_bodies_precomputed(arm: SerialArm, tau: Blocks) -> Free:
    """The tip free. Newton-Euler gives the bias C; under T - C the arm is at rest."""
    return without_bias(arm, tau, partial(accelerations, arm, pv.response(arm, zeros(arm, 6, 0)).hinges))


def accelerations(arm: SerialArm, joints: list[Hinge], torque: Vectors) -> Vectors:
    """M^-1 T, Eq. (46), of an arm at rest: filter and smoother (Rodriguez 1987); torque_i (n_i,) or (n_i, r).

    Inward, z collects the effects of the joints' efforts beyond; outward, every joint follows the motion of
    its own link's point. As an operator: qdd = [U - H psi K]* D^-1 [U - H psi K] (T - C), a product of
    triangular matrices that nobody forms.
    """
    columns = torque[0].shape[1:]
    beyond, alone = ChildSums(arm, zeros(arm, 6, *columns)), []
    for i in inwards(arm):
        z = inward(arm.links[i], beyond[i])
        alone.append(joints[i].alone(torque[i] - arm.links[i].freedom.along(z)))  # nu = D^-1 epsilon
        beyond.add(i, z + product(joints[i].reach, alone[-1]))
    alpha, qdd = {BASE: zeros(arm, 6, *columns)}, []
    for i, (link, hinge, nu) in enumerate(zip(arm.links, joints, reversed(alone), strict=True)):
        before = alpha[arm.parents[i]]
        qdd.append(nu - product(transposed(hinge.gain), before))
        alpha[i] = outward(link, link.freedom.added(before, qdd[i]))
    return qdd


# ---------------------------------------- triangular equations: the innovations factorisation, O(N^2)
#
# Jain section 4 and Lemma 6.2; Rosenthal (1988). M = [U + H phi K] D [U + H phi K]*, of which K and D come
# from the articulated inertias in O(N) and the triangular factor, element by element, in O(N^2). Then two
# triangular systems: [U + H phi K] D x = T - C and [U + H phi K]* qdd = x. Counted from the base the first
# factor is upper.

Triangle = list[dict[int, Blocks]]
"""Entry [j][i] is block (i, j) of H phi K, for an ancestor i of j; the other blocks are zero."""


def by_innovations(arm: SerialArm, tau: Blocks) -> Free:
    """The tip free."""
    joints = pv.response(arm, zeros(arm, 6, 0)).hinges
    return without_bias(arm, tau, partial(solved_by_triangles, joints, triangle(arm, joints)))


def triangle(arm: SerialArm, joints: list[Hinge]) -> Triangle:
    """H phi K: column j is G_j brought inward, felt by each joint on the way."""
    columns: Triangle = []
    for j, hinge in enumerate(joints):
        gain, felt = hinge.gain, {}
        for i in ancestors(arm, j):
            gain = inward(arm.links[i], gain)
            felt[i] = arm.links[i].freedom.along(gain)
        columns.append(felt)
    return columns


def solved_by_triangles(joints: list[Hinge], upper: Triangle, torque: Vectors) -> Vectors:
    """Both triangular systems; torque_i (n_i,) or (n_i, r)."""
    x = list(torque)
    for j in reversed(range(len(x))):
        for i, block in upper[j].items():
            x[i] = x[i] - product(block, x[j])
        x[j] = joints[j].alone(x[j])
    for j in range(len(x)):
        for i, block in upper[j].items():
            x[j] = x[j] - product(transposed(block), x[i])
    return x


# ---------------------------------------------------------------------- conjugate gradients, O(N^2)
#
# Walker and Orin (1982), method 4; Jain Eq. (30). The product M p is inverse dynamics of an arm at rest,
# O(N), and N iterations are enough but for rounding. Preconditioned with Lambda = diag(H R H*), the diagonal
# of M, which composite inertias give in O(N): Fijany and Scheid (1989). Jain prints gamma_k = z'z / r'r; that
# converges with Lambda = U alone. It is gamma_k = z_{k-1}'r_{k-1} / z_{k-2}'r_{k-2} (Golub and Van Loan,
# Algorithm 10.3.1).

Precondition = Callable[[Blocks], Blocks]  # z = Lambda^-1 r
ENOUGH = 1e-16
"""When z'r has fallen to the square of this, relative to its start, double precision gains no more."""
Iterates = Iterator[tuple[Blocks, Any]]  # qdd (N,) and z'r after each iteration
PATIENCE = 20  # Iterations allowed, in multiples of N


def solve_by_gradients(
    problem: Problem, precondition: Callable[[SerialArm], Precondition]
) -> dict[str, Blocks]:
    """Accelerations of the open chain, or of the closed one by Table I; `InputError` without convergence."""

    def converged(made: Iterates) -> Blocks:
        most, first = PATIENCE * problem.chain.degrees, None
        for qdd, weight in islice(made, most + 1):
            first = weight if first is None else first
            if weight <= ENOUGH**2 * first:
                return qdd
        raise InputError(
            f"problem '{problem.name}': conjugate gradients have not converged after {most} iterations, "
            "the mass matrix is too badly conditioned for them; take forward-articulated"
        )

    return closed(problem, lambda arm, tau: _by_gradients(arm, tau, precondition(arm), converged))


def plain(arm: SerialArm) -> Precondition:
    """Lambda = U."""
    return lambda residual: residual


def diagonal(arm: SerialArm) -> Precondition:
    """Lambda = H R H*, one block a joint."""
    pairs = zip(arm.links, composite_inertias(arm), strict=True)
    factors = [factor(link.freedom.seen(composite.packed())) for link, composite in pairs]

    def precondition(residual: Blocks) -> Blocks:
        parts = zip(factors, arm.split(residual), strict=True)
        return joined([divided(ldl, part) for ldl, part in parts])

    return precondition


def by_gradients(arm: SerialArm, tau: Blocks, precondition: Precondition, iterations: int) -> Free:
    """The tip free, after so many iterations; the counted form takes as many as degrees of freedom."""
    return _by_gradients(arm, tau, precondition, lambda made: next(islice(made, iterations, None))[0])


def _by_gradients(
    arm: SerialArm, tau: Blocks, precondition: Precondition, choose: Callable[[Iterates], Blocks]
) -> Free:
    def solution(drive: Blocks) -> Blocks:
        return choose(iterates(arm, drive, precondition))

    def respond(columns: Blocks) -> Blocks:
        return np.stack([solution(x) for x in transposed(columns)], axis=1)

    return Free(solution(tau - newton_euler(arm)), respond)


def iterates(arm: SerialArm, drive: Blocks, precondition: Precondition) -> Iterates:
    """From qdd = 0 on, after each iteration: qdd (N,), and z'r, which says how far there is to go."""
    qdd, residual, direction, before = np.zeros_like(drive), drive, None, None
    while True:
        z = precondition(residual)
        weight = _dot(z, residual)
        yield qdd, weight
        direction = z if direction is None else z + direction * (weight / before)
        moved = at_rest(arm, direction)
        step = weight / _dot(direction, moved)
        qdd, residual, before = qdd + direction * step, residual - moved * step, weight


def _dot(x: Blocks, y: Blocks) -> Any:
    return times(x[None], y[:, None])[0, 0]
