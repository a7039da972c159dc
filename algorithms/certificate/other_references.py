"""References that share no code with the serial solvers: plain sums over the links, and Pinocchio.

Every run is compared with plain sums, from a second reading of the problem (`senn.algorithms.plain_sums`),
and with Pinocchio on request. The serial solvers share reader, frames and spatial algebra with the program; a
fault in these shows here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, tostring

import numpy as np

from senn.algorithms.answers import ANSWERS, RESIDUALS
from senn.algorithms.certificate.certificate import Comparison, title
from senn.algorithms.plain_sums import second_reading
from senn.algorithms.plain_sums.judged import divided, judged, rounded_mass
from senn.algorithms.plain_sums.links import Written
from senn.algorithms.plain_sums.response import Carried, Model, State, Sums
from senn.algorithms.plain_sums.second_reading import stands
from senn.algorithms.problems.problem import Problem
from senn.algorithms.spatial import Numbers
from senn.traces.errors import InputError

_FACTOR = 100.0
"""Tolerances are not below so many times what rounding does to the reference itself."""
_LEAST = 1e-11
# A reference that has lost more says nothing, and is left out: its residuals have lost nothing.
_LOST = 1e-3


def by_sums(problem: Problem, given: Mapping[str, Numbers], tolerances: Mapping[str, float]) -> Comparison:
    """Answers compared with plain sums; `tolerances` are those beside the serial solvers, of each answer
    and residual by its name."""
    state = state_of(problem)
    model = Sums(second_reading.arm_of(problem.chain), state)
    against = f"plain sums over the links, from {second_reading.source(problem.chain)} read once more"
    return compared("plain sums", against, model, state, given, tolerances)


def compared(
    name: str,
    against: str,
    model: Model,
    state: State,
    given: Mapping[str, Numbers],
    tolerances: Mapping[str, float],
) -> Comparison:
    """Answers compared with those of a model.

    What rounding allows the program it is allowed here too, and what it does to the reference. A reference
    that rounding has taken too much of is left out.
    """
    judgement = judged(model, state, given)
    figures, allowed, lost = dict(judgement.figures), {}, []
    for name_of in judgement.figures:
        rounding = _FACTOR * judgement.rounding.get(name_of, 0.0)
        if rounding > _LOST:
            lost.append(name_of)
            del figures[name_of]
            continue
        allowed[name_of] = max(tolerances[name_of], rounding, _LEAST)
    notes = []
    left = [name_of for name_of in given if name_of not in judgement.figures]
    if not judgement.dense:
        notes.append("of an arm so nearly singular, the residuals only")
    elif left:
        notes.append(f"nothing to compare with: {', '.join(map(title, left))}")
    if lost:
        notes.append(f"rounding leaves no reference for {', '.join(map(title, lost))}")
    in_order = [*ANSWERS, *RESIDUALS]
    figures = {name_of: figures[name_of] for name_of in in_order if name_of in figures}
    return Comparison(name, against, figures, allowed, "; ".join(notes))


def state_of(problem: Problem) -> State:
    """The numbers of a problem, with its contact as it was written; all from its file, where it has one."""
    chain = problem.chain
    numbers = State(
        gravity=problem.gravity,
        q=problem.q,
        qd=problem.qd,
        tau=problem.tau,
        qdd=problem.qdd,
        x=problem.tip_vector,
        contact=_contact_keys(problem.contact_input),
    )
    if problem.written is None:
        return numbers
    return second_reading.state(problem.written, chain.all_joint_names, chain.all_joints, numbers)


def _contact_keys(held: Any) -> Mapping[str, Any]:
    """A contact under the keys of a problem file; from its own numbers where nothing was kept."""
    if getattr(held, "written", None) is not None:
        written: Mapping[str, Any] = held.written
        return written
    if not hasattr(held, "kind"):  # in words
        return {"kind": held.word, **vars(held)}
    numbers = held.law or held
    names = ("W", "H", "G_C", "K_F", "phi", "M1", "k1", "M2", "k2", "fixed_in", "acceleration")
    keys = {name: getattr(held, name, getattr(numbers, name, None)) for name in names}
    return {"kind": held.kind, **keys, "d": keys["K_F"]}


# -------- Pinocchio: the URDF by its own reader, and its own M, b and J
# Pinocchio roots a model where the file does. Here the whole robot flies, its root on a free flyer, and the
# base is held: the flyer moves as it has to for that. Locked joints are taken out by `buildReducedModel`.

_SWAP = [3, 4, 5, 0, 1, 2]  # [v; omega] to [omega; v]
_ONE_NUMBER = ("revolute", "prismatic")


def refuse(problem: Problem) -> None:
    """`InputError` where there is no Pinocchio, or nothing that it reads."""
    _model(problem)


def _model(problem: Problem) -> Pinocchio:
    if find_spec("pinocchio") is None:
        raise InputError("--against pinocchio: Pinocchio is not installed; pip install pin")
    written = problem.chain.written
    if written is None or written.form != "urdf":
        raise InputError(
            f"--against pinocchio: Pinocchio reads URDF, and the robot '{problem.chain.name}' is of another "
            "kind; leave --against out"
        )
    for joint, name in zip(problem.chain.all_joints, problem.chain.all_joint_names, strict=True):
        if joint not in _ONE_NUMBER:
            raise InputError(
                f"--against pinocchio: joint '{name}' is {joint}, and Pinocchio counts its q and qd in other "
                "axes; leave --against out, or lock that joint"
            )
    return Pinocchio(written, problem.chain.all_joint_names, state_of(problem))


def by_pinocchio(
    problem: Problem, given: Mapping[str, Numbers], tolerances: Mapping[str, float]
) -> Comparison:
    """Answers compared with Pinocchio's; `InputError` where there are none."""
    model = _model(problem)
    against = f"Pinocchio {model.version}, from the URDF by its own reader"
    return compared("Pinocchio", against, model, state_of(problem), given, tolerances)


