"""What is true of every trace: invariants I1-I13, an independent reading that calls no engine."""

from senn.machine.engines.reading import Reading, Violation
from senn.machine.invariants.check import (
    INVARIANTS,
    check,
    check_free_network,
    check_repeats,
    free_network,
)

__all__ = [
    "INVARIANTS",
    "Reading",
    "Violation",
    "check",
    "check_free_network",
    "check_repeats",
    "free_network",
]
