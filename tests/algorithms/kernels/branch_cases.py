"""Kernels of side branches with operands for three processes and what dense matrices say of them.

The branches of a link are a tree that hangs on it; the oracle is its mass matrix, with the link's own six
degrees of freedom beside those of the joints, from the bodies' Jacobians: no recursion over articulated
bodies, no LDL'. Newton-Euler is written in one frame, body by body.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from senn.algorithms.kernels import branches as branch
from senn.algorithms.kernels import link as ne_kernels
from senn.algorithms.kernels import operators as op
from senn.algorithms.spatial import (
    hat,
    pack,
    rotation_quaternion,
    six,
    unpack,
)
from senn.machine.program import Kernel
from tests.algorithms.kernels.cases import AXIS, W, rotation_z
from tests.algorithms.kernels.uses import BRANCHES, EVERY_LINK, PRISMATIC, REVOLUTE

Array = NDArray[np.floating[Any]]
Given = tuple[Kernel, Array, *tuple[Array, ...]]

BATCH = 3
RNG = np.random.default_rng(2013)


def draw(*shape: int) -> Array:
    return RNG.standard_normal((BATCH, *shape))


def spd(*shape: int) -> Array:
    root = draw(*shape, 6, 6)
    return root @ np.swapaxes(root, -1, -2) + np.eye(6)


class Sides(NamedTuple):
    """Random branches of one structure at one link, for each process of the batch."""

    joints: tuple[str, ...]
    parents: tuple[int, ...]
    width: int
    c: Array
    p: Array
    inertia: Array

    def padded(self, rows: Array) -> Array:
        """Rows for all lanes, those that are missing zero."""
        filled = np.zeros((BATCH, self.width, *rows.shape[2:]))
        filled[:, : len(self.joints)] = rows
        return filled

    def path(self, body: int) -> list[int]:
        """Bodies from the one that hangs on the link to `body`, from 0."""
        outer = self.parents[body]
        return [*(self.path(outer - 1) if outer else []), body]

    def carry(self, batch: int, chain: list[int]) -> Array:
        """Velocities along some bodies, each one the next one's parent: 6x6."""
        total = np.eye(6)
        for k in chain:
            total = six(self.c[batch, k].T) @ hat(self.p[batch, k]).T @ total
        return total

    def matrix(self, batch: int, members: list[int], base: list[int]) -> Array:
        """The mass matrix of some bodies and their joints, after the six directions of the frame in which the
        bodies `base` end."""
        size = 6 + len(members)
        total = np.zeros((size, size))
        for k in members:
            path = [x for x in self.path(k) if x not in base]
            jacobian = np.zeros((6, size))
            jacobian[:, :6] = self.carry(batch, path)
            for position, j in enumerate(path):
                if j in members:
                    column = self.carry(batch, path[position + 1 :])[:, AXIS[self.joints[j]]]
                    jacobian[:, 6 + members.index(j)] = column
            total += jacobian.T @ unpack(self.inertia[batch, k]) @ jacobian
        return total

    def all(self) -> list[int]:
        return list(range(len(self.joints)))

    def beyond(self, body: int) -> list[int]:
        """The bodies that hang on one, directly or not."""
        return [k for k in self.all() if k != body and body in self.path(k)]


def sides(joints: tuple[str, ...], parents: tuple[int, ...], width: int) -> Sides:
    count = len(joints)
    c, p, own = (
        np.zeros((BATCH, width, 3, 3)),
        np.zeros((BATCH, width, 3)),
        np.zeros((BATCH, width, 21)),
    )
    c[:, :count] = rotation_quaternion(draw(count, 4))
    p[:, :count] = draw(count, 3)
    own[:, :count] = pack(spd(count))
    return Sides(joints, parents, width, c, p, own)


def eliminated(matrix: Array) -> Array:
    """What the first six directions feel of the rest."""
    return np.asarray(matrix[:6, :6] - matrix[:6, 6:] @ np.linalg.solve(matrix[6:, 6:], matrix[6:, :6]))


def articulated(own: Sides) -> Array:
    """The articulated inertia of every body, packed, and 1 / (H' of it H)."""
    rows = np.zeros((BATCH, own.width, 22))
    for batch in range(BATCH):
        for k, joint in enumerate(own.joints):
            members = [k, *own.beyond(k)]
            matrix = own.matrix(batch, members, own.path(k))
            rest = [*range(6), *range(7, 6 + len(members))]  # the body itself does not move on its joint
            whole = eliminated(matrix[np.ix_(rest, rest)])
            rows[batch, k, :21] = pack(whole)
            rows[batch, k, 21] = 1.0 / whole[AXIS[joint], AXIS[joint]]
    return rows


