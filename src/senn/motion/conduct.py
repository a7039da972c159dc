"""`senn.simulate`: the motion of an arm, every acceleration a run of the program with its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl

from senn.algorithms import motion
from senn.algorithms.problems.problem import Problem
from senn.api import building
from senn.api.arguments import unwarned, with_choices
from senn.api.states import Placed
from senn.base.account import Section, html
from senn.base.digest import digest
from senn.base.errors import InputError
from senn.choices import StateChoices
from senn.motion import folder as folders
from senn.motion import torques
from senn.motion.simulation import Simulation
from senn.traces.naming import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from senn.choices import Integrator
    from senn.motion.torques import Torque

MOST_STEPS = 10**7
_ATTRIBUTES = ("time", "q", "qd", "tau", "qdd", "force")
"""Columns of `states` that a motion has as arrays."""
_ROUNDING = 1e-9
"""Part of the largest contact force below which the sign of a component has no meaning."""


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
    """evaluation (from 0), time, ok, the digits of the worst figure, and why one fails."""
    folder: Path | None = None  # Where it is kept

    def __getattr__(self, name: str) -> NDArray[np.float64]:
        if name not in _ATTRIBUTES:
            raise AttributeError(f"Motion has no attribute {name!r}")
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
        return html([Section(lines=tuple(self.facts(rounding=False)))])

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
    FILE.py:FUNCTION; the default is the torque of the problem. Every `judge`-th evaluation has a certificate,
    and the last one; 0: the last alone.

    A contact given as a word keeps its place and direction in the world; other contacts are fixed as their
    `fixed_in` says. With `project`, each step ends with corrections of pose and velocity, computed by the
    same program, unless the contact prescribes accelerations of its own. The motion begins with an impact,
    `summary["impact"]`, that removes velocities forbidden by the contact; if it changes the velocity by more
    than 1 %, the call is refused without `impact`.

    In a `folder`, if True in runs/motion-PROBLEM-HASH, the motion is kept as it grows, and an interrupted one
    goes on in the same call, also to a later `until`; another motion there is replaced with `force` only.
    `progress(done, steps)` is called for each step. InputError names time and quantity where the motion
    diverges.

    >>> import senn
    >>> motion = senn.simulate("ur5_free", until=0.02)
    >>> motion.q.shape, motion.ok
    ((3, 6), True)
    """
    for name, value in (("until", until), ("step", step)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < np.inf:
            raise InputError(f"{name} is {value!r}; it is a time in s, above 0")
    if not until / step <= MOST_STEPS:
        raise InputError(
            f"{until:g} s in steps of {step:g} s are more than {MOST_STEPS:,} steps; take larger ones"
        )
    steps = max(round(until / step), 1)
    if abs(steps * step - until) > 1e-9 * until:
        raise InputError(f"until {until:g} s is no whole number of steps of {step:g} s; change one of them")
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
