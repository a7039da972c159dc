"""Operations of every kernel, as reviewed; their totals are those of the algorithm."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from senn.algorithms import blocks
from senn.algorithms.blocks import Blocks
from senn.algorithms.kernels import (
    articulated,
    assembly,
    branches,
    columns,
    end_effector,
    jets,
    joints,
    link,
    operators,
    system,
    two_port_links,
    two_ports,
)
from senn.algorithms.programs import variants
from senn.machine.program import Compute, Kernel, Operations, by_process, value
from senn.machine.program.counting import Scalar, Tally
from tests.algorithms.kernels.uses import PRISMATIC, REVOLUTE, reached, uses

MODULES = (
    *(articulated, assembly, branches, columns, end_effector, jets, joints, link, operators),
    *(system, two_port_links, two_ports),
)
RNG = np.random.default_rng(39)

# ------------------------------------------------------------------------ the kernels

GOLDEN = Path(__file__).parent / "operation_counts.txt"


def operation_counts() -> str:
    """A line for every kernel and shapes of its operands: multiplications, additions, divisions, sines and
    cosines, and of those that have any, comparisons and roots; by presence, where operands are optional (-
    for one that is absent)."""
    lines = set()
    for use in uses():
        shapes = " ".join("x".join(map(str, shape)) or "1" for shape in use.shapes)
        counts = []
        for present in use.presences():
            mask = "" if all(present) else "".join("-+"[x] for x in present) + " "
            cost = use.kernel.cost(*use.shapes, present=present)
            kinds = list(cost) if cost.compare or cost.root else list(cost)[:4]
            counts.append(mask + " ".join(map(str, kinds)))
        lines.add(f"{use.kernel.name} {shapes}: {' | '.join(counts)}\n")
    return "".join(sorted(lines))


def test_operation_counts_are_the_reviewed_ones() -> None:
    """A change of a kernel that changes its cost shows here.

    `python -m tests.algorithms.kernels.test_kernels` writes the file anew; review the difference.
    """
    assert operation_counts().splitlines() == GOLDEN.read_text(encoding="utf-8").splitlines()


def test_three_processes_need_three_times_the_operations_of_one() -> None:
    """For every set of optional operands that may be present; the result has the shape of its value."""
    for use in uses():
        for present in use.presences():
            tally = Tally()
            operands = (
                tally.scalars(3, *shape) if there else None
                for shape, there in zip(use.shapes, present, strict=True)
            )
            result = use.kernel.evaluate(*operands)
            assert result.shape == (3, *use.shape), use
            assert reached(tally, result) == use.kernel.cost(*use.shapes, present=present).times(3), use


def test_a_process_computes_the_same_bits_alone_and_in_32_bits_if_given_them() -> None:
    """So no engine and no allocation, which group the lanes, can change a result; no constant widens it, and
    operands are only read."""
    for use in uses():
        for present in use.presences():
            operands = [
                RNG.standard_normal((3, *shape), dtype=np.float32) if there else None
                for shape, there in zip(use.shapes, present, strict=True)
            ]
            for operand in (x for x in operands if x is not None):
                operand.setflags(write=False)
            with np.errstate(all="ignore"):  # numbers drawn at random may overflow
                together = use.kernel.evaluate(*operands)
                assert together.dtype == np.float32, use
                for k in range(3):
                    alone = use.kernel.evaluate(*(x if x is None else x[k : k + 1] for x in operands))
                    np.testing.assert_array_equal(alone[0], together[k], err_msg=use.kernel.name)


def test_what_a_wide_kernel_makes_and_nobody_reads_is_free() -> None:
    """W' (I_i^-1 + I_{i-1,i}^-1) W of a planar joint has 3 x 3 entries: 6 sums, and not the 21 of both."""
    assert operators.diagonal("planar", 3).cost((21,), (21,)) == Operations(add=6)
    # -W' I^-1 C6 P^ W with the rows 0, 1 and 5 of both, by hand, a row: two entries of the moment and one of
    # the force are 9 products and 6 sums; the third of moment x P, 2 and 1, is added to the force, 1.
    assert operators.coupling("planar", "planar", 5).cost((21,), (3, 3), (3,)) == Operations(33, 24)


def test_a_welded_joint_is_driven_by_no_torque() -> None:
    """Whatever stands in the row of a wide arm."""
    operands = (RNG.standard_normal((2, *shape)) for shape in ((21,), (6,), (6, 6), (6,)))
    assert not two_port_links.drive_of(0).evaluate(*operands).any()


