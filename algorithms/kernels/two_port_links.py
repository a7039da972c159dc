"""One link as a two-port: its joint inside, O_{i+1} in frame i+1 outside.

With H the axis, I the inertia and IH, D = H'IH (all at O_{i+1} in frame i+1, and constant), X the motion
transform from frame i at O_i, c the velocity-product acceleration and p the gyroscopic wrench:

    A = (1 - H (IH)'/D) X,  J = X' (I - IH (IH)'/D) X,  C = H H'/D,  w = X' IH/D
    r = (tau - H'(I c + p))/D,  b = c + H r,  eta = X' (I c + p + IH r)

A, J and w are constants of the link in frame i', frame i at q_i = 0: a revolute joint turns them by Rz(q_i),
a prismatic one moves them by q_i along its axis.

Loans: with E = diag(1, 1, 1, 0, 0, 0) the link has I + rho_i E for I, and the next one J - rho_i E for J.
Nothing changes but the wrench between them, F - rho_i E a for F, and D of a light link is not small. A rotary
inertia is the same in all frames and about all points.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from senn.algorithms.blocks import *  # the algebra of blocks
from senn.algorithms.kernels.joints import spin
from senn.algorithms.kernels.link import shifting, spin_symmetric, times_vector, turning
from senn.algorithms.spatial import REVOLUTE
from senn.machine.program import Kernel, kernel, kernel_family
from senn.machine.program.counting import known

# ------------------------------------------------------------------------------- kinematics


@kernel("{1} o {0}")
def moved_on(own: Blocks, before: Blocks) -> Blocks:
    """Rotation and angular velocity of a span in its outer frame, 12 words: C_x C_y, C_y' omega_x +
    omega_y. [C; omega] of two spans, one after the other."""
    c, w = own[..., :3, :], own[..., 3, :]
    turned = apply(transposed(c), before[..., 3, :])
    return np.concatenate([times(before[..., :3, :], c), (turned + w)[..., None, :]], axis=-2)


@kernel_family("[{0}; {1} {2}]")
def motion(c: Blocks, z: Blocks, rate: Blocks, *, joint: str) -> Blocks:
    """Rotation and angular velocity of one link, 12 words."""
    return motion_of_link.evaluate(c, turning(joint).evaluate(z, rate))


# ---------------------------------------------------------------- what velocity and torque do


@kernel_family("c from {0}, {1}, {2}, {3}")
def lean_velocity_product(motion: Blocks, z: Blocks, rate: Blocks, p: Blocks, *, joint: str) -> Blocks:
    """c: what velocities make of the acceleration of link i, at O_{i+1}."""
    own, v = turning(joint).evaluate(z, rate), shifting(joint).evaluate(z, rate)
    return velocity_product("sliding").evaluate(motion, own, p, v)


@kernel("I {0} + p from {1}, {2}, {3}, {4}, {5}")
def wrench_of_link(c: Blocks, motion: Blocks, g: Blocks, s: Blocks, m: Blocks, j: Blocks) -> Blocks:
    """I c + p with the weight in p: what it takes to move the link so, at O_{i+1}."""
    w, inertia = motion[..., 3, :], full(j)
    fall = apply(transposed(motion[..., :3, :]), g)
    centre = c[..., 3:] + cross(c[..., :3], s) + cross(w, cross(w, s)) - fall
    force = times_vector(centre, m)
    moment = apply(inertia, c[..., :3]) + cross(w, apply(inertia, w)) + cross(s, force)
    return np.concatenate([moment, force], axis=-1)


@kernel("({1} - {2}' {0}) {3}")
def drive_of_link(z: Blocks, tau: Blocks, axis: Blocks, inverse: Blocks) -> Blocks:
    """r, the acceleration that the torque gives the joint of the lone link."""
    along = dot(axis[..., :3], z[..., :3]) + dot(axis[..., 3:], z[..., 3:])
    rate: Blocks = (tau - along) * inverse
    return rate


gained = Kernel("gained", "{0} + {1} {2}", lambda x, axis, r: x + times_vector(axis, r))
"""b, and what eta is turned of."""

to_joint = Kernel(
    "to_joint", "C6 P^ {2} from {0}, {1}", lambda c, p, x: turned(c, shifted(p, x[..., None]))[..., 0]
)
"""A wrench at O_{i+1} in frame i+1, at O_i in frame i."""

# ------------------------------------------------------------------------------- the span


def _moved(joint: str, rz: Blocks, q: Blocks) -> Blocks:
    """The motion from frame i to frame i': Rz6' of a revolute joint, [1 0; -q e_3~ 1] of a prismatic one."""
    x = known(np.tile(np.eye(6), (len(q), 1, 1)), q)
    if joint == REVOLUTE:
        c, s = rz[..., 0], rz[..., 1]
        for a, b in ((0, 1), (3, 4)):
            x[..., a, a], x[..., a, b], x[..., b, a], x[..., b, b] = c, s, -s, c
    else:
        x[..., 3, 1], x[..., 4, 0] = q, -q
    return x


@kernel_family("{2} at {1}")
def inertia(rz: Blocks, q: Blocks, j: Blocks, *, joint: str) -> Blocks:
    """J of the link."""
    if joint == REVOLUTE:
        turning, moving = spin_symmetric(rz, j[..., :6]), spin_symmetric(rz, restricted(j, (3, 4, 5)))
        mixed = spin(rz, transposed(spin(rz, transposed(full(j)[..., 3:, :3]))))
        return of_parts(turning, mixed, moving)
    x = _moved(joint, rz, q)
    return symmetric_product(x, times(full(j), x))


@kernel_family("{2} at {1}")
def across(rz: Blocks, q: Blocks, a: Blocks, *, joint: str) -> Blocks:
    """A of the link."""
    return times(a, _moved(joint, rz, q))


# ------------------------------------------------------------------------------- its joint


@kernel("{0} + {1} E {2}")
def repaid(wrench: Blocks, rho: Blocks, a: Blocks) -> Blocks:
    """F, from F - rho E a."""
    return np.concatenate([wrench[..., :3] + times_vector(a[..., :3], rho), wrench[..., 3:]], axis=-1)


@kernel_family("{0} - (C6 {3})' {5} - {4}' {6}")
def acceleration(
    r: Blocks, rz: Blocks, q: Blocks, gain: Blocks, axis: Blocks, a: Blocks, f: Blocks, *, joint: str
) -> Blocks:
    """qdd_i = r - w'a_{i-1} - (H/D)' f_{i+1}."""
    inside = times(gain[..., None, :], _moved(joint, rz, q))
    return r - apply(inside, a)[..., 0] - apply(axis[..., None, :], f)[..., 0]


# ------------------------------------------------------------------- joints of any type: positions
#
# H (6, k) is what joint i allows, in frame i at O_i, and S = X H the same at O_{i+1} in frame i+1; a joint
# with d < k degrees of freedom leaves columns and rows of zeros behind its own, and is charged for no other's
# columns. With I the inertia (of the link with its branches) about O_{i+1}, LDL' = D = S' I S, G = D^-1 S'
# and K = D^-1 (I S)':
#
#     w = K X,  A = X - S w,  J = X' (I - I S K) X,  C = S G,  r = D^-1 (tau - S'(I c + p))


@kernel("X from {0}, {1}")
def transform(c: Blocks, p: Blocks) -> Blocks:
    """X = [C', 0; -P~ C', C']: the motion of link i-1 at O_i in frame i, seen at O_{i+1} in frame i+1."""
    lower = transposed(cross(c, p[..., None, :]))
    upper = np.concatenate([transposed(c), np.zeros_like(c)], axis=-1)
    return np.concatenate([upper, np.concatenate([lower, transposed(c)], axis=-1)], axis=-2)


@kernel_family("X {2} from {0}, {1}")
def axes(c: Blocks, p: Blocks, h: Blocks, *, d: int) -> Blocks:
    """S = X H."""
    return widened(transported(c, p, h[..., :d]), h.shape[-1])


@kernel_family("{0} {1}")
def borne(inertia: Blocks, s: Blocks, *, d: int) -> Blocks:
    """I S."""
    return widened(times(full(inertia), s[..., :d]), s.shape[-1])


@kernel_family("ldl({0}' {1})")
def factored(s: Blocks, inertia_s: Blocks, *, d: int) -> Blocks:
    """LDL' of D = S' I S."""
    ldl = factor(symmetric_product(s[..., :d], inertia_s[..., :d]))
    return widened(ldl, triangle(s.shape[-1]))


@kernel_family("{0}^-1 {1}'")
def gain(ldl: Blocks, y: Blocks, *, d: int) -> Blocks:
    """D^-1 Y' for the columns of Y, S or I S: G, K."""
    return lengthened(substitute(ldl[..., : triangle(d)], transposed(y[..., :d])), y.shape[-1])


@kernel_family("{0} {1}")
def inside(held: Blocks, x: Blocks, *, d: int) -> Blocks:
    """w = K X."""
    return lengthened(times(held[..., :d, :], x), held.shape[-2])


@kernel_family("{0} - {1} {2}")
def across_of(x: Blocks, s: Blocks, w: Blocks, *, d: int) -> Blocks:
    """A = X - S w; where all directions are free, nothing is passed on."""
    if d == 6:
        return np.zeros_like(x)
    return x - times(s[..., :d], w[..., :d, :])


@kernel_family("{0} {1}")
def compliance(s: Blocks, g: Blocks, *, d: int) -> Blocks:
    """C = S G."""
    return symmetric_product(transposed(s[..., :d]), g[..., :d, :])


@kernel_family("X' ({2} - {3} {4}) X - {5} E from {0}, {1}")
def inertia_of(
    c: Blocks, p: Blocks, whole: Blocks, inertia_s: Blocks, held: Blocks, rho: Blocks, *, d: int
) -> Blocks:
    """J = X' (I - I S K) X, less the loan of the link before."""
    if d == 6:
        passed = np.zeros_like(whole)
    else:
        left = whole - symmetric_product(transposed(inertia_s[..., :d]), held[..., :d, :])
        passed = shifted_inertia(apply(c, p), turned_inertia(c, left))
    diagonal = layout(6)[:3, :3].diagonal()
    passed[..., diagonal] = passed[..., diagonal] - rho[..., None]
    return passed


# -------------------------------------------------------------- velocities, and what they do

motion_of_link = Kernel(
    "motion_of_link", "[{0}; {1}]", lambda c, w: np.concatenate([c, w[..., None, :]], axis=-2)
)
"""Rotation and angular velocity against link i-1."""


@cache
def velocity_product(*parts: str) -> Kernel:
    """c, from the motion of link i, its w_rel, P and what of the parts there is in the arm: v_rel, and the
    angular and the linear part of Hdot qd."""

    def evaluate(moved: Blocks, own: Blocks, p: Blocks, *others: Blocks | None) -> Blocks:
        terms = dict(zip(parts, others, strict=True))
        v, angular, linear = map(terms.get, ("sliding", "precessing", "drifting"))
        w = moved[..., 3, :]
        turning = cross(w, own) if angular is None else cross(w, own) + angular
        moving = cross(turning, p) + cross(w, cross(w, p))
        if v is not None:
            moving = moving + cross(w + w - own, v)
        if linear is not None:
            moving = moving + linear
        return np.concatenate([turning, moving], axis=-1)

    name = ".".join(("velocity_product", *parts))
    form = "c from " + ", ".join(f"{{{k}}}" for k in range(3 + len(parts)))
    return Kernel(name, form, evaluate, runs_without_operands=bool(parts))


@kernel_family("{0}^-1 ({1} - {2}' {3})")
def drive_of(ldl: Blocks, tau: Blocks, s: Blocks, load: Blocks, *, d: int) -> Blocks:
    """r = D^-1 (tau - S'(I c + p))."""
    rest = tau[..., :d] - apply(transposed(s[..., :d]), load)
    return widened(substitute(ldl[..., : triangle(d)], rest[..., None])[..., 0], tau.shape[-1])


@kernel_family("{0} + {1} {2}")
def gained_of(x: Blocks, s: Blocks, r: Blocks, *, d: int) -> Blocks:
    """c + S r, and I c + p + I S r."""
    return x + apply(s[..., :d], r[..., :d]) if d else x.copy()


@kernel_family("{0} - {1} {3} - {2} {4}")
def acceleration_of(r: Blocks, w: Blocks, g: Blocks, a: Blocks, f: Blocks, *, d: int) -> Blocks:
    """qdd_i = r - w a_{i-1} - G f_{i+1}."""
    return widened(r[..., :d] - apply(w[..., :d, :], a) - apply(g[..., :d, :], f), r.shape[-1])


@kernel_family("X {3} + {2} {4}")
def driven(c: Blocks, p: Blocks, s: Blocks, a: Blocks, qdd: Blocks, *, d: int) -> Blocks:
    """X a_{i-1} + S qdd_i: the acceleration of link i at O_{i+1}, less c."""
    moved = transported(c, p, a[..., None])[..., 0]
    return moved + apply(s[..., :d], qdd[..., :d])
