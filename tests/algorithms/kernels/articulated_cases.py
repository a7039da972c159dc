"""What the kernels of the hybrid are expected to make, by 6x6 matrices: H, hat(p), inertias about O_i."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from senn.algorithms.kernels import articulated as arm
from senn.algorithms.kernels import sums
from senn.algorithms.kernels.branches import from_link
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import hat, inertia, pack, six
from tests.algorithms.kernels.cases import (
    BATCH,
    RNG,
    TYPES,
    Case,
    axis_of,
    by_vector,
    case,
    draw,
    rotations,
    spd,
    t,
)
from tests.algorithms.kernels.wide_cases import padded

FREEDOM = 6


def bodies() -> Iterator[Case]:
    """Links in frame 1 about O_i, with axes and p of any length: no kernel may count on unit axes."""
    turn, central, s, z, p, h = rotations(), spd(3), draw(3), draw(3), draw(3), draw(6, FREEDOM)
    mass = RNG.uniform(0.5, 2.0, BATCH)
    whole = inertia(mass, turn @ central @ t(turn), s)
    link = np.concatenate([pack(whole[:, :3, :3]), mass[:, None] * s, mass[:, None], z, p], axis=-1)
    yield case(arm.body, link, turn, pack(central), s, mass, z, p)
    yield case(arm.outermost, pack(whole), link)
    yield case(arm.rigid_body, pack(whole), turn, pack(central), s, mass)
    link = np.concatenate([pack(whole), h.reshape(BATCH, -1), p], axis=-1)
    yield case(arm.body_of, link, pack(whole), h, p)
    yield case(arm.outermost, pack(whole), link)
    apart, wrench, force = spd(6), draw(6), draw(FREEDOM)
    seen = hat(p) @ six(turn)
    yield case(from_link, pack(seen @ apart @ t(seen)), turn, p, pack(apart))
    yield case(arm.held_at_origin, by_vector(seen, wrench), turn, p, wrench)
    yield case(arm.loaded, force - by_vector(t(h), wrench), force, h, wrench)
    own, before = by_vector(h, force), draw(6)
    yield case(arm.at_origin, own + by_vector(t(six(turn)), before), h, force, turn, before)
    yield case(arm.at_origin, own, h, force, turn, None)


def systems(joint: str, freedom: int | None) -> Iterator[Case]:
    """The recursion and the two systems at a joint, whose H is drawn: any columns do. `freedom`: the columns
    that every joint has, or None for one axis z and numbers."""
    own, p = JOINTS[joint].degrees, draw(3)
    if freedom is None:
        axes = draw(3)
        h = axis_of(joint, axes)[..., None]
        whole = inertia(RNG.uniform(0.5, 2.0, BATCH), spd(3), draw(3))
        first = [pack(whole[:, :3, :3]), t(whole[:, :3, 3:])[:, (1, 2, 0), (2, 0, 1)], whole[:, 3:4, 3]]
        link = np.concatenate([*first, axes, p], axis=-1)
    else:
        h = np.eye(6)[:, :own] + 0.2 * draw(6, own)
        axes, whole = padded(h, freedom), spd(6)
        link = np.concatenate([pack(whole), axes.reshape(BATCH, -1), p], axis=-1)
    columns = freedom or 1

    def gain_of(k: np.ndarray, d: np.ndarray) -> np.ndarray:
        words = padded(pack(d), columns * (columns + 1) // 2)
        return np.concatenate([padded(k, columns).reshape(BATCH, -1), words], axis=-1)

    def words(x: np.ndarray) -> np.ndarray:
        return x[:, 0] if freedom is None else padded(x, columns)

    beyond, k, d = spd(6), draw(6, own), spd(6)[:, :own, :own]
    gain = gain_of(k, d)
    rest = hat(p) @ (beyond - k @ d @ t(k)) @ t(hat(p))
    yield case(arm.articulated(joint), pack(whole + rest), link, pack(beyond), gain)
    felt = t(h) @ beyond @ h
    yield case(arm.gain(joint), gain_of(beyond @ h @ np.linalg.inv(felt), felt), link, pack(beyond))
    yield case(arm.transfer(joint), (np.eye(6) - k @ t(h)) @ hat(p), gain, axes, p)
    force, x = draw(own), draw(6)
    yield case(arm.push(joint), by_vector(k, force), gain, words(force))
    yield case(arm.carried(joint), by_vector(t(hat(p)), by_vector(h, force)), axes, p, words(force))
    for wrench in (x, None):
        left = force if wrench is None else force - by_vector(t(h), by_vector(hat(p), wrench))
        solved = np.linalg.solve(d, left[..., None])[..., 0]
        yield case(arm.drive(joint), words(solved), words(force), gain, axes, p, wrench)
    yield case(arm.acceleration(joint), words(force - by_vector(t(k), x)), words(force), gain, x)
    yield case(arm.acceleration(joint), words(force), words(force), gain, None)


def scans() -> Iterator[Case]:
    """Steps of the scans, of any joint."""
    phi, further, x, w = draw(6, 6), draw(6, 6), draw(6), draw(6)
    yield case(arm.product, phi @ further, phi, further)
    yield case(arm.affine, x + by_vector(further, w), x, further, w)
    yield case(sums.plus.of(1), x + w, x, w)
    yield case(arm.passed_on, by_vector(t(further), x), further, x)


def articulated() -> Iterator[Case]:
    """All of them."""
    yield from bodies()
    yield from scans()
    for joint in TYPES:
        yield from systems(joint, None)
    for joint in JOINTS:
        yield from systems(joint, FREEDOM)
