"""`senn.simulate`: the motion of an arm, every acceleration a run of the program with its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl

from senn.algorithms import control, motion
from senn.algorithms.problems import states as of_states
from senn.algorithms.problems.problem import Problem
from senn.api import building
from senn.api.arguments import unwarned, with_choices
from senn.api.states import Placed, StateChoices
from senn.experiments.motion import folder as folders
from senn.experiments.motion import torques
from senn.traces.digest import digest
from senn.traces.errors import InputError
from senn.traces.naming import counted
from senn.traces.tables import html_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from senn.algorithms.spatial import Numbers
    from senn.choices import Integrator
    from senn.experiments.motion.folder import Row
    from senn.experiments.motion.torques import Source, Torque

MOST_STEPS = 10**7
_ATTRIBUTES = ("time", "q", "qd", "tau", "qdd", "force", "next_tau", "commanded", "force_error", "tip_error")
"""Columns of `states` that a motion, or one under control, has as arrays."""
_ROUNDING = 1e-9
"""Part of the largest contact force, or of a velocity, below which a component or a change has no meaning."""
_IMPACT = 0.01
"""Part of the velocity at the start that a contact may change unasked: more than digits of a file lose."""


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion: a row for every time, and a certificate for every evaluation that was judged."""

    problem: Problem
    """The arm at the start, with its contact as it is held in the world."""
    description: Mapping[str, Any]
    states: pl.DataFrame
    """time (s), q, qd, tau, qdd, force (6,) BY the end effector ON the environment, normal_force (N; null but
    for a plane or face), kinetic and potential energy (J), and as drift of the contact the largest errors of
    its pose (m, rad; null where the constraint has no integral) and of its velocity."""
    certificates: pl.DataFrame
    """evaluation (from 0), time, ok, the digits of the worst figure, and why one fails.
    """
    folder: Path | None = None  # Where it is kept

    def __getattr__(self, name: str) -> NDArray[np.float64]:
        if name not in _ATTRIBUTES:
            raise AttributeError(f"Motion has no attribute {name!r}")
        if name not in self.states:
            raise AttributeError(f"this motion has no {name}; senn.control makes one that has")
        numbers: NDArray[np.float64] = self.states[name].to_numpy()
        return numbers

    @property
    def ok(self) -> bool:
        """Whether every certificate holds."""
        return bool(self.certificates["ok"].all())

    @property
    def energy(self) -> NDArray[np.float64]:
        """(times,) J, kinetic and potential."""
        return np.asarray((self.states["kinetic"] + self.states["potential"]).to_numpy())

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Figures of the motion; `real_time_factor` is the step over the time that its evaluations take."""
        record, energy = self.description, self.energy
        needed = record["evaluations_per_step"] * record["makespan"] / (record["clock_mhz"] * 1e6)
        force = np.linalg.norm(self.force[:, 3:], axis=1)
        return {
            "time": float(self.time[-1]),
            "steps": len(self.states) - 1,
            "evaluations_per_step": record["evaluations_per_step"],
            "makespan": record["makespan"],
            "seconds_per_step": needed,
            "impact": record["impact"],
            "real_time_factor": record["step"] / needed,
            "energy": [float(energy[0]), float(energy[-1])],
            "largest_force": float(force.max()),
            "time_of_largest_force": float(self.time[force.argmax()]),
            "pulls_from": self._pulls_from(),
            "drift_pose": self.states["drift_pose"].max(),
            "drift_velocity": self.states["drift_velocity"].max(),
            "judged": len(self.certificates),
            "failed": int((~self.certificates["ok"]).sum()),
            "least_digits": self.certificates["digits"].min(),
            **(self._control() if record.get("control") else {}),
        }

    def _control(self) -> dict[str, float]:
        """Figures of a loop: its delay (s), and errors of the tip (m) and of its force (N)."""
        record = self.description["control"]
        gains = control.Gains(2 * np.pi * record["bandwidth"], record["damping"], record["integral"])
        off, error = np.linalg.norm(self.tip_error[:, 3:], axis=1), np.abs(self.force_error).max(axis=1)
        times = self.description["step"], record["delay"]
        return {
            "delay": record["delay"],
            "spectral_radius": control.spectral_radius(gains, *times),
            "force_radius": control.force_radius(gains, *times),
            "tracking_error": float(off.max()),
            "last_tracking_error": float(off[-1]),
            "force_error": float(error.max()),
            "last_force_error": float(error[-1]),
            "largest_torque": float(np.abs(self.next_tau).max()),
        }

    def _pulls_from(self) -> float | None:
        """First time at which the force along the normal has the other sign than at the start."""
        normal = self.states["normal_force"].fill_null(0.0).to_numpy()
        counting = np.abs(normal) > _ROUNDING * np.abs(self.force).max()
        changed = np.flatnonzero(normal[counting] * normal[counting][:1] < 0)
        return float(self.time[counting][changed[0]]) if changed.size else None

    def __repr__(self) -> str:
        """Arm, time, steps and real-time factor in one line."""
        facts = dict(self.facts())
        return f"Motion({facts['motion']}; real-time factor {facts['real-time factor']})"

    def _repr_html_(self) -> str:
        """HTML for a notebook: the facts that every computer prints alike."""
        return html_table(self.facts(rounding=False), texts=2)

    def facts(self, rounding: bool = True) -> Iterator[tuple[str, str]]:
        """Name and text of each figure of the summary; with `rounding` also figures of rounding alone."""
        figures, record = self.summary, self.description
        until = f"{figures['time']:g} of {record['until']:g} s" if figures["time"] < record["until"] else ""
        span = until or f"{record['until']:g} s"
        steps = f"in {counted(figures['steps'], 'step')} of {record['step']:g} s"
        yield "motion", f"{record['problem']['name']}: {span} {steps}, {record['integrator']}"
        cycles = f"{figures['makespan']:,} cycles, {figures['makespan'] / record['clock_mhz'] / 1e3:.3g} ms"
        clock = f"{record['machine']['name']} at {record['clock_mhz']:g} MHz"
        yield "machine", f"{clock}, {record['algorithm']}: {cycles} for a run of the program"
        needed = f"{1e3 * figures['seconds_per_step']:.3g} ms"
        runs = figures["evaluations_per_step"]
        take = f"{counted(runs, 'run')} for a step take{'s' if runs == 1 else ''} {needed}"
        yield "real-time factor", f"{figures['real_time_factor']:.3g}: {take}"
        if (hit := figures["impact"]) is not None:
            energies = "kinetic energy {:.6g} J before, {:.6g} J after".format(*hit["kinetic"])
            change = np.abs(np.subtract(hit["after"], hit["before"])).max()
            yield "impact", f"at the start, qd changes by at most {change:.2g} rad/s or m/s: {energies}"
        yield "energy", "{:.6g} J at the start, {:.6g} J at the end".format(*figures["energy"])
        yield "force", f"at most {figures['largest_force']:.4g} N, at {figures['time_of_largest_force']:g} s"
        if figures["pulls_from"] is not None:
            sign = "the force along its normal has changed sign"
            yield "contact", f"at t = {figures['pulls_from']:g} s the contact pulls: {sign}"
        contact = self.problem.contact
        if figures["drift_velocity"] is None and contact.constrained and not contact.law:
            yield "drift", "the contact is not stabilised: its G_C is not the derivative of W'V"
        if rounding and figures["drift_velocity"] is not None:
            pose = figures["drift_pose"]
            size = "the constraint has no integral" if pose is None else f"pose {pose:.1e} m or rad"
            yield "drift", f"{size}, velocity {figures['drift_velocity']:.1e} m/s or rad/s"
        if "delay" in figures:
            tip, force = figures["spectral_radius"], figures["force_radius"]
            grows = self.description["control"]["integral"] > 0 and force >= 1
            stable = "unstable" if tip >= 1 or grows else "stable"
            radius = f"{stable}: spectral radius {tip:.3g} a sample{f', of the force {force:.3g}' * grows}"
            yield "loop", f"{radius}; torques act {1e3 * figures['delay']:.3g} ms after it"
            off = (1e3 * figures[name] for name in ("tracking_error", "last_tracking_error"))
            yield "tracking error", "at most {:.3g} mm, {:.3g} mm at the end".format(*off)
            error = figures["force_error"], figures["last_force_error"]
            yield "force error", "at most {:.3g} N, {:.3g} N at the end".format(*error)
            yield "torques", f"at most {figures['largest_torque']:.4g} N m or N"
        judged, failed = figures["judged"], figures["failed"]
        verdict = f"{failed} fail" if failed else "all hold"
        digits = figures["least_digits"]
        most = f", with {digits} digits or more" if rounding and digits is not None else ""
        yield "certificates", f"{judged} of the runs, {verdict}{most}"


@with_choices(StateChoices)
@unwarned
def simulate(
    problem: str | PathLike[str] | Problem = "ssrms",
    *,
    until: float,
    step: float = 0.01,
    integrator: Integrator = "rk4",
    torque: Torque = None,
    judge: int = 100,
    project: bool = True,
    impact: bool = False,
    folder: str | PathLike[str] | bool = False,
    force: bool = False,
    progress: Callable[[int, int], None] = lambda done, steps: None,
    **options: Unpack[StateChoices],
) -> Motion:
    """Integrate the forward dynamics from the state of a problem, `until` a time (s) in steps of `step` (s).

    Every evaluation is a run of the program with its numbers, placed and timed once, as durations never
    depend on numbers. `torque` is constant (one number or (degrees,)), a table (rows, 1 + degrees) with the
    time first, straight between rows, a function of (time, q, qd), or a text: numbers, a CSV file, or
    FILE.py:FUNCTION; by default that of the problem. Every `judge`-th evaluation has a certificate, and the
    last one; 0: the last alone.

    A contact in a word keeps its place and direction in the world, other contacts are fixed as they say.
    With `project`, each step ends with corrections of pose and velocity, computed by the same program, where
    the contact leaves its acceleration to the state. The motion begins with the impact that takes away the
    velocity that the contact forbids, `summary["impact"]`; where it changes the velocity by more than 1 %,
    it is refused without `impact`.

    In a `folder`, if True in runs/motion-PROBLEM-HASH, the motion is kept as it grows, and an interrupted one
    goes on in the same call, also to a later `until`; another motion there is replaced with `force` only.
    `progress(done, steps)` is called for each step. InputError names time and quantity where the motion
    diverges.

    >>> import senn
    >>> motion = senn.simulate("ur5_free", until=0.02)
    >>> motion.q.shape, motion.ok
    ((3, 6), True)
    """
    steps = _steps(until, step)
    if integrator not in motion.INTEGRATORS:
        raise InputError(f'integrator "{integrator}" is not one of {", ".join(motion.INTEGRATORS)}')
    arm = Placed(problem, options)
    if arm.algorithm.question != "forward dynamics":
        raise InputError(
            f"the algorithm {arm.algorithm.name} computes {arm.algorithm.question}; a motion needs forward "
            "dynamics"
        )
    start = motion.frozen(arm.problem)
    source = torques.source(torque, start, until)
    simulation = Simulation(arm, start, source, motion.INTEGRATORS[integrator], step, steps, judge, project)
    choices = {"until": until, "step": step, "integrator": integrator, "project": project}
    return conducted(simulation, choices, impact, folder, force, progress)


def conducted(
    simulation: Simulation,
    choices: Mapping[str, Any],
    impact: bool,
    folder: str | PathLike[str] | bool,
    force: bool,
    progress: Callable[[int, int], None],
) -> Motion:
    """The motion of a simulation, kept in its folder as it grows; `choices` are what makes it this one."""
    arm, start, source = simulation.arm, simulation.start, simulation.source
    choices = {
        "problem": building.problem_entry(start),
        "algorithm": arm.algorithm.name,
        **{name: arm.timing.description[name] for name in ("program", "allocation", "schedule", "machine")},
        **choices,
        "judge": simulation.judge,
        "torque": source.name,
    }

    def inputs(until: float) -> str:
        return digest([{**choices, "until": until}, source.content])

    description = choices | {
        "inputs": inputs(choices["until"]),
        "makespan": int(arm.timing.summary["makespan"]),
        "clock_mhz": float(arm.machine.clock_mhz),
        "evaluations_per_step": simulation.per_step,
        "impact": simulation.begin(impact),
        "versions": building.versions(),
    }
    usual = building.folder_named(f"motion-{start.name}", description["inputs"])
    place = usual if folder is True else Path(folder) if folder else None
    with folders.opened(place, force, description, start, inputs) as kept:
        for done in simulation.run(kept.rows, kept.judged):
            progress(done, simulation.steps)
            kept.write(seldom=True)
    return Motion(start, description, *kept.tables(), place)


def read(folder: Path) -> Motion:
    """The motion of a folder, as far as it is there."""
    return Motion(*folders.read(folder), folder)


def _steps(until: float, step: float) -> int:
    for name, value in (("until", until), ("step", step)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < np.inf:
            raise InputError(f"{name} is {value!r}; it is a time in s, above 0")
    refuse_many(until, step)
    steps = max(round(until / step), 1)
    if abs(steps * step - until) > 1e-9 * until:
        raise InputError(f"until {until:g} s is no whole number of steps of {step:g} s; change one of them")
    return steps


def refuse_many(until: float, step: float) -> None:
    """InputError for a time of more steps than a motion may have."""
    if not until / step <= MOST_STEPS:
        raise InputError(
            f"{until:g} s in steps of {step:g} s are more than {MOST_STEPS:,} steps; take larger ones"
        )


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

    @property
    def advice(self) -> str:
        """Remedy when the motion diverges."""
        return "take smaller steps or torques"

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
        judged[:] = [
            row
            for row in judged
            if row["evaluation"] <= self.evaluation and self._is_judged(row["evaluation"])
        ]
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
            last = self.rows[-1]
            before = last["q"], last["qd"]
            chain = self.start.chain
            now = self.integrator.step(chain, self._qdd, last["time"], self.step, before, last["qdd"])
            q, qd = self._corrected(time, *now)
        state = self._loaded(time, q, qd)
        self.evaluation = number * self.integrator.evaluations
        return self._row(time, state, self._evaluated(time, state))

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

    def _row(self, time: float, state: Problem, answers: Mapping[str, Any]) -> Row:
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

    def _refuse_infinite(self, **quantities: Numbers) -> None:
        for name, numbers in quantities.items():
            if (bad := np.flatnonzero(~np.isfinite(numbers))).size:
                labels = of_states.labels(self.start.chain)
                joint = f" of {labels[bad[0]]}" if len(labels) == len(numbers) else ""
                raise InputError(f"the motion diverges: {name}{joint} is {numbers[bad[0]]}; {self.advice}")
