"""The joints there are, and how each lets link i move against link i-1 (Fijany II.A; Featherstone's J types).

Frame i is fixed in link i-1 with its z axis on joint i. The joint turns link i by E(q) and moves its joint
frame by d(q), both counted in frame i, so that C(i,i+1) = E(q_i) R_{i+1} and O_i moves to O_i + d. The
velocity of link i against link i-1, [omega; v] in frame i **of the point of link i that lies at O_i**, is
H(q) qd; the columns of W(q) are an orthonormal basis of what the joint forbids, W'H = 0. Where H depends
on q, its rate times qd is part of the acceleration at qdd = 0.

Angles come first, in q as in qd, and vectors are counted in frame i:

    type         n_i  q                      qd                  moves
    revolute      1   angle                  rate                about z
    prismatic     1   distance               rate                along z
    helical       1   angle                  rate                about z, and `parameter` times it along z
    cylindrical   2   angle, distance        rates               about and along z
    universal     2   two angles             rates               about z, then about an axis it turns
    planar        3   angle, x, y            rates               x and y in frame i, about z where that leads
    spherical     3   quaternion w x y z     omega (frame i)     about O_i
    free          6   quaternion, x y z      omega, rate of d    everything
    welded        0   -                      -                   nothing

The parameter of a helical joint is its pitch (m/rad); that of a universal one the angle (rad) from z to its
second axis, which lies in the xz plane of the turned frame.

Every function works over leading axes on plain products and sums, so that it runs on counted scalars too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from senn.algorithms.blocks import Blocks, cross, transposed
from senn.algorithms.spatial import IntArray, Numbers

Entry = Blocks | float


def _vector(like: Blocks, *entries: Entry) -> Blocks:
    """(..., k) of entries that are numbers or stacks of the shape of `like` without its last axis."""
    blank = np.zeros(like.shape[:-1], dtype=like.dtype)
    of_numbers = (x if np.ndim(x) else blank + x if x else blank for x in entries)
    return np.stack([np.asarray(x) for x in of_numbers], axis=-1)


def _matrix(like: Blocks, rows: Sequence[Sequence[Entry]]) -> Blocks:
    return np.stack([_vector(like, *row) for row in rows], axis=-2)


def _columns(like: Blocks, *columns: Sequence[Entry]) -> Blocks:
    """(..., 6, k) of columns of six entries."""
    if not columns:
        return np.zeros((*like.shape[:-1], 6, 0), dtype=like.dtype)
    return np.stack([_vector(like, *column) for column in columns], axis=-1)


def _units(*rows: int) -> Callable[[Blocks, Blocks], Blocks]:
    """Columns of the unit matrix."""

    def columns(q: Blocks, parameter: Blocks) -> Blocks:
        return _columns(q, *([float(k == row) for k in range(6)] for row in rows))

    return columns


def unturned(q: Blocks, parameter: Blocks) -> Blocks:
    """The unit matrix."""
    return _matrix(q, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


def about_z(q: Blocks, parameter: Blocks) -> Blocks:
    """E about z by the first number of q."""
    c, s = np.cos(q[..., 0]), np.sin(q[..., 0])
    return _matrix(q, [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _by_quaternion(q: Blocks, parameter: Blocks) -> Blocks:
    """E of a unit quaternion (w, x, y, z)."""
    w, x, y, z = (q[..., k] for k in range(4))
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz = x * x2, y * y2, z * z2
    xy, xz, yz = x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    rows: list[list[Entry]] = [
        [1.0 - (yy + zz), xy - wz, xz + wy],
        [xy + wz, 1.0 - (xx + zz), yz - wx],
        [xz - wy, yz + wx, 1.0 - (xx + yy)],
    ]
    return _matrix(q, rows)


# ------------------------------------------------------------- helical, universal


def _screw_dual(q: Blocks, pitch: Blocks) -> Blocks:
    inverse = 1.0 / (1.0 + pitch * pitch)
    return _columns(q, [0.0, 0.0, inverse, 0.0, 0.0, pitch * inverse])


def _screw_tilt(q: Blocks, pitch: Blocks) -> tuple[Blocks, Blocks]:
    inverse = 1.0 / (1.0 + pitch * pitch) ** 0.5
    return -pitch * inverse, inverse


def _turns(q: Blocks, angle: Blocks) -> Blocks:
    """About z by q_1, then about u = (sin a, 0, cos a) of the turned frame by q_2 (Rodrigues)."""
    c, s = np.cos(q[..., 1]), np.sin(q[..., 1])
    x, z = np.sin(angle), np.cos(angle)
    v = 1.0 - c
    rows: list[list[Entry]] = [
        [c + v * x * x, -(s * z), v * x * z],
        [s * z, c, -(s * x)],
        [v * x * z, s * x, c + v * z * z],
    ]
    second = _matrix(q, rows)
    c, s = np.cos(q[..., 0, None]), np.sin(q[..., 0, None])
    upper, lower = second[..., 0, :], second[..., 1, :]
    return np.stack([c * upper - s * lower, s * upper + c * lower, second[..., 2, :]], axis=-2)


def _axes(q: Blocks, angle: Blocks) -> Blocks:
    c, s, x = np.cos(q[..., 0]), np.sin(q[..., 0]), np.sin(angle)
    return _columns(q, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [c * x, s * x, np.cos(angle), 0.0, 0.0, 0.0])


def _axes_dual(q: Blocks, angle: Blocks) -> Blocks:
    inverse, cosine = 1.0 / np.sin(angle), np.cos(angle)
    x, y = np.cos(q[..., 0]) * inverse, np.sin(q[..., 0]) * inverse
    return _columns(q, [-(cosine * x), -(cosine * y), 1.0, 0.0, 0.0, 0.0], [x, y, 0.0, 0.0, 0.0, 0.0])


def _axes_drift(q: Blocks, qd: Blocks, angle: Blocks) -> Blocks:
    c, s = np.cos(q[..., 0]), np.sin(q[..., 0])
    rate = qd[..., 0] * qd[..., 1] * np.sin(angle)
    return _vector(q, -(s * rate), c * rate, 0.0, 0.0, 0.0, 0.0)


# ------------------------------------------------------------- planar, free

_X: Sequence[Entry] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0)  # columns that move along an axis
_Y: Sequence[Entry] = (0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
_Z: Sequence[Entry] = (0.0, 0.0, 0.0, 0.0, 0.0, 1.0)


def _planar_dual(q: Blocks, parameter: Blocks) -> Blocks:
    x, y = q[..., 1], q[..., 2]
    return _columns(q, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -y, *_X[3:]], [0.0, 0.0, x, *_Y[3:]])


def _free(q: Blocks, parameter: Blocks) -> Blocks:
    x, y, z = (q[..., k] for k in (4, 5, 6))  # d x e_k below omega_k
    turning: list[list[Entry]] = [
        [1.0, 0.0, 0.0, 0.0, z, -y],
        [0.0, 1.0, 0.0, -z, 0.0, x],
        [0.0, 0.0, 1.0, y, -x, 0.0],
    ]
    return _columns(q, *turning, _X, _Y, _Z)


def _free_dual(q: Blocks, parameter: Blocks) -> Blocks:
    """The transposed inverse of H: [U, d~; 0, U], d~ as below the moments of H with the other sign."""
    h = _free(q, parameter)
    w = np.zeros_like(h)
    w[..., range(6), range(6)] = 1.0
    w[..., :3, 3:] = -transposed(h[..., 3:, :3])
    return w


# -------------------------------------------------------------------- table


@dataclass(frozen=True, eq=False)
class Joint:
    """One type of joint; q is (..., coordinates), qd (..., degrees), the parameter (...,)."""

    name: str
    degrees: int  # n_i
    coordinates: int  # Numbers of q: more than n_i where a quaternion is one of them
    turning: int  # How many of the degrees of freedom turn (rad); they come first, and the others slide (m)
    turn: Callable[[Blocks, Blocks], Blocks]  # E(q): (..., 3, 3), axes of the moved joint frame in frame i
    subspace: Callable[[Blocks, Blocks], Blocks]  # H(q): (..., 6, n_i), frame i at O_i
    forbids: tuple[tuple[int, ...], ...]
    """The columns of W(q), each by its rows: one, of a column of the unit matrix; two, which `tilt` mixes."""
    shifts: tuple[tuple[int, int], ...] = ()
    """Which number of q moves O_i along which axis of frame i; a helical joint's angle, by its pitch."""
    parameter: str = ""  # What the parameter means; empty: the type has none
    tilt: Callable[[Blocks, Blocks], tuple[Blocks, Blocks]] | None = None
    """The two entries of the column of W that has two, of unit length."""
    drift: Callable[[Blocks, Blocks, Blocks], Blocks] = lambda q, qd, parameter: _vector(q, *[0.0] * 6)
    """Hdot qd from q, qd, parameter: (..., 6), frame i at O_i, with frame i held still."""
    spanning: Callable[[Blocks, Blocks], Blocks] | None = None
    """W_a = H (H'H)^-1 if it is not H; it maps joint torques to the force that they make, and its transpose
    link accelerations to Qdd (Fijany-Featherstone)."""

    def __reduce__(self) -> tuple[Callable[[str], Joint], tuple[str]]:
        """By its name: a copy in another process is that process's own."""
        return _of_name, (self.name,)

    def shift(self, q: Blocks, parameter: Blocks) -> Blocks:
        """d(q): (..., 3), frame i."""
        along: list[Entry] = [0.0, 0.0, 0.0]
        for number, axis in self.shifts:
            along[axis] = parameter * q[..., number] if self.name == "helical" else q[..., number]
        return _vector(q, *along)

    def dual(self, q: Blocks, parameter: Blocks) -> Blocks:
        """W_a(q): (..., 6, n_i), the columns in the span of H with W_a'H = U."""
        return (self.spanning or self.subspace)(q, parameter)

    def complement(self, q: Blocks, parameter: Blocks) -> Blocks:
        """W(q): (..., 6, 6 - n_i), frame i at O_i, orthonormal."""
        columns: list[list[Entry]] = [[float(k in rows) for k in range(6)] for rows in self.forbids]
        for rows, column in zip(self.forbids, columns, strict=True):
            if self.tilt is not None and len(rows) > 1:
                column[rows[0]], column[rows[1]] = self.tilt(q, parameter)
        return _columns(q, *columns)

    @cached_property
    def held(self) -> tuple[int, ...]:
        """The rows of W; of a column with two, the first."""
        return tuple(rows[0] for rows in self.forbids)

    @cached_property
    def allowed(self) -> tuple[int, ...]:
        """The other rows, those of H, in axes in which no column of W has two."""
        return tuple(row for row in range(6) if row not in self.held)

    @cached_property
    def mixed(self) -> tuple[int, ...]:
        """The two rows that a column of W mixes; none for most types."""
        return next((rows for rows in self.forbids if len(rows) > 1), ())

    @cache  # noqa: B019 - nine joints stay for ever
    def fixed(self, columns: str = "subspace") -> Numbers:
        """(6, n_i): the entries of H that are always zero or always one; the others are NaN. So are those of
        other `columns`: "dual", "moved_subspace" or "in_body"."""
        somewhere = getattr(self, columns)(np.arange(2.0, self.coordinates + 2.0), np.array(2.0))
        return np.where(np.isin(somewhere, (0.0, 1.0)), somewhere, np.nan)

    def straight(self, columns: str = "subspace") -> bool:
        """Whether `fixed` leaves no entry open: H has the columns of the unit matrix that are `allowed`."""
        return not np.isnan(self.fixed(columns)).any()

    def moved_subspace(self, q: Blocks, parameter: Blocks) -> Blocks:
        """H(q) at the origin of the moved joint frame, O_i + d: (..., 6, n_i), frame i. Seen from frame i,
        that point does not accelerate at qdd = 0."""
        still = q.copy()
        still[..., [number for number, _ in self.shifts]] = 0.0
        return self.subspace(still, parameter)

    def in_body(self, q: Blocks, parameter: Blocks) -> Blocks:
        """E'H: `moved_subspace` in the moved joint frame."""
        back, h = transposed(self.turn(q, parameter)), self.moved_subspace(q, parameter)
        return np.concatenate([back @ h[..., :3, :], back @ h[..., 3:, :]], axis=-2)

    @cached_property
    def drifts(self) -> tuple[bool, bool]:
        """Whether Hdot qd has an angular and a linear part."""
        q, qd = np.arange(2.0, self.coordinates + 2.0), np.arange(2.0, self.degrees + 2.0)
        both = self.drift(q, qd, np.array(2.0))
        return bool(both[:3].any()), bool(both[3:].any())

    @cached_property
    def halves(self) -> NDArray[np.bool_]:
        """(6, n_i): the angular half of a column of H where the column turns, and the linear where it moves
        O_i; in whatever axes, the other half is zero."""
        entries = self.fixed() != 0.0
        return np.repeat([entries[:3].any(axis=0), entries[3:].any(axis=0)], 3, axis=0)

    @property
    def quaternion(self) -> bool:
        """Whether the first four numbers of q are a unit quaternion w x y z."""
        return self.coordinates > self.degrees

    @property
    def turning_coordinates(self) -> int:
        """How many of the numbers of q say how far it is turned; they come first, and the others are m."""
        return self.turning + self.quaternion


