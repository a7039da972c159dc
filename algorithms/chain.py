"""A serial arm in the paper's frames (Fijany II.A): stacked arrays, one row per link.

Frame i is fixed in link i-1 with its z axis on joint i; frame i+1 is fixed in link i at O_{i+1}. Link i is
row i-1; frame 1 is fixed in the base, frame n+1 is the end effector's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from senn.algorithms import spatial
from senn.algorithms.spatial import Array, transposed
from senn.traces.errors import InputError

_ROTATION_TOLERANCE = 1e-9
_SYMMETRY_TOLERANCE = 1e-9
_TRIANGLE_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Chain:
    """A serial arm with n one-degree-of-freedom joints; arrays are read-only, row i-1 is link i.

    The constructor refuses by name (`InputError`) what the algorithm cannot take: NaN, masses that are not
    positive, inertias that are not positive definite or no body can have, rotations that are none, unknown
    joint types, wrong shapes.
    """

    name: str
    joints: tuple[str, ...]
    """"revolute" or "prismatic", base to tip."""
    joint_names: tuple[str, ...]
    base_rotation: Array
    """(3, 3): columns are the axes of frame 1 in the base frame."""
    base_position: Array
    """(3,) m: O_1 in the base frame."""
    rotation: Array
    """(n, 3, 3): R_{i+1}, with C(i,i+1) = Rz(q_i) R_{i+1} (revolute) or R_{i+1} (prismatic)."""
    position: Array
    """(n, 3) m: P_i, from O_i to O_{i+1}, in frame i+1; for a prismatic joint at q = 0."""
    centre: Array
    """(n, 3) m: S_i, from O_i to the centre of mass, in frame i+1; for a prismatic joint at q = 0."""
    mass: Array
    """(n,) kg."""
    inertia: Array
    """(n, 3, 3) kg m^2: J_i about the centre of mass, in frame i+1."""

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name not in ("name", "joints", "joint_names"):
                array = np.array(getattr(self, field.name), dtype=np.float64)
                array.setflags(write=False)
                object.__setattr__(self, field.name, array)
        _check(self)

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.joints)

    def label(self, i: int) -> str:
        """How messages name link i (1..n)."""
        return f"robot '{self.name}', link {i} (moved by joint '{self.joint_names[i - 1]}')"


@dataclass(frozen=True, eq=False)
class Configuration:
    """The arm at joint positions q: what depends on q and nothing else."""

    rotation: Array
    """(n, 3, 3): C(i,i+1), maps coordinates of frame i+1 to frame i."""
    position: Array
    """(n, 3) m: P_i in frame i+1, with q_i z added for a prismatic joint."""
    centre: Array
    """(n, 3) m: S_i in frame i+1, with q_i z added for a prismatic joint."""


def configuration(chain: Chain, q: ArrayLike) -> Configuration:
    """C(i,i+1), P_i and S_i of all links at q (n,), rad or m (Fijany V.A).

    The paper has revolute joints only; for a prismatic one P_i and S_i gain q_i z, turned to frame i+1.
    """
    q = np.asarray(q, dtype=np.float64)
    revolute = np.array([joint == spatial.REVOLUTE for joint in chain.joints])
    shift = np.where(revolute, 0.0, q)[:, None] * chain.rotation[:, 2, :]  # q_i R' e_z
    turn = spatial.rotation_z(np.where(revolute, q, 0.0))
    return Configuration(turn @ chain.rotation, chain.position + shift, chain.centre + shift)


def tip_inverse_inertia(chain: Chain) -> Array:
    """I_{n,n+1}^-1 (6, 6): inverse inertia of the last link about O_{n+1}, frame n+1 (Fijany Eq. (69)).

    A constant for both joint types: a prismatic q_n moves S_n and P_n alike.
    """
    centre = chain.centre[-1] - chain.position[-1]
    return spatial.inverse_inertia(chain.mass[-1], np.linalg.inv(chain.inertia[-1]), centre)


@dataclass(frozen=True, eq=False)
class Body:
    """One moving link and its joint in the frames people write files in (the joint frame of URDF).

    The link's frame sits at its joint and turns with the link; at q = 0 it coincides with the joint's frame.
    """

    joint_name: str
    joint: str
    axis: Array
    """(3,), unit length, in the joint's frame."""
    rotation: Array
    """(3, 3): axes of the joint's frame in the frame of the previous link (or the base)."""
    position: Array
    """(3,) m: origin of the joint's frame in the frame of the previous link (or the base)."""
    mass: float
    centre: Array
    """(3,) m: centre of mass in the link's frame."""
    inertia: Array
    """(3, 3) kg m^2 about the centre of mass, in the link's axes."""


