"""Allocations: integer tables of nodes, (M + 1, n), one for all arrays or one for each.

Row 0 is home, row j the place at level j; column i - 1 belongs to process i; an entry is a node of an array,
which has 2^M of them, M = ceil(log2 n), unless the machine says otherwise. Several processes may share one.

Residency "home" keeps every process at its home. "migrating" un-shuffles all of them between levels
(Fijany VI.B): during level j, process i sits where j - 1 un-shuffles take it from node i - 1, for 2^m nodes
at rotr^(j-1)(i-1), so that its partners i - h and i + h, h = 2^(j-1), are its neighbours p - 1 and p + 1
whenever they exist, for every n and every even number of nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from senn.base import code, files
from senn.base.errors import InputError, suggestion, within
from senn.machine.network.topology import Integers, unshuffle
from senn.machine.program.values import levels

Residency: TypeAlias = Literal["home", "migrating"]
Function: TypeAlias = Callable[[int, int, int], ArrayLike]
"""Of n, the levels M and the nodes of an array: a table (M + 1, n) of nodes, or one for each array."""

RESIDENCIES = ("home", "migrating")

# ------------------------------------------------------------ renamings: permutations of the nodes, (nodes,)
# Entry p is the node of the process that the plain order has at node p. All take the number of processes n
# and the number of nodes; 0 nodes are 2^M, M = ceil(log2 n). Lists of allocations show their first sentences.


def identity(n: int, nodes: int = 0) -> Integers:
    """Process i at node i - 1, as in the paper."""
    return np.arange(nodes or 1 << levels(n), dtype=np.int64)


def rotated(n: int, k: int, nodes: int = 0) -> Integers:
    """Process i at node i - 1 + K, around the end."""
    return np.roll(identity(n, nodes), -k)


def unshuffled(n: int, k: int, nodes: int = 0) -> Integers:
    """Node i - 1 after K un-shuffles. For 2^m nodes its address bits are rotated."""
    places = identity(n, nodes)
    if len(places) % 2 and len(places) > 1:
        raise InputError(f"an un-shuffle needs an even number of nodes, not {len(places)}")
    once = unshuffle(places, len(places))
    while k:  # powers of a permutation: as many steps as `k` has bits
        places = once[places] if k % 2 else places
        once, k = once[once], k // 2
    return places


def bit_reversed(n: int, nodes: int = 0) -> Integers:
    """The address bits of node i - 1 in reverse order."""
    return _by_bits(n, nodes, "bit-reversed").T.ravel()


def gray(n: int, nodes: int = 0) -> Integers:
    """In Gray code: consecutive processes differ in one address bit."""
    forward = _by_bits(n, nodes, "gray").ravel()
    return forward ^ (forward >> 1)


def random(n: int, seed: int, nodes: int = 0) -> Integers:
    """A random permutation; equal seeds, equal permutations."""
    return np.random.default_rng(seed).permutation(identity(n, nodes))


def snake(n: int, nodes: int = 0) -> Integers:
    """Along the rows of a mesh, every second one backward. Consecutive processes are neighbours on it.

    The mesh has 2^floor(m/2) rows and 2^ceil(m/2) columns, its nodes counted row by row.
    """
    bits = _by_bits(n, nodes, "snake")
    columns = 1 << (bits.ndim + 1) // 2
    row, column = np.divmod(bits.ravel(), columns)
    return row * columns + np.where(row % 2 == 0, column, columns - 1 - column)


def morton(n: int, nodes: int = 0) -> Integers:
    """On a mesh, row and column from every second address bit. It is that of `snake`; bits 0, 2, ... of the
    address are the column, 1, 3, ... the row."""
    bits = _by_bits(n, nodes, "morton")
    m = bits.ndim
    target = [bit // 2 + bit % 2 * ((m + 1) // 2) for bit in range(m)]
    return bits.transpose([m - 1 - bit for bit in reversed(target)]).ravel()


def _by_bits(n: int, nodes: int, name: str) -> Integers:
    """The plain order, 2^m nodes, with an axis for each address bit, the highest first."""
    forward = identity(n, nodes)
    if len(forward) & (len(forward) - 1):
        raise InputError(f'allocation "{name}" needs a power of two of nodes, not {len(forward)}')
    return forward.reshape([2] * (len(forward).bit_length() - 1))


RENAMINGS: Mapping[str, Callable[[int, int], Integers]] = {
    f.__name__.replace("_", "-"): f for f in (identity, bit_reversed, gray, snake, morton)
}
NUMBERED: Mapping[str, Callable[[int, int, int], Integers]] = {
    f.__name__: f for f in (rotated, unshuffled, random)
}


def table(n: int, residency: str, renaming: ArrayLike) -> Integers:
    """(M + 1, n) allocation of n processes with `residency`, on nodes renamed by a permutation of them.

    It comes last, node = renaming[un-shuffled j - 1 times (i - 1)]: the pattern of the migration stays, only
    the naming of the nodes is permuted (so neighbours of the pattern need not be neighbours any more).
    Row 0 equals row 1.

    >>> table(4, "migrating", identity(4)).tolist()
    [[0, 1, 2, 3], [0, 1, 2, 3], [0, 2, 1, 3]]
    """
    renaming = np.asarray(renaming)
    nodes = renaming.size
    if renaming.shape != (nodes,) or not np.array_equal(np.sort(renaming), np.arange(nodes)):
        raise InputError("a renaming is a permutation of the nodes 0, 1, 2, ...")
    if nodes < n:
        raise InputError(
            f"{n} processes do not fit {nodes} nodes, one on each: take the allocation block or cyclic, or "
            "more nodes"
        )
    return renaming.astype(np.int64)[_places(n, residency, nodes, start=1)]


def block(n: int, residency: str, nodes: int = 0) -> Integers:
    """(M + 1, n) allocation of ceil(n / nodes) = B consecutive processes to a node.

    Migrating, it stays at home as long as h < 2 B, when partners are on the same node or on a neighbour, and
    then un-shuffles the blocks: level j has block b where j - 1 - log2 B un-shuffles take it. So B must be a
    power of two. Two blocks are neighbours and stay.
    """
    nodes = nodes or 1 << levels(n)
    size = -(-n // nodes)
    blocks = -(-n // size)
    if residency != "home" and size & (size - 1) and blocks > 2:
        raise InputError(
            f'allocation "block", residency {residency}: {n} processes on {nodes} nodes are blocks of '
            f"{size}, but un-shuffles bring only blocks of 1, 2, 4, ... together: take another machine.nodes "
            "or residency home"
        )
    places = _places(blocks, residency, nodes, start=size.bit_length(), rows=levels(n) + 1)
    return places[:, np.arange(n) // size]


def cyclic(n: int, residency: str, nodes: int = 0) -> Integers:
    """(M + 1, n) allocation of process i to node (i - 1) mod `nodes`, at home."""
    if residency != "home":
        raise InputError(
            f'allocation "cyclic", residency {residency}: un-shuffles do not bring partners together around '
            "the end of the nodes: take residency home, or block"
        )
    return np.tile(np.arange(n, dtype=np.int64) % (nodes or 1 << levels(n)), (levels(n) + 1, 1))


FOLDS: Mapping[str, Callable[[int, str, int], Integers]] = {"block": block, "cyclic": cyclic}


def _meaning(renaming: Callable[..., Integers]) -> str:
    """The first sentence of its docstring."""
    sentence = (renaming.__doc__ or "").partition(".")[0]
    return sentence[:1].lower() + sentence[1:]


NAMES: Mapping[str, str] = {
    **{name: _meaning(renaming) for name, renaming in RENAMINGS.items()},
    **{f"{name}:{'SEED' if name == 'random' else 'K'}": _meaning(f) for name, f in NUMBERED.items()},
    "block": "ceil(n / nodes) consecutive processes on a node",
    "cyclic": "process i at node (i - 1) mod nodes; home only",
    "FILE.csv": "a table of your own: M + 1 rows of n nodes, or one row",
    "FILE.py:FUNCTION": "a function (n, levels, nodes) that returns a table, or one for each array",
}
"""Every way to name an allocation, with its meaning."""


def named(text: str, n: int, residency: str, nodes: int = 0) -> Integers:
    """The allocation that a text names (NAMES) on `nodes` nodes; 0 are 2^M. Names parted by a comma are for
    one array each: (arrays, M + 1, n).

    A file sets all levels; residency is ignored.
    """
    tables = [_named(name, n, residency, nodes) for name in code.parts(text)]
    if (
        len(tables) > 1
        and (several := next((table for table in tables if table.ndim == 3), None)) is not None
    ):
        raise InputError(
            f'allocation "{text}": a function returns {len(several)} tables, one for each array, and others '
            "are named beside it: name it alone, or let it return one table"
        )
    return tables[0] if len(tables) == 1 else np.stack(tables)


_MOST_ENTRIES = 2**24
"""Entries of a user's table: of 8 arrays, 17 levels and 65,536 processes there are half as many."""


