"""Random valid programs, allocations and machines, and an interpreter that knows neither nodes nor messages.

They are made of the numbers of a seed (`case`), or of what Hypothesis chooses (`cases`), which shows the
smallest of those that fail. A program is written in one global order over its arrays, a reader after the
sender, so it cannot deadlock; every message and every arranged value is read. Numbers are whole, so sums are
exact in any order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from senn.machine.model import Machine, Timing
from senn.machine.placing import allocation
from senn.machine.program import (
    Arrange,
    Array,
    Compute,
    Destination,
    Expression,
    Instruction,
    Kernel,
    Name,
    Operand,
    Operations,
    ProcessSet,
    Program,
    Resident,
    Send,
    Value,
    Wait,
    by_process,
    i,
    levels,
)

PRIME = 9973  # numbers stay below it, so that floats are exact


def weigh(
    width: int, cost: Operations, each: Operations, runs_without_operands: bool = False, twist: int = 1
) -> Kernel:
    """1 x the sum of the first operand + 2 x that of the second + ...; `width` numbers, each one more. The
    declared operations are `cost`, and `each` for every operand that is present."""

    def evaluate(*operands: np.ndarray | None) -> np.ndarray:
        total = 0
        for k, operand in enumerate(operands, 1):
            if operand is not None:
                total = total + twist * k * operand.reshape(len(operand), -1).sum(axis=1)
        return np.asarray((total % PRIME)[:, None] + np.arange(1, width + 1), dtype=np.float64)

    def declared(present: Sequence[bool]) -> Operations:
        return cost + each.times(sum(present))

    return Kernel("weigh", "weigh({0}, ...)", evaluate, runs_without_operands, declared)


Case = tuple[Program, np.ndarray, Machine, dict[str, np.ndarray]]
"""A program, an allocation, a machine and the numbers in memory."""


class Drawn:
    """What is used here of NumPy's generator, with every number chosen by Hypothesis."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw

    def integers(self, low: int, high: int | None = None, size: int | None = None) -> Any:
        within = st.integers(0, low - 1) if high is None else st.integers(low, high - 1)
        return self.draw(within) if size is None else np.array([self.draw(within) for _ in range(size)])

    def choice(self, options: Sequence[Any]) -> Any:
        return options[self.integers(len(options))]

    def permutation(self, number: int) -> np.ndarray:
        return np.array(self.draw(st.permutations(range(number))))


Random = np.random.Generator | Drawn


