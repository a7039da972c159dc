"""Jets: the pose of one link against another, its rate, and the rate of that; and what follows from them.

The jet of a span of links is 8 x 3, all in the frame at its inner end: R, turning from the frame at its outer
end (three rows); p, the outer origin; omega and u, the angular velocity of the outer end and the velocity of
its origin; wdot and b, their accelerations. It is a curve of poses to second order, and curves compose.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import Blocks, apply, cross, times, transposed, turned
from senn.algorithms.kernels.joints import own_columns, words_of
from senn.algorithms.robots.joints import JOINTS
from senn.machine.program import Kernel, kernel, kernel_family
from senn.machine.program.counting import known


def jet(rotation: Blocks, *rows: Blocks) -> Blocks:
    """R, p, omega, u, wdot, b."""
    return np.concatenate([rotation, np.stack(rows, axis=-2)], axis=-2)


@kernel_family(lambda joint, accelerating: "jet of {0}, {1}, {2}" + ", {3}" * accelerating)
def link_jet(c: Blocks, p: Blocks, qd: Blocks, *others: Blocks, joint: str, accelerating: bool) -> Blocks:
    """Link i against link i - 1, in frame i, from C(i,i+1), P_i, qd_i and, if the joint accelerates, qdd_i;
    in an arm with joints of any type H_i, q_i and the parameter follow."""
    kind, at, rate = JOINTS[joint], apply(c, p), words_of(joint, qd)
    state = others[accelerating:]
    h = own_columns(kind.fixed(), state[0]) if state else known(kind.fixed(), qd)
    velocity, rest = apply(h, rate), known(np.zeros((len(qd), 6)), qd)
    if accelerating:
        rest = rest + apply(h, words_of(joint, others[0]))
    if any(kind.drifts):
        _, q, parameter = state
        rest = rest + kind.drift(q[..., : kind.coordinates], rate, parameter)
    w, v, dw, dv = velocity[..., :3], velocity[..., 3:], rest[..., :3], rest[..., 3:]
    u = v + cross(w, at)
    return jet(c, at, w, u, dw, dv + cross(dw, at) + cross(w, u))


# ------------------------------------------------------------------------------- spans of links

_P, _W, _, _A, _B = range(3, 8)


@kernel("{1} o {0}")
def outward(own: Blocks, before: Blocks) -> Blocks:
    """The jet of two spans from that of the outer one and, second and optional, that of the inner one."""
    turn = before[..., :3, :]
    p_x, w_x, u_x, a_x, b_x = (before[..., k, :] for k in range(3, 8))
    p, w, u, a, b = (apply(turn, own[..., k, :]) for k in range(3, 8))  # in the frame of the inner span
    swept = cross(w_x, p) + u
    return jet(
        times(turn, own[..., :3, :]),
        p_x + p,
        w_x + w,
        u_x + swept,
        a_x + a + cross(w_x, w),
        b_x + b + cross(a_x, p) + cross(w_x, swept + u),
    )


rotation = Kernel("rotation_of", "R of {0}", lambda jet: jet[..., :3, :].copy())
place, omega, wdot, acceleration = (
    Kernel(name, f"{name} of {{0}}", lambda jet, k=k: jet[..., k, :].copy())
    for name, k in (("place", _P), ("omega", _W), ("wdot", _A), ("acceleration", _B))
)
"""Parts of the jet of all links up to i: no work."""


@kernel("p + R ({1} - {2}) of {0}")
def centre(jet: Blocks, s: Blocks, p: Blocks) -> Blocks:
    """The centre of mass of link i in frame 1, from S_i and P_i in frame i + 1."""
    return jet[..., _P, :] + apply(jet[..., :3, :], s - p)


@kernel("b + (wdot~ + omega~ omega~) ({1} - p) - {2} of {0}")
def at_centre(jet: Blocks, c: Blocks, g: Blocks) -> Blocks:
    """Acceleration of the centre of mass without gravity."""
    r = c - jet[..., _P, :]
    w, swept = jet[..., _W, :], cross(jet[..., _W, :], r)
    return jet[..., _B, :] - g + cross(jet[..., _A, :], r) + cross(w, swept)


# ------------------------------------------------------------------------------- wrenches of a link alone

arm_of_centre = Kernel("arm_of_centre", "{0} ({1} - {2})", lambda turn, s, p: apply(turn, s - p))
"""From O_{i+1} to the centre of mass, in frame 1."""


def _to_link(turn: Blocks, n: Blocks, f: Blocks, *load: Blocks | None) -> Blocks:
    for more in (x for x in load if x is not None):
        n, f = n + more[..., :3], f + more[..., 3:]
    return turned(transposed(turn), np.concatenate([n, f], axis=-1)[..., None])[..., 0]


to_link = Kernel("to_link", "{0}' [{1}; {2}]", _to_link)
"""[n; f] from frame 1 to frame i + 1."""
loaded_to_link = Kernel("loaded_to_link", "{0}' [{1}; {2}] + {3}", _to_link, runs_without_operands=True)
"""[n; f] from frame 1 to frame i + 1, with the load on the link."""

# ------------------------------------------------------------------------------- wrenches, about O_1

wrench = Kernel("wrench_at_base", "[{0}; {1}]", lambda f, n: np.stack([f, n], axis=-2))


@kernel("{2} about O_i from {0}, {1}")
def at_joint(jet: Blocks, p: Blocks, x: Blocks) -> Blocks:
    """(O_i, f, n about O_i) from [f; n about O_1]; rows as those of the wrench (p, f, n)."""
    at = jet[..., _P, :] - apply(jet[..., :3, :], p)
    f = x[..., 0, :]
    return np.stack([at, f, x[..., 1, :] - cross(at, f)], axis=-2)
