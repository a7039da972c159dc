"""The program in the control loop of an arm whose tip presses on something and moves.

At t_k the controller reads the state; a run of the program gives Lambda^-1 and the acceleration of the free
tip; the torques that follow act from t_k + delay on, the delay being the makespan, until the next ones do.
The arm itself moves by a serial solver.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from experiments.robot import control_law as law
from senn.algorithms import motion
from senn.algorithms.problems.problem import Problem, Solution
from senn.algorithms.references import articulated
from senn.algorithms.spatial import Numbers
from senn.api.states import Placed
from senn.base.errors import InputError

_LONGEST = 0.02
"""Seconds of a step of the integrator."""
_AFTER = 1.0
"""Seconds from the end of the move to the push."""


@dataclass(frozen=True)
class Wanted:
    """The loop: sample period and end (s), bandwidth (Hz) and damping of the error of the tip.

    The tip is to `move` (m) along a free direction of the contact in a quintic of `rise` (s; 0: a step), and
    to `press` (N). The share `integral` of an error of the force is added at each sample. One second after
    the move a `push` (N) along it begins.
    """

    sample: float = 0.01
    until: float = 4.0
    bandwidth: float = 1.0
    damping: float = 1.0
    move: float = 0.2
    rise: float = 2.0
    press: float = 20.0
    integral: float = 0.25
    push: float = 50.0


@dataclass(frozen=True, eq=False)
class Controlled:
    """The arm under control, a row of each array for every sample.

    `tau` (N m or N) is what acts just before a sample, `next_tau` follows from its state. `commanded` and
    `force_error` (N) are along the constrained directions, `tip_error` (6,) is in the free ones, angular
    first, in end-effector axes.
    """

    problem: Problem
    period: float
    delay: float
    gains: law.Gains
    ok: bool
    """Whether every certificate holds."""
    time: Numbers
    q: Numbers
    qd: Numbers
    tau: Numbers
    next_tau: Numbers
    commanded: Numbers
    force_error: Numbers
    tip_error: Numbers

    @property
    def spectral_radius(self) -> float:
        """Factor of an error of the tip, a sample."""
        return law.spectral_radius(self.gains, self.period, self.delay)


def control(
    problem: str | Problem = "ssrms", wanted: Wanted = Wanted(), *, judge: int = 100, **options: Any
) -> Controlled:
    """Hold and move the tip of an arm in contact by operational-space control, the program in the loop.

    Every `wanted.sample`, or as often as the machine can, is a run of the program. Every `judge`-th run has a
    certificate, and the last one; 0: the last alone. `options` are those of `senn.run`.

    >>> controlled = control(wanted=Wanted(until=0.1), contact="plane")
    >>> controlled.ok, controlled.spectral_radius < 1
    (True, True)
    """
    arm = Placed(problem, options)  # type: ignore[arg-type]
    delay = int(arm.timing.summary["makespan"]) / (float(arm.machine.clock_mhz) * 1e6)
    loop = _Loop(arm, wanted, max(wanted.sample, delay), delay)
    samples = int(wanted.until / loop.period * (1 + 1e-9)) + 1  # the last one is not after the end
    judged, rows = [], list[dict[str, Any]]()
    with np.errstate(all="ignore"):
        for number in range(samples):
            rows.append(loop.row(number, rows))
            if number == samples - 1 or (judge and number % judge == 0):
                judged.append(arm.certified(loop.state, loop.answers).ok)
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return Controlled(loop.start, loop.period, delay, loop.gains, all(judged), **columns)


class _Loop:
    """Samples of the arm under control, one after the other."""

    def __init__(self, arm: Placed, wanted: Wanted, period: float, delay: float) -> None:
        self.arm, self.wanted, self.period, self.delay = arm, wanted, period, delay
        self.start = motion.frozen(arm.problem)
        self.gains = law.Gains(2 * np.pi * wanted.bandwidth, wanted.damping, wanted.integral)
        way = law.free_way(self.start)
        self.way, self.push = wanted.move * way, wanted.push * way
        self.tip = motion.tip(self.start)
        W = self.start.contact.W
        self.desired = wanted.press * (np.arange(W.shape[1]) == np.linalg.norm(W[3:], axis=0).argmax())

    def row(self, number: int, rows: list[dict[str, Any]]) -> dict[str, Any]:
        """The state at a sample, and the torques that follow from it."""
        time, last = number * self.period, rows[-1] if rows else None
        q, qd, command = self.start.q, self.start.qd, self.desired
        if last is not None:
            q, qd, command = self._held(number - 1, last, rows[max(number - 2, 0)]["next_tau"])
        q, qd = self._corrected(time, q, qd, at_start=last is None)
        self.state = law.unpressed(self._at(q, qd), self.gains)
        (self.answers,) = self.arm.answers([self.state])
        if last is None:
            tau = self._torque(time, command)
        else:
            tau = last["next_tau"] if self.delay < self.period else rows[max(number - 2, 0)]["next_tau"]
        error = law.pressed(self.start.contact, self._arm(number - 1, q, qd, tau).force) - self.desired
        command = command - self.gains.integral * error * (number > 0)
        return {
            "time": time,
            "q": q,
            "qd": qd,
            "tau": tau,
            "next_tau": self._torque(time, command),
            "commanded": command,
            "force_error": error,
            "tip_error": law.errors(self.state, self._aim(time))[0],
        }

    def _at(self, q: Numbers, qd: Numbers) -> Problem:
        if not (np.isfinite(q).all() and np.isfinite(qd).all()):
            radius = law.spectral_radius(self.gains, self.period, self.delay)
            force = law.force_radius(self.gains, self.period, self.delay)
            raise InputError(
                f"the motion diverges: the spectral radius of the loop is {radius:.3g} a sample, that of the "
                f"force {force:.3g}; take a lower bandwidth, a smaller integral or a faster machine"
            )
        return replace(self.start, q=q, qd=qd)

    def _aim(self, time: float) -> law.Aim:
        return law.aim(self.tip, self.way, self.wanted.rise, time)

    def _torque(self, time: float, command: Numbers) -> Numbers:
        tip = self.answers["lambda_inverse"], self.answers["acceleration0"]
        return law.torque(self.state, self._aim(time), command, self.gains, *tip)

    def _held(self, number: int, row: Mapping[str, Any], before: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """q and qd at the end of a sample period, and the force that was commanded in it."""
        chain, q, qd = self.start.chain, row["q"], row["qd"]
        for begin, end, tau in ((0.0, self.delay, before), (self.delay, self.period, row["next_tau"])):
            count = int(np.ceil((end - begin) / _LONGEST))

            def qdd(time: float, q: Numbers, qd: Numbers, tau: Numbers = tau) -> Numbers:
                return self._arm(number, q, qd, tau).qdd

            for k in range(count):
                time, step = row["time"] + begin + k * (end - begin) / count, (end - begin) / count
                q, qd = motion.runge_kutta(chain, qdd, time, step, (q, qd), qdd(time, q, qd))
        return q, qd, row["commanded"]

    def _arm(self, number: int, q: Numbers, qd: Numbers, tau: Numbers) -> Solution:
        """Answer of the arm to torques, in the sample period of this number."""
        state = self._at(q, qd)
        if number * self.period >= self.wanted.rise + _AFTER:
            wrench = np.concatenate([np.zeros(3), motion.tip(state).axes.T @ self.push])
            tau = tau + law.at_joints(state.chain, state.q, wrench)
        return articulated.solve(replace(state, tau=tau))

    def _corrected(self, time: float, q: Numbers, qd: Numbers, *, at_start: bool) -> motion.State:
        """The state without the errors of pose and velocity that the contact forbids."""
        way, speed = motion.prescribed(self.start, time)
        state = self._at(q, qd)
        pose = None if at_start else motion.pose_error(state, self.tip)
        if pose is not None:
            change = articulated.solve(motion.correction(state, pose - way)).qdd
            q = motion.moved(state.chain, q, motion.rates(state.chain, q, change))
            state = replace(state, q=q)
        error = motion.speed_error(state) - speed
        return q, qd + articulated.solve(motion.correction(state, error)).qdd
