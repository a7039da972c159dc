"""What the star program holds before the first cycle, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs.numbers.memory import contact_memory
from senn.algorithms.robots import side_tree
from senn.algorithms.spatial import PRISMATIC, Numbers, cross, hat, pack, six, transposed, unpack


def memory(problem: Problem) -> dict[str, Numbers]:
    """The resident values of a problem by letter, each with a row per process: state, and constants of link i
    about O_{i+1} in frame i+1; A, J and w are those of q_i = 0."""
    chain, n = problem.chain, problem.chain.n
    side_tree.refuse(chain)
    slides = np.array([joint == PRISMATIC for joint in chain.joints])[:, None]
    z, p, s = chain.rotation[:, 2, :], chain.position, chain.centre - chain.position
    axis = np.where(slides, np.concatenate([0 * z, z], -1), np.concatenate([z, cross(z, p)], -1))
    about_centre = np.zeros((n, 6, 6))
    about_centre[:, :3, :3] = chain.inertia
    about_centre[:, range(3, 6), range(3, 6)] = chain.mass[:, None]
    inertia = hat(s) @ about_centre @ transposed(hat(s))
    borne = (inertia @ axis[..., None])[..., 0]
    inverse = 1.0 / (axis * borne).sum(axis=-1)
    x = transposed(hat(p)) @ transposed(six(chain.rotation))
    per = inverse[:, None, None]
    held = inertia - per * borne[:, :, None] * borne[:, None, :]
    return {
        "q": problem.q[:n],
        "qd": problem.qd[:n],
        "tau": problem.tau[:n],
        "R": chain.rotation,
        "P_0": p,
        "S": s,
        "m": chain.mass,
        "J": pack(chain.inertia),
        "z'": z,
        "g_1": np.tile(chain.base_rotation.T @ problem.gravity, (n, 1)),
        "H_i": axis,
        "IH": borne,
        "1/D": inverse,
        "H/D": axis * inverse[:, None],
        "C'": pack(per * axis[:, :, None] * axis[:, None, :]),
        "A'": x - per * axis[:, :, None] * (borne[:, None, :] @ x),
        "J'": pack(transposed(x) @ held @ x),
        "w'": inverse[:, None] * (borne[:, None, :] @ x)[:, 0, :],
        **contact_memory(problem),
    }


def answers(problem: Problem, result: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """qdd (n,), force (6,), lambda_inverse (6, 6), acceleration0 (6,) and the interbody forces (n, 6), as
    `Solution` has them; and qdd0, which is qdd, if nothing touches the end effector."""
    return {
        "qdd": result["qdd"],
        **({"qdd0": result["qdd"]} if problem.contact.kind == "none" else {}),
        "force": result["force"][-1],
        "lambda_inverse": unpack(result["lambda_inverse"][-1]),
        "acceleration0": result["acceleration0"][-1],
        "forces": result["forces"],
    }
