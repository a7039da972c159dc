"""Newton-Euler inverse dynamics, O(n) (Fijany II.C; Luh, Walker and Paul 1980; Featherstone 1987).

A chain is taken in base axes, with cumulative sums over its links. Gravity enters as a force at the centres
of mass, so accelerations are true ones; they are classical, of the material point. Link i turns and slides
against link i-1 with H_i qd_i, counted at O_i; that another point of the link lies at O_i a moment later is
part of its acceleration. An arm with side branches is taken body by body (`Tree`), with spatial
accelerations.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from senn.algorithms import spatial
from senn.algorithms.blocks import cross
from senn.algorithms.robots.chain import Chain, configuration, drift
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
    motion, gravity = _motion(chain, q, qd, qdd), np.asarray(gravity, dtype=np.float64)
    contact = np.zeros(6) if force is None else np.asarray(force, dtype=np.float64)
    if chain.branches:
        tree, loads = _tree_loads(chain, q, qd, qdd, gravity, contact)
        torque = np.concatenate([axes @ load for axes, load in zip(tree.axes, loads, strict=True)])
        return Dynamics(torque, loads[: chain.n], *_tip(motion))
    net = chain.mass[:, None] * (motion.inner_acceleration + _turning(motion, motion.centre) - gravity)
    momentum = turned(motion.inertia, motion.omega)
    net_moment = turned(motion.inertia, motion.omega_dot) + cross(motion.omega, momentum)
    tip_moment, tip_force = motion.tip_rotation @ contact[:3], motion.tip_rotation @ contact[3:]
    # Loads through the joints in base axes, moments about O_i. Row i: on what lies beyond joint i+1; last
    # row: on the environment.
    forces = _outward_sum(net, tip_force)
    local = net_moment + cross(motion.centre, net) + cross(motion.position, forces[1:])
    moments, forces = _outward_sum(local, tip_moment)[:-1], forces[:-1]
    about = (motion.turning * moments[:, :, None]).sum(axis=1)
    along = (motion.sliding * forces[:, :, None]).sum(axis=1)
    inward = spatial.transposed(motion.frames)
    wrenches = np.hstack([turned(inward, load) for load in (moments, forces)])
    return Dynamics(chain.qd_shares.flat(about + along), wrenches, *_tip(motion))


def end_effector(chain: Chain, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> tuple[Numbers, Numbers]:
    """Velocity and acceleration (6,) of the end effector, as in `Dynamics`."""
    return _tip(_motion(chain, q, qd, qdd))


def _tip(motion: _Motion) -> tuple[Numbers, Numbers]:
    to_tip = motion.tip_rotation.T
    tip_acceleration = motion.inner_acceleration[-1] + _turning(motion, motion.position)[-1]
    velocity = np.concatenate([to_tip @ motion.omega[-1], to_tip @ motion.tip_velocity])
    acceleration = np.concatenate([to_tip @ motion.omega_dot[-1], to_tip @ tip_acceleration])
    return velocity, acceleration


@dataclass(frozen=True, eq=False)
class _Motion:
    """Rows are links, everything in base axes; `inner_acceleration` is that of link i's point at O_i."""

    frames: Numbers  # (n, 3, 3): axes of frame i
    turning: Numbers  # (n, 3, k): the angular rows of H_i
    sliding: Numbers  # (n, 3, k): its linear rows, at O_i
    position: Numbers
    centre: Numbers
    inertia: Numbers
    omega: Numbers
    omega_dot: Numbers
    inner_acceleration: Numbers
    tip_velocity: Numbers
    tip_rotation: Numbers


def _motion(whole: Chain, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> _Motion:
    """Motion of the main chain; side branches have no part in it."""
    chain, q = whole.main, np.asarray(q, dtype=np.float64)[: whole.main.coordinates]
    qd, qdd = (np.asarray(x, dtype=np.float64)[: chain.degrees] for x in (qd, qdd))
    rates, wanted = chain.qd_shares.stacked(qd), chain.qd_shares.stacked(qdd)
    pose = configuration(chain, q)
    # Axes of frame 1..n+1 in the base frame.
    frames = spatial.products(np.concatenate([chain.base_rotation[None], pose.rotation]))
    inner, outer = frames[:-1], frames[1:]
    position, centre = turned(outer, pose.position), turned(outer, pose.centre)
    turning, sliding = inner @ pose.H[:, :3], inner @ pose.H[:, 3:]
    turn, slide = turned(turning, rates), turned(sliding, rates)
    rate = drift(chain, q, qd)  # Hdot qd, counted in frame i
    turn_rate, slide_rate = turned(inner, rate[:, :3]), turned(inner, rate[:, 3:])

    omega = np.cumsum(turn, axis=0)
    inner_omega = omega - turn  # of link i-1
    omega_dot = np.cumsum(turned(turning, wanted) + turn_rate + cross(inner_omega, turn), axis=0)
    # Twice the Coriolis term of link i-1, and turn x slide: the point at O_i slides away from there.
    joint_acceleration = turned(sliding, wanted) + slide_rate + cross(inner_omega + omega, slide)
    over_link = cross(omega_dot, position) + cross(omega, cross(omega, position))
    outer_acceleration = np.cumsum(joint_acceleration + over_link, axis=0)  # of O_{i+1}
    inner_acceleration = joint_acceleration
    inner_acceleration[1:] += outer_acceleration[:-1]
    return _Motion(
        frames=inner,
        turning=turning,
        sliding=sliding,
        position=position,
        centre=centre,
        inertia=outer @ chain.inertia @ spatial.transposed(outer),
        omega=omega,
        omega_dot=omega_dot,
        inner_acceleration=inner_acceleration,
        tip_velocity=(slide + cross(omega, position)).sum(axis=0),
        tip_rotation=frames[-1],
    )


def _turning(motion: _Motion, arm: Numbers) -> Numbers:
    """Acceleration of a point of link i relative to its point at O_i; arm (n, 3) from O_i."""
    return np.asarray(cross(motion.omega_dot, arm) + cross(motion.omega, cross(motion.omega, arm)))


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

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """(k,): the rows of each joint in torques and accelerations."""
        ends = np.cumsum([len(axes) for axes in self.axes]).tolist()
        return tuple(slice(end - len(axes), end) for end, axes in zip(ends, self.axes, strict=True))


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
    chain: Chain, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, gravity: Numbers, contact: Numbers
) -> tuple[Tree, Numbers]:
    """The bodies, and what their joints bear, (k, 6), each in its frame.

    Out through the tree with velocities and spatial accelerations, and back with forces (Featherstone 1987).
    """
    q, qd, qdd = (np.asarray(x, dtype=np.float64) for x in (q, qd, qdd))
    tree = whole_tree(chain, q, qd)
    velocity, acceleration = np.zeros((2, len(tree.parents) + 1, 6))
    acceleration[0, 3:] = -gravity  # as if the base rose
    load = np.zeros((len(tree.parents) + 1, 6))
    for k, (parent, rows) in enumerate(zip(tree.parents, tree.slices, strict=True)):
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
