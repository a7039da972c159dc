"""Routes by formula: the ways that belong to one network, found without a table of distances.

Each takes the channels of the network and columns of sources and targets, and gives the hops in rounds: who
moves, and over which channels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from senn.machine.network.named import shape
from senn.machine.network.topology import Channels, Integers, Truth, shuffle, unshuffle
from senn.traces.errors import InputError

Rounds: TypeAlias = list[tuple[Integers, Integers]]


def e_cube(channels: Channels, here: Integers, there: Integers) -> Rounds:
    """In a hypercube: the lowest address bit that differs first."""

    def step(p: Integers, q: Integers) -> Integers:
        differing = p ^ q
        return p ^ (differing & -differing)

    return _stepwise(channels, here, there, step)


def xy(channels: Channels, here: Integers, there: Integers) -> Rounds:
    """In a mesh or torus: along the row to the target's column, then along the column."""
    rows, columns = shape(channels.nodes)
    wraps = channels.network == "torus"

    def towards(here: Integers, there: Integers, size: int) -> Integers:
        """The next coordinate; in a torus the shorter way round, of equal ones the ascending."""
        up = (there - here) % size * 2 <= size if wraps else there > here
        step = np.where(up, here + 1, here - 1) % size
        return np.where(here == there, here, step)

    def step(p: Integers, q: Integers) -> Integers:
        (row, column), (row_q, column_q) = np.divmod(p, columns), np.divmod(q, columns)
        row = np.where(column == column_q, towards(row, row_q, rows), row)
        return row * columns + towards(column, column_q, columns)

    return _stepwise(channels, here, there, step)


def _stepwise(
    channels: Channels, here: Integers, there: Integers, step: Callable[[Integers, Integers], Integers]
) -> Rounds:
    """Hop by hop to the node `step(here, there)`, until all are there."""
    here, rounds = here.copy(), []
    while (moving := np.flatnonzero(here != there)).size:
        following = step(here[moving], there[moving])
        rounds.append((moving, channels.between(here[moving], following)))
        here[moving] = following
    return rounds


def conjugate(channels: Channels, here: Integers, there: Integers) -> Rounds:
    """Between nodes p and q = p + 2^b or p - 2^b of 2^m: un-shuffle both b times and they are neighbours.

    So: un-shuffle b times, one hop along the line, shuffle b times back; or, if m - b < b, shuffle m - b
    times, which leads to the same place, one hop, and un-shuffle back. At nodes 0 and N-1 it is no hop.
    """
    apart = np.abs(there - here)
    if (wrong := np.flatnonzero(apart & (apart - 1))).size:
        p, q = here[wrong[0]], there[wrong[0]]
        raise InputError(
            f'routing "conjugate" leads to nodes 1, 2, 4, ... further up or down, not from node {p} to node '
            f"{q}: take routing lowest or greedy, or allocation identity"
        )
    m = channels.nodes.bit_length() - 1
    b = np.log2(np.maximum(apart, 1)).astype(np.int64)
    turns, unshuffling = np.minimum(b, m - b), b <= m - b
    going = np.flatnonzero(apart)
    walk = _Walk(channels, here)
    for turn in range(turns.max(initial=0)):
        walk.turn(going[turns[going] > turn], unshuffling)
    walk.hop(going, walk.here[going] + np.sign(there - here)[going])
    for turn in range(turns.max(initial=0)):
        walk.turn(going[turns[going] > turn], ~unshuffling)
    return walk.rounds


def bit_by_bit(channels: Channels, here: Integers, there: Integers) -> Rounds:
    """Between nodes of 2^m whose lowest differing bit is b: shuffle m - b times, which brings the bits from
    m - 1 down to b to the end one by one, and exchange where the bit is not the target's; then home by b
    shuffles, or by m - b un-shuffles if they are fewer."""
    m = channels.nodes.bit_length() - 1
    differing = here ^ there
    b = np.log2(np.maximum(differing & -differing, 1)).astype(np.int64)
    going = np.flatnonzero(differing)
    walk = _Walk(channels, here)
    for turn in range(m):
        moving = going[turn < (m - b)[going]]
        walk.turn(moving, np.zeros(len(here), dtype=np.bool_))
        wrong = (walk.here[moving] ^ (there[moving] >> (m - 1 - turn))) & 1 == 1
        walk.hop(moving[wrong], walk.here[moving[wrong]] ^ 1)
    for turn in range(m):
        walk.turn(going[turn < np.minimum(b, m - b)[going]], m - b < b)
    return walk.rounds


class _Walk:
    """Messages on their way, and the rounds of hops so far."""

    def __init__(self, channels: Channels, here: Integers) -> None:
        self.channels, self.here = channels, here.copy()
        self.rounds: Rounds = []

    def hop(self, moving: Integers, following: Integers) -> None:
        """The messages `moving` to these nodes, neighbours of theirs; no hop for those that are there."""
        here = self.here[moving]
        away = here != following
        self.rounds.append((moving[away], self.channels.between(here[away], following[away])))
        self.here[moving] = following

    def turn(self, moving: Integers, unshuffling: Truth) -> None:
        """One shuffle of the messages `moving`, or one un-shuffle of those of `unshuffling`."""
        p, nodes = self.here[moving], self.channels.nodes
        self.hop(moving, np.where(unshuffling[moving], unshuffle(p, nodes), shuffle(p, nodes)))


FORMULAS: Mapping[str, Callable[[Channels, Integers, Integers], Rounds]] = {
    "e-cube": e_cube,
    "xy": xy,
    "conjugate": conjugate,
    "bit-by-bit": bit_by_bit,
}
