"""Trees: articulated bodies (Featherstone 1983) and Newton-Euler over an array of parents, O(n).

For chains with side branches, with joints of any type. Every body is seen from the frame of its joint, which
is fixed in the body that it hangs on: frame i at O_i, as in `senn.algorithms.robots.chain`. What has no
parent hangs on body 0, the base or a link of a main chain, whose motion is given. As in `articulated`, the
tree is at rest under tau - b, and one outward and one inward pass serve all right-hand sides at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from senn.algorithms import spatial
from senn.algorithms.robots import chain as chains
from senn.algorithms.robots.chain import Branch, Chain, configuration, drift
from senn.algorithms.spatial import Numbers, transposed


class Body(NamedTuple):
    """A body at one q, in frame k at O_k."""

    parent: int
    """The body that it hangs on, from 1; 0: what the whole tree hangs on."""
    motion: Numbers
    """(6, 6): velocities of the parent (its frame and origin) to frame k and O_k."""
    axes: Numbers
    """(d, 6): H'."""
    inertia: Numbers
    """(6, 6)."""
    rate: Numbers
    """(6,): Hdot qd, with frame k held still."""


def _bodies(chain: Chain, q: Numbers, qd: Numbers, root: Numbers, parent: int, before: int) -> Iterator[Body]:
    """The bodies of a chain and of its branches in the order of q; `before` are numbered already. `root`
    takes velocities of `parent` to frame 1."""
    own, rates = q[: chain.q_shares.total], qd[: chain.qd_shares.total]
    pose, rate = configuration(chain, own), drift(chain, own, rates)
    turned = pose.rotation @ chain.inertia @ transposed(pose.rotation)
    centre = np.einsum("nij,nj->ni", pose.rotation, pose.centre)
    inertia = spatial.inertia(chain.mass, turned, centre)
    outward = transposed(spatial.hat(pose.position)) @ spatial.six(transposed(pose.rotation))
    motion = np.concatenate([root[None], outward[:-1]])
    for i, degrees in enumerate(chain.qd_shares.counts):
        hangs_on = before + i if i else parent
        yield Body(hangs_on, motion[i], pose.H[i, :, :degrees].T, inertia[i], rate[i])
    q, qd = q[len(own) :], qd[len(rates) :]
    count = before + chain.n
    for one in chain.branches:
        side = one.chain
        yield from _bodies(side, q, qd, _mount(one) @ outward[one.at - 1], before + one.at, count)
        q, qd, count = q[side.coordinates :], qd[side.degrees :], count + len(side.all_joints)


def _mount(one: Branch) -> Numbers:
    """(6, 6): velocities in frame at+1 of the main chain to frame 1 of a branch."""
    return _moved(one.chain.base_rotation, one.chain.base_position)


def _moved(rotation: Numbers, position: Numbers) -> Numbers:
    """(6, 6): velocities in a frame to one at `rotation`, `position` in it."""
    return np.asarray(spatial.six(rotation.T) @ spatial.hat(position).T)


def _whole(chain: Chain, q: Numbers, qd: Numbers) -> list[Body]:
    """All bodies of the arm in the order of q; the tree hangs on the base."""
    return list(_bodies(chain, q, qd, _moved(chain.base_rotation, chain.base_position), 0, 0))


# ------------------------------------------------------------------------ articulated bodies


@dataclass(frozen=True, eq=False)
class Tree:
    """A factored tree at one q; entry k-1 is body k."""

    bodies: tuple[Body, ...]
    own: tuple[slice, ...]
    """The rows of each joint in torques and accelerations."""
    reach: tuple[Numbers, ...]
    """(d, 6): H' times the articulated inertia."""
    pivot: tuple[Numbers, ...]
    """(d, d): that times H, the inertia seen by the joint."""
    felt: Numbers
    """(6, 6): the inertia that body 0 feels of the tree."""


def eliminate(bodies: list[Body]) -> Tree:
    """Articulated inertias from the tips to body 0."""
    whole = [np.zeros((6, 6)), *(one.inertia for one in bodies)]
    reach, pivot = [], []
    for k, one in reversed(list(enumerate(bodies, 1))):
        through = one.axes @ whole[k]
        reach.append(through)
        pivot.append(through @ one.axes.T)
        left = whole[k] - through.T @ _solved(pivot[-1], through)
        whole[one.parent] = whole[one.parent] + one.motion.T @ ((left + left.T) / 2) @ one.motion
    ends = np.cumsum([len(one.axes) for one in bodies]).tolist()
    own = tuple(slice(end - len(one.axes), end) for one, end in zip(bodies, ends, strict=True))
    return Tree(tuple(bodies), own, tuple(reversed(reach)), tuple(reversed(pivot)), whole[0])


