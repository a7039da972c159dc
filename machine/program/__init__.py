"""The instruction set: SIMD programs of several arrays, before any node or cycle is known.

A program is one stream of instructions per array. It is written for the symbolic process ``i``:

    yield Compute("I.b.4", D[j - 1], transposed_product(B[j - 1], C[j - 1]))
    yield Send("I.b.5", D[j - 1], PR1[i + h])
    yield Compute("I.b.12", A[j], minus(A[j - 1], D[j - 1][i - h].or_zero, G[j - 1][i + h].or_zero))

Operands are required, or optional and then written ``.or_zero``. A value exists at the
processes where all its required operands exist (`senn.machine.program.dataflow`). The words of a program -
values, kernels, instructions - all come from here.

`subscripts`, `values`, `kernels`, `instructions`: the words of a program, and the program itself. `dataflow`
resolves its reads and writes into a `flow`. `listing`: a program as text. `counting`: a kernel's operations.
"""

from senn.machine.program.counting import Operations
from senn.machine.program.instructions import (
    PR1,
    PR2,
    Arrange,
    Array,
    Compute,
    Destination,
    Executed,
    Instruction,
    Name,
    Program,
    Recorded,
    Remark,
    Resident,
    Send,
    Wait,
    changed,
    interior,
    loop,
    replace_place,
)
from senn.machine.program.kernels import Expression, Kernel, by_process, kernel, kernel_family
from senn.machine.program.subscripts import (
    Offset,
    ProcessSet,
    Subscript,
    bit_reversal,
    every,
    i,
    perfect_shuffle,
    permutation,
    transposition,
)
from senn.machine.program.values import Letter, Operand, PackedValues, Value, levels, value

__all__ = [
    "PR1",
    "PR2",
    "Arrange",
    "Array",
    "Compute",
    "Destination",
    "Executed",
    "Expression",
    "Instruction",
    "Kernel",
    "Letter",
    "Name",
    "Offset",
    "Operand",
    "Operations",
    "PackedValues",
    "ProcessSet",
    "Program",
    "Recorded",
    "Remark",
    "Resident",
    "Send",
    "Subscript",
    "Value",
    "Wait",
    "bit_reversal",
    "by_process",
    "changed",
    "every",
    "i",
    "interior",
    "kernel",
    "kernel_family",
    "levels",
    "loop",
    "perfect_shuffle",
    "permutation",
    "replace_place",
    "transposition",
    "value",
]
