"""What is wrong with a chain: numbers that no arm has, or that the algorithm cannot take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from senn.algorithms.robots import generator_words
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import PRISMATIC, REVOLUTE, Numbers, transposed
from senn.traces.errors import InputError, printable

if TYPE_CHECKING:
    from senn.algorithms.robots.chain import Chain

_ROTATION_TOLERANCE = 1e-9
_SYMMETRY_TOLERANCE = 1e-9
_TRIANGLE_TOLERANCE = 1e-6
_PARALLEL = 1e-6  # sine of the angle between the axes of a universal joint

WITH_BRANCHES = (REVOLUTE, PRISMATIC)
"""The types of joints of a side branch."""
LONGEST_NAME = 200
"""Characters of the name of a robot or a joint."""
MOST_BRANCH_JOINTS = 64
"""Joints that may hang on one link beside the main chain, in all its branches together. One process does all
their work, joint after joint, while the other processes of its array wait."""


def check(chain: Chain) -> None:
    """Refuse a chain that the algorithm cannot take; `InputError` names the link."""
    n = chain.n
    if n == 0:
        raise InputError(f"robot '{chain.name}' has no joint; at least one is needed")
    for name in (chain.name, *chain.joint_names):
        _check_name(chain, name)
    if len(chain.joint_names) != n:
        raise InputError(f"robot '{chain.name}': {n} joints but {len(chain.joint_names)} joint names")
    for i, joint in enumerate(chain.joints, 1):
        if joint not in JOINTS:
            raise InputError(f"{chain.label(i)}: joint type '{joint}' is not known; use {', '.join(JOINTS)}")
    if not chain.degrees:
        raise InputError(f"robot '{chain.name}' has welded joints only; at least one joint must move")
    shapes = {
        "base_rotation": (3, 3),
        "base_position": (3,),
        "rotation": (n, 3, 3),
        "position": (n, 3),
        "centre": (n, 3),
        "mass": (n,),
        "inertia": (n, 3, 3),
        "parameters": (n,),
        "limits": (n, 2),
    }
    for field, shape in shapes.items():
        array = getattr(chain, field)
        if array.shape != shape:
            raise InputError(f"robot '{chain.name}': {field} has shape {array.shape}, expected {shape}")
        if field != "limits" and not np.isfinite(array).all():
            if field.startswith("base"):
                raise InputError(f"robot '{chain.name}': {field} holds a number that is not finite")
            i = int(np.argwhere(~np.isfinite(array))[0, 0]) + 1
            raise InputError(f"{chain.label(i)}: {field} holds a number that is not finite")
    if _not_rotation(chain.base_rotation[None])[0]:
        raise InputError(f"robot '{chain.name}': base_rotation is not a rotation (R'R = U, det R = +1)")
    for index in np.flatnonzero(_not_rotation(chain.rotation))[:1]:
        raise InputError(f"{chain.label(int(index) + 1)}: rotation is not a rotation (R'R = U, det R = +1)")
    for index in np.flatnonzero(chain.parameters):
        _check_has_parameter(chain, int(index) + 1)
    for i, joint in enumerate(chain.joints, 1):
        if joint == "universal":
            _check_axes(chain, i)
        _check_limits(chain, i)
    for index in np.flatnonzero(_suspicious(chain))[:1]:
        fault = inertial_fault(float(chain.mass[index]), chain.inertia[index])
        raise InputError(f"{chain.label(int(index) + 1)}: {fault}")
    if chain.branches:
        _check_branches(chain)


def _check_name(chain: Chain, name: str) -> None:
    """Names go to tables, pictures, files and other programs."""
    if name is chain.name and generator_words.is_text(name):
        return
    if len(name) > LONGEST_NAME:
        raise InputError(
            f"robot '{chain.name}': the name '{name}' has {len(name):,} characters; "
            f"write at most {LONGEST_NAME}"
        )
    if printable(name) != name:
        raise InputError(
            f"robot '{chain.name}': the name '{name}' holds what cannot be printed; write letters"
        )


def _check_branches(chain: Chain) -> None:
    hanging = dict.fromkeys(range(1, chain.n + 1), 0)
    for one in chain.branches:
        if one.at not in hanging:
            raise InputError(
                f"robot '{chain.name}': branch '{one.chain.name}' hangs on link {one.at}, but the links are "
                f"1..{chain.n}; on the base, which does not move, it is a robot of its own"
            )
        hanging[one.at] += one.chain.degrees
    for name, joint in list(zip(chain.all_joint_names, chain.all_joints, strict=True))[chain.n :]:
        if joint not in WITH_BRANCHES:
            raise InputError(
                f"robot '{chain.name}': joint '{name}' of a side branch is {joint}, and there joints are "
                f"{' or '.join(WITH_BRANCHES)}; lead the main chain through it (another tip)"
            )
    for i, joints in hanging.items():
        if joints > MOST_BRANCH_JOINTS:
            raise InputError(
                f"{chain.label(i)}: {joints} joints hang on it beside the main chain, and one process takes "
                f"at most {MOST_BRANCH_JOINTS}; make some of them fixed, or lead the main chain through the "
                "longest branch (another tip)"
            )


def _check_has_parameter(chain: Chain, i: int) -> None:
    joint = JOINTS[chain.joints[i - 1]]
    if not joint.parameter:
        raise InputError(
            f"{chain.label(i)}: parameters has {chain.parameters[i - 1]:g}, and a {joint.name} joint has no "
            "parameter; write 0"
        )


def _check_limits(chain: Chain, i: int) -> None:
    low, high = chain.limits[i - 1].tolist()
    if not low < high:
        raise InputError(
            f"{chain.label(i)}: the limits {low:g} .. {high:g} leave no room; give the lower first"
        )
    if JOINTS[chain.joints[i - 1]].coordinates != 1 and (low, high) != (-np.inf, np.inf):
        raise InputError(
            f"{chain.label(i)}: the limits {low:g} .. {high:g} are of one number, and a "
            f"{chain.joints[i - 1]} joint stands at another count of them; leave them out"
        )


def _check_axes(chain: Chain, i: int) -> None:
    angle = float(chain.parameters[i - 1])
    if abs(np.sin(angle)) < _PARALLEL:
        raise InputError(
            f"{chain.label(i)}: the axes of a universal joint are {angle:g} rad apart, which is parallel; "
            "give the angle between them (pi/2 for a cardan joint), or make it a revolute joint"
        )


def inertial_fault(mass: float, inertia: Numbers, way_out: str = "") -> str | None:
    """What makes this mass (kg) and inertia (3, 3) about the centre of mass unusable, with the way out,
    unless the caller knows a better one; or None.

    The algorithm divides by the mass and inverts the inertia (Fijany Eq. (76)), although the mass matrix may
    be regular without them.
    """
    if not (np.isfinite(mass) and np.isfinite(inertia).all()):
        return "mass or inertia is not a finite number"
    if mass <= 0.0:
        fix = way_out or "give the link its mass, or fix it to a neighbour (joint type fixed)"
        return f"mass is {mass:g} kg, and the algorithm divides by it; {fix}"
    if np.abs(inertia - inertia.T).max() > _SYMMETRY_TOLERANCE * np.abs(inertia).max():
        return "inertia is not symmetric; give Ixy = Iyx, Ixz = Izx, Iyz = Izy"
    moments = np.linalg.eigvalsh(inertia)
    text = ", ".join(f"{moment:.6g}" for moment in moments)
    if not moments[0] > 0.0:
        fix = way_out or "give the link its inertia, or fix it to a neighbour (joint type fixed)"
        return (
            f"inertia is not positive definite (principal moments {text} kg m^2), and the algorithm inverts "
            f"it; {fix}"
        )
    if not moments[2] <= (moments[0] + moments[1]) * (1.0 + _TRIANGLE_TOLERANCE):
        return (
            f"no body has the principal moments {text} kg m^2: the largest exceeds the sum of the others; "
            + (way_out or "check that the inertia is about the centre of mass")
        )
    return None


def _not_rotation(rotation: Numbers) -> NDArray[np.bool_]:
    error = np.abs(transposed(rotation) @ rotation - np.eye(3)).max(axis=(-1, -2))
    return np.asarray((error > _ROTATION_TOLERANCE) | (np.linalg.det(rotation) < 0.0))


def _suspicious(chain: Chain) -> NDArray[np.bool_]:
    """The test of `inertial_fault` for all links at once: true where it returns a text."""
    moments = np.linalg.eigvalsh(chain.inertia)
    asymmetry = np.abs(chain.inertia - transposed(chain.inertia)).max(axis=(-1, -2))
    return np.asarray(
        (chain.mass <= 0.0)
        | (asymmetry > _SYMMETRY_TOLERANCE * np.abs(chain.inertia).max(axis=(-1, -2)))
        | ~(moments[:, 0] > 0.0)  # also where they overflow
        | ~(moments[:, 2] <= (moments[:, 0] + moments[:, 1]) * (1.0 + _TRIANGLE_TOLERANCE))
    )