def drives(tree: Tree, torque: Numbers, load: Numbers | None = None) -> tuple[Numbers, Numbers]:
    """What the joints would do if body 0 stood still and each joint alone moved, and the wrench with which
    body 0 holds the tree then.

    torque (degrees, r); load (k, 6, r): the wrench that a body exerts on what is no part of the tree.
    -> (degrees, r), (6, r).
    """
    bias = np.zeros((len(tree.bodies) + 1, 6, torque.shape[1]))
    if load is not None:
        bias[1:] = load
    drive = np.empty_like(torque)
    for k, one in reversed(list(enumerate(tree.bodies))):
        own = tree.own[k]
        drive[own] = _solved(tree.pivot[k], torque[own] - one.axes @ bias[k + 1])
        bias[one.parent] += one.motion.T @ (bias[k + 1] + tree.reach[k].T @ drive[own])
    return drive, bias[0]


def accelerations(tree: Tree, drive: Numbers, acceleration: Numbers) -> tuple[Numbers, Numbers]:
    """Joint accelerations (degrees, r) and body accelerations (k, 6, r) from the drives and that of body 0
    (6, r)."""
    moved = np.empty((len(tree.bodies) + 1, *acceleration.shape))
    moved[0] = acceleration
    qdd = np.empty_like(drive)
    for k, one in enumerate(tree.bodies):
        rows, before = tree.own[k], one.motion @ moved[one.parent]
        qdd[rows] = drive[rows] - _solved(tree.pivot[k], tree.reach[k] @ before)
        moved[k + 1] = before + one.axes.T @ qdd[rows]
    return qdd, moved[1:]


def _solved(pivot: Numbers, rows: Numbers) -> Numbers:
    """pivot^-1 rows."""
    return rows / pivot if len(pivot) == 1 else np.asarray(np.linalg.solve(pivot, rows))


@dataclass(frozen=True, eq=False)
class Arm:
    """A whole arm with branches, factored at one q."""

    tree: Tree
    tip: int
    """The last link of the main chain, a row."""
    tip_motion: Numbers
    """(6, 6): its velocity to that of O_{n+1} in frame n+1."""


def factor(chain: Chain, q: Numbers) -> Arm:
    """The whole arm at q (coordinates,)."""
    return Arm(eliminate(_whole(chain, q, np.zeros(chain.degrees))), chain.n - 1, _to_tip(chain, q))


def _to_tip(chain: Chain, q: Numbers) -> Numbers:
    pose = configuration(chain, q[: chain.q_shares.total])
    return np.asarray(spatial.hat(pose.position[-1]).T @ spatial.six(pose.rotation[-1].T))


def respond(arm: Arm, torque: Numbers, tip_force: Numbers) -> tuple[Numbers, Numbers]:
    """Accelerations of the arm at rest: M^-1 (torque - J' tip_force), and J times that.

    torque (degrees, r); tip_force (6, r) BY the end effector ON the environment, frame n+1
    -> joint accelerations (degrees, r), end-effector accelerations (6, r) in frame n+1.
    """
    load = np.zeros((len(arm.tree.bodies), *tip_force.shape))
    load[arm.tip] = arm.tip_motion.T @ tip_force
    drive, _ = drives(arm.tree, torque, load)
    qdd, moved = accelerations(arm.tree, drive, np.zeros_like(tip_force))
    return qdd, arm.tip_motion @ moved[arm.tip]


# ------------------------------------------------------------------- branches of a main chain


def side_trees(
    chain: Chain, q: Numbers, inertia: Callable[[Numbers], Numbers] | None = None
) -> dict[int, Tree]:
    """What hangs on each link beside the main chain, factored at q (coordinates,), by link; body 0 is the
    link, its frame i+1. `inertia` changes the (6, 6) of a body first."""
    found: dict[int, list[Body]] = {}
    own = q[chain.q_shares.total :]
    for one in chain.branches:
        there = found.setdefault(one.at, [])
        still = np.zeros(one.chain.degrees)
        there += _bodies(one.chain, own, still, _mount(one), 0, len(there))
        own = own[one.chain.coordinates :]
    if inertia is not None:
        found = {
            at: [one._replace(inertia=inertia(one.inertia)) for one in bodies] for at, bodies in found.items()
        }
    return {at: eliminate(bodies) for at, bodies in found.items()}