def assemble(name: str, bodies: Sequence[Body], tip_rotation: ArrayLike, tip_position: ArrayLike) -> Chain:
    """The chain of these bodies, base to tip, with the end effector's frame given in the last link's frame.

    Frame i is the joint's frame with a constant rotation a_i that takes z to the axis; the end effector's
    frame is kept as it is.
    """
    axes = [spatial.rotation_to(body.axis) for body in bodies]
    frames = [body.rotation @ a for body, a in zip(bodies, axes, strict=True)]  # frame i in link i-1
    frames.append(np.asarray(tip_rotation, dtype=np.float64))
    offsets = [body.position for body in bodies] + [np.asarray(tip_position, dtype=np.float64)]
    inward = [transposed(frame) for frame in frames[1:]]  # link i's axes to frame i+1
    return Chain(
        name=name,
        joints=tuple(body.joint for body in bodies),
        joint_names=tuple(body.joint_name for body in bodies),
        base_rotation=frames[0],
        base_position=offsets[0],
        rotation=np.array([transposed(a) @ frame for a, frame in zip(axes, frames[1:], strict=True)]),
        position=np.array([r @ p for r, p in zip(inward, offsets[1:], strict=True)]),
        centre=np.array([r @ body.centre for r, body in zip(inward, bodies, strict=True)]),
        mass=np.array([body.mass for body in bodies]),
        inertia=np.array([r @ body.inertia @ r.T for r, body in zip(inward, bodies, strict=True)]),
    )


def inertial_fault(mass: float, inertia: Array) -> str | None:
    """What makes this mass (kg) and inertia (3, 3) about the centre of mass unusable, with the way out; or
    None.

    The algorithm divides by the mass and inverts the inertia (Fijany Eq. (76)), although the mass matrix may
    be regular without them.
    """
    if not (np.isfinite(mass) and np.isfinite(inertia).all()):
        return "mass or inertia is not a finite number"
    if mass <= 0.0:
        return (
            f"mass is {mass:g} kg, and the algorithm divides by it; "
            "give the link its mass, or fix it to a neighbour (joint type fixed)"
        )
    if np.abs(inertia - inertia.T).max() > _SYMMETRY_TOLERANCE * np.abs(inertia).max():
        return "inertia is not symmetric; give Ixy = Iyx, Ixz = Izx, Iyz = Izy"
    moments = np.linalg.eigvalsh(inertia)
    text = ", ".join(f"{moment:.6g}" for moment in moments)
    if moments[0] <= 0.0:
        return (
            f"inertia is not positive definite (principal moments {text} kg m^2), and the algorithm inverts "
            "it; give the link its inertia, or fix it to a neighbour (joint type fixed)"
        )
    if moments[2] > (moments[0] + moments[1]) * (1.0 + _TRIANGLE_TOLERANCE):
        return (
            f"no body has the principal moments {text} kg m^2: the largest exceeds the sum of the others; "
            "check that the inertia is about the centre of mass"
        )
    return None


def _check(chain: Chain) -> None:
    n = chain.n
    if n == 0:
        raise InputError(f"robot '{chain.name}' has no joint; at least one is needed")
    if len(chain.joint_names) != n:
        raise InputError(f"robot '{chain.name}': {n} joints but {len(chain.joint_names)} joint names")
    for i, joint in enumerate(chain.joints, 1):
        if joint not in spatial.JOINT_TYPES:
            raise InputError(
                f"{chain.label(i)}: joint type '{joint}' is not supported; use revolute or prismatic"
            )
    shapes = {
        "base_rotation": (3, 3),
        "base_position": (3,),
        "rotation": (n, 3, 3),
        "position": (n, 3),
        "centre": (n, 3),
        "mass": (n,),
        "inertia": (n, 3, 3),
    }
    for field, shape in shapes.items():
        array = getattr(chain, field)
        if array.shape != shape:
            raise InputError(f"robot '{chain.name}': {field} has shape {array.shape}, expected {shape}")
        if not np.isfinite(array).all():
            if field.startswith("base"):
                raise InputError(f"robot '{chain.name}': {field} holds a number that is not finite")
            i = int(np.argwhere(~np.isfinite(array))[0, 0]) + 1
            raise InputError(f"{chain.label(i)}: {field} holds a number that is not finite")
    if _not_rotation(chain.base_rotation[None])[0]:
        raise InputError(f"robot '{chain.name}': base_rotation is not a rotation (R'R = U, det R = +1)")
    for index in np.flatnonzero(_not_rotation(chain.rotation))[:1]:
        raise InputError(f"{chain.label(int(index) + 1)}: rotation is not a rotation (R'R = U, det R = +1)")
    for index in np.flatnonzero(_suspicious(chain))[:1]:
        fault = inertial_fault(float(chain.mass[index]), chain.inertia[index])
        raise InputError(f"{chain.label(int(index) + 1)}: {fault}")


def _not_rotation(rotation: Array) -> NDArray[np.bool_]:
    error = np.abs(transposed(rotation) @ rotation - np.eye(3)).max(axis=(-1, -2))
    return np.asarray((error > _ROTATION_TOLERANCE) | (np.linalg.det(rotation) < 0.0))


def _suspicious(chain: Chain) -> NDArray[np.bool_]:
    """The test of `inertial_fault` for all links at once: true where it returns a text."""
    moments = np.linalg.eigvalsh(chain.inertia)
    asymmetry = np.abs(chain.inertia - transposed(chain.inertia)).max(axis=(-1, -2))
    return np.asarray(
        (chain.mass <= 0.0)
        | (asymmetry > _SYMMETRY_TOLERANCE * np.abs(chain.inertia).max(axis=(-1, -2)))
        | (moments[:, 0] <= 0.0)
        | (moments[:, 2] > (moments[:, 0] + moments[:, 1]) * (1.0 + _TRIANGLE_TOLERANCE))
    )
