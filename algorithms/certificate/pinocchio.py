"""Pinocchio as a second opinion: the URDF by its own reader, with its own M, b and J.

It roots a model where the file does. Here the whole robot flies, its root on a free flyer, and the base is
held: the flyer moves as it has to for that. Locked joints are taken out by `buildReducedModel`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, tostring

import numpy as np

from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots.chain import Written
from senn.algorithms.spatial import Numbers
from senn.base.errors import InputError

_SWAP = [3, 4, 5, 0, 1, 2]  # [v; omega] to [omega; v]
_ONE_NUMBER = ("revolute", "prismatic")


def _written(problem: Problem) -> Written:
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
    return written


class Pinocchio:
    """Equations of motion of the arm at its state (as `senn.algorithms.certificate.plain_sums.Sums`).

    Velocities in Pinocchio are v = S qd: of the free flyer, which keeps the base where it is, and of all
    joints, of which those that are left out stand still.
    """

    def __init__(self, problem: Problem) -> None:
        written, names = _written(problem), problem.chain.all_joint_names
        pin = self._pin = import_module("pinocchio")
        self.title = f"Pinocchio {pin.__version__}, from the URDF by its own reader"
        whole = _read(pin, written)
        q, still = pin.neutral(whole), []
        for name, place in stands(written, names).items():
            if whole.existJointName(name):
                still.append(whole.getJointId(name))
                _stand(whole, q, name, place)
        try:
            model = pin.buildReducedModel(whole, still, q) if still else whole
        except ValueError as error:
            raise InputError(
                f"--against pinocchio: Pinocchio cannot lock joints of this robot ({error}); "
                "leave --against out"
            ) from None
        model.gravity.linear = np.array(problem.gravity)
        self._model, self._data = model, model.createData()
        self._tip, self._base = (model.getFrameId(link, pin.BODY) for link in (written.tip, written.base))
        self._columns = [model.joints[model.getJointId(name)].idx_v for name in names]
        self._q = pin.neutral(model)
        for name, value in zip(names, problem.q, strict=True):
            _stand(model, self._q, name, (float(value),))
        self._place(problem.qd)

    def _place(self, qd: Numbers) -> None:
        """The base in the base's axes, and the flyer as fast as that takes."""
        pin, model, data = self._pin, self._model, self._data
        pin.framesForwardKinematics(model, data, self._q)
        self._q[:7] = pin.SE3ToXYZQUAT(data.oMf[self._base].inverse())
        pin.framesForwardKinematics(model, data, self._q)
        at_base = pin.computeFrameJacobian(model, data, self._q, self._base, pin.LOCAL)
        at_tip = pin.computeFrameJacobian(model, data, self._q, self._tip, pin.LOCAL)
        moving = np.zeros((model.nv, len(qd)))
        moving[self._columns, np.arange(len(qd))] = 1.0
        flyer = np.linalg.inv(at_base[:, :6])
        moving[:6] = -flyer @ at_base @ moving
        self._rates = moving @ qd
        # What the flyer has to be accelerated by at qdd = 0, so that the base is not.
        none = np.zeros(model.nv)
        self._drift = none.copy()
        self._drift[:6] = -flyer @ self._acceleration(self._base, none)
        torque = pin.rnea(model, data, self._q, self._rates, self._drift)
        self.bias, self.drift = moving.T @ torque, self._acceleration(self._tip, self._drift)[_SWAP]
        upper = np.triu(pin.crba(model, data, self._q))
        self.mass = moving.T @ (upper + np.triu(upper, 1).T) @ moving
        self.jacobian = at_tip[_SWAP] @ moving

    def torque(self, qdd: Numbers, force: Numbers) -> Numbers:
        """M qdd + J'F (..., degrees)."""
        return np.asarray(qdd @ self.mass + force @ self.jacobian)

    def acceleration(self, qdd: Numbers) -> Numbers:
        """J qdd (..., 6)."""
        return np.asarray(qdd @ self.jacobian.T)

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


def stands(written: Written, names: Sequence[str]) -> dict[str, Sequence[float]]:
    """Where every joint of a URDF stands that is not of these names; () is zero, or not turned, not moved."""
    joints = {joint.get("name", ""): joint for joint in ElementTree.fromstring(written.text).findall("joint")}
    still = {name for name in joints if any(re.fullmatch(pattern, name) for pattern in written.lock)}
    return {name: _place_of(joints, name, still, written.at) for name in joints if name not in names}


def _place_of(
    joints: Mapping[str, Element], name: str, still: set[str], at: Mapping[str, Sequence[float]]
) -> Sequence[float]:
    if name in at:
        return at[name]
    mimic = joints[name].find("mimic")
    leader = "" if mimic is None else mimic.get("joint", "")
    if mimic is not None and leader in still:
        led = _place_of(joints, leader, still - {name}, at)
        factor, offset = (
            float(mimic.get(key, usual)) for key, usual in (("multiplier", "1"), ("offset", "0"))
        )
        return [factor * (led[0] if len(led) else 0.0) + offset]
    limit = joints[name].find("limit")
    if limit is None or joints[name].get("type") not in _ONE_NUMBER:
        return ()
    low, high = (float(limit.get(key, "0")) for key in ("lower", "upper"))
    return [min(max(0.0, low), high)] if low < high else ()