def test_every_order_of_pivots_costs_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """All 24 orders in which the rows of a 4x4 block can become pivots: count and solution."""
    monkeypatch.setattr(blocks, "_largest", lambda column: np.abs(column).argmax(axis=-1))
    for order in permutations(range(4)):
        tally, dominant = Tally(), np.zeros((1, 4, 4))
        dominant[0, order, range(4)] = 10.0
        matrix = dominant + RNG.uniform(-1, 1, (1, 4, 4))
        x = RNG.standard_normal((1, 4))
        solution = blocks.pivoted(valued(tally, matrix), valued(tally, x))
        assert tally.operations == Operations(36, 26, 4)  # by hand: 6 + 20 + 6 + 4, 20 + 6
        numbers = np.array([[entry.number for entry in row] for row in solution])
        np.testing.assert_allclose(numbers, np.linalg.solve(matrix, x[..., None])[..., 0], rtol=1e-13)
        np.testing.assert_array_equal(numbers, blocks.pivoted(matrix, x))


def valued(tally: Tally, numbers: np.ndarray) -> np.ndarray:
    """Counted scalars with values, which decide which pivot is taken."""
    return np.frompyfunc(lambda number: Valued(tally, float(number)), 1, 1)(numbers)


class Valued(Scalar):
    """A counted scalar with a value."""

    def __init__(self, tally: Tally, number: float) -> None:
        super().__init__(tally, -1)
        self.number = number

    def _as(self, counted: Scalar, number: float) -> Valued:
        return Valued(self.tally, number)

    def __mul__(self, other: object) -> Valued:
        return self._as(super().__mul__(other), self.number * _number(other))

    def __sub__(self, other: object) -> Valued:
        return self._as(super().__sub__(other), self.number - _number(other))

    def __rtruediv__(self, other: object) -> Valued:
        return self._as(super().__rtruediv__(other), _number(other) / self.number)

    def __abs__(self) -> Valued:
        return Valued(self.tally, abs(self.number))

    def __gt__(self, other: object) -> bool:
        return self.number > _number(other)

    def __int__(self) -> int:
        return int(self.number)


def _number(value: Any) -> float:
    return value.number if isinstance(value, Valued) else float(value)


def test_pivoting_keeps_elimination_accurate() -> None:
    """A tiny entry in the corner, which without an exchange of rows would cost all digits."""
    matrix = np.array([[[1e-20, 1.0], [1.0, 1.0]]])
    np.testing.assert_array_equal(blocks.pivoted(matrix, np.array([[1.0, 2.0]])), [[1.0, 1.0]])


def named_kernels(module: ModuleType) -> Iterator[tuple[str, Kernel]]:
    """The kernels of a module and of its tables by joint type."""
    for name, thing in vars(module).items():
        for key, kernel in thing.items() if isinstance(thing, dict) else ((None, thing),):
            if isinstance(kernel, Kernel):
                yield (f"{name}[{key!r}]" if key else name), kernel


def test_every_kernel_is_used_by_a_program() -> None:
    """So none is untested, and none is dead; a factory by the names of what it makes."""
    used = {id(use.kernel) for use in uses()}
    names = {use.kernel.name.split(".")[0] for use in uses()}
    for module in MODULES:
        assert [name for name, kernel in named_kernels(module) if id(kernel) not in used] == []
        factories = [
            name.lstrip("_")
            for name, thing in vars(module).items()
            if hasattr(thing, "cache_info") and thing.__module__ == module.__name__
        ]
        assert set(factories) <= names


def by_joint() -> Iterator[tuple[str, Kernel, Kernel]]:
    for module in MODULES:
        for name, family in vars(module).items():
            if hasattr(family, "cache_info"):
                parameters = inspect.signature(family).parameters.values()
                if [x.name for x in parameters if x.kind is x.KEYWORD_ONLY] == ["joint"]:
                    yield name, family(REVOLUTE), family(PRISMATIC)
    for factory in (operators.joint_wrench, operators.constraint_wrench):
        for other in (REVOLUTE, PRISMATIC):
            yield factory.__name__, factory(other, REVOLUTE), factory(other, PRISMATIC)
            yield factory.__name__, factory(REVOLUTE, other), factory(PRISMATIC, other)
    for whole in (False, True):
        pair = (link.coupling(own, whole=whole) for own in (REVOLUTE, PRISMATIC))
        yield ("coupling", *pair)


def test_joint_types_keep_their_own_kernels() -> None:
    """Two kernels taken for one would treat all joints like the first; messages tell them apart by name."""
    for name, revolute, prismatic in by_joint():
        expression = by_process([revolute, prismatic])(value("x", 6))
        assert [id(kernel) for kernel in expression.kernels] == [id(revolute), id(prismatic)], name
        assert expression.choice == (0, 1)
        assert revolute.name != prismatic.name


# ------------------------------------------------------------------------- the totals


