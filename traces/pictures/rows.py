"""Where the engines and DMAs of nodes stand in a timeline, of eight nodes or of a thousand."""

from typing import Literal

import numpy as np
import polars as pl
from matplotlib.axes import Axes

from senn.traces.pictures.drawing import Floats
from senn.traces.pictures.style import INK, SMALL
from senn.traces.record.trace import Trace

_FINE = 20  # up to so many nodes an array, every node has a row of its own
_BLOCK = 16.0  # height of the blocks of a large array
_GAP = 1.0  # between arrays
# Lower and upper edge of a lane: within the row of a node, and of a block within a large array.
_IN_ROW = {"engine": (0.38, 0.94), "dma": (0.06, 0.32)}
_IN_ARRAY = {"engine": (0.36, 1.0), "dma": (0.0, 0.32)}


class Rows:
    """Array 1 on top, node 0 first; y falls from 0.

    ``fine``: every node has a row of height 1 with its engine above its DMA. Otherwise the engines of an
    array form one block and its DMAs another, nodes touching, however thin they are.
    """

    def __init__(self, trace: Trace) -> None:
        nodes = pl.concat([trace.activities["node"], trace.hops["source_node"], trace.hops["target_node"]])
        self.nodes = 1 + int(nodes.to_numpy().max(initial=0))
        self.fine = self.nodes <= _FINE
        self.arrays: list[int] = trace.instructions["array"].unique().sort().to_list()
        self._height = float(self.nodes) if self.fine else _BLOCK

    @property
    def pixel(self) -> float:
        """About the height of a pixel in the picture of a large array; 0 where lanes have their own rows."""
        return 0.0 if self.fine else _BLOCK / 250

    @property
    def height(self) -> float:
        """Of all arrays together."""
        return len(self.arrays) * (self._height + _GAP)

    def extent(self, array: int) -> tuple[float, float]:
        """The lower and upper edge of an array."""
        top = -self.arrays.index(array) * (self._height + _GAP)
        return top - self._height, top

    def edges(
        self, lane: Literal["engine", "dma"], array: pl.Series, node: pl.Series
    ) -> tuple[Floats, Floats]:
        """The lower and upper edges of the engines or DMAs of these nodes."""
        place = {number: self.extent(number)[1] for number in self.arrays}
        top = array.replace_strict(place, default=None, return_dtype=pl.Float64).to_numpy()
        index = node.to_numpy().astype(np.float64)
        if self.fine:
            low, high = _IN_ROW[lane]
            return top - index - 1 + low, top - index - 1 + high
        low, high = (self._height * edge for edge in _IN_ARRAY[lane])
        block, share = top - self._height + high, (high - low) / self.nodes
        return block - (index + 1) * share, block - index * share

    def label(self, ax: Axes) -> None:
        """Node numbers along y, and beside them which array they are of."""
        ticks: list[tuple[float, str]] = []
        for array in self.arrays:
            low, high = self.extent(array)
            if self.fine:
                ticks += [(high - node - 0.5, str(node)) for node in range(self.nodes)]
                self._beside(ax, f"array {array}, node", (low + high) / 2)
                continue
            for lane, name in (("engine", f"array {array}: engines"), ("dma", "DMAs")):
                first, last = (low + self._height * edge for edge in _IN_ARRAY[lane][::-1])
                last_node = self.nodes - 1
                places = np.linspace(first, last, 3).tolist()
                ticks += zip(places, map(str, (0, (last_node + 1) // 2, last_node)), strict=True)
                self._beside(ax, name, (first + last) / 2)
        ax.set_yticks([y for y, _ in ticks], [name for _, name in ticks], fontsize=SMALL)
        ax.set_ylim(_GAP / 2 - self.height, 0.7 * _GAP)  # above: room for the cycle of the end

    def _beside(self, ax: Axes, text: str, height: float) -> None:
        ax.annotate(
            text,
            (0.0, height),
            xycoords=("axes fraction", "data"),
            xytext=(-36 if not self.fine else -24, 0),
            textcoords="offset points",
            rotation=90,
            ha="right",
            va="center",
            color=INK,
        )
