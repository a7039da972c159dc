"""The inertia of a rigid body about a point: ten numbers instead of a symmetric 6x6 matrix (Jain Eq. (10)).

[J h~; -h~ m]: J about the point, h the mass times the vector to the centre of mass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from senn.algorithms.blocks import Blocks, apply, cross, dot, full, symmetric_product, times, transposed

LOWER = tuple((row, column) for row in range(3) for column in range(row + 1))
"""Row and column of the six entries of a packed 3x3 block."""


@dataclass(frozen=True, eq=False)
class Rigid:
    """A rigid body, or several that move as one."""

    mass: Any
    moment: Blocks
    """h (3,)."""
    inertia: Blocks
    """J (6,), packed."""

    def applied(self, motion: Blocks) -> Blocks:
        """M x (6,), the momentum of a velocity or the force of an acceleration: 24 m 18 a."""
        turn, move = motion[:3], motion[3:]
        moment = apply(full(self.inertia), turn) + cross(self.moment, move)
        return np.concatenate([moment, move * self.mass - cross(self.moment, turn)])

    def gyroscopic(self, omega: Blocks, across: Blocks) -> Blocks:
        """What a turning body needs besides M alpha (Jain Eq. (11)): 36 m 24 a.

        alpha is counted at another point of the body, against which this one has the centripetal
        acceleration c = `across`: [omega x J omega + h x c; m c + omega x (omega x h)].
        """
        spin = cross(omega, apply(full(self.inertia), omega)) + cross(self.moment, across)
        return np.concatenate([spin, across * self.mass + cross(omega, cross(omega, self.moment))])

    def packed(self) -> Blocks:
        """The 6x6 matrix, packed (21,), at no cost."""
        h, m = self.moment, self.mass
        x, y, z = h
        tilde = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
        entries = list(self.inertia)
        for r in range(3):  # the lower left block is -h~, which is h~ transposed
            entries += [tilde[c][r] for c in range(3)] + [0.0] * r + [m]
        return np.array(entries, dtype=h.dtype)

    def __add__(self, other: Rigid) -> Rigid:
        """Both as one body: 10 a."""
        return Rigid(self.mass + other.mass, self.moment + other.moment, self.inertia + other.inertia)


def rigid_inward(rotation: Blocks, position: Blocks, body: Rigid) -> Rigid:
    """phi M phi', about a point further in and in axes turned by C: 72 m 59 a.

    With h' = h + m P: J' = J - P~ h~ - h'~ P~, then turned (the parallel axis theorem, Jain Eq. (10)).
    """
    near, p = body.moment, position
    far = near + p * body.mass
    along = dot(p, near + far)
    entries = []
    for k, (a, b) in enumerate(LOWER):
        entry = body.inertia[k] - (near[a] * p[b] + p[a] * far[b])
        entries.append(entry + along if a == b else entry)
    moved = np.array(entries, dtype=p.dtype)
    turned = transposed(times(rotation, full(moved)))
    return Rigid(body.mass, apply(rotation, far), symmetric_product(turned, transposed(rotation)))
