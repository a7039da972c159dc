"""Kernels of Newton-Euler for one link, by recursive doubling (Step II.b)."""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import Blocks, apply, cross, dot, full, transposed
from senn.algorithms.spatial import PRISMATIC, REVOLUTE
from senn.machine.program import Kernel

# ----------------------------------------------------------- Step II.b: Newton-Euler


def times_vector(z: Blocks, rate: Blocks) -> Blocks:
    return z * rate[..., None]


RATE = {
    REVOLUTE: Kernel("rate.revolute", "(1 - sigma) {0} {1}", times_vector),
    PRISMATIC: Kernel("rate.prismatic", "(1 - sigma) {0} {1}", lambda z, rate: np.zeros_like(z)),
}
"""z_i qd_i of a revolute joint, zero of a prismatic one."""


def _gyration(relative: Blocks, before: Blocks | None) -> Blocks:
    return np.zeros_like(relative) if before is None else cross(before, relative)


gyration = Kernel("gyration", "{1} x {0}", _gyration, alone=True)
"""omega_{i-1} x z_i qd_i; the base does not turn."""
coriolis = Kernel("coriolis", "2 {0} x {1} {2}", lambda w, z, rate: times_vector(cross(w, z), rate + rate))


def _turning(z: Blocks, relative: Blocks, qdd: Blocks, before: Blocks | None) -> Blocks:
    own = times_vector(z, qdd)
    return own if before is None else own + cross(before, relative)


TURNING = {
    REVOLUTE: Kernel("turning.revolute", "(1 - sigma) {0} {2} + {3} x {1}", _turning, alone=True),
    PRISMATIC: Kernel(
        "turning.prismatic",
        "(1 - sigma) {0} {2} + {3} x {1}",
        lambda z, relative, qdd, before: np.zeros_like(z),
        alone=True,
    ),
}
"""`gyration` of a joint that accelerates: z_i qdd_i + omega_{i-1} x z_i qd_i; zero of a prismatic joint."""
sliding = Kernel(
    "sliding",
    "{1} {3} + 2 {0} x {1} {2}",
    lambda w, z, rate, qdd: times_vector(z, qdd) + times_vector(cross(w, z), rate + rate),
)
"""`coriolis` of a joint that accelerates: the acceleration of link i against link i-1 at O_i."""


def _spin_matrix(w: Blocks, dw: Blocks) -> Blocks:
    x, y, z = (w[..., k] for k in range(3))
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    a, b, c = (dw[..., k] for k in range(3))
    rows = [[-(yy + zz), xy - c, xz + b], [xy + c, -(xx + zz), yz - a], [xz - b, yz + a, -(xx + yy)]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


spin_matrix = Kernel("spin_matrix", "{1}~ + {0}~ {0}~", _spin_matrix)
gravity_free = Kernel("gravity_free", "{0} {1} - {2}", lambda u, s, g: apply(u, s) - g)
scaled = Kernel("scaled", "{0} {1}", lambda m, v: times_vector(v, m))


def _inertial_moment(c: Blocks, j: Blocks, w: Blocks, dw: Blocks) -> Blocks:
    own, w, dw = full(j), apply(transposed(c), w), apply(transposed(c), dw)
    return apply(c, apply(own, dw) + cross(w, apply(own, w)))


inertial_moment = Kernel("inertial_moment", "{1} {3} + {2} x {1} {2}, turned by {0}", _inertial_moment)
"""J_i wdot_i + omega_i x J_i omega_i, with J_i in frame i + 1 and all else in the common frame."""
add_moment = Kernel("add_moment", "{0} + {1} x {2}", lambda n, s, f: n + cross(s, f))
with_force = Kernel("with_force", "{0} + f of {1}", lambda f, load: f + load[..., 3:])
with_moment = Kernel(
    "with_moment",
    "{0} + n of {2} + {1} x f of {2}",
    lambda n, p, load: n + load[..., :3] + cross(p, load[..., 3:]),
)
"""With a wrench [n; f] about O_{i+1} that also acts on the link: that of its branches."""
lever = Kernel("lever", "{0} + {1} x {2}", lambda n, p, f: n + cross(p, f))
wrench = Kernel("wrench", "[{0}; {1}; {2}]", lambda p, f, n: np.stack([p, f, n], axis=-2))


def _farther(x: Blocks, y: Blocks) -> Blocks:
    moment = x[..., 2, :] + y[..., 2, :] + cross(x[..., 0, :], y[..., 1, :])
    return np.stack([x[..., 0, :] + y[..., 0, :], x[..., 1, :] + y[..., 1, :], moment], axis=-2)


farther = Kernel("farther", "{0} o {1}", _farther)
"""(P, f, n) o (P', f', n') = (P + P', f + f', n + n' + P x f'), primed = farther out."""

BIAS = {
    REVOLUTE: Kernel("bias.revolute", "{0} . {1}", lambda z, n, f: dot(z, n)),
    PRISMATIC: Kernel("bias.prismatic", "{0} . {2}", lambda z, n, f: dot(z, f)),
}
"""II.b.1.viii: b_i = H_i' F_i."""
BIAS_OF_WRENCH = {
    REVOLUTE: Kernel("bias_of_wrench.revolute", "{0} . n of {1}", lambda z, x: dot(z, x[..., 2, :])),
    PRISMATIC: Kernel("bias_of_wrench.prismatic", "{0} . f of {1}", lambda z, x: dot(z, x[..., 1, :])),
}
