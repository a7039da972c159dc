"""Where the processes of a run live, as its readers have it: tables that a notebook shows in colours."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from senn.traces.shown.html import text

_SHOWN = 64
"""Processes of which a notebook shows the places; more would not be read."""


@dataclass(frozen=True, eq=False)
class Allocation:
    """Nodes of processes: ``tables[a - 1, j, i - 1]`` is the node of process i of array a at level j, level 0
    being home."""

    name: str
    residency: str
    tables: NDArray[np.int64]

    @property
    def shared(self) -> bool:
        """Whether all arrays have the same places."""
        return bool((self.tables == self.tables[:1]).all())

    def _repr_html_(self) -> str:
        """A row of nodes a level, one colour a node, so that a process can be followed where it goes."""
        arrays = self.tables[:1] if self.shared else self.tables
        return "".join(self._tables(arrays)) if arrays.shape[2] <= _SHOWN else text(repr(self))

    def _tables(self, arrays: NDArray[np.int64]) -> Iterator[str]:
        most = max(int(arrays.max()), 1)
        for number, levels in enumerate(arrays, start=1):
            which = "" if self.shared else f", array {number}"
            caption = escape(f"node of each process, {self.name}, {self.residency}{which}")
            yield f"<table><caption>{caption}</caption>"
            yield "<thead><tr><th></th>"
            yield "".join(f"<th>{process}</th>" for process in range(1, levels.shape[1] + 1))
            yield "</tr></thead><tbody>"
            for level, row in enumerate(levels.tolist()):
                yield f"<tr><th>{f'level {level}' if level else 'home'}</th>"
                yield "".join(f'<td style="{_colour(node / most)}">{node}</td>' for node in row)
                yield "</tr>"
            yield "</tbody></table>"


def _colour(share: float) -> str:
    """Black on a light hue, on a dark page too."""
    return f"color:#000;background:hsl({270 * share:.0f} 70% 85%)"
