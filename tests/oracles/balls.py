"""True answers of a problem: dense formulas on balls, no recursion of the product's and none of its solvers.

The numbers of chain, state and contact are taken as exact, also where a sine is needed. M, b and J are sums
over the bodies in base axes about the base's origin; then the equations of motion and those of the contact
are one linear system, solved whole:

    M qdd + J'F = tau - b,   F = free + bearing K,   W'(J qdd + Jdot qd) = G_C      Types I and II
    M qdd + J'F = tau - b,   F = M2 Omega + k2,      J qdd + Jdot qd = M1 Omega + k1      general

Rotations in double precision are not orthogonal, and formulas that agree for rotations then differ. By
default each is replaced by the nearest orthogonal matrix. How far answers move without that is what the
stored numbers leave open (`blur`): no certificate can tell more.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from flint import arb, arb_mat, ctx
from numpy.typing import ArrayLike, NDArray

from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots.chain import Chain

BITS = (320, 640, 1280, 2560)
NARROW = 1e-30
"""Largest radius of an answer over its largest entry."""


class Double(NamedTuple):
    """An answer as the sum of two doubles, to 32 digits."""

    high: NDArray[np.float64]
    low: NDArray[np.float64]


def answers(problem: Problem, names: Iterable[str], *, orthogonal: bool = True) -> dict[str, Double]:
    """The true answers of these names (`senn.algorithms.answers`).

    ArithmeticError where 2,560 bits do not bound them: the problem is singular.
    """
    before = ctx.prec
    try:
        for ctx.prec in BITS:
            try:
                dense = Dense(problem, orthogonal)
                found = {name: ANSWERS[name](dense) for name in names}
            except ZeroDivisionError:
                continue
            if all(map(_narrow, found.values())):
                return {name: _double(matrix, name) for name, matrix in found.items()}
        raise ArithmeticError("no bounded answer: the problem is singular")
    finally:
        ctx.prec = before


def error(computed: ArrayLike, true: Double) -> float:
    """norm(computed - true) / norm(true), Frobenius norms; of a zero, 0 if nothing was computed, else inf."""
    off = _norm((np.asarray(computed, dtype=np.float64) - true.high) - true.low)
    size = _norm(true.high)
    return off / size if size else np.inf if off else 0.0


def _norm(array: NDArray[np.float64]) -> float:
    largest = float(np.max(np.abs(array), initial=0.0))
    return largest * float(np.linalg.norm(array / largest)) if 0.0 < largest < np.inf else largest


# -------- matrices of balls


def matrix(numbers: ArrayLike) -> arb_mat:
    """Balls of radius zero; a vector is a column."""
    array = np.asarray(numbers, dtype=np.float64)
    rows = array.reshape(len(array), -1)
    return arb_mat(*rows.shape, rows.ravel().tolist())


def blocks(rows: Sequence[Sequence[arb_mat]]) -> arb_mat:
    """A matrix of blocks, row by row."""
    tables = [[block.tolist() for block in row] for row in rows]
    lines = [_flat(block[k] for block in row) for row in tables for k in range(len(row[0]))]
    return arb_mat(len(lines), len(lines[0]), _flat(lines))


def _flat(parts: Iterable[list[arb]]) -> list[arb]:
    return [x for part in parts for x in part]


def across(v: arb_mat) -> arb_mat:
    """The matrix of v x."""
    x, y, z = v.entries()
    return arb_mat(3, 3, [0, -z, y, z, 0, -x, -y, x, 0])


def _part(v: arb_mat, rows: slice) -> arb_mat:
    entries = v.entries()[rows]
    return arb_mat(len(entries), 1, entries)


def _unit(size: int) -> arb_mat:
    return matrix(np.eye(size))


def _zero(rows: int, columns: int) -> arb_mat:
    return arb_mat(rows, columns)


def _nearest_rotation(R: arb_mat) -> arb_mat:
    """The nearest orthogonal matrix, by Newton's iteration; it is within |1 - X'X| of X."""
    for _ in range(ctx.prec.bit_length() - 4):
        R = R * (3 * _unit(3) - R.transpose() * R) / 2
    off = sum((abs(x) for x in (_unit(3) - R.transpose() * R).entries()), arb(0))
    return R + arb_mat(3, 3, [arb(0, off.abs_upper())] * 9)


def _narrow(found: arb_mat) -> bool:
    entries = found.entries()
    if not all(x.is_finite() for x in entries):
        return False
    largest = max((x.abs_lower() for x in entries), default=arb(0))
    widest = max((x.rad() for x in entries), default=arb(0))
    return bool(widest <= NARROW * largest) or bool(widest < 1e-300)


def _double(found: arb_mat, name: str) -> Double:
    middles = [x.mid() for x in found.entries()]
    high = [float(x) for x in middles]
    low = [float(x - y) for x, y in zip(middles, high, strict=True)]
    shape = (found.nrows(),) if found.ncols() == 1 and name not in _SQUARE else (found.nrows(), found.ncols())
    return Double(np.array(high).reshape(shape), np.array(low).reshape(shape))


# -------- joints: how link i turns and shifts, in frame i, and how it can move


class Joint(NamedTuple):
    """A joint at its q and qd."""

    turn: arb_mat  # (3, 3)
    shift: arb_mat  # (3, 1)
    turning: arb_mat  # (3, k): angular rows of H, frame i
    sliding: arb_mat  # (3, k): linear rows, of the point of link i at O_i
    drift: arb_mat  # (6, 1): Hdot qd


def _joint(kind: str, q: list[arb], qd: list[arb], parameter: arb, unit: bool) -> Joint:
    z, none, still = matrix([0, 0, 1]), matrix([0, 0, 0]), _unit(3)
    steady, turned = _zero(6, 1), partial(_of_quaternion, unit=unit)
    match kind:
        case "revolute":
            return Joint(_about(z, q[0]), none, z, none, steady)
        case "prismatic":
            return Joint(still, z * q[0], none, z, steady)
        case "helical":
            return Joint(_about(z, q[0]), z * (parameter * q[0]), z, z * parameter, steady)
        case "cylindrical":
            return Joint(_about(z, q[0]), z * q[1], blocks([[z, none]]), blocks([[none, z]]), steady)
        case "universal":
            first, axis = _about(z, q[0]), arb_mat(3, 1, [parameter.sin(), 0, parameter.cos()])
            second = first * axis
            turning = across(z) * second * (qd[0] * qd[1])
            axes = blocks([[z, second]])
            return Joint(first * _about(axis, q[1]), none, axes, _zero(3, 2), blocks([[turning], [none]]))
        case "planar":
            shift = arb_mat(3, 1, [q[1], q[2], 0])
            rate = arb_mat(3, 1, [qd[1], qd[2], 0])
            turning = blocks([[z, none, none]])
            # the point of the link at O_i is at -shift from its own origin
            sliding = blocks([[across(shift) * z, matrix([1, 0, 0]), matrix([0, 1, 0])]])
            drift = blocks([[none], [across(rate) * z * qd[0]]])
            return Joint(_about(z, q[0]), shift, turning, sliding, drift)
        case "spherical":
            return Joint(turned(q), none, still, _zero(3, 3), steady)
        case "free":
            shift, rate = arb_mat(3, 1, q[4:]), arb_mat(3, 1, qd[3:])
            omega = arb_mat(3, 1, qd[:3])
            turning = blocks([[still, _zero(3, 3)]])
            sliding = blocks([[across(shift), still]])
            return Joint(turned(q[:4]), shift, turning, sliding, blocks([[none], [across(rate) * omega]]))
        case "welded":
            return Joint(still, none, _zero(3, 0), _zero(3, 0), steady)
    raise ValueError(f"no joint of type {kind}")


def _about(axis: arb_mat, angle: arb) -> arb_mat:
    """Rotation about a unit axis (Rodrigues)."""
    cross = across(axis)
    return _unit(3) + cross * angle.sin() + cross * cross * (1 - angle.cos())


def _of_quaternion(q: list[arb], unit: bool) -> arb_mat:
    """Rotation of a quaternion w x y z, made of unit length or taken as it is."""
    length = sum((x * x for x in q), arb(0)).sqrt() if unit else arb(1)
    w, *rest = (x / length for x in q)
    v = arb_mat(3, 1, rest)
    return _unit(3) + across(v) * (2 * w) + across(v) * across(v) * 2


# -------- the arm in base axes, six-vectors about the base's origin


@dataclass(frozen=True, eq=False)
class Body:
    """A link with its joint."""

    parent: int  # Index in the list of bodies; -1: the base
    main: bool  # Whether it is a link of the main chain
    axes: arb_mat  # (3, 3): of the joint's frame, in base axes
    origin: arb_mat  # (3, 1): of the joint's frame
    subspace: arb_mat  # (6, k)
    drift: arb_mat  # (6, 1)
    inertia: arb_mat  # (6, 6)
    end: tuple[arb_mat, arb_mat]
    """Axes and origin of the frame in which the link ends."""
    rows: slice  # In qd


class Dense:
    """M, b, J and all that follows from them."""

    def __init__(self, problem: Problem, orthogonal: bool) -> None:
        self.problem, self._orthogonal = problem, orthogonal
        self.bodies: list[Body] = []
        self._chain(problem.chain, -1, (_unit(3), _zero(3, 1)), [0, 0], True)
        self.tip = self.bodies[problem.chain.n - 1].end
        self.owner = [k for k, body in enumerate(self.bodies) for _ in range(body.subspace.ncols())]

    def _rotation(self, stored: NDArray[np.float64]) -> arb_mat:
        return _nearest_rotation(matrix(stored)) if self._orthogonal else matrix(stored)

    def _chain(
        self, chain: Chain, parent: int, base: tuple[arb_mat, arb_mat], done: list[int], main: bool
    ) -> None:
        """Append the bodies of a chain, then those of its branches; `done` counts numbers of q and qd."""
        axes = base[0] * self._rotation(chain.base_rotation)
        origin = base[1] + base[0] * matrix(chain.base_position)
        q, qd = (list(map(arb, x.tolist())) for x in (self.problem.q, self.problem.qd))
        first = len(self.bodies)
        for i, kind in enumerate(chain.joints):
            counts = [s.slices[i].stop - s.slices[i].start for s in (chain.q_shares, chain.qd_shares)]
            own_q, own_qd = (slice(start, start + count) for start, count in zip(done, counts, strict=True))
            done[:] = own_q.stop, own_qd.stop
            joint = _joint(kind, q[own_q], qd[own_qd], arb(float(chain.parameters[i])), self._orthogonal)
            end = axes * joint.turn * self._rotation(chain.rotation[i])
            moved = origin + axes * joint.shift
            centre = moved + end * matrix(chain.centre[i])
            turning, sliding = axes * joint.turning, axes * joint.sliding
            drift = _part(joint.drift, slice(0, 3)), _part(joint.drift, slice(3, 6))
            self.bodies.append(
                Body(
                    parent,
                    main,
                    axes,
                    origin,
                    blocks([[turning], [sliding + across(origin) * turning]]),
                    blocks([[axes * drift[0]], [axes * drift[1] + across(origin) * axes * drift[0]]]),
                    _inertia(float(chain.mass[i]), end * matrix(chain.inertia[i]) * end.transpose(), centre),
                    (end, moved + end * matrix(chain.position[i])),
                    own_qd,
                )
            )
            parent, axes, origin = len(self.bodies) - 1, *self.bodies[-1].end
        for branch in chain.branches:
            at = first + branch.at - 1
            self._chain(branch.chain, at, self.bodies[at].end, done, False)

    @cached_property
    def to_tip(self) -> arb_mat:
        """(6, 6): velocities about the base's origin to those of O_{n+1}, in end-effector axes."""
        axes, origin = self.tip
        inward = axes.transpose()
        return blocks([[inward, _zero(3, 3)], [-inward * across(origin), inward]])

    @cached_property
    def M(self) -> arb_mat:
        composite = [body.inertia for body in self.bodies]
        ancestors = [{k} for k in range(len(self.bodies))]
        for k, body in enumerate(self.bodies):
            if body.parent >= 0:
                ancestors[k] |= ancestors[body.parent]
        for k in reversed(range(len(self.bodies))):
            if (parent := self.bodies[k].parent) >= 0:
                composite[parent] = composite[parent] + composite[k]
        moving = [k for k, body in enumerate(self.bodies) if body.subspace.ncols()]
        all_axes = blocks([[self.bodies[k].subspace for k in moving]])
        momenta = blocks([[composite[k] * self.bodies[k].subspace for k in moving]])
        pairs = (all_axes.transpose() * momenta).tolist()  # right where the row's joint is the inner one
        size = len(self.owner)
        entries = [arb(0)] * (size * size)
        for j, outer in enumerate(self.owner):
            for i in range(j + 1):
                if self.owner[i] in ancestors[outer]:
                    entries[i * size + j] = entries[j * size + i] = pairs[i][j]
        return arb_mat(size, size, entries)

    @cached_property
    def J(self) -> arb_mat:
        n = self.problem.chain.n
        columns = [
            body.subspace if k < n else _zero(6, body.subspace.ncols()) for k, body in enumerate(self.bodies)
        ]
        return self.to_tip * blocks([[column for column in columns if column.ncols()]])

    def motion(self, qdd: arb_mat, force: arb_mat | None = None) -> tuple[arb_mat, arb_mat, arb_mat]:
        """tau, the tip's classical acceleration (6, 1), and the interbody forces (n, 6)."""
        qd, fall = matrix(self.problem.qd), blocks([[_zero(3, 1)], [matrix(self.problem.gravity)]])
        velocities, accelerations, loads = [], [], []
        for body in self.bodies:
            inner = velocities[body.parent] if body.parent >= 0 else _zero(6, 1)
            rate = body.subspace * _part(qd, body.rows) if body.subspace.ncols() else _zero(6, 1)
            wanted = body.subspace * _part(qdd, body.rows) if body.subspace.ncols() else _zero(6, 1)
            before = accelerations[body.parent] if body.parent >= 0 else _zero(6, 1)
            velocity, acceleration = inner + rate, before + wanted + body.drift + _crossed(inner, rate)
            velocities.append(velocity)
            accelerations.append(acceleration)
            loads.append(
                body.inertia * (acceleration - fall) + _crossed_force(velocity, body.inertia * velocity)
            )
        last = self.problem.chain.n - 1
        if force is not None:
            loads[last] = loads[last] + self.to_tip.transpose() * force
        for k in reversed(range(len(self.bodies))):
            if (parent := self.bodies[k].parent) >= 0:
                loads[parent] = loads[parent] + loads[k]
        torques = [
            (body.subspace.transpose() * load).entries()
            for body, load in zip(self.bodies, loads, strict=True)
            if body.subspace.ncols()
        ]
        at_tip, velocity = self.to_tip * accelerations[last], self.to_tip * velocities[last]
        turning = across(_part(velocity, slice(0, 3))) * _part(velocity, slice(3, 6))
        wrenches = [
            _wrench(body, load).entries() for body, load in zip(self.bodies, loads, strict=True) if body.main
        ]
        tau = _flat(torques)
        return (
            arb_mat(len(tau), 1, tau),
            at_tip + blocks([[_zero(3, 1)], [turning]]),
            arb_mat(len(wrenches), 6, _flat(wrenches)),
        )

    @cached_property
    def unaccelerated(self) -> tuple[arb_mat, arb_mat]:
        """b and Jdot qd."""
        torque, tip, _ = self.motion(_zero(len(self.owner), 1))
        return torque, tip

    @cached_property
    def drive(self) -> arb_mat:
        """tau - b."""
        return matrix(self.problem.tau) - self.unaccelerated[0]

    @cached_property
    def response(self) -> arb_mat:
        """M^-1 of tau - b, and of J'."""
        return self.M.solve(blocks([[self.drive, self.J.transpose()]]))

    @cached_property
    def qdd0(self) -> arb_mat:
        rows = self.response.tolist()
        return arb_mat(len(rows), 1, [row[0] for row in rows])

    @cached_property
    def lambda_inverse(self) -> arb_mat:
        rows = self.response.tolist()
        return self.J * arb_mat(len(rows), 6, _flat(row[1:] for row in rows))

    @cached_property
    def closed(self) -> tuple[arb_mat, arb_mat]:
        """qdd and F."""
        contact, size = self.problem.contact, len(self.owner)
        if contact.law:
            law = contact.law
            pressing, offset = matrix(law.M2), matrix(law.k2)
            held, moved, target = self.J, -matrix(law.M1), matrix(law.k1) - self.unaccelerated[1]
        else:
            free = [matrix(contact.H) * matrix(contact.K_F)] if contact.K_F.size else []
            offset = free[0] if free else _zero(6, 1)
            if not contact.constrained:
                return self.M.solve(self.drive - self.J.transpose() * offset), offset
            W = matrix(contact.W)
            pressing = (
                W + matrix(contact.H) * matrix(contact.phi) if contact.kind == "II" and contact.H.size else W
            )
            held = W.transpose() * self.J
            moved = _zero(held.nrows(), held.nrows())
            target = matrix(contact.G_C) - W.transpose() * self.unaccelerated[1]
        left = blocks([[self.M, self.J.transpose() * pressing], [held, moved]])
        right = blocks([[self.drive - self.J.transpose() * offset], [target]])
        solution = left.solve(right)
        unknowns = _part(solution, slice(size, None))
        return _part(solution, slice(0, size)), offset + pressing * unknowns


