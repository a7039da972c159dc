"""The network as the page draws it: where its nodes stand, its channels, and which of them a hop crossed."""

import numpy as np
import polars as pl

from senn.traces import analysis
from senn.traces.pictures.views.wiring import layout
from senn.traces.record.trace import Trace

_ROOM = 1000  # the whole picture is so many whole numbers wide and high
_CHANNEL = ("source_array", "target_array", "kind", "wire", "source_node", "target_node")


def network(trace: Trace, nodes: int) -> dict[str, pl.DataFrame]:
    """``channels``, as `analysis.channels` has them, with x and y of the middle of each curve; ``places`` of
    the nodes: array, x, y, in order of array and node; ``crossed``: the channel of every hop, by its place.

    x goes from 0 to 1000 to the right, y from 0 to 1000 downwards.
    """
    channels = analysis.channels(trace)
    arrays = trace.instructions["array"].unique().sort().to_list()
    drawn = layout(channels, nodes, arrays)
    curves = drawn.curves(channels)
    middles = np.array([curve[len(curve) // 2] if len(curve) > 2 else curve.mean(axis=0) for curve in curves])
    places = np.concatenate([drawn.places[array] for array in arrays])
    points = np.concatenate([places, middles.reshape(-1, 2)])
    low, size = points.min(axis=0), np.maximum(np.ptp(points, axis=0), 1e-9)
    scaled = np.rint(_ROOM * (points - low) / size).astype(np.int64)
    scaled[:, 1] = _ROOM - scaled[:, 1]
    at, between = scaled[: len(places)], scaled[len(places) :]
    numbered = channels.select(_CHANNEL).with_columns(pl.int_range(pl.len()).alias("channel"))
    return {
        "channels": channels.drop("wire").with_columns(
            pl.Series("x", between[:, 0], dtype=pl.Int64), pl.Series("y", between[:, 1], dtype=pl.Int64)
        ),
        "places": pl.DataFrame({"array": np.repeat(arrays, nodes), "x": at[:, 0], "y": at[:, 1]}),
        "crossed": trace.hops.join(numbered, on=_CHANNEL, how="left", maintain_order="left").select(
            "channel"
        ),
    }
