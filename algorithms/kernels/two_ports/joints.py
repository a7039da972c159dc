"""One link with a joint of any type as a two-port; `senn.algorithms.kernels.two_ports.link` has constants.

H (6, k) is what joint i allows, in frame i at O_i, and S = X H the same at O_{i+1} in frame i+1; a joint with
d < k degrees of freedom leaves columns and rows of zeros behind its own. With I the inertia (of the link with
what hangs on it) about O_{i+1}, LDL' = D = S' I S, G = D^-1 S' and K = D^-1 (I S)':

    w = K X,  A = X - S w,  J = X' (I - I S K) X,  C = S G,  r = D^-1 (tau - S'(I c + p))

Kernels are made for d and k, so that a joint is charged for no other's columns.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from senn.algorithms.blocks import (
    Blocks,
    apply,
    carried,
    cross,
    factor,
    full,
    substitute,
    symmetric_product,
    times,
    transposed,
    triangle,
    widened,
)
from senn.algorithms.kernels.branches.inertia import inward_inertia
from senn.machine.program import Kernel

# ------------------------------------------------------------------------------- positions


def _transform(c: Blocks, p: Blocks) -> Blocks:
    """[C', 0; -P~ C', C']."""
    lower = transposed(cross(c, p[..., None, :]))
    upper = np.concatenate([transposed(c), np.zeros_like(c)], axis=-1)
    return np.concatenate([upper, np.concatenate([lower, transposed(c)], axis=-1)], axis=-2)


transform = Kernel("transform", "X from {0}, {1}", _transform)
"""X: the motion of link i-1 at O_i in frame i, seen at O_{i+1} in frame i+1."""


def _behind(rows: Blocks, k: int) -> Blocks:
    """k rows (..., k, r), zeros behind the given ones."""
    return transposed(widened(transposed(rows), k))


@cache
def axes(d: int, k: int) -> Kernel:
    """S = X H."""
    return Kernel(f"axes.{d}", "X {2} from {0}, {1}", lambda c, p, h: widened(carried(c, p, h[..., :d]), k))


@cache
def borne(d: int, k: int) -> Kernel:
    """I S."""
    return Kernel(f"borne.{d}", "{0} {1}", lambda inertia, s: widened(times(full(inertia), s[..., :d]), k))


@cache
def factored(d: int, k: int) -> Kernel:
    """LDL' of D = S' I S."""

    def evaluate(s: Blocks, inertia_s: Blocks) -> Blocks:
        own = factor(symmetric_product(s[..., :d], inertia_s[..., :d])) if d else s[..., 0, :0]
        return np.concatenate([own, np.zeros((*s.shape[:-2], triangle(k) - own.shape[-1]), s.dtype)], axis=-1)

    return Kernel(f"factored.{d}", "ldl({0}' {1})", evaluate)


def _solved(d: int, ldl: Blocks, x: Blocks) -> Blocks:
    return substitute(ldl[..., : triangle(d)], x) if d else x


@cache
def gain(d: int, k: int) -> Kernel:
    """D^-1 Y' for the columns of Y, S or I S: G, K."""
    return Kernel(
        f"gain.{d}", "{0}^-1 {1}'", lambda ldl, y: _behind(_solved(d, ldl, transposed(y[..., :d])), k)
    )


@cache
def inside(d: int, k: int) -> Kernel:
    """w = K X."""
    return Kernel(f"inside.{d}", "{0} {1}", lambda held, x: _behind(times(held[..., :d, :], x), k))


@cache
def across(d: int) -> Kernel:
    """A = X - S w; where all directions are free, nothing is passed on."""

    def evaluate(x: Blocks, s: Blocks, w: Blocks) -> Blocks:
        if d == 6:
            return np.zeros_like(x)
        return x - times(s[..., :d], w[..., :d, :]) if d else x.copy()

    return Kernel(f"across.{d}", "{0} - {1} {2}", evaluate)


@cache
def compliance(d: int) -> Kernel:
    """C = S G."""
    return Kernel(
        f"compliance.{d}", "{0} {1}", lambda s, g: symmetric_product(transposed(s[..., :d]), g[..., :d, :])
    )


@cache
def inertia(d: int) -> Kernel:
    """J = X' (I - I S K) X."""

    def evaluate(c: Blocks, p: Blocks, whole: Blocks, inertia_s: Blocks, held: Blocks) -> Blocks:
        if d == 6:
            return np.zeros_like(whole)
        left = whole - symmetric_product(transposed(inertia_s[..., :d]), held[..., :d, :]) if d else whole
        return inward_inertia(c, apply(c, p), left)

    return Kernel(f"inertia.{d}", "X' ({2} - {3} {4}) X from {0}, {1}", evaluate)


# -------------------------------------------------------------- velocities, and what they do

turned_back = Kernel("turned_back_in_link", "{0}'", lambda c: transposed(c).copy())
"""C(i+1,i): from frame i to that in which the link has its velocity."""
motion = Kernel("motion_of_link", "[{0}; {1}]", lambda c, w: np.concatenate([c, w[..., None, :]], axis=-2))
"""Rotation and angular velocity against link i-1."""


_PARTS = ("sliding", "precessing", "drifting")


@cache
def swerve(*parts: str) -> Kernel:
    """c, from the motion of link i, its w_rel, P and what of the parts there is in the arm: v_rel, and the
    angular and the linear part of Hdot qd."""

    def evaluate(moved: Blocks, own: Blocks, p: Blocks, *others: Blocks | None) -> Blocks:
        given = dict(zip(parts, others, strict=True))
        v, angular, linear = (given.get(part) for part in _PARTS)
        w = moved[..., 3, :]
        turning = cross(w, own) if angular is None else cross(w, own) + angular
        moving = cross(turning, p) + cross(w, cross(w, p))
        if v is not None:
            moving = moving + cross(w + w - own, v)
        if linear is not None:
            moving = moving + linear
        return np.concatenate([turning, moving], axis=-1)

    name = ".".join(("swerve", *parts))
    form = "c from " + ", ".join(f"{{{k}}}" for k in range(3 + len(parts)))
    return Kernel(name, form, evaluate, alone=bool(parts))


@cache
def drive(d: int, k: int) -> Kernel:
    """r = D^-1 (tau - S'(I c + p))."""

    def evaluate(ldl: Blocks, tau: Blocks, s: Blocks, load: Blocks) -> Blocks:
        rest = tau[..., :d] - apply(transposed(s[..., :d]), load) if d else tau[..., :0]
        return widened(_solved(d, ldl, rest[..., None])[..., 0], k)

    return Kernel(f"drive.{d}", "{0}^-1 ({1} - {2}' {3})", evaluate)


@cache
def gained(d: int) -> Kernel:
    """c + S r, and I c + p + I S r."""
    return Kernel(
        f"gained.{d}", "{0} + {1} {2}", lambda x, s, r: x + apply(s[..., :d], r[..., :d]) if d else x.copy()
    )


# ---------------------------------------------------------------------------- its joint


@cache
def acceleration(d: int, k: int) -> Kernel:
    """qdd_i = r - w a_{i-1} - G f_{i+1}."""

    def evaluate(r: Blocks, w: Blocks, g: Blocks, a: Blocks, f: Blocks) -> Blocks:
        own = slice(0, d)
        return widened(r[..., own] - apply(w[..., own, :], a) - apply(g[..., own, :], f), k)

    return Kernel(f"acceleration.{d}", "{0} - {1} {3} - {2} {4}", evaluate)


@cache
def driven(d: int) -> Kernel:
    """X a_{i-1} + S qdd_i: the acceleration of link i at O_{i+1}, less c."""

    def evaluate(c: Blocks, p: Blocks, s: Blocks, a: Blocks, qdd: Blocks) -> Blocks:
        moved = carried(c, p, a[..., None])[..., 0]
        return moved + apply(s[..., :d], qdd[..., :d]) if d else moved

    return Kernel(f"driven.{d}", "X {3} + {2} {4}", evaluate)
