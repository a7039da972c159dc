"""What a contact says, from what was written of it: a few linear equations in force and acceleration.

Unknown are the force F of the end effector on the environment and its acceleration Vdot = Vdot_0 - Lambda^-1
F, [angular; linear] in its own axes, classical: of the point.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from senn.algorithms.plain_sums.turns import Array, unit, x_and_z


@dataclass(frozen=True, eq=False)
class Equations:
    """Vdot = M Omega + k and F = N Omega + l with unknown Omega; or, of the other kinds, what is prescribed
    along the columns of W alone: W'Vdot = G and F = B K + l."""

    W: Array
    """(6, c)."""
    G: Array
    """(c,)."""
    B: Array
    """(6, c)."""
    l: Array
    """(6,)."""
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

    def bare(self) -> Equations:
        """The same directions, and nothing prescribed in them that is not zero."""
        nothing = None if self.k is None else np.zeros(6)
        return Equations(self.W, np.zeros_like(self.G), self.B, np.zeros(6), self.M, nothing)

    def moved(self, start: Array) -> float:
        """The largest acceleration that is prescribed, or that `start` (6,) is where something is."""
        if self.k is not None:
            return max(_largest(start), _largest(self.k))
        return max(_largest(self.W.T @ start), _largest(self.G))

    def missed(self, acceleration: Array, force: Array, moved: float, pressed: float) -> float:
        """The largest part of what is prescribed that these do not obey: of accelerations over `moved`, of
        forces over `pressed`."""
        if self.M is not None and self.k is not None:
            maps = np.vstack([self.M / moved, self.B / pressed])
            left = np.concatenate([(acceleration - self.k) / moved, (force - self.l) / pressed])
            return _largest(_unexplained(maps, left))
        off = _largest(self.W.T @ acceleration - self.G) / moved
        return max(off, _largest(_unexplained(self.B, force - self.l)) / pressed)


def equations(said: Mapping[str, Any], tip_axes: Array, velocity: Array) -> Equations:
    """Those of what was written (the keys of a problem file), with the end effector's axes (3, 3) and
    velocity (6,) in axes of the base."""
    inside: Array = np.asarray(np.kron(np.eye(2), tip_axes.T), dtype=np.float64)
    turned: Array = inside if said.get("fixed_in") == "world" else np.eye(6)
    # A constraint is kept where W'Vdot is this: what is constant in the end effector's axes turns with it.
    carried = inside @ np.concatenate([np.zeros(3), np.cross(velocity[:3], velocity[3:])])
    added = carried if said.get("acceleration") == "spatial" else np.zeros(6)
    if said["kind"] in ("point", "line", "plane", "face"):
        return _in_words(said, inside, tip_axes.T @ velocity[:3])
    if said["kind"] == "general":
        M1, k1, M2, k2 = (turned @ _array(said[key]) for key in ("M1", "k1", "M2", "k2"))
        return Equations(np.zeros((6, 0)), np.zeros(0), M2, k2, M1, k1 + added)
    W, H = _columns(said.get("W"), turned), _columns(said.get("H"), turned)
    if said["kind"] in ("none", "free"):
        W = np.zeros((6, 0))
    if said["kind"] == "weld":
        W = np.eye(6)
    given = said.get("G_C")
    if given is None:
        kept = np.zeros(6) if said.get("fixed_in") == "world" else carried
        G = W.T @ kept
    else:
        G = _array(given) + W.T @ added
    constant = said.get("d" if said["kind"] == "II" else "K_F")
    pushed = np.zeros(6) if constant is None or not H.size else H @ _array(constant)
    B = W + H @ _array(said["phi"]).reshape(H.shape[1], W.shape[1]) if said["kind"] == "II" else W
    return Equations(W, G, B, pushed)


def _in_words(said: Mapping[str, Any], inside: Array, spin: Array) -> Equations:
    """A point P of the end effector stays on a point, line or plane of the world, without friction; or a face
    of it on a plane. Along what is held P has no acceleration, about what is held the end effector has none.
    """
    place = _array(said.get("position") if said.get("position") is not None else (0.0, 0.0, 0.0))
    given = next((said[key] for key in ("normal", "direction") if said.get(key) is not None), (0.0, 0.0, 1.0))
    along = unit(given)
    if said.get("axes") == "world":
        along = inside[:3, :3] @ along
    frame = x_and_z(np.eye(3)[int(np.abs(along).argmin())], along)
    held = {"point": np.eye(3), "line": frame[:, :2]}.get(said["kind"], frame[:, 2:]).T
    W = [np.concatenate([np.cross(place, one), one]) for one in held]
    G = [-float(one @ np.cross(spin, np.cross(spin, place))) for one in held]
    if said["kind"] == "face":
        W += [np.concatenate([one, np.zeros(3)]) for one in frame[:, :2].T]
        G += [0.0, 0.0]
    columns = np.column_stack(W)
    return Equations(columns, np.array(G), columns, np.zeros(6))


def _array(numbers: Any) -> Array:
    return np.array(numbers, dtype=np.float64)


def _columns(matrix: Any, turned: Array) -> Array:
    if matrix is None or not np.size(matrix):
        return np.zeros((6, 0))
    return turned @ _array(matrix).reshape(6, -1)


def _unexplained(columns: Array, vector: Array) -> Array:
    """What of a vector no combination of the columns is."""
    if not columns.shape[1]:
        return vector
    return vector - columns @ np.linalg.lstsq(columns, vector, rcond=None)[0]


def _largest(vector: Array) -> float:
    return float(np.abs(vector).max(initial=0.0))
