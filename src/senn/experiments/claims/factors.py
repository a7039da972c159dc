"""Claims on one processor: block LDL', M by Eq. (63), M^-1 written out, and other projections."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from senn.algorithms import problems
from senn.algorithms.blocks import Blocks, apply, cross, full, symmetric_product, times, transposed
from senn.algorithms.family import costs
from senn.algorithms.family.arm import arm_of, joined
from senn.algorithms.family.forward import constraint_force
from senn.algorithms.family.pages import PAGES
from senn.algorithms.kernels import link, system
from senn.algorithms.problems.problem import Problem
from senn.algorithms.references import constraint_force as references
from senn.algorithms.spatial import REVOLUTE, Numbers
from senn.experiments.claims.claim import Finding, Row, Scope, Table, claim
from senn.experiments.measuring import ELIMINATION, REDUCTION, Trial, machine, placed, ratio
from senn.machine.program import Operations
from senn.machine.program.kernels import Tally
from senn.words import timed

COMPOSITE = PAGES["mass_matrix_composite"]
_A, _BLOCK, _VECTOR = (15,), (5, 5), (5,)
_L, _WHOLE, _SIX = (21,), (6, 6), (6,)  # of [A B; B' C], a block of H and W together


def _block_ldl(n: int, packed: tuple[int, ...], block: tuple[int, int], columns: int = 1) -> Operations:
    """A block tridiagonal system of n rows, by LDL': factors, and so many right-hand sides."""
    size = block[0]
    pivot = system.ldl.cost(packed)
    between = system.solve.cost(packed, block) + system.transposed_product.cost(block, block)
    between += Operations(add=packed[0])
    sweep = system.transposed_times.cost(block, (size,)) + Operations(add=size)
    side = system.solve.cost(packed, (size,)).times(n) + sweep.times(2 * (n - 1))
    return pivot.times(n) + between.times(n - 1) + side.times(columns)


