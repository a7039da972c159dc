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

from senn.machine.program.counting import Operations as Operations
from senn.machine.program.instructions import PR1 as PR1
from senn.machine.program.instructions import PR2 as PR2
from senn.machine.program.instructions import Arrange as Arrange
from senn.machine.program.instructions import Array as Array
from senn.machine.program.instructions import Compute as Compute
from senn.machine.program.instructions import Destination as Destination
from senn.machine.program.instructions import Executed as Executed
from senn.machine.program.instructions import Instruction as Instruction
from senn.machine.program.instructions import Name as Name
from senn.machine.program.instructions import Program as Program
from senn.machine.program.instructions import Recorded as Recorded
from senn.machine.program.instructions import Remark as Remark
from senn.machine.program.instructions import Resident as Resident
from senn.machine.program.instructions import Send as Send
from senn.machine.program.instructions import Wait as Wait
from senn.machine.program.instructions import changed as changed
from senn.machine.program.instructions import interior as interior
from senn.machine.program.instructions import loop as loop
from senn.machine.program.kernels import Expression as Expression
from senn.machine.program.kernels import Kernel as Kernel
from senn.machine.program.kernels import by_process as by_process
from senn.machine.program.kernels import kernel as kernel
from senn.machine.program.kernels import kernel_family as kernel_family
from senn.machine.program.ready import minus as minus
from senn.machine.program.ready import plus as plus
from senn.machine.program.subscripts import Offset as Offset
from senn.machine.program.subscripts import ProcessSet as ProcessSet
from senn.machine.program.subscripts import Subscript as Subscript
from senn.machine.program.subscripts import bit_reversal as bit_reversal
from senn.machine.program.subscripts import every as every
from senn.machine.program.subscripts import i as i
from senn.machine.program.subscripts import perfect_shuffle as perfect_shuffle
from senn.machine.program.subscripts import permutation as permutation
from senn.machine.program.subscripts import transposition as transposition
from senn.machine.program.values import Letter as Letter
from senn.machine.program.values import Operand as Operand
from senn.machine.program.values import PackedValues as PackedValues
from senn.machine.program.values import Value as Value
from senn.machine.program.values import levels as levels
from senn.machine.program.values import value as value
