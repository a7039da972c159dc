"""The table of bare traffic in docs/channels.md, by switching: `python docs/measure_switching.py` prints it.

The traffic of one odd-even diagonalisation and nothing else: computing and posting take no time. At home
every level is a program of its own, whose messages all start in cycle 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

import numpy as np

from senn.machine import model
from senn.machine.engines import lockstep
from senn.machine.network.topology import Integers
from senn.machine.placing import allocation
from senn.machine.placing.renamings import gray, identity
from senn.machine.placing.schedule import place
from senn.machine.program import (
    PR1,
    Arrange,
    Compute,
    Instruction,
    Kernel,
    Letter,
    Operations,
    Program,
    Resident,
    Send,
    Wait,
    i,
    levels,
    loop,
)

SIZES = (8, 16, 32, 64, 128, 256, 512, 1024)
TIMES = {"timing.startup": 20, "timing.word": 1, "timing.post": 0}
SWITCHING = {
    "store-and-forward": {},
    "cut-through": {"machine.switching": "cut-through", "timing.hop": 2},
}
AT_HOME: Sequence[tuple[str, str, str, Callable[[int], Integers]]] = (
    ("`senn`, `greedy`", "senn", "greedy", identity),
    ("`hypercube`, `e-cube`", "hypercube", "e-cube", identity),
    ("`hypercube`, `e-cube`, Gray code", "hypercube", "e-cube", gray),
    ("`torus`, `xy`", "torus", "xy", identity),
    ("`mesh`, `xy`", "mesh", "xy", identity),
    ("`ring`", "ring", "lowest", identity),
    ("`full`", "full", "lowest", identity),
)

UP, DOWN = Letter("up", (40,)), Letter("down", (40,))
LAST = Letter("last", (15,))  # at the last level there is no B: D or G alone
MOVED = Letter("moved", (65,))  # A and both B of a row
FREE = Kernel("free", "free({0}, ...)", lambda *operands: operands[0], Operations())  # takes no cycle


def table(sizes: Sequence[int] = SIZES) -> Iterator[str]:
    """Cycles of the whole traffic, in Markdown."""
    yield f"| | | {' | '.join(map(str, sizes))} |"
    yield "|---" * (2 + len(sizes)) + "|"
    for switching in SWITCHING:
        cells = (f"{migrating(n, switching):,}" for n in sizes)
        yield f"| `senn`, migrating | {switching} | {' | '.join(cells)} |"
    for label, network, routing, places in AT_HOME:
        for switching in SWITCHING:
            cells = (f"{home(n, network, routing, places(n), switching):,}" for n in sizes)
            yield f"| {label} | {switching} | {' | '.join(cells)} |"


def home(n: int, network: str, routing: str, places: Integers, switching: str) -> int:
    """Row i stays at places[i - 1]; all levels one after the other."""
    fields = {"machine.network": network, "machine.routing": routing}
    rows = np.tile(places, (levels(n) + 1, 1))
    return sum(_makespan(_exchange(n, 1 << k), rows, switching, fields) for k in range(levels(n)))


def migrating(n: int, switching: str) -> int:
    """Between neighbours, and un-shuffled from level to level; no step begins before the last has ended."""
    rows = allocation.named("identity", n, "migrating")
    return _makespan(_levels(n), rows, switching, {"machine.dma": "false"})


def _exchange(n: int, h: int) -> Program:
    """Rows h apart send each other 40 words: first all upward, then all downward."""
    stream = (
        Send("up", UP[0], PR1[i + h]),
        Send("down", DOWN[0], PR1[i - h]),
        Compute("take", MOVED[0], FREE(UP[0][i - h].or_zero, DOWN[0][i + h].or_zero)),
    )
    return _program(n, stream, UP, DOWN)


def _levels(n: int) -> Program:
    """A packed message to both partners, and what the next level needs to its next place."""
    last = levels(n)

    def level(j: int, h: int) -> Iterator[Instruction]:
        packed = (UP if j < last else LAST)[j]
        yield Compute("pack", packed, FREE(MOVED[j - 1]))
        yield Send("exchange", packed, PR1[i + h], PR1[i - h])
        yield Compute("take", MOVED[j], FREE(MOVED[j - 1], packed[i - h].or_zero, packed[i + h].or_zero))
        if j < last:
            yield Arrange("un-shuffle", MOVED[j], j, j + 1)

    return _program(n, chain(loop(n, level), [Wait("end", MOVED[last], at=last)]), MOVED)


def _program(n: int, stream: Iterable[Instruction], *letters: Letter) -> Program:
    resident = tuple(Resident(letter[0], (1,)) for letter in letters)
    return Program(name="traffic", n=n, streams=(tuple(stream),), resident=resident, results={})


def _makespan(program: Program, rows: Integers, switching: str, fields: dict[str, str]) -> int:
    on = model.load("ideal").with_settings({**TIMES, **SWITCHING[switching], **fields})
    return int(lockstep.simulate(place(program, rows, on), on, None, detail="summary").summary["makespan"])


if __name__ == "__main__":
    print("\n".join(table()))
