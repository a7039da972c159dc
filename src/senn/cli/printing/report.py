"""The summary of a run: what ran, the answer, how it was checked, and where the time went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import hypot
from typing import TYPE_CHECKING, Any

from rich.console import Console

from senn.cli.printing.screen import facts, heading, indented, table
from senn.traces.naming import departures

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from senn.traces.run import Run

_KINDS_HELD = {"II": "{} (Type II)", "general": "general contact"}
_CHECKED = (
    ("joint accelerations", "qdd_error"),
    ("Vdot_0, were the tip free", "acceleration0_error"),
    ("contact force", "contact_force_error"),
    ("Lambda^-1", "lambda_inverse_error"),
    ("interbody forces", "forces_error"),
    ("Lambda", "operational_mass_error"),
    ("Lambda^-1 x", "tip_acceleration_error"),
    ("Lambda x", "tip_wrench_error"),
    ("joint torques", "tau_error"),
    ("mass matrix M", "mass_matrix_error"),
    ("M^-1", "inverse_mass_matrix_error"),
    ("equations of motion, residual", "residual"),
    ("contact condition, residual", "contact_residual"),
)
_USUAL = "articulated bodies"


def report(page: Console, run: Run) -> None:
    """Print the summary of a run, made just now or read from a folder."""
    page.print(facts(_what_ran(run.description)))
    if run.result and "problem" in run.description:
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
        held = _KINDS_HELD.get(problem["contact"]["kind"], "{}").format(held)
        yield "problem", f"{problem['name']}: robot {problem['robot']}, {_joints(problem)}, {held}"
    single = ["single precision"] if description.get("precision") == "single" else []
    n = len(problem["joints"]) if problem else program["n"]  # a serial program is one process
    variant = ", ".join([program["name"], *_variant(program), *single, f"n = {n}"])
    yield "program", variant
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


def _variant(program: Mapping[str, Any]) -> Iterator[str]:
    """Form and refinement, and what differs from the paper's program; the machine says how many arrays."""
    if program["form"]:
        yield f"form {program['form']}, refine {program['refine']}"
        yield from departures(program["strategy"], program["elimination"], 2, ahead=program["ahead"])


def _joints(problem: Mapping[str, Any]) -> str:
    """How many, of the main chain and of its branches."""
    branches = problem.get("branches", [])
    texts = [_counted(problem["joints"])]
    texts += [f"{_counted(one['joints'])} beside it at link {one['link']}" for one in branches]
    return ", ".join(texts)


def _counted(types: Sequence[str]) -> str:
    counts = Counter(joint for joint in types if joint != "revolute")
    text = f"{len(types)} joint{'s' if len(types) > 1 else ''}"
    return f"{text} ({', '.join(f'{count} {joint}' for joint, count in counts.items())})" if counts else text


def _answer(run: Run) -> Iterator[tuple[str, str]]:
    from senn.cli.printing.by_joint import by_joint, row, sliding

    problem, found = run.description["problem"], run.result
    branches = problem.get("branches", [])
    joints = [*problem["joints"], *(joint for one in branches for joint in one["joints"])]
    order = "base to tip, then the branches" if branches else "base to tip"
    if "qdd" in found:
        yield "joint accelerations", f"{order}, rad/s^2{sliding(joints, 'm/s^2')}"
        yield from by_joint(found["qdd"].tolist(), joints)
    if "tau" in found:
        yield "joint torques", f"{order}, N m{sliding(joints, 'N')}"
        yield from by_joint(found["tau"].tolist(), joints)
    if "force" in found and problem["contact"]["kind"] == "none":
        yield "contact force", "none: the end effector is free"
    elif "force" in found:
        yield "contact force", "by the arm on its surroundings, in end-effector axes"
        yield "  moment x y z", f"{row(found['force'][:3].tolist())}  N m"
        yield "  force  x y z", f"{row(found['force'][3:].tolist())}  N"
    for name, title, units in _END_MATRICES:
        if name in found:
            yield title, "its diagonal, in end-effector axes"
            diagonal = found[name].diagonal().tolist()
            yield "  moment x y z", f"{row(diagonal[:3])}  {units[0]}"
            yield "  force  x y z", f"{row(diagonal[3:])}  {units[1]}"
    for name, title, parts in _END_VECTORS:
        if name in found:
            x = " ".join(f"{number:g}" for number in problem["tip_vector"])
            yield title, f"of x = {x}, the tip_vector, in end-effector axes"
            for first, (part, unit) in zip((0, 3), parts, strict=True):
                yield f"  {part:<7} x y z", f"{row(found[name][first : first + 3].tolist())}  {unit}"
    if "forces" in found:
        yield from _between_links(found["forces"])
    for name, title in (("mass_matrix", "mass matrix M"), ("inverse_mass_matrix", "M^-1")):
        if name in found:
            rows, columns = found[name].shape
            yield title, f"{rows} x {columns}, in result.npz; its diagonal base to tip"
            yield from by_joint(found[name].diagonal().tolist(), joints)


_END_MATRICES = (
    ("lambda_inverse", "Lambda^-1", ("1/(kg m^2)", "1/kg")),
    ("operational_mass", "Lambda", ("kg m^2", "kg")),
)
_END_VECTORS = (
    ("tip_acceleration", "Lambda^-1 x", (("angular", "rad/s^2"), ("linear", "m/s^2"))),
    ("tip_wrench", "Lambda x", (("moment", "N m"), ("force", "N"))),
)


def _between_links(forces: NDArray[Any]) -> Iterator[tuple[str, str]]:
    yield "interbody forces", "of a link on the next; the largest of them"
    for label, part, unit in (("moment", forces[:, :3], "N m"), ("force", forces[:, 3:], "N")):
        size = [hypot(*row) for row in part.tolist()]
        most = max(range(len(size)), key=size.__getitem__)
        yield f"  {label}", f"{size[most]:9.3g}  {unit} at joint {most + 1}"


def _checked(page: Console, certificate: Mapping[str, Any], description: Mapping[str, Any]) -> None:
    free = description["problem"]["contact"]["kind"] == "none"
    rows = []
    for label, name in _CHECKED:
        if name not in certificate or (free and name.startswith("contact")):
            continue
        error, tolerance = float(certificate[name]), _tolerance(certificate, name)
        verdict = "within" if error <= tolerance else "FAILED"  # NaN is not within
        rows.append((label, f"{error:.1e}", f"{tolerance:.1e}", verdict))
    against = certificate.get("against", _USUAL)  # runs of earlier versions were all of one kind
    solver = f"a serial O(n) solver ({against})" if against == _USUAL else against
    heading(page, f"Compared with {solver}")
    indented(page, table(["quantity"], ["error", "tolerance", "verdict"], rows))
    if description.get("checked"):
        indented(page, facts([("checked", "the invariants of the trace, and every memory")]))
    for note in certificate["notes"]:
        indented(page, facts([("note", note)]))


def _tolerance(certificate: Mapping[str, Any], name: str) -> float:
    """Runs of earlier versions have one tolerance for all quantities."""
    return float(certificate.get("tolerances", {}).get(name, certificate["tolerance"]))


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
