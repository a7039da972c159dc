"""Chains from bodies and from arrays.

`assemble` takes bodies in the frames of files, where joint axes point anywhere. `of_table` takes the fields
of a `Chain` as a table of a problem file, and `arrays_of` makes that table: for arms made or altered in
Python, which no other file gives to the last bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from senn.algorithms.robots.chain import Branch, Chain
from senn.algorithms.spatial import Numbers, rotation_to, transposed


@dataclass(frozen=True, eq=False)
class Body:
    """One moving link and its joint in the frames people write files in (the joint frame of URDF).

    The link's frame sits at its joint and turns with the link; at q = 0 it coincides with the joint's frame.
    """

    joint_name: str
    joint: str
    axis: Numbers
    """(3,), unit length, in the joint's frame; the normal of a planar joint. A type without axis: z, and then
    frame i is the joint's frame."""
    rotation: Numbers  # (3, 3): axes of the joint's frame in the frame of the previous link (or the base)
    position: Numbers  # (3,) m: origin of the joint's frame in the frame of the previous link (or the base)
    mass: float
    centre: Numbers  # (3,) m: centre of mass in the link's frame
    inertia: Numbers  # (3, 3) kg m^2 about the centre of mass, in the link's axes
    pitch: float = 0.0  # m/rad, of a helical joint
    second_axis: Numbers | None = None
    """(3,), unit length, in the joint's frame at q = 0: the axis that a universal joint turns with its first.
    """
    limits: tuple[float, float] = (-np.inf, np.inf)
    """rad or m, of a joint of one coordinate; infinite where there is none."""

    @property
    def turn(self) -> Numbers:
        """a_i: (3, 3), axes of frame i in the joint's frame."""
        if self.second_axis is None:
            return rotation_to(self.axis)
        across = self.second_axis - (self.second_axis @ self.axis) * self.axis
        x = across / np.linalg.norm(across)
        return np.column_stack([x, np.cross(self.axis, x), self.axis])

    @property
    def parameter(self) -> float:
        """The parameter of the joint's type, as `Chain` has it."""
        if self.second_axis is None:
            return self.pitch
        sine = np.linalg.norm(np.cross(self.axis, self.second_axis))
        return float(np.arctan2(sine, float(self.second_axis @ self.axis)))


def assemble(
    name: str,
    bodies: Sequence[Body],
    tip_rotation: ArrayLike,
    tip_position: ArrayLike,
    branches: Sequence[Branch] = (),
    notes: tuple[str, ...] = (),
) -> Chain:
    """The chain of these bodies, base to tip, with the end effector's frame given in the last link's frame.

    Frame i is the joint's frame with a constant rotation a_i that takes z to the axis: the smallest, or that
    which takes the second axis of a universal joint to the xz plane. The end effector's frame is kept as it
    is. The base of a branch's chain is given in the frame of the link that it hangs on.
    """
    axes = [body.turn for body in bodies]
    frames = [body.rotation @ a for body, a in zip(bodies, axes, strict=True)]  # frame i in link i-1
    frames.append(np.asarray(tip_rotation, dtype=np.float64))
    offsets = [body.position for body in bodies] + [np.asarray(tip_position, dtype=np.float64)]
    inward = [transposed(frame) for frame in frames[1:]]  # link i's axes to frame i+1
    sides = list(branches)
    for k, (at, side) in enumerate((branch.at, branch.chain) for branch in branches):
        if 1 <= at <= len(inward):  # the constructor of the chain refuses others
            turn = inward[at - 1]
            rotation, position = turn @ side.base_rotation, turn @ (side.base_position - offsets[at])
            sides[k] = Branch(at, replace(side, base_rotation=rotation, base_position=position))
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
        parameters=np.array([body.parameter for body in bodies]),
        limits=np.array([body.limits for body in bodies]),
        branches=tuple(sides),
        notes=notes,
    )


# ------------------------------------------------------------------------ arrays in a problem file


class ArmTable(msgspec.Struct, forbid_unknown_fields=True):
    """The fields of a `Chain` in a file."""

    name: str
    joints: list[str]
    joint_names: list[str]
    base_rotation: list[list[float]]
    base_position: list[float]
    rotation: list[list[list[float]]]
    position: list[list[float]]
    centre: list[list[float]]
    mass: list[float]
    inertia: list[list[list[float]]]
    parameters: list[float] = []
    limits: list[list[float]] = []
    branches: list["_BranchTable"] = []
    notes: list[str] = []


class _BranchTable(msgspec.Struct, forbid_unknown_fields=True):
    at: int
    chain: ArmTable


def arrays_of(chain: Chain) -> dict[str, Any]:
    """The arm as the table of a file."""
    arrays = {name: getattr(chain, name) for name in ArmTable.__struct_fields__ if name != "branches"}
    sides = [{"at": branch.at, "chain": arrays_of(branch.chain)} for branch in chain.branches]
    return {**arrays, **({"branches": sides} if sides else {})}


def of_table(table: ArmTable) -> Chain:
    """The arm of such a table."""
    fields = msgspec.structs.asdict(table)
    texts = {name: tuple(fields[name]) for name in ("joints", "joint_names", "notes")}
    sides = tuple(Branch(side.at, of_table(side.chain)) for side in table.branches)
    return Chain(**fields | texts | {"branches": sides})
