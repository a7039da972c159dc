"""Programs of a few lines for hand-worked examples, and a machine whose every figure is a round number."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from senn.algorithms.arm import arm_of
from senn.algorithms.arm.letters import A, B, C, F, L
from senn.algorithms.programs.variants import solver
from senn.machine import rewrite
from senn.machine.model import Machine, Timing
from senn.machine.placing import allocation
from senn.machine.program import (
    Compute,
    Instruction,
    Kernel,
    Operations,
    ProcessSet,
    Program,
    Resident,
    Value,
    Wait,
    i,
    levels,
    loop,
)
from senn.machine.rewrite.lines import with_values

LEAN = arm_of(1)
"""Its blocks have five rows."""


def machine(
    startup: int = 10, word: int = 0, post: int = 1, receive: int = 0, hop: int = 0, **settings: Any
) -> Machine:
    """An addition takes a cycle, everything else nothing; a message takes 10 cycles on every channel."""
    free = Fraction(0)
    timing = Timing(
        multiply=free,
        add=Fraction(1),
        divide=free,
        trig=free,
        startup=Fraction(startup),
        word=Fraction(word),
        post=post,
        receive=receive,
        hop=Fraction(hop),
    )
    return Machine(name="round", clock_mhz=Fraction(1), timing=timing, **settings)


def total(cycles: int, name: str = "total", runs_without_operands: bool = False) -> Kernel:
    """The sum of the operands, in so many cycles."""

    def evaluate(*operands: np.ndarray | None) -> np.ndarray:
        present = [operand for operand in operands if operand is not None]
        return np.asarray(np.sum(present, axis=0))

    return Kernel(name, f"{name}({{0}}, ...)", evaluate, runs_without_operands, Operations(add=cycles))


def program(
    n: int,
    *streams: Iterable[Instruction],
    resident: Iterable[tuple[Value, int, ProcessSet | None] | tuple[Value, int]] = (),
    results: dict[str, tuple[int, Value]] | None = None,
) -> Program:
    """A program from its streams; a resident value is given with its array and, if not everywhere, where."""
    return Program(
        name="small",
        n=n,
        streams=tuple(tuple(stream) for stream in streams),
        resident=tuple(Resident(one[0], (one[1],), one[2] if len(one) > 2 else None) for one in resident),
        results=results or {},
    )


def home(n: int) -> np.ndarray:
    """Process i at node i - 1 at every level."""
    return allocation.named("identity", n, "home")


def elimination(n: int, cycles: int, *, ahead: bool = False) -> Program:
    """Step I.b alone, every compute of so many cycles.

    Array 2 takes C and F without doing anything, array 1 keeps A[M]: waits cost nothing.
    """

    def take(j: int, h: int) -> Iterable[Instruction]:
        yield Wait("take C", LEAN.sized(C[j - 1]))
        yield Wait("take F", LEAN.sized(F[j - 1]))

    first = [
        *(_costing(with_values(one, LEAN.sized), cycles) for one in solver(n).diagonalise()),
        Wait("keep A", LEAN.sized(A[levels(n)]), at=levels(n)),
    ]
    resident = [(LEAN.sized(A[0]), 1), (LEAN.sized(B[0]), 1, i < n), (LEAN.sized(L[0]), 1, i > 1)]
    alone = program(n, first, loop(n, take), resident=resident)
    return rewrite.ahead(rewrite.earlier(alone, "I.b.6", "I.b.9", "I.b.2")) if ahead else alone


def _costing(instruction: Instruction, cycles: int) -> Instruction:
    if not isinstance(instruction, Compute):
        return instruction
    kernels = tuple(
        replace(kernel, declared=Operations(add=cycles)) for kernel in instruction.expression.kernels
    )
    return replace(instruction, expression=replace(instruction.expression, kernels=kernels))
