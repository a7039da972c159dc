"""What belongs to one level of a loop: its instructions, and the hops of its messages."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from senn.traces import analysis
from senn.traces.errors import InputError, printable
from senn.traces.record.trace import Trace

MOST = 96
"""So many nodes at once: a row is then still wider than a line."""


@dataclass(frozen=True)
class Block:
    """The instructions of an array that go through one level of a part, from ``first`` to ``last``."""

    array: int
    part: str
    level: int
    first: int
    last: int
    start: int
    end: int

    @property
    def phase(self) -> str:
        """ "I" of "I.b"."""
        return self.part.split(".")[0]


def block_of(trace: Trace, step: str | None, level: int, picture: str) -> Block:
    """The first time that a part with such a step goes through the level."""
    starts = analysis.level_starts(trace)
    if not starts.height:
        raise InputError(f"{picture}: no step of this run is in a loop, so there is no level to show")
    if step is None:
        step = starts["part"][0]
    table = trace.instructions.with_columns(pl.struct("array", _part(), "level").rle_id().alias("turn"))
    found = table.filter(_begins(step))
    if not found["level"].is_not_null().any():
        raise InputError(
            f'{picture}: no step in a loop is "{printable(step)}" or starts with it: '
            f"the parts with loops are {', '.join(starts['part'].unique(maintain_order=True))}"
        )
    at_level = found.filter(pl.col("level") == level)
    if not at_level.height:
        levels = found["level"].drop_nulls()
        raise InputError(
            f"{picture}: {printable(step)} has the levels {levels.min()!r} to {levels.max()!r}, not {level}"
        )
    whole = table.filter(pl.col("turn") == at_level["turn"][0])
    begin = whole.select((pl.col("issue") - pl.col("stall").fill_null(0)).min()).item()
    return Block(
        array=whole["array"][0],
        part=whole.select(_part())["part"][0],
        level=level,
        first=whole["serial"][0],
        last=whole["serial"][-1],
        start=begin,
        end=int(whole["end"].to_numpy().max()),
    )


def _begins(step: str) -> pl.Expr:
    label = pl.col("step")
    return (label == step) | label.str.starts_with(f"{step}.") | label.str.starts_with(f"{step}'")


def _part() -> pl.Expr:
    label = pl.col("step")
    return label.str.extract(r"^([IV]+(?:\.[a-z])?)").fill_null(label).alias("part")


def hops_of(trace: Trace, block: Block, step: str | None, first: int, last: int) -> pl.DataFrame:
    """The hops of the level's messages from or to these nodes, with the value, and whether it is the last."""
    sent = trace.messages.filter(
        pl.col("source_array") == block.array,
        pl.col("instruction").is_between(block.first, block.last),
        _begins(step) if step else pl.lit(True),
    ).select(pl.col("id").alias("message"), "value", "words", "instruction")
    hops = trace.hops.join(sent, on="message", maintain_order="left").with_columns(
        (pl.col("hop") == pl.col("hop").max().over("message")).alias("arrives")
    )
    here = (pl.col(name).is_between(first, last) for name in ("source_node", "target_node"))
    return hops.filter(pl.any_horizontal(*here))


def shown(trace: Trace, nodes: tuple[int, int] | None) -> tuple[int, int]:
    columns = (trace.activities["node"], trace.hops["source_node"], trace.hops["target_node"])
    there = max(int(column.to_numpy().max(initial=0)) for column in columns)
    first, last = (0, there) if nodes is None else nodes
    if not 0 <= first <= last <= there:
        raise InputError(f"spacetime: nodes {first} to {last} are not there; the nodes are 0 to {there}")
    if last - first >= MOST:
        raise InputError(
            f"spacetime: {last - first + 1:,} nodes are more than the {MOST} of which single messages can be "
            f"seen; choose some, such as the nodes 0 to {MOST // 3 - 1}"
        )
    return first, last
