"""Newton-Euler inverse dynamics, O(n) (Fijany II.C; Luh, Walker and Paul 1980; Featherstone 1987).

A chain is taken in base axes, with cumulative sums over its links. Gravity enters as a force at the centres
of mass, so accelerations are true ones; they are classical, of the material point. Link i turns and slides
against link i-1 with H_i qd_i, counted at O_i; that another point of the link lies at O_i a moment later is
part of its acceleration. An arm with side branches is taken body by body (`Tree`), with spatial
accelerations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from senn.algorithms import spatial
from senn.algorithms.blocks import cross
from senn.algorithms.robots.chain import Chain, Configuration, configuration, drift
from senn.algorithms.spatial import Numbers, turned


@dataclass(frozen=True, eq=False)
class Dynamics:
    """Loads of an arm in one motion, and what its end effector does."""

    torque: Numbers
    """(degrees,): tau = M qdd + b + J'F, N m or N (Fijany Eqs. (9), (11), (12)); at qdd = 0 without contact,
    the bias b."""
    wrenches: Numbers
    """(n, 6): F_i, N m and N, the wrench [moment; force] of link i-1 on link i, at O_i in frame i (Eq. (12)),
    with tau_i = H_i' F_i; of an arm with side branches, those between the links of the main chain."""
    velocity: Numbers  # (6,): of the end effector, [angular; of O_{n+1}], frame n+1
    acceleration: Numbers
    """(6,): its classical one, without any trace of gravity; at qdd = 0, Jdot Q (Fijany III.C)."""


def dynamics(
    chain: Chain,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    gravity: ArrayLike,
    force: ArrayLike | None = None,
) -> Dynamics:
    """Newton-Euler at one motion.

    q (coordinates,), qd and qdd (degrees,); gravity (3,) m/s^2 in the base frame; force (6,)
    [moment; force] BY the end effector ON the environment, frame n+1 at O_{n+1}; None: no contact.
    """
    q, qd, qdd, gravity = (np.asarray(x, dtype=np.float64) for x in (q, qd, qdd, gravity))
    contact = np.zeros(6) if force is None else np.asarray(force, dtype=np.float64)
    main = chain.main
    pose = _in_base_axes(main, q[: main.coordinates])
    inner, outer, position, centre = pose.rotation[:-1], pose.rotation[1:], pose.position, pose.centre
    turning, sliding = pose.H[:, :3], pose.H[:, 3:]
    rates, wanted = (main.qd_shares.stacked(x[: main.degrees]) for x in (qd, qdd))
    turn, slide = turned(turning, rates), turned(sliding, rates)
    rate = drift(main, q[: main.coordinates], qd[: main.degrees])  # Hdot qd, counted in frame i
    turn_rate, slide_rate = turned(inner, rate[:, :3]), turned(inner, rate[:, 3:])

    omega = np.cumsum(turn, axis=0)
    before = omega - turn  # of link i-1
    omega_dot = np.cumsum(turned(turning, wanted) + turn_rate + cross(before, turn), axis=0)

    def swung(arm: Numbers) -> Numbers:
        """Acceleration of a point of link i relative to its point at O_i; arm (n, 3) from O_i."""
        return np.asarray(cross(omega_dot, arm) + cross(omega, cross(omega, arm)))

    # Twice the Coriolis term of link i-1, and turn x slide: the point at O_i slides away from there.
    joint = turned(sliding, wanted) + slide_rate + cross(before + omega, slide)
    acceleration = joint.copy()  # of link i's point at O_i
    acceleration[1:] += np.cumsum(joint + swung(position), axis=0)[:-1]
    tip, tip_velocity = outer[-1], (slide + cross(omega, position)).sum(axis=0)
    at_tip = np.concatenate([tip.T @ omega[-1], tip.T @ tip_velocity])
    tip_acceleration = acceleration[-1] + swung(position)[-1]
    of_tip = at_tip, np.concatenate([tip.T @ omega_dot[-1], tip.T @ tip_acceleration])
    if chain.branches:
        tree, loads = _tree_loads(chain, q, qd, qdd, gravity, contact)
        torque = np.concatenate([axes @ load for axes, load in zip(tree.axes, loads, strict=True)])
        return Dynamics(torque, loads[: chain.n], *of_tip)
    net = chain.mass[:, None] * (acceleration + swung(centre) - gravity)
    inertia = outer @ chain.inertia @ spatial.transposed(outer)
    net_moment = turned(inertia, omega_dot) + cross(omega, turned(inertia, omega))
    # Loads through the joints in base axes, moments about O_i. Row i: on what lies beyond joint i+1; last
    # row: on the environment.
    forces = _outward_sum(net, tip @ contact[3:])
    local = net_moment + cross(centre, net) + cross(position, forces[1:])
    moments, forces = _outward_sum(local, tip @ contact[:3])[:-1], forces[:-1]
    about = (turning * moments[:, :, None]).sum(axis=1)
    along = (sliding * forces[:, :, None]).sum(axis=1)
    inward = spatial.transposed(inner)
    wrenches = np.hstack([turned(inward, load) for load in (moments, forces)])
    return Dynamics(chain.qd_shares.flat(about + along), wrenches, *of_tip)


