"""Kernels of side branches with operands for three processes and what dense matrices say of them.

The branches of a link are a tree that hangs on it; the oracle is its mass matrix, with the link's own six
degrees of freedom beside those of the joints, from the bodies' Jacobians: no recursion over articulated
bodies, no LDL'. Newton-Euler is written in one frame, body by body.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from senn.algorithms.kernels import branches as branch
from senn.algorithms.kernels import joints as joint_kernels
from senn.algorithms.kernels import link as ne_kernels
from senn.algorithms.kernels import operators as op
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import hat, pack, rotation_quaternion, six, unpack
from senn.machine.program import Kernel
from tests.algorithms.kernels.cases import W, rotation_z
from tests.algorithms.kernels.uses import BRANCHES, EVERY_LINK, OF_ANY_JOINTS, PRISMATIC, REVOLUTE

Array = NDArray[np.floating[Any]]
Given = tuple[Kernel, Array, *tuple[Array, ...]]

BATCH = 3
RNG = np.random.default_rng(2013)


def draw(*shape: int) -> Array:
    return RNG.standard_normal((BATCH, *shape))


def spd(*shape: int) -> Array:
    root = draw(*shape, 6, 6)
    # Far enough from singular that dense solutions keep their digits on every processor.
    return root @ np.swapaxes(root, -1, -2) + 6 * np.eye(6)


class Sides(NamedTuple):
    """Random branches of one structure at one link, for each process of the batch."""

    joints: tuple[str, ...]
    parents: tuple[int, ...]
    width: int
    freedom: int
    c: Array
    p: Array
    inertia: Array
    h: tuple[Array, ...]
    """(BATCH, 6, d) for each joint."""

    @property
    def key(self) -> tuple[branch.Tree]:
        freedom = (self.freedom,) if self.freedom != self.width else ()
        return (branch.Tree(self.joints, self.parents, self.width, *freedom),)

    @property
    def narrow(self) -> tuple[branch.Tree]:
        return (branch.Tree(self.joints, self.parents),)

    @property
    def count(self) -> int:
        """The axes of all joints."""
        return sum(h.shape[-1] for h in self.h)

    @property
    def axes(self) -> tuple[Array, ...]:
        """The operand with the axes, if some of them depend on q."""
        rows = self.filled(np.swapaxes(np.concatenate(self.h, axis=-1), 1, 2))
        return () if all(JOINTS[joint].steady for joint in self.joints) else (rows,)

    def padded(self, rows: Array) -> Array:
        """Rows of bodies for all lanes, those that are missing zero."""
        return zeros_behind(rows, self.width)

    def filled(self, rows: Array) -> Array:
        """Rows of axes for all lanes."""
        return zeros_behind(rows, self.freedom)

    def rows(self, body: int) -> range:
        """The axes of a body's joint."""
        first = sum(h.shape[-1] for h in self.h[:body])
        return range(first, first + self.h[body].shape[-1])

    def axes_of(self, members: list[int]) -> list[int]:
        return [row for k in members for row in self.rows(k)]

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
        columns = self.axes_of(members)
        size = 6 + len(columns)
        total = np.zeros((size, size))
        for k in members:
            path = [x for x in self.path(k) if x not in base]
            jacobian = np.zeros((6, size))
            jacobian[:, :6] = self.carry(batch, path)
            for position, j in enumerate(path):
                if j in members:
                    first = 6 + columns.index(self.rows(j)[0])
                    moved = self.carry(batch, path[position + 1 :]) @ self.h[j][batch]
                    jacobian[:, first : first + moved.shape[-1]] = moved
            total += jacobian.T @ unpack(self.inertia[batch, k]) @ jacobian
        return total

    def all(self) -> list[int]:
        return list(range(len(self.joints)))

    def beyond(self, body: int) -> list[int]:
        """The bodies that hang on one, directly or not."""
        return [k for k in self.all() if k != body and body in self.path(k)]


def zeros_behind(rows: Array, width: int) -> Array:
    filled = np.zeros((BATCH, width, *rows.shape[2:]))
    filled[:, : rows.shape[1]] = rows
    return filled


def axes(joint: str) -> Array:
    """Random, but for the entries that a joint of this type always has."""
    fixed = JOINTS[joint].fixed_in_body
    return np.where(np.isnan(fixed), draw(*fixed.shape), fixed)


def sides(joints: tuple[str, ...], parents: tuple[int, ...], width: int, freedom: int) -> Sides:
    count = len(joints)
    c, p, own = (np.zeros((BATCH, width, 3, 3)), np.zeros((BATCH, width, 3)), np.zeros((BATCH, width, 21)))
    c[:, :count] = rotation_quaternion(draw(count, 4))
    p[:, :count] = draw(count, 3)
    own[:, :count] = pack(spd(count))
    return Sides(joints, parents, width, freedom, c, p, own, tuple(map(axes, joints)))


