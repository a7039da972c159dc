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
from types import MappingProxyType
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
# and the number of nodes; 0 nodes are 2^M, M = ceil(log2 n).


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


# ------------------------------------------------------------ the names of allocations

RENAMINGS = MappingProxyType(
    {
        "identity": (identity, "process i at node i - 1, as in the paper"),
        "bit-reversed": (bit_reversed, "the address bits of node i - 1 in reverse order"),
        "gray": (gray, "Gray code: consecutive processes differ in one address bit"),
        "snake": (snake, "along the rows of a mesh, every second one backward"),
        "morton": (morton, "on a mesh, row and column from every second address bit"),
    }
)
NUMBERED = MappingProxyType(
    {
        "rotated": (rotated, "process i at node i - 1 + K, around the end"),
        "unshuffled": (unshuffled, "node i - 1 after K un-shuffles"),
        "random": (random, "a random permutation; equal seeds, equal permutations"),
    }
)
FOLDS = MappingProxyType(
    {
        "block": "ceil(n / nodes) consecutive processes on a node",
        "cyclic": "process i at node (i - 1) mod nodes; home only",
    }
)
NAMES: Mapping[str, str] = MappingProxyType(
    {
        **{name: text for name, (_, text) in RENAMINGS.items()},
        **{f"{name}:{'SEED' if name == 'random' else 'K'}": text for name, (_, text) in NUMBERED.items()},
        **FOLDS,
        "FILE.csv": "a table of your own: M + 1 rows of n nodes, or one row",
        "FILE.py:FUNCTION": "a function (n, levels, nodes) that returns a table, or one for each array",
    }
)
"""Every way to name an allocation, with its meaning."""


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


def array_of(returned: Any) -> np.ndarray:
    """A user's table as an array; InputError for one that would fill the memory."""
    size, row = 1, returned
    while hasattr(row, "__len__") and hasattr(row, "__getitem__") and not isinstance(row, str) and len(row):
        size, row = size * len(row), row[0]
        if size > _MOST_ENTRIES:
            raise InputError(f"allocation: more than {_MOST_ENTRIES:,} entries; return one for each process")
    return np.asarray(returned)


def of_function(function: Function, n: int, nodes: int = 0) -> Integers:
    """The allocation that a user's ``function(n, levels, nodes)`` returns: a table (M + 1, n) of nodes, or
    one for each array. 0 nodes are 2^M. Errors of the function pass through."""
    returned = function(n, levels(n), nodes or 1 << levels(n))
    try:
        table = array_of(returned)
    except InputError:
        raise
    except ValueError:
        raise InputError(f"{called(function)}: it returns no table: rows have other lengths") from None
    return _checked_table(called(function), table, n, nodes)


def called(function: Function) -> str:
    """The name of a function in messages and in run.json."""
    return str(getattr(function, "__qualname__", type(function).__name__))


def is_file(text: str) -> bool:
    """Whether a text names a user's table, at least for one array."""
    return any(name.endswith(".csv") or code.named(name) for name in code.parts(text))


def _named(text: str, n: int, residency: str, nodes: int) -> Integers:
    name, _, number = text.partition(":")
    if text.endswith(".csv"):
        return _checked_table(text, from_csv(text, n), n, nodes)
    if python := code.named(text):
        path, function = python
        with code.foreign(path):  # an error in the file is reported with its line
            function_of_user = code.loaded(path, function, "n, levels, nodes")
            table_of_file = array_of(function_of_user(n, levels(n), nodes or 1 << levels(n)))
        return _checked_table(text, table_of_file, n, nodes)
    if name in NUMBERED:
        if not (number.isascii() and number.isdigit() and len(number) < 19):
            noun = "a seed" if name == "random" else "a number"
            raise InputError(f'allocation "{text}" needs {noun}, a whole number from 0: write {name}:1')
        return table(n, residency, NUMBERED[name][0](n, int(number), nodes))
    if text in FOLDS:
        return (block if text == "block" else cyclic)(n, residency, nodes)
    if text not in RENAMINGS:
        near = suggestion(text, NAMES)
        raise InputError(f'allocation "{text}" is not known: choose {", ".join(NAMES)}{near}')
    return table(n, residency, RENAMINGS[text][0](n, nodes))


def _checked_table(text: str, table: ArrayLike, n: int, nodes: int) -> Integers:
    """A user's table, checked; a function may return one for each array."""
    table = np.asarray(table)
    arrays = len(table) if table.ndim == 3 else 1
    with within(text):
        tables = checked(table, n, nodes or 1 << levels(n), arrays)
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