class Pinocchio:
    """The arm, as Pinocchio has it, at a state (`senn.algorithms.plain_sums.response.Model`).

    Its velocities are v = S qd: of the free flyer, which keeps the base where it is, and of all joints, of
    which those that are left out stand still.
    """

    def __init__(self, written: Written, names: tuple[str, ...], state: State) -> None:
        pin = self._pin = import_module("pinocchio")
        self.version = pin.__version__
        whole = _read(pin, written)
        q, still = pin.neutral(whole), []
        for name, place in stands(written, names).items():
            if whole.existJointName(name):
                still.append(whole.getJointId(name))
                _stand(whole, q, name, place)
        model = _without(pin, whole, still, q) if still else whole
        model.gravity.linear = np.array(state.gravity)
        self._model, self._data = model, model.createData()
        self._tip, self._base = (model.getFrameId(link, pin.BODY) for link in (written.tip, written.base))
        self._columns = [model.joints[model.getJointId(name)].idx_v for name in names]
        self._q = pin.neutral(model)
        for name, value in zip(names, state.q, strict=True):
            _stand(model, self._q, name, (float(value),))
        self._place(state.qd)

    def _place(self, qd: Numbers) -> None:
        """The base in the base's axes, and the flyer as fast as that takes."""
        pin, model, data = self._pin, self._model, self._data
        pin.framesForwardKinematics(model, data, self._q)
        self._q[:7] = pin.SE3ToXYZQUAT(data.oMf[self._base].inverse())
        pin.framesForwardKinematics(model, data, self._q)
        self.tip_axes = data.oMf[self._tip].rotation.copy()
        at_base = pin.computeFrameJacobian(model, data, self._q, self._base, pin.LOCAL)
        self._at_tip = pin.computeFrameJacobian(model, data, self._q, self._tip, pin.LOCAL)
        moving = np.zeros((model.nv, len(qd)))
        moving[self._columns, np.arange(len(qd))] = 1.0
        self._flyer = np.linalg.inv(at_base[:, :6])
        moving[:6] = -self._flyer @ at_base @ moving
        self._moving, self._rates = moving, moving @ qd
        # What the flyer has to be accelerated by at qdd = 0, so that the base is not.
        none = np.zeros(model.nv)
        self._drift = none.copy()
        self._drift[:6] = -self._flyer @ self._acceleration(self._base, none)
        inside = self._at_tip @ self._rates
        self.velocity = np.concatenate([self.tip_axes @ inside[3:], self.tip_axes @ inside[:3]])

    def carried(self, qdd: Numbers, force: Numbers) -> Carried:
        acceleration = self._moving @ qdd + self._drift
        torque = self._pin.rnea(self._model, self._data, self._q, self._rates, acceleration)
        size = np.array([np.linalg.norm(force_at.vector) for force_at in self._data.f])
        joints = {self._model.joints[k].idx_v: k for k in range(1, self._model.njoints)}
        wrenches = np.array([size[joints[column]] for column in self._columns])
        return Carried(self._moving.T @ torque + self.jacobian().T @ force, wrenches, None)

    def acceleration(self, qdd: Numbers) -> Numbers:
        acceleration = self._moving @ qdd + self._drift
        return self._acceleration(self._tip, acceleration)[_SWAP]

    def mass_matrix(self) -> Numbers:
        upper = np.triu(self._pin.crba(self._model, self._data, self._q))
        whole = upper + np.triu(upper, 1).T
        return np.asarray(self._moving.T @ whole @ self._moving)

    def response(self, torque: Numbers, eps: float = 0.0) -> Numbers:
        M = self.mass_matrix()
        return np.array(
            [divided(rounded_mass(M, eps if k else 0.0, k - 1), rows) for k, rows in enumerate(torque)]
        )

    def jacobian(self) -> Numbers:
        return np.asarray(self._at_tip[_SWAP] @ self._moving)

    def _acceleration(self, frame: int, acceleration: Numbers) -> Numbers:
        """Classical, [v; omega], in the frame's axes."""
        pin, model, data = self._pin, self._model, self._data
        pin.forwardKinematics(model, data, self._q, self._rates, acceleration)
        vector: Any = pin.getFrameClassicalAcceleration(model, data, frame, pin.LOCAL).vector
        return np.array(vector)


