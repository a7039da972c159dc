"""Trees: articulated bodies (Featherstone 1983) and Newton-Euler over an array of parents, O(n).

For chains with side branches. Body k in its own frame (`senn.algorithms.robots.side_tree`); what has no
parent hangs on body 0, the base or a link of a main chain, whose motion is given. As in `articulated`, the
tree is at rest under tau - b, and one outward and one inward pass serve all right-hand sides at once.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from senn.algorithms import spatial
from senn.algorithms.robots import chain as chains
from senn.algorithms.robots import side_tree
from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.side_tree import Bodies
from senn.algorithms.spatial import IntArray, Numbers, transposed

# ------------------------------------------------------------------------ articulated bodies


@dataclass(frozen=True, eq=False)
class Tree:
    """A factored tree at one q; row k-1 is body k."""

    parents: tuple[int, ...]
    axis: IntArray
    """(k,): row of the joint's axis."""
    motion: Numbers
    """(k, 6, 6): velocities of the body's parent (its frame and origin) to the body's frame and origin."""
    reach: Numbers
    """(k, 6): articulated inertia times H."""
    pivot: Numbers
    """(k,): H' times that, the inertia seen by the joint."""
    felt: Numbers
    """(6, 6): the inertia that body 0 feels of the tree."""


def eliminate(bodies: Bodies, q: Numbers) -> Tree:
    """Articulated inertias from the tips to body 0, at q (k,)."""
    rotation, position = _pose(bodies, q)
    axis = spatial.axis_rows(bodies.joints)
    motion = spatial.six(transposed(rotation)) @ transposed(spatial.hat(position))
    count = len(axis)
    whole = np.zeros((count + 1, 6, 6))
    whole[1:] = spatial.inertia(bodies.mass, bodies.inertia, bodies.centre)
    reach, pivot = np.empty((count, 6)), np.empty(count)
    for k in reversed(range(count)):
        own = whole[k + 1]
        reach[k] = own[:, axis[k]]
        pivot[k] = reach[k, axis[k]]
        left = own - reach[k][:, None] * (reach[k] / pivot[k])
        whole[bodies.parents[k]] += motion[k].T @ ((left + left.T) / 2) @ motion[k]
    return Tree(bodies.parents, axis, motion, reach, pivot, whole[0])


def drives(tree: Tree, torque: Numbers, load: Numbers) -> tuple[Numbers, Numbers]:
    """What the joints would do if body 0 stood still and each joint alone moved, and the wrench with which
    body 0 holds the tree then.

    torque (k, r); load (k, 6, r): the wrench that a body exerts on what is no part of the tree.
    -> (k, r), (6, r).
    """
    count = len(tree.axis)
    bias = np.concatenate([np.zeros((1, *load.shape[1:])), load])
    drive = np.empty_like(torque)
    for k in reversed(range(count)):
        drive[k] = (torque[k] - bias[k + 1][tree.axis[k]]) / tree.pivot[k]
        carried = bias[k + 1] + tree.reach[k][:, None] * drive[k]
        bias[tree.parents[k]] += tree.motion[k].T @ carried
    return drive, bias[0]


def accelerations(tree: Tree, drive: Numbers, acceleration: Numbers) -> tuple[Numbers, Numbers]:
    """Joint accelerations (k, r) and body accelerations (k, 6, r) from the drives and that of body 0
    (6, r)."""
    moved = np.empty((len(tree.axis) + 1, *acceleration.shape))
    moved[0] = acceleration
    qdd = np.empty_like(drive)
    share = tree.reach / tree.pivot[:, None]
    for k, parent in enumerate(tree.parents):
        own = tree.motion[k] @ moved[parent]
        qdd[k] = drive[k] - share[k] @ own
        own[tree.axis[k]] += qdd[k]
        moved[k + 1] = own
    return qdd, moved[1:]


@dataclass(frozen=True, eq=False)
class Arm:
    """A whole arm with branches, factored at one q."""

    tree: Tree
    tip: int
    """The last link of the main chain, a row."""
    tip_motion: Numbers
    """(6, 6): its velocity to that of O_{n+1} in frame n+1."""


def factor(chain: Chain, q: Numbers) -> Arm:
    """The whole arm at q (degrees,)."""
    turn = chain.rotation[-1]
    motion = spatial.hat(chain.position[-1]).T @ spatial.six(turn.T)
    return Arm(eliminate(side_tree.whole(chain), q), chain.n - 1, motion)


def respond(arm: Arm, torque: Numbers, tip_force: Numbers) -> tuple[Numbers, Numbers]:
    """Accelerations of the arm at rest: M^-1 (torque - J' tip_force), and J times that.

    torque (degrees, r); tip_force (6, r) BY the end effector ON the environment, frame n+1
    -> joint accelerations (degrees, r), end-effector accelerations (6, r) in frame n+1.
    """
    load = np.zeros((len(torque), *tip_force.shape))
    load[arm.tip] = arm.tip_motion.T @ tip_force
    drive, _ = drives(arm.tree, torque, load)
    qdd, moved = accelerations(arm.tree, drive, np.zeros_like(tip_force))
    return qdd, arm.tip_motion @ moved[arm.tip]


# ------------------------------------------------------------------- branches of a main chain


