"""What is true of every trace: invariants I1-I13, an independent reading that calls no engine.

`check`: all of them, by name. `nodes`: what control units and compute engines may do; `own_control`: the same
where every node has a control unit of its own. `messages`, `channels`: what is sent, and how it travels.
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
