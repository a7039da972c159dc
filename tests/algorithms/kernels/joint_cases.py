"""What the kernels of links with joints of any type, and with branches, are expected to make as two-ports:
dense 6x6 matrices, and np.linalg.inv of D."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from senn.algorithms.kernels import branches as branch
from senn.algorithms.kernels import two_port_links as link
from senn.algorithms.spatial import hat, pack, six
from tests.algorithms.kernels import branch_cases
from tests.algorithms.kernels.cases import BATCH, Array, Case, by_vector, case, draw, rotations, spd, t

K = 6
DEGREES = (0, 1, 2, 3, 6)


def behind(x: Array, axis: int) -> Array:
    """Zeros behind the own columns or rows."""
    room = [(0, 0)] * x.ndim
    room[axis] = (0, K - x.shape[axis])
    return np.pad(x, room)


def links(d: int) -> Iterator[Case]:
    """A link whose joint has d degrees of freedom; what stands behind the columns of H is not looked at."""
    c, p, h, whole = rotations(), draw(3), np.linalg.qr(draw(6, K))[0], spd(6)  # no axes nearly alike
    x = t(six(c) @ hat(p))
    s = x @ h[..., :d]
    inverse = np.linalg.inv(t(s) @ whole @ s)
    gain, held = inverse @ t(s), inverse @ t(s) @ whole
    axes, borne, gains, kept = behind(s, -1), behind(whole @ s, -1), behind(gain, -2), behind(held, -2)
    yield case(link.axes(d), axes, c, p, h)
    yield case(link.borne(d), borne, pack(whole), axes)
    ldl = next(link_factors(d, t(s) @ whole @ s))
    yield case(link.factored(d), ldl, axes, borne)
    yield case(link.gain(d), gains, ldl, axes)
    yield case(link.inside(d), behind(held @ x, -2), kept, x)
    left = x - s @ held @ x
    yield case(link.across_of(d), left if d < 6 else 0 * left, x, axes, behind(held @ x, -2))
    yield case(link.compliance(d), pack(s @ gain), axes, gains)
    passed = t(x) @ (whole - whole @ s @ held) @ x
    rho = draw()
    left = (passed if d < 6 else 0 * passed) - rho[:, None, None] * np.diag([1, 1, 1, 0, 0, 0])
    yield case(link.inertia_of(d), pack(left), c, p, pack(whole), borne, kept, rho)
    tau, load, a, f = draw(K), draw(6), draw(6), draw(6)
    r = by_vector(inverse, tau[:, :d] - by_vector(t(s), load))
    yield case(link.drive_of(d), behind(r, -1), ldl, tau, axes, load)
    yield case(link.gained_of(d), load + by_vector(s, tau[:, :d]), load, axes, tau)
    found = tau[:, :d] - by_vector(held, a) - by_vector(gain, f)
    yield case(link.acceleration_of(d), behind(found, -1), tau, kept, gains, a, f)
    yield case(link.driven(d), by_vector(x, a) + by_vector(s, tau[:, :d]), c, p, axes, a, tau)


def link_factors(d: int, matrix: Array) -> Iterator[Array]:
    """LDL' of blocks by Cholesky: 1 / D on the diagonal, packed by rows, zeros behind."""
    root = np.linalg.cholesky(matrix)
    diagonal = np.einsum("bkk->bk", root)
    lower = root / diagonal[:, None, :]
    lower[:, range(d), range(d)] = 1.0 / diagonal**2
    rows, columns = np.tril_indices(d)
    yield np.pad(lower[:, rows, columns], ((0, 0), (0, K * (K + 1) // 2 - len(rows))))


def moving() -> Iterator[Case]:
    """The acceleration of O_{i+1} at qdd = 0, less X a_{i-1}: that of a point which joint i moves."""
    c, p, w, own = rotations(), draw(3), draw(3), draw(3)
    yield case(link.transform, t(six(c) @ hat(p)), c, p)
    yield case(link.turned_back, t(c), c)
    motion = np.concatenate([c, w[:, None]], axis=1)
    yield case(link.motion_of_link, motion, c, w)
    parts = {"sliding": draw(3), "precessing": draw(3), "drifting": draw(3)}
    for some in ((), ("sliding",), ("sliding", "drifting"), tuple(parts)):
        for there in product((True, False), repeat=len(some)):
            given = {part: parts[part] * here for part, here in zip(some, there, strict=True)}
            v, angular, linear = (given.get(part, np.zeros((BATCH, 3))) for part in parts)
            before = w - own
            turning = np.cross(before, own) + angular
            at_joint = np.cross(before, v) + np.cross(w, v) + linear
            at_end = at_joint + np.cross(turning, p) + np.cross(w, np.cross(w, p))
            operands = (parts[part] if here else None for part, here in zip(some, there, strict=True))
            yield case(
                link.velocity_product(*some),
                np.concatenate([turning, at_end], axis=-1),
                motion,
                own,
                p,
                *operands,
            )


def beside() -> Iterator[Case]:
    """Branches, in the frame of their link."""
    for own in branch_cases.structures():
        (alone,), count = own.narrow, len(own.joints)
        c, w, swerve, g = rotations(), draw(3), draw(6), draw(3)
        motion = np.concatenate([c, w[:, None]], axis=1)
        qd, mass, centre = own.filled(draw(own.count)), own.padded(draw(count)), own.padded(draw(count, 3))
        bodies = (qd, own.c, own.p, mass, centre, own.padded(pack(np.stack([spd(3)] * count, axis=1))))
        here = np.tile(np.eye(3), (BATCH, 1, 1))
        falling, still = by_vector(t(c), g), np.zeros((BATCH, own.freedom))
        moved = (w, swerve[:, :3], swerve[:, 3:], falling)
        wrenches, loads = branch_cases.newton_euler(own, here, *moved, bodies, still)
        yield case(branch.wrenches_beside(*own.key), wrenches, motion, swerve, g, *bodies, *own.axes)
        yield case(branch.load_beside(alone), loads, wrenches, own.c, own.p)


def cases() -> Iterator[Case]:
    for d in DEGREES:
        yield from links(d)
    yield from moving()
    yield from beside()
