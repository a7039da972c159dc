"""An arm with every type of joint, and Pinocchio's model of it made of simple joints and massless links."""

from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

from senn.algorithms.family.arm import constants
from senn.algorithms.family.link import Constants
from senn.algorithms.robots import generators
from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.joints import JOINTS
from tests.algorithms.operators import blocks

Array = np.ndarray
PARAMETER = {"helical": 0.07, "universal": 1.2}


def mixed_chain(types: tuple[str, ...], seed: int) -> Chain:
    """Compact random links on joints of these types."""
    chain = generators.generate(f"random:{len(types)}:seed={seed}")
    parameters = np.array([PARAMETER.get(x, 0.0) for x in types])
    return replace(chain, joints=types, parameters=parameters)


def state(types: tuple[str, ...], seed: int) -> tuple[Array, Array, Array, Array]:
    """q with unit quaternions, and qd, qdd, tau, flat."""
    rng = np.random.default_rng(seed)
    parts = []
    for x in types:
        q = rng.uniform(-1.0, 1.0, JOINTS[x].coordinates)
        if x in ("spherical", "free"):
            q[:4] /= np.linalg.norm(q[:4])
        parts.append(q)
    degrees = sum(JOINTS[x].degrees for x in types)
    return np.concatenate(parts), *rng.uniform(-1.0, 1.0, (3, degrees))


@dataclass(frozen=True, eq=False)
class Model:
    """Pinocchio's arm; T maps our rates to its own."""

    model: pin.Model
    q: Array
    T: Array

    def inverse_dynamics(self, qd: Array, qdd: Array) -> Array:
        data = self.model.createData()
        return self.T.T @ pin.rnea(self.model, data, self.q, self.T @ qd, self.T @ qdd)

    def forward_dynamics(self, qd: Array, tau: Array) -> Array:
        data, load = self.model.createData(), np.linalg.solve(self.T.T, tau)
        return np.linalg.solve(self.T, pin.aba(self.model, data, self.q, self.T @ qd, load))

    def mass_matrix(self) -> Array:
        upper = np.triu(pin.crba(self.model, self.model.createData(), self.q))
        return self.T.T @ (upper + np.triu(upper, 1).T) @ self.T


def pinocchios(chain: Chain, q: Array, gravity: Array) -> Model:
    """The same arm."""
    model, parent = pin.Model(), 0
    place = pin.SE3(np.array(chain.base_rotation), np.array(chain.base_position))
    model.gravity.linear = np.array(gravity)
    positions, maps, first = [], [], 0
    for link in constants(chain):
        kind = JOINTS[link.joint]
        own = q[first : first + kind.coordinates]
        first += kind.coordinates
        simple, given, rates = _simple(link, own)
        for joint in simple:
            parent = model.addJoint(parent, joint, place, f"joint{model.njoints}")
            place = pin.SE3.Identity()
        positions.append(given)
        maps.append(rates)
        rotation = np.asarray(link.rotation)
        moment, mass = np.asarray(link.inertia.moment), float(link.inertia.mass)
        from_joint = rotation @ (link.position + moment / mass)
        central = np.linalg.inv(_full(link.inverse_inertia))
        own_inertia = pin.Inertia(mass, from_joint, rotation @ central @ rotation.T)
        model.appendBodyToJoint(parent, own_inertia, place)
        place = place * pin.SE3(rotation, rotation @ link.position)
    return Model(model, np.concatenate(positions), blocks(*maps))


def _simple(link: Constants, q: Array) -> tuple[list[pin.JointModel], Array, Array]:
    """Joints one after the other, their q, and the map from our rates to theirs."""
    one = np.eye(len(q))
    match link.joint:
        case "revolute":
            return [pin.JointModelRZ()], q, one
        case "prismatic":
            return [pin.JointModelPZ()], q, one
        case "helical":
            return [pin.JointModelHZ(float(link.parameter))], q, one
        case "cylindrical":
            return [pin.JointModelRZ(), pin.JointModelPZ()], q, one
        case "universal":
            axis = np.array([np.sin(link.parameter), 0.0, np.cos(link.parameter)])
            return [pin.JointModelRZ(), pin.JointModelRevoluteUnaligned(axis)], q, one
        case "planar":
            order = [1, 2, 0]
            return [pin.JointModelPX(), pin.JointModelPY(), pin.JointModelRZ()], q[order], one[order]
        case "spherical":
            return [pin.JointModelSpherical()], q[[1, 2, 3, 0]], _turned(q)
        case "free":
            shift = [pin.JointModelPX(), pin.JointModelPY(), pin.JointModelPZ()]
            rates = np.zeros((6, 6))
            rates[:3, 3:], rates[3:, :3] = np.eye(3), _turned(q[:4])
            return [*shift, pin.JointModelSpherical()], q[[4, 5, 6, 1, 2, 3, 0]], rates
        case _:
            return [], q, one


def _turned(quaternion: Array) -> Array:
    """omega of frame i in the axes of the link, in which Pinocchio counts it."""
    w, x, y, z = quaternion
    return np.asarray(pin.Quaternion(w, x, y, z).toRotationMatrix().T)


def _full(packed: Array) -> Array:
    out = np.zeros((3, 3))
    rows, columns = np.tril_indices(3)
    out[rows, columns] = out[columns, rows] = packed
    return out
