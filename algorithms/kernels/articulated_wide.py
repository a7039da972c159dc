"""Kernels of the hybrid of Yang, Wu and Pan for joints of any type and links with side branches.

As `senn.algorithms.kernels.articulated`, all vectors in frame 1, six-vectors with the moment (or omega) first
at O_i. H_i is k columns, k being the most that a joint of the arm allows (`freedom`), zeros behind a joint's
own. A *body* is what a process tells of its link,

    the inertia about O_i, with the branches if it has any (21, packed) | H_i (6 k) | p_i (3)

and a *gain* what it gets back: K_i = U_i D_i^-1 (6 k), then D_i = H_i' U_i, packed, with U_i = I^_i H_i.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from senn.algorithms.blocks import (
    Blocks,
    apply,
    cross,
    factor,
    full,
    shifted,
    substitute,
    symmetric_product,
    times,
    transposed,
    triangle,
    turned,
    widened,
)
from senn.algorithms.kernels import articulated as lean
from senn.algorithms.robots.joints import JOINTS
from senn.machine.program import Kernel


def body_words(freedom: int) -> int:
    """Of a body."""
    return 21 + 6 * freedom + 3


def gain_words(freedom: int) -> int:
    """Of a gain."""
    return 6 * freedom + triangle(freedom)


# ------------------------------------------------------------------ of one link

axes = Kernel("axes", "{1} {0}", lambda h, turn: turned(turn, h))
"""H_i, turned."""


def _rigid(turn: Blocks, j: Blocks, s: Blocks, m: Blocks) -> Blocks:
    return lean.rigid_inertia(lean.about_origin(turn, j, s, m))


rigid = Kernel("rigid_body", "inertia of {0}, {1}, {2}, {3}", _rigid)
"""The inertia of a link about O_i."""


def _loaded(force: Blocks, h: Blocks, held: Blocks | None) -> Blocks:
    return force if held is None else force - apply(transposed(h), held)


loaded = Kernel("loaded", "{0} - {1}' {2}", _loaded)
"""F_T, less what the torques of side branches do about the joint."""


def _held(turn: Blocks, p: Blocks, held: Blocks) -> Blocks:
    return shifted(p, turned(turn, held[..., None]))[..., 0]


held = Kernel("held_at_origin", "P^ {0} {2}", _held)
"""That wrench, seen from O_i."""


def _body(inertia: Blocks, h: Blocks, p: Blocks) -> Blocks:
    return np.concatenate([inertia, h.reshape(*h.shape[:-2], -1), p], axis=-1)


body = Kernel("body_of", "body of {0}, {1}, {2}", _body)


def _axes(link: Blocks, own: int) -> Blocks:
    """H_i of a body, its own columns."""
    columns = (link.shape[-1] - 24) // 6
    return link[..., 21:-3].reshape(*link.shape[:-1], 6, columns)[..., :own]


def _gained(gain: Blocks, own: int, freedom: int) -> tuple[Blocks, Blocks]:
    """K_i, its own columns, and D_i, packed."""
    k = gain[..., : 6 * freedom].reshape(*gain.shape[:-1], 6, freedom)
    return k[..., :own], gain[..., 6 * freedom : 6 * freedom + triangle(own)]


# ------------------------------------------------------- the recursion, on one node

outermost = Kernel("outermost", "inertia of {0}", lambda link: link[..., :21].copy())
"""The last link: nothing lies beyond it."""


@cache
def articulated(following: str, freedom: int) -> Kernel:
    """I_i + P^ (I^ - K D K')_{i+1} P^': of joint i+1."""
    own = JOINTS[following].degrees

    def evaluate(link: Blocks, beyond: Blocks, gain: Blocks) -> Blocks:
        k, d = _gained(gain, own, freedom)
        if own:
            beyond = beyond - symmetric_product(transposed(times(k, full(d))), transposed(k))
        return lean.shifted_inertia(link[..., -3:], full(beyond)) + link[..., :21]

    return Kernel(f"articulated.{following}", "inertia of {0} + P^ ({1} - K D K' of {2}) P^'", evaluate)


@cache
def gain(joint: str, freedom: int) -> Kernel:
    """[K; D] of a joint."""
    own = JOINTS[joint].degrees

    def evaluate(link: Blocks, inertia: Blocks) -> Blocks:
        words = np.zeros((*link.shape[:-1], gain_words(freedom)), dtype=link.dtype)
        if own:
            h = _axes(link, own)
            u = times(full(inertia), h)
            d = symmetric_product(h, u)
            k = transposed(substitute(factor(d), transposed(u)))
            words[..., : 6 * freedom] = widened(k, freedom).reshape(*k.shape[:-2], -1)
            words[..., 6 * freedom : 6 * freedom + triangle(own)] = d
        return words

    return Kernel(f"gain_of.{joint}", "[K; D] of {1} along {0}", evaluate)


# --------------------------------------------- the two bi-diagonal systems, by processes


def _hat(p: Blocks) -> Blocks:
    """P^: words that are there."""
    y = np.zeros((*p.shape[:-1], 6, 6), dtype=p.dtype)
    y[..., range(6), range(6)] = 1.0
    for r in range(3):
        after, before = (r + 1) % 3, (r + 2) % 3
        y[..., r, 3 + after], y[..., r, 3 + before] = -p[..., before], p[..., after]
    return y


@cache
def transfer(joint: str, freedom: int) -> Kernel:
    """Phi_i = (1 - K_i H_i') P^_i: what joint i lets through of a wrench at O_{i+1}."""
    own = JOINTS[joint].degrees

    def evaluate(gain: Blocks, h: Blocks, p: Blocks) -> Blocks:
        if not own:
            return _hat(p)
        k, _ = _gained(gain, own, freedom)
        rows = transposed(h[..., :own])
        seen = np.concatenate([rows[..., :3], rows[..., 3:] + cross(rows[..., :3], p[..., None, :])], axis=-1)
        return lean.plus_hat(-times(k, seen), p)

    return Kernel(f"transfer_of.{joint}", "(1 - K H') P^ of {0}, {1}, {2}", evaluate)


@cache
def push(joint: str, freedom: int) -> Kernel:
    """K F_T."""
    own = JOINTS[joint].degrees

    def evaluate(gain: Blocks, force: Blocks) -> Blocks:
        return apply(_gained(gain, own, freedom)[0], force[..., :own])

    return Kernel(f"push_of.{joint}", "K of {0} {1}", evaluate)


@cache
def drive(joint: str, freedom: int) -> Kernel:
    """What joint i would do if link i - 1 stood still: D^-1 (F_T - H' P^ x_{i+1})."""
    own = JOINTS[joint].degrees

    def evaluate(force: Blocks, gain: Blocks, h: Blocks, p: Blocks, beyond: Blocks | None) -> Blocks:
        given = force[..., :own]
        if own and beyond is not None:
            given = given - apply(transposed(h[..., :own]), shifted(p, beyond[..., None])[..., 0])
        if own:
            d = _gained(gain, own, freedom)[1]
            given = substitute(factor(d), given[..., None])[..., 0]
        return widened(given, freedom)

    text = "D^-1 ({0} - H' P^ {4}) of {1}"
    return Kernel(f"drive_of.{joint}", text, evaluate, alone=True)


def _moved(h: Blocks, p: Blocks, drive: Blocks) -> Blocks:
    x = apply(h, drive)
    return np.concatenate([x[..., :3], x[..., 3:] + cross(x[..., :3], p)], axis=-1)


carried = Kernel("carried_on", "P^' {0} {2}", _moved)
"""P^_i' H_i drive: what that does to O_{i+1}."""


@cache
def acceleration(joint: str, freedom: int) -> Kernel:
    """Qdd_i: the drive less K' of the acceleration of link i - 1 at O_i."""
    own = JOINTS[joint].degrees

    def evaluate(drive: Blocks, gain: Blocks, before: Blocks | None) -> Blocks:
        if before is None or not own:
            return drive.copy()
        given = drive[..., :own] - apply(transposed(_gained(gain, own, freedom)[0]), before)
        return widened(given, freedom)

    text = "{0} - K' of {1} {2}"
    return Kernel(f"acceleration_of.{joint}", text, evaluate, alone=True)


def _at_origin(h: Blocks, qdd: Blocks, turn: Blocks, before: Blocks | None) -> Blocks:
    own = apply(h, qdd)
    if before is not None:
        own = own + turned(transposed(turn), before[..., None])[..., 0]
    return own


at_origin = Kernel("at_origin", "{0} {1} + {2}' {3}", _at_origin, alone=True)
"""The acceleration of link i at O_i in frame i, where that of O_i on link i - 1 is known in frame 1."""