def folded_inertia(chain: Chain, at: int, tree: Tree) -> Numbers:
    """(6, 6): link `at` with its branches as one articulated body, about O_{i+1}, frame i+1."""
    link = at - 1
    about = chain.centre[link] - chain.position[link]
    return spatial.inertia(chain.mass[link], chain.inertia[link], about) + tree.felt


def tip_inverse_inertia(chain: Chain, q: Numbers) -> Numbers:
    """I_{n,n+1}^-1 (6, 6) as `chain.tip_inverse_inertia` has it, of the last link with its branches."""
    at_tip = side_trees(chain, q).get(chain.n)
    if at_tip is None:
        return chains.tip_inverse_inertia(chain)
    return np.asarray(np.linalg.inv(folded_inertia(chain, chain.n, at_tip)))


# ------------------------------------------------------------------------ Newton-Euler


def inverse_dynamics(
    chain: Chain, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, gravity: ArrayLike, force: ArrayLike | None
) -> Numbers:
    """tau = M qdd + b + J'F (degrees,) as `newton_euler.inverse_dynamics` has it."""
    bodies, loads = _loads(chain, q, qd, qdd, gravity, force)
    return np.concatenate([one.axes @ load for one, load in zip(bodies, loads, strict=True)])


def mass_matrix(chain: Chain, q: ArrayLike) -> Numbers:
    """M (degrees, degrees), a column each from the torques of one unit acceleration."""
    still, unit = np.zeros(chain.degrees), np.eye(chain.degrees)
    return np.column_stack([inverse_dynamics(chain, q, still, own, np.zeros(3), None) for own in unit])


def interbody_forces(
    chain: Chain, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, gravity: ArrayLike, force: ArrayLike | None
) -> Numbers:
    """F_i (n, 6) of the main chain as `newton_euler.interbody_forces` has it: frame i, about O_i."""
    return _loads(chain, q, qd, qdd, gravity, force)[1][: chain.n]


def _loads(
    chain: Chain, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, gravity: ArrayLike, force: ArrayLike | None
) -> tuple[list[Body], Numbers]:
    """The bodies, and what their joints bear, (k, 6), each in its frame.

    Out through the tree with velocities and spatial accelerations, and back with forces (Featherstone 1987).
    """
    q, qd, qdd = (np.asarray(x, dtype=np.float64) for x in (q, qd, qdd))
    bodies = _whole(chain, q, qd)
    velocity, acceleration = np.zeros((2, len(bodies) + 1, 6))
    acceleration[0, 3:] = -np.asarray(gravity, dtype=np.float64)  # as if the base rose
    load = np.zeros((len(bodies) + 1, 6))
    at = 0
    for k, one in enumerate(bodies, 1):
        rows = slice(at, at := at + len(one.axes))
        before, in_joint = one.motion @ velocity[one.parent], one.axes.T @ qd[rows]
        velocity[k] = before + in_joint
        acceleration[k] = one.motion @ acceleration[one.parent] + one.axes.T @ qdd[rows] + one.rate
        acceleration[k] += _crossed(before, in_joint)
        load[k] = one.inertia @ acceleration[k] + _crossed_force(velocity[k], one.inertia @ velocity[k])
    if force is not None:
        load[chain.n] += _to_tip(chain, q).T @ np.asarray(force, dtype=np.float64)
    for k, one in reversed(list(enumerate(bodies, 1))):
        load[one.parent] += one.motion.T @ load[k]
    return bodies, load[1:]


def _crossed(velocity: Numbers, motion: Numbers) -> Numbers:
    """The rate of a motion that is carried along with `velocity`."""
    omega, v = velocity[:3], velocity[3:]
    return np.concatenate(
        [np.cross(omega, motion[:3]), np.cross(omega, motion[3:]) + np.cross(v, motion[:3])]
    )


def _crossed_force(velocity: Numbers, wrench: Numbers) -> Numbers:
    """The same of a wrench."""
    omega, v = velocity[:3], velocity[3:]
    return np.concatenate(
        [np.cross(omega, wrench[:3]) + np.cross(v, wrench[3:]), np.cross(omega, wrench[3:])]
    )
