"""Claims on one processor: block LDL', M by Eq. (63), M^-1 written out, and other projections."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from experiments import costs
from experiments.claims.claim import *  # the words of a claim
from experiments.measuring import *  # trials, and what is measured of them
from senn.algorithms import problems, spatial
from senn.algorithms.blocks import Blocks, transposed
from senn.algorithms.family import constraint_force
from senn.algorithms.family.arm import arm_of, joined
from senn.algorithms.family.pages import PAGES
from senn.algorithms.kernels import link, operators, system
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots.chain import complements, configuration
from senn.algorithms.spatial import REVOLUTE, Numbers
from senn.api.programs import timed
from senn.machine.program import Operations
from senn.machine.program.counting import Tally

COMPOSITE = PAGES["mass_matrix_composite"]
_A, _BLOCK = (15,), (5, 5)
_L, _WHOLE = (21,), (6, 6)  # of [A B; B' C], a block of H and W together


def _block_ldl(n: int, packed: tuple[int, ...], block: tuple[int, int], columns: int = 1) -> Operations:
    """A block tridiagonal system of n rows, by LDL': factors, and so many right-hand sides."""
    size = block[0]
    pivot = system.ldl.cost(packed)
    between = system.solve.cost(packed, block) + system.transposed_product.cost(block, block)
    between += Operations(add=packed[0])
    sweep = system.transposed_times.cost(block, (size,)) + Operations(add=size)
    side = system.solve.cost(packed, (size,)).times(n) + sweep.times(2 * (n - 1))
    return pivot.times(n) + between.times(n - 1) + side.times(columns)


@claim
def ldl_serially(scope: Scope) -> Finding:
    rows: list[Row] = []
    for n in scope.few:
        serial = _block_ldl(n, _A, _BLOCK).flops
        reduced, eliminated = (_executed(n, kind) for kind in (REDUCTION, ELIMINATION))
        rows.append(
            {"n": n, "block LDL'": serial, "reduction": reduced, "elimination": eliminated}
            | {"reduction/LDL": ratio(reduced, serial), "elimination/LDL": ratio(eliminated, serial)}
        )
    cheaper = {f"n = {x['n']}": x["block LDL'"] < min(x["reduction"], x["elimination"]) for x in rows}
    effect = f"reduction takes {rows[-1]['reduction/LDL']} times the operations at n = {rows[-1]['n']}"
    figures = (Table("Operations, one right-hand side", rows),)
    return Finding(decided(cheaper, effect, "at {}", "sizes"), figures)


@cache
def _executed(n: int, elimination: str) -> int:
    """By all lanes, for A and one right-hand side."""
    trace = timed(placed(Trial(n, "ideal", elimination=elimination)), machine("ideal"), detail="full").trace
    lines = trace.instructions.filter(pl.col("step").str.contains(r"^(I\.b|II\.c\.[234])"))
    wanted = lines.select("array", pl.col("serial").alias("instruction"))
    return int(trace.activities.join(wanted, on=["array", "instruction"])["flops"].sum())


@claim
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
    ways = {"M applied to a vector": "ratio", "M written out": "ratio of M"}
    cases = {way: all(row[column] > 1 for row in rows) for way, column in ways.items()}
    n, one, whole = (rows[-1][column] for column in ("n", *ways.values()))
    effect = f"{one} times the operations for a vector at n = {n:,}, {whole} for M"
    title = f"Operations on one processor; with A for A^-1 in its first line (63) is M to {_by_63():.0e}"
    return Finding(decided(cases, effect, "for {}"), (Table(title, rows),))


@cache
def _by_63() -> float:
    """M of random:16 by Eq. (63) with A in place of its inverse: how far it is from that by composite bodies,
    over the largest entry."""
    problem = problems.load("random:16")
    chain, n = problem.chain, problem.chain.n
    pose = configuration(chain, problem.q)
    outward = spatial.six(pose.rotation) @ spatial.hat(pose.position)
    R = np.eye(6 * n)
    for i in range(n - 1):
        R[6 * i : 6 * i + 6, 6 * i + 6 : 6 * i + 12] = -outward[i]
    H, W = (R @ block_diagonal(x) for x in (pose.H, complements(chain, problem.q)))
    central = pose.rotation @ np.linalg.inv(chain.inertia) @ spatial.transposed(pose.rotation)
    centre = spatial.turned(pose.rotation, pose.centre)
    inverse = block_diagonal(spatial.inverse_inertia(chain.mass, central, centre))
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


@claim
def explicit_inverse(scope: Scope) -> Finding:
    rows: list[Row] = []
    for n in scope.sizes:
        vector, whole = (n * (costs.constraint_forces(k).flops - costs.BIAS.flops) for k in (1, n))
        rows.append({"n": n, "M^-1 x": vector, "M^-1": whole})
    growth = {name: [Fraction(b[name], a[name]) for a, b in pairwise(rows)] for name in ("M^-1", "M^-1 x")}
    cases = {
        "M^-1 written out": max(growth["M^-1"]) <= 4.04,
        "M^-1 applied to a vector": max(growth["M^-1 x"]) <= 2.02,
    }
    most = {name: ratio(max(quotients), 1) for name, quotients in growth.items()}
    effect = f"a doubling of n takes {most['M^-1']} times the operations, {most['M^-1 x']} for a vector"
    title = f"Operations on one processor; both ways M^-1 is the same to {_two_ways():.0e}"
    return Finding(decided(cases, effect, "for {}"), (Table(title, rows),))


@cache
def _two_ways() -> float:
    """M^-1 of random:16 by the factorisation, column by column, against the inverse of M."""
    problem = problems.load("random:16")
    arm = arm_of(problem)
    ldl = constraint_force.factored(arm)
    units = map(arm.split, np.eye(arm.degrees))
    columns = [joined(constraint_force.accelerations(arm, ldl, unit)) for unit in units]
    return _apart(np.stack(columns, axis=1), np.linalg.inv(_mass(problem)).astype(np.float64))


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
    return operators.diagonal(REVOLUTE, 5).evaluate(inverse, before), B


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


PROJECTIONS = {
    "frame i": Projection(_in_frame_i, ((), (3,), (6,), (), (15,), (6, 5))),
    "frame i turned with its joint": Projection(_turned_with_joint, ((), (15,), (15,), (5, 5))),
}
"""The first is the paper's."""