def eliminated(matrix: Array) -> Array:
    """What the first six directions feel of the rest."""
    return np.asarray(matrix[:6, :6] - matrix[:6, 6:] @ np.linalg.solve(matrix[6:, 6:], matrix[6:, :6]))


def articulated(own: Sides) -> Array:
    """The articulated inertia that every axis feels, packed, and 1 / (h' of it h)."""
    rows = np.zeros((BATCH, own.freedom, 22))
    for batch, k in product(range(BATCH), own.all()):
        matrix = own.matrix(batch, [k, *own.beyond(k)], own.path(k)[:-1])
        back = np.linalg.inv(own.carry(batch, [k]))  # from the frame that the body hangs in
        for column, row in enumerate(own.rows(k)):
            rest = [
                *range(6),
                *range(7 + column, len(matrix)),
            ]  # the body does not move about axes up to this
            whole = back.T @ eliminated(matrix[np.ix_(rest, rest)]) @ back
            h = own.h[k][batch, :, column]
            rows[batch, row] = [*pack(whole), 1.0 / (h @ whole @ h)]
    return rows


def factors(own: Sides, whole: Array) -> Array:
    h = np.concatenate(own.h, axis=-1)
    felt = np.einsum("bkij,bjk->bki", unpack(whole[:, : own.count, :21]), h)
    return own.filled(np.concatenate([felt, whole[:, : own.count, 21:]], axis=-1))


def places(own: Sides) -> Iterator[Given]:
    """By the table of joints, which Pinocchio's tests hold."""
    kinds = [JOINTS[joint] for joint in own.joints]
    r, p = own.padded(rotation_quaternion(draw(len(kinds), 4))), own.padded(draw(len(kinds), 3))
    parameter, q, c, moved, axes = own.padded(draw(len(kinds))), [], 0 * r, p.copy(), []
    for k, kind in enumerate(kinds):
        at = draw(kind.coordinates)
        if kind.quaternion:
            at[:, :4] /= np.linalg.norm(at[:, :4], axis=-1, keepdims=True)
        turn, shift = kind.turn(at, parameter[:, k]), kind.shift(at, parameter[:, k])
        c[:, k], q = r[:, k] @ turn, [*q, at]
        moved[:, k] += np.einsum("bij,bj->bi", r[:, k], shift)
        h = six(np.swapaxes(turn, 1, 2)) @ np.swapaxes(hat(shift), 1, 2) @ kind.subspace(at, parameter[:, k])
        axes.append(np.swapaxes(h, 1, 2))
    given = np.concatenate(q, axis=-1)
    with_parameters = (parameter,) if any(kind.parameter for kind in kinds) else ()
    yield branch.side_frames(*own.key), c, given, r, *with_parameters
    yield branch.side_offsets(*own.key), moved, given, r, p, *with_parameters
    if own.axes:
        rows = own.filled(np.concatenate(axes, axis=1))
        yield branch.side_axes(*own.key), rows, c, r, given, *with_parameters


def inertias(own: Sides) -> Iterator[Given]:
    key, narrow, whole = own.key, own.narrow, articulated(own)
    yield branch.articulated(*key), whole, own.c, own.p, own.inertia, *own.axes
    yield branch.side_factor(*key), factors(own, whole), whole, *own.axes
    of_link = spd()
    felt = np.array([eliminated(own.matrix(batch, own.all(), [])) for batch in range(BATCH)])
    inverse = pack(np.linalg.inv(of_link + felt))
    yield branch.folded(*narrow), pack(of_link + felt), whole, own.c, own.p, pack(of_link), *own.axes
    yield branch.folded_inverse(*narrow), inverse, whole, own.c, own.p, pack(of_link), *own.axes


def drives(own: Sides, force: Array) -> Array:
    """The acceleration about each axis if nothing moved before it."""
    found = np.zeros((BATCH, own.freedom))
    for batch, k in product(range(BATCH), own.all()):
        members = [k, *own.beyond(k)]
        columns = own.axes_of(members)
        matrix = own.matrix(batch, members, [x for x in own.path(k) if x != k])[6:, 6:]
        for column, row in enumerate(own.rows(k)):
            found[batch, row] = np.linalg.solve(matrix[column:, column:], force[batch, columns[column:]])[0]
    return found


