"""What the star program holds before the first cycle, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from senn.algorithms import spatial
from senn.algorithms.arm.choice import is_wide
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs.numbers.answers import flat
from senn.algorithms.programs.numbers.memory import contact_memory, state_of_any_joint
from senn.algorithms.robots import side_tree
from senn.algorithms.robots.chain import Chain
from senn.algorithms.spatial import PRISMATIC, Numbers, cross, hat, pack, six, transposed, unpack


def memory(problem: Problem) -> dict[str, Numbers]:
    """The resident values of a problem by letter, each with a row per process: state, and constants of link i
    about O_{i+1} in frame i+1."""
    chain, n = problem.chain, problem.chain.n
    return {
        "R": chain.rotation,
        "P_0": chain.position,
        "S": chain.centre - chain.position,
        "m": chain.mass,
        "J": pack(chain.inertia),
        "g_1": np.tile(chain.base_rotation.T @ problem.gravity, (n, 1)),
        **(_of_any_joint(problem) if is_wide(chain.joints) or chain.branches else _of_constants(problem)),
        **contact_memory(problem),
    }


def _of_any_joint(problem: Problem) -> dict[str, Numbers]:
    """The state, what branches hold, and the inertia of a link."""
    return {**state_of_any_joint(problem), "I_i": pack(_inertia(problem.chain))}


def _inertia(chain: Chain) -> Numbers:
    return spatial.inertia(chain.mass, chain.inertia, chain.centre - chain.position)


def _of_constants(problem: Problem) -> dict[str, Numbers]:
    """A, J and w are those of q_i = 0."""
    chain, n = problem.chain, problem.chain.n
    slides = np.array([joint == PRISMATIC for joint in chain.joints])[:, None]
    z, p = chain.rotation[:, 2, :], chain.position
    axis = np.where(slides, np.concatenate([0 * z, z], -1), np.concatenate([z, cross(z, p)], -1))
    inertia = _inertia(chain)
    borne = (inertia @ axis[..., None])[..., 0]
    inverse = 1.0 / (axis * borne).sum(axis=-1)
    x = transposed(hat(p)) @ transposed(six(chain.rotation))
    per = inverse[:, None, None]
    held = inertia - per * borne[:, :, None] * borne[:, None, :]
    return {
        "q": problem.q[:n],
        "qd": problem.qd[:n],
        "tau": problem.tau[:n],
        "z'": z,
        "H_i": axis,
        "IH": borne,
        "1/D": inverse,
        "H/D": axis * inverse[:, None],
        "H, D": np.concatenate([axis, 1.0 / inverse[:, None]], axis=-1)[..., None],
        "C'": pack(per * axis[:, :, None] * axis[:, None, :]),
        "A'": x - per * axis[:, :, None] * (borne[:, None, :] @ x),
        "J'": pack(transposed(x) @ held @ x),
        "w'": inverse[:, None] * (borne[:, None, :] @ x)[:, 0, :],
    }


def answers(problem: Problem, result: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """qdd (n,), force (6,), lambda_inverse (6, 6), acceleration0 (6,) and the interbody forces (n, 6), as
    `Solution` has them; and qdd0, which is qdd, if nothing touches the end effector."""
    trees, qdd = side_tree.structure(problem.chain), flat(problem.chain, result["qdd"])
    if trees:
        qdd = side_tree.joined(qdd, result[side_tree.BRANCH_QDD], trees)
    return {
        "qdd": qdd,
        **({"qdd0": qdd} if problem.contact.kind == "none" else {}),
        "force": result["force"][-1],
        "lambda_inverse": unpack(result["lambda_inverse"][-1]),
        "acceleration0": result["acceleration0"][-1],
        "forces": result["forces"],
    }
