"""Kernels of side branches, folded into the process of the link that they hang on (Fijany-Featherstone 2013).

A kernel is made for the structure of all branches of one link (`Tree`); rows beyond the own joints are zero
and cost nothing. The frame of body k turns, or slides, with it; C_k and P_k say where it is in the frame of
the body that it hangs on; for the link that is frame i+1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from senn.algorithms.blocks import *  # the algebra of blocks
from senn.algorithms.kernels.joints import spin
from senn.algorithms.kernels.link import spin_matrix
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import PRISMATIC, REVOLUTE
from senn.machine.program import Kernel, kernel, kernel_family


@dataclass(frozen=True)
class Tree:
    """The structure of all branches of one link."""

    joints: tuple[str, ...]
    parents: tuple[int, ...]
    """The body that each hangs on, 0 being the link (`senn.algorithms.robots.side_tree`)."""
    width: int = 0
    """Joints of a lane, the most that hang on any link of the arm; 0 for kernels that make no lanes."""

    def __str__(self) -> str:
        width = [str(self.width)] if self.width else []
        return ".".join(["-".join(self.joints), "-".join(map(str, self.parents)), *width])


def padded(rows: list[Blocks], width: int, rank: int) -> Blocks:
    """One block of `width` rows, each of `rank` axes; those that are missing are zero."""
    return np.stack(rows + [np.zeros_like(rows[0])] * (width - len(rows)), axis=-(rank + 1))


def inward_wrench(c: Blocks, p: Blocks, wrench: Blocks, k: int) -> Blocks:
    """[n; f] of body k (from 0), seen from the body that it hangs on: 24 multiplications, 18 additions."""
    turn = c[..., k, :, :]
    force = apply(turn, wrench[..., 3:])
    moment = apply(turn, wrench[..., :3]) + cross(p[..., k, :], force)
    return np.concatenate([moment, force], axis=-1)


@kernel_family("C of the branches from {0}, {1}")
def side_frames(q: Blocks, r: Blocks, *, tree: Tree) -> Blocks:
    """C_k = R_k Rz(q_k) of a revolute joint, R_k of a prismatic one, from q (k,) and R (k, 3, 3)."""
    frames = [r[..., k, :, :] for k in range(len(tree.joints))]
    for k, joint in enumerate(tree.joints):
        if joint == REVOLUTE:
            c, s = np.cos(q[..., k, None]), np.sin(q[..., k, None])
            x, y, z = (frames[k][..., column] for column in range(3))
            frames[k] = np.stack([c * x + s * y, c * y - s * x, z], axis=-1)
    return padded(frames, tree.width, 2)


@kernel_family("P of the branches from {0}, {2}")
def side_offsets(q: Blocks, r: Blocks, p: Blocks, *, tree: Tree) -> Blocks:
    """P_k, moved by q_k along the axis of a prismatic joint, from q (k,), R (k, 3, 3) and P (k, 3)."""
    moved = [p[..., k, :] for k in range(len(tree.joints))]
    for k, joint in enumerate(tree.joints):
        if joint == PRISMATIC:
            moved[k] = moved[k] + q[..., k, None] * r[..., k, :, 2]
    return padded(moved, tree.width, 1)


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
    qd: Blocks,
    *bodies: Blocks,
    tree: Tree,
    moving: bool = False,
) -> Blocks:
    """The wrenches [n; f] through the joints of the branches, each in its body's frame, at qdd = 0; or, where
    joints are `moving`, at the qdd that comes as the last operand.

    From T = C(common frame, i+1), omega, wdot, v (of O_{i+1}, without gravity) and g in the common frame; qd,
    C, P; m, S, J of the bodies.
    """
    back = transposed(turn)
    moved = apply(back, omega), apply(back, wdot), apply(back, v - g)
    return _wrenches(tree, moved, qd, *bodies)


@kernel_family("wrenches of the branches at {0}, {1}")
def wrenches_beside(
    motion: Blocks, swerve: Blocks, g: Blocks, qd: Blocks, *bodies: Blocks, tree: Tree
) -> Blocks:
    """`side_wrenches` at qdd = 0, from the motion of the link in frame i+1: [C(1,i+1); omega] and its
    acceleration [wdot; v], and g in frame 1."""
    falling = swerve[..., 3:] - apply(transposed(motion[..., :3, :]), g)
    return _wrenches(tree, (motion[..., 3, :], swerve[..., :3], falling), qd, *bodies)


def _wrenches(
    tree: Tree,
    link: tuple[Blocks, Blocks, Blocks],
    qd: Blocks,
    c: Blocks,
    p: Blocks,
    m: Blocks,
    s: Blocks,
    j: Blocks,
    qdd: Blocks | None = None,
) -> Blocks:
    """From omega, wdot and v - g of the link in frame i+1."""
    w, dw, a = ([x] for x in link)
    u = [spin_matrix.evaluate(w[0], dw[0])]
    rows: list[Blocks] = []
    for k, (joint, parent) in enumerate(zip(tree.joints, tree.parents, strict=True)):
        inward, rate = transposed(c[..., k, :, :]), qd[..., k]
        omega, change = apply(inward, w[parent]), apply(inward, dw[parent])
        moved = apply(inward, a[parent] + apply(u[parent], p[..., k, :]))
        if joint == REVOLUTE:
            change = _beside(change, omega, rate)
            omega = np.concatenate([omega[..., :2], (omega[..., 2] + rate)[..., None]], axis=-1)
        else:
            moved = _beside(moved, omega, rate + rate)
        if qdd is not None:
            changed = change if joint == REVOLUTE else moved
            changed[..., 2] = changed[..., 2] + qdd[..., k]
        w, dw, a = [*w, omega], [*dw, change], [*a, moved]
        u.append(spin_matrix.evaluate(omega, change))
        force = (moved + apply(u[-1], s[..., k, :])) * m[..., k, None]
        inertia = full(j[..., k, :])
        moment = apply(inertia, change) + cross(omega, apply(inertia, omega))
        rows.append(np.concatenate([moment + cross(s[..., k, :], force), force], axis=-1))
    for k in reversed(range(len(tree.joints))):
        if tree.parents[k]:
            outer = tree.parents[k] - 1
            rows[outer] = rows[outer] + inward_wrench(c, p, rows[k], k)
    return padded(rows, tree.width, 1)


def _beside(x: Blocks, w: Blocks, rate: Blocks) -> Blocks:
    """x + w x z rate: 2 multiplications, 2 additions."""
    return np.stack([x[..., 0] + w[..., 1] * rate, x[..., 1] - w[..., 0] * rate, x[..., 2]], axis=-1)


@kernel_family("{3} {0} at the link")
def side_load(wrenches: Blocks, c: Blocks, p: Blocks, turn: Blocks, *, tree: Tree) -> Blocks:
    """The wrench [n; f] of all branches on their link, about O_{i+1} in the common frame."""
    total = load_beside(tree).evaluate(wrenches, c, p)
    return np.concatenate([apply(turn, total[..., :3]), apply(turn, total[..., 3:])], axis=-1)


@kernel_family("{0} at the link")
def load_beside(wrenches: Blocks, c: Blocks, p: Blocks, *, tree: Tree) -> Blocks:
    """The wrench of `side_load` in frame i+1."""
    roots = [k for k, parent in enumerate(tree.parents) if parent == 0]
    seen = [inward_wrench(c, p, wrenches[..., k, :], k) for k in roots]
    return sum(seen[1:], start=seen[0])


@kernel_family("H' {0}")
def side_bias(wrenches: Blocks, *, tree: Tree) -> Blocks:
    """b of the branches, H_k' of the wrench of each joint: words that are there."""
    return padded(
        [wrenches[..., k, JOINTS[joint].allowed[0]] for k, joint in enumerate(tree.joints)], tree.width, 0
    )


