"""The numbers of a problem: the contents of memories before the first cycle, and the meaning of a run's
results.

Fijany VI.D assumes that the constant parameters of link i reside in PR_{1,i} and PR_{2,i}. Array 1 holds them
turned by R_{i+1} into frame i' (frame i at q_i = 0), so that only Rz(q_i) is left to do (Section V.A).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senn.algorithms import spatial
from senn.algorithms.arm import is_wide
from senn.algorithms.arm.letters import PARTS
from senn.algorithms.arm.sides import LINK_INERTIA, SideValues
from senn.algorithms.blocks import full
from senn.algorithms.problems.problem import Problem, Solution
from senn.algorithms.robots import side_tree
from senn.algorithms.robots.chain import Chain, complements, configuration, duals, tip_inverse_inertia
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.robots.side_tree import BRANCH_QDD, BRANCH_QDD_0
from senn.algorithms.spatial import Numbers, hat, inverse_inertia, pack, six, turned


def memory(problem: Problem, *, wide: bool = False) -> dict[str, Numbers]:
    """The resident values of a problem by letter, each with a row per process; a program reads those that it
    holds. Constants that exist at some processes only are zero elsewhere. `wide`: for a program that takes
    every arm as one with joints of any type."""
    chain, n = problem.chain, problem.chain.n
    size = max(1, 6 - min(JOINTS[joint].degrees for joint in chain.joints))  # the rows of a block
    if wide or is_wide(chain.joints):
        of_joints = state_of_any_joint(problem) | {"J^-1": pack(np.linalg.inv(chain.inertia))}
        of_joints["(I_{i-1,i})^-1"] = pack(_before(chain))
    else:
        of_joints = _of_lean_memory(problem)
    return {
        **of_joints,
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
    kept = np.array([JOINTS[joint].held for joint in chain.joints])
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
        **_branch_memory(problem),
    }


def state_of_any_joint(problem: Problem) -> dict[str, Numbers]:
    """State and parameters of joints of all types, rows padded with zeros; and the memory of side
    branches."""
    chain = problem.chain
    degrees = chain.qd_shares.total  # of the main chain; the rest belong to side branches
    return {
        "q": chain.q_shares.stacked(problem.q[: chain.q_shares.total]),
        "qd": chain.qd_shares.stacked(problem.qd[:degrees]),
        "tau": chain.qd_shares.stacked(problem.tau[:degrees]),
        "qdd": chain.qd_shares.stacked(problem.qdd[:degrees]),
        "parameter": chain.parameters,
        **_branch_memory(problem),
    }


def contact_memory(problem: Problem) -> dict[str, Numbers]:
    """The resident values of the contact by letter, each with a row per process."""
    contact = problem.contact
    assert contact.G_C is not None  # it is settled
    blocks = {"W": contact.W, "H": contact.H, "G_C": contact.G_C}
    blocks |= {"phi_C": contact.phi, "d": contact.K_F} if contact.kind == "II" else {}
    blocks |= dict(vars(contact.law)) if contact.law else {"K_F": contact.K_F}
    n = problem.chain.n
    return {name: np.tile(block, (n, *np.ones(block.ndim, dtype=int))) for name, block in blocks.items()}


def _before(chain: Chain) -> Numbers:
    """The inverse inertia of link i-1 about O_i in frame i (Eq. (75)), (n, 6, 6); 0 for i = 1.

    Eq. (76) with J_{i-1}^-1 and the vector S_{i-1} - P_{i-1}, where what joint i-1 moves cancels.
    """
    about = inverse_inertia(chain.mass, np.linalg.inv(chain.inertia), chain.centre - chain.position)
    return np.concatenate([np.zeros((1, 6, 6)), about[:-1]])


# ------------------------------------------------------------------------- memories of side branches


def _branch_memory(problem: Problem) -> Mapping[str, Numbers]:
    """Constants and state of side branches by letter, for each process a row per joint of its tree; empty for
    a chain without branches."""
    chain = problem.chain
    trees = side_tree.structure(chain)
    if not trees:
        return {}
    of = SideValues(trees)
    memories = {x: np.zeros((chain.n, *x.shape)) for x in (*of.resident, LINK_INERTIA)}
    link_inertia = spatial.inertia(chain.mass, chain.inertia, chain.centre - chain.position)
    for tree in trees:
        bodies = side_tree.hanging(chain, tree.at)
        rows = {
            of.q: problem.q[bodies.in_q],
            of.qd: problem.qd[bodies.in_qd],
            of.tau: problem.tau[bodies.in_qd],
            of.qdd_given: problem.qdd[bodies.in_qd],
            of.rotation: bodies.rotation,
            of.position: bodies.position,
            of.inertia: pack(spatial.inertia(bodies.mass, bodies.inertia, bodies.centre)),
            of.mass: bodies.mass,
            of.centre: bodies.centre,
            of.central: pack(bodies.inertia),
            **dict.fromkeys(of.parameter, bodies.parameters),
        }
        for x, numbers in rows.items():
            memories[x][tree.at - 1, : len(numbers)] = numbers
        memories[LINK_INERTIA][tree.at - 1] = pack(link_inertia[tree.at - 1])
    return {x.letter: numbers for x, numbers in memories.items()}


# ------------------------------------------------------------------------------------ answers


def solution(problem: Problem, result: Mapping[str, NDArray[Any]]) -> Solution:
    """The answers of Table I from the `result` of a run, which has a row per process that holds a value."""
    return Solution(
        qdd=over_joints(problem, result, "qdd", BRANCH_QDD),
        qdd0=over_joints(problem, result, "qdd0", BRANCH_QDD_0),
        **at_tip(result),
        forces=wrenches(problem, result),
    )


def at_tip(result: Mapping[str, NDArray[Any]]) -> dict[str, Numbers]:
    """The contact force (6,), Lambda^-1 (6, 6) and the acceleration of the free tip (6,), of process N."""
    return {
        "force": result["force"][-1],
        "lambda_inverse": full(result["lambda_inverse"][-1]),
        "acceleration0": result["acceleration0"][-1],
    }


def over_joints(problem: Problem, result: Mapping[str, NDArray[Any]], name: str, of_branches: str) -> Numbers:
    """The vector (degrees,) that `result` has as `name`, a number or a row per joint of the main chain, and
    as `of_branches` for joints of side branches, which come last. Rows of wide arms are longer than some
    joints need (`senn.algorithms.arm.wide`)."""
    chain, trees = problem.chain, side_tree.structure(problem.chain)
    main = chain.qd_shares.flat(result[name].reshape(chain.n, -1))
    beside = result[of_branches] if trees else ()
    return np.concatenate([main, *(row[: tree.degrees] for row, tree in zip(beside, trees, strict=True))])


def closed_chain(problem: Problem, result: Mapping[str, NDArray[Any]]) -> dict[str, Numbers]:
    """The answers of `solution` by name, as a run keeps them (result.npz)."""
    return dict(vars(solution(problem, result)))


def open_chain(problem: Problem, result: Mapping[str, NDArray[Any]]) -> dict[str, Numbers]:
    """qdd0 (degrees,) and, if nothing touches the end effector, qdd and the interbody forces, as `Solution`
    has them."""
    answers = with_free_tip(problem, over_joints(problem, result, "qdd0", BRANCH_QDD_0))
    return {**answers, "forces": wrenches(problem, result)} if "qdd" in answers else answers


def with_free_tip(problem: Problem, qdd0: Numbers) -> dict[str, Numbers]:
    """qdd0 (degrees,), rad/s^2 or m/s^2: the accelerations that tau gives the open chain; and qdd, which
    equals qdd0, if nothing touches the end effector."""
    return {"qdd0": qdd0, "qdd": qdd0} if problem.contact.kind == "none" else {"qdd0": qdd0}


def in_contact(problem: Problem, result: Mapping[str, NDArray[Any]]) -> dict[str, Numbers]:
    """The answers of `at_tip`; qdd (degrees,), and qdd0, which equals it, if nothing touches the end
    effector."""
    qdd = over_joints(problem, result, "qdd", BRANCH_QDD)
    return {"qdd": qdd, **({"qdd0": qdd} if problem.contact.kind == "none" else {}), **at_tip(result)}


# --------------------------------------------------------------------------- interbody forces
#
# The algorithm finds accelerations from the constraint forces, so every run has these (Fijany IV):
#
#     F_i = F_i(qdd = 0) + H_i F_T,i - W_i phi_i + contact part,    phi = A^-1 W'P'I^-1 P H F_T = -F_S
#
# where F_i(qdd = 0) is the wrench of the Newton-Euler pass II.b, and the contact part depends on the form:
#
#     short   + W_i phi_c,i             phi_c = A^-1 E F (Step IV: X^2 = E_N F)
#     omega   + W_i Omega_i F           phi_c, with Omega = A^-1 E
#     outward (`motion`) without F_i(qdd = 0), which phi has then, and with tau for F_T
#     paper   + P^_{N+1,i} F - H_i tau'_i + W_i phi_c,i       phi_c = A^-1 W'P'I^-1 P H tau' (Step IV.b.1)
#
# The open chain has no contact part. H_i' F_i = tau_i in all forms. After refinement, the pass is that of the
# motion found in contact, and the other parts are of its last correction. Every part lies in memory when the
# program ends, but the sum does not: it costs a turn and some ten additions per process, which no step of the
# paper includes. So a program names the parts (its `results`), and `wrenches` adds them when results are
# read. In wide arms (`senn.algorithms.arm.wide`) a process makes H_i F_T,i (with W_a for H) and W_i phi_i
# itself, because it sends them; then these are the parts.


@np.errstate(over="ignore", invalid="ignore")
def wrenches(problem: Problem, result: Mapping[str, NDArray[Any]]) -> Numbers:
    """F_i [moment; force] (n, 6) at O_i in frame i, N m and N, from the `result` of a run: the wrench that
    link i-1 exerts on link i.

    Where a division by zero on the machine left infinity, as a singular contact does, NaN comes out.
    """
    part = {name.removeprefix(PARTS): x for name, x in result.items() if name.startswith(PARTS)}
    drive, across = part["drive"], -part["phi"]
    if "omega" in part:
        across = across + part["omega"] @ part["tip"][-1]
    elif "phi_c" in part:
        across = across + part["phi_c"]
    if "pfn" in part:  # frame 1; C(1,i) is what process i-1 holds, and the unit matrix for i = 1
        first = np.eye(3, dtype=part["turn"].dtype)[None]
        to_frame = np.concatenate([first, part["turn"][:-1]]).swapaxes(-1, -2)
        moment, force = part["pfn"][:, 2], part["pfn"][:, 1]
    elif "turn" not in part:  # phi carries it all
        return _joint_part(problem, drive, across)
    else:  # frame N+1; the tip's force acts on all links, its moment with the lever P_{N+1,i}
        to_frame = part["turn"].swapaxes(-1, -2)
        tip = part["tip"]
        moment = part["n"] + tip[:, :3] + np.cross(part["lever"], tip[:, 3:])
        force = part["f"] + tip[:, 3:]
        drive = drive - part["reaction"]
    still = np.concatenate([turned(to_frame, moment), turned(to_frame, force)], axis=-1)
    return still + _joint_part(problem, drive, across)


def _joint_part(problem: Problem, drive: Numbers, across: Numbers) -> Numbers:
    wide = is_wide(problem.chain.joints)
    return np.asarray(drive + across) if wide else joint_wrenches(problem, drive, across)


def joint_wrenches(problem: Problem, along: Numbers, across: Numbers) -> Numbers:
    """H_i x_i + W_i y_i (n, 6) in frame i: x (degrees,) of the main chain along the joints, y (n, 5) across.

    Where H_i'H_i is not the unit matrix, H_i (H_i'H_i)^-1 stands for H_i: the work of x is x' qd.
    """
    chain = problem.chain.main
    q = problem.q[: chain.coordinates]
    H = duals(chain, configuration(chain, q).H)
    W = complements(chain, q)
    sums = turned(H, chain.qd_shares.stacked(along)) + turned(W, across)
    return sums.astype(along.dtype)
