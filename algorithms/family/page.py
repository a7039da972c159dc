"""A page of the serial family: what it answers, of what order it is, whose it is, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from senn.algorithms.answers import ANSWERS
from senn.algorithms.blocks import Blocks
from senn.algorithms.family.arm import NOTHING_HELD, Arm
from senn.algorithms.family.closing import Started, at_tip, held, of_contact
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.machine.program import Operations


@dataclass(frozen=True)
class Held:
    """A forward dynamics in contact."""

    answers: tuple[str, ...]
    """The names under which `solve` has them."""
    operations: Callable[[int, ContactShape], Operations]
    """For n revolute joints, in a contact of this shape."""
    on_arm: Callable[[Arm, Blocks, Blocks, Blocks], Any]
    """What these count but for what is `apart`: accelerations, flat, for an arm, its torques,
    columns W (6, m) and their prescribed accelerations (m,)."""
    apart: Callable[[ContactShape], Operations]
    """The contact's own equations: kernels, whose counts are declared with them."""


@dataclass(frozen=True)
class Page:
    """One algorithm of the family."""

    name: str
    title: str
    answer: str
    """The name under which `solve` has it."""
    order: str
    """Of the open chain, in its degrees of freedom N."""
    source: str
    solve: Callable[[Problem], dict[str, Blocks]]
    operations: Callable[[int], Operations]
    """For n revolute joints, open chain."""
    on_arm: Callable[[Arm, Blocks], Any]
    """What `operations` counts: the answer for an arm and its accelerations or torques, flat; at the end
    effector for a vector (6,)."""
    branched: bool = True
    """Whether it takes side branches."""
    held: Held | None = None
    """Of a forward dynamics, how it takes a contact."""

    @property
    def question(self) -> str:
        return ANSWERS[self.answer].question


def inverse(torques: Callable[[Arm, list[Blocks]], Any]) -> Callable[[Arm, Blocks], Any]:
    """`on_arm` of inverse dynamics."""
    return lambda arm, qdd: torques(arm, arm.split(qdd))


def matrix(made: Callable[[Arm], Blocks]) -> Callable[[Arm, Blocks], Any]:
    """`on_arm` of a matrix."""
    return lambda arm, _: made(arm)


def table_one(
    open_chain: Started, operations: Callable[[int], Operations], closing: Callable[[int], Operations]
) -> Held:
    """A contact by Fijany Table I around the open chain; on an arm, under any force."""

    def on_arm(arm: Arm, tau: Blocks, directions: Blocks, prescribed: Blocks) -> Blocks:
        free = open_chain(arm, tau)
        tip = at_tip(arm, free)
        return held(free, tip, tip.acceleration)

    def in_contact(n: int, shape: ContactShape) -> Operations:
        if shape == NOTHING_HELD:
            return operations(n)
        return operations(n) + closing(n) + of_contact(shape)

    names = ("qdd", "force", "lambda_inverse", "qdd0", "acceleration0")
    return Held(names, in_contact, on_arm, of_contact)


def answered(page: Page, problem: Problem | None, shape: ContactShape) -> tuple[str, ...]:
    """The names of what it finds: of a free tip its answer, in contact all; where a given force presses, and
    nothing is held, the accelerations and that force."""
    if page.held is None or (problem is not None and problem.contact.kind == "none"):
        return (page.answer,)
    return ("qdd", "force") if shape == NOTHING_HELD else page.held.answers