# ------------------------------------------------------------- M^-1 (Steps II.b.4 to II.c.7, IV)
#
# X^1 = I^-1 (R H F_T - p): p is the wrench with which the link, at rest, holds the branches that their own
# torques drive. Once the links' accelerations are known, those of the branches follow outward.


@kernel_family("p, drives from {1} - {2}")
def side_drive(ldl: Blocks, tau: Blocks, b: Blocks, c: Blocks, p: Blocks, *, tree: Tree) -> Blocks:
    """[p (6); the drives]: p, the wrench about O_{i+1} with which the link holds its branches at rest, and
    what the joints do then; from the factor, tau and b (k,), C, P."""
    count = len(tree.joints)
    wrenches: dict[int, Blocks] = {}
    drives: list[Blocks] = []
    for k in reversed(range(count)):
        force = tau[..., k] - b[..., k]
        if k + 1 in wrenches:
            force = force - wrenches[k + 1][..., JOINTS[tree.joints[k]].allowed[0]]
        drive = force * ldl[..., k, 6]
        drives.insert(0, drive)
        wrench = ldl[..., k, :6] * drive[..., None]
        if k + 1 in wrenches:
            wrench = wrenches[k + 1] + wrench
        seen = inward_wrench(c, p, wrench, k)
        wrenches[tree.parents[k]] = wrenches[tree.parents[k]] + seen if tree.parents[k] in wrenches else seen
    return np.concatenate([wrenches[0], padded(drives, tree.width, 0)], axis=-1)