_ALL = (
    Joint("revolute", 1, 1, 1, about_z, _units(2), ((0,), (1,), (3,), (4,), (5,))),
    Joint("prismatic", 1, 1, 0, unturned, _units(5), ((0,), (1,), (2,), (3,), (4,)), ((0, 2),)),
    Joint(
        *("helical", 1, 1, 1, about_z, lambda q, pitch: _columns(q, [0.0, 0.0, 1.0, 0.0, 0.0, pitch])),
        *(((0,), (1,), (3,), (4,), (2, 5)), ((0, 2),)),
        parameter="pitch, m/rad",
        tilt=_screw_tilt,
        spanning=_screw_dual,
    ),
    Joint("cylindrical", 2, 2, 1, about_z, _units(2, 5), ((0,), (1,), (3,), (4,)), ((1, 2),)),
    Joint(
        *("universal", 2, 2, 2, _turns, _axes, ((0, 1), (3,), (4,), (5,))),
        parameter="angle between the axes, rad",
        tilt=lambda q, angle: (-np.sin(q[..., 0]), np.cos(q[..., 0])),
        drift=_axes_drift,
        spanning=_axes_dual,
    ),
    Joint(
        *("planar", 3, 3, 1, about_z),  # v = d x omega
        lambda q, parameter: _columns(q, [0.0, 0.0, 1.0, q[..., 2], -q[..., 1], 0.0], _X, _Y),
        *(((0,), (1,), (5,)), ((1, 0), (2, 1))),
        drift=lambda q, qd, parameter: _vector(
            q, 0.0, 0.0, 0.0, qd[..., 0] * qd[..., 2], -(qd[..., 0] * qd[..., 1]), 0.0
        ),
        spanning=_planar_dual,
    ),
    Joint("spherical", 3, 4, 3, _by_quaternion, _units(0, 1, 2), ((3,), (4,), (5,))),
    Joint(
        *("free", 6, 7, 3, _by_quaternion, _free, (), ((4, 0), (5, 1), (6, 2))),
        drift=lambda q, qd, parameter: np.concatenate(
            [np.zeros_like(qd[..., :3]), cross(qd[..., 3:], qd[..., :3])], axis=-1
        ),
        spanning=_free_dual,
    ),
    Joint("welded", 0, 0, 0, unturned, _units(), ((0,), (1,), (2,), (3,), (4,), (5,))),
)

