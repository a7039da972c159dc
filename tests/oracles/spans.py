"""Recursions along an arm, and the associative products behind them, with dense blocks.

Statements of the papers about what is sequential are tried on them (`docs.make.statements_of_others`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np

from senn.algorithms.blocks import Blocks, full
from senn.algorithms.family.arm import arm_of
from senn.algorithms.family.forward.constraint_force import factored, response
from senn.algorithms.family.link import inward, inward_motion, outward
from senn.algorithms.problems.problem import Problem

X = TypeVar("X")
Element = tuple[Blocks, Blocks, Blocks]
"""a, b, c: the part of A that a span of links adds at its inner joint, across, and at its outer joint."""
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


# ----------------------------------------------------------------------------- the system A


def elements(problem: Problem) -> list[Element]:
    """Of links 1..n: A_i is a_i + c_{i-1}, B_i is b_i (Fijany, Eqs. (73)-(75)); nothing is beyond link n."""
    links, spans = arm_of(problem).links, []
    for link, beyond in pairwise(links):
        a = full(link.complement.seen(response(link)))
        tip = link.constants.tip_response
        b = -link.complement.along(inward_motion(link, beyond.complement.reach(tip)))
        spans.append((a, b, full(beyond.complement.seen(tip))))
    last = full(links[-1].complement.seen(response(links[-1])))
    return [*spans, (last, np.zeros((len(last), 0)), np.zeros((0, 0)))]


def together(x: Element, y: Element) -> Element:
    """Both spans, the joint between them eliminated."""
    (a, b, c), (d, e, f) = x, y
    k = np.linalg.inv(c + d)
    return a - b @ k @ b.T, -b @ k @ e, f - e.T @ k @ e


def pivots_by_scan(problem: Problem) -> tuple[list[Blocks], int]:
    """The pivots of block LDL' from the spans 1..i, and the levels of the scan."""
    links = elements(problem)
    a, b, c = links[0]
    first = (np.zeros_like(a), np.zeros_like(b), c - b.T @ np.linalg.solve(a, b))  # joint 1 is eliminated
    spans, levels, _ = doubled([first, *links[1:]], together)
    return [a, *(span[2] + link[0] for span, link in zip(spans, links[1:], strict=False))], levels


def pivots_in_turn(problem: Problem) -> list[Blocks]:
    """The same from the serial page."""
    answers = []
    for ldl in map(full, factored(arm_of(problem)).pivots):
        lower = np.tril(ldl, -1) + np.eye(len(ldl))
        answers.append(lower / np.diag(ldl) @ lower.T)
    return answers


def eliminated(problem: Problem) -> Iterator[tuple[list[Blocks], dict[int, Blocks]]]:
    """Diagonal and upper blocks of A before the first level of odd-even elimination, and after each."""
    spans, h = elements(problem), 1
    diagonal = [spans[0][0], *(c + d for (_, _, c), (d, _, _) in pairwise(spans))]
    upper = {i: b for i, (_, b, _) in enumerate(spans[:-1])}
    yield diagonal, upper
    while upper:
        inverse, rest = [np.linalg.inv(d) for d in diagonal], list(diagonal)
        for i, u in upper.items():
            rest[i] = rest[i] - u @ inverse[i + h] @ u.T
            rest[i + h] = rest[i + h] - u.T @ inverse[i] @ u
        upper = {i: -u @ inverse[i + h] @ upper[i + h] for i, u in upper.items() if i + h in upper}
        diagonal, h = rest, 2 * h
        yield diagonal, upper


def system(problem: Problem) -> Blocks:
    """A, dense."""
    diagonal, upper = next(eliminated(problem))
    edges = np.cumsum([0, *map(len, diagonal)])
    rows = [slice(start, stop) for start, stop in pairwise(edges)]
    A = np.zeros((edges[-1], edges[-1]))
    for i, d in enumerate(diagonal):
        A[rows[i], rows[i]] = d
    for i, u in upper.items():
        A[rows[i], rows[i + 1]], A[rows[i + 1], rows[i]] = u, u.T
    return A


def determinant_of_y(problem: Problem) -> float:
    """det Y / det A: Y is A less what link n adds to its own block (operational space, with the sign of Y put
    right)."""
    A, own = system(problem), elements(problem)[-1][0]
    Y = A.copy()
    Y[-len(own) :, -len(own) :] -= own
    return float(np.exp(np.linalg.slogdet(Y)[1] - np.linalg.slogdet(A)[1]))


def singular_blocks(problem: Problem) -> list[bool]:
    """Whether each upper block of A has a singular value below 1e-12 of its largest."""
    values = (np.linalg.svd(b, compute_uv=False) for _, b, _ in elements(problem)[:-1])
    return [bool(x[-1] < 1e-12 * x[0]) for x in values]


def least_eigenvalue(problem: Problem) -> float:
    """Of the diagonal blocks at all levels, over that of A."""
    least = min(np.linalg.eigvalsh(d).min() for diagonal, _ in eliminated(problem) for d in diagonal)
    return float(least / np.linalg.eigvalsh(system(problem)).min())


# --------------------------------------------------------------------------- mass matrix


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
