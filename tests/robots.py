"""Arms for the tests, and Pinocchio's answers about them in this project's conventions.

Pinocchio writes six-vectors [v; omega]; ours are [omega; v]. Its LOCAL frame is our frame n+1 at O_{n+1}.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin

from senn.algorithms import urdf
from senn.algorithms.chain import Chain
from senn.algorithms.contact import Contact

_PREFIX = next(path for path in Path(pin.__file__).parents if path.name == "cmeel.prefix")
_DATA = _PREFIX / "share/example-robot-data/robots"

# name -> (file, tip). Ten real arms of 3 to 7 joints, revolute and continuous, with all kinds of axes.
ARMS = {
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "tool0"),
    "ur10": ("ur_description/urdf/ur10_robot.urdf", "ee_link"),
    "panda": ("panda_description/urdf/panda.urdf", "panda_hand_tcp"),
    "kinova": ("kinova_description/robots/kinova.urdf", "j2s6s200_end_effector"),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", "link_eef"),
    "z1": ("z1_description/urdf/z1.urdf", "gripperMover"),
    "so101": ("so_arm_description/urdf/so101.urdf", "moving_jaw_so101_v1_link"),
    "talos_left_arm": ("talos_data/robots/talos_left_arm.urdf", "gripper_left_motor_double_link"),
    "hextilt": ("hextilt_description/urdf/hextilt_flying_arm_5.urdf", "flying_arm_5__gripper"),
    "finger_edu": ("finger_edu_description/robots/finger_edu.urdf", "finger_tip_link"),
}
SWAP = [3, 4, 5, 0, 1, 2]


def arm_text(name: str) -> str:
    """The URDF of a real arm; the Panda's fingers, which would make it a tree, are fixed."""
    text = (_DATA / ARMS[name][0]).read_text()
    if name == "panda":
        text = re.sub(r"<mimic[^>]*/>", "", text)
        text = re.sub(r'(name="panda_finger_joint\d" type=)"prismatic"', r'\1"fixed"', text)
    return text


def arm(name: str) -> tuple[Chain, "Oracle"]:
    """Our chain, read from the URDF, and Pinocchio's model, which it reads from the same URDF by itself."""
    text, tip = arm_text(name), ARMS[name][1]
    model = pin.buildModelFromXML(text)
    return urdf.read(text, tip), Oracle(model, model.getFrameId(tip))


def oracle(chain: Chain) -> "Oracle":
    """Pinocchio's model of a generated chain, joint by joint."""
    model, parent = pin.Model(), 0
    rotation, position = chain.base_rotation, chain.base_position
    for i, joint in enumerate(chain.joints):
        kind = pin.JointModelRZ() if joint == "revolute" else pin.JointModelPZ()
        parent = model.addJoint(parent, kind, pin.SE3(rotation, position), f"joint{i}")
        rotation = np.array(
            chain.rotation[i]
        )  # frame i+1 in frame i at q = 0, which is Pinocchio's body frame
        position = rotation @ chain.position[i]
        inertia = rotation @ chain.inertia[i] @ rotation.T
        body = pin.Inertia(float(chain.mass[i]), rotation @ chain.centre[i], inertia)
        model.appendBodyToJoint(parent, body, pin.SE3.Identity())
    tip = pin.Frame("tip", parent, pin.SE3(rotation, position), pin.FrameType.OP_FRAME)
    return Oracle(model, model.addFrame(tip))


