"""An arm from the words of a generator: what they draw, drawn once more."""

from __future__ import annotations

import numpy as np

from senn.algorithms.plain_sums import turns
from senn.algorithms.plain_sums.links import Arm
from senn.algorithms.plain_sums.readings import arrays
from senn.algorithms.plain_sums.turns import Array

_TYPES = "revolute prismatic helical cylindrical universal planar spherical free welded"
_LETTERS = dict(zip("RPHCUESFX", _TYPES.split(), strict=True))


def arm(text: str) -> Arm:
    """The arm of `random:16:prismatic=0.3:seed=1` and the like."""
    kind, *words = text.split(":")
    options = dict(word.split("=") for word in words if "=" in word)
    (size,) = (word for word in words if "=" not in word)
    rng = np.random.default_rng([int(options.get("seed", 0)), 0])
    n = len(size) if kind == "joints" else int(size)
    parameters = np.zeros(n)
    if kind in ("random", "joints"):
        rotation = _rotations(rng, n)
        position, centre = rng.uniform(-0.3, 0.3, (n, 3)), rng.uniform(-0.15, 0.15, (n, 3))
        mass = rng.uniform(0.5, 1.5, n)
        x, y, z = (mass[:, None] * rng.uniform(0.05, 0.15, (n, 3)) ** 2).T
        inertia = _about(_rotations(rng, n), np.column_stack([y + z, x + z, x + y]))
    else:
        if kind == "rods":
            rotation, along = _rotations(rng, n), rng.standard_normal((n, 3))
            along = along / np.sqrt((along * along).sum(axis=1, keepdims=True))
            length, whole = 0.3, 1.0
            radius = length * float(options.get("slenderness", 0.1))
        else:
            quarter = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
            rotation = np.array([quarter.T if k % 2 else quarter for k in range(n)])
            along, length, whole, radius = np.tile([1.0, 0.0, 0.0], (n, 1)), 0.94 / 16, 2.9 / 16, 0.025
        position, centre, mass = length * along, length * along / 2.0, np.full(n, whole)
        spread = along[:, :, None] * along[:, None, :]
        thick = whole * radius**2 / 4.0  # about a diameter of the disc
        inertia = 2.0 * thick * spread + (thick + whole * length**2 / 12.0) * (np.eye(3) - spread)
    joints = ("revolute",) * n
    if kind == "random":
        share = float(options.get("prismatic", 0.0))
        joints = tuple("prismatic" if x < share else "revolute" for x in rng.uniform(0.0, 1.0, n))
    if kind == "joints":
        drawn = rng.uniform(0.0, 1.0, n)
        joints = tuple(_LETTERS[letter] for letter in size)
        for k, letter in enumerate(size):
            if letter == "H":
                parameters[k] = 0.2 * drawn[k] - 0.1
            if letter == "U":
                parameters[k] = np.radians(60.0 + 60.0 * drawn[k])
    return arrays.arm(arrays.Stacked(joints, rotation, position, centre, mass, inertia, parameters))


def _rotations(rng: np.random.Generator, n: int) -> Array:
    drawn = rng.standard_normal((n, 4))
    return turns.by_quaternion(drawn / np.sqrt((drawn * drawn).sum(axis=1, keepdims=True)))


def _about(axes: Array, moments: Array) -> Array:
    """With these principal moments (n, 3) about the columns of `axes`."""
    return np.asarray(sum(moments[:, k, None, None] * _square(axes[:, :, k]) for k in range(3)))


def _square(vectors: Array) -> Array:
    return vectors[:, :, None] * vectors[:, None, :]
