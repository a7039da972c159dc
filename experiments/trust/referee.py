"""The table and the picture of referee.md: answers of MuJoCo, right ones and wrong ones, judged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure

import senn
from experiments.page import Figures, Tables, head, row
from senn.algorithms import robots
from senn.algorithms.robots.chain import Chain
from senn.api.states import Verdicts
from senn.traces.pictures.style import LOOKS

STATES = 100
Answers = dict[str, Any]


# -------- arms in MuJoCo


def of_urdf(text: str) -> Any:
    """MuJoCo's model of a URDF, by its own reader, without meshes; links that do not move stay bodies."""
    import mujoco

    text = re.sub(r"<(visual|collision)\b.*?</\1>|<(visual|collision)[^>]*/>", "", text, flags=re.DOTALL)
    compiler = '<mujoco><compiler fusestatic="false"/></mujoco></robot>'
    return mujoco.MjModel.from_xml_string(text.replace("</robot>", compiler))


def of_chain(chain: Chain) -> Any:
    """MuJoCo's model of revolute joints: the frames of conventions.md, body i moving with link i."""
    import mujoco

    def numbers(array: Any) -> str:
        return " ".join(map(repr, np.ravel(array).tolist()))

    turn, place, bodies = chain.base_rotation, chain.base_position, ""
    for k, outer in enumerate(chain.rotation):
        inertia = outer @ chain.inertia[k] @ outer.T
        six = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        bodies += (
            f'<body pos="{numbers(place)}" xyaxes="{numbers(turn[:, :2].T)}"><joint axis="0 0 1"/>'
            f'<inertial pos="{numbers(outer @ chain.centre[k])}" mass="{numbers(chain.mass[k])}" '
            f'fullinertia="{numbers(six)}"/>'
        )
        turn, place = outer, outer @ chain.position[k]
    tip = f'<body name="tip" pos="{numbers(place)}" xyaxes="{numbers(turn[:, :2].T)}"/>'
    closed = "</body>" * chain.n
    return mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}{tip}{closed}</worldbody></mujoco>")


def answers(model: Any, tip: str = "", states: int = STATES, gravity: Any = (0.0, 0.0, -9.81)) -> Answers:
    """States, torques and accelerations of a model; with a welded `tip` also F.

    MuJoCo's own weld is soft. This one is rigid, and made of MuJoCo's M, bias and Jacobian.
    """
    import mujoco

    rng = np.random.default_rng(0)
    size = states, model.nv
    q, qd, tau = (rng.uniform(-most, most, size) for most in (1.5, 0.3, 20.0))
    qdd, force = np.empty(size), np.empty((states, 6))
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= off.mjDSBL_CONTACT | off.mjDSBL_LIMIT
    model.opt.gravity[:] = gravity
    moved = mujoco.MjData(model)
    for k in range(states):
        moved.qpos[:], moved.qvel[:], moved.qfrc_applied[:] = q[k], qd[k], tau[k]
        mujoco.mj_forward(model, moved)
        qdd[k] = moved.qacc
        if tip:
            qdd[k], force[k] = _welded(model, moved, tip, tau[k])
    return {"q": q, "qd": qd, "tau": tau, "qdd": qdd, **({"F": force} if tip else {})}


def _welded(model: Any, moved: Any, tip: str, tau: Any) -> tuple[Any, Any]:
    """qdd and F of M qdd + bias + J'F = tau, J qdd + Jdot qd = [0; omega x v], in axes of the tip."""
    import mujoco

    body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, tip)
    mass, (jacobian, rate) = np.zeros((model.nv, model.nv)), np.zeros((2, 6, model.nv))
    for column, unit in zip(mass, np.eye(model.nv), strict=True):
        mujoco.mj_mulM(model, moved, column, unit)
    mujoco.mj_jacBody(model, moved, jacobian[3:], jacobian[:3], body)
    mujoco.mj_jacDot(model, moved, rate[3:], rate[:3], moved.xpos[body], body)
    inward = np.kron(np.eye(2), moved.xmat[body].reshape(3, 3).T)
    jacobian, drift = inward @ jacobian, inward @ rate @ moved.qvel
    omega, velocity = np.split(jacobian @ moved.qvel, 2)
    held = np.r_[np.zeros(3), np.cross(omega, velocity)] - drift
    equations = np.block([[mass, jacobian.T], [jacobian, np.zeros((6, 6))]])
    both = np.linalg.solve(equations, np.r_[tau + moved.qfrc_passive - moved.qfrc_bias, held])
    return both[: model.nv], both[model.nv :]


