"""Kernels of side branches, folded into the process of the link that they hang on (Fijany-Featherstone 2013).

A kernel is made for the structure of all branches of one link (`Tree`); rows beyond the own joints are zero
and cost nothing. The frame of body k moves with it; C_k and P_k say where it is in the frame of the body that
it hangs on; for the link that is frame i+1.

A joint has an axis for each degree of freedom: h, the velocity of its body at a unit rate, in the body's
frame at its origin. Vectors of the joints have a row for each axis. Axes of revolute, prismatic and
cylindrical joints are columns of the unit matrix; where those of some joint depend on q or on its parameter,
axes are the last operand. A body is eliminated axis by axis, as if each axis but the last moved a body
without mass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations, pairwise
from typing import Any

import numpy as np

from senn.algorithms.blocks import *  # the algebra of blocks
from senn.algorithms.kernels.joints import moved, own_columns, rotation
from senn.algorithms.kernels.link import spin_matrix, turned_wrench
from senn.algorithms.kernels.operators import response
from senn.algorithms.robots.joints import JOINTS, Joint, about_z, unturned
from senn.machine.program import Kernel, kernel_family
from senn.machine.program.counting import known


@dataclass(frozen=True)
class Tree:
    """The structure of all branches of one link."""

    joints: tuple[str, ...]
    parents: tuple[int, ...]
    """The body that each hangs on, 0 being the link (`senn.algorithms.robots.side_tree`)."""
    width: int
    """Joints of a lane, the most that hang on any link of the arm."""
    freedom: int
    """Axes of a lane."""

    def __str__(self) -> str:
        parts = (self.joints, self.parents, (self.width, self.freedom))
        return ".".join("-".join(map(str, part)) for part in parts)

    @cached_property
    def rows(self) -> tuple[range, ...]:
        """The axes of each joint, by their rows in vectors of the joints."""
        ends = accumulate((JOINTS[joint].degrees for joint in self.joints), initial=0)
        return tuple(range(first, stop) for first, stop in pairwise(ends))

    @property
    def count(self) -> int:
        """The axes of all joints."""
        return self.rows[-1].stop

    @property
    def roots(self) -> list[int]:
        """The bodies that hang on the link, from 0."""
        return [k for k, parent in enumerate(self.parents) if parent == 0]

    def positions(
        self, q: Blocks, parameters: tuple[Blocks, ...]
    ) -> Iterator[tuple[int, Joint, Blocks, Any]]:
        """Each joint by number and type, its own numbers of q and, where joints have one, its parameter."""
        first = 0
        for k, joint in enumerate(JOINTS[name] for name in self.joints):
            coordinates = q[..., first : first + joint.coordinates]
            yield k, joint, coordinates, parameters[0][..., k] if parameters else None
            first += joint.coordinates

    def axes(self, like: Blocks, computed: tuple[Blocks, ...] = ()) -> list[Blocks]:
        """The axes of each joint, (..., 6, d): those that depend on q, from the rows that are `computed`."""
        return [
            known(joint.fixed("in_body"), like)
            if joint.straight("in_body")
            else own_columns(joint.fixed("in_body"), transposed(computed[0][..., rows, :]))
            for joint, rows in zip((JOINTS[name] for name in self.joints), self.rows, strict=True)
        ]


def padded(rows: list[Blocks], width: int, rank: int) -> Blocks:
    """One block of `width` rows, each of `rank` axes; those that are missing are zero."""
    return np.stack(rows + [np.zeros_like(rows[0])] * (width - len(rows)), axis=-(rank + 1))


def inward_wrench(c: Blocks, p: Blocks, wrench: Blocks) -> Blocks:
    """P^ C6 [n; f]: seen from the body that a body hangs on, from C_k and P_k."""
    return shifted(p, turned(c, wrench[..., None]))[..., 0]


held_at_origin = Kernel("held_at_origin", "P^ {0} {2}", inward_wrench)
"""The wrench with which a link holds its branches, at O_{i+1} in frame i+1, seen from O_i in frame 1."""


@kernel_family("C of the branches from {0}, {1}")
def side_frames(q: Blocks, r: Blocks, *parameters: Blocks, tree: Tree) -> Blocks:
    """C_k = R_k E(q_k), from q, R (k, 3, 3) and, where a joint has one, the parameters (k,)."""
    frames = []
    for k, joint, at, parameter in tree.positions(q, parameters):
        frame = r[..., k, :, :]
        if joint.turn in (about_z, unturned):  # E(q)' is E(-q)
            frames.append(transposed(rotation(joint.name).evaluate(-at, transposed(frame))))
        else:
            frames.append(times(frame, joint.turn(at, parameter)))
    return padded(frames, tree.width, 2)


@kernel_family("P of the branches from {0}, {2}")
def side_offsets(q: Blocks, r: Blocks, p: Blocks, *parameters: Blocks, tree: Tree) -> Blocks:
    """P_k with the shift R_k d(q_k) of its joint, from q, R (k, 3, 3), P (k, 3) and the parameters (k,)."""
    places = [
        moved(joint.name).evaluate(p[..., k, :], at, transposed(r[..., k, :, :]), parameter)
        for k, joint, at, parameter in tree.positions(q, parameters)
    ]
    return padded(places, tree.width, 1)


@kernel_family("axes of the branches from {2}")
def side_axes(c: Blocks, r: Blocks, q: Blocks, *parameters: Blocks, tree: Tree) -> Blocks:
    """Axes in the bodies' frames, C_k' R_k H(q_k), from C and R (k, 3, 3), q and the parameters (k,)."""
    axes: list[Blocks] = []
    for k, joint, at, parameter in tree.positions(q, parameters):
        h = own_columns(joint.fixed("moved_subspace"), joint.moved_subspace(at, parameter))
        in_body = turned(transposed(c[..., k, :, :]), turned(r[..., k, :, :], h))
        columns = own_columns(joint.fixed("in_body"), in_body)
        axes += [columns[..., column] for column in range(joint.degrees)]
    return padded(axes, tree.freedom, 1)


# ------------------------------------------------------------------- Newton-Euler (Step II.b)
#
# Out through the branches and back, in the process of their link. The motion of the link comes from the
# scans; the wrench of the branches joins the link's own inertial force and moment.


@kernel_family(lambda tree, moving=False: "wrenches of the branches at {1}, {2}, {3}" + ", {11}" * moving)
def side_wrenches(
    turn: Blocks,
    omega: Blocks,
    wdot: Blocks,
    v: Blocks,
    g: Blocks,
    *bodies: Blocks,
    tree: Tree,
    moving: bool = False,
) -> Blocks:
    """The wrenches [n; f] through the joints of the branches, each in its body's frame, at qdd = 0; or, where
    joints are `moving`, at the qdd that follows.

    From T = C(common frame, i+1), omega, wdot, v (of O_{i+1}, without gravity) and g in the common frame; qd,
    C, P; m, S, J of the bodies; the axes that depend on q come last.
    """
    back = transposed(turn)
    moved = apply(back, omega), apply(back, wdot), apply(back, v - g)
    return _wrenches(tree, moved, moving, *bodies)


@kernel_family("wrenches of the branches at {0}, {1}")
def wrenches_beside(motion: Blocks, swerve: Blocks, g: Blocks, *bodies: Blocks, tree: Tree) -> Blocks:
    """`side_wrenches` at qdd = 0, from the motion of the link in frame i+1: [C(1,i+1); omega] and its
    acceleration [wdot; v], and g in frame 1."""
    falling = swerve[..., 3:] - apply(transposed(motion[..., :3, :]), g)
    return _wrenches(tree, (motion[..., 3, :], swerve[..., :3], falling), False, *bodies)


def _wrenches(tree: Tree, link: tuple[Blocks, Blocks, Blocks], moving: bool, *bodies: Blocks) -> Blocks:
    """From omega, wdot and v - g of the link in frame i+1, bodies, qdd of `moving` joints, and axes."""
    qd, c, p, m, s, j, *others = bodies
    axes = tree.axes(qd, tuple(others[moving:]))
    w, dw, a = ([x] for x in link)
    u = [spin_matrix.evaluate(w[0], dw[0])]
    rows: list[Blocks] = []
    for k, (h, parent, rows_of_joint) in enumerate(zip(axes, tree.parents, tree.rows, strict=True)):
        inward, rate = transposed(c[..., k, :, :]), qd[..., rows_of_joint]
        omega, change = apply(inward, w[parent]), apply(inward, dw[parent])
        moved = apply(inward, a[parent] + apply(u[parent], p[..., k, :]))
        turning, sliding = apply(h[..., :3, :], rate), apply(h[..., 3:, :], rate)
        change, moved = change + cross(omega, turning), moved + cross(omega, sliding + sliding)
        if JOINTS[tree.joints[k]].drifts[0]:  # the first axis turns the second
            change = change + cross(h[..., :3, 0], h[..., :3, 1]) * (rate[..., :1] * rate[..., 1:])
        if moving:
            qdd = others[0][..., rows_of_joint]
            change, moved = change + apply(h[..., :3, :], qdd), moved + apply(h[..., 3:, :], qdd)
        omega = omega + turning
        w, dw, a = [*w, omega], [*dw, change], [*a, moved]
        u.append(spin_matrix.evaluate(omega, change))
        force = (moved + apply(u[-1], s[..., k, :])) * m[..., k, None]
        inertia = full(j[..., k, :])
        moment = apply(inertia, change) + cross(omega, apply(inertia, omega))
        rows.append(np.concatenate([moment + cross(s[..., k, :], force), force], axis=-1))
    for k in reversed(range(len(tree.joints))):
        if tree.parents[k]:
            outer = tree.parents[k] - 1
            rows[outer] = rows[outer] + inward_wrench(c[..., k, :, :], p[..., k, :], rows[k])
    return padded(rows, tree.width, 1)


@kernel_family("{3} {0} at the link")
def side_load(wrenches: Blocks, c: Blocks, p: Blocks, turn: Blocks, *, tree: Tree) -> Blocks:
    """The wrench [n; f] of all branches on their link, about O_{i+1} in the common frame."""
    return turned_wrench.evaluate(turn, load_beside(tree).evaluate(wrenches, c, p))


@kernel_family("{0} at the link")
def load_beside(wrenches: Blocks, c: Blocks, p: Blocks, *, tree: Tree) -> Blocks:
    """The wrench of `side_load` in frame i+1."""
    seen = [inward_wrench(c[..., k, :, :], p[..., k, :], wrenches[..., k, :]) for k in tree.roots]
    return sum(seen[1:], start=seen[0])


@kernel_family("H' {0}")
def side_bias(wrenches: Blocks, *axes: Blocks, tree: Tree) -> Blocks:
    """b of the branches: the axes' share of the wrench of each joint."""
    along = [apply(transposed(h), wrenches[..., k, :]) for k, h in enumerate(tree.axes(wrenches, axes))]
    return widened(np.concatenate(along, axis=-1), tree.freedom)


