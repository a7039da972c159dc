"""Arguments of functions: rows of `senn.choices` as a signature, sizes as text, numbers at their extremes."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeVar

from senn.base.errors import InputError
from senn.choices import OF_ONE_COMMAND, PROCESSES, Choice, choices

Function = TypeVar("Function", bound=Callable[..., Any])


def with_choices(table: type) -> Callable[[Function], Function]:
    """Decorator that replaces ``**options`` of a function by the rows of a table of `senn.choices`.

    The function is called with every row, checked; its `help` lists each row with values and meaning.
    """
    rows = choices(table)

    def decorated(function: Function) -> Function:
        bare = inspect.signature(function)
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters = [p for p in bare.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        written = {name: getattr(row.kind, "__forward_arg__", row.kind) for name, row in rows.items()}
        added = [  # in place of **options
            inspect.Parameter(name, keyword, default=row.default, annotation=written[name])
            for name, row in rows.items()
        ]
        signature = bare.replace(parameters=sorted([*added, *parameters], key=lambda p: p.kind))
        kinds = {p.name: {"int": int, "bool": bool}.get(p.annotation) for p in parameters}
        checks = {name: Choice(0, "", name=name, kind=kind) for name, kind in kinds.items() if kind}
        checks |= {name: row for name, row in OF_ONE_COMMAND.items() if name in kinds}

        @wraps(function)
        def called(*arguments: Any, **keywords: Any) -> Any:
            bound = signature.bind(*arguments, **keywords)
            for name in checks.keys() & bound.arguments.keys():
                bound.arguments[name] = checks[name].convert(bound.arguments[name])
            options = {name: bound.arguments.pop(name, row.default) for name, row in rows.items()}
            options = {name: rows[name].convert(value) for name, value in options.items()}
            return function(*bound.args, **bound.kwargs, **options)

        called.__signature__ = signature  # type: ignore[attr-defined]
        values = {name: f"{', '.join(map(str, row.values))}. " for name, row in rows.items() if row.values}
        lines = (f"{name}: {values.get(name, '')}{row.help}" for name, row in rows.items())
        help = [textwrap.fill(line, 100, subsequent_indent="    ") for line in lines]
        called.__doc__ = "\n".join([f"{inspect.getdoc(function)}\n\nChoices:\n", *help, ""])
        return called  # type: ignore[return-value]

    return decorated


def unwarned(function: Function) -> Function:
    """The function without NumPy's warnings: an overflow gives infinity or NaN, and the certificate says so.

    Raises `InputError` for a matrix that has no decomposition.
    """

    @wraps(function)
    def called(*arguments: Any, **keywords: Any) -> Any:
        import numpy as np  # here, so that --help does not import NumPy

        try:
            with np.errstate(all="ignore"):
                return function(*arguments, **keywords)
        except np.linalg.LinAlgError as error:
            raise InputError(
                f"the numbers of this problem cannot be computed with ({error}); bring masses, lengths and "
                "torques nearer to 1"
            ) from error

    return called  # type: ignore[return-value]


def flag(name: str) -> str:
    """A choice of an algorithm as an option of the command line.

    >>> flag("form"), flag("ahead")
    ('--form', '--residency ahead')
    """
    return "--residency ahead" if name == "ahead" else f"--{name}"


_MOST_LINKS = 2**22
"""Largest sum of all sizes: of 1:2047:1, which takes minutes."""


def sizes(n: str | int | Iterable[int]) -> list[int]:
    """Numbers of processes: a whole number, several, or of a text "a,b,c", "a:b" or "a:b:step", ascending.

    >>> sizes("1:16")
    [1, 2, 3, 4, 6, 8, 12, 16]
    >>> sizes("8:24:8")
    [8, 16, 24]
    """
    if not isinstance(n, str):
        return [PROCESSES.convert(size) for size in (n if isinstance(n, Iterable) else [n])]
    from senn.machine.program.values import LONGEST  # here, so that --help does not import NumPy

    wrong = InputError(f'n "{n}": write 8,16,32 or 1:1024 or 8:64:8, whole numbers from 1 in rising order')
    try:
        parts = [[int(word) for word in part.split(":")] for part in n.split(",")]
    except ValueError:
        raise wrong from None
    numbers: set[int] = set()
    for part in parts:
        if min(part) < 1 or len(part) > 3 or (len(part) > 1 and part[1] < part[0]):
            raise wrong
        if max(part[:2]) > LONGEST:
            raise InputError(f'n "{n}": this machine model is made for at most {LONGEST:,} links')
        first, *end = part
        if len(end) == 1:  # 2^k and 3 2^k between both ends
            doublings = {factor * 2**k for k in range(end[0].bit_length()) for factor in (1, 3)}
            numbers |= {first, *(n for n in doublings if first < n < end[0]), end[0]}
        else:
            numbers |= {*range(first, end[0] + 1, end[1])} if end else {first}
    if sum(numbers) > _MOST_LINKS:
        count = f"{len(numbers):,} sizes with {sum(numbers):,} links in all"
        raise InputError(f'n "{n}": {count}, at most {_MOST_LINKS:,}; take a larger step')
    return sorted(numbers)
