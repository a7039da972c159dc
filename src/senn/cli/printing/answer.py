"""The answer of a run, and how it compares with what is right: a row of `senn.algorithms.answers` each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, hypot, isfinite, log10
from typing import TYPE_CHECKING, Any

from rich.console import Console

from senn.cli.printing.screen import facts, heading, indented
from senn.cli.printing.tables import Sheet, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from senn.algorithms.answers import Answer
    from senn.traces.run import Run


def answer(run: Run) -> Iterator[tuple[str, str]]:
    """What was asked for, quantity by quantity."""
    from senn.algorithms.answers import ANSWERS

    problem = run.description["problem"]
    for name, one in ANSWERS.items():
        if one.shown and name in run.result:
            if one.of_contact and problem["contact"]["kind"] == "none":
                yield one.title, "none: the end effector is free"
            else:
                yield from _lines(one, run.result[name], problem)


def _lines(one: Answer, found: NDArray[Any], problem: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    from senn.algorithms.answers import DEGREES, LINKS
    from senn.cli.printing.by_joint import by_joint, joint_names, sliding

    branches = problem.get("branches", [])
    joints = [*problem["joints"], *(joint for one in branches for joint in one["joints"])]
    names = joint_names(problem)
    order = "base to tip, then the branches" if branches else "base to tip"
    note = one.note.format(order=order, x=" ".join(f"{number:g}" for number in problem["tip_vector"]))
    if one.shape == (DEGREES,):
        yield one.title, f"{note}, {one.units[0]}{sliding(joints, one.units[1])}"
        yield from by_joint(found.tolist(), joints, names)
    elif one.shape == (DEGREES, DEGREES):
        rows, columns = found.shape
        yield one.title, f"{rows} x {columns}, {note}"
        yield from by_joint(found.diagonal().tolist(), joints, names)
    elif one.shape == (LINKS, 6):
        yield one.title, note
        yield from _largest(one, found, names)
    else:
        yield one.title, note
        yield from _at_tip(one, found if found.ndim == 1 else found.diagonal())


def _at_tip(one: Answer, found: NDArray[Any]) -> Iterator[tuple[str, str]]:
    """Six numbers, in two lines."""
    from senn.cli.printing.by_joint import row

    width = max(map(len, one.parts))
    for part, three, unit in zip(one.parts, (found[:3], found[3:]), one.units, strict=True):
        yield f"  {part:<{width}} x y z", f"{row(three.tolist())}  {unit}"


def _largest(one: Answer, found: NDArray[Any], names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Of the vectors of all links."""
    for part, three, unit in zip(one.parts, (found[:, :3], found[:, 3:]), one.units, strict=True):
        size = [hypot(*row) for row in three.tolist()]
        most = max(range(len(size)), key=size.__getitem__)
        name = f", {names[most]}" if names and names[most] else ""
        yield f"  {part}", f"{size[most]:9.3g}  {unit} at joint {most + 1}{name}"


def checked(page: Console, certificate: Mapping[str, Any], description: Mapping[str, Any]) -> None:
    """Print how far the answer is off."""
    heading(page, compared_with(certificate))
    indented(page, errors(certificate, description))
    for line in remarks(certificate, description):
        indented(page, facts([line]))


def compared_with(certificate: Mapping[str, Any]) -> str:
    """Whom the answer is compared with."""
    from senn.algorithms.answers import USUAL

    against = certificate.get("against", USUAL)  # runs of earlier versions were all of one kind
    return f"Compared with {f'a serial O(n) solver ({against})' if against == USUAL else against}"


def errors(certificate: Mapping[str, Any], description: Mapping[str, Any]) -> Sheet:
    """How far off every quantity is, and the verdict."""
    from senn.algorithms.answers import figures

    free = description["problem"]["contact"]["kind"] == "none"
    rows = []
    for name, figure in figures().items():
        if name not in certificate or (free and name.startswith("contact")):
            continue
        rows.append((figure.title, _error(certificate, name), certificate["verdicts"][name]))
    rows += [row for one in certificate.get("besides", ()) for row in _beside(one)]
    return table(["quantity"], ["error", "verdict"], rows)


def remarks(certificate: Mapping[str, Any], description: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What else was checked, and what has to be said of the figures."""
    if description.get("checked"):
        yield "checked", "the invariants of the trace, and every memory"
    for note in certificate["notes"]:
        yield "note", note


def _beside(one: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """A reference that shares no code, in a row: the worst of its figures, or the widest tolerance."""
    from senn.algorithms.answers import RESIDUALS

    figures, tolerances = one["figures"], one["tolerances"]
    if not figures:
        return
    what = "residuals against" if set(figures) <= set(RESIDUALS) else "against"
    bad = [name for name, said in one["verdicts"].items() if said != "within"]
    worst = max(bad or figures, key=lambda name: figures[name] / tolerances[name])
    said = one["verdicts"][worst]
    error = _below(max(tolerances.values()))
    if said == "outside":
        error = f"{figures[worst]:.0e}, not below {tolerances[worst]:.0e}"
    yield f"{what} {one['name']}", error, said


def _below(bound: float) -> str:
    """To powers of ten, which are the same on every processor."""
    if not (isfinite(bound) and bound > 0.0):
        return "not a number"
    return f"below {10.0 ** min(ceil(log10(bound)), 308):.0e}"


def _error(certificate: Mapping[str, Any], name: str) -> str:
    """Where rounding explains it, no more than the bound: that is the same on every processor, what is left
    below it is not, and `--json` has it. To powers of ten."""
    from senn.algorithms.certificate.certificate import OUTSIDE

    if certificate["verdicts"][name] != OUTSIDE:
        return _below(certificate["bounds"][name])
    place = f" at joint {certificate['places'][name]}" if name in certificate["places"] else ""
    return f"{certificate[name]:.0e}{place}, not below {certificate['tolerances'][name]:.0e}"


def document(run: Run) -> dict[str, Any]:
    """What `--json` prints of answer and certificate."""
    from senn.algorithms.answers import ANSWERS, figures

    free = run.description["problem"]["contact"]["kind"] == "none"
    answers = {}
    for name, one in ANSWERS.items():
        there = name in run.result and not (one.of_contact and free)
        if one.shown and (there or one.usual):
            answers[one.printed or name] = run.result[name].tolist() if there else None
    certificate = run.certificate
    kept = certificate and {
        name: certificate[name]
        for name in (*figures(), "tolerances", "verdicts", "besides", "tolerance", "ok")
        if name in certificate
    }
    problem = run.description["problem"]
    names = {name: problem.get(name) for name in ("joint_names", "labels")}
    return {**names, **answers, "certificate": kept}
