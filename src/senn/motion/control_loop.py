"""`senn.control`: the program in the control loop of an arm whose tip presses on something and moves.

At t_k the controller reads the state; a run of the program gives Lambda^-1 and the acceleration of the free
tip; the torques that follow act from t_k + delay on, the delay being the makespan, until the next ones do.
The arm itself moves by a serial solver.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from senn.algorithms import control as loop
from senn.algorithms import motion
from senn.algorithms.references import articulated
from senn.api.arguments import unwarned, with_choices
from senn.api.states import Placed, StateChoices
from senn.base.errors import InputError
from senn.motion import torques
from senn.motion.conduct import Motion, conducted, refuse_many
from senn.motion.simulation import Simulation

if TYPE_CHECKING:
    from senn.algorithms.problems.problem import Problem, Solution
    from senn.algorithms.spatial import Numbers
    from senn.motion.folder import Row

_LONGEST = 0.02
"""Seconds of a step of the integrator."""
_AFTER = 1.0
"""Seconds from the end of the move to the push."""
_ABOVE_0, _LEAST_0 = ("sample", "until", "bandwidth", "damping"), ("rise", "integral")


@with_choices(StateChoices)
@unwarned
def control(
    problem: str | PathLike[str] | Problem = "ssrms",
    *,
    sample: float = 0.01,
    until: float = 4.0,
    bandwidth: float = 1.0,
    damping: float = 1.0,
    move: float = 0.2,
    rise: float = 2.0,
    press: float = 20.0,
    integral: float = 0.25,
    push: float = 50.0,
    judge: int = 100,
    impact: bool = False,
    folder: str | PathLike[str] | bool = False,
    force: bool = False,
    progress: Callable[[int, int], None] = lambda done, steps: None,
    **options: Unpack[StateChoices],
) -> Motion:
    """Hold and move the tip of an arm in contact by operational-space control, the program in the loop.

    Every `sample` (s), or as often as the machine can, a run of the program gives Lambda^-1 and the
    acceleration of the free tip at the state; the torques that follow from them act when the makespan is
    over, until the next ones do. The tip is to `move` (m) along a free direction of the contact in a quintic
    of `rise` (s; 0: a step), and to `press` (N). `bandwidth` (Hz) and `damping` are those of its error,
    `integral` is the share of an error of the force that is added at each sample. One second after the move a
    `push` (N) along it begins. `impact` is that of `senn.simulate`.

    The result is a motion as of `senn.simulate`, a row for every sample, with `next_tau`, the torques that
    follow from the state, the force `commanded` in the constrained directions, `force_error` there, and
    `tip_error` (6,) in the free ones, angular first, in end-effector axes. `tau` is what acts just before.

    >>> import senn
    >>> motion = senn.control("ssrms", contact="plane", until=0.1)
    >>> motion.ok, motion.summary["spectral_radius"] < 1
    (True, True)
    """
    names = ("sample", "until", "bandwidth", "damping", "move", "rise", "press", "integral", "push")
    values = (sample, until, bandwidth, damping, move, rise, press, integral, push)
    figures: dict[str, Any] = dict(zip(names, values, strict=True))
    for name, value in figures.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and np.isfinite(value)
        if not is_number or (name in _ABOVE_0 and value <= 0) or (name in _LEAST_0 and value < 0):
            bound = ", above 0" if name in _ABOVE_0 else ", 0 or more" if name in _LEAST_0 else ""
            raise InputError(f"{name} is {value!r}; it is a finite number{bound}")
    arm = Placed(problem, options)
    start = motion.frozen(arm.problem)
    delay = int(arm.timing.summary["makespan"]) / (float(arm.machine.clock_mhz) * 1e6)
    period = max(float(sample), delay)
    refuse_many(until, min(period, _LONGEST))
    steps = int(until / period * (1 + 1e-9))  # the last sample is not after the end
    if not steps:
        raise InputError(f"until is {until:g} s, which a sample period of {period:.3g} s exceeds; change it")
    source = torques.Source("of the control loop", lambda time, q, qd: start.tau, None)
    once = replace(motion.INTEGRATORS["rk4"], evaluations=1)
    simulation = Loop(arm, start, source, once, period, steps, judge, True, figures, delay)
    loops = {name: value for name, value in figures.items() if name != "until"} | {"delay": delay}
    choices = {"until": steps * period, "step": period, "integrator": "rk4", "project": True}
    return conducted(simulation, {**choices, "control": loops}, impact, folder, force, progress)


@dataclass
class Loop(Simulation):
    """Rows of a motion under control, a run of the program for each."""

    figures: Mapping[str, Any]
    delay: float

    def __post_init__(self) -> None:
        super().__post_init__()
        f = self.figures
        self.gains = loop.Gains(2 * np.pi * f["bandwidth"], f["damping"], f["integral"])
        answers = self.arm.answers([self.start])[0]
        for name in ("lambda_inverse", "acceleration0"):
            if name not in answers:
                algorithm = self.arm.algorithm.name
                raise InputError(
                    f"the algorithm {algorithm} gives no {name}, which control needs; closed-chain does"
                )
        way = loop.free_way(self.start)
        self.way = f["move"] * way
        self.push = f["push"] * way
        W = self.start.contact.W
        pressing = np.arange(W.shape[1]) == np.linalg.norm(W[3:], axis=0).argmax()
        self.desired = f["press"] * pressing

    @property
    def per_step(self) -> int:
        """Runs of the program in a sample."""
        return 1

    @property
    def advice(self) -> str:
        """Remedy when the motion diverges."""
        radius = loop.spectral_radius(self.gains, self.step, self.delay)
        force = loop.force_radius(self.gains, self.step, self.delay)
        if radius >= 1:
            return f"the loop has spectral radius {radius:.3g}; take a lower bandwidth or a faster machine"
        if self.gains.integral and force >= 1:
            return f"an error of the force grows {force:.3g} times each sample; take a smaller integral"
        return "the loop is stable; take a smaller move, press or push"

    def _next(self, number: int, time: float) -> Row:
        """The state at a sample, and the torques that follow from it."""
        q, qd, command = self.start.q, self.qd, self.desired
        if number:
            q, qd, command = self._held(number - 1)
            q, qd = self._corrected(time, q, qd)
        unpressed = loop.unpressed(self._state(time, q, qd), self.gains)
        self.evaluation = number
        answers = self._evaluated(time, unpressed)
        if not number:
            tau = self._torque(time, unpressed, answers, command)
        else:
            tau = self.rows[-1]["next_tau"] if self.delay < self.step else self._before(number - 1)
        state = replace(unpressed, tau=tau)
        solution = self._arm(number - 1, time, q, qd, tau)
        error = loop.pressed(state.contact, solution.force) - self.desired
        command = command - self.gains.integral * error * (number > 0)
        return {
            **self._row(time, state, {"qdd": solution.qdd, "force": solution.force}),
            "next_tau": self._torque(time, unpressed, answers, command),
            "commanded": command,
            "force_error": error,
            "tip_error": loop.errors(state, self._aim(time))[0],
        }

    def _aim(self, time: float) -> loop.Aim:
        return loop.aim(self.tip, self.way, self.figures["rise"], time)

    def _torque(self, time: float, state: Problem, answers: Mapping[str, Any], command: Numbers) -> Numbers:
        tip = answers["lambda_inverse"], answers["acceleration0"]
        tau = loop.torque(state, self._aim(time), command, self.gains, *tip)
        self._refuse_infinite(tau=tau)
        return tau

    def _before(self, number: int) -> Numbers:
        """Torques that act at a sample, those of the sample before; the first act from the start."""
        return np.asarray(self.rows[max(number - 1, 0)]["next_tau"])

    def _held(self, number: int) -> tuple[Numbers, Numbers, Numbers]:
        """q and qd at the end of a sample period, and the force that was commanded in it."""
        row, chain = self.rows[number], self.start.chain
        q, qd = row["q"], row["qd"]
        parts = (0.0, self.delay, self._before(number)), (self.delay, self.step, row["next_tau"])
        for begin, end, tau in parts:
            count = int(np.ceil((end - begin) / _LONGEST))

            def qdd(time: float, q: Numbers, qd: Numbers, tau: Numbers = tau) -> Numbers:
                return self._arm(number, time, q, qd, tau).qdd

            for k in range(count):
                time, step = row["time"] + begin + k * (end - begin) / count, (end - begin) / count
                q, qd = motion.runge_kutta(chain, qdd, time, step, (q, qd), qdd(time, q, qd))
        return q, qd, row["commanded"]

    def _arm(self, number: int, time: float, q: Numbers, qd: Numbers, tau: Numbers) -> Solution:
        """Answer of the arm to torques, in the sample period of this number."""
        state = self._state(time, q, qd)
        if number * self.step >= self.figures["rise"] + _AFTER:
            wrench = np.concatenate([np.zeros(3), motion.tip(state).axes.T @ self.push])
            tau = tau + loop.at_joints(state.chain, state.q, wrench)
        return articulated.solve(replace(state, tau=tau))

    def _correction(self, state: Problem, error: Numbers) -> Numbers:
        return articulated.solve(motion.correction(state, error)).qdd