# ------------------------------------------------------------- M^-1 (Steps II.b.4 to II.c.7, IV)
#
# X^1 = I^-1 (R H F_T - p): p is the wrench with which the link, at rest, holds the branches that their own
# torques drive. Once the links' accelerations are known, those of the branches follow outward.


@kernel_family("p, drives from {1} - {2}")
def side_drive(
    ldl: Blocks, tau: Blocks, b: Blocks, c: Blocks, p: Blocks, *axes: Blocks, tree: Tree
) -> Blocks:
    """[p (6); the drives]: p, the wrench about O_{i+1} with which the link holds its branches at rest, and
    what the joints do then; from the factor, tau and b, C, P."""
    nothing, own_axes = known(np.zeros((len(tau), 6)), tau), tree.axes(tau, axes)
    wrenches: dict[int, Blocks] = {}
    drives: list[Blocks] = []
    for k, outer in reversed(list(enumerate(tree.parents))):
        wrench = wrenches.get(k + 1, nothing)
        for column, row in reversed(list(enumerate(tree.rows[k]))):
            felt = apply(own_axes[k][..., None, :, column], wrench)[..., 0]
            drive = (tau[..., row] - b[..., row] - felt) * ldl[..., row, 6]
            drives.insert(0, drive)
            wrench = wrench + ldl[..., row, :6] * drive[..., None]
        felt = inward_wrench(c[..., k, :, :], p[..., k, :], wrench)
        wrenches[outer] = wrenches.get(outer, nothing) + felt
    return np.concatenate([wrenches[0], padded(drives, tree.freedom, 0)], axis=-1)


