"""Where the processes live: integer tables of nodes, (M + 1, n), and the renamings they are made from.

Row 0 is home, row j the place at level j; column i - 1 belongs to process i; an entry is a node of the
2^M nodes of an array, M = ceil(log2 n). A renaming is a fixed permutation of the nodes, (2^M,).

Residency "home" keeps every process at its home. "migrating" un-shuffles all of them between levels
(Fijany VI.B): during level j, process i sits at rotr^(j-1)(i-1), so that its partners i - h and i + h,
h = 2^(j-1), are its neighbours p - 1 and p + 1 whenever they exist, for every n.
"""

from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from senn.machine.topology import Integers, rotr
from senn.machine.values import levels
from senn.traces.errors import InputError

Residency: TypeAlias = Literal["home", "migrating"]

RESIDENCIES = ("home", "migrating")
NAMES = "identity, bit-reversed, gray, random:SEED or a file FILE.csv"


def identity(n: int) -> Integers:
    """(2^M,) process i at node i - 1: as in the paper."""
    return np.arange(1 << levels(n), dtype=np.int64)


def bit_reversed(n: int) -> Integers:
    """(2^M,) the M address bits in reverse order."""
    forward, reverse = identity(n), np.zeros_like(identity(n))
    for bit in range(levels(n)):
        reverse |= ((forward >> bit) & 1) << (levels(n) - 1 - bit)
    return reverse


def gray(n: int) -> Integers:
    """(2^M,) the binary-reflected Gray code: consecutive processes differ in one address bit."""
    forward = identity(n)
    return forward ^ (forward >> 1)


def random(n: int, seed: int) -> Integers:
    """(2^M,) a uniformly random permutation of the nodes; equal seeds give equal permutations."""
    return np.random.default_rng(seed).permutation(identity(n))


def table(n: int, residency: Residency, renaming: ArrayLike) -> Integers:
    """(M + 1, n) allocation of n processes with `residency`, on nodes renamed by `renaming`, (2^M,).

    It comes last, node = renaming[rotr^(j-1)(i - 1)]: the pattern of the migration stays, only
    the naming of the nodes is permuted (so neighbours of the pattern need not be neighbours any more).
    Row 0 equals row 1.

    >>> table(4, "migrating", identity(4)).tolist()
    [[0, 1, 2, 3], [0, 1, 2, 3], [0, 2, 1, 3]]
    """
    renaming, m = np.asarray(renaming), levels(n)
    if residency not in RESIDENCIES:
        raise InputError(f'residency "{residency}" is not supported yet: choose home or migrating')
    if renaming.shape != (1 << m,) or not np.array_equal(np.sort(renaming), identity(n)):
        raise InputError(f"a renaming of {n} processes is a permutation of the nodes 0..{(1 << m) - 1}")
    place = np.arange(n, dtype=np.int64)
    rows = [place]
    for level in range(1, m + 1):
        if residency == "migrating" and level > 1:
            place = rotr(place, m)
        rows.append(place)
    return renaming.astype(np.int64)[np.array(rows)]


def from_csv(path: str | Path, n: int) -> Integers:
    """(M + 1, n) allocation read from a file of M + 1 rows of n nodes, or of one row: a static home."""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise InputError(f"{path}: the allocation cannot be read: {reason}") from None
    rows = []
    for number, line in enumerate(lines, start=1):
        cells = [cell.strip() for cell in line.split(",")]
        if cells == [""]:
            continue
        for column, cell in enumerate(cells, start=1):
            if not (cell.isascii() and cell.isdigit()):
                raise InputError(
                    f'{path}: line {number}, column {column}: "{cell}" is not a node: write an integer from 0'
                )
        if len(cells) != n:
            raise InputError(
                f"{path}: line {number} has {len(cells)} columns: write {n}, one node for each process"
            )
        rows.append([int(cell) for cell in cells])
    m = levels(n)
    if len(rows) not in (1, m + 1):
        raise InputError(
            f"{path}: the file has {len(rows)} rows: for {n} processes write {m + 1}, home and one for each "
            "level, or 1, a static home"
        )
    whole = rows * (m + 1) if len(rows) == 1 else rows
    try:
        found: Integers = check(whole, n, 1 << m)[0]
        return found
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def named(text: str, n: int, residency: Residency) -> Integers:
    """(M + 1, n) allocation by name: identity, bit-reversed, gray, random:SEED or FILE.csv.

    A file says itself where the processes are at every level, whatever the residency.
    """
    if text.endswith(".csv"):
        return from_csv(text, n)
    name, _, seed = text.partition(":")
    if name == "random" and seed.isascii() and seed.isdigit():
        return table(n, residency, random(n, int(seed)))
    if name == "random":
        raise InputError(f'allocation "{text}" needs a seed, a whole number from 0: write random:7')
    renamings = {"identity": identity, "bit-reversed": bit_reversed, "gray": gray}
    if text not in renamings:
        raise InputError(f'allocation "{text}" is not known: choose {NAMES}')
    return table(n, residency, renamings[text](n))


def residency_of(allocation: Integers) -> str:
    """What a table of one's own, or one for each array, amounts to: "home" if no process ever moves, else
    "table"."""
    return "home" if (allocation == allocation[..., :1, :]).all() else "table"


def check(allocation: ArrayLike, n: int, nodes: int, arrays: int = 1) -> Integers:
    """The allocation as integer tables (arrays, M + 1, n) of `nodes` nodes, from one for all arrays or one
    for each.

    Refuses by array, level and process what is not: wrong shape, no integers, a node outside.
    """
    given, shape = np.asarray(allocation), (levels(n) + 1, n)
    if given.shape not in (shape, (arrays, *shape)):
        each = f", or {(arrays, *shape)}, a table for each array" if arrays > 1 else ""
        raise InputError(
            f"an allocation of {n} processes has shape {shape}, home and one row for each level{each}; "
            f"this one has {given.shape}"
        )
    if not np.issubdtype(given.dtype, np.integer):
        raise InputError(f"an allocation holds integers, the nodes; this one holds {given.dtype}")
    outside = np.argwhere((given < 0) | (given >= nodes))
    if len(outside):
        first = tuple(outside[0].tolist())
        *array, level, process = first
        at = "home" if level == 0 else f"level {level}"
        of = f" of array {array[0] + 1}" if array else ""
        raise InputError(
            f"allocation: process {process + 1}{of} at {at} is on node {given[first]}, outside the network: "
            f"the nodes are 0..{nodes - 1}"
        )
    return np.broadcast_to(given.astype(np.int64), (arrays, *shape))
