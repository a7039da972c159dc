"""Arms for the tests, and Pinocchio's answers about them in this project's conventions.

Pinocchio writes six-vectors [v; omega]; ours are [omega; v]. Its LOCAL frame is our frame n+1 at O_{n+1}.
Its joints count velocities in the moved frame, linear part first, and quaternions as x y z w; ours count them
in frame i, angular part first, w x y z: `Oracle._mapped` is the one place where that is said.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin

from senn.algorithms.problems.contacts import Contact
from senn.algorithms.robots import urdf
from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.joints import JOINTS

_PREFIX = next(path for path in Path(pin.__file__).parents if path.name == "cmeel.prefix")
DATA = _PREFIX / "share/example-robot-data/robots"

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
    text = (DATA / ARMS[name][0]).read_text()
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
    """Pinocchio's model of a generated chain, joint by joint; a welded link is a part of the one before."""
    model, parent = pin.Model(), 0
    placement = pin.SE3(chain.base_rotation, chain.base_position)
    for i, joint in enumerate(chain.joints):
        if joint != "welded":
            model_of_joint = joint_model(joint, float(chain.parameters[i]))
            parent = model.addJoint(parent, model_of_joint, placement, f"joint{i}")
            placement = pin.SE3.Identity()
        # Frame i+1 in frame i at q = 0, which is Pinocchio's body frame
        outer = pin.SE3(chain.rotation[i], chain.rotation[i] @ chain.position[i])
        inertia = outer.rotation @ chain.inertia[i] @ outer.rotation.T
        body = pin.Inertia(float(chain.mass[i]), outer.rotation @ chain.centre[i], inertia)
        model.appendBodyToJoint(parent, body, placement)
        placement = placement * outer
    tip = pin.Frame("tip", parent, placement, pin.FrameType.OP_FRAME)
    return Oracle(model, model.addFrame(tip), tuple(joint for joint in chain.joints if joint != "welded"))


def joint_model(joint: str, parameter: float) -> pin.JointModel:
    if joint in ("cylindrical", "universal"):
        composite = pin.JointModelComposite(2)
        composite.addJoint(pin.JointModelRZ())
        second = np.array([np.sin(parameter), 0.0, np.cos(parameter)])
        composite.addJoint(
            pin.JointModelPZ() if joint == "cylindrical" else pin.JointModelRevoluteUnaligned(second)
        )
        if joint == "universal" and parameter == np.pi / 2:
            return pin.JointModelUniversal(np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]))
        return composite
    return {
        "revolute": pin.JointModelRZ,
        "prismatic": pin.JointModelPZ,
        "helical": lambda: pin.JointModelHZ(parameter),
        "planar": pin.JointModelPlanar,
        "spherical": pin.JointModelSpherical,
        "free": pin.JointModelFreeFlyer,
    }[joint]()