held_wrench = Kernel("held_wrench", "p of {0}", lambda x: x[..., :6].copy())
drives = Kernel("drives", "drives of {0}", lambda x: x[..., 6:].copy())


@kernel_family(lambda tree, driven=True: f"qdd of the branches{' from {4}' * driven} at {{3}}")
def side_accelerations(
    ldl: Blocks,
    c: Blocks,
    p: Blocks,
    x: Blocks,
    drive: Blocks | None = None,
    *,
    tree: Tree,
    driven: bool = True,
) -> Blocks:
    """Joint accelerations of the branches from the drives and the acceleration of O_{i+1} in frame i+1; not
    `driven`, what the link's acceleration alone makes of them (minus the response, as Qdd_C)."""
    moved = [columns_of(x)]
    rows: list[Blocks] = []
    for k, (joint, parent) in enumerate(zip(tree.joints, tree.parents, strict=True)):
        turn, at = transposed(c[..., k, :, :]), moved[parent]
        angular, linear = at[..., :3, :], at[..., 3:, :]
        linear = linear - transposed(cross(p[..., k, None, :], transposed(angular)))
        body = np.concatenate([times(turn, angular), times(turn, linear)], axis=-2)
        response = times(ldl[..., k, None, :6], body)[..., 0, :] * ldl[..., k, 6, None]
        qdd = -response if drive is None else drive[..., k, None] - response
        rows.append(qdd)
        if k + 1 in tree.parents:
            row = JOINTS[joint].allowed[0]
            changed = (body[..., row, :] + qdd)[..., None, :]
            body = np.concatenate([body[..., :row, :], changed, body[..., row + 1 :, :]], axis=-2)
        moved.append(body)
    return as_given(padded(rows, tree.width, 1), x)


@kernel_family("{0} - {1}")
def side_difference(x: Blocks, y: Blocks, *, tree: Tree) -> Blocks:
    """x - y for the joints that there are."""
    return padded([x[..., k] - y[..., k] for k in range(len(tree.joints))], tree.width, 0)


