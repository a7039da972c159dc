"""The numbers of a long program by slices: a block for each value of a line, for any number of processes.

Messages change nothing, so a read is a slice of the block that was written, or its only row
(`senn.machine.engines.runs`). Lines are evaluated by demand of the last array: of two arrays, the first runs
just ahead of the second. A block shrinks to the rows that are still to be read, and goes after the last
reader. The numbers equal those of the other engines to the bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senn.machine.engines.memory import Block, evaluated, resident_blocks
from senn.machine.engines.runs import Content, IssuedLine, Origin, Resolved, Runs, origins, overlaps
from senn.machine.program import Compute, Kernel

LANES = 4096
"""The most processes that a kernel is evaluated for at once, so that their blocks stay in a cache."""


@dataclass(frozen=True)
class Slice:
    """Numbers of a progression of processes."""

    processes: range
    block: Block

    def of(self, part: range) -> Block:
        """The rows of some of the processes, a view."""
        first, last = self.processes.index(part[0]), self.processes.index(part[-1])
        return self.block[first : last + 1 : max(part.step // self.processes.step, 1)]

    def shrunk(self, part: range) -> Slice:
        """The rows from the first to the last of some processes, if that halves them."""
        hull = range(part[0], part[-1] + 1, self.processes.step)
        return Slice(hull, self.of(hull).copy()) if 2 * len(hull) <= len(self.processes) else self


def results(flow: Resolved, memory: Mapping[str, NDArray[Any]]) -> dict[str, Block]:
    """Results of a program by name: a row for each process that has one, in their order."""
    n, streams, residents, contents = flow
    blocks = resident_blocks(memory, residents.values(), n)
    rows = {x: Slice(range(1, n + 1), block) for x, block in zip(residents, blocks, strict=True)}
    ends = {name: list(origins(runs)) for name, runs in contents.items()}
    for line, lanes, later in _evaluations(streams, [run for runs in ends.values() for run in runs]):
        assert line.target is not None
        assert isinstance(line.instruction, Compute)
        rows[line.target] = _computed(line.instruction, lanes, rows)
        for content, part in later.items():
            if part is None:
                del rows[content]
            elif content not in residents:
                rows[content] = rows[content].shrunk(part)
    return {name: _collected(runs, rows) for name, runs in ends.items()}


def _collected(runs: Runs, rows: Mapping[Content, Slice]) -> Block:
    """Rows of the processes that have a value, in their order."""
    if not runs:
        return np.zeros(0)
    processes = np.concatenate([np.arange(part.start, part.stop, part.step) for part, _ in runs])
    return np.concatenate([_read(origin, part, rows) for part, origin in runs])[np.argsort(processes)]


# ------------------------------------------------------------ the order of evaluation


def _evaluations(
    streams: Sequence[Sequence[IssuedLine]], ends: Runs
) -> Iterator[tuple[IssuedLine, Runs, dict[Content, range | None]]]:
    """The computes that the results need, each after what it reads; with the origins of its operands and, of
    each content that it reads, the processes whose rows are read later."""
    needed: dict[Content, range] = {}

    def need(runs: Runs) -> dict[Content, range | None]:
        """Enter origins as needed; what was needed of them before."""
        before: dict[Content, range | None] = {}
        for part, origin in runs:
            before.setdefault(origin.content, needed.get(origin.content))
            parts = [origin.writers(part), *(x for x in (needed.get(origin.content),) if x)]
            needed[origin.content] = _hull(parts)
        return before

    need(ends)
    # Lines of the last array in their order, each after those that it needs; then the rest of other arrays.
    writers = {line.target: line for stream in streams for line in stream if line.target is not None}
    order: dict[IssuedLine, Runs] = {}

    def demand(line: IssuedLine) -> None:
        lanes: Runs = []  # processes that read all operands alike, and the origins of these
        for part, read in line.reads:
            alike: Runs = [(part, ())]
            for content in read:
                origins = [(part, None)] if content is None else content.origins
                alike = [(both, (*row, origin)) for both, row, origin in overlaps(alike, origins)]
            lanes += alike
        for _, origin in _sources(lanes):
            writer = writers.get(origin.content)
            if writer is not None and writer not in order:
                demand(writer)
        order[line] = lanes

    for line in (line for stream in reversed(streams) for line in stream):
        if line.target is not None and line not in order:
            demand(line)
    last_first = (entry for entry in reversed(order.items()) if entry[0].target in needed)  # as known by then
    return reversed([(line, lanes, need(_sources(lanes))) for line, lanes in last_first])


def _sources(lanes: Runs) -> Runs:
    return [(part, origin) for part, read in lanes for origin in read if origin is not None]


def _hull(parts: Iterable[range]) -> range:
    """The progression from the first to the last process that has all of these."""
    every = list(parts)
    first, last = min(part[0] for part in every), max(part[-1] for part in every)
    steps = (part.step for part in every if len(part) > 1)
    return range(first, last + 1, gcd(*steps, *(part[0] - first for part in every)) or 1)


# ------------------------------------------------------------ evaluation


def _computed(instruction: Compute, lanes: Runs, rows: Mapping[Content, Slice]) -> Slice:
    """Rows that a compute writes, some processes at a time."""
    (dtype,), expression = {x.block.dtype for x in rows.values()}, instruction.expression
    hull = _hull(part for part, _ in lanes)
    target = Slice(hull, np.empty((len(hull), *instruction.target.shape), dtype=dtype))
    for part, read in lanes:
        for k in range(0, len(part), LANES):
            chunk = part[k : k + LANES]
            blocks = [None if origin is None else _read(origin, chunk, rows) for origin in read]
            groups: list[tuple[Kernel, Any]] = [(expression.kernels[0], slice(None))]
            if expression.choice is not None:
                choice = np.array(expression.choice[chunk.start - 1 : chunk.stop - 1 : chunk.step])
                groups = [(expression.kernels[x], choice == x) for x in np.unique(choice).tolist()]
            for kernel, group in groups:
                operands = [None if block is None else np.ascontiguousarray(block[group]) for block in blocks]
                into = target.of(chunk)
                into[group] = evaluated(instruction, kernel, operands, len(into[group]))
    return target


def _read(origin: Origin, readers: range, rows: Mapping[Content, Slice]) -> Block:
    """Blocks that some processes read, a view."""
    block = rows[origin.content].of(origin.writers(readers))
    return np.broadcast_to(block, (len(readers), *block.shape[1:]))
