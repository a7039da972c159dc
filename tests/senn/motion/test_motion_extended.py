"""`senn.simulate` beside motions of 80 bits: another formulation, another integrator, another arithmetic.

The formulation: Jacobians of all centres of mass in base axes, M = sum of J'mJ, and one dense system for
accelerations and multipliers. The integrator: midpoint rules of 2, 4, ... 16 substeps, extrapolated to none
(Gragg, Bulirsch and Stoer). Both in np.longdouble, with the contact's directions fixed in the world.
"""

from collections.abc import Callable

import numpy as np
import pytest

import senn
from senn.algorithms.problems.problem import Problem
from tests.oracles.extended import Numbers, orthogonal, solved

wide = np.longdouble
pytestmark = pytest.mark.skipif(
    np.finfo(wide).eps > 1e-18, reason="np.longdouble of this machine is no wider than double"
)
EPS = float(np.finfo(np.float64).eps)
DIRECTIONS: dict[str, Callable[[Numbers], Numbers]] = {
    "weld": lambda frame: np.eye(6),
    "point": lambda frame: np.eye(6)[3:],
    "line": lambda frame: np.hstack([np.zeros((2, 3)), frame[:, :2].T]),
    "plane": lambda frame: np.hstack([np.zeros((1, 3)), frame[:, 2:].T]),
    "face": lambda frame: np.hstack([np.vstack([np.zeros(3), frame[:, :2].T]), _below(frame)]),
    "free": lambda frame: np.zeros((0, 6)),
}
"""Rows of [omega; v] in base axes that are held, from the axes of the end effector at the start."""


def _below(frame: Numbers) -> Numbers:
    return np.vstack([frame[:, 2], np.zeros((2, 3))])