def case(seed: int) -> Case:
    """Equal seeds give equal cases."""
    rng = np.random.default_rng(seed)
    return _case(f"random {seed}", rng, rng, np.random.default_rng([seed, 1]))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Any of them; the smallest have one process, one array and short streams."""
    drawn = Drawn(draw)
    return _case("drawn", drawn, np.random.default_rng(draw(st.integers(0, 99))), drawn)


def _case(name: str, rng: Random, of_memory: np.random.Generator, of_folding: Random) -> Case:
    program = _Author(rng).program(name)
    memory = {
        one.value.letter: of_memory.integers(0, 1000, (program.n, *one.value.shape)).astype(np.float64)
        for one in program.resident
    }
    table, machine = _table(rng, program.n), _machine(rng)
    return program, *_folded(of_folding, table, program.arrays, machine), memory


def _folded(rng: Random, table: np.ndarray, arrays: int, machine: Machine) -> tuple[np.ndarray, Machine]:
    """The same table, or one with its nodes put together on fewer, or another table for each array."""
    nodes = 2 ** (len(table) - 1)
    kind = rng.integers(4)
    if kind == 0:  # any nodes on any of fewer nodes, row by row
        nodes = 2 ** int(rng.integers(len(table)))
        table = np.array([rng.integers(0, nodes, 2 ** len(table))[row] for row in table])
    elif kind == 1:
        table = np.array([rng.permutation(nodes)[table] for _ in range(arrays)])
    return table, replace(machine, nodes=nodes if kind < 2 else 0)


def _table(rng: Random, n: int) -> np.ndarray:
    """A renamed allocation of either residency, or one that moves every process anywhere at every level."""
    kind = rng.integers(3)
    if kind == 2:
        rows = [rng.permutation(2 ** levels(n))[:n] for _ in range(levels(n) + 1)]
        return np.array(rows).reshape(levels(n) + 1, n)
    placement = allocation.identity(n) if rng.integers(2) else allocation.random(n, int(rng.integers(100)))
    return allocation.table(n, ("home", "migrating")[kind], placement)


def _machine(rng: Random) -> Machine:
    def one(*numbers: int | str) -> Fraction:
        return Fraction(str(rng.choice(np.array(numbers, dtype=object))))

    cut = rng.integers(4) == 0
    return Machine(
        name="random",
        clock_mhz=Fraction(1),
        timing=Timing(
            multiply=one(1, "0.5", "7/3"),
            add=one(1, 0, "1/3"),
            divide=one(1, 4),
            trig=one(20),
            startup=one(0, 0, "0.5", 3, 20, 20),
            word=one(1, "0.3", 5) if cut else one(0, 1, "0.3", 5),
            hop=one(1, 2, "2.5", 30) if cut else Fraction(0),
            post=int(rng.integers(0, 4)),
            receive=int(rng.choice([0, 0, 1, 3])),
        ),
        ports=str(rng.choice(["all", "all", "all", "one"])),
        routing=str(rng.choice(["lowest", "greedy"])),
        switching="cut-through" if cut else "store-and-forward",
        duplex=str(rng.choice(["full", "full", "half"])),
        dma=bool(rng.integers(4)),
        discipline=str(rng.choice(["fifo", "fifo", "priority", "deadline"])),
        vertical=str(rng.choice(["node", "node", "bus"])),
        control=str(rng.choice(["simd", "simd", "simd", "mimd"])),
    )


@dataclass
class _Held:
    """What an array can read: an operand, the processes that can, and the row of the allocation it is at.

    `row` is None for a message whose reader is still to be written: it goes wherever that executes.
    """

    operand: Operand
    mask: np.ndarray
    row: int | None
    message: int | None = None  # that it came in with others: all of one message are read at one row


@dataclass
class _Author:
    rng: Random
    n: int = 0
    counter: int = 0
    streams: list[list[Instruction]] = field(default_factory=list)
    held: list[list[_Held]] = field(default_factory=list)
    owed: list[list[_Held]] = field(default_factory=list)  # messages that somebody still has to read
    row: list[int] = field(default_factory=list)
    sent: set[tuple[int, Value, int]] = field(default_factory=set)  # (to array, value, offset of the send)

    def program(self, name: str) -> Program:
        self.n = int(self.rng.integers(1, 13))
        arrays = int(self.rng.integers(1, 4))
        self.streams, self.row = [[] for _ in range(arrays)], [0] * arrays
        self.held, self.owed = [[] for _ in range(arrays)], [[] for _ in range(arrays)]
        resident = [one for array in range(arrays) for one in self._residents(array)]
        actions = [*[self._compute] * 2, *[self._send] * 2, self._name, self._read_some, self._move]
        for _ in range(int(self.rng.integers(8, 40))):
            array = int(self.rng.integers(arrays))
            actions[int(self.rng.integers(len(actions)))](array)
        for array in range(arrays):
            self._read_all(array)
        return Program(name, self.n, tuple(map(tuple, self.streams)), tuple(resident), {})

    # -- small choices

    def _value(self, array: int) -> Value:
        level = None if self.rng.integers(2) else int(self.rng.integers(4))
        return Value(self._letter(array), level, (int(self.rng.choice([1, 1, 3, 8])),))

    def _letter(self, array: int) -> str:
        self.counter += 1
        return f"{'xyz'[array]}{self.counter}."

    def _interval(self) -> ProcessSet:
        lo, hi = sorted(self.rng.integers(1, self.n + 1, 2).tolist())
        return ProcessSet((range(lo, hi + 1),))

    def _cost(self) -> Operations:
        return Operations(*self.rng.integers(0, 9, 3).tolist())

    def _readable(self, array: int) -> list[_Held]:
        return [one for one in self.held[array] if one.row == self.row[array]]

    def _some(self, candidates: list[_Held]) -> _Held:
        return candidates[int(self.rng.integers(len(candidates)))]

    def _add(self, array: int, instruction: Instruction) -> None:
        self.streams[array].append(instruction)

    def _where_is(self, array: int) -> dict[str, int | None]:
        row = self.row[array]
        return {"level": row or None, "at": row}

    # -- actions

    def _residents(self, array: int) -> Iterator[Resident]:
        for everywhere in (True, True, False):
            value = Value(self._letter(array), None, (int(self.rng.integers(1, 4)),))
            where = None if everywhere else self._interval()
            mask = np.ones(self.n, dtype=bool) if where is None else where.mask(self.n)
            self.held[array].append(_Held(Operand(value), mask, 0))
            yield Resident(value, (array + 1,), where)

    def _compute(self, array: int) -> None:
        candidates = self._readable(array)
        if candidates:
            where = self._interval() if self.rng.integers(4) == 0 else None
            operands = [self._some(candidates)]
            self._write(array, operands, [self._some(candidates) for _ in range(self.rng.integers(3))], where)

    def _write(
        self, array: int, required: list[_Held], others: list[_Held], where: ProcessSet | None = None
    ) -> None:
        """A compute of the required operands and others, which are made optional or not at random."""
        exists = np.ones(self.n, dtype=bool) if where is None else where.mask(self.n)
        operands = [one.operand for one in required]
        for one in required:
            exists = exists & one.mask
        for one in others:
            optional = bool(self.rng.integers(2))
            exists = exists & (one.mask | optional)
            operands.append(one.operand.or_zero if optional else one.operand)
        target = self._value(array)
        self._add(
            array, Compute("W", target, self._expression(target, operands), where, **self._where_is(array))
        )
        # What exists but is not written anew is another name of the first operand, at the same row.
        self.held[array].append(_Held(Operand(target), exists, self.row[array]))

    def _expression(self, target: Value, operands: list[Operand]) -> Expression:
        each, alone = self._cost(), bool(self.rng.integers(2))
        optional = any(one.absent is not None for one in operands)
        if optional and operands[0].value.shape != target.shape:
            alone = True  # what is left unchanged must have the shape of the value
        kernels = [weigh(target.shape[0], self._cost(), each, alone, twist) for twist in (1, 3)]
        lanes = self.rng.integers(0, 2 if self.rng.integers(2) else 1, self.n)
        return by_process(kernels[k] for k in lanes)(*operands)

    def _send(self, array: int) -> None:
        candidates = [one for one in self._readable(array) if _is_own(one)]
        if not candidates:
            return
        chosen = [self._some(candidates)]
        if self.rng.integers(3) == 0:
            chosen += [
                one for one in [self._some(candidates)] if one.operand.value != chosen[0].operand.value
            ]
        destinations: list[Destination] = []
        for _ in range(self.rng.integers(1, 4)):
            destinations += self._destination(chosen)
        if not destinations:
            return
        values = tuple(one.operand.value for one in chosen)
        together = len(values) > 1 and bool(self.rng.integers(2))
        what = values[0] + values[1] if together else values
        self._add(array, Send("S", what, *destinations, **self._where_is(array)))
        for to in destinations:
            self.counter += 1
            for one in chosen:
                there = np.zeros(self.n, dtype=bool)
                reader = np.flatnonzero(one.mask) + to.offset
                there[reader[(reader >= 0) & (reader < self.n)]] = True
                own = to.offset == 0 and one.operand.value.letter[0] == "xyz"[to.array - 1]
                operand = Operand(one.operand.value, -to.offset, delivered=own)
                message = self.counter if together else None
                self.owed[to.array - 1].append(_Held(operand, there, None, message))

    def _destination(self, chosen: list[_Held]) -> list[Destination]:
        to = Array(int(self.rng.integers(1, len(self.streams) + 1)))[i + int(self.rng.integers(-3, 4))]
        transfers = {(to.array, one.operand.value, to.offset) for one in chosen}
        if transfers & self.sent:
            return []
        self.sent |= transfers
        return [to]

    def _name(self, array: int) -> None:
        """Another name of what arrived or of an own value, for parts of the processes that do not meet."""
        arrived = [one for one in self.owed[array] if not _is_own(one) and not one.operand.delivered]
        if arrived and self.rng.integers(2):
            one = self._some(arrived)
            target = Value(self._letter(array), None, one.operand.value.shape)
            beside = [
                own
                for own in self._readable(array)
                if not (own.mask & one.mask).any() and own.operand.value.shape == target.shape
            ]
            also = [self._some(beside)] if beside else []
            self._add(array, Name("N", target, *(x.operand for x in (one, *also)), **self._where_is(array)))
            self.owed[array] = [x for x in self.owed[array] if x is not one]
            if also:  # only readable where the own value is: read at once
                self._write(array, [_Held(Operand(target), one.mask | also[0].mask, None)], [])
                self._arrived(array, one)
                self._read_others(array, one)
            else:
                self.owed[array].append(_Held(Operand(target), one.mask, None, one.message))

    def _arrived(self, array: int, one: _Held) -> None:
        self.held[array].append(_Held(one.operand, one.mask, self.row[array]))

    def _read_some(self, array: int) -> None:
        pending = self.owed[array]
        if pending:
            one = pending.pop(int(self.rng.integers(len(pending))))
            self._read(array, one)
            self._read_others(array, one)

    def _read_others(self, array: int, one: _Held) -> None:
        """What came in the same message."""
        others = [x for x in self.owed[array] if one.message is not None and x.message == one.message]
        self.owed[array] = [x for x in self.owed[array] if all(x is not other for other in others)]
        for other in others:
            self._read(array, other)

    def _read_all(self, array: int) -> None:
        while self.owed[array]:
            self._read_some(array)

    def _read(self, array: int, one: _Held) -> None:
        """A first reader that reads the message at every process that gets it."""
        plain = one.operand.offset == 0 and not one.operand.delivered
        if plain and self.rng.integers(3) == 0:
            self._add(array, Wait("T", one.operand.value, **self._where_is(array)))
        base = [x for x in self._readable(array) if (x.mask >= one.mask).all() and x.operand != one.operand]
        if base and self.rng.integers(3):
            first = self._some(base)
            optional = _Held(one.operand.or_zero, np.ones(self.n, dtype=bool), None)
            self._write(array, [first, optional], [])
        else:
            self._write(array, [one], [])
        self._arrived(array, one)

    def _move(self, array: int) -> None:
        """To another row: some values are arranged and read there; what stays behind is read on return."""
        m = levels(self.n)
        start = self.row[array]
        stop = (start + 1) % (m + 1) if self.rng.integers(4) else int(self.rng.integers(m + 1))
        if stop == start:
            return
        own = {one.operand.value: one for one in self._readable(array) if _is_own(one)}
        chosen = [value for value in own if self.rng.integers(2)] or list(own)[:1]
        if len(chosen) == 2:
            together = chosen[0] + chosen[1]
            self._add(array, Arrange("A", together, start, stop, **self._where_is(array)))
        else:
            for value in chosen:
                self._add(array, Arrange("A", value, start, stop, **self._where_is(array)))
        self.row[array] = stop
        moved = [_Held(Operand(value), own[value].mask, stop) for value in chosen]
        self.held[array] = [x for x in self.held[array] if not (_is_own(x) and x.operand.value in chosen)]
        self.held[array] += moved
        for one in moved:
            self._write(array, [one], [])


def _is_own(one: _Held) -> bool:
    return one.operand.offset == 0 and not one.operand.delivered and one.operand.absent is None


def interpret(program: Program, memory: dict[str, np.ndarray]) -> dict[tuple[Value, int], np.ndarray]:
    """What every process writes, by (value, process): each instruction executed for one process at a time.

    Whoever reads a value of another process simply gets it; an instruction is put off until all that it
    reads has been written. Sends, arranges and waits mean nothing here.
    """
    known: dict[Value, dict[int, np.ndarray]] = {}
    written: dict[tuple[Value, int], np.ndarray] = {}
    for one in program.resident:
        mask = np.ones(program.n, dtype=bool) if one.where is None else one.where.mask(program.n)
        known[one.value] = {p + 1: memory[one.value.letter][p] for p in np.flatnonzero(mask).tolist()}
    waiting = [one for stream in program.streams for one in stream if isinstance(one, Compute | Name)]
    while waiting:
        ready = [one for one in waiting if all(x.value in known for x in _reads(one))]
        assert ready, "the program needs a value to compute itself"
        for one in ready:
            known[one.target] = {}
            for process in range(1, program.n + 1):
                found = [known[x.value].get(process + x.offset) for x in _reads(one)]
                if isinstance(one, Name):
                    there = [x for x in found if x is not None]
                    if there:
                        known[one.target][process] = there[0]
                else:
                    _interpret_compute(one, process, found, known[one.target], written)
        waiting = [one for one in waiting if one not in ready]
    return written


def _reads(instruction: Compute | Name) -> tuple[Operand, ...]:
    return instruction.operands if isinstance(instruction, Name) else instruction.expression.operands


def _interpret_compute(
    one: Compute,
    process: int,
    found: list[np.ndarray | None],
    known: dict[int, np.ndarray],
    written: dict[tuple[Value, int], np.ndarray],
) -> None:
    operands, kernels = one.expression.operands, one.expression.kernels
    if one.where is not None and not any(process in part for part in one.where.parts):
        return
    if any(x is None for x, operand in zip(found, operands, strict=True) if operand.absent is None):
        return
    optional = [x for x, operand in zip(found, operands, strict=True) if operand.absent is not None]
    if optional and not kernels[0].runs_without_operands and all(x is None for x in optional):
        known[process] = found[0]  # unchanged
        return
    kernel = kernels[one.expression.choice[process - 1] if one.expression.choice else 0]
    known[process] = kernel.evaluate(*(None if x is None else x[None] for x in found))[0]
    written[one.target, process] = known[process]
