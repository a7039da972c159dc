"""The jet of one link: what its joint makes of q, qd and, if it accelerates, qdd."""

from __future__ import annotations

from functools import cache

import numpy as np

from senn.algorithms.blocks import Blocks, apply, cross
from senn.algorithms.kernels.joint import DRIFTS
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import PRISMATIC, REVOLUTE
from senn.machine.program import Kernel


def jet(rotation: Blocks, *rows: Blocks) -> Blocks:
    """R, p, omega, u, wdot, b."""
    return np.concatenate([rotation, np.stack(rows, axis=-2)], axis=-2)


def _revolute(c: Blocks, p: Blocks, rate: Blocks, *qdd: Blocks) -> Blocks:
    at = apply(c, p)
    x, y, zero = at[..., 0], at[..., 1], np.zeros_like(rate)
    square = rate * rate
    b = [-(square * x), -(square * y)]
    if qdd:
        b = [b[0] - qdd[0] * y, b[1] + qdd[0] * x]
    turning = [np.stack([zero, zero, one], axis=-1) for one in (rate, qdd[0] if qdd else zero)]
    u = np.stack([-(rate * y), rate * x, zero], axis=-1)
    return jet(c, at, turning[0], u, turning[1], np.stack([*b, zero], axis=-1))


def _prismatic(c: Blocks, p: Blocks, rate: Blocks, *qdd: Blocks) -> Blocks:
    zero = np.zeros_like(rate)
    along = [np.stack([zero, zero, one], axis=-1) for one in (zero, rate, *(qdd or (zero,)))]
    return jet(c, apply(c, p), along[0], along[1], along[0], along[2])


LINK = {
    REVOLUTE: Kernel("link_jet.revolute", "jet of {0}, {1}, {2}", _revolute),
    PRISMATIC: Kernel("link_jet.prismatic", "jet of {0}, {1}, {2}", _prismatic),
}
"""C(i,i+1), P_i and qd_i: link i against link i - 1, in frame i, while qdd = 0."""
ACCELERATING = {
    REVOLUTE: Kernel("link_jet.revolute", "jet of {0}, {1}, {2}, {3}", _revolute),
    PRISMATIC: Kernel("link_jet.prismatic", "jet of {0}, {1}, {2}, {3}", _prismatic),
}
"""The same of a joint that accelerates."""


@cache
def link_jet(name: str, *, accelerating: bool) -> Kernel:
    """The same of a joint of any type, from H_i, which has columns of zeros if another joint has more."""
    joint, drifting = JOINTS[name], name in DRIFTS

    def evaluate(
        h: Blocks, q: Blocks, qd: Blocks, parameter: Blocks, c: Blocks, p: Blocks, *qdd: Blocks
    ) -> Blocks:
        at, velocity = apply(c, p), apply(h, qd)
        gained = [apply(h, given) for given in qdd]
        if drifting:
            gained.append(joint.drift(q[..., : joint.coordinates], qd[..., : joint.degrees], parameter))
        rest = sum(gained[1:], gained[0]) if gained else np.zeros_like(velocity)
        w, v, dw, dv = velocity[..., :3], velocity[..., 3:], rest[..., :3], rest[..., 3:]
        u = v + cross(w, at)
        return jet(c, at, w, u, dw, dv + cross(dw, at) + cross(w, u))

    return Kernel(f"link_jet.{name}", "jet of {0}, {1}, {2}, {4}, {5}", evaluate)
