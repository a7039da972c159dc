"""The summary of a run: what ran, the answer, how it was checked, and where the time went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rich.console import Console

from senn.cli.screen import facts, heading, indented, table

if TYPE_CHECKING:
    from senn.traces.run import Run

_CHECKED = (
    ("joint accelerations", "qdd_error"),
    ("contact force", "contact_force_error"),
    ("Lambda^-1", "lambda_inverse_error"),
    ("equations of motion, residual", "residual"),
    ("contact condition, residual", "contact_residual"),
)


def report(page: Console, run: Run) -> None:
    """Print the summary of a run, made just now or read from a folder."""
    page.print(facts(_what_ran(run.description)))
    if {"qdd", "force"} <= run.result.keys() and "problem" in run.description:
        heading(page, "Answer")
        indented(page, facts(_answer(run)))
    if run.certificate:
        _checked(page, run.certificate, run.description)
    if run.summary.get("arrays"):
        heading(page, "Time")
        indented(page, facts(_makespan(run)))
        page.print()
        indented(page, _arrays(run.summary["arrays"]))
        heading(page, "Communication")
        indented(page, facts(_communication(run)))


def _what_ran(description: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    program, machine = description["program"], description["machine"]
    problem, allocation = description.get("problem"), description["allocation"]
    if problem:
        contact = program["contact"]
        held = f"{contact} direction{'s' if contact > 1 else ''} held" if contact else "free end"
        yield "problem", f"{problem['name']}: robot {problem['robot']}, {_joints(problem['joints'])}, {held}"
    form = f"form {program['form']}, refine {program['refine']}, " if program["form"] else ""
    yield "program", f"{program['name']}, {form}n = {program['n']}"
    if "residency" in allocation:
        yield "allocation", f"{allocation['name']}, {allocation['residency']}"
    nodes = description["schedule"]["nodes"]
    arrays = f"{machine['arrays']} array{'' if machine['arrays'] == 1 else 's'}"
    each = "1 node" if nodes == 1 else f"{nodes} nodes"
    clock = f"{machine['name']} at {machine['clock_mhz']} MHz"
    yield "machine", f"{clock}, {arrays} of {each}, network {_network(machine)}"
    for note in problem["notes"] if problem else ():
        yield "note", note


def _network(machine: Mapping[str, Any]) -> str:
    """Its name, and what is not as usual: "senn, shuffle = forward, routing = greedy"."""
    usual = {"shuffle": "both", "merge_parallel": False, "routing": "lowest"}
    unusual = [f"{name} = {machine[name]}".lower() for name in usual if machine[name] != usual[name]]
    return ", ".join([machine["network"], *unusual])


def _joints(types: Sequence[str]) -> str:
    sliding = sum(1 for joint in types if joint == "prismatic")
    text = f"{len(types)} joint{'s' if len(types) > 1 else ''}"
    return f"{text} ({sliding} prismatic)" if sliding else text


_SHOWN, _PER_LINE = 10, 5  # joint accelerations that a summary prints, beginning at the base


def _answer(run: Run) -> Iterator[tuple[str, str]]:
    problem = run.description["problem"]
    sliding = "prismatic" in problem["joints"]
    yield "joint accelerations", f"base to tip, rad/s^2{' (prismatic: m/s^2)' if sliding else ''}"
    qdd = run.result["qdd"].tolist()
    for first in range(0, min(len(qdd), _SHOWN), _PER_LINE):
        last = min(first + _PER_LINE, len(qdd), _SHOWN)
        yield f"  joint {first + 1}..{last}" if last > first + 1 else f"  joint {last}", _row(qdd[first:last])
    if len(qdd) > _SHOWN:
        yield "  ...", f"{len(qdd) - _SHOWN} more in result.npz"
    if problem["contact"]["kind"] == "none":
        yield "contact force", "none: the end effector is free"
    else:
        yield "contact force", "by the arm on its surroundings, in end-effector axes"
        yield "  moment x y z", f"{_row(run.result['force'][:3].tolist())}  N m"
        yield "  force  x y z", f"{_row(run.result['force'][3:].tolist())}  N"
    yield "Lambda^-1", "its diagonal, in the same axes"
    diagonal = run.result["lambda_inverse"].diagonal().tolist()
    yield "  moment x y z", f"{_row(diagonal[:3])}  1/(kg m^2)"
    yield "  force  x y z", f"{_row(diagonal[3:])}  1/kg"


def _row(numbers: Sequence[float]) -> str:
    return " ".join(f"{x:9.3g}" for x in numbers)


def _checked(page: Console, certificate: Mapping[str, Any], description: Mapping[str, Any]) -> None:
    tolerance = float(certificate["tolerance"])
    free = description["problem"]["contact"]["kind"] == "none"
    rows = []
    for label, name in _CHECKED:
        if free and name.startswith("contact"):
            continue
        error = float(certificate[name])
        verdict = "within" if error <= tolerance else "FAILED"  # NaN is not within
        rows.append((label, f"{error:.1e}", f"{tolerance:.1e}", verdict))
    heading(page, "Compared with a serial O(n) solver (articulated bodies)")
    indented(page, table(["quantity"], ["error", "tolerance", "verdict"], rows))
    if description.get("checked"):
        indented(page, facts([("checked", "the invariants of the trace, and every memory")]))
    for note in certificate["notes"]:
        indented(page, facts([("note", note)]))


def _makespan(run: Run) -> Iterator[tuple[str, str]]:
    makespan, clock = run.summary["makespan"], Fraction(str(run.description["machine"]["clock_mhz"]))
    yield "makespan", f"{makespan:,} cycles = {float(makespan / clock):,.1f} us at {float(clock):g} MHz"
    issued = " + ".join(f"{one['instructions']:,}" for one in run.summary["arrays"].values())
    network = run.description["schedule"]["network_steps"]
    m = levels(run)
    yield "steps", f"{issued} instructions, {network:,} network steps, {m} level{'' if m == 1 else 's'}"
    if bounds := run.description.get("bounds"):
        yield from _bounds(bounds, run.summary)


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


def _arrays(arrays: Mapping[str, Mapping[str, Any]]) -> Any:
    rows = (
        (
            f"array {number}",
            f"{one['instructions']:,}",
            f"{one['end']:,}",
            _cycles(one["stall"]),
            "-" if one["stall"] is None else _share(one["stall"], one["end"]),
            _cycles(one["dependency_wait"]),
            _cycles(one["exposed"]),
        )
        for number, one in arrays.items()
    )
    return table([""], ["instructions", "ends at", "stalled", "share", "dependency\nwait", "exposed"], rows)


def _communication(run: Run) -> Iterator[tuple[str, str]]:
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
