"""Which program of the closed chain: its form, how A is eliminated, and which array does which part.

The paper says "a variety of multilevel parallel implementations" (VI.C); it details two arrays, 2N
processors. Where a part of the work lives is one value here, an `Array`; the generators of the parts take it
as it is, and what stays inside one array is not sent.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from senn.algorithms.arm import padding
from senn.algorithms.problems.contact.shape import ContactShape
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.robots.side_tree import SideTree, check_side_trees
from senn.algorithms.spatial import AXIS_ROW
from senn.algorithms.system.elimination import Elimination
from senn.machine.program import Array, Where, levels
from senn.machine.program.values import LARGEST
from senn.traces.errors import InputError

FORMS = ("paper", "short", "omega")
ELIMINATIONS = ("odd-even elimination", "odd-even reduction")
STRATEGIES = (1, 2)
WIDTHS = (1, 2, 3, 8)
REFINEMENTS = (0, 1, 2)


def check_size(n: int) -> None:
    """`InputError` for numbers of links that no program is made for."""
    if n < 1:
        raise InputError(f"n = {n}: an arm has at least one link")
    if n > LARGEST:
        raise InputError(f"n = {n}: this machine model is made for at most {LARGEST:,} links")


def joint_types(n: int, joints: Sequence[str] | None) -> tuple[str, ...]:
    """The joint types of a program for n processes: those given, or all revolute."""
    check_size(n)
    types = tuple(joints) if joints is not None else ("revolute",) * n
    if len(types) != n or not set(types) <= set(JOINTS):
        raise InputError(f"joints: {n} joint types, each one of {', '.join(JOINTS)}, are needed")
    if set(types) == {"welded"}:
        raise InputError("joints: all are welded, and nothing can move; one joint of another type is needed")
    return types


def refuse_wide(joints: Sequence[str], what: str) -> None:
    """`InputError` where a joint is neither revolute nor prismatic; `what` is who takes no others."""
    wide = sorted(set(joints) - set(AXIS_ROW))
    if wide:
        raise InputError(
            f"joints: {what} is written for revolute and prismatic joints, not {', '.join(wide)}: choose "
            "another algorithm"
        )


@dataclass(frozen=True)
class Variant:
    """The arguments of `senn.algorithms.programs.closed_chain.program`, checked, and what follows from
    them."""

    n: int
    form: str
    refine: int
    joints: tuple[str, ...]
    contact: ContactShape
    strategy: int
    elimination: str
    arrays: int
    ahead: bool
    closed: bool = True
    """False: nothing touches the end effector, and what serves the contact alone is left out."""
    branches: tuple[SideTree, ...] = ()

    def __post_init__(self) -> None:
        check_size(self.n)
        if self.form not in FORMS:
            raise InputError(f'form "{self.form}" is not one of {", ".join(FORMS)}')
        if self.refine not in REFINEMENTS:
            raise InputError(f"refine = {self.refine}: 0, 1 or 2 (already the second step gains nothing)")
        if self.strategy not in STRATEGIES:
            raise InputError(
                f"strategy {self.strategy}: 1 (the owner of a row computes its update) or 2 (the owner of an "
                "inverse computes all that needs it)"
            )
        if self.elimination not in ELIMINATIONS:
            raise InputError(f'elimination "{self.elimination}" is not one of {", ".join(ELIMINATIONS)}')
        check_side_trees(self.branches, self.n)
        if self.branches:
            refuse_wide(self.joints, "a program with side branches")
        self._check_width()

    def _check_width(self) -> None:
        if self.arrays not in WIDTHS:
            raise InputError(
                f"{self.arrays} arrays: the program is written for 1, 2, 3 (Newton-Euler apart) or 8 (each "
                "right-hand side of Eq. (84) apart)"
            )
        if self.arrays == 8 and self.form == "short":
            raise InputError(
                "8 arrays take one right-hand side of Eq. (84) each, but form short has no sweep of six "
                "right-hand sides (psi_N^M = E_N): choose form paper, or 1, 2 or 3 arrays"
            )
        if self.arrays == 8 and self.form == "omega":
            raise InputError(
                "8 arrays take one right-hand side of Eq. (84) each, but the six of form omega end in rows "
                "of M^-1 J' that need all of them in one array: choose form paper, or 1, 2 or 3 arrays"
            )

    @property
    def branched(self) -> Where:
        """The processes whose link has branches."""
        return Where(tuple((tree.at, tree.at) for tree in self.branches))

    @property
    def plain(self) -> Where | None:
        """The others; None: all."""
        ends = [0, *(tree.at for tree in self.branches), self.n + 1]
        between = ((a + 1, b - 1) for a, b in itertools.pairwise(ends))
        return Where(tuple((a, b) for a, b in between if a <= b)) if self.branches else None

    @property
    def branched_tip(self) -> bool:
        """Whether the last link has branches."""
        return any(tree.at == self.n for tree in self.branches)

    @property
    def width(self) -> int:
        """The most joints that hang on one link beside the main chain."""
        return max((tree.size for tree in self.branches), default=0)

    @property
    def levels(self) -> int:
        """M."""
        return levels(self.n)

    @property
    def wide(self) -> bool:
        """Whether there are joints that are neither revolute nor prismatic
        (`senn.algorithms.arm.padding`)."""
        return padding.is_wide(self.joints)

    @property
    def size(self) -> int:
        """The rows of a block of A."""
        return padding.rows(self.joints)

    @property
    def eliminating(self) -> Array:
        """Diagonalises A and makes Lambda^-1: Step I."""
        return Array(1)

    @property
    def solving(self) -> Array:
        """Applies M^-1: Steps II.b.2 to IV."""
        return Array(min(self.arrays, 2))

    @property
    def moving(self) -> Array:
        """Newton-Euler: Steps II.a and II.b.1."""
        return Array(3) if self.arrays == 3 else self.solving

    @property
    def columns(self) -> tuple[Array, ...]:
        """One right-hand side of Eq. (84) each; none: the eliminating array has all six."""
        return tuple(Array(k) for k in range(3, 9)) if self.arrays == 8 else ()

    @cached_property
    def how(self) -> Elimination:
        """How A phi = psi is solved, where."""
        return Elimination(
            self.n,
            self.strategy,
            self.elimination == "odd-even reduction",
            self.ahead,
            self.refine,
            self.eliminating,
            self.solving,
            self.columns,
            self.size,
        )