held_wrench = Kernel("held_wrench", "p of {0}", lambda x: x[..., :6].copy())
drives = Kernel("drives", "drives of {0}", lambda x: x[..., 6:].copy())


@kernel_family(lambda tree, driven=True: f"qdd of the branches{' from {4}' * driven} at {{3}}")
def side_accelerations(
    ldl: Blocks, c: Blocks, p: Blocks, x: Blocks, *others: Blocks, tree: Tree, driven: bool = True
) -> Blocks:
    """Joint accelerations of the branches from the drives and the acceleration of O_{i+1} in frame i+1; not
    `driven`, what the link's acceleration alone makes of them (minus the response, as Qdd_C). `others` are
    the drives, if there are any, and axes."""
    axes = tree.axes(ldl, others[driven:])
    moved = [columns_of(x)]
    rows: list[Blocks] = []
    for k, (h, parent) in enumerate(zip(axes, tree.parents, strict=True)):
        turn, at = transposed(c[..., k, :, :]), moved[parent]
        angular, linear = at[..., :3, :], at[..., 3:, :]
        linear = linear - transposed(cross(p[..., k, None, :], transposed(angular)))
        body = np.concatenate([times(turn, angular), times(turn, linear)], axis=-2)
        for column, row in enumerate(tree.rows[k]):
            response = times(ldl[..., row, None, :6], body)[..., 0, :] * ldl[..., row, 6, None]
            qdd = others[0][..., row, None] - response if driven else -response
            rows.append(qdd)
            body = body + times(h[..., column, None], qdd[..., None, :])
        moved.append(body)
    return as_given(padded(rows, tree.freedom, 1), x)


