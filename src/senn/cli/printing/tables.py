"""Tables of texts and numbers. Where a page is too narrow columns go on below: no figure is ever cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table as Grid

from senn.traces.tables import Table

_BETWEEN = 3
"""Blanks and the line between columns."""
_LEGIBLE = 24
"""Texts that are longer may wrap, down to this, before numbers go below."""
_LONGEST_WORD = 40
"""A longer one is broken."""


class Sheet(Table):
    """A `Table` on a terminal: in parts, one below the other, where the page is too narrow.

    Every part repeats the texts and the first `keys` numbers.
    """

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        for place, part in enumerate(self._parts(options.max_width)):
            if place:
                yield ""
            yield self._table(part, options.max_width)

    def _parts(self, room: int) -> Iterator[list[int]]:
        """Which numbers stand side by side: as many as there is room for, one at least."""
        first = len(self.texts)
        keys = list(range(first, first + self.keys))
        widths = [max(self._word(k), min(self._width(k), _LEGIBLE)) for k in range(first)]
        widths += [self._width(k) for k in keys]
        left = room + _BETWEEN - sum(width + _BETWEEN for width in widths)
        part: list[int] = []
        taken = 0
        for column in range(first + self.keys, first + len(self.numbers)):
            width = self._width(column) + _BETWEEN
            if part and taken + width > left:
                yield [*keys, *part]
                part, taken = [], 0
            part.append(column)
            taken += width
        if part or len(self.numbers) == self.keys:
            yield [*keys, *part]

    def _width(self, column: int) -> int:
        return max(len(line) for cell in self._cells(column) for line in cell.split("\n"))

    def _word(self, column: int) -> int:
        """A text wraps between words."""
        words = (word for cell in self._cells(column) for word in cell.split())
        return min(max(map(len, words), default=0), _LONGEST_WORD)

    def _cells(self, column: int) -> list[str]:
        return [[*self.texts, *self.numbers][column], *(row[column] for row in self.rows)]

    def _widths_of_texts(self, room: int) -> list[int]:
        """As wide as they are, or the widest first made narrower, down to their longest word."""
        widths = [min(self._width(column), room) for column in range(len(self.texts))]
        while sum(widths) > room:
            slack, widest = max((width - self._word(k), k) for k, width in enumerate(widths))
            if slack <= 0:
                break
            widths[widest] -= 1
        return widths

    def _table(self, part: Sequence[int], room: int) -> Grid:
        taken = sum(self._width(column) + _BETWEEN for column in part)
        widths = self._widths_of_texts(room - taken - _BETWEEN * (len(self.texts) - 1) if self.texts else 0)
        found = Grid(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), header_style="bold")
        for title, width in zip(self.texts, widths, strict=True):
            found.add_column(title, justify="left", overflow="fold", width=width)
        for column in part:
            title = self.numbers[column - len(self.texts)]
            found.add_column(title, justify="right", width=self._width(column))
        for row in self.rows:
            found.add_row(*row[: len(self.texts)], *(row[column] for column in part))
        return found


def table(
    texts: Iterable[str], numbers: Iterable[str], rows: Iterable[Iterable[str]], keys: int = 0
) -> Sheet:
    """A table with columns of text followed by columns of numbers; heads may have several lines."""
    return Sheet(list(texts), list(numbers), [list(row) for row in rows], keys)