def factors(own: Sides, whole: Array) -> Array:
    rows = np.zeros((BATCH, own.width, 7))
    for k, joint in enumerate(own.joints):
        rows[:, k, :6] = unpack(whole[:, k, :21])[..., AXIS[joint]]
        rows[:, k, 6] = whole[:, k, 21]
    return rows


def places(own: Sides) -> Iterator[Given]:
    key = (branch.Tree(own.joints, own.parents, own.width),)
    q, r, p = (own.padded(draw(len(own.joints), *shape)) for shape in ((), (3, 3), (3,)))
    revolute = np.array([joint == REVOLUTE for joint in own.joints] + [False] * (own.width - len(own.joints)))
    yield branch.side_frames(*key), r @ rotation_z(np.where(revolute, q, 0.0)), q, r
    slide = np.where(revolute, 0.0, q)[..., None] * r[..., 2]
    yield branch.side_offsets(*key), p + slide, q, r, p


def inertias(own: Sides) -> Iterator[Given]:
    key, narrow = (branch.Tree(own.joints, own.parents, own.width),), (branch.Tree(own.joints, own.parents),)
    whole = articulated(own)
    yield branch.articulated(*key), whole, own.c, own.p, own.inertia
    yield branch.side_factor(*key), factors(own, whole), whole
    of_link = spd()
    felt = np.array([eliminated(own.matrix(batch, own.all(), [])) for batch in range(BATCH)])
    inverse = pack(np.linalg.inv(of_link + felt))
    yield branch.folded(*narrow), pack(of_link + felt), whole, own.c, own.p, pack(of_link)
    yield branch.folded_inverse(*narrow), inverse, whole, own.c, own.p, pack(of_link)


def drives(own: Sides, force: Array) -> Array:
    """The acceleration of each joint were its parent at rest."""
    found = np.zeros((BATCH, own.width))
    for batch in range(BATCH):
        for k in own.all():
            members = [k, *own.beyond(k)]
            matrix = own.matrix(batch, members, [x for x in own.path(k) if x != k])
            found[batch, k] = np.linalg.solve(matrix[6:, 6:], force[batch, members])[0]
    return found


def responses(own: Sides) -> Iterator[Given]:
    key, count = (branch.Tree(own.joints, own.parents, own.width),), len(own.joints)
    factor = factors(own, articulated(own))
    tau, b = own.padded(draw(count)), own.padded(draw(count))
    matrices = [own.matrix(batch, own.all(), []) for batch in range(BATCH)]
    drive = drives(own, tau - b)
    held = np.array(
        [m[:6, 6:] @ np.linalg.solve(m[6:, 6:], (tau - b)[k, :count]) for k, m in enumerate(matrices)]
    )
    together = np.concatenate([held, drive], axis=-1)
    yield branch.side_drive(*key), together, factor, tau, b, own.c, own.p
    yield branch.held_wrench, held, together
    yield branch.drives, drive, together
    x, columns = draw(6), draw(6, 6)
    forced = [
        np.linalg.solve(m[6:, 6:], (tau - b)[k, :count] - m[6:, :6] @ x[k]) for k, m in enumerate(matrices)
    ]
    where = (factor, own.c, own.p)
    yield branch.side_accelerations(*key), own.padded(np.array(forced)), *where, x, drive
    for form, y in ((None, x[..., None]), (6, columns)):
        moved = own.padded(
            np.array([-np.linalg.solve(m[6:, 6:], m[6:, :6] @ y[k]) for k, m in enumerate(matrices)])
        )
        given, expected = (y[..., 0], moved[..., 0]) if form is None else (y, moved)
        yield branch.side_accelerations(*key, driven=False), expected, *where, given
    yield branch.side_difference(*key), tau - b, tau, b
    rows, force = own.padded(draw(count, 6)), draw(6)
    yield branch.side_rows_response(*key), tau - np.einsum("bkj,bj->bk", rows, force), tau, rows, force


def moving(own: Sides) -> Iterator[Given]:
    """Newton-Euler in the common frame: true accelerations of the centres of mass, and moments about the
    joints summed over all that hangs on them; at rest in the joints, and at given accelerations of them."""
    key, count = (branch.Tree(own.joints, own.parents, own.width),), len(own.joints)
    turn = rotation_quaternion(draw(4))
    omega, wdot, v, g = (draw(3) for _ in range(4))
    qd, mass, centre = own.padded(draw(count)), own.padded(draw(count)), own.padded(draw(count, 3))
    central = own.padded(pack(spd(count)[..., :3, :3]))
    bodies = (qd, own.c, own.p, mass, centre, central)
    qdd = own.padded(draw(count))
    for rates in (qdd, np.zeros_like(qdd)):
        wrenches, loads = newton_euler(own, turn, omega, wdot, v, g, bodies, rates)
        given, how = ((qdd,), {"moving": True}) if rates.any() else ((), {})
        yield branch.side_wrenches(*key, **how), wrenches, turn, omega, wdot, v, g, *bodies, *given
    yield branch.side_load(branch.Tree(own.joints, own.parents)), loads, wrenches, own.c, own.p, turn
    along = np.zeros((BATCH, own.width))
    for k, joint in enumerate(own.joints):
        along[:, k] = wrenches[:, k, AXIS[joint]]
    yield branch.side_bias(*key), along, wrenches