JOINTS = {joint.name: joint for joint in _ALL}
"""Every type of joint by name."""
UNIT_TOLERANCE = 1e-6  # of the length of a quaternion


def _of_name(name: str) -> Joint:
    return JOINTS[name]


# -------- vectors of a state, shared among the joints
# A flat vector holds the joints' shares base to tip; stacked, every joint has a row, filled up with zeros.


@dataclass(frozen=True, eq=False)
class Shares:
    """One number per joint: how many numbers of the flat vector are its own."""

    counts: IntArray  # (n,)

    @cached_property
    def total(self) -> int:
        """Length of the flat vector."""
        return int(self.counts.sum())

    @cached_property
    def width(self) -> int:
        """The largest share."""
        return int(self.counts.max(initial=0))

    @cached_property
    def first(self) -> IntArray:
        """(n + 1,): where the share of each joint begins, and the length of the vector."""
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.counts)])

    @cached_property
    def held(self) -> NDArray[np.bool_]:
        """(n, width): which entries of the stacked form are numbers of the flat one."""
        return np.asarray(np.arange(self.width) < self.counts[:, None])

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """(n,): the share of each joint."""
        first = self.first.tolist()
        return tuple(map(slice, first, first[1:]))

    def stacked(self, flat: Numbers) -> Numbers:
        """(total, ...) to (n, width, ...), zero where a joint's share is shorter."""
        rows = np.zeros((*self.held.shape, *flat.shape[1:]), dtype=flat.dtype)
        rows[self.held] = flat
        return rows

    def flat(self, stacked: Numbers) -> Numbers:
        """The inverse of `stacked`; what fills up is dropped."""
        return np.asarray(stacked[self.held])
