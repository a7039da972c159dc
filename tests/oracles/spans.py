"""Recursions along an arm, and the associative products behind them, with dense blocks.

Statements of the papers about what is sequential are tried on them (experiments/paper).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from senn.algorithms import problems
from senn.algorithms.blocks import Blocks, full, transposed
from senn.algorithms.family.arm import arm_of, at_state
from senn.algorithms.family.constraint_force import response
from senn.algorithms.family.link import inward, inward_motion, outward
from senn.algorithms.family.pages import counted_links
from senn.algorithms.family.sweeps import hinges
from senn.algorithms.problems.problem import Problem
from senn.machine.program.counting import Tally
from tests.oracles import constraint_force, dense, pivots

X = TypeVar("X")
Body = tuple[Blocks, Blocks]
"""phi over a span of links, and their inertia as one body at the inner end."""

# ------------------------------------------------------------------------------------ scans


def doubled(items: Sequence[X], product: Callable[[X, X], X]) -> tuple[list[X], int, int]:
    """Products of items 1..i for every i by recursive doubling, with the levels and products it takes.

    >>> doubled("abcde", lambda x, y: x + y)
    (['a', 'ab', 'abc', 'abcd', 'abcde'], 3, 8)
    """
    spans, h, levels, products = list(items), 1, 0, 0
    while h < len(items):
        spans = [*spans[:h], *(product(x, y) for x, y in zip(spans, spans[h:], strict=False))]
        products, levels, h = products + len(items) - h, levels + 1, 2 * h
    return spans, levels, products


def by_tree(items: Sequence[X], product: Callable[[X, X], X]) -> tuple[list[X], int, int]:
    """The same by a balanced tree: pairs on the way up, the spans between on the way down.

    >>> by_tree("abcde", lambda x, y: x + y)
    (['a', 'ab', 'abc', 'abcd', 'abcde'], 3, 5)
    """
    if len(items) == 1:
        return list(items), 0, 0
    pairs = [product(x, y) for x, y in zip(items[::2], items[1::2], strict=False)]
    odd, levels, products = by_tree(pairs, product)
    spans = [items[0]]
    for i in range(1, len(items)):
        spans.append(odd[i // 2] if i % 2 else product(odd[i // 2 - 1], items[i]))
    down = (len(items) - 1) // 2
    return spans, levels + 1 + (down > 0), products + len(pairs) + down


# ------------------------------------------------------------------------ operational space


def from_the_base(problem: Problem) -> list[Blocks]:
    """Lambda^-1 of links 1..i at O_{i+1} in frame i+1, for each i: the recursion from the base outward.

    A wrench w on link i moves it by v: M v = w + g, g the wrench of the joint, H'g = 0, and v = H a - C g
    with C of links 1..i-1.
    """
    compliance, answers = np.zeros((6, 6)), []
    for link in arm_of(problem).links:
        X = outward(link, np.eye(6))
        M, H = X.T @ full(link.inertia.packed()) @ X, link.freedom.columns
        joint = np.linalg.inv(np.eye(6) + M @ compliance)
        a = np.linalg.solve(H.T @ joint @ M @ H, H.T @ joint)
        g = joint @ (M @ H @ a - np.eye(6))
        compliance = X @ (H @ a - compliance @ g) @ X.T
        answers.append(compliance)
    return answers


def carried_outward(problem: Problem) -> Blocks:
    """Lambda by articulated inertias from the base outward, from link 7 on: before, it need not exist."""
    mass = np.linalg.inv(from_the_base(problem)[5])
    for link in arm_of(problem).links[6:]:
        H, back = link.freedom.columns, inward_motion(link, np.eye(6))
        projected = mass - mass @ H @ np.linalg.solve(H.T @ mass @ H, H.T @ mass)
        mass = back.T @ projected @ back + full(link.inertia.packed())
    return np.asarray(mass)


def articulated(n: int) -> int:
    """Operations of articulated inertias, n revolute joints; a step outward is a step inward, seen from the
    other end."""
    tally = Tally()
    hinges(at_state(counted_links(tally, n), tally.scalars(n), tally.scalars(n), tally.scalars(3)))
    return tally.operations.flops


# ----------------------------------------------------------------------------- the system A


def determinant_of_y(problem: Problem) -> float:
    """det Y / det A: Y is A less what link n adds to its own block (operational space, with the sign of Y put
    right), so all pivots but the last are the same."""
    blocks, last = constraint_force.assemble(problem.chain, problem.q), arm_of(problem).links[-1]
    pivot = pivots.recursion(blocks.A, blocks.B)[-1]
    own = full(last.complement.seen(response(last)))
    return float(np.linalg.det(pivot - own) / np.linalg.det(pivot))


def singular_blocks(text: str) -> list[bool]:
    """Whether each upper block of A has a singular value below 1e-12 of its largest."""
    values = np.linalg.svd(pivots.blocks_of(text)[1], compute_uv=False)
    return [bool(x[-1] < 1e-12 * x[0]) for x in values]


def levels_of(text: str) -> Iterator[tuple[Blocks, Blocks]]:
    """Diagonal and upper blocks of A before the first level of odd-even elimination, and after each."""
    (A, B), h = pivots.blocks_of(text), 1
    yield A, B
    while len(B):
        (A, B), h = pivots.eliminated(A, B, h), 2 * h
        yield A, B


def least_eigenvalue(text: str) -> float:
    """Of the diagonal blocks at all levels, over that of A."""
    A, B = pivots.blocks_of(text)
    whole, k = np.zeros((len(A), 5, len(A), 5)), np.arange(len(A))
    whole[k, :, k], whole[k[:-1], :, k[1:]], whole[k[1:], :, k[:-1]] = A, B, transposed(B)
    least = min(np.linalg.eigvalsh(diagonal).min() for diagonal, _ in levels_of(text))
    return float(least / np.linalg.eigvalsh(whole.reshape(5 * len(A), -1)).min())


# --------------------------------------------------------------------------- mass matrix


def dominant(text: str) -> bool:
    """Whether each diagonal entry of M is at least the sum of the others in its row."""
    arm = problems.load(text)
    M = np.abs(dense.mass_matrix(arm.chain, arm.q))
    return bool((2 * np.diag(M) >= M.sum(axis=1)).all())


def conditional_variances(covariance: Blocks) -> Blocks:
    """The variance of each of n jointly normal outputs, all later ones known."""
    rest = [
        row[i + 1 :] @ np.linalg.solve(covariance[i + 1 :, i + 1 :], row[i + 1 :])
        for i, row in enumerate(covariance)
    ]
    return np.asarray(np.diag(covariance) - rest)


def composite(problem: Problem) -> tuple[Blocks, int]:
    """M (n, n) by composite bodies, and the levels of the scan from the tip inward that gives R_i.

    phi over several links composes by itself, so phi from link j to link i needs no recursion.
    """
    links = arm_of(problem).links
    phi = [inward(link, np.eye(6)) for link in links]
    own = [(x, x @ full(link.inertia.packed()) @ x.T) for x, link in zip(phi, links, strict=True)]

    def as_one(outer: Body, inner: Body) -> Body:
        return inner[0] @ outer[0], inner[1] + inner[0] @ outer[1] @ inner[0].T

    bodies, levels, _ = doubled(own[::-1], as_one)
    M = np.zeros((len(links), len(links)))
    for j, (_, R) in enumerate(reversed(bodies)):
        spans, _, _ = doubled([R @ links[j].freedom.columns, *phi[:j][::-1]], lambda x, y: y @ x)
        for i, force in zip(range(j, -1, -1), spans, strict=True):
            M[i, j] = M[j, i] = (links[i].freedom.columns.T @ force).item()
    return M, levels
