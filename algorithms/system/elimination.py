"""The block tridiagonal matrix A, diagonalised (Fijany VI.B; VI.D, Step I.b), and what every way shares.

Row i of A is [B_{i-1}', A_i, B_i] at columns i-1, i, i+1; L_i names the block B_{i-h} that reaches from the
left. At level j, rows at the distance h = 2^(j-1) are coupled; the *pivots* are the rows whose inverse is
used, and what they are coupled to is updated:

* odd-even elimination: every row is pivot and is updated, and after level M the system is diagonal;
* odd-even reduction: every other row that is left is pivot, and left out from then on; process N is left
  last, and the solution goes back the way down (`senn.algorithms.system.reduction`).

Strategy 2, here: the owner of A_i^{j-1} computes every product that needs its inverse, and sends it.
Strategy 1, where the owner of the row to be updated does, is `senn.algorithms.system.owner_of_row`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from senn.algorithms.blocks import triangle
from senn.algorithms.kernels import system as k
from senn.algorithms.programs.recurrence import following
from senn.machine.program import (
    PR1,
    PR2,
    Arrange,
    Array,
    Compute,
    Instruction,
    Letter,
    Name,
    Operand,
    Send,
    Value,
    Where,
    every,
    i,
    levels,
    loop,
    replace_place,
)


@dataclass(frozen=True)
class _Block:
    """A letter of the system; of an `Elimination` it has as many rows as that has."""

    name: str
    symmetric: bool = False

    def __get__(self, how: Elimination, owner: type) -> Letter:
        size = how.size
        return Letter(self.name, (triangle(size),) if self.symmetric else (size, size))


@dataclass(frozen=True)
class Elimination:
    """A way to solve A phi = psi for n block rows, and the arrays that take part.

    `array` diagonalises A. `solver` solves with it; `columns` take one right-hand side of Eq. (84) each.
    Those of them that are not `array` get a copy of the blocks they need. `ahead`: what a level updates
    moves to the place of the next one at the level's start, and is updated there. `refined`: how often
    every solution is refined, for which the solver has the blocks of level 0. `size`: the rows of a block.
    """

    n: int
    strategy: int = 2
    reduction: bool = False
    ahead: bool = False
    refined: int = 0
    array: Array = PR1
    solver: Array = PR2
    columns: tuple[Array, ...] = ()
    size: int = 5

    A = _Block("A", symmetric=True)  # diagonal block
    B = _Block("B")  # block to process i + h
    L = _Block("L")  # block B_{i-h}, from process i - h
    LDL = _Block("LDL", symmetric=True)  # the factor of A
    C = _Block("C")
    D = _Block("D", symmetric=True)
    F = _Block("F")
    G = _Block("G", symmetric=True)
    K = _Block("K")  # B_{i-h}^j, made by process i

    @property
    def last(self) -> int:
        """M."""
        return levels(self.n)

    def pivots(self, j: int) -> Where:
        """The rows whose inverse level j uses."""
        h = 2 ** (j - 1)
        return every(2 * h, self.n - h) if self.reduction else (i <= self.n - h) | (i > h)

    def kept(self, j: int) -> Where | None:
        """The rows that level j updates; None: all."""
        return every(2**j, self.n) if self.reduction else None

    def moves_ahead(self, j: int) -> bool:
        """Whether level j updates at the place of level j + 1; after the last level there is none."""
        return self.ahead and j < self.last

    def updating(self, j: int, instruction: Instruction) -> Instruction:
        """An instruction of level j, executed where the level updates."""
        return replace_place(instruction, level=j, at=j + 1 if self.moves_ahead(j) else j)

    def carry(self, step: str, j: int, array: Array, *values: Value) -> Iterator[Instruction]:
        """What level j updates, on its way at the start of the level."""
        if self.moves_ahead(j):
            yield Send(step, values, array[i].only(self.kept(j)))

    def own(self, j: int, value: Value) -> Operand:
        """A process's own value where level j updates."""
        return value.delivered if self.moves_ahead(j) else value[i]

    def follow(self, step: str, j: int, value: Value) -> Iterator[Instruction]:
        """What level j updated follows its process to the next level, unless it is there already."""
        if j < self.last and not self.ahead:
            yield Arrange(step, value, j, following(j, self.n))

    def deliver(self, step: str, block: Value) -> Iterator[Instruction]:
        """A block that updates right-hand sides, to the solver and to the first of the columns."""
        readers = [array[i] for array in (self.solver, *self.columns[:1]) if array != self.array]
        if readers:
            yield Send(step, block, *readers)

    def pass_on(self, step: str, block: Value, array: Array) -> Iterator[Instruction]:
        """The same block from one column to the next: no wire carries it twice."""
        later = [column for column in self.columns if column.number == array.number + 1]
        if array in self.columns and later:
            yield Send(step, block, later[0][i])

    def deliver_back(self, step: str, j: int, *values: Value) -> Iterator[Instruction]:
        """Blocks of the pivots, to the array that substitutes back."""
        if self.reduction and self.solver != self.array:
            yield Send(step, values, self.solver[i].only(self.pivots(j)))