@kernel_family("{0} - {1} {2}")
def side_rows_response(qdd: Blocks, y: Blocks, f: Blocks, *, tree: Tree) -> Blocks:
    """qdd - Y F with the rows of M^-1 J' of the branches (form omega)."""
    rows = [
        qdd[..., k] - dot(y[..., k, :3], f[..., :3]) - dot(y[..., k, 3:], f[..., 3:])
        for k in range(len(tree.joints))
    ]
    return padded(rows, tree.width, 0)


# --------------------------------------------------- articulated inertia, and its inverse (Step I.a)
#
# The branches are eliminated at rest (Featherstone 1983) into an inertia that adds to the link's own, about
# O_{i+1} in frame i+1. The sum is inverted by LDL' in place of Eq. (76); all else that Step I needs of the
# link follows by shifts.

PACKED = 21
"""Words of a symmetric 6x6."""
FACTOR = 7
"""Words of a joint's factor: the articulated inertia times H_k (6), and 1 / (H_k' of it)."""


def inward_inertia(c: Blocks, p: Blocks, packed: Blocks) -> Blocks:
    """P^ C6 I C6' P^' of a packed 6x6: seen from the body that it hangs on, whose frame P is in."""
    return shifted_inertia(p, turned_inertia(c, packed))


def _eliminated(packed: Blocks, reciprocal: Blocks, row: int) -> Blocks:
    """I - (I H)(H' I H)^-1 (H' I), packed: zero in the joint's own row and column; 20 m, 15 a."""
    at, left = layout(6), packed.copy()
    kept = [r for r in range(6) if r != row]
    scaled = {r: packed[..., at[r, row]] * reciprocal for r in kept}
    for r in kept:
        for s in (s for s in kept if s <= r):
            left[..., at[r, s]] = packed[..., at[r, s]] - scaled[r] * packed[..., at[s, row]]
    for r in range(6):
        left[..., at[r, row]] = np.zeros_like(reciprocal)
    return left


@kernel_family("I^A of the branches from {2}")
def articulated(c: Blocks, p: Blocks, inertia: Blocks, *, tree: Tree) -> Blocks:
    """The articulated inertia of every body about its origin, packed, and the reciprocal of H' of it H: 22
    words a joint, from C, P and the bodies' own inertias (k, 21)."""
    whole = [inertia[..., k, :] for k in range(len(tree.joints))]
    rows: list[Blocks] = []
    for k in reversed(range(len(tree.joints))):
        row = JOINTS[tree.joints[k]].allowed[0]
        reciprocal = 1.0 / whole[k][..., layout(6)[row, row]]
        rows.insert(0, np.concatenate([whole[k], reciprocal[..., None]], axis=-1))
        if tree.parents[k]:
            felt = inward_inertia(c[..., k, :, :], p[..., k, :], _eliminated(whole[k], reciprocal, row))
            whole[tree.parents[k] - 1] = whole[tree.parents[k] - 1] + felt
    return padded(rows, tree.width, 1)


def _inverse(packed: Blocks) -> Blocks:
    """The inverse of a packed 6x6 SPD block, packed: its LDL', and then L^-T D^-1 L^-1."""
    ldl, at = factor(packed), layout(6)
    below: dict[tuple[int, int], Blocks] = {}  # of L^-1, which has a unit diagonal
    for r in range(6):
        for c in range(r):
            entry = -ldl[..., at[r, c]]
            for k in range(c + 1, r):
                entry = entry - ldl[..., at[r, k]] * below[k, c]
            below[r, c] = entry
    scaled = {(r, c): ldl[..., at[r, r]] * x for (r, c), x in below.items()}
    entries = []
    for r in range(6):
        for c in range(r + 1):
            entry = scaled[r, c] if c < r else ldl[..., at[r, r]]
            for k in range(r + 1, 6):
                entry = entry + below[k, r] * scaled[k, c]
            entries.append(entry)
    return np.stack(entries, axis=-1)


