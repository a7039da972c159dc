"""The answer of a run, and how it compares with what is right: a row of `senn.algorithms.answers` each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import hypot
from typing import TYPE_CHECKING, Any

from senn.base.account import Section
from senn.base.errors import printable
from senn.base.tables import Table, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from senn.algorithms.answers import Answer
    from senn.traces.run import Run


def answer(run: Run) -> Iterator[tuple[str, str]]:
    """Labelled lines of the answer, quantity by quantity."""
    from senn.algorithms.answers import ANSWERS

    problem = run.description.get("problem")
    if problem is None:
        for name, numbers in run.result.items():
            yield from _by_process(name, numbers)
        return
    for name, row in ANSWERS.items():
        if row.shown and name in run.result:
            if row.of_contact and problem["contact"]["kind"] == "none":
                yield row.title, "none: the end effector is free"
            else:
                yield from _lines(row, run.result[name], problem)


def _by_process(name: str, numbers: NDArray[Any]) -> Iterator[tuple[str, str]]:
    """The result of a program that is no robot's: a line for each of the first processes that have one."""
    yield name, f"{' x '.join(map(str, numbers.shape))}, a row for each process"
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        yield from _in_a_row(numbers.ravel().tolist(), "row")
        return
    for number, block in enumerate(numbers[:_SHOWN], 1):
        yield f"  row {number}", row(block.ravel()[:_SHOWN].tolist())
    if len(numbers) > _SHOWN:
        yield "  ...", f"{len(numbers) - _SHOWN} more in result.npz"