@dataclass
class Oracle:
    """Pinocchio at work; q here is one number per joint, also for continuous joints."""

    model: pin.Model
    tip: int

    def set_gravity(self, gravity: np.ndarray) -> None:
        self.model.gravity.linear = np.array(gravity)

    def _start(self, q: np.ndarray) -> tuple[pin.Data, np.ndarray]:
        return self.model.createData(), pin.integrate(self.model, pin.neutral(self.model), np.array(q))

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        data, q = self._start(q)
        upper = np.triu(pin.crba(self.model, data, q))  # crba fills the upper triangle only
        return upper + np.triu(upper, 1).T

    def bias(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        data, q = self._start(q)
        return pin.nonLinearEffects(self.model, data, q, np.array(qd)).copy()

    def inverse_dynamics(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        data, q = self._start(q)
        return pin.rnea(self.model, data, q, np.array(qd), np.array(qdd)).copy()

    def forward_dynamics(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        data, q = self._start(q)
        return pin.aba(self.model, data, q, np.array(qd), np.array(tau)).copy()

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        data, q = self._start(q)
        jacobian = pin.computeFrameJacobian(self.model, data, q, self.tip, pin.LOCAL)
        return jacobian.reshape(6, -1)[SWAP]

    def tip_rotation(self, q: np.ndarray) -> np.ndarray:
        """Columns are the axes of frame n+1 in the base frame."""
        data, q = self._start(q)
        pin.framesForwardKinematics(self.model, data, q)
        return data.oMf[self.tip].rotation.copy()

    def tip_position(self, q: np.ndarray) -> np.ndarray:
        data, q = self._start(q)
        pin.framesForwardKinematics(self.model, data, q)
        return data.oMf[self.tip].translation.copy()

    def axes(self, q: np.ndarray) -> list[np.ndarray]:
        """Joint axes (z of the joint's frame) in the base frame; for models made by `oracle`."""
        data, q = self._start(q)
        pin.forwardKinematics(self.model, data, q)
        return [placement.rotation[:, 2].copy() for placement in list(data.oMi)[1:]]

    def velocity(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        data, q = self._start(q)
        pin.forwardKinematics(self.model, data, q, np.array(qd))
        return pin.getFrameVelocity(self.model, data, self.tip, pin.LOCAL).vector[SWAP]

    def acceleration(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        """Classical acceleration of the tip."""
        data, q = self._start(q)
        pin.forwardKinematics(self.model, data, q, np.array(qd), np.array(qdd))
        return pin.getFrameClassicalAcceleration(self.model, data, self.tip, pin.LOCAL).vector[SWAP]

    def welded(
        self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, kind: str = "CONTACT_6D"
    ) -> tuple[np.ndarray, np.ndarray]:
        """qdd and the force BY the end effector of Pinocchio's 6-D or 3-D contact.

        The 6-D one sets the Featherstone acceleration to zero, which is the classical [0; omega x v]; the 3-D
        one sets the classical acceleration of the point to zero.
        """
        frame = self.model.frames[self.tip]
        contact = pin.RigidConstraintModel(
            getattr(pin.ContactType, kind), self.model, frame.parentJoint, frame.placement, pin.LOCAL
        )
        data, q = self._start(q)
        contacts = pin.StdVec_RigidConstraintModel([contact])
        contact_data = pin.StdVec_RigidConstraintData([contact.createData()])
        once = pin.ProximalSettings(1e-14, 0.0, 1)
        pin.initConstraintDynamics(self.model, data, contacts, contact_data)
        qdd = pin.constraintDynamics(
            self.model, data, q, np.array(qd), np.array(tau), contacts, contact_data, once
        ).copy()
        return qdd, -contact_data[0].contact_force.vector[SWAP]

    def constrained(
        self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, contact: Contact
    ) -> tuple[np.ndarray, np.ndarray]:
        """qdd and the force BY the end effector of a Type I contact, by Pinocchio's constrained solver."""
        J = self.jacobian(q)
        free = contact.H @ contact.K_F
        drift = contact.W.T @ self.acceleration(q, qd, np.zeros_like(qd)) - contact.G_C
        data, configuration = self._start(q)
        qdd = pin.forwardDynamics(
            self.model, data, configuration, np.array(qd), tau - J.T @ free, contact.W.T @ J, drift
        ).copy()
        return qdd, free - contact.W @ data.lambda_c


def relative(value: np.ndarray, reference: np.ndarray) -> float:
    """Largest difference over the largest entry of the reference, or itself where that is zero."""
    return float(np.abs(value - reference).max() / (np.abs(reference).max() or 1.0))