def responses(own: Sides) -> Iterator[Given]:
    key, count = own.key, own.count
    factor = factors(own, articulated(own))
    tau, b = own.filled(draw(count)), own.filled(draw(count))
    matrices = [own.matrix(batch, own.all(), []) for batch in range(BATCH)]
    drive = drives(own, tau - b)
    held = np.array(
        [m[:6, 6:] @ np.linalg.solve(m[6:, 6:], (tau - b)[k, :count]) for k, m in enumerate(matrices)]
    )
    together = np.concatenate([held, drive], axis=-1)
    yield branch.side_drive(*key), together, factor, tau, b, own.c, own.p, *own.axes
    yield branch.held_wrench, held, together
    yield branch.drives, drive, together
    x, columns = draw(6), draw(6, 6)
    forced = [
        np.linalg.solve(m[6:, 6:], (tau - b)[k, :count] - m[6:, :6] @ x[k]) for k, m in enumerate(matrices)
    ]
    where = (factor, own.c, own.p)
    yield branch.side_accelerations(*key), own.filled(np.array(forced)), *where, x, drive, *own.axes
    for form, y in ((None, x[..., None]), (6, columns)):
        moved = own.filled(
            np.array([-np.linalg.solve(m[6:, 6:], m[6:, :6] @ y[k]) for k, m in enumerate(matrices)])
        )
        given, expected = (y[..., 0], moved[..., 0]) if form is None else (y, moved)
        yield branch.side_accelerations(*key, driven=False), expected, *where, given, *own.axes
    yield branch.side_difference(*key), tau - b, tau, b
    rows, force = own.filled(draw(count, 6)), draw(6)
    yield branch.side_rows_response(*key), tau - np.einsum("bkj,bj->bk", rows, force), tau, rows, force


def moving(own: Sides) -> Iterator[Given]:
    """Newton-Euler in the common frame: true accelerations of the centres of mass, and moments about the
    joints summed over all that hangs on them; at rest in the joints, and at given accelerations of them."""
    key, count = own.key, len(own.joints)
    turn = rotation_quaternion(draw(4))
    omega, wdot, v, g = (draw(3) for _ in range(4))
    qd, mass, centre = own.filled(draw(own.count)), own.padded(draw(count)), own.padded(draw(count, 3))
    central = own.padded(pack(spd(count)[..., :3, :3]))
    bodies = (qd, own.c, own.p, mass, centre, central)
    qdd = own.filled(draw(own.count))
    for rates in (qdd, np.zeros_like(qdd)):
        wrenches, loads = newton_euler(own, turn, omega, wdot, v, g, bodies, rates)
        given, how = ((qdd,), {"moving": True}) if rates.any() else ((), {})
        yield branch.side_wrenches(*key, **how), wrenches, turn, omega, wdot, v, g, *bodies, *given, *own.axes
    yield branch.side_load(*own.narrow), loads, wrenches, own.c, own.p, turn
    along = [np.einsum("bij,bi->bj", h, wrenches[:, k]) for k, h in enumerate(own.h)]
    yield branch.side_bias(*key), own.filled(np.concatenate(along, axis=-1)), wrenches, *own.axes


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
            h, rows = own.h[k][z], own.rows(k)
            turning, sliding = (frame @ half @ qd[z, rows] for half in (h[:3], h[3:]))
            at = a[parent] + np.cross(dw[parent], step) + np.cross(w[parent], np.cross(w[parent], step))
            spin, change = w[parent], dw[parent]
            at = at + 2.0 * np.cross(spin, sliding) + frame @ h[3:] @ qdd[z, rows]
            change = change + np.cross(spin, turning) + frame @ h[:3] @ qdd[z, rows]
            if joint == "universal":  # the first axis turns the second
                change = change + frame @ np.cross(*h[:3].T) * np.prod(qd[z, rows])
            spin = spin + turning
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
    yield op.across, across, pack(inverse), c, p
    yield op.at_joint, pack(at_joint), across, c, p
    angle, r = draw(), rotation_quaternion(draw(4))
    rz = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    yield joint_kernels.turned_next(REVOLUTE), rotation_z(angle) @ r, rz, r
    yield joint_kernels.turned_next(PRISMATIC), r, rz, r
    for joint in W:
        yield op.projected(joint, 5), W[joint].T @ across, across
        yield op.side_before(joint), pack(W[joint].T @ inverse @ W[joint]), pack(inverse)
        for following in W:
            expected = -W[joint].T @ across @ W[following]
            yield op.side_coupling(joint, following), expected, across
    force, moment, load, arm = draw(3), draw(3), draw(6), draw(3)
    yield op.less, across[..., 0] - load, across[..., 0], load
    yield ne_kernels.with_force, force + load[:, 3:], force, load
    beyond = moment + load[:, :3] + np.cross(arm, load[:, 3:])
    yield ne_kernels.with_moment, beyond, moment, arm, load


def cases() -> Iterator[Given]:
    yield from of_the_link()
    for own in structures():
        for of in (places, inertias, responses, moving):
            yield from of(own)


def structures() -> Iterator[Sides]:
    """What hangs on links in programs, with lanes as wide as there."""
    for trees in (BRANCHES, EVERY_LINK[:1], OF_ANY_JOINTS):
        widths = max(tree.size for tree in trees), max(tree.degrees for tree in trees)
        for joints, parents in sorted({(tree.joints, tree.parents) for tree in trees}):
            yield sides(joints, parents, *widths)
