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
    ("contact force", "force_error"),
    ("Lambda^-1", "lambda_inverse_error"),
    ("equations of motion, residual", "motion_residual"),
    ("contact condition, residual", "contact_residual"),
)


def report(page: Console, run: Run) -> None:
    """Print the summary of a run, made just now or read from a folder."""
    page.print(facts(_what_ran(run.description)))
    if {"qdd", "force"} <= run.result.keys():
        heading(page, "Answer")
        indented(page, facts(_answer(run)))
    if run.certificate:
        _checked(page, run.certificate)
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
    yield (
        "program",
        f"{program['name']}, form {program['form']}, n = {program['n']}, refine {program['refine']}",
    )
    if "residency" in allocation:
        yield "placement", f"{allocation['name']}, {allocation['residency']}"
    nodes = 2 ** (len(allocation["table"]) - 1)
    yield (
        "machine",
        f"{machine['name']} at {machine['clock_mhz']} MHz, {machine.get('arrays', 2)} arrays of {nodes} "
        f"{'node' if nodes == 1 else 'nodes'}, network {machine['network']}",
    )
    for note in problem["notes"] if problem else ():
        yield "note", note


def _joints(types: Sequence[str]) -> str:
    sliding = sum(1 for joint in types if joint == "prismatic")
    text = f"{len(types)} joint{'s' if len(types) > 1 else ''}"
    return f"{text} ({sliding} prismatic)" if sliding else text


def _answer(run: Run) -> Iterator[tuple[str, str]]:
    from numpy.linalg import norm

    joints = run.description.get("problem", {}).get("joints", ())
    unit = "rad/s^2 and m/s^2" if "prismatic" in joints else "rad/s^2"
    yield "joint accelerations", f"|qdd| = {norm(run.result['qdd']):.6g} {unit}"
    moment, force = (" ".join(f"{x:11.5g}" for x in part) for part in run.result["force"].reshape(2, 3))
    yield "contact force", "by the arm on its surroundings, in end-effector axes"
    yield "  moment x y z", f"{moment}  N m"
    yield "  force  x y z", f"{force}  N"


def _checked(page: Console, certificate: Mapping[str, Any]) -> None:
    tolerance = float(certificate["tolerance"])
    rows = []
    for label, name in _CHECKED:
        error = float(certificate[name])
        verdict = "within" if error <= tolerance else "FAILED"  # NaN is not within
        rows.append((label, f"{error:.1e}", f"{tolerance:.1e}", verdict))
    heading(page, "Compared with a serial O(n) solver (articulated bodies)")
    indented(page, table(["quantity"], ["error", "tolerance", "verdict"], rows))
    for note in certificate["notes"]:
        indented(page, facts([("note", note)]))


def _makespan(run: Run) -> Iterator[tuple[str, str]]:
    makespan, clock = run.summary["makespan"], Fraction(str(run.description["machine"]["clock_mhz"]))
    yield "makespan", f"{makespan:,} cycles = {float(makespan / clock):,.1f} us at {float(clock):g} MHz"
    levels = len(run.description["allocation"]["table"]) - 1
    issued = sum(one["instructions"] for one in run.summary["arrays"].values())
    network = run.description["schedule"]["network_steps"]
    yield "steps", f"{issued:,} instructions on both arrays, {network:,} network steps, {levels} levels"


def _arrays(arrays: Mapping[str, Mapping[str, int]]) -> Any:
    rows = (
        (
            f"array {number}",
            f"{one['instructions']:,}",
            f"{one['end']:,}",
            f"{one['stall']:,}",
            _share(one["stall"], one["end"]),
            f"{one['dependency_wait']:,}",
            f"{one['exposed']:,}",
        )
        for number, one in arrays.items()
    )
    return table([""], ["instructions", "ends at", "stalled", "share", "dependency\nwait", "exposed"], rows)


def _communication(run: Run) -> Iterator[tuple[str, str]]:
    summary = run.summary
    if summary["messages"] is not None:
        counts = (f"{summary[name]:,} {name}" for name in ("messages", "hops", "words"))
        yield "traffic", f"{', '.join(counts)} of 64 bits"
    if summary["hidden"] is not None:
        share = ""
        if run.trace.detail == "full":
            from senn.traces import analysis

            dma = int(analysis.overlap(run.trace)["dma"].sum())
            share = f" of {dma:,} ({_share(summary['hidden'], dma)})" if dma else ""
        text = "node cycles: the DMA of a node sends while its engine computes"
        yield "hidden", f"{summary['hidden']:,}{share} {text}"
    late = summary["stall"] - summary["exposed"]
    waits = "array cycles: an array stands still for a message"
    yield "exposed", f"{summary['exposed']:,} {waits} on its way"
    yield "dependency wait", f"{late:,} {waits} not yet posted"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"