@kernel_family("{3} + branches {0}")
def folded(whole: Blocks, c: Blocks, p: Blocks, own: Blocks, *, tree: Tree) -> Blocks:
    """I_{i,i+1}, packed: the link with its branches as one articulated body about O_{i+1}, frame i+1; from
    the articulated inertias, C, P and the link's own inertia."""
    roots = [k for k, parent in enumerate(tree.parents) if parent == 0]
    total = own
    for k in roots:
        packed, reciprocal = whole[..., k, :21], whole[..., k, 21]
        left = _eliminated(packed, reciprocal, JOINTS[tree.joints[k]].allowed[0])
        total = total + inward_inertia(c[..., k, :, :], p[..., k, :], left)
    return total


from_link = Kernel("from_link", "P^ C6 {2} C6' P^'", inward_inertia)
"""I_{i,i+1} about O_i in the frame that C and P are in."""


@kernel_family("({3} + branches {0})^-1")
def folded_inverse(*operands: Blocks, tree: Tree) -> Blocks:
    """The inverse of `folded` by LDL', in place of Eq. (76)."""
    return _inverse(folded(tree).evaluate(*operands))


@kernel_family("factor of {0}")
def side_factor(whole: Blocks, *, tree: Tree) -> Blocks:
    """The factor of each joint: I^A H_k and 1 / (H_k' I^A H_k); words that are there, no operation."""
    at = [layout(6)[JOINTS[joint].allowed[0]] for joint in tree.joints]
    return padded([whole[..., k, [*row, 21]] for k, row in enumerate(at)], tree.width, 1)


# ------------------------------------------- what follows from (I_{i,i+1})^-1 at O_i (I.a)


@kernel("I^-1 C6 P^ from {0}, {1}, {2}")
def across(inverse: Blocks, c: Blocks, p: Blocks) -> Blocks:
    """C6 P^'^-1 (I_{i,i+1})^-1 = I_i^-1 C6 P^, 6x6: rows in frame i at O_i, columns in frame i+1."""
    whole = full(inverse)
    upper, lower = whole[..., :3, :], whole[..., 3:, :]
    lower = lower + transposed(cross(p[..., None, :], transposed(upper)))
    return np.concatenate([times(c, upper), times(c, lower)], axis=-2)


@kernel("{0} P^^-1 C6'")
def at_joint(x: Blocks, c: Blocks, p: Blocks) -> Blocks:
    """(I_i)^-1 about O_i in frame i, packed, from I_i^-1 C6 P^."""
    back, lower = transposed(c), x[..., 3:, 3:] + cross(p[..., None, :], x[..., 3:, :3])
    angular, linear = (symmetric_product(transposed(half), back) for half in (x[..., :3, :3], lower))
    return of_parts(angular, times(x[..., 3:, :3], back), linear)


@kernel_family(lambda joint: "{0} {1}" if joint == REVOLUTE else "{1}")
def turned_next(rz: Blocks, r: Blocks, *, joint: str) -> Blocks:
    """C(i,i+1) = Rz(q_i) R_{i+1} from cosine and sine."""
    return spin(rz, r) if joint == REVOLUTE else r.copy()


@kernel_family("-W' {0} W_{{i+1}}")
def side_coupling(x: Blocks, *, joint: str, following: str) -> Blocks:
    """B_i = -W_i' (I_i^-1 C6 P^) W_{i+1}: words that are there."""
    rows, columns = JOINTS[joint].held, JOINTS[following].held
    return -x[..., rows, :][..., columns]


@kernel_family("W' {0}")
def side_end_coupling(x: Blocks, *, joint: str) -> Blocks:
    """E_N = W_N' (I_N^-1 C6 P^): words that are there."""
    return x[..., JOINTS[joint].held, :].copy()


@kernel_family("W_{{i+1}}' {0} W_{{i+1}}")
def side_before(x: Blocks, *, following: str) -> Blocks:
    """(I_{i,i+1})^-1 restricted to W_{i+1}: words that are there."""
    return restricted(x, JOINTS[following].held)
