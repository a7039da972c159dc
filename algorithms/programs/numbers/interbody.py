"""Interbody forces: the wrench that link i-1 exerts on link i, from what a run of the program leaves.

The algorithm finds accelerations from the constraint forces, so that these come with every run (Fijany IV):

    F_i = F_i(qdd = 0) + H_i F_T,i - W_i phi_i + contact part,    phi = A^-1 W'P'I^-1 P H F_T = -F_S

where F_i(qdd = 0) is the wrench of the Newton-Euler pass II.b, and the contact part depends on the form:

    short   + W_i phi_c,i             phi_c = A^-1 E F (Step IV: X^2 = E_N F)
    omega   + W_i Omega_i F           the same, Omega = A^-1 E
    outward (`motion`) without F_i(qdd = 0), which phi has then, and with tau for F_T
    paper   + P^_{N+1,i} F - H_i tau'_i + W_i phi_c,i       phi_c = A^-1 W'P'I^-1 P H tau' (Step IV.b.1)

and nothing in the open chain. H_i' F_i = tau_i in all of them. Every part lies in memory when the program
ends, but the sum does not: it costs a turn and some ten additions per process that no step of the paper
includes. So a program names the parts (its `results`), and they are put together when its results are read
(`wrenches`). In wide arms (`senn.algorithms.arm.wide`) a process makes H_i F_T,i (with W_a for H) and
W_i phi_i itself, because it sends them; then these are the parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senn.algorithms.arm.choice import is_wide
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots.chain import complements, configuration, duals
from senn.algorithms.spatial import Numbers

PARTS = "forces."
"""How the names of the parts begin."""


def wrenches(problem: Problem, result: Mapping[str, NDArray[Any]]) -> Numbers:
    """F_i [moment; force] (n, 6) at O_i in frame i, N m and N, from the `result` of a run.

    Where a division by zero on the machine left infinity, as a singular contact does, NaN comes out.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return _together(problem, result)


def _together(problem: Problem, result: Mapping[str, NDArray[Any]]) -> Numbers:
    part = {name.removeprefix(PARTS): x for name, x in result.items() if name.startswith(PARTS)}
    drive, across = part["drive"], -part["phi"]
    if "omega" in part:
        across = across + part["omega"] @ result["force"][-1]
    elif "phi_c" in part:
        across = across + part["phi_c"]
    if "pfn" in part:  # frame 1; C(1,i) is what process i-1 holds, and the unit matrix for i = 1
        first = np.eye(3, dtype=part["turn"].dtype)[None]
        to_frame = np.concatenate([first, part["turn"][:-1]]).swapaxes(-1, -2)
        moment, force = part["pfn"][:, 2], part["pfn"][:, 1]
    elif "turn" not in part:  # phi carries it all
        return _of_joints(problem, drive, across)
    else:  # frame N+1; the tip's force acts on all links, its moment with the lever P_{N+1,i}
        to_frame = part["turn"].swapaxes(-1, -2)
        tip = part["tip"]
        moment = part["n"] + tip[:, :3] + np.cross(part["lever"], tip[:, 3:])
        force = part["f"] + tip[:, 3:]
        drive = drive - part["reaction"]
    still = np.concatenate([_turned(to_frame, moment), _turned(to_frame, force)], axis=-1)
    return still + _of_joints(problem, drive, across)


def _of_joints(problem: Problem, drive: Numbers, across: Numbers) -> Numbers:
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
    found = _turned(H, chain.qd_shares.stacked(along)) + _turned(W, across)
    return found.astype(along.dtype)


def _turned(rotation: Numbers, vector: Numbers) -> Numbers:
    return np.asarray(np.einsum("nij,nj->ni", rotation, vector))