def side_trees(chain: Chain, q: Numbers) -> dict[int, Tree]:
    """What hangs on each link beside the main chain, factored at q (degrees,), by link; body 0 is the link,
    its frame i+1."""
    found = side_tree.places(chain).items()
    return {at: eliminate(side_tree.hanging(chain, at), q[place]) for at, place in found}


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
    loads = _loads(side_tree.whole(chain), chain, q, qd, qdd, gravity, force)
    axis, revolute = loads.frames[:, :, 2], loads.revolute[:, None]
    return np.asarray(np.einsum("ki,ki->k", axis, np.where(revolute, loads.moment, loads.force)))


def interbody_forces(
    chain: Chain, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, gravity: ArrayLike, force: ArrayLike | None
) -> Numbers:
    """F_i (n, 6) of the main chain as `newton_euler.interbody_forces` has it: frame i, about O_i."""
    loads = _loads(side_tree.whole(chain), chain, q, qd, qdd, gravity, force)
    n = chain.n
    moved = np.where(loads.revolute, 0.0, np.asarray(q, dtype=np.float64))[:n, None]  # a body's origin slides
    slide = moved * loads.frames[:n, :, 2]
    back = np.where(loads.revolute, -np.asarray(q, dtype=np.float64), 0.0)[:n]  # and its axes turn
    inward = transposed(loads.frames[:n] @ spatial.rotation_z(back))
    moment = loads.moment[:n] + np.cross(slide, loads.force[:n])
    return np.hstack([np.einsum("nij,nj->ni", inward, x) for x in (moment, loads.force[:n])])


@dataclass(frozen=True, eq=False)
class _Loads:
    """What the joints bear, a row per body, in base axes."""

    frames: Numbers
    """(k, 3, 3): axes of the body's frame."""
    moment: Numbers
    """(k, 3): about the body's origin."""
    force: Numbers
    revolute: NDArray[np.bool_]


def _loads(
    bodies: Bodies,
    chain: Chain,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    gravity: ArrayLike,
    force: ArrayLike | None,
) -> _Loads:
    """Out through the tree with the motion, and back with forces and moments (Luh, Walker and Paul 1980)."""
    q, qd, qdd = (np.asarray(x, dtype=np.float64) for x in (q, qd, qdd))
    local_rotation, local_position = _pose(bodies, q)
    count = len(q)
    revolute = np.array([joint == spatial.REVOLUTE for joint in bodies.joints])
    # Row 0 is what the tree hangs on: at rest, and it bears everything.
    frames = np.zeros((count + 1, 3, 3))
    frames[0] = np.eye(3)
    omega, omega_dot, acceleration, step, moment, pushed = np.zeros((6, count + 1, 3))
    for k, parent in enumerate(bodies.parents, 1):
        frames[k] = frames[parent] @ local_rotation[k - 1]
        axis, rate, change = frames[k][:, 2], qd[k - 1], qdd[k - 1]
        step[k] = frames[parent] @ local_position[k - 1]
        omega[k], omega_dot[k] = omega[parent], omega_dot[parent]
        acceleration[k] = acceleration[parent] + _turning(omega[k], omega_dot[k], step[k])
        if revolute[k - 1]:
            omega_dot[k] += change * axis + np.cross(omega[k], rate * axis)
            omega[k] += rate * axis
        else:
            acceleration[k] += change * axis + 2.0 * np.cross(omega[k], rate * axis)
        centre = frames[k] @ bodies.centre[k - 1]
        inertia = frames[k] @ bodies.inertia[k - 1] @ frames[k].T
        of_centre = acceleration[k] + _turning(omega[k], omega_dot[k], centre)
        pushed[k] = bodies.mass[k - 1] * (of_centre - np.asarray(gravity, dtype=np.float64))
        moment[k] = inertia @ omega_dot[k] + np.cross(omega[k], inertia @ omega[k])
        moment[k] += np.cross(centre, pushed[k])
    if force is not None:
        tip_axes, contact = frames[chain.n] @ chain.rotation[-1], np.asarray(force, dtype=np.float64)
        push = tip_axes @ contact[3:]
        moment[chain.n] += tip_axes @ contact[:3] + np.cross(tip_axes @ chain.position[-1], push)
        pushed[chain.n] += push
    for k in reversed(range(1, count + 1)):
        parent = bodies.parents[k - 1]
        pushed[parent] += pushed[k]
        moment[parent] += moment[k] + np.cross(step[k], pushed[k])
    return _Loads(frames[1:], moment[1:], pushed[1:], revolute)


def _turning(omega: Numbers, omega_dot: Numbers, arm: Numbers) -> Numbers:
    """Acceleration of a point of a body relative to another, `arm` away."""
    return np.asarray(np.cross(omega_dot, arm) + np.cross(omega, np.cross(omega, arm)))


def _pose(bodies: Bodies, q: Numbers) -> tuple[Numbers, Numbers]:
    """Axes and origins of the bodies in the frames of those they hang on, at q (k,)."""
    revolute = np.array([joint == spatial.REVOLUTE for joint in bodies.joints])
    turn = spatial.rotation_z(np.where(revolute, q, 0.0))
    slide = np.where(revolute, 0.0, q)[:, None] * bodies.rotation[:, :, 2]
    return bodies.rotation @ turn, bodies.position + slide
