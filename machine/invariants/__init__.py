"""Invariants I1-I14 of every trace: an independent check that calls no engine.

`check`: all of them, by name. `nodes`: control units and compute engines; `messages`: messages and channels.
`reading`: a trace beside its schedule, as columns. `placement`: a trace beside the `text` of its program.
"""

from senn.machine.engines.memory import Violation
from senn.machine.invariants.check import (
    INVARIANTS,
    check,
    check_free_network,
    check_repeats,
    free_network,
)
from senn.machine.invariants.reading import Reading

__all__ = [
    "INVARIANTS",
    "Reading",
    "Violation",
    "check",
    "check_free_network",
    "check_repeats",
    "free_network",
]
