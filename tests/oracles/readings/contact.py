"""The equations of a contact, from the keys of a problem file as they were written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.oracles.readings.links import Array, unit, x_and_z

# Unknown are the force F of the end effector on the environment and its acceleration Vdot = Vdot_0 -
# Lambda^-1 F, [angular; linear] in its own axes, classical: of the point.


@dataclass(frozen=True, eq=False)
class Equations:
    """Vdot = M Omega + k and F = N Omega + l with unknown Omega; or, of the other kinds, what is prescribed
    along the columns of W alone: W'Vdot = G and F = B K + l."""

    W: Array  # (6, c)
    G: Array  # (c,)
    B: Array  # (6, c)
    l: Array  # (6,)
    M: Array | None = None
    k: Array | None = None

    def force(self, inverse: Array, free: Array) -> Array:
        """F, with Lambda^-1 (6, 6) and Vdot_0 (6,)."""
        if self.M is not None and self.k is not None:
            unknown = np.linalg.solve(self.M + inverse @ self.B, free - self.k - inverse @ self.l)
        else:
            left = self.W.T @ inverse @ self.B
            unknown = np.linalg.solve(left, self.W.T @ (free - inverse @ self.l) - self.G)
        return np.asarray(self.B @ unknown + self.l)


def equations(contact: Mapping[str, Any], tip_axes: Array, velocity: Array) -> Equations:
    """The equations of a contact under the keys of a problem file, with the end effector's axes (3, 3) and
    velocity (6,) in axes of the base."""
    inside: Array = np.asarray(np.kron(np.eye(2), tip_axes.T), dtype=np.float64)
    turned: Array = inside if contact.get("fixed_in") == "world" else np.eye(6)
    # A constraint is kept where W'Vdot is this: what is constant in the end effector's axes turns with it.
    carried = inside @ np.concatenate([np.zeros(3), np.cross(velocity[:3], velocity[3:])])
    added = carried if contact.get("acceleration") == "spatial" else np.zeros(6)
    if contact["kind"] in ("point", "line", "plane", "face"):
        return _in_words(contact, inside, tip_axes.T @ velocity[:3])
    if contact["kind"] == "general":
        M1, k1, M2, k2 = (turned @ _array(contact[key]) for key in ("M1", "k1", "M2", "k2"))
        return Equations(np.zeros((6, 0)), np.zeros(0), M2, k2, M1, k1 + added)
    W, H = _columns(contact.get("W"), turned), _columns(contact.get("H"), turned)
    if contact["kind"] in ("none", "free"):
        W = np.zeros((6, 0))
    if contact["kind"] == "weld":
        W = np.eye(6)
    prescribed = contact.get("G_C")
    if prescribed is None:
        kept = np.zeros(6) if contact.get("fixed_in") == "world" else carried
        G = W.T @ kept
    else:
        G = _array(prescribed) + W.T @ added
    constant = contact.get("d" if contact["kind"] == "II" else "K_F")
    pushed = np.zeros(6) if constant is None or not H.size else H @ _array(constant)
    B = W + H @ _array(contact["phi"]).reshape(H.shape[1], W.shape[1]) if contact["kind"] == "II" else W
    return Equations(W, G, B, pushed)


def _in_words(contact: Mapping[str, Any], inside: Array, spin: Array) -> Equations:
    """A point P of the end effector stays on a point, line or plane of the world, without friction; or a face
    of it on a plane. Along what is held P has no acceleration, about what is held the end effector has none.
    """
    place = _array(contact.get("position") if contact.get("position") is not None else (0.0, 0.0, 0.0))
    direction = next(
        (contact[key] for key in ("normal", "direction") if contact.get(key) is not None), (0.0, 0.0, 1.0)
    )
    along = unit(direction)
    if contact.get("axes") == "world":
        along = inside[:3, :3] @ along
    frame = x_and_z(np.eye(3)[int(np.abs(along).argmin())], along)
    kept = {"point": np.eye(3), "line": frame[:, :2]}.get(contact["kind"], frame[:, 2:]).T
    W = [np.concatenate([np.cross(place, row), row]) for row in kept]
    G = [-float(row @ np.cross(spin, np.cross(spin, place))) for row in kept]
    if contact["kind"] == "face":
        W += [np.concatenate([row, np.zeros(3)]) for row in frame[:, :2].T]
        G += [0.0, 0.0]
    columns = np.column_stack(W)
    return Equations(columns, np.array(G), columns, np.zeros(6))


def _array(numbers: Any) -> Array:
    return np.array(numbers, dtype=np.float64)


def _columns(matrix: Any, turned: Array) -> Array:
    if matrix is None or not np.size(matrix):
        return np.zeros((6, 0))
    return turned @ _array(matrix).reshape(6, -1)
