"""Articulated bodies, finer than double precision: what the errors of all others are measured against.

`enclosed` computes with balls (Arb: a midpoint and a radius that bounds every rounding since the input), so
that the answers are proven to lie in what it returns; `solve` with the floating point of x86, np.longdouble:
eps 1e-19, 2,000 times finer than double precision. One text serves both: arrays of balls are NumPy's arrays
of objects. The numbers of the problem are taken as exact, but for rotations, which are replaced by the
nearest orthogonal matrices: those of double precision are not, and formulas that agree for rotations would
differ. Nothing but NumPy's products and sums is used, as its linear algebra knows single and double precision
only. Spatial (Featherstone's) accelerations inside, classical ones outside.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike, NDArray

from senn.algorithms.problems.problem import Problem, Solution
from senn.algorithms.robots import side_tree
from senn.algorithms.robots.joints import JOINTS
from senn.base.errors import InputError

Numbers: TypeAlias = NDArray[Any]
Reading: TypeAlias = Callable[[ArrayLike], Numbers]
"""From doubles to the same numbers in wider arithmetic."""
NARROW = 1e-25
"""Largest radius of an answer over its largest entry: a billionth of what double precision can tell."""


def enclosed(problem: Problem) -> Solution:
    """The closed chain of Fijany Table I; every array of the solution has balls that hold the exact answer.

    Radii grow by about six bits a link; precision grows until they are below NARROW. ArithmeticError where
    four times the precision is not enough: the problem is singular.
    """
    before, first = ctx.prec, 192 + 6 * problem.chain.n
    try:
        for bits in (first, first * 5 // 4, first * 2, first * 4):
            ctx.prec = bits
            solution = _solution(problem, balls)
            if all(_radius(getattr(solution, field.name)) < NARROW for field in fields(solution)):
                return solution
        raise ArithmeticError("no bounded answer: the problem is singular")
    finally:
        ctx.prec = before


def solve(problem: Problem) -> Solution:
    """The closed chain of Fijany Table I; every array of the solution is of np.longdouble.

    `InputError` where np.longdouble is no wider than double precision.
    """
    if np.finfo(np.longdouble).eps > 1e-18:
        raise InputError(
            "80-bit arithmetic is not there: np.longdouble of this machine is no wider than double"
        )
    return _solution(problem, long_doubles)


def error(computed: ArrayLike, right: Numbers) -> float:
    """norm(computed - right) / norm(right), of balls an upper bound; 2-norms or Frobenius norms.

    Where the right answer is zero, 0 if nothing else was computed, and infinite otherwise.
    """
    if right.dtype == object:
        off = [float(x.abs_upper()) for x in (balls(computed) - right).ravel()]
        size = [float(x.abs_lower()) for x in right.ravel()]
    else:
        off, size = np.longdouble(np.asarray(computed)) - right, right
    above, below = (float(np.linalg.norm(np.float64(x).ravel())) for x in (off, size))
    return above / below if below else np.inf if above else 0.0


def balls(numbers: ArrayLike) -> Numbers:
    """Balls of radius zero."""
    doubles = np.asarray(numbers, dtype=np.float64)
    return np.array([*map(arb, doubles.ravel().tolist()), None], dtype=object)[:-1].reshape(doubles.shape)


def long_doubles(numbers: ArrayLike) -> Numbers:
    return np.asarray(numbers, dtype=np.longdouble)


def _radius(answer: Numbers) -> float:
    """The largest, over the largest magnitude (or over 1e-25, where nothing is left of an answer)."""
    entries = answer.ravel().tolist()
    if not all(x.is_finite() for x in entries):
        return np.inf
    largest = max(x.abs_lower() for x in [arb(NARROW), *entries])
    return max(float((x.rad() / largest).abs_upper()) for x in entries)


def _solution(problem: Problem, exactly: Reading) -> Solution:
    arm = _arm(problem, exactly)
    still, free = exactly(np.zeros_like(problem.qd)), exactly(np.zeros(6))
    bias, jdot_qd, _ = _inverse_dynamics(arm, still, free)
    right = np.concatenate([exactly(problem.tau)[:, None] - bias[:, None], still[:, None] * free], axis=1)
    tip_forces = np.concatenate([free[:, None], exactly(-np.eye(6))], axis=1)
    acceleration, tip = _respond(arm, right, tip_forces)
    qdd0, unit_response = acceleration[:, 0], acceleration[:, 1:]
    lambda_inverse = (tip[:, 1:] + tip[:, 1:].T) / 2
    acceleration0 = tip[:, 0] + jdot_qd
    force = _contact_force(problem, lambda_inverse, acceleration0, exactly)
    qdd = qdd0 - unit_response @ force
    _, _, forces = _inverse_dynamics(arm, qdd, force)
    return Solution(qdd, force, lambda_inverse, qdd0, acceleration0, forces)


@dataclass(frozen=True, eq=False)
class _Arm:
    """Link i in frame i at O_i."""

    subspace: Sequence[Numbers]
    """H_i, (6, n_i)."""
    drift: Numbers
    """(n, 6): Hdot_i qd_i."""
    motion: Numbers
    """(n, 6, 6): velocities of link i at O_i, frame i, to O_{i+1}, frame i+1."""
    inertia: Numbers
    """(n, 6, 6)"""
    qd: Numbers
    gravity: Numbers
    """(3,), frame 1."""
    rows: Sequence[slice]
    """Where the n_i numbers of joint i are in qd."""


def _arm(problem: Problem, exactly: Reading) -> _Arm:
    chain = problem.chain
    side_tree.refuse(chain)
    q, qd = exactly(problem.q), exactly(problem.qd)
    subspace, motion, inertia, drift = [], [], [], []
    for i, name in enumerate(chain.joints):
        joint, parameter = JOINTS[name], exactly(chain.parameters[i])
        own, rows = q[chain.q_shares.slices[i]], chain.qd_shares.slices[i]
        turn = orthogonal(joint.turn(own, parameter) @ exactly(chain.rotation[i]))
        shift = joint.shift(own, parameter)
        reach = turn @ exactly(chain.position[i]) + shift
        centre = turn @ exactly(chain.centre[i]) + shift
        subspace.append(joint.subspace(own, parameter))
        drift.append(joint.drift(own, qd[rows], parameter))
        motion.append(_carried(turn, reach))
        inertia.append(_inertia(chain.mass[i], turn @ exactly(chain.inertia[i]) @ turn.T, centre))
    gravity = orthogonal(exactly(chain.base_rotation)).T @ exactly(problem.gravity)
    return _Arm(
        subspace, np.array(drift), np.array(motion), np.array(inertia), qd, gravity, chain.qd_shares.slices
    )


def _inverse_dynamics(arm: _Arm, qdd: Numbers, force: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """tau; the classical acceleration (6,) of the end effector, frame n+1; the interbody forces (n, 6)."""
    velocity, acceleration, gravity = (np.zeros(k, dtype=arm.qd.dtype) for k in (6, 6, 3))
    gravity = gravity + arm.gravity
    loads = np.empty_like(arm.drift)
    for i, (H, rows) in enumerate(zip(arm.subspace, arm.rows, strict=True)):
        relative = H @ arm.qd[rows]
        acceleration = acceleration + _crossed(velocity, relative) + arm.drift[i] + H @ qdd[rows]
        velocity = velocity + relative
        momentum = arm.inertia[i] @ velocity
        falling = np.concatenate([acceleration[:3], acceleration[3:] - gravity])
        loads[i] = arm.inertia[i] @ falling + np.concatenate(
            [
                np.cross(velocity[:3], momentum[:3]) + np.cross(velocity[3:], momentum[3:]),
                np.cross(velocity[:3], momentum[3:]),
            ]
        )
        velocity, acceleration = arm.motion[i] @ velocity, arm.motion[i] @ acceleration
        gravity = arm.motion[i, :3, :3] @ gravity
    tau, beyond = np.empty_like(arm.qd), force
    for i in reversed(range(len(loads))):
        loads[i] += arm.motion[i].T @ beyond
        beyond = loads[i]
        tau[arm.rows[i]] = arm.subspace[i].T @ beyond
    acceleration[3:] += np.cross(velocity[:3], velocity[3:])
    return tau, acceleration, loads


def _respond(arm: _Arm, torque: Numbers, tip_force: Numbers) -> tuple[Numbers, Numbers]:
    """M^-1 (torque - J' tip_force) for columns, and J times that; the force BY the end effector."""
    n, columns = len(arm.inertia), torque.shape[1]
    drive, share = np.empty_like(torque), []
    beyond, bias = np.zeros((6, 6), dtype=torque.dtype), tip_force
    for i in reversed(range(n)):
        H, rows, motion = arm.subspace[i], arm.rows[i], arm.motion[i]
        whole = arm.inertia[i] + motion.T @ beyond @ motion
        bias = motion.T @ bias
        reach = whole @ H
        share.append(solved(H.T @ reach, reach.T))
        drive[rows] = solved(H.T @ reach, torque[rows] - H.T @ bias)
        bias = bias + reach @ drive[rows]
        beyond = whole - reach @ share[-1]
        beyond = (beyond + beyond.T) / 2
    out, acceleration = np.empty_like(torque), np.zeros((6, columns), dtype=torque.dtype)
    for i, (H, rows) in enumerate(zip(arm.subspace, arm.rows, strict=True)):
        out[rows] = drive[rows] - share[n - 1 - i] @ acceleration
        acceleration = arm.motion[i] @ (acceleration + H @ out[rows])
    return out, acceleration


def _contact_force(
    problem: Problem, lambda_inverse: Numbers, acceleration0: Numbers, exactly: Reading
) -> Numbers:
    """Eqs. (29) and (24), (38) and (39)."""
    contact = problem.contact
    if contact.law:
        law = contact.law
        M1, k1, M2, k2 = (exactly(x) for x in (law.M1, law.k1, law.M2, law.k2))
        unknowns = solved(lambda_inverse @ M2 + M1, (acceleration0 - k1 - lambda_inverse @ k2)[:, None])
        return np.asarray(M2 @ unknowns[:, 0] + k2)
    W, bearing = exactly(contact.W), exactly(contact.bearing)
    free = exactly(contact.H) @ exactly(contact.K_F)
    if not contact.constrained:
        return np.asarray(free)
    assert contact.G_C is not None  # `settled` has looked
    right = W.T @ (acceleration0 - lambda_inverse @ free) - exactly(contact.G_C)
    return np.asarray(free + bearing @ solved(W.T @ lambda_inverse @ bearing, right[:, None])[:, 0])


def solved(matrix: Numbers, right: Numbers) -> Numbers:
    """matrix^-1 right for a matrix (k, k) and right (k, r), by elimination with partial pivoting."""
    a, x = matrix.copy(), right.copy()
    for k in range(len(a)):
        pivot = k + int(np.argmax(np.abs(a[k:, k].astype(np.float64))))
        a[[k, pivot]], x[[k, pivot]] = a[[pivot, k]], x[[pivot, k]]
        for row in range(k + 1, len(a)):
            factor = a[row, k] / a[k, k]
            a[row] -= factor * a[k]
            x[row] -= factor * x[k]
    for k in reversed(range(len(a))):
        x[k] = (x[k] - a[k, k + 1 :] @ x[k + 1 :]) / a[k, k]
    return x


def orthogonal(matrix: Numbers) -> Numbers:
    """The orthogonal matrix nearest to one that is nearly so, by Newton's iteration.

    X has the singular values of what is left to correct, and the nearest orthogonal matrix is off by at most
    |1 - s| <= |1 - s^2|: balls are widened by the norm of 1 - X'X.
    """
    unit = np.eye(3, dtype=matrix.dtype)
    for _ in range(ctx.prec.bit_length() - 4 if matrix.dtype == object else 2):
        matrix = matrix @ (3 * unit - matrix.T @ matrix) / 2
    if matrix.dtype == object:
        off = sum((abs(x) for x in (unit - matrix.T @ matrix).ravel()), arb(0))
        matrix = matrix + arb(0, off.abs_upper())
    return matrix


def _crossed(a: Numbers, b: Numbers) -> Numbers:
    """a x b of motion vectors: the rate of b carried along with a."""
    return np.concatenate([np.cross(a[:3], b[:3]), np.cross(a[:3], b[3:]) + np.cross(a[3:], b[:3])])


def tilde(p: Numbers) -> Numbers:
    x, y, z = p
    zero = 0 * x
    return np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]])


def _carried(turn: Numbers, reach: Numbers) -> Numbers:
    """[C', 0; -C' P~, C'] with P in frame i, which is hat(P_i)' C6(i+1,i)."""
    out = np.zeros((6, 6), dtype=turn.dtype)
    out[:3, :3] = out[3:, 3:] = turn.T
    out[3:, :3] = -turn.T @ tilde(reach)
    return out


def _inertia(mass: float, central: Numbers, centre: Numbers) -> Numbers:
    """Eq. (2)."""
    out, s = np.zeros((6, 6), dtype=centre.dtype), tilde(centre)
    out[:3, :3] = central - mass * (s @ s)
    out[:3, 3:] = mass * s
    out[3:, :3] = -mass * s
    out[3:, 3:] = mass * np.eye(3, dtype=centre.dtype)
    return out