def _lines(branch: Answer, found: NDArray[Any], problem: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    from senn.algorithms.answers import DEGREES, LINKS

    branches = problem.get("branches", [])
    joints = [*problem["joints"], *(joint for branch in branches for joint in branch["joints"])]
    names = joint_names(problem)
    order = "base to tip, then the branches" if branches else "base to tip"
    note = branch.note.format(order=order, x=" ".join(f"{number:g}" for number in problem["tip_vector"]))
    if branch.shape == (DEGREES,):
        yield branch.title, f"{note}, {branch.units[0]}{sliding(joints, branch.units[1])}"
        yield from by_joint(found.tolist(), joints, names)
    elif branch.shape == (DEGREES, DEGREES):
        rows, columns = found.shape
        yield branch.title, f"{rows} x {columns}, {note}"
        yield from by_joint(found.diagonal().tolist(), joints, names)
    elif branch.shape == (LINKS, 6):
        yield branch.title, note
        yield from _largest(branch, found, names)
    else:
        yield branch.title, note
        yield from _at_tip(branch, found if found.ndim == 1 else found.diagonal())


def _at_tip(one: Answer, found: NDArray[Any]) -> Iterator[tuple[str, str]]:
    """Six numbers, in two lines."""

    width = max(map(len, one.parts))
    for part, three, unit in zip(one.parts, (found[:3], found[3:]), one.units, strict=True):
        yield f"  {part:<{width}} x y z", f"{row(three.tolist())}  {unit}"


def _largest(one: Answer, found: NDArray[Any], names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Lines with the longest vector of all links."""
    for part, three, unit in zip(one.parts, (found[:, :3], found[:, 3:]), one.units, strict=True):
        size = [hypot(*row) for row in three.tolist()]
        most = max(range(len(size)), key=size.__getitem__)
        name = f", {names[most]}" if names and names[most] else ""
        yield f"  {part}", f"{size[most]:9.3g}  {unit} at joint {most + 1}{name}"


def certificate_section(run: Run) -> Section:
    """Errors of the answer and their digits; below them further checks, and notes."""
    assert run.certificate is not None
    certificate = run.certificate
    title = f"Held against {certificate.get('against', 'serial solvers')}"
    if "required" in certificate:
        title += f", {certificate['required']} digits required"
    notes = tuple(remarks(certificate, run.description))
    return Section(title, table=errors(certificate, run.description), notes=notes)


def errors(certificate: Mapping[str, Any], description: Mapping[str, Any]) -> Table:
    """Error of every quantity, and its right digits."""
    free = description["problem"]["contact"]["kind"] == "none"
    rows = list(_rows(certificate, free))
    for other in certificate.get("besides", ()):
        worst = min(other["digits_of"], key=lambda name: other["digits_of"][name], default="")
        if worst:
            rows.append((f"against {other['against'].split(',')[0]}", *_figure(other, worst)))
    return table(["quantity"], ["error", "digits"], rows)


def _rows(certificate: Mapping[str, Any], free: bool) -> Iterator[tuple[str, str, str]]:
    from senn.algorithms.answers import figures

    for name, figure in figures().items():
        if name in certificate and not (free and name.startswith("contact")):
            yield figure.title, *_figure(certificate, name)


def _figure(certificate: Mapping[str, Any], name: str) -> tuple[str, str]:
    """An error and its digits; of the worst joint, where the digits are too few."""
    digits = certificate.get("digits_of", {}).get(name)  # runs of earlier versions have none
    if name in certificate.get("vanishing", {}):
        return f"{certificate['vanishing'][name]:.0e} of its terms", "vanishes"
    few = digits is not None and digits < certificate["required"]
    place = f" at joint {certificate['places'][name]}" if few and name in certificate["places"] else ""
    return f"{certificate[name]:.0e}{place}", f"{'' if digits is None else digits}{', too few' * few}"


def remarks(certificate: Mapping[str, Any], description: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Notes below the errors: further checks, and the notes of the certificate."""
    if description.get("checked"):
        yield "checked", "the invariants of the trace, and every memory"
    for note in certificate["notes"]:
        yield "note", note


def document(run: Run) -> dict[str, Any]:
    """The entries of answer and certificate in the object of `--json`."""
    from senn.algorithms.answers import ANSWERS, figures

    if not run.description.get("problem"):
        return {
            "result": {name: numbers.tolist() for name, numbers in run.result.items()},
            "certificate": None,
        }
    free = run.description["problem"]["contact"]["kind"] == "none"
    answers = {}
    for name, row in ANSWERS.items():
        there = name in run.result and not (row.of_contact and free)
        if row.shown and (there or row.usual):
            answers[row.printed or name] = run.result[name].tolist() if there else None
    certificate = run.certificate
    kept = certificate and {
        name: certificate[name]
        for name in (*figures(), "digits", "digits_of", "required", "besides", "ok")
        if name in certificate
    }
    problem = run.description["problem"]
    names = {name: problem.get(name) for name in ("joint_names", "labels")}
    return {**names, **answers, "certificate": kept}


_SHOWN, _PER_LINE = 10, 5  # numbers, or joints where they have several, beginning at the base
_LONGEST = 32  # letters of a joint's name


def joint_names(problem: Mapping[str, Any]) -> list[str]:
    """The names of all joints that a run's problem has, "" of those that are named after their number alone.

    Runs of earlier versions have no names.
    """
    named = problem.get("joint_names", [])
    return ["" if name == f"joint_{i}" else _short(name) for i, name in enumerate(named, 1)]


def _short(name: str) -> str:
    shown = printable(name)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"


def sliding(joints: Sequence[str], unit: str) -> str:
    """The unit of translations, the last numbers of a joint; empty where no joint slides."""
    from senn.algorithms.robots.joints import JOINTS

    kinds = {joint for joint in joints if JOINTS[joint].degrees > JOINTS[joint].turning}
    if not kinds:
        return ""
    return f" (prismatic: {unit})" if kinds == {"prismatic"} else f", {unit} where they slide"


def by_joint(
    numbers: Sequence[float], joints: Sequence[str], names: Sequence[str] = ()
) -> Iterator[tuple[str, str]]:
    """The first of them; where joints have names, or other numbers than one, each has a line."""
    from senn.algorithms.robots.joints import JOINTS

    simple = all(JOINTS[joint].degrees == 1 for joint in joints)
    if simple and not any(names):
        yield from _in_a_row(numbers)
    else:
        yield from _one_each(numbers, joints, names or [""] * len(joints), simple)


def row(numbers: Sequence[float]) -> str:
    return " ".join(f"{x:9.3g}" for x in numbers)


def _in_a_row(numbers: Sequence[float], noun: str = "joint") -> Iterator[tuple[str, str]]:
    for first in range(0, min(len(numbers), _SHOWN), _PER_LINE):
        last = min(first + _PER_LINE, len(numbers), _SHOWN)
        label = f"  {noun} {first + 1}..{last}" if last > first + 1 else f"  {noun} {last}"
        yield label, row(numbers[first:last])
    if len(numbers) > _SHOWN:
        yield "  ...", f"{len(numbers) - _SHOWN} more in result.npz"


def _one_each(
    numbers: Sequence[float], joints: Sequence[str], names: Sequence[str], simple: bool
) -> Iterator[tuple[str, str]]:
    from senn.algorithms.robots.joints import JOINTS

    first = 0
    for i, (joint, name) in enumerate(zip(joints[:_SHOWN], names, strict=False), 1):
        last = first + JOINTS[joint].degrees
        words = [f"  joint {i}", *([name] if name else []), *([] if simple else [joint])]
        yield ", ".join(words), row(numbers[first:last]) or "does not move"
        first = last
    if first < len(numbers):
        yield "  ...", f"{len(numbers) - first} more in result.npz"
