"""Problems: an arm, its state, the torques and the contact; from numbers, from files, or drawn.

>>> from senn.algorithms import problems
>>> problems.load("ur5").chain.n
6

`problem`: the value. `reader`: problem files, the bundled problems, and every other way to name one. `drawn`:
from a seed. `states`: what a state may be. `contact`: what the end effector touches. `solution`: the answers.
`picture`: the arm itself.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from senn.algorithms.problems.drawn import EARTH, draw
    from senn.algorithms.problems.problem import Problem, free, resolved
    from senn.algorithms.problems.reader import bundled, description, load

__all__ = ["EARTH", "Problem", "bundled", "description", "draw", "free", "load", "resolved"]

_ROOMS = {"EARTH": "drawn", "draw": "drawn", "Problem": "problem", "free": "problem", "resolved": "problem"}


def __getattr__(name: str) -> Any:
    """Imports on first use, so that a program that knows the shape of a contact loads no reader of files."""
    if name in __all__:
        return getattr(import_module(f"{__name__}.{_ROOMS.get(name, 'reader')}"), name)
    raise AttributeError(f"module '{__name__}' has no attribute {name!r}")
