"""Choices as the arguments of a function: its signature, its defaults, its checks and its help."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, ForwardRef, TypeVar

from senn.choice import Choice
from senn.choices import choices

Function = TypeVar("Function", bound=Callable[..., Any])


def taking(table: type) -> Callable[[Function], Function]:
    """Write the rows of a table of `senn.choices` out as the arguments of a function of ``**chosen``.

    The function is called with all of them, checked; `help` shows each with its values, its default and what
    it does.
    """
    rows = choices(table)

    def written_out(function: Function) -> Function:
        signature = _signature(function, rows)

        @wraps(function)
        def called(*arguments: Any, **named: Any) -> Any:
            given = signature.bind(*arguments, **named)
            chosen = {name: given.arguments.pop(name, row.default) for name, row in rows.items()}
            for name, row in rows.items():
                row.check(chosen[name])
            return function(*given.args, **given.kwargs, **chosen)

        called.__signature__ = signature  # type: ignore[attr-defined]
        called.__doc__ = "\n".join([f"{inspect.getdoc(function)}\n\nChoices:\n", *_help(rows), ""])
        return called  # type: ignore[return-value]

    return written_out


def _signature(function: Callable[..., Any], rows: dict[str, Choice]) -> inspect.Signature:
    """The function's own arguments, the rows in the place of ``**chosen``, and what only reports last."""
    own = inspect.signature(function)
    keyword = inspect.Parameter.KEYWORD_ONLY
    kept = [one for one in own.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    written = [
        inspect.Parameter(name, keyword, default=row.default, annotation=_annotation(row))
        for name, row in rows.items()
    ]
    first = [one for one in kept if one.kind is not keyword]
    return own.replace(parameters=[*first, *written, *(one for one in kept if one.kind is keyword)])


def _annotation(row: Choice) -> Any:
    return row.kind.__forward_arg__ if isinstance(row.kind, ForwardRef) else row.kind


def _help(rows: dict[str, Choice]) -> Iterator[str]:
    for name, row in rows.items():
        values = f"{', '.join(map(str, row.values))}. " if row.values else ""
        yield textwrap.fill(f"{name}: {values}{row.help}", 100, subsequent_indent="    ")
