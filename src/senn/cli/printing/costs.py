"""Where the time of a run went: makespan and steps, the arrays, communication."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from senn.cli.printing.tables import table

if TYPE_CHECKING:
    from senn.traces.run import Run


def makespan(run: Run) -> Iterator[tuple[str, str]]:
    """How long it took, in steps and cycles."""
    taken, clock = run.summary["makespan"], Fraction(str(run.description["machine"]["clock_mhz"]))
    yield "makespan", f"{taken:,} cycles = {float(taken / clock):,.1f} us at {float(clock):g} MHz"
    yield "spent on", _spent(run)
    issued = " + ".join(f"{one['instructions']:,}" for one in run.summary["arrays"].values())
    network = run.description["schedule"]["network_steps"]
    m = levels(run)
    yield "steps", f"{issued} instructions, {network:,} network steps, {m} level{'' if m == 1 else 's'}"
    if bounds := run.description.get("bounds"):
        yield from _bounds(bounds, run.summary)


def _spent(run: Run) -> str:
    """The critical path by kind of cycle."""
    from senn.traces import analysis

    if run.trace.detail != "full":
        return f"not told: it takes the messages, which detail {run.trace.detail} does not keep"
    return analysis.spent_text(run.spent)


def levels(run: Run) -> int:
    """M = log2 n rounded up, of a run."""
    return int(run.description["program"]["n"] - 1).bit_length()


def _bounds(bounds: Mapping[str, int], summary: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    free, taken, blocking = bounds["free_network"], bounds["makespan"], bounds["blocking"]
    yield "free network", f"T0 = {free:,} cycles, were every message there when it is posted"
    less = "" if summary["stall"] is None else f" (the arrays stall {summary['stall']:,} in all)"
    yield "", f"T - T0 = {taken - free:,} cycles of the makespan are due to the network{less}"
    yield "blocking sends", f"{blocking:,} cycles, if every send returned on delivery (dma = false)"


def _cycles(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def arrays(summary: Mapping[str, Mapping[str, Any]]) -> Any:
    """A line for each array: what it issued, how long it stood still and why, and the share of its time."""
    rows = (
        (
            f"array {number}",
            f"{one['instructions']:,}",
            f"{one['end']:,}",
            _cycles(one["exposed"]),
            _cycles(one["dependency_wait"]),
            "-" if one["stall"] is None else _share(one["stall"], one["end"]),
        )
        for number, one in summary.items()
    )
    return table([""], ["instructions", "ends at", "exposed", "dependency\nwait", "stalled"], rows)


def communication(run: Run) -> Iterator[tuple[str, str]]:
    """What was sent, and what of it was hidden."""
    summary = run.summary
    if summary["messages"] is not None:
        counts = (f"{summary[name]:,} {name}" for name in ("messages", "hops", "words"))
        yield "traffic", f"{', '.join(counts)} of 64 bits"
    if run.trace.detail == "full":
        from senn.traces import analysis

        words = analysis.peak_buffer(run.trace)
        yield "buffered", f"at most {words:,} words at a node, waiting for a channel further on"
    if scores := run.description.get("scores"):
        congestion = f"congestion {scores['congestion']:,} ({scores['congestion_in_all']:,} in all)"
        moved = f"load {scores['load']:,}, {scores['word_hops']:,} words x hops"
        yield "allocation", f"dilation {scores['dilation']}, {congestion}, {moved}"
    if summary["hidden"] is not None:
        share = ""
        if run.trace.detail == "full":
            dma = int(analysis.overlap(run.trace)["dma"].sum())
            share = f", {_share(summary['hidden'], dma)} of all sending" if dma else ""
        text = "node cycles in which a DMA sends while its engine computes"
        yield "hidden", f"{summary['hidden']:,} {text}{share}"
    if summary["stall"] is None:
        yield from _of_nodes(summary)
        return
    late = summary["stall"] - summary["exposed"]
    waits = "array cycles: an array stands still for a message"
    yield "exposed", f"{summary['exposed']:,} {waits} on its way"
    yield "dependency wait", f"{late:,} {waits} not yet posted"


def _of_nodes(summary: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Where every node issues by itself, it is nodes that wait."""
    if summary["node_stall"] is not None:
        late = summary["node_stall"] - summary["node_exposed"]
        waits = "node cycles: a node stands still for a message"
        yield "exposed", f"{summary['node_exposed']:,} {waits} on its way"
        yield "dependency wait", f"{late:,} {waits} not yet posted"
    yield "control", "mimd: every node issues by itself, so an array as a whole never stalls"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"