def diagonalise(how: Elimination) -> Iterator[Instruction]:
    """Step I.b, levels 1..M, strategy 2: after it A[M] is the diagonal of the eliminated system."""
    pr, A, B, L, LDL = how.array, how.A, how.B, how.L, how.LDL
    C, D, G, K = how.C, how.D, how.G, how.K

    def level(j: int, h: int) -> Iterator[Instruction]:
        yield from how.carry("I.b.0'", j, pr, A[j - 1])
        yield Compute("I.b.1", LDL[j - 1], k.ldl(A[j - 1]), how.pivots(j))
        yield from how.deliver_back("I.b.1'", j, LDL[j - 1])
        halves = (_with_right(how, j, h), _with_left(how, j, h))
        # Of the two new blocks of the level before, L comes first where both meet on their way ahead.
        for half in reversed(halves) if how.ahead else halves:
            yield from half
        if j < how.last:
            yield Compute("I.b.10", K[j - 1], k.negative_product(L[j - 1], C[j - 1]))
            then = how.pivots(j + 1)  # who uses the new blocks
            yield Send("I.b.11", K[j - 1], pr[i - h].only(then.shifted(h)), pr[i + h].only(then.shifted(-h)))
            yield Name("I.b.11", B[j], K[j - 1][i + h], where=then)
            yield Name("I.b.11", L[j], K[j - 1][i - h], where=then)
        update = k.minus(A[j].words)(how.own(j, A[j - 1]), D[j - 1][i - h].or_zero, G[j - 1][i + h].or_zero)
        yield how.updating(j, Compute("I.b.12", A[j], update, how.kept(j)))
        yield from how.follow("I.b.12'", j, A[j])

    yield from loop(how.n, level)


def _with_right(how: Elimination, j: int, h: int) -> Iterator[Instruction]:
    """What a pivot makes with its block to the right."""
    B, C, D, LDL = how.B, how.C, how.D, how.LDL
    yield Compute("I.b.2", C[j - 1], k.solve(LDL[j - 1], B[j - 1]))
    yield from how.deliver("I.b.3", C[j - 1])
    yield Compute("I.b.4", D[j - 1], k.transposed_product(B[j - 1], C[j - 1]))
    yield Send("I.b.5", D[j - 1], how.array[i + h])


def _with_left(how: Elimination, j: int, h: int) -> Iterator[Instruction]:
    """What a pivot makes with its block from the left."""
    F, G, L, LDL = how.F, how.G, how.L, how.LDL
    yield Compute("I.b.6", F[j - 1], k.solve_transposed(LDL[j - 1], L[j - 1]))
    yield from how.deliver("I.b.7", F[j - 1])
    yield Compute("I.b.8", G[j - 1], k.product(L[j - 1], F[j - 1]))
    yield Send("I.b.9", G[j - 1], how.array[i - h])


def right_hand_side(
    step: str, psi: Letter, e: Letter, h_: Letter, how: Elimination, array: Array
) -> Iterator[Instruction]:
    """psi[M] from psi[0], Eq. (92) (Step I.c.2): psi is (s,) or (s, r); C and F are where they were used."""
    C, F = how.C, how.F
    product, update = k.transposed_times(columns_of(psi)), k.minus(psi[0].words)

    def level(j: int, h: int) -> Iterator[Instruction]:
        yield from how.carry(f"{step}.0'", j, array, psi[j - 1])
        yield from how.pass_on(f"{step}.i'", C[j - 1], array)
        yield Compute(f"{step}.i", e[j - 1], product(C[j - 1], psi[j - 1]))
        yield Send(f"{step}.ii", e[j - 1], array[i + h])
        yield from how.pass_on(f"{step}.iii'", F[j - 1], array)
        yield Compute(f"{step}.iii", h_[j - 1], product(F[j - 1], psi[j - 1]))
        yield Send(f"{step}.iv", h_[j - 1], array[i - h])
        parts = (how.own(j, psi[j - 1]), e[j - 1][i - h].or_zero, h_[j - 1][i + h].or_zero)
        yield how.updating(j, Compute(f"{step}.v", psi[j], update(*parts), how.kept(j)))
        yield from how.follow(f"{step}.v'", j, psi[j])

    yield from loop(how.n, level)


def tip_right_hand_side(
    step: str, psi: Letter, h_: Letter, how: Elimination, array: Array
) -> Iterator[Instruction]:
    """The same for psi[0] that is non-zero at process n only: a tree of n - 1 messages instead of a sweep.

    At level j only processes i > n - h send, and psi_{i-h} = -F_i' psi_i is just another name for what
    arrives; nothing that is zero is computed or sent. Bit for bit the result of the full sweep. (For the
    elimination; the reduction leaves such a psi as it is.)
    """
    product, F = k.transposed_times(columns_of(psi), sign=-1), how.F

    def level(j: int, h: int) -> Iterator[Instruction]:
        yield from how.carry(f"{step}.0'", j, array, psi[j - 1])
        yield Compute(f"{step}.iii", h_[j - 1], product(F[j - 1], psi[j - 1]))
        yield Send(f"{step}.iv", h_[j - 1], array[i - h])
        yield Name(f"{step}.v", psi[j], how.own(j, psi[j - 1]), h_[j - 1][i + h])
        yield from how.follow(f"{step}.v'", j, psi[j])

    yield from loop(how.n, level)


def columns_of(psi: Letter) -> int | None:
    """How many right-hand sides psi holds; None: one, as a plain vector."""
    return psi.shape[1] if len(psi.shape) == 2 else None