def end_effector(chain: Chain, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> tuple[Numbers, Numbers]:
    """Velocity and acceleration (6,) of the end effector, as in `Dynamics`."""
    motion = dynamics(chain.main, q, qd, qdd, np.zeros(3))
    return motion.velocity, motion.acceleration


def _in_base_axes(chain: Chain, q: Numbers) -> Configuration:
    """The configuration of a chain without branches in axes of the base: rotation (n + 1, 3, 3) has those of
    frames 1..n+1."""
    pose = configuration(chain, q)
    frames = spatial.products(np.concatenate([chain.base_rotation[None], pose.rotation]))
    inner, outer = frames[:-1], frames[1:]
    H = np.concatenate([inner @ pose.H[:, :3], inner @ pose.H[:, 3:]], axis=1)
    return Configuration(frames, turned(outer, pose.position), turned(outer, pose.centre), H)


def _outward_sum(rows: Numbers, last: Numbers) -> Numbers:
    """(n+1, 3): row k is the sum of rows k.. and `last`."""
    return np.cumsum(np.concatenate([rows, last[None]])[::-1], axis=0)[::-1]


# ------------------------------------------------------------------------ arms with side branches


@dataclass(frozen=True, eq=False)
class Tree:
    """An arm with its side branches at one q: row k-1 is body k, in the order of q.

    Body k is seen from the frame of its joint, which is fixed in the body that it hangs on: frame i at O_i,
    as in `senn.algorithms.robots.chain`. Body 0 is the base.
    """

    parents: tuple[int, ...]  # (k,): the body that each hangs on, from 1; or 0
    motion: Numbers
    """(k, 6, 6): velocities of the parent (its frame and origin) to the body's frame and origin."""
    axes: tuple[Numbers, ...]  # (k,) of (d, 6): H'
    inertia: Numbers  # (k, 6, 6)
    rate: Numbers  # (k, 6): Hdot qd, with the body's frame held still
    tip: Numbers  # (6, 6): velocity of the last link of the main chain to that of O_{n+1} in frame n+1


def whole_tree(chain: Chain, q: Numbers, qd: Numbers | None = None) -> Tree:
    """All bodies of an arm at q (coordinates,) and qd (degrees,); None: at rest."""
    qd = np.zeros(chain.degrees) if qd is None else qd
    motions: list[Numbers] = []
    outward: list[Numbers] = []  # velocities of each body to those of its end, in frame i+1
    axes, inertias, rates = [], [], []
    for limb in chain.limbs:
        side, on = limb.chain, limb.on
        angles, speeds = q[limb.share(chain.all_q_shares)], qd[limb.share(chain.all_qd_shares)]
        pose = configuration(side, angles)
        back = spatial.transposed(pose.rotation)
        steps = spatial.transposed(spatial.hat(pose.position)) @ spatial.six(back)
        mount = spatial.six(side.base_rotation.T) @ spatial.hat(side.base_position).T
        motions += [(mount @ outward[on - 1] if on else mount)[None], steps[:-1]]
        outward += [*steps]
        axes += [H[:, :count].T for H, count in zip(pose.H, side.qd_shares.counts, strict=True)]
        turned_centre, inertia = turned(pose.rotation, pose.centre), pose.rotation @ side.inertia @ back
        inertias.append(spatial.inertia(side.mass, inertia, turned_centre))
        rates.append(drift(side, angles, speeds))
    return Tree(
        parents=tuple(parent for limb in chain.limbs for parent in limb.parents),
        motion=np.concatenate(motions),
        axes=tuple(axes),
        inertia=np.concatenate(inertias),
        rate=np.concatenate(rates),
        tip=outward[chain.n - 1],
    )


def _tree_loads(
    chain: Chain, q: Numbers, qd: Numbers, qdd: Numbers, gravity: Numbers, contact: Numbers
) -> tuple[Tree, Numbers]:
    """The bodies, and what their joints bear, (k, 6), each in its frame.

    Out through the tree with velocities and spatial accelerations, and back with forces (Featherstone 1987).
    """
    tree = whole_tree(chain, q, qd)
    velocity, acceleration = np.zeros((2, len(tree.parents) + 1, 6))
    acceleration[0, 3:] = -gravity  # as if the base rose
    load = np.zeros((len(tree.parents) + 1, 6))
    for k, (parent, rows) in enumerate(zip(tree.parents, chain.all_qd_shares.slices, strict=True)):
        motion, axes, inertia = tree.motion[k], tree.axes[k], tree.inertia[k]
        inner, in_joint = motion @ velocity[parent], axes.T @ qd[rows]
        velocity[k + 1] = inner + in_joint
        acceleration[k + 1] = motion @ acceleration[parent] + axes.T @ qdd[rows] + tree.rate[k]
        acceleration[k + 1] += _crossed(inner, in_joint)
        momentum = inertia @ velocity[k + 1]
        load[k + 1] = inertia @ acceleration[k + 1] + _crossed(velocity[k + 1], momentum[_SWAP])[_SWAP]
    load[chain.n] += tree.tip.T @ contact
    for k, parent in reversed(list(enumerate(tree.parents))):
        load[parent] += tree.motion[k].T @ load[k + 1]
    return tree, load[1:]


def _crossed(velocity: Numbers, motion: Numbers) -> Numbers:
    """(6,): the rate of a motion that is carried along with `velocity`; of a wrench, with both halves
    swapped."""
    omega, v = velocity[:3], velocity[3:]
    return np.concatenate(
        [np.cross(omega, motion[:3]), np.cross(omega, motion[3:]) + np.cross(v, motion[:3])]
    )


_SWAP = [3, 4, 5, 0, 1, 2]
