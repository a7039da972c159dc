"""Jets of spans of links, one after the other; what they say of a link; and wrenches about O_1."""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import Blocks, apply, cross, times, transposed
from senn.algorithms.kernels.jets.link import jet
from senn.machine.program import Kernel

_P, _W, _U, _A, _B = range(3, 8)


def _outward(own: Blocks, before: Blocks | None) -> Blocks:
    if before is None:
        return own.copy()
    turn = before[..., :3, :]
    inner = [before[..., k, :] for k in range(3, 8)]
    p, w, u, a, b = (
        apply(turn, own[..., k, :]) for k in range(3, 8)
    )  # those of the outer span, in the frame of the inner
    p_x, w_x, u_x, a_x, b_x = inner
    swept = cross(w_x, p) + u
    return jet(
        times(turn, own[..., :3, :]),
        p_x + p,
        w_x + w,
        u_x + swept,
        a_x + a + cross(w_x, w),
        b_x + b + cross(a_x, p) + cross(w_x, swept + u),
    )


outward = Kernel("outward", "{1} o {0}", _outward)
"""The jet of two spans from that of the outer one and, second and optional, that of the inner one."""


def _row(name: str, k: int) -> Kernel:
    return Kernel(name, f"{name} of {{0}}", lambda jet: jet[..., k, :].copy())


rotation = Kernel("rotation_of", "R of {0}", lambda jet: jet[..., :3, :].copy())
place, omega, wdot, acceleration = (
    _row(name, k) for name, k in (("place", _P), ("omega", _W), ("wdot", _A), ("acceleration", _B))
)
"""Parts of the jet of all links up to i: no work."""


def _centre(jet: Blocks, s: Blocks, p: Blocks) -> Blocks:
    return jet[..., _P, :] + apply(jet[..., :3, :], s - p)


centre = Kernel("centre", "p + R ({1} - {2}) of {0}", _centre)
"""The centre of mass of link i in frame 1, from S_i and P_i in frame i + 1."""


def _at_centre(jet: Blocks, c: Blocks, g: Blocks) -> Blocks:
    r = c - jet[..., _P, :]
    w, swept = jet[..., _W, :], cross(jet[..., _W, :], r)
    return jet[..., _B, :] - g + cross(jet[..., _A, :], r) + cross(w, swept)


at_centre = Kernel("at_centre", "b + (wdot~ + omega~ omega~) ({1} - p) - {2} of {0}", _at_centre)
"""Its acceleration without gravity."""

# ------------------------------------------------------------------------------- wrenches of a link alone

arm_of_centre = Kernel("arm_of_centre", "{0} ({1} - {2})", lambda turn, s, p: apply(turn, s - p))
"""From O_{i+1} to the centre of mass, in frame 1."""


def _to_link(turn: Blocks, n: Blocks, f: Blocks, *load: Blocks | None) -> Blocks:
    for more in (one for one in load if one is not None):
        n, f = n + more[..., :3], f + more[..., 3:]
    back = transposed(turn)
    return np.concatenate([apply(back, n), apply(back, f)], axis=-1)


to_link = Kernel("to_link", "{0}' [{1}; {2}]", _to_link)
"""[n; f] from frame 1 to frame i + 1."""
loaded_to_link = Kernel("loaded_to_link", "{0}' [{1}; {2}] + {3}", _to_link, alone=True)
"""The same with what else acts on the link."""

# ------------------------------------------------------------------------------- wrenches, about O_1

wrench = Kernel("wrench_at_base", "[{0}; {1}]", lambda f, n: np.stack([f, n], axis=-2))


def _at_joint(jet: Blocks, p: Blocks, x: Blocks) -> Blocks:
    at = jet[..., _P, :] - apply(jet[..., :3, :], p)
    f = x[..., 0, :]
    return np.stack([at, f, x[..., 1, :] - cross(at, f)], axis=-2)


at_joint = Kernel("at_joint", "{2} about O_i from {0}, {1}", _at_joint)
"""(O_i, f, n about O_i) from [f; n about O_1]; rows as those of the wrench (p, f, n)."""
