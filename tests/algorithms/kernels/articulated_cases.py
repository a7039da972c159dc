"""What the kernels of the hybrid are expected to make, by 6x6 matrices: H, hat(p), inertias about O_i."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from senn.algorithms.kernels import articulated as arm
from senn.algorithms.kernels import sums
from senn.algorithms.spatial import hat, inertia, pack
from tests.algorithms.kernels.cases import (
    BATCH,
    RNG,
    Array,
    Case,
    by_vector,
    case,
    draw,
    inner,
    rotations,
    spd,
    t,
)
from tests.algorithms.kernels.uses import REVOLUTE


def _axis(joint: str, z: Array) -> Array:
    """H: the axis in the angular or in the linear half."""
    none = np.zeros_like(z)
    return np.concatenate([z, none] if joint == REVOLUTE else [none, z], axis=-1)


def bodies() -> Iterator[Case]:
    """Links in frame 1 about O_i, with z and p of any length: no kernel may count on unit axes."""
    turn, central, s, z, p = rotations(), spd(3), draw(3), draw(3), draw(3)
    mass = RNG.uniform(0.5, 2.0, BATCH)
    whole = inertia(mass, turn @ central @ t(turn), s)
    link = np.concatenate([pack(whole[:, :3, :3]), mass[:, None] * s, mass[:, None], z, p], axis=-1)
    yield case(arm.body, link, turn, pack(central), s, mass, z, p)
    yield case(arm.rigid, pack(whole), link)
    beyond, gain = spd(6), draw(7)
    k, d = gain[:, :6], gain[:, 6]
    rest = beyond - d[:, None, None] * k[:, :, None] * k[:, None, :]
    expected = pack(whole + hat(p) @ rest @ t(hat(p)))
    yield case(arm.articulated, expected, link, pack(beyond), gain)
    for joint, kernel in arm.GAIN_OF.items():
        felt = by_vector(beyond, _axis(joint, z))
        pivot = inner(_axis(joint, z), felt)
        expected = np.concatenate([felt / pivot[:, None], pivot[:, None]], axis=-1)
        yield case(kernel, expected, link, pack(beyond))


def systems(joint: str) -> Iterator[Case]:
    gain, z, p, force, drive = draw(7), draw(3), draw(3), draw(), draw()
    gain[:, 6] += 3.0
    k, d, axis = gain[:, :6], gain[:, 6], _axis(joint, z)
    phi = (np.eye(6) - k[:, :, None] * axis[:, None, :]) @ hat(p)
    yield case(arm.TRANSFER[joint], phi, gain, z, p)
    x = draw(6)
    felt = inner(axis, by_vector(hat(p), x))
    yield case(arm.DRIVE[joint], (force - felt) / d, force, gain, z, p, x)
    yield case(arm.DRIVE[joint], force / d, force, gain, z, p, None)
    yield case(arm.CARRIED[joint], by_vector(t(hat(p)), axis * drive[:, None]), z, p, drive)
    yield case(arm.push, k * force[:, None], gain, force)
    further = draw(6, 6)
    yield case(arm.product, phi @ further, phi, further)
    yield case(arm.affine, x + by_vector(further, k), x, further, k)
    yield case(sums.plus_of(1), x + gain[:, :6], x, gain[:, :6])
    yield case(arm.passed_on, by_vector(t(further), x), further, x)
    yield case(arm.acceleration, drive - inner(k, x), drive, gain, x)
    yield case(arm.acceleration, drive, drive, gain, None)
