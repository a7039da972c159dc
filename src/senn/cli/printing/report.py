"""The summary of a run: what ran, the answer, how it was checked, and where the time went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console

from senn.cli.printing.answer import answer, checked
from senn.cli.printing.costs import arrays, communication, makespan
from senn.cli.printing.screen import facts, heading, indented
from senn.traces.naming import departures

if TYPE_CHECKING:
    from senn.traces.run import Run

_KINDS_HELD = {"II": "{} (Type II)", "general": "general contact"}


def report(page: Console, run: Run) -> None:
    """Print the summary of a run, made just now or read from a folder."""
    page.print(facts(what_ran(run.description)))
    if run.result and "problem" in run.description:
        heading(page, "Answer")
        indented(page, facts(answer(run)))
    if run.certificate:
        checked(page, run.certificate, run.description)
    if run.summary.get("arrays"):
        heading(page, "Time")
        indented(page, facts(makespan(run)))
        page.print()
        indented(page, arrays(run.summary["arrays"]))
        heading(page, "Communication")
        indented(page, facts(communication(run)))


def what_ran(description: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    program, machine = description["program"], description["machine"]
    problem, allocation = description.get("problem"), description["allocation"]
    if problem:
        contact = program["contact"]
        held = f"{contact} direction{'s' if contact > 1 else ''} held" if contact else "free end"
        held = _KINDS_HELD.get(problem["contact"]["kind"], "{}").format(held)
        held += f" ({problem['contact']['word']})" if contact and "word" in problem["contact"] else ""
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
        how = {"ahead": program["ahead"], "motion": program["motion"]}
        yield from departures(program["strategy"], program["elimination"], 2, **how)


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