def of_function(function: Function, n: int, nodes: int = 0) -> Integers:
    """The allocation that a user's ``function(n, levels, nodes)`` returns: a table (M + 1, n) of nodes, or
    one for each array. 0 nodes are 2^M. Errors of the function pass through."""
    returned = function(n, levels(n), nodes or 1 << levels(n))
    return _of_user(called(function), returned, n, nodes)


def called(function: Function) -> str:
    """The name of a function in messages and in run.json."""
    return str(getattr(function, "__qualname__", type(function).__name__))


def is_file(text: str) -> bool:
    """Whether a text names a user's table, at least for one array."""
    return any(name.endswith(".csv") or code.named(name) for name in code.parts(text))


def _named(text: str, n: int, residency: str, nodes: int) -> Integers:
    name, _, number = text.partition(":")
    if text.endswith(".csv"):
        return _of_user(text, from_csv(text, n), n, nodes)
    if python := code.named(text):
        path, function = python
        with code.foreign(path):  # an error in the file is reported with its line
            returned = code.loaded(path, function, "n, levels, nodes")(n, levels(n), nodes or 1 << levels(n))
            return _of_user(text, returned, n, nodes)
    if name in NUMBERED:
        if not (number.isascii() and number.isdigit() and len(number) < 19):
            noun = "a seed" if name == "random" else "a number"
            raise InputError(f'allocation "{text}" needs {noun}, a whole number from 0: write {name}:1')
        return table(n, residency, NUMBERED[name](n, int(number), nodes))
    if text in FOLDS:
        return FOLDS[text](n, residency, nodes)
    if text not in RENAMINGS:
        near = suggestion(text, NAMES)
        raise InputError(f'allocation "{text}" is not known: choose {", ".join(NAMES)}{near}')
    return table(n, residency, RENAMINGS[text](n, nodes))


