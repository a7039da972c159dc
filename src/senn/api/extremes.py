"""Numbers at the ends of floating point: computed without warnings, refused where nothing comes of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from senn.traces.errors import InputError

Function = TypeVar("Function", bound=Callable[..., Any])


def unwarned(function: Function) -> Function:
    """The function without NumPy's warnings: what overflows in it is not finite, and its certificate says so.

    `InputError` where a matrix has numbers of which no decomposition can be made.
    """

    @wraps(function)
    def called(*arguments: Any, **named: Any) -> Any:
        import numpy as np  # here: --help does without

        try:
            with np.errstate(all="ignore"):
                return function(*arguments, **named)
        except np.linalg.LinAlgError as error:
            raise InputError(
                f"the numbers of this problem cannot be computed with ({error}); bring masses, lengths and "
                "torques nearer to 1"
            ) from error

    return called  # type: ignore[return-value]
