"""The rows of a motion, one after the other: integration, contact and certificates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from senn.algorithms import motion
from senn.algorithms.problems import states as of_states
from senn.algorithms.problems.problem import Problem
from senn.base.errors import InputError

if TYPE_CHECKING:
    from senn.algorithms.spatial import Numbers
    from senn.api.states import Placed
    from senn.motion.folder import Row
    from senn.motion.torques import Source

_ROUNDING = 1e-9
"""Part of a velocity below which a change has no meaning."""
_IMPACT = 0.01
"""Part of the velocity at the start that a contact may change unasked: more than digits of a file lose."""


@dataclass
class Simulation:
    """Rows of a motion, one after the other."""

    arm: Placed
    start: Problem
    source: Source
    integrator: motion.Integrator
    step: float
    steps: int
    judge: int
    project: bool

    def __post_init__(self) -> None:
        if self.judge < 0:
            raise InputError(f"judge is {self.judge}; it is a whole number, 0 or more")
        is_kept = motion.is_kept(self.start)
        self.tip = motion.tip(self.start)
        self.kept = self.project and is_kept
        self.integral = is_kept and motion.pose_error(self.start, self.tip) is not None
        self.now = 0.0  # Time of the state that is computed with

    @property
    def per_step(self) -> int:
        """Runs of the program in a step."""
        return self.integrator.evaluations + self.kept * (1 + self.integral)

    def begin(self, allowed: bool) -> dict[str, Any] | None:
        """The impact that the motion begins with, None but for rounding; InputError unless it is allowed."""
        start = self.start
        with self._told():
            self.qd = self._corrected_speed(0.0, start)
        change = np.abs(self.qd - start.qd)
        if change.max() <= _ROUNDING * np.abs(start.qd).max():
            return None
        hit = motion.impact(start, self.qd)
        if hit["share"] > _IMPACT and not allowed:
            most, label = int(change.argmax()), of_states.labels(start.chain)[change.argmax()]
            raise InputError(
                f"{start.name}: the contact forbids the velocity at the start: an impact changes qd of "
                f"{label} from {start.qd[most]:.3g} to {self.qd[most]:.3g}, and the kinetic energy from "
                f"{hit['kinetic'][0]:.3g} to {hit['kinetic'][1]:.3g} J; change qd, or allow it with --impact"
            )
        return hit

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Errors with the time of the state that is computed with."""
        try:
            yield
        except InputError as error:
            raise InputError(f"at t = {self.now:g} s: {error}") from error
        except np.linalg.LinAlgError as error:
            raise InputError(f"at t = {self.now:g} s: cannot compute with the numbers: {error}") from error

    def run(self, rows: list[Row], judged: list[Row]) -> Iterator[int]:
        """Add the rows of states and certificates that are not there yet; the number of each."""
        self.rows, self.judged = rows, judged
        self.evaluation = max(len(rows) - 1, 0) * self.integrator.evaluations
        there = (row for row in judged if row["evaluation"] <= self.evaluation)
        judged[:] = [row for row in there if self._is_judged(row["evaluation"])]
        for number in range(len(rows), self.steps + 1):
            with self._told():
                rows.append(self._next(number, number * self.step))
            yield number

    def _is_judged(self, evaluation: int) -> bool:
        """Every `judge`-th evaluation, and that at the end; not that where an earlier `until` was the end."""
        is_last = evaluation == self.steps * self.integrator.evaluations
        return is_last or bool(self.judge and evaluation % self.judge == 0)

    def _next(self, number: int, time: float) -> Row:
        """The row of a time, after those before."""
        q, qd = self.start.q, self.qd
        if number:
            last, step = self.rows[-1], self.integrator.step
            before = last["q"], last["qd"]
            now = step(self.start.chain, self._qdd, last["time"], self.step, before, last["qdd"])
            q, qd = self._corrected(time, *now)
        state = self._loaded(time, q, qd)
        self.evaluation = number * self.integrator.evaluations
        answers = self._evaluated(time, state)
        kinetic, potential = motion.energy(state)
        pose, speed = self._drift(time, state) if motion.is_kept(state) else (None, None)
        force = np.asarray(answers.get("force", np.zeros(6)))
        return {
            "time": time,
            "q": state.q,
            "qd": state.qd,
            "tau": state.tau,
            "qdd": answers["qdd"],
            "force": force,
            "normal_force": motion.normal_force(state, force),
            "kinetic": kinetic,
            "potential": potential,
            "drift_pose": None if pose is None else float(np.abs(pose).max()),
            "drift_velocity": None if speed is None else float(np.abs(speed).max()),
        }

    def _qdd(self, time: float, q: Numbers, qd: Numbers) -> Numbers:
        self.evaluation += 1
        return np.asarray(self._evaluated(time, self._loaded(time, q, qd))["qdd"])

    def _state(self, time: float, q: Numbers, qd: Numbers) -> Problem:
        """The problem at a state."""
        self.now = time
        self._refuse_infinite(q=q, qd=qd)
        return replace(self.start, q=q, qd=qd)

    def _loaded(self, time: float, q: Numbers, qd: Numbers) -> Problem:
        """The problem at a state, with its torques."""
        state = self._state(time, q, qd)
        tau = self.source.at(time, state.q, state.qd)
        self._refuse_infinite(tau=tau)
        return replace(state, tau=tau)

    def _evaluated(self, time: float, state: Problem) -> Mapping[str, Any]:
        (answers,) = self.arm.answers([state])
        self._refuse_infinite(**{name: answers[name] for name in ("qdd", "force") if name in answers})
        if self._is_judged(self.evaluation):
            certificate = self.arm.certified(state, answers)
            part = {"digits": certificate.digits, "message": "" if certificate.ok else certificate.message}
            self.judged.append({"evaluation": self.evaluation, "time": time, "ok": certificate.ok, **part})
        return answers

    def _corrected(self, time: float, q: Numbers, qd: Numbers) -> motion.State:
        """The state without the errors of pose and velocity that the contact forbids."""
        if not self.kept:
            return q, qd
        state = self._state(time, q, qd)
        pose, _ = self._drift(time, state)
        if pose is not None:
            change = self._correction(state, pose)
            q = motion.moved(state.chain, state.q, motion.rates(state.chain, state.q, change))
            state = replace(state, q=q)
        return state.q, self._corrected_speed(time, state)

    def _corrected_speed(self, time: float, state: Problem) -> Numbers:
        """qd without the velocity that a kept contact forbids."""
        return state.qd + self._correction(state, self._drift(time, state)[1]) if self.kept else state.qd

    def _drift(self, time: float, state: Problem) -> tuple[Numbers | None, Numbers]:
        """Errors of the pose, None if it has no integral, and of the velocity of a kept contact."""
        way, speed = motion.prescribed(self.start, time)
        pose = motion.pose_error(state, self.tip)
        return None if pose is None else pose - way, motion.speed_error(state) - speed

    def _correction(self, state: Problem, error: Numbers) -> Numbers:
        (answers,) = self.arm.answers([motion.correction(state, error)])
        return np.asarray(answers["qdd"])

    def _refuse_infinite(self, **quantities: Numbers) -> None:
        for name, numbers in quantities.items():
            if (bad := np.flatnonzero(~np.isfinite(numbers))).size:
                labels = of_states.labels(self.start.chain)
                joint = f" of {labels[bad[0]]}" if len(labels) == len(numbers) else ""
                raise InputError(
                    f"the motion diverges: {name}{joint} is {numbers[bad[0]]}; take smaller steps or torques"
                )