def _of_user(name: str, returned: Any, n: int, nodes: int) -> Integers:
    """A user's table, or one for each array, checked; one that would fill the memory is not made."""
    size, row = 1, returned
    while hasattr(row, "__len__") and hasattr(row, "__getitem__") and not isinstance(row, str) and len(row):
        size, row = size * len(row), row[0]
        if size > _MOST_ENTRIES:
            raise InputError(f"allocation: more than {_MOST_ENTRIES:,} entries; return one for each process")
    try:
        table = np.asarray(returned)
    except ValueError:
        raise InputError(f"{name}: it returns no table: rows have other lengths") from None
    with within(name):
        tables = checked(table, n, nodes or 1 << levels(n), len(table) if table.ndim == 3 else 1)
    return tables if table.ndim == 3 else tables[0]


def _places(n: int, residency: str, nodes: int, start: int, rows: int | None = None) -> Integers:
    """(rows, n) nodes: those of the plain order up to row `start`, then an un-shuffle per row."""
    if residency not in RESIDENCIES:
        raise InputError(f'residency "{residency}" is not known: choose {" or ".join(RESIDENCIES)}')
    rows = levels(n) + 1 if rows is None else rows
    moving = residency != "home" and n > 2
    if moving and nodes % 2 and rows > start + 1:
        raise InputError(
            f"residency {residency} un-shuffles an even number of nodes, not {nodes}: set machine.nodes to "
            f"{nodes + 1}, or take residency home"
        )
    places = [np.arange(n, dtype=np.int64)]
    for row in range(1, rows):
        places.append(unshuffle(places[-1], nodes) if moving and row > start else places[-1])
    return np.array(places)