def _read(pin: Any, written: Written) -> Any:
    """Pinocchio's model of the text. Its reader insists on limits, which change no motion here."""
    root = ElementTree.fromstring(written.text)
    root.set("name", root.get("name") or "robot")
    for joint in root.iter("joint"):
        if joint.get("type") in ("revolute", "prismatic") and joint.find("limit") is None:
            joint.append(Element("limit", effort="0", velocity="0"))
    try:
        return pin.buildModelFromXML(tostring(root, "unicode"), pin.JointModelFreeFlyer())
    except ValueError as error:
        raise InputError(
            f"--against pinocchio: Pinocchio's reader refuses this URDF ({error}); leave --against out"
        ) from None


def _without(pin: Any, whole: Any, joints: list[int], q: Numbers) -> Any:
    try:
        return pin.buildReducedModel(whole, joints, q)
    except ValueError as error:
        raise InputError(
            f"--against pinocchio: Pinocchio cannot lock joints of this robot ({error}); leave --against out"
        ) from None


def _stand(model: Any, q: Numbers, name: str, place: Sequence[float]) -> None:
    """A joint of one number there; any other where it is neutral."""
    joint = model.joints[model.getJointId(name)]
    if len(place) > 1:
        raise InputError(
            f"--against pinocchio: joint '{name}' is locked at {len(place)} numbers, which Pinocchio counts "
            "in other axes; leave --against out"
        )
    for value in place:
        coordinates = [np.cos(value), np.sin(value)] if joint.nq > joint.nv else [value]
        q[joint.idx_q : joint.idx_q + joint.nq] = coordinates
