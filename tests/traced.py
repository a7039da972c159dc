"""Cases that are more of what others reach run without the tracer, which triples their time."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def traced(values: Iterable[Any], where: Callable[[Any], bool]) -> list[Any]:
    """The values as parameters of a test, in order: seen by the tracer only where it is said.

    A tuple is the values of several arguments.
    """
    return [
        pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=[] if where(one) else [_MORE])
        for one in values
    ]


_MORE = pytest.mark.no_cover
