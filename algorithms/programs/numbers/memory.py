"""What is in the memories before the first cycle: constants and state of link i, at PR_{1,i} and PR_{2,i}.

Fijany VI.D assumes that the constant parameters of link i reside in both processors. Array 1 holds them
turned by R_{i+1} into frame i' (frame i at q_i = 0), so that only Rz(q_i) is left to do (Section V.A).
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.arm.choice import is_wide
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs.numbers import branches
from senn.algorithms.robots.chain import Chain, tip_inverse_inertia
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import Numbers, complement_rows, hat, inverse_inertia, pack, six


def memory(problem: Problem, *, wide: bool = False) -> dict[str, Numbers]:
    """The resident values of a problem by letter, each with a row per process (what a form does not hold is
    not read). Constants that exist at some processes only are zero elsewhere. `wide`: for a program that
    takes every arm as one with joints of any type."""
    chain, n = problem.chain, problem.chain.n
    size = max(1, 6 - min(JOINTS[joint].degrees for joint in chain.joints))  # the rows of a block
    return {
        **(_of_wide_memory(problem) if wide or is_wide(chain.joints) else _of_lean_memory(problem)),
        "1/m_i": 1.0 / chain.mass,
        "(I_{i,i+1})^-1": np.tile(pack(tip_inverse_inertia(chain)), (n, 1)),
        "0": np.zeros((n, size, 6)),
        "0'": np.zeros((n, size)),
        "R": chain.rotation,
        "P_0": chain.position,
        "S_0": chain.centre,
        "m": chain.mass,
        "J": pack(chain.inertia),
        "g_1": np.tile(chain.base_rotation.T @ problem.gravity, (n, 1)),
        "1": np.tile(np.eye(3), (n, 1, 1)),
        **contact_memory(problem),
    }


def _of_lean_memory(problem: Problem) -> dict[str, Numbers]:
    """State, and the constants of links that revolute and prismatic joints move."""
    chain, n = problem.chain, problem.chain.n
    turn, turn6 = chain.rotation, six(chain.rotation)
    inverse = np.linalg.inv(chain.inertia)
    kept = complement_rows(chain.joints)
    revolute = np.array([joint == "revolute" for joint in chain.joints])
    # I_i^-1 P^_i about O_i in frame i+1, constant for a revolute joint
    reach = inverse_inertia(chain.mass, inverse, chain.centre) @ hat(chain.position)
    x = turn6 @ np.where(revolute[:, None, None], reach, np.eye(6))
    links = np.arange(n)[:, None, None]
    return {
        "q": problem.q[:n],
        "qd": problem.qd[:n],
        "tau": problem.tau[:n],
        "qdd": problem.qdd[:n],
        "S'": (turn @ chain.centre[..., None])[..., 0],
        "P'": (turn @ chain.position[..., None])[..., 0],
        "(J_i)^-1": pack(turn @ inverse @ np.swapaxes(turn, -1, -2)),
        "X": -np.concatenate([np.take_along_axis(x[:-1], kept[1:, None, :], axis=2), np.zeros((1, 6, 5))]),
        "X_N": x,
        "(I_{i-1,i})^-1": pack(_before(chain)[links, kept[:, :, None], kept[:, None, :]]),
        "z'": chain.rotation[:, 2, :],
        **branches.memory(problem),
    }


def _of_wide_memory(problem: Problem) -> dict[str, Numbers]:
    """The same for joints of all types."""
    chain = problem.chain
    return {
        **state_of_any_joint(problem),
        "J^-1": pack(np.linalg.inv(chain.inertia)),
        "(I_{i-1,i})^-1": pack(_before(chain)),
    }


def state_of_any_joint(problem: Problem) -> dict[str, Numbers]:
    """State and parameters of joints of all types, rows filled up with zeros; and what branches hold."""
    chain = problem.chain
    own = chain.qd_shares.total  # the others are of side branches
    return {
        "q": chain.q_shares.stacked(problem.q[: chain.q_shares.total]),
        "qd": chain.qd_shares.stacked(problem.qd[:own]),
        "tau": chain.qd_shares.stacked(problem.tau[:own]),
        "qdd": chain.qd_shares.stacked(problem.qdd[:own]),
        "parameter": chain.parameters,
        **branches.memory(problem),
    }


def contact_memory(problem: Problem) -> dict[str, Numbers]:
    """The resident values of the contact by letter, as for `memory`."""
    contact = problem.contact
    if not contact.settled or contact.G_C is None:
        raise ValueError("the contact is not settled (G_C, axes): make the problem with problem.resolved")
    blocks = {"W": contact.W, "H": contact.H, "G_C": contact.G_C}
    blocks |= {"phi": contact.phi, "d": contact.K_F} if contact.kind == "II" else {}
    blocks |= dict(vars(contact.law)) if contact.law else {"K_F": contact.K_F}
    n = problem.chain.n
    return {name: np.tile(block, (n, *np.ones(block.ndim, dtype=int))) for name, block in blocks.items()}


def _before(chain: Chain) -> Numbers:
    """The inverse inertia of link i-1 about O_i in frame i (Eq. (75)), (n, 6, 6); 0 for i = 1.

    It is Eq. (76) with J_{i-1}^-1 and the vector S_{i-1} - P_{i-1}, where what joint i-1 moves cancels.
    """
    about = inverse_inertia(chain.mass, np.linalg.inv(chain.inertia), chain.centre - chain.position)
    return np.concatenate([np.zeros((1, 6, 6)), about[:-1]])