@kernel_family("{0} - {1}")
def side_difference(x: Blocks, y: Blocks, *, tree: Tree) -> Blocks:
    """x - y for the joints that there are."""
    return widened(x[..., : tree.count] - y[..., : tree.count], tree.freedom)


@kernel_family("{0} - {1} {2}")
def side_rows_response(qdd: Blocks, y: Blocks, f: Blocks, *, tree: Tree) -> Blocks:
    """qdd - Y F with the rows of M^-1 J' of the branches (form omega)."""
    own = slice(tree.count)
    return widened(response.evaluate(qdd[..., own], y[..., own, :], f), tree.freedom)


# --------------------------------------------------- articulated inertia, and its inverse (Step I.a)
#
# The branches are eliminated at rest (Featherstone 1983) into an inertia that adds to the link's own, about
# O_{i+1} in frame i+1. The sum is inverted by LDL' in place of Eq. (76); all else that Step I needs of the
# link follows by shifts.


def inward_inertia(c: Blocks, p: Blocks, packed: Blocks) -> Blocks:
    """P^ C6 I C6' P^' of a packed 6x6: seen from the body that it hangs on, whose frame P is in."""
    return shifted_inertia(p, turned_inertia(c, packed))


def _eliminated(packed: Blocks, reciprocal: Blocks, h: Blocks, unit: int | None) -> Blocks:
    """I - (I h)(h' I h)^-1 (h' I), packed; 20 m, 15 a if h is a column of the `unit` matrix."""
    felt, (rows, columns) = apply(full(packed), h), np.tril_indices(6)
    left: Blocks = packed - (felt * reciprocal[..., None])[..., rows] * felt[..., columns]
    if unit is not None:
        left[..., layout(6)[unit]] = np.zeros_like(packed[..., :6])
    return left