class Arm:
    """Links of revolute joints, at a configuration."""

    def __init__(self, problem: Problem) -> None:
        chain = problem.chain
        assert set(chain.joints) == {"revolute"}
        self.n, self.mass = chain.n, chain.mass.astype(wide)
        self.base = orthogonal(chain.base_rotation.astype(wide))
        self.turns = [orthogonal(turn.astype(wide)) for turn in chain.rotation]
        self.reach, self.centre = chain.position.astype(wide), chain.centre.astype(wide)
        self.inertia = chain.inertia.astype(wide)
        self.gravity, self.tau = problem.gravity.astype(wide), problem.tau.astype(wide)

    def frames(self, q: Numbers) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Axes of the joints (n, 3), origins (n+1, 3), axes of the links (n, 3, 3), centres (n, 3)."""
        R, p = self.base, np.zeros(3, dtype=wide)
        axes, origins, links, centres = [], [p], [], []
        for i in range(self.n):
            axes.append(R[:, 2])
            c, s, zero = np.cos(q[i]), np.sin(q[i]), wide(0)
            R = R @ np.array([[c, -s, zero], [s, c, zero], [zero, zero, wide(1)]]) @ self.turns[i]
            links.append(R)
            centres.append(p + R @ self.centre[i])
            p = p + R @ self.reach[i]
            origins.append(p)
        return np.array(axes), np.array(origins), np.array(links), np.array(centres)

    def qdd(self, q: Numbers, qd: Numbers, held: Numbers) -> Numbers:
        n, k = self.n, len(held)
        z, o, links, centres = self.frames(q)
        M, right = np.zeros((n, n), dtype=wide), self.tau.copy()
        omega, alpha = np.zeros(3, dtype=wide), np.zeros(3, dtype=wide)  # of qdd = 0
        a = np.zeros(3, dtype=wide)  # of O_i
        for i in range(n):
            alpha = alpha + np.cross(omega, z[i]) * qd[i]
            omega = omega + z[i] * qd[i]

            def carried(r: Numbers, omega: Numbers = omega, alpha: Numbers = alpha) -> Numbers:
                return np.cross(alpha, r) + np.cross(omega, np.cross(omega, r))

            turning = np.where(np.arange(n)[:, None] <= i, z, 0)
            linear = np.cross(turning, centres[i] - o[:-1])
            inertia = links[i] @ self.inertia[i] @ links[i].T
            M += self.mass[i] * (linear @ linear.T) + turning @ inertia @ turning.T
            force = self.mass[i] * (a + carried(centres[i] - o[i]) - self.gravity)
            right -= linear @ force + turning @ (inertia @ alpha + np.cross(omega, inertia @ omega))
            a = a + carried(o[i + 1] - o[i])
        J = held @ np.hstack([z, np.cross(z, o[-1] - o[:-1])]).T
        whole = np.block([[M, J.T], [J, np.zeros((k, k), dtype=wide)]])
        return solved(whole, np.concatenate([right, -held @ np.concatenate([alpha, a])])[:, None])[:n, 0]


def extrapolated(rate: Callable[[Numbers], Numbers], x: Numbers, step: wide) -> tuple[Numbers, float]:
    """x after a step, and how much the last midpoint rule changes it."""
    rows: list[Numbers] = []
    for k in range(1, 9):
        h = step / (2 * k)
        before, now = x, x + h * rate(x)
        for _ in range(2 * k - 1):
            before, now = now, before + 2 * h * rate(now)
        row = [(before + now + h * rate(now)) / 2]
        for j, finer in enumerate(rows[-1] if rows else [], 1):
            row.append(row[-1] + (row[-1] - finer) / ((wide(k) / (k - j)) ** 2 - 1))
        rows.append(row)
    return rows[-1][-1], float(np.abs(rows[-1][-1] - rows[-1][-2]).max())


MOTIONS = (
    ("ssrms", "weld", 20.0),
    ("ur5_free", "face", 1.0),
    ("random:9:seed=5", "free", 0.3),
)
MORE = (
    ("ssrms", "free", 20.0),
    ("ssrms", "plane", 20.0),
    ("ssrms", "point", 20.0),
    ("ur5_free", "free", 1.0),
    ("ur5_free", "line", 1.0),
    ("ur5_free", "plane", 1.0),
    ("random:9:seed=4", "weld", 0.3),
)


@pytest.mark.parametrize(
    ("name", "word", "speed"),
    [*MOTIONS, *(pytest.param(*motion, marks=pytest.mark.exhaustive) for motion in MORE)],
    ids=str,
)
def test_motion_is_that_of_80_bits(name, word, speed):
    """Of order 4: half a step is off by a fifteenth of what it changes, and that by a quarter at most.

    Rounding is what the accelerations are off by, for as long as the motion lasts.
    """
    arm = senn.problem(name, contact=word)
    arm = arm.at(qd=speed * arm.qd)
    until, step = 0.1, 0.02
    whole, half = (senn.simulate(arm, until=until, step=h, judge=0, impact=True) for h in (step, step / 2))
    exact = Arm(half.problem)
    held = DIRECTIONS[word](exact.frames(half.q[0].astype(wide))[2][-1])
    n = len(half.q[0])

    def rate(x: Numbers) -> Numbers:
        return np.concatenate([x[n:], exact.qdd(x[:n], x[n:], held)])

    states = np.hstack([half.q, half.qd]).astype(wide)
    x, unsure = states[0], 0.0
    for _ in range(5):
        x, change = extrapolated(rate, x, wide(until) / 5)
        unsure += change
    ends = [np.concatenate([motion.q[-1], motion.qd[-1]]) for motion in (whole, half)]
    truncation = float(np.abs(ends[1] - ends[0]).max()) / 15
    off = max(float(np.abs(qdd - rate(state)[n:]).max()) for state, qdd in zip(states, half.qdd, strict=True))
    assert off < 1e-9 * np.abs(half.qdd).max()
    rounding = off * until + 10 * len(half.time) * EPS * np.abs(ends[1]).max()
    assert unsure < EPS * np.abs(ends[1]).max()
    assert np.abs(ends[1] + (ends[1] - ends[0]) / 15 - x).max() < truncation / 4 + rounding
