"""Newton-Euler inverse dynamics, O(n), in base axes (Fijany II.C; Luh, Walker and Paul 1980).

Gravity enters as a force at the centres of mass, not as an acceleration of the base, so the accelerations are
true ones. Accelerations are classical: of the material point, not Featherstone's spatial acceleration.

Joints of any type: link i turns and slides against link i-1 with H_i qd_i, both counted at O_i, and that the
link's point at O_i is another one a moment later is a part of its acceleration.
"""

from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import ArrayLike

from senn.algorithms import spatial
from senn.algorithms.robots import tree
from senn.algorithms.robots.chain import Chain, configuration, drift
from senn.algorithms.spatial import Numbers


def inverse_dynamics(
    chain: Chain,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    gravity: ArrayLike,
    force: ArrayLike | None = None,
) -> Numbers:
    """tau = M qdd + b + J'F (degrees,), N m or N (Fijany Eqs. (9), (11), (12)).

    q (coordinates,), qd and qdd (degrees,); gravity (3,) m/s^2 in the base frame; force (6,)
    [moment; force] BY the end effector ON the environment, frame n+1 at O_{n+1}; None: no contact.
    """
    if chain.branches:
        return tree.inverse_dynamics(chain, q, qd, qdd, gravity, force)
    motion = _motion(chain, q, qd, qdd)
    moments, forces = _joint_loads(chain, motion, gravity, force)
    about = (motion.turning * moments[:, :, None]).sum(axis=1)
    along = (motion.sliding * forces[:, :, None]).sum(axis=1)
    return chain.qd_shares.flat(about + along)


def interbody_forces(
    chain: Chain,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    gravity: ArrayLike,
    force: ArrayLike | None = None,
) -> Numbers:
    """F_i (n, 6), N m and N: the wrench [moment; force] of link i-1 on link i, at O_i in frame i (Eq. (12)).

    Arguments as in `inverse_dynamics`, whose answer is H_i' F_i. Of an arm with side branches, those between
    the links of the main chain.
    """
    if chain.branches:
        return tree.interbody_forces(chain, q, qd, qdd, gravity, force)
    motion = _motion(chain, q, qd, qdd)
    inward = spatial.transposed(motion.frames)
    return np.hstack([_turned(inward, load) for load in _joint_loads(chain, motion, gravity, force)])


def end_effector(chain: Chain, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> tuple[Numbers, Numbers]:
    """Velocity and classical acceleration of the end effector, each (6,) [angular; of O_{n+1}], frame n+1.

    With qdd = 0 the acceleration is Jdot Q (Fijany III.C); no trace of gravity is in it. Side branches have
    no part in it.
    """
    q, qd, qdd = (np.asarray(x, dtype=np.float64) for x in (q, qd, qdd))
    main, moving = chain.main, chain.main.degrees
    motion = _motion(main, q[: main.coordinates], qd[:moving], qdd[:moving])
    to_tip = motion.tip_rotation.T
    tip_acceleration = motion.inner_acceleration[-1] + _turning(motion, motion.position)[-1]
    velocity = np.concatenate([to_tip @ motion.omega[-1], to_tip @ motion.tip_velocity])
    acceleration = np.concatenate([to_tip @ motion.omega_dot[-1], to_tip @ tip_acceleration])
    return velocity, acceleration


def _joint_loads(
    chain: Chain, motion: "_Motion", gravity: ArrayLike, force: ArrayLike | None
) -> tuple[Numbers, Numbers]:
    """Moments (about O_i) and forces through the joints, each (n, 3) in base axes."""
    mass = chain.mass[:, None]
    centre_acceleration = motion.inner_acceleration + _turning(motion, motion.centre)
    net = mass * (centre_acceleration - np.asarray(gravity, dtype=np.float64))
    momentum = _turned(motion.inertia, motion.omega)
    net_moment = _turned(motion.inertia, motion.omega_dot) + spatial.cross(motion.omega, momentum)

    contact = np.zeros(6) if force is None else np.asarray(force, dtype=np.float64)
    tip_moment, tip_force = motion.tip_rotation @ contact[:3], motion.tip_rotation @ contact[3:]
    forces = _outward_sum(net, tip_force)  # row i: force on what lies beyond joint i+1; last row: the contact
    local = net_moment + spatial.cross(motion.centre, net) + spatial.cross(motion.position, forces[1:])
    moments = _outward_sum(local, tip_moment)
    return moments[:-1], forces[:-1]


@dataclass(frozen=True, eq=False)
class _Motion:
    """Rows are links, everything in base axes; `inner_acceleration` is that of link i's point at O_i."""

    frames: Numbers
    """(n, 3, 3): axes of frame i."""
    turning: Numbers
    """(n, 3, k): the angular rows of H_i."""
    sliding: Numbers
    """(n, 3, k): its linear rows, at O_i."""
    position: Numbers
    centre: Numbers
    inertia: Numbers
    omega: Numbers
    omega_dot: Numbers
    inner_acceleration: Numbers
    tip_velocity: Numbers
    tip_rotation: Numbers


def _motion(chain: Chain, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> _Motion:
    rates, wanted = (chain.qd_shares.stacked(np.asarray(x, dtype=np.float64)) for x in (qd, qdd))
    pose = configuration(chain, q)
    # Axes of frame 1..n+1 in the base frame.
    frames = np.array(list(accumulate(pose.rotation, np.matmul, initial=chain.base_rotation)))
    inner, outer = frames[:-1], frames[1:]
    position, centre = _turned(outer, pose.position), _turned(outer, pose.centre)
    turning, sliding = inner @ pose.H[:, :3], inner @ pose.H[:, 3:]
    turn, slide = _turned(turning, rates), _turned(sliding, rates)
    rate = drift(chain, q, qd)  # Hdot qd, counted in frame i
    turn_rate, slide_rate = _turned(inner, rate[:, :3]), _turned(inner, rate[:, 3:])

    omega = np.cumsum(turn, axis=0)
    inner_omega = omega - turn  # of link i-1
    omega_dot = np.cumsum(_turned(turning, wanted) + turn_rate + spatial.cross(inner_omega, turn), axis=0)
    # Twice the Coriolis term of link i-1, and turn x slide: the point at O_i slides away from there.
    joint_acceleration = _turned(sliding, wanted) + slide_rate + spatial.cross(inner_omega + omega, slide)
    over_link = spatial.cross(omega_dot, position) + spatial.cross(omega, spatial.cross(omega, position))
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
        tip_velocity=(slide + spatial.cross(omega, position)).sum(axis=0),
        tip_rotation=frames[-1],
    )


def _turning(motion: _Motion, arm: Numbers) -> Numbers:
    """Acceleration of a point of link i relative to its point at O_i; arm (n, 3) from O_i."""
    return np.asarray(
        spatial.cross(motion.omega_dot, arm) + spatial.cross(motion.omega, spatial.cross(motion.omega, arm))
    )


def _turned(matrix: Numbers, vector: Numbers) -> Numbers:
    return np.asarray(np.einsum("nij,nj->ni", matrix, vector))


def _outward_sum(rows: Numbers, last: Numbers) -> Numbers:
    """(n+1, 3): row k is the sum of rows k.. and `last`."""
    return np.cumsum(np.concatenate([rows, last[None]])[::-1], axis=0)[::-1]
