"""Step I.a projected elsewhere: the blocks A_i and B_i of revolute joints in other frames than frame i.

Each way is a function that computes them, from constants of the links and what changes with q, for floats or
for scalars that are counted. W_i is any basis of what joint i forbids, so that other frames give Q'A_i Q.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from senn.algorithms.blocks import (
    Blocks,
    apply,
    cross,
    full,
    symmetric_product,
    times,
    transposed,
)
from senn.algorithms.kernels import link
from senn.algorithms.spatial import REVOLUTE
from senn.machine.program import Operations
from senn.machine.program.arithmetic import Tally


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
    rz = link.planar(q)
    inverse = link.INVERSE_INERTIA[REVOLUTE].evaluate(rz, q, s, j, w)
    B = link.coupling(REVOLUTE, 5).evaluate(rz, q, inverse, s, psi)
    return link.DIAGONAL[REVOLUTE].evaluate(inverse, before), B


def _turned_with_joint(q: Blocks, own: Blocks, before: Blocks, psi: Blocks) -> tuple[Blocks, Blocks]:
    """In frame i', where link i is at rest and z is the joint's axis too, so that W_i is as sparse: I_i^-1
    restricted to W_i and W_i'Psi_i are constant there. The links inside turn by -q_i against it, and so do
    the columns of B_{i-1}, which is what process i computes."""
    rz = link.planar(-q)
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
    inverse = link.inverse_inertia(inverse_j, apply(turn, s), w)
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
