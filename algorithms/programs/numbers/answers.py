"""From the numbers that a run of the closed-chain program leaves to the solution of the problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from senn.algorithms.problems.problem import Problem, Solution
from senn.algorithms.programs.numbers import interbody
from senn.algorithms.robots import side_tree
from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.side_tree import BRANCH_QDD, BRANCH_QDD_0, joined
from senn.algorithms.spatial import Numbers, unpack


def solution(problem: Problem, result: Mapping[str, NDArray[Any]]) -> Solution:
    """The answers of Table I from a run's `result`, which has a row per process that holds a value; joint
    accelerations of the main chain, then those of its branches.

    The interbody forces are put together here, from parts that the machine holds (`interbody`).
    """
    chain = problem.chain
    branches = side_tree.structure(chain)
    qdd, qdd0 = flat(chain, result["qdd"]), flat(chain, result["qdd0"])
    if branches:
        qdd, qdd0 = joined(qdd, result[BRANCH_QDD], branches), joined(qdd0, result[BRANCH_QDD_0], branches)
    return Solution(
        qdd=qdd,
        force=result["force"][-1],
        lambda_inverse=unpack(result["lambda_inverse"][-1]),
        qdd0=qdd0,
        acceleration0=result["acceleration0"][-1],
        forces=interbody.wrenches(problem, result),
    )


def flat(chain: Chain, rows: NDArray[Any]) -> Numbers:
    """A vector over the degrees of freedom, from a number or a row per joint: rows of wide arms are longer
    than some joints need (`senn.algorithms.arm.wide`)."""
    return chain.qd_shares.flat(rows.reshape(chain.n, -1))


def named(answers: Solution) -> dict[str, Numbers]:
    """The same by name, as a run keeps them (result.npz)."""
    return {name: getattr(answers, name) for name in Solution.__dataclass_fields__}


def open_chain(problem: Problem, result: Mapping[str, NDArray[Any]]) -> dict[str, Numbers]:
    """qdd0, where the joints of side branches follow the main chain's, and, if nothing touches the end
    effector, qdd and the interbody forces, as `Solution` has them."""
    trees, qdd0 = side_tree.structure(problem.chain), flat(problem.chain, result["qdd0"])
    if trees:
        qdd0 = joined(qdd0, result[BRANCH_QDD_0], trees)
    found = {"qdd0": qdd0, "qdd": qdd0} if problem.contact.kind == "none" else {"qdd0": qdd0}
    return {**found, "forces": interbody.wrenches(problem, result)} if "qdd" in found else found
