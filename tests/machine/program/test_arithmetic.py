"""The arithmetic of kernels as graphs: chains by hand, Brent's and Graham's bounds, declared counts."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from senn.algorithms.kernels import system
from senn.algorithms.programs import star, variants
from senn.base.errors import InputError
from senn.machine.program import Compute, Expression, Kernel, Operations, Program

EQUAL = (1, 1, 1, 1, 1, 1)
ANY = 10**6


def kernels(*programs: Program) -> Iterator[tuple[Expression, Kernel, list[tuple[int, ...]]]]:
    for program in programs:
        for stream in program.streams:
            for line in stream:
                if isinstance(line, Compute):
                    shapes = [operand.value.shape for operand in line.expression.operands]
                    for kernel in line.expression.kernels:
                        yield line.expression, kernel, shapes


@pytest.mark.parametrize(
    ("kernel", "shapes", "chain"),
    [
        # reciprocal, times, times, minus for each pivot but the last, which is a reciprocal
        (system.ldl, [(15,)], Operations(8, 4, 5)),
        # down: times and minus for each row but the first; times the reciprocal; up as down
        (system.solve, [(15,), (5, 5)], Operations(9, 8)),
        # a product, and four additions one after the other
        (system.transposed_product, [(5, 5), (5, 5)], Operations(1, 4)),
    ],
)
def test_longest_chains_by_hand(kernel: Kernel, shapes: list[tuple[int, ...]], chain: Operations) -> None:
    assert kernel.graph(*shapes).shared(ANY, EQUAL) == chain


def test_every_operation_is_in_the_graph_and_one_unit_does_them_all() -> None:
    for _, kernel, shapes in kernels(variants.closed_chain(4), star.program(4)):
        graph = kernel.graph(*shapes)
        assert graph.operations == kernel.cost(*shapes), kernel
        assert graph.shared(1, EQUAL) == graph.operations


def test_a_schedule_is_no_shorter_than_brent_allows_and_no_longer_than_graham() -> None:
    """With operations of one cycle: max(W / k, D) <= T <= W / k + (1 - 1 / k) D."""
    for _, kernel, shapes in kernels(variants.closed_chain(4)):
        graph = kernel.graph(*shapes)
        work, depth = graph.operations.flops, graph.shared(ANY, EQUAL).flops
        for k in (2, 3, 7, 36):
            taken = graph.shared(k, EQUAL).flops
            share = Fraction(work, k)
            assert max(share, depth) <= taken <= share + (1 - Fraction(1, k)) * depth, (kernel, k)


def test_what_is_on_the_chain_depends_on_the_times() -> None:
    """(a b + c) beside a / b: the division is on the longest way where it takes longer than the other two."""

    def evaluate(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.stack([a * b + a, a / b], axis=-1)

    kernel = Kernel("two", "{0} {1}", evaluate)
    graph = kernel.graph((), ())
    assert graph.shared(2, EQUAL) == Operations(1, 1)
    assert graph.shared(2, (1, 1, Fraction(5, 2), 1, 1, 1)) == Operations(divide=1)
    assert graph.shared(1, (0,) * 6) == Operations(1, 1, 1)


def test_a_kernel_whose_cost_is_declared_has_no_graph() -> None:
    kernel = Kernel("root", "{0}", np.sqrt, declared=Operations(root=3))
    with pytest.raises(InputError, match="the kernel root does not show its arithmetic"):
        kernel.graph((3,))