def residency_of(allocation: ArrayLike) -> str:
    """The residency of a user's table or tables: "home" if no process ever moves, else "table"."""
    tables = np.asarray(allocation)
    return "home" if (tables == tables[..., :1, :]).all() else "table"


def checked(allocation: ArrayLike, n: int, nodes: int, arrays: int = 1) -> Integers:
    """The allocation as integer tables (arrays, M + 1, n) of `nodes` nodes, from one for all arrays or one
    for each. A table of one row is a static home, the same at every level.

    Refuses a wrong shape, entries that are no integers, and a node outside, by array, level and process.
    """
    shape = (levels(n) + 1, n)
    try:
        tables = np.asarray(allocation)
    except ValueError:
        raise InputError(
            f"an allocation of {n} processes has shape {shape}: its rows differ in length"
        ) from None
    if tables.shape not in ((n,), (1, n), shape, (arrays, 1, n), (arrays, *shape)):
        each = f", or {(arrays, *shape)}, a table for each array" if arrays > 1 else ""
        raise InputError(
            f"an allocation of {n} processes has shape {shape}, home and one row for each level, or {(n,)}, "
            f"a static home{each}; this one has {tables.shape}"
        )
    if not np.issubdtype(tables.dtype, np.integer):
        raise InputError(f"an allocation holds integers, the nodes; this one holds {tables.dtype}")
    outside = np.argwhere((tables < 0) | (tables >= nodes))
    if len(outside):
        first = tuple(outside[0].tolist())
        *array, level, process = first
        at = "home" if level == 0 else f"level {level}"
        of = f" of array {array[0] + 1}" if array else ""
        raise InputError(
            f"allocation: process {process + 1}{of} at {at} is on node {tables[first]}, outside the network: "
            f"the nodes are 0..{nodes - 1}"
        )
    return np.broadcast_to(tables.astype(np.int64), (arrays, *shape))


# ------------------------------------------------------------ tables from files


def from_csv(path: str | Path, n: int) -> Integers:
    """Integers read from a file of rows of n nodes."""
    rows = []
    for number, line in enumerate(files.text(path).splitlines(), start=1):
        cells = [cell.strip() for cell in line.split(",")]
        if cells == [""]:
            continue
        for column, cell in enumerate(cells, start=1):
            if not (cell.isascii() and cell.isdigit() and len(cell) < 19):
                raise InputError(
                    f'{path}: line {number}, column {column}: "{cell}" is not a node: write an integer from 0'
                )
        if len(cells) != n:
            raise InputError(
                f"{path}: line {number} has {len(cells)} columns: write {n}, one node for each process"
            )
        rows.append([int(cell) for cell in cells])
    return np.array(rows, dtype=np.int64)


def to_csv(table: Integers) -> str:
    """The text of a file from which `from_csv` reads this table, (M + 1, n)."""
    return "".join(",".join(map(str, row)) + "\n" for row in table.tolist())
