"""Pinocchio's answer about a part of a URDF that stands on any of its links.

Pinocchio roots a model where the file does. So here it reads the file by itself, lets the whole robot fly
(a free flyer above the root), locks joints with its own `buildReducedModel`, and *holds* the base by six
constraints beside those of the contact: no joint is reversed and nothing is left out.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from senn.algorithms.problems.problem import Problem
from tests.algorithms.robots.oracle import SWAP


@dataclass
class Held:
    """A robot whose link `base` is held with its frame in the world's, and whose link `tip` is in contact."""

    model: pin.Model
    base: int
    tip: int

    @classmethod
    def of(cls, text: str, base: str, tip: str, locked: Mapping[str, float]) -> "Held":
        """The robot of a URDF with joints locked at these values."""
        return cls._of(pin.buildModelFromXML(text, pin.JointModelFreeFlyer()), base, tip, locked)

    @classmethod
    def moving(cls, text: str, base: str, tip: str, moving: Collection[str]) -> "Held":
        """The robot of a URDF in which these joints move; the others are at 0, or the limit next to it."""
        model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
        locked = {}
        for number, name in list(enumerate(model.names))[2:]:
            joint = model.joints[number]
            if name not in moving:
                low, high = model.lowerPositionLimit[joint.idx_q], model.upperPositionLimit[joint.idx_q]
                locked[name] = min(max(0.0, low), high) if joint.nq == 1 else 0.0
        return cls._of(model, base, tip, locked)

    @classmethod
    def _of(cls, model: pin.Model, base: str, tip: str, locked: Mapping[str, float]) -> "Held":
        q = pin.neutral(model)
        for name, value in locked.items():
            _stand(model, q, name, value)
        if locked:
            model = pin.buildReducedModel(model, [model.getJointId(name) for name in locked], q)
        return cls(model, _frame(model, base), _frame(model, tip))

    def solve(self, problem: Problem) -> tuple[np.ndarray, np.ndarray]:
        """qdd of the problem's joints, in its order, and the contact force by the tip on the environment.

        Joints that the problem has not are at 0, and no torque acts on them.
        """
        model, names, contact = self.model, problem.chain.all_joint_names, problem.contact
        model.gravity.linear = np.array(problem.gravity)
        data, q = model.createData(), pin.neutral(model)
        joints = [model.joints[model.getJointId(name)] for name in names]
        for name, value in zip(names, problem.q, strict=True):
            _stand(model, q, name, value)
        pin.framesForwardKinematics(model, data, q)
        q[:7] = pin.SE3ToXYZQUAT(data.oMf[self.base].inverse())
        v, tau = np.zeros(model.nv), np.zeros(model.nv)
        for joint, rate, torque in zip(joints, problem.qd, problem.tau, strict=True):
            v[joint.idx_v], tau[joint.idx_v] = rate, torque
        J_base, J_tip = (
            pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL)[SWAP]
            for frame in (self.base, self.tip)
        )
        v[:6] = -np.linalg.solve(J_base[:, :6], J_base[:, 6:] @ v[6:])
        M = pin.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        bias = pin.rnea(model, data, q, v, np.zeros(model.nv))
        pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
        drifts = [
            pin.getFrameClassicalAcceleration(model, data, frame, pin.LOCAL).vector[SWAP]
            for frame in (self.base, self.tip)
        ]
        J = np.vstack([J_base, contact.W.T @ J_tip])
        wanted = np.concatenate([-drifts[0], contact.G_C - contact.W.T @ drifts[1]])
        applied = contact.H @ contact.K_F
        count = len(J)
        solved = np.linalg.solve(
            np.block([[M, J.T], [J, np.zeros((count, count))]]),
            np.concatenate([tau - bias - J_tip.T @ applied, wanted]),
        )
        qdd = np.array([solved[joint.idx_v] for joint in joints])
        return qdd, applied + contact.W @ solved[model.nv + 6 :]


def _stand(model: pin.Model, q: np.ndarray, name: str, value: float) -> None:
    joint = model.joints[model.getJointId(name)]
    own = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
    q[joint.idx_q : joint.idx_q + joint.nq] = own


def _frame(model: pin.Model, link: str) -> int:
    return model.getFrameId(link, pin.FrameType.BODY)
