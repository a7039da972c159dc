"""Step I of divide and conquer: the factor of a joint, and the inertias of the body that it makes of two."""

from __future__ import annotations

from functools import cache

from senn.algorithms.blocks import (
    Blocks,
    factor,
    restricted,
    substitute,
    symmetric_product,
    times,
    transposed,
)
from senn.algorithms.kernels.assembly.order import W_ROWS, joint_order, pivots
from senn.machine.program import Kernel


@cache
def joint_factor(joint: str) -> Kernel:
    """From Phi_1 of the outer body and Phi_2 of the inner one."""

    def evaluate(after: Blocks, before: Blocks) -> Blocks:
        return factor(restricted(after + before, joint_order(joint)), pivots(joint))

    return Kernel(f"joint_factor.{joint}", "ldl({0} + {1})", evaluate)


@cache
def base_factor(joint: str) -> Kernel:
    """The same where the inner body is the base, which does not move."""

    def evaluate(after: Blocks) -> Blocks:
        return factor(restricted(after, joint_order(joint)), pivots(joint))

    return Kernel(f"base_factor.{joint}", "ldl({0})", evaluate)


def _through(joint: str, name: str, text: str, *, turned: bool) -> Kernel:
    def evaluate(ldl: Blocks, coupling: Blocks) -> Blocks:
        x = transposed(coupling) if turned else coupling
        return substitute(ldl, x[..., joint_order(joint), :], pivots(joint))

    return Kernel(f"{name}.{joint}", text, evaluate)


@cache
def through_outer(joint: str) -> Kernel:
    """K+, 6x6 in joint order: what a force on the far handle of the outer body does at the joint; from its
    Phi_12."""
    return _through(joint, "through_outer", "{0}^-1 {1}", turned=False)


@cache
def through_inner(joint: str) -> Kernel:
    """K-: the same of the inner body, from its Phi_12'."""
    return _through(joint, "through_inner", "{0}^-1 {1}'", turned=True)


@cache
def freed_outer(joint: str) -> Kernel:
    """What Phi_2 of the outer body loses as the inner body holds its joint: Phi_21 W (W'YW)^-1 W' Phi_12."""

    def evaluate(coupling: Blocks, k: Blocks) -> Blocks:
        return symmetric_product(coupling[..., W_ROWS[joint], :], k[..., : pivots(joint), :])

    return Kernel(f"freed_outer.{joint}", "{0}' W {1}", evaluate)


@cache
def freed_inner(joint: str) -> Kernel:
    """The same for Phi_1 of the inner body."""

    def evaluate(coupling: Blocks, k: Blocks) -> Blocks:
        return symmetric_product(transposed(coupling)[..., W_ROWS[joint], :], k[..., : pivots(joint), :])

    return Kernel(f"freed_inner.{joint}", "{0} W {1}", evaluate)


@cache
def coupled(joint: str) -> Kernel:
    """Phi_12 of the assembled body: Phi_12 of the inner one, W (W'YW)^-1 W', Phi_12 of the outer one."""

    def evaluate(coupling: Blocks, k: Blocks) -> Blocks:
        return times(coupling[..., W_ROWS[joint]], k[..., : pivots(joint), :])

    return Kernel(f"coupled.{joint}", "{0} W {1}", evaluate)