def _of_inverse(n: int) -> Operations:
    """Operations of the inverse of a full symmetric n x n matrix: its LDL', and n right-hand sides."""
    below = (n**3 - n) // 6
    return Operations(n * (n - 1) // 2 + below + n**3, below + n**2 * (n - 1), n)


@claim(
    name="ldl-serially",
    place="V.A",
    says=(
        "The block tridiagonal system can be solved by both Block Cyclic Reduction and block LDL' in O(N) "
        "steps. However, for serial computation the latter algorithm is more efficient."
    ),
    experiment=(
        "Operations for A and one right-hand side: of block LDL', and those that all lanes execute in "
        "odd-even reduction and in odd-even elimination (Steps I.b and II.c.2-4 of the form paper)."
    ),
    rule="At an n: block LDL' needs fewer operations than either.",
)
def ldl_serially(scope: Scope) -> Finding:
    rows: list[Row] = []
    for n in scope.few:
        serial = _block_ldl(n, _A, _BLOCK).flops
        reduced, eliminated = (_executed(n, kind) for kind in (REDUCTION, ELIMINATION))
        rows.append(
            {"n": n, "block LDL'": serial, "reduction": reduced, "elimination": eliminated}
            | {"reduction/LDL'": ratio(reduced, serial), "elimination/LDL'": ratio(eliminated, serial)}
        )
    last = rows[-1]
    because = (
        f"At n = {last['n']} reduction executes {last[_OVER]} times the operations: a row that drops out is "
        "solved against both its neighbours, and fills in between them."
    )
    cases = {str(row["n"]): row["block LDL'"] < min(row["reduction"], row["elimination"]) for row in rows}
    return Finding(cases, "n is {}", because, (Table("Operations, one right-hand side", rows),))


_OVER = "reduction/LDL'"


@cache
def _executed(n: int, elimination: str) -> int:
    """By all lanes, for A and one right-hand side."""
    trace = timed(placed(Trial(n, "ideal", elimination=elimination)), machine("ideal"), detail="full").trace
    wanted = trace.instructions.filter(
        pl.col("step").str.starts_with("I.b") | pl.col("step").str.contains(r"^II\.c\.[234]")
    ).select("array", pl.col("serial").alias("instruction"))
    return int(trace.activities.join(wanted, on=["array", "instruction"])["flops"].sum())


@claim(
    name="mass-matrix-dearer",
    place="IV.B",
    says=(
        "The operator expression of M, Eq. (63), is significantly more complex and its associated algorithm "
        "is less efficient (in terms of number of operations) than other operator expressions and their "
        "associated algorithms."
    ),
    experiment=(
        "M is the block of [A B; B' C]^-1 that belongs to C, which applies (63) in O(N) operations: block "
        "LDL' of 6x6 blocks. Operations to multiply M with one vector and with N unit vectors; against "
        "Newton-Euler at rest, and composite bodies."
    ),
    rule="Significantly: for each of the two at least twice the operations, at every n.",
)
def mass_matrix_dearer(scope: Scope) -> Finding:
    rows: list[Row] = []
    for n in scope.sizes:
        column = PAGES["mass_matrix_direct"].operations(n).flops // n  # Newton-Euler at rest
        applied, written = _block_ldl(n, _L, _WHOLE).flops, _block_ldl(n, _L, _WHOLE, n).flops
        rows.append(
            {"n": n, "M x by (63)": applied, "M x by Newton-Euler": column}
            | {"ratio": ratio(applied, column)}
            | {"M by (63)": written, "M by composite bodies": COMPOSITE.operations(n).flops}
            | {"ratio of M": ratio(written, COMPOSITE.operations(n).flops)}
        )
    cases = {
        "applied to a vector": all(row["ratio"] >= 2 for row in rows),
        "written out": all(row["ratio of M"] >= 2 for row in rows),
    }
    last = rows[-1]
    because = (
        f"{last['ratio']} times the operations for one vector, and {last['ratio of M']} times for the "
        "whole of M, though the blocks of A, B and C are taken as given. In its first line (63) has A^-1 "
        f"where A belongs; with A it is M of random:16 to {_by_63():.0e} of its largest entry."
    )
    return Finding(cases, "M is {}", because, (Table("Operations on one processor", rows),))


@cache
def _by_63() -> float:
    """M of random:16 by Eq. (63) with A in place of its inverse: how far it is from that by composite bodies,
    over the largest entry."""
    problem = problems.load("random:16")
    blocks = references.assemble(problem.chain, problem.q)
    n = problem.chain.n
    R = np.eye(6 * n)
    for i in range(n - 1):
        R[6 * i : 6 * i + 6, 6 * i + 6 : 6 * i + 12] = -blocks.outward[i]
    H, W = (R @ block_diagonal(x) for x in (blocks.H_a, blocks.W))
    inverse = block_diagonal(blocks.inverse_inertia)
    A, B, C = W.T @ inverse @ W, W.T @ inverse @ H, H.T @ inverse @ H
    X = np.linalg.solve(C, B.T)
    return _apart(np.linalg.inv(C) + X @ np.linalg.solve(A - B @ X, X.T), _mass(problem))


def block_diagonal(blocks: Numbers) -> Numbers:
    """Blocks (n, p, q) as one matrix (n p, n q)."""
    n, p, q = blocks.shape
    whole = np.zeros((n, p, n, q))
    whole[np.arange(n), :, np.arange(n)] = blocks
    return whole.reshape(n * p, n * q)


def _mass(problem: Problem) -> Numbers:
    return np.asarray(COMPOSITE.solve(problem)["mass_matrix"], dtype=np.float64)


def _apart(value: Numbers, expected: Numbers) -> float:
    return float(np.abs(value - expected).max() / np.abs(expected).max())


@claim(
    name="explicit-inverse",
    place="V.A",
    says=(
        "The explicit computation of M^-1 can be performed in O(N^2) steps; its multiplication by a vector "
        "requires O(N^2) operations. This operator application can be performed more efficiently in O(N)."
    ),
    experiment=(
        "Operations of Fijany V for n unit vectors, and for one vector; and of M by composite bodies with "
        "the inverse of its LDL'. M^-1 of random:16 computed both ways."
    ),
    rule=(
        "No doubling of n from 8 on takes more than 4.04 times the operations of the explicit M^-1, and more "
        "than 2.02 times those of its application."
    ),
)
def explicit_inverse(scope: Scope) -> Finding:
    rows: list[Row] = []
    for n in scope.sizes:
        vector, whole = (n * (costs.constraint_forces(k).flops - costs.BIAS.flops) for k in (1, n))
        dense = (COMPOSITE.operations(n) + _of_inverse(n)).flops
        rows.append({"n": n, "M^-1 x": vector, "M^-1": whole} | {"M^-1 by way of M": dense})
    growth = {name: [b[name] / a[name] for a, b in pairwise(rows)] for name in rows[0] if name != "n"}
    least = [row["n"] for row in rows if row["M^-1"] < row["M^-1 by way of M"]]
    because = (
        "A column of M^-1 costs as much as a vector. By way of M, which grows with N^3, M^-1 is "
        + (f"cheaper below n = {least[0]}. " if least else "cheaper at all these n. ")
        + f"Both ways M^-1 of random:16 is the same to {_two_ways():.0e} of its largest entry."
    )
    cases = {
        "written out": max(growth["M^-1"]) <= 4.04,
        "applied to a vector": max(growth["M^-1 x"]) <= 2.02,
    }
    return Finding(cases, "M^-1 is {}", because, (Table("Operations on one processor", rows),))


@cache
def _two_ways() -> float:
    """M^-1 of random:16 by the factorisation, column by column, against the inverse of M."""
    problem = problems.load("random:16")
    arm = arm_of(problem)
    ldl = constraint_force.factored(arm)
    columns = [
        joined(constraint_force.accelerations(arm, ldl, arm.split(unit))) for unit in np.eye(arm.degrees)
    ]
    return _apart(np.stack(columns, axis=1), _inverted(_mass(problem)))


def _inverted(matrix: Numbers) -> Numbers:
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


# -- blocks A_i and B_i of Step I.a in other frames than frame i


class Projection(NamedTuple):
    """A_i (15,), packed, and B_i (5, 5) by one way."""

    blocks: Callable[..., tuple[Blocks, Blocks]]
    shapes: tuple[tuple[int, ...], ...]
    """Of what it takes."""

    def operations(self) -> Operations:
        """For one link."""
        tally = Tally()
        self.blocks(*(tally.scalars(1, *shape) for shape in self.shapes))
        return tally.operations


def _in_frame_i(
    q: Blocks, s: Blocks, j: Blocks, w: Blocks, before: Blocks, psi: Blocks
) -> tuple[Blocks, Blocks]:
    """As the paper has it, by the kernels of the program: S_i, J_i^-1 and Psi_i in frame i', that is frame i
    before the joint turns it, 1/m_i, and I_{i-1,i}^-1 restricted to W_i."""
    rz = link.cosine_and_sine(q)
    inverse = link.inverse_inertia(REVOLUTE).evaluate(rz, q, s, j, w)
    B = link.coupling(REVOLUTE).evaluate(rz, q, inverse, s, psi)
    return link.diagonal(REVOLUTE).evaluate(inverse, before), B


def _turned_with_joint(q: Blocks, own: Blocks, before: Blocks, psi: Blocks) -> tuple[Blocks, Blocks]:
    """In frame i', where link i is at rest and z is the joint's axis too, so that W_i is as sparse: I_i^-1
    restricted to W_i and W_i'Psi_i are constant there. The links inside turn by -q_i against it, and so do
    the columns of B_{i-1}, which is what process i computes."""
    rz = link.cosine_and_sine(-q)
    return own + _spun(rz, before), transposed(_spun_rows(rz, transposed(psi)))


def _spun(rz: Blocks, a: Blocks) -> Blocks:
    """Q A Q' for a packed 5x5 block, Q = diag(Rz on x and y, Rz): 32 multiplications, 24 additions."""
    c, s = rz[..., 0], rz[..., 1]
    x, y, z = a[..., 0], a[..., 1], a[..., 2]  # [x; y z], moments
    v = s * (x - z) + c * (y + y)
    sv = s * v
    lower = np.stack([a[..., [3, 4]], a[..., [6, 7]], a[..., [10, 11]]], axis=-2)  # forces by moments
    lower = transposed(_spun_rows(rz, transposed(link.spin(rz, lower))))
    forces = link.spin_symmetric(rz, a[..., [5, 8, 9, 12, 13, 14]])
    entries = [x - sv, c * v - y, z + sv]
    for row, start in enumerate((0, 1, 3)):
        entries += [lower[..., row, 0], lower[..., row, 1]]
        entries += [forces[..., start + k] for k in range(row + 1)]
    return np.stack(entries, axis=-1)


def _spun_rows(rz: Blocks, v: Blocks) -> Blocks:
    """Q V for columns (..., 2, r) of moments or (..., 5, r) of all: 4 r or 8 r multiplications."""
    c, s = rz[..., 0, None], rz[..., 1, None]
    x, y = v[..., 0, :], v[..., 1, :]
    moments = np.stack([c * x - s * y, s * x + c * y], axis=-2)
    return moments if v.shape[-2] == 2 else np.concatenate([moments, link.spin(rz, v[..., 2:, :])], axis=-2)


def _in_one_frame(
    turn: Blocks, s: Blocks, p: Blocks, j: Blocks, w: Blocks, before: Blocks, own: Blocks, after: Blocks
) -> tuple[Blocks, Blocks]:
    """In one frame for all, N+1, to which `turn` leads from that of link i: S_i, P_i, J_i^-1 have to be
    turned, and W_i is [x_i y_i] (`own`; `after` for W_{i+1}), and the unit matrix for forces.
    `before` is I_{i-1,i}^-1 there, which process i - 1 sends."""
    inverse_j = symmetric_product(transposed(times(turn, full(j))), transposed(turn))
    inverse = link.inverse_about_origin(inverse_j, apply(turn, s), w)
    whole = full(inverse + before)
    moments = symmetric_product(own, times(whole[..., :3, :3], own))
    lower = times(whole[..., 3:, :3], own)
    forces = whole[..., 3:, 3:]
    entries = [moments[..., k] for k in range(3)]
    for row in range(3):
        entries += [lower[..., row, 0], lower[..., row, 1], *(forces[..., row, k] for k in range(row + 1))]
    arm = apply(turn, p)
    dense = full(inverse)
    moved = dense[..., :, 3:] + _times_tilde(dense[..., :, :3], arm)
    columns = np.concatenate([times(dense[..., :, :3], after), moved], axis=-1)
    B = np.concatenate([times(transposed(own), columns[..., :3, :]), columns[..., 3:, :]], axis=-2)
    return np.stack(entries, axis=-1), -B


def _times_tilde(x: Blocks, p: Blocks) -> Blocks:
    """X p~: each row crossed with p, 6 multiplications and 3 additions."""
    return np.asarray(cross(x, p[..., None, :]))


PROJECTIONS = {
    "frame i": Projection(_in_frame_i, ((), (3,), (6,), (), (15,), (6, 5))),
    "frame i turned with its joint": Projection(_turned_with_joint, ((), (15,), (15,), (5, 5))),
    "frame N+1 for all": Projection(_in_one_frame, ((3, 3), (3,), (3,), (6,), (), (21,), (3, 2), (3, 2))),
}
"""The first is the paper's."""