@dataclass
class Oracle:
    """Pinocchio at work, asked and answering in our q and qd."""

    model: pin.Model
    tip: int
    joints: tuple[str, ...] = ()
    """The types of Pinocchio's joints; empty: one number each, also for continuous joints."""
    order: Sequence[int] = ()
    """On a tree, whose joints Pinocchio numbers depth first: where its degrees of freedom are in ours."""
    q_order: Sequence[int] = ()
    """And its coordinates."""
    numbers: Sequence[int] = ()
    """And its joints."""

    def set_gravity(self, gravity: np.ndarray) -> None:
        self.model.gravity.linear = np.array(gravity)

    def _mapped(
        self, q: np.ndarray, qd: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Pinocchio's q; T, orthogonal, with T qd its velocity; and Tdot qd, part of its acceleration."""
        at, positions, maps = 0, [], []
        order = list(self.order or range(self.model.nv))
        q = np.asarray(q)[list(self.q_order or range(len(q)))]
        rates = np.zeros(self.model.nv) if qd is None else np.asarray(qd)[order]
        drift = np.zeros(self.model.nv)
        for k, model in enumerate(list(self.model.joints)[1:]):
            joint = self.joints[k] if self.joints else "revolute"
            own, v = q[at : at + JOINTS[joint].coordinates], slice(model.idx_v, model.idx_v + model.nv)
            at += len(own)
            rate, T = rates[v], np.eye(model.nv)
            if joint in ("spherical", "free"):
                w, x, y, z = own[:4]
                inward = pin.Quaternion(w, x, y, z).toRotationMatrix().T
                own, T = np.r_[own[4:], x, y, z, w], inward
            if joint == "free":
                none = np.zeros((3, 3))
                T = np.block([[none, inward], [inward, none]])
                drift[v] = np.r_[-inward @ np.cross(rate[:3], rate[3:]), np.zeros(3)]
            if joint == "planar":
                c, s = np.cos(own[0]), np.sin(own[0])
                own, T = np.r_[own[1:], c, s], np.array([[0, c, s], [0, -s, c], [1.0, 0, 0]])
                drift[v] = rate[0] * T @ [0.0, rate[2], -rate[1]]
            if len(own) < model.nq:  # continuous
                own = [np.cos(own[0]), np.sin(own[0])]
            positions.append(own)
            maps.append((v, T))
        whole = np.zeros((self.model.nv, self.model.nv))
        for v, T in maps:
            whole[v, v] = T
        return np.concatenate(positions), whole @ np.eye(self.model.nv)[order], drift

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        q, T, _ = self._mapped(q)
        upper = np.triu(pin.crba(self.model, self.model.createData(), q))  # crba fills the upper triangle
        return T.T @ (upper + np.triu(upper, 1).T) @ T

    def bias(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return self.inverse_dynamics(q, qd, np.zeros_like(qd))

    def inverse_dynamics(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        q, T, drift = self._mapped(q, qd)
        return T.T @ pin.rnea(self.model, self.model.createData(), q, T @ qd, T @ qdd + drift)

    def interbody_forces(
        self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, force: np.ndarray
    ) -> np.ndarray:
        """What rnea finds between the links, turned to frame i at O_i; for models made by `oracle`.

        `force` is BY the end effector ON the environment, so its opposite acts on the last body. Pinocchio
        counts the wrench of a joint in the frame that the joint has moved.
        """
        data, (q, T, drift) = self.model.createData(), self._mapped(q, qd)
        frame = self.model.frames[self.tip]
        outside = [pin.Force.Zero() for _ in range(self.model.njoints)]
        outside[frame.parentJoint] = frame.placement.act(pin.Force(-force[SWAP]))
        pin.rnea(self.model, data, q, T @ qd, T @ qdd + drift, outside)
        moved = [self.model.jointPlacements[k].inverse() * data.liMi[k] for k in range(self.model.njoints)]
        found = np.array([moved[k].act(data.f[k]).vector[SWAP] for k in range(1, self.model.njoints)])
        ours = np.empty_like(found)
        ours[list(self.numbers or range(len(found)))] = found
        return ours

    def forward_dynamics(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        q, T, drift = self._mapped(q, qd)
        return T.T @ (pin.aba(self.model, self.model.createData(), q, T @ qd, T @ tau) - drift)

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        q, T, _ = self._mapped(q)
        jacobian = pin.computeFrameJacobian(self.model, self.model.createData(), q, self.tip, pin.LOCAL)
        return jacobian.reshape(6, -1)[SWAP] @ T

    def tip_rotation(self, q: np.ndarray) -> np.ndarray:
        """Columns are the axes of frame n+1 in the base frame."""
        data, q = self.model.createData(), self._mapped(q)[0]
        pin.framesForwardKinematics(self.model, data, q)
        return data.oMf[self.tip].rotation.copy()

    def tip_position(self, q: np.ndarray) -> np.ndarray:
        data, q = self.model.createData(), self._mapped(q)[0]
        pin.framesForwardKinematics(self.model, data, q)
        return data.oMf[self.tip].translation.copy()

    def axes(self, q: np.ndarray) -> list[np.ndarray]:
        """Joint axes (z of the joint's frame) in the base frame; for models made by `oracle`."""
        data, q = self.model.createData(), self._mapped(q)[0]
        pin.forwardKinematics(self.model, data, q)
        return [placement.rotation[:, 2].copy() for placement in list(data.oMi)[1:]]

    def velocity(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        data, (q, T, _) = self.model.createData(), self._mapped(q)
        pin.forwardKinematics(self.model, data, q, T @ qd)
        return pin.getFrameVelocity(self.model, data, self.tip, pin.LOCAL).vector[SWAP]

    def acceleration(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        """Classical acceleration of the tip."""
        data, (q, T, drift) = self.model.createData(), self._mapped(q, qd)
        pin.forwardKinematics(self.model, data, q, T @ qd, T @ qdd + drift)
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
        data, (q, T, map_rate) = self.model.createData(), self._mapped(q, qd)
        contacts = pin.StdVec_RigidConstraintModel([contact])
        contact_data = pin.StdVec_RigidConstraintData([contact.createData()])
        once = pin.ProximalSettings(1e-14, 0.0, 1)
        pin.initConstraintDynamics(self.model, data, contacts, contact_data)
        qdd = pin.constraintDynamics(self.model, data, q, T @ qd, T @ tau, contacts, contact_data, once)
        return T.T @ (qdd - map_rate), -contact_data[0].contact_force.vector[SWAP]

    def constrained(
        self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, contact: Contact
    ) -> tuple[np.ndarray, np.ndarray]:
        """qdd and the force BY the end effector of a Type I contact, by Pinocchio's constrained solver."""
        J = self.jacobian(q)
        free = contact.H @ contact.K_F
        drift = contact.W.T @ self.acceleration(q, qd, np.zeros_like(qd)) - contact.G_C
        data, (configuration, T, map_rate) = self.model.createData(), self._mapped(q, qd)
        # With a of Pinocchio: W'(J T'(a - Tdot qd) + Jdot qd) = G_C.
        against = drift - contact.W.T @ J @ T.T @ map_rate
        qdd = pin.forwardDynamics(
            self.model, data, configuration, T @ qd, T @ (tau - J.T @ free), contact.W.T @ J @ T.T, against
        )
        return T.T @ (qdd - map_rate), free - contact.W @ data.lambda_c


def relative(value: np.ndarray, reference: np.ndarray) -> float:
    """Largest difference over the largest entry of the reference, or itself where that is zero."""
    return float(np.abs(value - reference).max() / (np.abs(reference).max() or 1.0))
