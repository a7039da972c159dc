"""Operations of whole programs, against what kernels, engines and counting scalars execute."""

import pytest

import senn
from senn.algorithms.programs import divide_and_conquer, operational_space, variants
from senn.algorithms.programs.free import inverse_dynamics
from senn.machine.engines.memory import executed, kernel_groups
from senn.machine.program import Compute, Operations, Program
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
        n, mass=True, vector=True, form="short", elimination=REDUCTION
    ),
}


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
def test_counts_are_what_is_executed(name: str) -> None:
    """By kind, on counting scalars; in all, as the trace has it."""
    program = PROGRAMS[name]
    for n in (3, 6, 8, 13):
        assert executed(flow(program(n))) == on_counting_scalars(program(n))
    for n in (6, 33):
        assert executed(flow(program(n))).flops == traced(program(n))
