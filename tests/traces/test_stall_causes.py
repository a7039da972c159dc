"""What stalled cycles are charged to, on the run worked out by hand and as a law of real runs."""

import polars as pl
import pytest

import senn
from senn.traces import analysis
from senn.traces.record import Trace
from tests.traces.hand_trace import STARTUP, hand_trace


def test_causes_by_hand():
    """Stalls [12, 14) of array 1 and [6, 24), [25, 30), [33, 35) of array 2, back along what ended them."""
    table = analysis.charges(hand_trace(), {"startup": STARTUP, "hop": 0})
    assert table.select(
        "array", "step", "start", "end", "label", "cause_step", "message", "value"
    ).rows() == [
        (1, "I.b.12", 12, 14, "words", "I.b.5", 0, "D"),
        (2, "II.c.3.i", 6, 7, "post", "I.b.5", None, None),
        (2, "II.c.3.i", 7, 11, "startup", "I.b.5", 0, "D"),  # D occupies the channel of F until 14
        (2, "II.c.3.i", 11, 14, "words", "I.b.5", 0, "D"),
        (2, "II.c.3.i", 14, 18, "startup", "I.b.7", 1, "F"),
        (2, "II.c.3.i", 18, 19, "words", "I.b.7", 1, "F"),
        (2, "II.c.3.i", 19, 23, "startup", "I.b.7", 1, "F"),
        (2, "II.c.3.i", 23, 24, "words", "I.b.7", 1, "F"),
        (2, "II.c.4.i", 25, 28, "startup", "I.b.13", 3, "A"),
        (2, "II.c.4.i", 28, 30, "words", "I.b.13", 3, "A"),
        (2, "III.1", 33, 34, "startup", "I.c.5", 4, "Lambda"),
        (2, "III.1", 34, 35, "words", "I.c.5", 4, "Lambda"),
    ]


def test_a_trace_without_instructions_has_no_causes():
    assert analysis.charges(Trace.from_columns("full"), {"startup": STARTUP, "hop": 0}).height == 0


MACHINES = {
    "simd": {},
    "mimd": {"machine.control": "mimd"},
    "cut-through": {"machine.switching": "cut-through", "timing.hop": 3},
    "without DMA": {"machine.dma": "false"},
    "one port": {"machine.ports": "one"},
}


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("change", MACHINES.values(), ids=MACHINES)
@pytest.mark.parametrize("residency", ["migrating", "home"])
def test_every_stalled_cycle_has_one_cause(residency, change):
    """The rows of a stall follow each other from its first cycle to its last."""
    run = senn.run("random:6:seed=2", residency=residency, set=change, machine="raw", numbers=False)
    table = analysis.charges(run.trace, run.description["machine"])
    if analysis.per_node(run.trace):
        stalls = analysis.stalls(run.trace).select("array", "node", "instruction", "start", "end")
    else:
        stalls = run.trace.instructions.filter(pl.col("stall") > 0).select(
            "array",
            pl.lit(None, pl.Int64).alias("node"),
            pl.col("serial").alias("instruction"),
            (pl.col("issue") - pl.col("stall")).alias("start"),
            pl.col("issue").alias("end"),
        )
    of = ("array", "node", "instruction")
    joined = table.group_by(*of, maintain_order=True).agg(
        pl.col("start").first(),
        pl.col("end").last(),
        (pl.col("end") - pl.col("start")).sum().alias("cycles"),
        (pl.col("start").shift(-1).drop_nulls() == pl.col("end").head(pl.len() - 1)).all().alias("whole"),
    )
    assert stalls.height > 0
    assert joined["whole"].all()
    assert joined.select(*of, "start", "end").rows() == stalls.rows()
    assert (joined["end"] - joined["start"] == joined["cycles"]).all()