def total(form: str, *steps: str) -> Operations:
    """What an interior process executes in these steps, in a level the first; revolute joints."""
    program = variants.closed_chain(6, form)
    lines = [
        line
        for line in (line for stream in program.streams for line in stream)
        if isinstance(line, Compute) and line.level in (None, 1) and line.step in steps
    ]
    assert sorted(line.step for line in lines) == sorted(steps)
    found = Operations()
    for line in lines:
        (kernel,) = line.expression.kernels
        found += line.operations(kernel)
    return found


NEWTON_EULER = (  # with s_i and p_i turned to frame N+1, and F_T
    *("II.a.3.ii", "II.a.3.iii", "II.b.1.i", "II.b.1.ii", "II.b.1.iii", "II.b.1.iv"),
    *("II.b.1.v.i", "II.b.1.v.ii", "II.b.1.v.iii", "II.b.1.v.iv"),
    *("II.b.1.vii.i'", "II.b.1.vii", "II.b.1.viii", "II.b.2"),
)


@pytest.mark.parametrize(
    ("form", "steps", "expected"),
    [
        # Step I.a; Rz J Rz' takes 8 multiplications and 8 additions
        ("short", ("I.a.1", "I.a.2", "I.a.4", "I.a.5"), Operations(82, 63, 0, 2)),
        # Step I.b
        ("short", ("I.b.1",), Operations(30, 20, 5)),
        ("short", ("I.b.2",), Operations(125, 100)),
        ("short", ("I.b.4",), Operations(75, 60)),
        ("short", ("I.b.6",), Operations(125, 100)),
        ("short", ("I.b.8",), Operations(75, 60)),
        ("short", ("I.b.10",), Operations(125, 100)),
        ("short", ("I.b.1", "I.b.2", "I.b.4", "I.b.6", "I.b.8", "I.b.10", "I.b.12"), Operations(555, 470, 5)),
        # psi update of one level: 1 and 6 right-hand sides, full and tip form; then phi
        ("short", ("II.c.3.i", "II.c.3.iii", "II.c.3.v"), Operations(50, 50)),
        ("short", ("II.c.3.v",), Operations(0, 10)),
        ("paper", ("I.c.2.i", "I.c.2.iii", "I.c.2.v"), Operations(300, 300)),
        ("short", ("IV.b.1.c.3.iii",), Operations(25, 20)),
        ("omega", ("I.c.2'.c.3.iii",), Operations(150, 120)),
        ("short", ("II.c.4.i",), Operations(25, 20)),
        ("paper", ("I.c.3.i",), Operations(150, 120)),
        # Theta, Lambda^-1
        ("short", ("I.c.3",), Operations(255, 204)),
        ("paper", ("I.c.3.i", "I.c.3.ii"), Operations(255, 204)),
        ("short", ("I.c.4",), Operations(0, 21)),
        # M^-1 around A^-1: X^1 and X^2; X^4, X^5 and Qdd
        ("short", ("II.b.4.ii", "II.b.5.i", "II.b.5.iii"), Operations(45, 36)),
        ("short", ("II.c.5.ii", "II.c.6", "II.c.7.i", "II.c.7.iii"), Operations(63, 63)),
        # II.a one level, a scan of 3-vectors, Newton-Euler, IV.a, the row Y_i with the subtraction
        ("paper", ("II.a.2.ii",), Operations(27, 18)),
        ("paper", ("II.b.1.iv.ii",), Operations(0, 3)),
        ("paper", NEWTON_EULER, Operations(120, 93)),
        ("paper", ("IV.a.2",), Operations(9, 8)),
        ("omega", ("IV.b.2",), Operations(6, 6)),
    ],
)
def test_totals_of_the_algorithm(form: str, steps: tuple[str, ...], expected: Operations) -> None:
    """Operation counts of one process, derived by hand from the formulas of Fijany VI.D."""
    assert total(form, *steps) == expected


SIX = (6, 1)


@pytest.mark.parametrize(
    ("routine", "shapes", "expected"),
    [
        (blocks.factor, [(21,)], Operations(50, 35, 6)),
        (blocks.substitute, [(21,), SIX], Operations(36, 30)),
        (
            lambda c, p, x, y: y - blocks.turned(c, blocks.shifted(p, x)),
            [(3, 3), (3,), SIX, SIX],
            Operations(24, 24),
        ),
        (lambda j, y: blocks.times(blocks.full(j), y), [(21,), SIX], Operations(36, 30)),
    ],
    ids=["LDL' 6x6", "solve 6x6", "R y", "I^-1 y"],
)
def test_totals_of_block_arithmetic(
    routine: Callable[..., Blocks], shapes: list[tuple[int, ...]], expected: Operations
) -> None:
    tally = Tally()
    routine(*(tally.scalars(1, *shape) for shape in shapes))
    assert tally.operations == expected


if __name__ == "__main__":
    GOLDEN.write_text(operation_counts(), encoding="utf-8")
