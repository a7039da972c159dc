"""Permutations of the nodes of an array, (nodes,): entry p is the node of what the plain order has at p.

All take the number of processes n and the number of nodes; 0 nodes are 2^M, M = ceil(log2 n).
"""

import numpy as np

from senn.machine.network.topology import Integers, unshuffle
from senn.machine.program.values import levels
from senn.traces.errors import InputError


def identity(n: int, nodes: int = 0) -> Integers:
    """Process i at node i - 1: as in the paper."""
    return np.arange(nodes or 1 << levels(n), dtype=np.int64)


def rotated(n: int, by: int, nodes: int = 0) -> Integers:
    """Process i at node i - 1 + by, around the end."""
    return np.roll(identity(n, nodes), -by)


def unshuffled(n: int, by: int, nodes: int = 0) -> Integers:
    """Process i where `by` un-shuffles take it from node i - 1: for 2^m nodes its address bits rotated."""
    places = identity(n, nodes)
    if len(places) % 2 and len(places) > 1:
        raise InputError(f"an un-shuffle needs an even number of nodes, not {len(places)}")
    once = unshuffle(places, len(places))
    while by:  # powers of a permutation: as many steps as `by` has bits
        places = once[places] if by % 2 else places
        once, by = once[once], by // 2
    return places


def bit_reversed(n: int, nodes: int = 0) -> Integers:
    """The address bits in reverse order."""
    forward, reverse = identity(n, nodes), np.zeros_like(identity(n, nodes))
    m = _bits(len(forward), "bit-reversed")
    for bit in range(m):
        reverse |= ((forward >> bit) & 1) << (m - 1 - bit)
    return reverse


def gray(n: int, nodes: int = 0) -> Integers:
    """The binary-reflected Gray code: consecutive processes differ in one address bit."""
    forward = identity(n, nodes)
    _bits(len(forward), "gray")
    return forward ^ (forward >> 1)


def random(n: int, seed: int, nodes: int = 0) -> Integers:
    """A uniformly random permutation of the nodes; equal seeds give equal permutations."""
    return np.random.default_rng(seed).permutation(identity(n, nodes))


def snake(n: int, nodes: int = 0) -> Integers:
    """Along the rows of a mesh, every second one backward: consecutive processes are neighbours on it.

    The mesh has 2^floor(m/2) rows and 2^ceil(m/2) columns, its nodes counted row by row.
    """
    forward = identity(n, nodes)
    columns = 1 << (_bits(len(forward), "snake") + 1) // 2
    row, column = np.divmod(forward, columns)
    return row * columns + np.where(row % 2 == 0, column, columns - 1 - column)


def morton(n: int, nodes: int = 0) -> Integers:
    """On the mesh of `snake` in Morton order: address bits 0, 2, ... are the column, 1, 3, ... the row."""
    forward = identity(n, nodes)
    m = _bits(len(forward), "morton")
    places = np.zeros_like(forward)
    for bit in range(m):
        to = bit // 2 + (0 if bit % 2 == 0 else (m + 1) // 2)
        places |= ((forward >> bit) & 1) << to
    return places


def _bits(nodes: int, name: str) -> int:
    """m of 2^m nodes."""
    if nodes & (nodes - 1):
        raise InputError(f'allocation "{name}" needs a power of two of nodes, not {nodes}')
    return nodes.bit_length() - 1