@kernel_family("I^A of the branches from {2}")
def articulated(c: Blocks, p: Blocks, inertia: Blocks, *axes: Blocks, tree: Tree) -> Blocks:
    """The articulated inertia of every body about its origin, packed, as each of its axes feels it, and the
    reciprocal of h' of it h: 22 words an axis, from C, P and the bodies' own inertias (k, 21)."""
    whole = [inertia[..., k, :] for k in range(len(tree.joints))]
    rows: list[Blocks] = []
    own_axes = tree.axes(inertia, axes)
    for k in reversed(range(len(tree.joints))):
        left = whole[k]
        for h, unit in reversed(_columns(tree.joints[k], own_axes[k])):
            reciprocal = 1.0 / apply(h[..., None, :], apply(full(left), h))
            rows.insert(0, np.concatenate([left, reciprocal], axis=-1))
            left = _eliminated(left, reciprocal[..., 0], h, unit)
        if tree.parents[k]:
            felt = inward_inertia(c[..., k, :, :], p[..., k, :], left)
            whole[tree.parents[k] - 1] = whole[tree.parents[k] - 1] + felt
    return padded(rows, tree.freedom, 1)


def _columns(joint: str, axes: Blocks) -> list[tuple[Blocks, int | None]]:
    """The axes of a joint, each with its row if it is a column of the unit matrix."""
    fixed = JOINTS[joint].fixed("in_body")
    units = [None if np.isnan(h).any() else int(h.argmax()) for h in fixed.T]
    return [(axes[..., column], unit) for column, unit in enumerate(units)]


@kernel_family("{3} + branches {0}")
def folded(whole: Blocks, c: Blocks, p: Blocks, own: Blocks, *axes: Blocks, tree: Tree) -> Blocks:
    """I_{i,i+1}, packed: the link with its branches as one articulated body about O_{i+1}, frame i+1; from
    the articulated inertias, C, P and the link's own inertia."""
    total, own_axes = own, tree.axes(whole, axes)
    for k in tree.roots:
        first = whole[..., tree.rows[k].start, :]
        left = _eliminated(first[..., :21], first[..., 21], *_columns(tree.joints[k], own_axes[k])[0])
        total = total + inward_inertia(c[..., k, :, :], p[..., k, :], left)
    return total


from_link = Kernel("from_link", "P^ C6 {2} C6' P^'", inward_inertia)
"""I_{i,i+1} about O_i in the frame that C and P are in."""


@kernel_family("({3} + branches {0})^-1")
def folded_inverse(*operands: Blocks, tree: Tree) -> Blocks:
    """The inverse of `folded` by LDL', in place of Eq. (76)."""
    ldl = full(factor(folded(tree).evaluate(*operands)))
    inverse = known(np.tile(np.eye(6), (len(ldl), 1, 1)), ldl)  # of L; that of LDL' is L^-T D^-1 L^-1
    for k, r in combinations(range(6), 2):
        inverse[..., r, : k + 1] -= ldl[..., r, k, None] * inverse[..., k, : k + 1]
    scaled = ldl[..., range(6), range(6), None] * inverse
    return symmetric_product(inverse, scaled)


@kernel_family("factor of {0}")
def side_factor(whole: Blocks, *axes: Blocks, tree: Tree) -> Blocks:
    """The factor of each axis, I^A h and 1 / (h' I^A h); no operation for columns of the unit matrix."""
    columns = (h[..., k] for h in tree.axes(whole, axes) for k in range(h.shape[-1]))
    rows = [
        np.concatenate([apply(full(whole[..., k, :21]), h), whole[..., k, 21:]], axis=-1)
        for k, h in enumerate(columns)
    ]
    return padded(rows, tree.freedom, 1)
