"""Other forms of a two-port, and what each does to a light link: all serially, with scans by doubling.

`two_ports` has the star program as it was first, with A, J, C, b and eta of the links as they are. Here are

* `loans`: link i has rotary inertia rho_i E more, and the next link as much less, as in the star program;
* `roots`: C = U U' and J = Z Z' by their factors, products by orthogonal transformations (Yaghoobi,
  Corenflos, Hassan and Sarkka, *Parallel square-root statistical linear regression for inference in nonlinear
  state space models*, 2022: filtering elements);
* `joints`: the outermost joint of a span stays a third port, so that 1/D is nowhere;
* `waves`: f + Z a and f - Z a in place of a and f, a scattering matrix (Redheffer 1960);
* `pairs`: a light link and the next are one element;
* `refined`: the accelerations that the missing torques make are added.

Each finds qdd of an arm with a free tip.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from senn.algorithms.blocks import decomposed, solved
from senn.algorithms.certificate.refined import norm
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import star as program
from senn.algorithms.robots import newton_euler
from tests.oracles.two_ports import Links, Numbers, Span, accelerations, by, scans, star, t, two_ports

UNIT = 2.0**-53
"""Half an ulp of 1."""
FREE = np.zeros(6)
ROTARY = np.diag([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])


def with_inertia(of: Links, extra: Numbers) -> Links:
    """The links with inertias (n, 6, 6) added at their outer ends, without weight."""
    return replace(of, inertia=of.inertia + extra, load=of.load + by(extra, of.swerve))


def lent(of: Links, rho: Numbers) -> tuple[Links, Span]:
    """Links that have a loan each, and as two-ports, from which the loan of the link before is taken."""
    extra = rho[:, None, None] * ROTARY.astype(rho.dtype)
    links = with_inertia(of, extra)
    a, j, *others = two_ports(links)
    return links, (a, np.concatenate([j[:1], j[1:] - extra[:-1]]), *others)


def loans(of: Links, what: Problem, factor: float = 1.0) -> Numbers:
    """Star products of links with so much of the loans of the program."""
    links, own = lent(of, factor * program.loans(what.chain))
    return accelerations(links, *scans(own), FREE)


# ---------------------------------------------------------------------------- square roots


def _triangular(x: Numbers) -> Numbers:
    """The lower triangular L with L L' = X X'."""
    return t(np.asarray(np.linalg.qr(t(x), mode="r")))


def _roots_star(x: Span, y: Span) -> Span:
    """The product; [U'Z, 1; Z, 0] made triangular is [S, 0; Y, W] with S S' = 1 + U'J U and W W' = J K. K by
    factors of 1 + C J, not as 1 - U S'^-1 Y'."""
    (a_x, u_x, z_x, b_x, eta_x), (a_y, u_y, z_y, b_y, eta_y) = x, y
    unit = np.broadcast_to(np.eye(6), u_x.shape)
    upper = np.concatenate([t(u_x) @ z_y, unit], axis=-1)
    whole = _triangular(np.concatenate([upper, np.concatenate([z_y, 0 * z_y], axis=-1)], axis=-2))
    s, rest = whole[:, :6, :6], whole[:, 6:, 6:]
    c, j = _products(u_x, z_y)
    lu = decomposed(np.eye(6) + c @ j)
    k = solved(lu, (b_x - by(c, eta_y))[..., None])[..., 0]
    return (
        a_y @ solved(lu, a_x),
        _triangular(np.concatenate([a_y @ t(np.linalg.solve(s, t(u_x))), u_y], axis=-1)),
        _triangular(np.concatenate([t(a_x) @ rest, z_x], axis=-1)),
        by(a_y, k) + b_y,
        eta_x + by(t(a_x), by(j, k) + eta_y),
    )


def _products(*factors: Numbers) -> list[Numbers]:
    return [x @ t(x) for x in factors]


def roots(of: Links, _: Problem) -> Numbers:
    """C and J by their factors; H/sqrt(D), and X'G (1 - g g'/g'g) with I = G G' and g = G'H, of a link."""
    a, _, _, b, eta = two_ports(of)
    factor = np.linalg.cholesky(of.inertia)
    g = by(t(factor), of.axis)
    size = (g * g).sum(axis=-1)[:, None]
    u = np.zeros_like(of.inertia)
    u[:, :, 0] = of.axis / np.sqrt(size)
    z = t(of.transform) @ (factor - by(factor, g)[:, :, None] * (g / size)[:, None, :])
    both = scans((a, u, z, b, eta), _roots_star)
    inner, outer = ((a, *reversed(_products(u, z)), b, eta) for a, u, z, b, eta in both)
    return accelerations(of, inner, outer, FREE)


def _rates(of: Links, before: Numbers, wrench: Numbers) -> Numbers:
    """qdd from a_i and f_{i+1} at each cut."""
    a, f = np.concatenate([FREE[None], before]), np.concatenate([wrench, FREE[None]])
    felt = by(of.inertia, by(of.transform, a)) + of.load + f
    return np.asarray((of.tau - (of.axis * felt).sum(axis=-1)) / (of.axis * by(of.inertia, of.axis)).sum(-1))


# ------------------------------------------------------------------- the outermost joint a port
#
#     f_l = J a_l + A' f_r + eta - w q      a_r = A a_l - C f_r + b + H q      D q = w'a_l - H'f_r + r


def _junction(x: Span, y: Span) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """a and f between two spans, q of x, each by (a_l, f_r, q of y, 1) in 14 columns; and w'a of y."""
    (a_x, _, c_x, b_x, _, h_x, d_x, w_x, r_x), (a_y, j_y, _, _, eta_y, _, _, w_y, _) = x, y
    none, column = np.zeros_like(a_x), np.zeros_like(b_x)[..., None]
    phi = np.concatenate([none, t(a_y), -w_y[..., None], eta_y[..., None]], axis=-1)
    lu = decomposed(np.eye(6) + c_x @ j_y)
    free = np.concatenate([a_x, none, column, b_x[..., None]], axis=-1)
    g, h = solved(lu, free - c_x @ phi), solved(lu, h_x[..., None])
    row = h_x[:, None, :]
    known = np.concatenate([w_x, np.zeros_like(w_x), 0 * r_x[:, None], r_x[:, None]], axis=-1)[:, None, :]
    q = (known - row @ (j_y @ g + phi)) / (d_x[:, None, None] + row @ j_y @ h)
    a = g + h @ q
    return a, j_y @ a + phi, q, w_y[:, None, :] @ a


def _joints_star(x: Span, y: Span) -> Span:
    (a_x, j_x, _, _, eta_x, _, _, w_x, _), (a_y, _, c_y, b_y, _, h_y, d_y, _, r_y) = x, y
    a, f, q, felt = _junction(x, y)
    left, right = t(a_x) @ f - w_x[..., None] * q, a_y @ a
    return (
        right[..., :6],
        j_x + (left[..., :6] + t(left[..., :6])) / 2,
        c_y - (right[..., 6:12] + t(right[..., 6:12])) / 2,
        right[..., 13] + b_y,
        left[..., 13] + eta_x,
        h_y + right[..., 12],
        d_y - felt[:, 0, 12],
        felt[:, 0, :6],
        r_y + felt[:, 0, 13],
    )


def joints(of: Links, _: Problem) -> Numbers:
    """With the outermost joint as a third port: 104 words in place of 90."""
    x, s, inertia = of.transform, of.axis, of.inertia
    borne = by(inertia, s)
    d, r = (s * borne).sum(axis=-1), of.tau - (s * of.load).sum(axis=-1)
    eta, w = by(t(x), of.load), -by(t(x), borne)
    inner, outer = scans((x, t(x) @ inertia @ x, 0 * x, of.swerve, eta, s, d, w, r), _joints_star)
    a, j, c, b, eta, h, d, w, r = [part[1:] for part in outer]
    plain = (0 * a, j - w[..., None] * (w / d[:, None])[:, None, :], 0 * c, 0 * b, eta - w * (r / d)[:, None])
    _, _, q, _ = _junction([part[:-1] for part in inner], (*plain, 0 * h, d, 0 * w, r))
    return np.append(q[:, 0, 13], inner[8][-1] / inner[6][-1])


# ---------------------------------------------------------------------------------- waves


def _waves_star(x: Span, y: Span) -> Span:
    """Redheffer's product of scattering matrices (s11, s12, s21, s22) with sources (p, q)."""
    (x11, x12, x21, x22, x_p, x_q), (y11, y12, y21, y22, y_p, y_q) = x, y
    lu = decomposed(np.eye(6) - x22 @ y11)
    through, back = solved(lu, x21), solved(lu, x22 @ y12)
    source = solved(lu, (x_q + by(x22, y_p))[..., None])[..., 0]
    return (
        x11 + x12 @ y11 @ through,
        x12 @ (y12 + y11 @ back),
        y21 @ through,
        y22 + y21 @ back,
        x_p + by(x12, by(y11, source) + y_p),
        y_q + by(y21, source),
    )


def waves(of: Links, what: Problem) -> Numbers:
    """With f + Z a and f - Z a at the outer end of link i: Z_i has three times its loan and three times
    a mass on the diagonal, of those of links i-1..i+3 the second largest. Z of the last link is 0."""
    near = np.lib.stride_tricks.sliding_window_view(np.pad(what.chain.mass, (1, 3)), 5)
    mass = np.sort(near)[:, -2] * (np.arange(what.chain.n) < what.chain.n - 1)
    impedance = np.stack([program.loans(what.chain), mass], axis=1).repeat(3, axis=1)
    z = impedance[:, :, None] * np.eye(6)
    links = with_inertia(of, z)
    a, j, c, b, eta = two_ports(links)
    inside = np.concatenate([z[:1], z[:-1]])
    lu = decomposed(j + inside)
    still, moved, pushed = (solved(lu, y) for y in (np.eye(6) + 0 * j, t(a), eta[..., None]))
    own = [
        np.eye(6) - 2 * inside @ still,
        2 * inside @ moved,
        2 * z @ a @ still,
        np.eye(6) - 2 * z @ (c + a @ moved),
        2 * by(inside, pushed[..., 0]),
        2 * by(z, b - by(a, pushed[..., 0])),
    ]
    for k in (0, 1, 2):
        own[k][0] = 0.0  # the base does not move
    own[3][0], own[4][0], own[5][0] = np.eye(6) - 2 * z[0] @ c[0], 0.0, 2 * z[0] @ b[0]
    inner, outer = scans(own, _waves_star)
    s22, source, s11, p = inner[3][:-1], inner[5][:-1], outer[0][1:], outer[4][1:]
    out = solved(decomposed(np.eye(6) - s22 @ s11), (source + by(s22, p))[..., None])[..., 0]
    back = by(s11, out) + p
    return _rates(links, (out - back) / (2 * impedance[:-1]), back)


# ---------------------------------------------------------------- pairs of links, refinement


def pairs(of: Links, _: Problem) -> Numbers:
    """The middle link and the next as one element, made in 80 bits and rounded; inside it, two equations.
    A loan between the two keeps the digits of 80 bits, and is not in the element."""
    light, wide = len(of.tau) // 2, of.cast(np.longdouble)
    _, own = lent(wide, np.where(np.arange(len(of.tau)) == light, 1, np.longdouble(0)))
    both = star([x[light : light + 1] for x in own], [x[light + 1 : light + 2] for x in own])
    merged = [
        np.concatenate([x[:light], y, x[light + 2 :]]).astype(np.float64)
        for x, y in zip(own, both, strict=True)
    ]
    inner, outer = scans(merged)
    c, b, j, eta = inner[2][:-1], inner[3][:-1], outer[1][1:], outer[4][1:]
    before = solved(decomposed(np.eye(6) + c @ j), (b - by(c, eta))[..., None])[..., 0]
    a, f = np.concatenate([FREE[None], before]), np.concatenate([by(j, before) + eta, FREE[None]])
    places = [k for k in range(len(of.tau)) if k != light + 1]
    rate = np.zeros_like(of.tau)
    for place, a_l, f_r in zip(places, a, f, strict=True):
        members = [place, place + 1] if place == light else [place]
        rate[members] = _in_series(of, members, a_l, f_r)
    return rate


def _in_series(of: Links, members: list[int], a: Numbers, f: Numbers) -> Numbers:
    """qdd of links in a row, from the acceleration before and the wrench behind them."""

    def torques(rates: Numbers, base: Numbers, load: Numbers, end: Numbers, swerve: Numbers) -> Numbers:
        motions, wrench, out = [base], end, np.zeros(len(members))
        for k, i in enumerate(members):
            motions.append(of.transform[i] @ motions[-1] + swerve[i] + of.axis[i] * rates[k])
        for k, i in reversed(list(enumerate(members))):
            wrench = wrench + load[i] + of.inertia[i] @ (motions[k + 1] - swerve[i])
            out[k] = of.axis[i] @ wrench
            wrench = of.transform[i].T @ wrench
        return out

    none, unit = np.zeros_like(of.load), np.eye(len(members))
    matrix = np.stack([torques(x, FREE, none, FREE, none) for x in unit], axis=-1)
    start = torques(np.zeros(len(members)), a, of.load, f, of.swerve)
    return np.asarray(np.linalg.solve(matrix, of.tau[members] - start))


def refined(of: Links, what: Problem, steps: int) -> Numbers:
    """Star products without loans, corrected by those of the torques that Newton-Euler misses."""
    qdd = loans(of, what, 0.0)
    for _ in range(steps):
        motion = newton_euler.dynamics(what.chain, what.q, what.qd, qdd, what.gravity, FREE)
        rest = replace(of, swerve=0 * of.swerve, load=0 * of.load, tau=what.tau - motion.torque)
        qdd = qdd + accelerations(rest, *scans(two_ports(rest)), FREE)
    return qdd


# ------------------------------------------------------------------ what rounding does at a cut


@dataclass(frozen=True, eq=False)
class Cut:
    """Between two spans of a chain with a free tip: a = b - C f and f = J a + eta, in 80 bits."""

    c: Numbers
    b: Numbers
    j: Numbers
    eta: Numbers

    @classmethod
    def behind(cls, own: Span, link: int) -> Cut:
        """Behind this link."""
        inner, outer = scans(own)
        return cls(inner[2][link], inner[3][link], outer[1][link + 1], outer[4][link + 1])

    def k(self) -> Numbers:
        """(1 + C J)^-1."""
        unit = np.eye(6, dtype=self.c.dtype)
        return np.asarray(solved(decomposed(unit + self.c @ self.j), unit))

    def motion(self) -> Numbers:
        """a."""
        a: Numbers = self.k() @ (self.b - self.c @ self.eta)
        return a + self.k() @ (self.b - self.c @ (self.j @ a + self.eta) - a)

    def rounded(self) -> tuple[float, float]:
        """What rounding C, b, J and eta to double precision changes of a, and its bound, both relative to a.

        With a^ and f^ of the rounded ones, a^ - a = K (db - dC f^) - K C (dJ a^ + deta), exactly.
        """
        near = Cut(*(x.astype(np.float64).astype(x.dtype) for x in (self.c, self.b, self.j, self.eta)))
        a, moved = self.motion(), near.motion()
        pushed = abs(near.j @ moved + near.eta)
        k, kc = abs(self.k()), abs(self.k() @ self.c)
        bound = UNIT * (
            k @ (abs(self.b) + abs(self.c) @ pushed) + kc @ (abs(self.j) @ abs(moved) + abs(self.eta))
        )
        return norm(moved - a) / norm(a), norm(bound) / norm(a)

    def ambiguity(self) -> float:
        """How far a of two spans is apart, relative to it, whose C, rounded to double precision, is the same.

        C + d y y' is as good a compliance as C; y is angular and normal to what C is largest along. No
        algorithm that has the rounded numbers can tell the two.
        """
        h = self.c[:3, int(np.argmax(np.diag(self.c)[:3]))].astype(np.float64)
        return max(self._apart(np.append(y, np.zeros(3))) for y in np.linalg.svd(h[None])[2][1:])

    def _apart(self, y: Numbers) -> float:
        d, square = np.max(abs(self.c)) * UNIT, np.outer(y, y)
        while not np.array_equal((self.c + d * square).astype(np.float64), self.c.astype(np.float64)):
            d = d / 2
        other = replace(self, c=self.c + d * square).motion()
        return norm(other - self.motion()) / norm(self.motion())
