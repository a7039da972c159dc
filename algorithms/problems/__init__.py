"""Problems: an arm, its state, the torques and the contact; from numbers, from files, or drawn.

>>> from senn.algorithms import problems
>>> problems.load("ur5").chain.n
6

`problem`: a problem, and its solution. `reader`: problem files, the bundled problems, and problems drawn from
a seed. `states`: the numbers of a state. `contact`: what the end effector touches. `writer`: files of
problems. `picture`: the arm itself.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from senn.algorithms.problems.problem import Problem, free
    from senn.algorithms.problems.reader import EARTH, bundled, description, draw, load

__all__ = ["EARTH", "Problem", "bundled", "description", "draw", "free", "load"]

_ROOMS = {"Problem": "problem", "free": "problem"}


def __getattr__(name: str) -> Any:
    """Imports on first use, so that a program that knows the shape of a contact loads no reader of files."""
    if name in __all__:
        return getattr(import_module(f"{__name__}.{_ROOMS.get(name, 'reader')}"), name)
    raise AttributeError(f"module '{__name__}' has no attribute {name!r}")
