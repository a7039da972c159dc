"""Classics of parallel computing: programs as a user writes them, a page each, with a name.

A module has `program(n)`; `example(n, rng)`, the memory before the first cycle with numbers drawn at random;
`answer(memory)`, the results by NumPy, independent of the program; and `LAW`, formulas in n, M and N = 2^M:
instructions and network steps, data migrating on the paper's network, and words sent, data at home. They are
exact for n = 2^M from 4 on, and bounds for any other n from 2 on that the program takes.
"""

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType

NAMES: Mapping[str, str] = {
    "kogge-stone": "kogge_stone",
    "brent-kung": "brent_kung",
    "broadcast": "broadcast",
    "reduce": "reduction",
    "sort": "bitonic_sort",
    "fft": "fft",
    "transpose": "transposition",
    "polynomial": "polynomial",
    "tridiagonal": "cyclic_reduction",
    "matmul": "matrix_product",
}
"""Modules by the names of `senn list algorithms`."""


def classic(name: str) -> ModuleType:
    """Module of this name."""
    return import_module(f"{__name__}.{NAMES[name]}")


def title(name: str) -> str:
    """Subject and finder."""
    return (classic(name).__doc__ or "").partition("\n")[0].removesuffix(".")