def _inertia(mass: float, central: arb_mat, centre: arb_mat) -> arb_mat:
    arm = across(centre) * arb(mass)
    return blocks([[central - arm * across(centre), arm], [-arm, _unit(3) * arb(mass)]])


def _crossed(velocity: arb_mat, other: arb_mat) -> arb_mat:
    """The rate of a motion that is carried along with `velocity`."""
    omega, v = (across(_part(velocity, rows)) for rows in (slice(0, 3), slice(3, 6)))
    turning, sliding = _part(other, slice(0, 3)), _part(other, slice(3, 6))
    return blocks([[omega * turning], [omega * sliding + v * turning]])


def _crossed_force(velocity: arb_mat, momentum: arb_mat) -> arb_mat:
    omega, v = (across(_part(velocity, rows)) for rows in (slice(0, 3), slice(3, 6)))
    moment, force = _part(momentum, slice(0, 3)), _part(momentum, slice(3, 6))
    return blocks([[omega * moment + v * force], [omega * force]])


def _wrench(body: Body, load: arb_mat) -> arb_mat:
    """A load about O_i, in frame i."""
    moment, force = _part(load, slice(0, 3)), _part(load, slice(3, 6))
    inward = body.axes.transpose()
    return blocks([[inward * (moment - across(body.origin) * force)], [inward * force]])


def _mass_at_tip(dense: Dense) -> arb_mat:
    return dense.lambda_inverse.inv()


_SQUARE = ("lambda_inverse", "operational_mass", "mass_matrix", "inverse_mass_matrix", "forces")
ANSWERS: dict[str, Callable[[Dense], Any]] = {
    "qdd": lambda dense: dense.closed[0],
    "force": lambda dense: dense.closed[1],
    "qdd0": lambda dense: dense.qdd0,
    "acceleration0": lambda dense: dense.J * dense.qdd0 + dense.unaccelerated[1],
    "lambda_inverse": lambda dense: dense.lambda_inverse,
    "forces": lambda dense: dense.motion(*dense.closed)[2],
    "operational_mass": _mass_at_tip,
    "tip_acceleration": lambda dense: dense.lambda_inverse * matrix(dense.problem.tip_vector),
    "tip_wrench": lambda dense: dense.lambda_inverse.solve(matrix(dense.problem.tip_vector)),
    "tau": lambda dense: dense.motion(matrix(dense.problem.qdd))[0],
    "mass_matrix": lambda dense: dense.M,
    "inverse_mass_matrix": lambda dense: dense.M.inv(),
}
"""Every answer by name."""
