"""A multiprocessor of the Tesla K40c: how many arrays it holds at once, and how long their operations take.

An array is a block of threads, a node a thread. Figures are NVIDIA's, for compute capability 3.5. Words have
64 bits.
"""

from __future__ import annotations

UNITS = 15
"""Multiprocessors of the card."""
MOST_ARRAYS, MOST_NODES, TOGETHER = 16, 2048, 32
"""Blocks and threads of a multiprocessor at once; threads are taken in warps."""
MEMORY, REGISTERS, REGISTERS_OF_NODE = 6144, 32768, 127
"""Words of the shared memory, of all registers, and of the registers of a thread."""
ISSUE = 64
"""Operations in double precision that it begins in a cycle."""


def places(nodes: int) -> int:
    """Threads that an array occupies, in whole warps."""
    return -(-nodes // TOGETHER) * TOGETHER


def at_once(nodes: int, words: int = 0) -> int:
    """Arrays that work in a multiprocessor at once, if a node holds so many words.

    Words that do not fit the registers of a node are in the shared memory. 0: none fits.
    """
    possible = 0
    for arrays in range(1, min(MOST_ARRAYS, MOST_NODES // places(nodes)) + 1):
        registers = min(REGISTERS_OF_NODE, REGISTERS // (arrays * places(nodes)))
        if arrays * nodes * max(words - registers, 0) <= MEMORY:
            possible = arrays
    return possible


def waves(arrays: int, nodes: int) -> int:
    """Rounds in which so many arrays work on all multiprocessors."""
    return -(-arrays // (UNITS * at_once(nodes)))


def operation(cycles: int, nodes: int, arrays: int) -> int:
    """Cycles from an operation of all nodes of so many arrays to the next, at least `cycles`."""
    return max(cycles, -(-places(nodes) * arrays // ISSUE))
