"""Tables of texts and figures: one model, shown on a terminal (`senn.cli`), on a page and in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

Cell = str | int | float | None


@dataclass(frozen=True)
class Table:
    """Columns of text, set left, then columns of numbers, set right.

    Where a screen is too narrow for all numbers, the rest goes below, beside the texts and the first ``keys``
    numbers.
    """

    texts: Sequence[str]
    numbers: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    keys: int = 0


def table(
    texts: Iterable[str], numbers: Iterable[str], rows: Iterable[Iterable[Cell]], keys: int = 0
) -> Table:
    """A `Table` of any iterables; heads may have several lines."""
    return Table(list(texts), list(numbers), [list(row) for row in rows], keys)


def figure(cell: Cell, spec: str = ",") -> str:
    """Text of a cell: a number by default with its thousands apart, "-" for None, a text as it is."""
    return "-" if cell is None else cell if isinstance(cell, str) else f"{cell:{spec}}"


def html_table(
    rows: Iterable[Sequence[object]], header: Sequence[str] = (), caption: str = "", texts: int | None = None
) -> str:
    """HTML of rows under a header; every cell is escaped.

    The first ``texts`` columns are set left and the others right; by default numbers are set right.

    >>> html_table([("D", 1)], ("value", "level"))
    '<table><thead><tr><th>value</th><th>level</th></tr></thead>\
<tbody><tr><td style="text-align:left">D</td><td style="text-align:right">1</td></tr></tbody></table>'
    """

    def side(column: int) -> str:
        return "" if texts is None or column < texts else ' class="number"'

    def cell(value: object, column: int) -> str:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        text = f"{value:,}" if isinstance(value, int) and number else f"{value:.6g}" if number else str(value)
        if texts is not None:
            return f"<td{side(column)}>{escape('-' if value is None else text)}</td>"
        return f'<td style="text-align:{"right" if number else "left"}">{escape(text)}</td>'

    scope = "" if texts is None else ' scope="col"'
    head = "".join(f"<th{scope}{side(k)}>{escape(name)}</th>" for k, name in enumerate(header))
    lines = ("".join(cell(value, k) for k, value in enumerate(row)) for row in rows)
    return (
        "<table>"
        + (f"<caption>{escape(caption)}</caption>" if caption else "")
        + (f"<thead><tr>{head}</tr></thead>" if header else "")
        + f"<tbody>{''.join(f'<tr>{line}</tr>' for line in lines)}</tbody></table>"
    )


def text(lines: str) -> str:
    """HTML of a text, line by line.

    >>> text("a < b")
    '<pre>a &lt; b</pre>'
    """
    return f"<pre>{escape(lines)}</pre>"


def folded(title: str, inside: str) -> str:
    """HTML that is unfolded by a click on its title."""
    return f"<details><summary>{escape(title)}</summary>{inside}</details>"
