"""How a variant of the paper's program is called: its form, and its differences from the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from senn.algorithms.problems.contacts import ContactShape
    from senn.machine.program import Program


def about(contact: ContactShape, **variant: Any) -> dict[str, Any]:
    """The variant of a program, for run.json; an empty entry does not exist for the program."""
    of_contact = {"contact": contact.constrained, "contact_kind": contact.kind}
    absent = {"strategy": 0, "elimination": "", "motion": "", "ahead": False}
    return {"form": "", "refine": 0, **of_contact, **absent, **variant}


def head(program: Program) -> str:
    """First line of a listing: name, form, size, refinement, contact, differences and side branches."""
    about = program.about
    size = f"n = {program.n}, M = {program.levels}"
    if not about["form"]:
        return f"{program.name}, {size}"
    contact, kind = f"n_c = {about['contact']}", about["contact_kind"]
    if kind != "I":
        contact = "general contact" if kind == "general" else f"{contact} of Type {kind}"
    beside = [f"{len(tree.joints)} at link {tree.at}" for tree in about.get("branches", ())]
    branches = [f"joints beside the chain: {', '.join(beside)}"] if beside else []
    structure = (f"form {about['form']}", size, f"refine = {about['refine']}", contact)
    return ", ".join([program.name, *structure, *departures(about, program.arrays), *branches])


def words(about: Mapping[str, Any]) -> Iterator[str]:
    """Form, refinement and differences of a program that ran, from its entry of run.json."""
    yield from (f"{name} {about[name]}" for name in ("form", "refine") if about.get(name))
    yield from departures(about, 2)


def departures(about: Mapping[str, Any], arrays: object) -> Iterator[str]:
    """Differences of a program from strategy 2, odd-even elimination, recurrences and two arrays.

    >>> list(departures({"strategy": 1, "elimination": "oer", "motion": "jets"}, 3))
    ['strategy 1', 'odd-even reduction', 'jets', '3 arrays']
    """
    if about.get("strategy") == 1:
        yield "strategy 1"
    if about.get("elimination") == "oer":
        yield "odd-even reduction"
    if about.get("motion") in ("jets", "outward"):
        yield {"jets": "jets", "outward": "jets outward"}[about["motion"]]
    if not isinstance(arrays, int):
        yield f"arrays {arrays}"
    elif arrays != 2:
        yield f"{arrays} array{'s' if arrays > 1 else ''}"
    if about.get("ahead"):
        yield "ahead"
