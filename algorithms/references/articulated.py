"""Articulated bodies (Featherstone 1983), O(n): the serial solution that certificates refine.

The arm is taken at rest under tau - b, as in Fijany II.C; the bias b and Jdot Q come from Newton-Euler. One
inward and one outward pass serve all right-hand sides at once: the torque, and six unit forces at the tip
whose responses are the columns of Lambda^-1. A chain is a tree whose bodies hang on one another in a row.

A joint of n_i degrees of freedom has a pivot n_i x n_i; a free one lets nothing through to the link before
it, a welded one everything.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from senn.algorithms.problems.contact_force import check_regular, contact_force, lightness, pivot_ratio
from senn.algorithms.problems.problem import Problem, Solution
from senn.algorithms.robots import chain as chains
from senn.algorithms.robots import newton_euler
from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.newton_euler import Tree
from senn.algorithms.spatial import Numbers


def solve(problem: Problem) -> Solution:
    """The closed chain by Fijany Table I with articulated bodies; `InputError` for a singular contact."""
    chain = problem.chain
    start = newton_euler.dynamics(chain, problem.q, problem.qd, np.zeros(chain.degrees), problem.gravity)
    torque = np.column_stack([problem.tau - start.torque, np.zeros((chain.degrees, 6))])
    tip_force = np.hstack([np.zeros((6, 1)), -np.eye(6)])
    acceleration, tip = respond(factor(chain, problem.q), torque, tip_force)
    qdd0, unit_response = acceleration[:, 0], acceleration[:, 1:]
    lambda_inverse = (tip[:, 1:] + tip[:, 1:].T) / 2
    acceleration0 = tip[:, 0] + start.acceleration
    ratio = pivot_ratio(problem.contact, lambda_inverse, tip_inverse_inertia(chain, problem.q))
    check_regular(ratio, problem.drawn, problem.contact.called, lightness(problem.chain))
    force = contact_force(problem.contact, lambda_inverse, acceleration0)
    qdd = qdd0 - unit_response @ force
    forces = newton_euler.dynamics(chain, problem.q, problem.qd, qdd, problem.gravity, force).wrenches
    return Solution(qdd, force, lambda_inverse, qdd0, acceleration0, forces)


def lambda_inverse(chain: Chain, q: Numbers) -> Numbers:
    """Lambda^-1 (6, 6), frame n+1 at O_{n+1}: how the end effector answers six unit forces."""
    _, tip = respond(factor(chain, q), np.zeros((chain.degrees, 6)), -np.eye(6))
    return np.asarray((tip + tip.T) / 2)


@dataclass(frozen=True, eq=False)
class ArticulatedTree:
    """A factored arm at one q."""

    tree: Tree
    slices: tuple[slice, ...]  # (k,): the rows of each joint in torques and accelerations
    last: int  # The body that carries the tip, from 1
    axes: Numbers  # (degrees, 6): H'
    reach: Numbers  # (degrees, 6): H' times the articulated inertia
    pivots: tuple[Numbers, ...]  # (k,) of (d, d): that times H, the inertia seen by the joint
    share: Numbers  # (degrees, 6): pivot^-1 times `reach`
    at_tip: Numbers  # (6, 6): articulated inertia of the last body


def factor(chain: Chain, q: Numbers) -> ArticulatedTree:
    """The whole arm at q (coordinates,), factored: articulated inertias from the ends of the tree inwards."""
    tree, slices = newton_euler.whole_tree(chain, q), chain.all_qd_shares.slices
    whole = [np.zeros((6, 6)), *tree.inertia]
    axes = np.concatenate(tree.axes)
    reach, share, pivots = np.empty_like(axes), np.empty_like(axes), []
    # `dot` is `@` at half the price for matrices this small, which is what counts for long arms.
    for k, rows in reversed(list(enumerate(slices))):
        inertia, motion, parent = whole[k + 1], tree.motion[k], tree.parents[k]
        allowed = axes[rows].T
        through = inertia.dot(allowed).T
        pivot = through.dot(allowed)
        part = _solved(pivot, through)
        reach[rows], share[rows] = through, part
        pivots.append(pivot)
        rest = inertia - through.T.dot(part)
        whole[parent] = whole[parent] + motion.T.dot((rest + rest.T) / 2).dot(motion)
    return ArticulatedTree(tree, slices, chain.n, axes, reach, (*reversed(pivots),), share, whole[chain.n])


def respond(arm: ArticulatedTree, torque: Numbers, tip_force: Numbers) -> tuple[Numbers, Numbers]:
    """Accelerations of the arm at rest: M^-1 (torque - J' tip_force), and J times that.

    torque (degrees, r); tip_force (6, r) BY the end effector ON the environment, frame n+1
    -> joint accelerations (degrees, r), end-effector accelerations (6, r) in frame n+1.
    """
    tree, joints = arm.tree, list(enumerate(arm.slices))
    bias, body = np.zeros((2, len(joints) + 1, *tip_force.shape))
    bias[arm.last] = tree.tip.T.dot(tip_force)
    drive, qdd = np.empty_like(torque), np.empty_like(torque)
    for k, rows in reversed(joints):  # what each joint would do alone, on a body that stands still
        drive[rows] = _solved(arm.pivots[k], torque[rows] - arm.axes[rows].dot(bias[k + 1]))
        passed = bias[k + 1] + arm.reach[rows].T.dot(drive[rows])
        bias[tree.parents[k]] += tree.motion[k].T.dot(passed)
    for k, rows in joints:
        inner = tree.motion[k].dot(body[tree.parents[k]])
        qdd[rows] = drive[rows] - arm.share[rows].dot(inner)
        body[k + 1] = inner + arm.axes[rows].T.dot(qdd[rows])
    return qdd, tree.tip.dot(body[arm.last])


def _solved(pivot: Numbers, rows: Numbers) -> Numbers:
    """pivot^-1 rows; one degree of freedom, the usual case, is a division."""
    if len(pivot) == 1:
        return rows / pivot
    return np.asarray(np.linalg.solve(pivot, rows), dtype=np.float64)


def tip_inverse_inertia(chain: Chain, q: Numbers) -> Numbers:
    """I_{n,n+1}^-1 (6, 6) as `chain.tip_inverse_inertia` has it, of the last link with its branches."""
    if not any(branch.at == chain.n for branch in chain.branches):
        return chains.tip_inverse_inertia(chain)
    arm = factor(chain, q)
    return np.asarray(arm.tree.tip @ np.linalg.solve(arm.at_tip, arm.tree.tip.T))
