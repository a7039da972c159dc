"""Sensitivities of the makespan to the times of the machine, as a table and as an object."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor, log10
from typing import TYPE_CHECKING, Any

from senn.cli.printing.screen import Sheet, table

if TYPE_CHECKING:
    from senn.machine.retiming import Sensitivity


def depends(rows: Sequence[Sensitivity]) -> Sheet:
    """A line for each time of the machine."""
    percents = sorted({percent for row in rows for percent in row.dearer})
    shown = [
        (
            row.name,
            figure(row.value),
            "-" if row.more is None else figure(row.more),
            "-" if row.share is None else f"{100 * float(row.share):.1f} %",
            *(_dearer(row, percent) for percent in percents),
        )
        for row in rows
    ]
    heads = ["now", "one more\ncosts", "share", *(f"{percent} % more\nup to" for percent in percents)]
    return table(["time, in cycles"], heads, shown)


def _dearer(row: Sensitivity, percent: int) -> str:
    if percent not in row.dearer:
        return ""
    value = row.dearer[percent]
    return "never" if value is None else figure(value)


def figure(number: Fraction) -> str:
    """Exact where it is whole, else its first five digits: not above it."""
    if number.denominator == 1:
        return f"{number.numerator:,}"
    digits = max(0, 4 - floor(log10(number)))
    return f"{floor(number * 10**digits) / 10**digits:,.{digits}f}".rstrip("0")


def said(rows: Sequence[Sensitivity]) -> list[dict[str, Any]]:
    """The rows of `depends` for --json; numbers that are no integers as exact texts."""
    from senn.machine.model.figures import plain

    def exactly(number: Fraction | None) -> int | str | None:
        return None if number is None else plain(number)

    return [
        {
            "time": row.name,
            "value": exactly(row.value),
            "more": exactly(row.more),
            "less": exactly(row.less),
            "share": None if row.share is None else float(row.share),
            "dearer": {str(percent): exactly(value) for percent, value in row.dearer.items()},
        }
        for row in rows
    ]
