"""The numbers of a problem: memories before the first cycle, and the meaning of a run's results.

Fijany VI.D assumes that the constant parameters of link i reside in PR_{1,i} and PR_{2,i}. Array 1 holds them
turned by R_{i+1} into frame i' (frame i at q_i = 0), so that only Rz(q_i) is left to do (Section V.A).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senn.algorithms import spatial
from senn.algorithms.answers import ANSWERS, DEGREES, LINKS
from senn.algorithms.arm import is_wide
from senn.algorithms.arm.letters import PARTS
from senn.algorithms.arm.sides import LINK_INERTIA, SideValues
from senn.algorithms.blocks import full
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots import side_tree
from senn.algorithms.robots.chain import complements, configuration, duals
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import Numbers, hat, inverse_inertia, pack, six, turned


def memory(problem: Problem, *, wide: bool = False) -> dict[str, Numbers]:
    """The resident values of a problem by letter, each with a row per process; a program reads those that it
    holds. Constants that exist at some processes only are zero elsewhere. `wide`: for a program that takes
    every arm as one with joints of any type."""
    chain, n = problem.chain, problem.chain.n
    size = max(1, 6 - min(JOINTS[joint].degrees for joint in chain.joints))  # the rows of a block
    # Eq. (76) with J_i^-1 and the vector S_i - P_i, where what joint i moves cancels: about O_{i+1}
    inverse, to_centre = np.linalg.inv(chain.inertia), chain.centre - chain.position
    inertia = pack(spatial.inertia(chain.mass, chain.inertia, to_centre))
    beyond = inverse_inertia(chain.mass, inverse, to_centre)
    before = np.concatenate([np.zeros((1, 6, 6)), beyond[:-1]])  # of link i-1, Eq. (75); 0 for i = 1
    if wide or is_wide(chain.joints):
        before = pack(before)
        of_joints = _of_wide_memory(problem) | {"J^-1": pack(inverse)}
    else:
        kept = np.array([JOINTS[joint].held for joint in chain.joints])
        before = pack(before[np.arange(n)[:, None, None], kept[:, :, None], kept[:, None, :]])
        of_joints = _of_lean_memory(problem, inverse, kept)
    return {
        **of_joints,
        **_branch_memory(problem),
        "1/m_i": 1.0 / chain.mass,
        **dict.fromkeys(("I_{i,i+1}", LINK_INERTIA.letter), inertia),
        "(I_{i,i+1})^-1": pack(beyond),
        "(I_{i-1,i})^-1": before,
        "0": np.zeros((n, size, 6)),
        "0'": np.zeros((n, size)),
        "R": chain.rotation,
        "P_0": chain.position,
        "S_0": chain.centre,
        "m": chain.mass,
        "J": pack(chain.inertia),
        "g_1": np.tile(chain.base_rotation.T @ problem.gravity, (n, 1)),
        "1": np.tile(np.eye(3), (n, 1, 1)),
        "x": np.tile(problem.tip_vector, (n, 1)),
        **contact_memory(problem),
    }


def _of_lean_memory(problem: Problem, inverse: NDArray[Any], kept: NDArray[Any]) -> dict[str, Numbers]:
    """State, and the constants of links that revolute and prismatic joints move."""
    chain, n = problem.chain, problem.chain.n
    turn, turn6 = chain.rotation, six(chain.rotation)
    revolute = np.array([joint == "revolute" for joint in chain.joints])
    # I_i^-1 P^_i about O_i in frame i+1, constant for a revolute joint
    reach = inverse_inertia(chain.mass, inverse, chain.centre) @ hat(chain.position)
    x = turn6 @ np.where(revolute[:, None, None], reach, np.eye(6))
    return {
        **{name: getattr(problem, name)[:n] for name in ("q", "qd", "tau", "qdd")},
        "S'": (turn @ chain.centre[..., None])[..., 0],
        "P'": (turn @ chain.position[..., None])[..., 0],
        "(J_i)^-1": pack(turn @ inverse @ np.swapaxes(turn, -1, -2)),
        "X": -np.concatenate([np.take_along_axis(x[:-1], kept[1:, None, :], axis=2), np.zeros((1, 6, 5))]),
        "X_N": x,
        "z'": chain.rotation[:, 2, :],
    }


def _of_wide_memory(problem: Problem) -> dict[str, Numbers]:
    """State and parameters of joints of all types, rows padded with zeros."""
    chain = problem.chain
    degrees = chain.qd_shares.total  # of the main chain; the rest belong to side branches
    return {
        "q": chain.q_shares.stacked(problem.q[: chain.q_shares.total]),
        **{x: chain.qd_shares.stacked(getattr(problem, x)[:degrees]) for x in ("qd", "tau", "qdd")},
        "parameter": chain.parameters,
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


# ------------------------------------------------------------------------- memories of side branches


def _branch_memory(problem: Problem) -> Mapping[str, Numbers]:
    """Constants and state of side branches, if any, for each process a row per joint of its tree."""
    chain = problem.chain
    trees = side_tree.structure(chain)
    if not trees:
        return {}
    of = SideValues(trees)
    memories = {x: np.zeros((chain.n, *x.shape)) for x in of.resident}
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
    return {x.letter: numbers for x, numbers in memories.items()}


# ------------------------------------------------------------------------------------ answers


def answers(problem: Problem, result: Mapping[str, NDArray[Any]]) -> dict[str, Numbers]:
    """The answers by name, from the `result` of a program: a row per process that holds a value.

    Rows of joints may be longer than a joint needs (`senn.algorithms.arm.wide`); joints of side branches come
    last. Process N has what belongs to the end effector. With a free tip qdd and qdd0 are equal.
    """
    chain, trees = problem.chain, side_tree.structure(problem.chain)
    by_name: dict[str, Numbers] = {}
    equal = {"qdd": "qdd0", "qdd0": "qdd"} if problem.contact.kind == "none" else {}
    for name, rows in result.items():
        if (answer := ANSWERS.get(name)) is None:
            continue
        if answer.shape[0] == DEGREES:
            numbers = chain.qd_shares.flat(rows.reshape(chain.n, -1, *answer.sizes(chain.degrees)[1:]))
            lanes = result[f"{name} of branches"] if trees else ()
            beside = (row[: tree.degrees] for row, tree in zip(lanes, trees, strict=True))
            by_name[name] = np.concatenate([numbers, *beside])
            if (other := equal.get(name, name)) not in result:
                by_name[other] = by_name[name]
        elif answer.shape[0] == LINKS:
            by_name[name] = rows
        else:
            by_name[name] = full(rows[-1]) if answer.shape == (6, 6) else rows[-1]
    if "qdd" in by_name and f"{PARTS}drive" in result:
        by_name["forces"] = wrenches(problem, result)
    return by_name


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
    """F_i [moment; force] (n, 6) at O_i in frame i, N m and N: the wrench that link i-1 exerts on link i.

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


def _joint_part(problem: Problem, along: Numbers, across: Numbers) -> Numbers:
    """H_i x_i + W_i y_i (n, 6) in frame i: x (degrees,) of the main chain along the joints, y (n, 5) across.

    Where H_i'H_i is not the unit matrix, H_i (H_i'H_i)^-1 stands for H_i: the work of x is x' qd.
    """
    chain = problem.chain.main
    if is_wide(chain.joints):
        return np.asarray(along + across)
    q = problem.q[: chain.coordinates]
    H = duals(chain, configuration(chain, q).H)
    W = complements(chain, q)
    sums = turned(H, chain.qd_shares.stacked(along)) + turned(W, across)
    return sums.astype(along.dtype)
