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
from tests.algorithms.kernels.wide_cases import padded


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
    yield case(arm.outermost(None), pack(whole), link)
    beyond, gain = spd(6), draw(7)
    k, d = gain[:, :6], gain[:, 6]
    rest = beyond - d[:, None, None] * k[:, :, None] * k[:, None, :]
    expected = pack(whole + hat(p) @ rest @ t(hat(p)))
    for joint in TYPES:
        yield case(arm.articulated(joint, None), expected, link, pack(beyond), gain)
    for joint in TYPES:
        felt = by_vector(beyond, _axis(joint, z))
        pivot = inner(_axis(joint, z), felt)
        expected = np.concatenate([felt / pivot[:, None], pivot[:, None]], axis=-1)
        yield case(arm.gain(joint, None), expected, link, pack(beyond))


def systems(joint: str) -> Iterator[Case]:
    gain, z, p, force, drive = draw(7), draw(3), draw(3), draw(), draw()
    gain[:, 6] += 3.0
    k, d, axis = gain[:, :6], gain[:, 6], _axis(joint, z)
    phi = (np.eye(6) - k[:, :, None] * axis[:, None, :]) @ hat(p)
    yield case(arm.transfer(joint, None), phi, gain, z, p)
    x = draw(6)
    felt = inner(axis, by_vector(hat(p), x))
    yield case(arm.drive(joint, None), (force - felt) / d, force, gain, z, p, x)
    yield case(arm.drive(joint, None), force / d, force, gain, z, p, None)
    yield case(arm.carried(joint, None), by_vector(t(hat(p)), axis * drive[:, None]), z, p, drive)
    yield case(arm.push(joint, None), k * force[:, None], gain, force)
    further = draw(6, 6)
    yield case(arm.product, phi @ further, phi, further)
    yield case(arm.affine, x + by_vector(further, k), x, further, k)
    yield case(sums.plus_of(1), x + gain[:, :6], x, gain[:, :6])
    yield case(arm.passed_on, by_vector(t(further), x), further, x)
    yield case(arm.acceleration(joint, None), drive - inner(k, x), drive, gain, x)
    yield case(arm.acceleration(joint, None), drive, drive, gain, None)


FREEDOM = 6


def wide_bodies() -> Iterator[Case]:
    """The same about links of wide arms, and what side branches do to them."""
    turn, central, s, p, h = rotations(), spd(3), draw(3), draw(3), draw(6, FREEDOM)
    mass = RNG.uniform(0.5, 2.0, BATCH)
    whole = pack(inertia(mass, turn @ central @ t(turn), s))
    yield case(arm.rigid_body, whole, turn, pack(central), s, mass)
    yield case(arm.axes, six(turn) @ h, h, turn)
    link = np.concatenate([whole, h.reshape(BATCH, -1), p], axis=-1)
    yield case(arm.body_of, link, whole, h, p)
    for freedom in (1, 3, FREEDOM):
        columns = h[:, :, :freedom].reshape(BATCH, -1)
        yield case(arm.outermost(freedom), whole, np.concatenate([whole, columns, p], axis=-1))
    apart, wrench, force = spd(6), draw(6), draw(FREEDOM)
    seen = hat(p) @ six(turn)
    yield case(from_link, pack(seen @ apart @ t(seen)), turn, p, pack(apart))
    yield case(arm.held_at_origin, by_vector(seen, wrench), turn, p, wrench)
    yield case(arm.loaded, force - by_vector(t(h), wrench), force, h, wrench)
    for joint in JOINTS:
        yield case(arm.carried(joint, FREEDOM), by_vector(t(hat(p)), by_vector(h, force)), h, p, force)
    own, before = by_vector(h, force), draw(6)
    yield case(arm.at_origin, own + by_vector(t(six(turn)), before), h, force, turn, before)
    yield case(arm.at_origin, own, h, force, turn, None)


def wide_systems(joint: str) -> Iterator[Case]:
    """The recursion and the two systems at a joint, whose H is drawn: any columns do."""
    own = JOINTS[joint].degrees
    h, p, k = np.eye(6)[:, :own] + 0.2 * draw(6, own), draw(3), draw(6, own)
    whole, beyond, d = spd(6), spd(6), spd(6)[:, :own, :own]
    axes = padded(h, FREEDOM)
    gain = np.concatenate([padded(k, FREEDOM).reshape(BATCH, -1), padded(pack(d), 21)], axis=-1)
    link = np.concatenate([pack(whole), axes.reshape(BATCH, -1), p], axis=-1)
    rest = hat(p) @ (beyond - k @ d @ t(k)) @ t(hat(p))
    yield case(arm.articulated(joint, FREEDOM), pack(whole + rest), link, pack(beyond), gain)
    felt = t(h) @ beyond @ h
    column = beyond @ h @ np.linalg.inv(felt)
    found = np.concatenate([padded(column, FREEDOM).reshape(BATCH, -1), padded(pack(felt), 21)], axis=-1)
    yield case(arm.gain(joint, FREEDOM), found, link, pack(beyond))
    yield case(arm.transfer(joint, FREEDOM), (np.eye(6) - k @ t(h)) @ hat(p), gain, axes, p)
    force, x = draw(own), draw(6)
    given = padded(force, FREEDOM)
    yield case(arm.push(joint, FREEDOM), by_vector(k, force), gain, given)
    for wrench in (x, None):
        left = force if wrench is None else force - by_vector(t(h), by_vector(hat(p), wrench))
        solved = padded(np.linalg.solve(d, left[..., None])[..., 0], FREEDOM)
        yield case(arm.drive(joint, FREEDOM), solved, given, gain, axes, p, wrench)
    moved = padded(force - by_vector(t(k), x), FREEDOM)
    yield case(arm.acceleration(joint, FREEDOM), moved, given, gain, x)
    yield case(arm.acceleration(joint, FREEDOM), given, given, gain, None)
