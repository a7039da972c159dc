"""The star program once more, serially, in the floating point of its numbers: where its digits go.

Revolute joints; a span of links is (A, J, C, b, eta) in the frames of the links, with the mathematics of
`senn.algorithms.kernels.two_ports`, and scans go by doubling. In np.longdouble it is right to 80 bits; what
is rounded to double precision between its steps shows what that alone costs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senn.algorithms.blocks import decomposed, solved
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots.joints import JOINTS
from tests.oracles.extended import orthogonal, tilde

Numbers = NDArray[Any]
Span = Sequence[Numbers]
"""A, J, C, b, eta: of each span a row."""


@dataclass(frozen=True, eq=False)
class Links:
    """Each about O_{i+1} in frame i+1."""

    transform: Numbers
    axis: Numbers
    inertia: Numbers
    swerve: Numbers
    """c."""
    load: Numbers
    """I c + p."""
    tau: Numbers

    def cast(self, to: type) -> Links:
        """Rounded, or as they are."""
        return Links(**{name: x.astype(to) for name, x in vars(self).items()})


def cast(span: Span, to: type) -> Span:
    """The same of spans."""
    return [x.astype(to) for x in span]


def t(x: Numbers) -> Numbers:
    return np.swapaxes(x, -1, -2)


def by(matrix: Numbers, vector: Numbers) -> Numbers:
    """Matrices times vectors."""
    return np.asarray((matrix @ vector[..., None])[..., 0])


def links(what: Problem) -> Links:
    """Of revolute joints, in np.longdouble, with rotations that are orthogonal to it."""
    chain, wide = what.chain, np.longdouble
    q, qd = what.q.astype(wide), what.qd.astype(wide)
    c = JOINTS["revolute"].turn(q[:, None], q) @ np.stack(
        [orthogonal(x.astype(wide)) for x in chain.rotation]
    )
    z, p = c[:, 2, :], chain.position.astype(wide)
    s, mass, central = chain.centre.astype(wide) - p, chain.mass.astype(wide), chain.inertia.astype(wide)
    transform, inertia = np.zeros((2, chain.n, 6, 6), wide)
    transform[:, :3, :3] = transform[:, 3:, 3:] = t(c)
    transform[:, 3:, :3] = -np.stack([tilde(x) for x in p]) @ t(c)
    across = np.stack([tilde(x) for x in s])
    lever = mass[:, None, None] * across
    inertia[:, :3, :3], inertia[:, :3, 3:], inertia[:, 3:, :3] = central - lever @ across, lever, -lever
    inertia[:, 3:, 3:] = mass[:, None, None] * np.eye(3)
    swerve, load, w, fall = (
        np.zeros((chain.n, 6), wide),
        np.zeros((chain.n, 6), wide),
        np.zeros(3, wide),
        orthogonal(chain.base_rotation.astype(wide)).T @ what.gravity.astype(wide),
    )
    for i in range(chain.n):
        w, fall = c[i].T @ w + z[i] * qd[i], c[i].T @ fall
        turning = np.cross(w, z[i] * qd[i])
        moving = np.cross(turning, p[i]) + np.cross(w, np.cross(w, p[i]))
        force = mass[i] * (moving + np.cross(turning, s[i]) + np.cross(w, np.cross(w, s[i])) - fall)
        moment = central[i] @ turning + np.cross(w, central[i] @ w) + np.cross(s[i], force)
        swerve[i], load[i] = np.concatenate([turning, moving]), np.concatenate([moment, force])
    axis = np.concatenate([z, np.cross(z, p)], axis=-1)
    return Links(transform, axis, inertia, swerve, load, what.tau.astype(wide))


def two_ports(of: Links) -> Span:
    """Of each link."""
    x, s, inertia = of.transform, of.axis, of.inertia
    borne = by(inertia, s)
    d = (s * borne).sum(axis=-1)[:, None]
    r = (of.tau[:, None] - (s * of.load).sum(axis=-1)[:, None]) / d
    return (
        x - s[:, :, None] * (by(t(x), borne) / d)[:, None, :],
        t(x) @ (inertia - borne[:, :, None] * (borne / d)[:, None, :]) @ x,
        s[:, :, None] * (s / d)[:, None, :],
        of.swerve + s * r,
        by(t(x), of.load + borne * r),
    )


def star(x: Span, y: Span) -> Span:
    """The product of an inner and an outer span."""
    a, j, c, b, eta = y
    lu = decomposed(np.eye(6, dtype=a.dtype) + x[2] @ j)
    k_a, k = solved(lu, x[0]), solved(lu, (x[3] - by(x[2], eta))[..., None])[..., 0]
    inertia, compliance = x[1] + t(x[0]) @ j @ k_a, c + a @ solved(lu, x[2]) @ t(a)
    halves = (inertia + t(inertia)) / 2, (compliance + t(compliance)) / 2
    return a @ k_a, *halves, by(a, k) + b, x[4] + by(t(x[0]), by(j, k) + eta)


def scans(own: Span, product: Callable[[Span, Span], Span] = star) -> tuple[Span, Span]:
    """Links 1..i, and links i..N."""
    inner, outer, h, n = own, own, 1, len(own[0])
    while h < n:
        behind = product([x[:-h] for x in inner], [x[h:] for x in inner])
        ahead = product([x[:-h] for x in outer], [x[h:] for x in outer])
        inner = [np.concatenate([x[:h], y]) for x, y in zip(inner, behind, strict=True)]
        outer = [np.concatenate([y, x[-h:]]) for x, y in zip(outer, ahead, strict=True)]
        h *= 2
    return inner, outer


def accelerations(of: Links, inner: Span, outer: Span, force: Numbers) -> Numbers:
    """qdd, from the spans on both sides of every joint and the contact force."""
    a, j, _, _, eta = outer
    beyond = by(t(a), force * np.ones_like(eta)) + eta
    before = np.zeros_like(eta)
    compliance, free = inner[2][:-1], inner[3][:-1]
    lu = decomposed(np.eye(6, dtype=a.dtype) + compliance @ j[1:])
    before[1:] = solved(lu, (free - by(compliance, beyond[1:]))[..., None])[..., 0]
    wrench = np.concatenate([(by(j, before) + beyond)[1:], force[None]])
    s = of.axis
    felt = by(of.inertia, by(of.transform, before)) + of.load + wrench
    return np.asarray((of.tau - (s * felt).sum(axis=-1)) / (s * by(of.inertia, s)).sum(axis=-1))
