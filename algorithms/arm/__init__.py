"""The arm that a program is for, with the operators of the paper as lines of programs.

`letters`: the nomenclature, every value once. `sides`: side branches. `arm`: revolute and prismatic joints,
and what all arms have. `wide`: joints of any type. `arm_of` chooses between the two.
"""

from __future__ import annotations

from collections.abc import Sequence

from senn.algorithms.arm.arm import Arm
from senn.algorithms.arm.sides import Lines
from senn.algorithms.arm.wide import Wide
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.robots.side_tree import SideTree, check_side_trees
from senn.algorithms.spatial import PRISMATIC, REVOLUTE
from senn.base.errors import InputError
from senn.machine.program.values import LONGEST

__all__ = ["Arm", "Lines", "arm_of", "is_wide", "joint_types"]


def arm_of(
    n: int,
    joints: Sequence[str] | None = None,
    contact: int | ContactShape = 6,
    branches: Sequence[SideTree] = (),
    *,
    wide: bool = False,
) -> Arm:
    """An arm of n links: its joints (default: all revolute), the contact (a number n_c means Type I) and what
    hangs beside the chain. `InputError` for what no program is made for. `wide`: taken as an arm with joints
    of any type, also where there are none but revolute and prismatic ones.

    >>> type(arm_of(7)).__name__, type(arm_of(2, ("spherical", "revolute"))).__name__
    ('Arm', 'Wide')
    """
    types, shape = joint_types(n, joints), ContactShape.of(contact)
    check_side_trees(branches, n)
    wide = wide or is_wide(types)
    return (Wide if wide else Arm)(types, shape, tuple(branches))


def is_wide(joints: Sequence[str]) -> bool:
    """Whether a joint is neither revolute nor prismatic."""
    return not set(joints) <= {REVOLUTE, PRISMATIC}


def joint_types(n: int, joints: Sequence[str] | None) -> tuple[str, ...]:
    """The joint types given, or all revolute; `InputError` for what no program is made for."""
    if n < 1:
        raise InputError(f"n = {n}: an arm has at least one link")
    if n > LONGEST:
        raise InputError(f"n = {n}: this machine model is made for at most {LONGEST:,} links")
    types = tuple(joints) if joints is not None else ("revolute",) * n
    if len(types) != n or not set(types) <= set(JOINTS):
        raise InputError(f"joints: {n} joint types, each one of {', '.join(JOINTS)}, are needed")
    if set(types) == {"welded"}:
        raise InputError("joints: all are welded, and nothing can move; one joint of another type is needed")
    return types
