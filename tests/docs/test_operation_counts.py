"""Formulas in n for whole programs, against what kernels, engines and counting scalars execute."""

from fractions import Fraction

import pytest

import senn
from experiments.pages.operation_counts import SMALLEST, TERMS, TRIED, formula
from senn.algorithms.programs import divide_and_conquer, operational_space, variants
from senn.algorithms.programs.free import inverse_dynamics
from senn.machine.engines.memory import executed, kernel_groups
from senn.machine.program import Compute, Operations, Program, levels
from senn.machine.program.counting import Tally
from senn.machine.program.dataflow import flow
from tests.algorithms.kernels.uses import reached

REDUCTION = "oer"
PROGRAMS = {
    "paper": variants.closed_chain,
    "short, reduction": lambda n: variants.closed_chain(n, "short", elimination=REDUCTION),
    "omega, strategy 1": lambda n: variants.closed_chain(n, "omega", strategy=1),
    "divide and conquer": divide_and_conquer.program,
    "divide and conquer, one array": lambda n: divide_and_conquer.program(n, arrays=1),
    "open chain": variants.open_chain,
    "inverse dynamics": inverse_dynamics.program,
    "Lambda^-1": operational_space.program,
    "Lambda x, reduction": lambda n: operational_space.program(
        n, what=operational_space.MASS, vector=True, form="short", elimination=REDUCTION
    ),
}
BEYOND = (41, 100, 127)  # sizes that no formula was made from or tried on


def on_counting_scalars(program: Program) -> Operations:
    """What the results of all kernels of a program need, for the processes that take part."""
    found = Operations()
    for line in (line for stream in flow(program).lines for line in stream):
        if isinstance(line.instruction, Compute):
            operands = line.instruction.expression.operands
            for kernel, present, group in kernel_groups(line):
                tally = Tally()
                result = kernel.evaluate(
                    *(
                        tally.scalars(len(group), *operand.value.shape) if here else None
                        for operand, here in zip(operands, present, strict=True)
                    )
                )
                found += reached(tally, result)
    return found


def traced(program: Program) -> int:
    """The operations in the trace of a run."""
    run = senn.timed(program, "ideal", detail="full")
    return int(run.trace.activities["flops"].sum())


@pytest.mark.fast("paper", "Lambda^-1")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_formula_is_what_is_executed(name: str) -> None:
    """By kind, on counting scalars; in all, as the trace has it; also far from where it was made."""
    program = PROGRAMS[name]
    found = formula(program, range(SMALLEST, 24))
    for n in (3, 6, 8, 13):
        assert found(n) == on_counting_scalars(program(n))
    for n in (6, 33):
        assert found(n).flops == traced(program(n))
    for n in BEYOND:
        assert n not in TRIED
        assert found(n) == executed(flow(program(n)))


def test_a_scan_by_hand() -> None:
    """One scan of 3-vectors: 3 (n - h) additions at each level h = 1, 2, 4, ..., so 3 (n M - 2^M + 1)."""
    three = {"n M": 3, "2^M": -3, "1": 3}
    for n in range(SMALLEST, 70):
        by_hand = sum(3 * (n - 2 ** (j - 1)) for j in range(1, levels(n) + 1))
        assert sum(c * TERMS[term](n) for term, c in three.items()) == by_hand


def test_a_tree_by_hand() -> None:
    """Two bodies are joined n - 1 times, and ones(n - 1) times the inner one has link 1 in it: counted on
    the tree itself, from the tip."""
    for n in range(2, 70):
        joined = based = 0
        for j in range(1, levels(n) + 1):
            h = 2 ** (j - 1)
            outer = [i for i in range(n, 0, -2 * h) if i > h]
            joined += len(outer)
            based += sum(i - 2 * h < 1 for i in outer)
        assert joined == n - 1
        assert based == TERMS["ones(n-1)"](n)


def test_divide_and_conquer_divides_five_times_a_joint() -> None:
    """Five pivots at each of n joints, and six of the contact: independent of the levels."""
    divide = formula(divide_and_conquer.program).coefficients[2]
    assert divide == {"n": Fraction(5), "1": Fraction(6)}


def test_texts() -> None:
    """As tables print them; a kind that is never executed is 0."""
    texts = formula(lambda n: variants.closed_chain(n, "short"), range(3, 20)).texts()
    assert texts["divide"] == "5 n M - 5 2^M + 10 n + 6"
    assert texts["trig"] == "4 n"


def test_counts_that_are_no_combination_are_refused() -> None:
    """A program whose n jumps about has no such formula, and none is made up."""
    with pytest.raises(ArithmeticError, match="no combination of n M, 2\\^M, n, M"):
        formula(lambda n: variants.closed_chain(n * n % 7 + 3, "short"), range(3, 16))


def test_operations_of_several_processes() -> None:
    assert Operations(1, 2, 3, 4, 5, 6).times(5) == Operations(5, 10, 15, 20, 25, 30)