# -------- right and wrong answers


def ur5() -> tuple[Any, Any, str]:
    """Problem, MuJoCo's model, and the welded tip."""
    text = (Path(robots.__file__).parent / "ur5.urdf").read_text(encoding="utf-8")
    return senn.problem("ur5", contact="free"), of_urdf(text), ""


def ssrms() -> tuple[Any, Any, str]:
    """Problem, MuJoCo's model and tip of the arm of the Space Station, welded."""
    problem = senn.problem("ssrms", contact="weld")
    return problem, of_chain(problem.chain), "tip"


ARMS = {"ur5": ur5, "ssrms, welded": ssrms}
RIGHT, HEAVY, ROUNDED = "as MuJoCo gives them", "a mass 1e-6 too large", "qdd in single precision"


@cache
def judged(arm: str) -> Mapping[str, Verdicts]:
    """Verdicts on the answers of an arm, by what is wrong with them."""
    problem, model, tip = ARMS[arm]()
    gravity = problem.gravity
    given = answers(model, tip, gravity=gravity)
    cases = {RIGHT: given, ROUNDED: {**given, "qdd": given["qdd"].astype(np.float32).astype(np.float64)}}
    last = int(np.flatnonzero(model.body_mass)[-1])
    mass = float(model.body_mass[last])
    model.body_mass[last] = mass * (1 + 1e-6)
    cases[HEAVY] = answers(model, tip, gravity=gravity)
    model.body_mass[last] = mass
    model.dof_damping[:] = 0.003
    cases["damping of 0.003 N m s/rad left on"] = answers(model, tip, gravity=gravity)
    model.dof_damping[:] = 0.0
    swapped = np.r_[0, 2, 1, np.arange(3, model.nv)]
    cases["joints 2 and 3 swapped"] = {**given, "qdd": given["qdd"][:, swapped]}
    if gravity.any():
        cases["gravity upward"] = answers(model, tip, gravity=-gravity)
    if tip:
        cases["F on the arm, not by it"] = {**given, "F": -given["F"]}
        cases["F with the force first"] = {**given, "F": np.roll(given["F"], 3, axis=1)}
    return {wrong: senn.check(problem, case) for wrong, case in cases.items()}


def verdicts() -> Iterator[str]:
    """Digits of the worst state and joint."""
    yield from head("answers", *ARMS)
    for wrong in dict.fromkeys(wrong for arm in ARMS for wrong in judged(arm)):
        told = (judged(arm).get(wrong) for arm in ARMS)
        yield row(wrong, *("-" if one is None else min(x.digits for x in one.certificates) for one in told))


def by_joint() -> Figure:
    """Digits of every state at every joint."""
    figure, axes = pyplot.subplots(1, len(ARMS), figsize=(9.0, 4.2), layout="constrained", sharey=True)
    for one, arm in zip(axes, ARMS, strict=True):
        for k, (wrong, (colour, _)) in enumerate(zip((RIGHT, ROUNDED, HEAVY), LOOKS, strict=False)):
            errors = np.maximum(judged(arm)[wrong].errors, 1e-16)
            place = np.arange(errors.shape[1]) + 1 + 0.22 * (k - 1)
            at = np.broadcast_to(place, errors.shape)
            one.plot(at.ravel(), -np.log10(errors).ravel(), ".", color=colour, label=wrong, markersize=4)
        one.set(title=arm, xlabel="joint", xticks=range(1, errors.shape[1] + 1), ylim=(3, 16.5))
    axes[0].set(ylabel="right digits of qdd, 100 states")
    axes[0].legend(loc="lower left", markerscale=3)
    return figure


TABLES: Tables = {"verdicts": verdicts}
FIGURES: Figures = {"referee": by_joint}