def newton_euler(
    own: Sides,
    turn: Array,
    omega: Array,
    wdot: Array,
    v: Array,
    g: Array,
    bodies: tuple[Array, ...],
    qdd: Array,
) -> tuple[Array, Array]:
    """The wrenches through the joints, and those of all branches on their link."""
    qd, _, _, mass, centre, central = bodies
    count = len(own.joints)
    wrenches, loads = np.zeros((BATCH, own.width, 6)), np.zeros((BATCH, 6))
    for z in range(BATCH):
        axes, points, w, dw, a = [turn[z]], [np.zeros(3)], [omega[z]], [wdot[z]], [v[z] - g[z]]
        forces, moments, centres = [], [], []
        for k, (joint, parent) in enumerate(zip(own.joints, own.parents, strict=True)):
            step = axes[parent] @ own.p[z, k]
            frame = axes[parent] @ own.c[z, k]
            axis, rate = frame[:, 2], qd[z, k]
            at = a[parent] + np.cross(dw[parent], step) + np.cross(w[parent], np.cross(w[parent], step))
            spin, change = w[parent], dw[parent]
            if joint == REVOLUTE:
                change = change + np.cross(spin, rate * axis) + qdd[z, k] * axis
                spin = spin + rate * axis
            else:
                at = at + 2.0 * np.cross(spin, rate * axis) + qdd[z, k] * axis
            to_centre = frame @ centre[z, k]
            tensor = frame @ unpack(central[z, k]) @ frame.T
            of_centre = at + np.cross(change, to_centre) + np.cross(spin, np.cross(spin, to_centre))
            forces.append(mass[z, k] * of_centre)
            moments.append(tensor @ change + np.cross(spin, tensor @ spin))
            axes, points = [*axes, frame], [*points, points[parent] + step]
            w, dw, a = [*w, spin], [*dw, change], [*a, at]
            centres.append(points[-1] + to_centre)
        for k in range(count):
            members = [k, *own.beyond(k)]
            force = sum((forces[j] for j in members), np.zeros(3))
            moment = sum(
                (moments[j] + np.cross(centres[j] - points[k + 1], forces[j]) for j in members), np.zeros(3)
            )
            wrenches[z, k] = np.concatenate([axes[k + 1].T @ moment, axes[k + 1].T @ force])
        loads[z, :3] = sum((moments[j] + np.cross(centres[j], forces[j]) for j in own.all()), np.zeros(3))
        loads[z, 3:] = sum(forces, np.zeros(3))
    return wrenches, loads


def of_the_link() -> Iterator[Given]:
    """What follows for the link from its inverse inertia about O_{i+1}."""
    inverse, c, p = spd(), rotation_quaternion(draw(4)), draw(3)
    outward = six(c) @ hat(p)  # forces at O_{i+1}, frame i+1, to O_i, frame i
    at_joint = np.linalg.inv(outward @ np.linalg.inv(inverse) @ np.swapaxes(outward, -1, -2))
    across = at_joint @ outward
    yield branch.across, across, pack(inverse), c, p
    yield branch.at_joint, pack(at_joint), across, c, p
    angle, r = draw(), rotation_quaternion(draw(4))
    rz = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    yield branch.turned_next(REVOLUTE), rotation_z(angle) @ r, rz, r
    yield branch.turned_next(PRISMATIC), r, rz, r
    for joint in W:
        yield branch.side_end_coupling(joint), W[joint].T @ across, across
        yield branch.side_before(joint), pack(W[joint].T @ inverse @ W[joint]), pack(inverse)
        for following in W:
            expected = -W[joint].T @ across @ W[following]
            yield branch.side_coupling(joint, following), expected, across
    force, moment, load, arm = draw(3), draw(3), draw(6), draw(3)
    yield op.less, across[..., 0] - load, across[..., 0], load
    yield ne_kernels.with_force, force + load[:, 3:], force, load
    beyond = moment + load[:, :3] + np.cross(arm, load[:, 3:])
    yield ne_kernels.with_moment, beyond, moment, arm, load


def cases() -> Iterator[Given]:
    yield from of_the_link()
    structures = {(tree.joints, tree.parents) for tree in (*BRANCHES, *EVERY_LINK)}
    for joints, parents in sorted(structures):
        own = sides(joints, parents, max(tree.size for tree in BRANCHES))
        for of in (places, inertias, responses, moving):
            yield from of(own)
