"""The robot of a run, its answer, and how that compares with what is right, as sections of an account.

A trace knows neither contacts nor joints; an answer is a row of `senn.algorithms.answers`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import hypot
from typing import TYPE_CHECKING, Any

import numpy as np

from senn.algorithms import variant
from senn.algorithms.answers import ANSWERS, DEGREES, LINKS, Answer, figure, figures
from senn.algorithms.robots.joints import JOINTS
from senn.base.account import Section
from senn.base.errors import printable
from senn.base.tables import table
from senn.traces.naming import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from senn.traces.run import Run


def program(run: Run) -> Iterator[Section]:
    """The robot of a run, as a line and notes, headed by the variant of the program."""
    problem = run.description.get("problem")
    notes = tuple(("note", note) for note in problem["notes"]) if problem else ()
    lines = (("problem", robot_text(problem, run.description["program"]["contact"])),) if problem else ()
    yield Section(", ".join(variant.words(run.description.get("program") or {})), lines, notes=notes)


def sections(run: Run) -> Iterator[Section]:
    """Sections of a run: the robot; then the answer and the certificate, if any."""
    yield from program(run)
    if run.result:
        yield Section("Answer", tuple(_answer(run)))
    if run.certificate:
        yield _certificate(run.certificate, run.description)


_CONTACTS = {"II": "{} (Type II)", "general": "general contact"}


def robot_text(problem: Mapping[str, Any], contact: int) -> str:
    """Robot, joints and contact of a problem as in run.json, and the number of constrained directions."""
    tip = f"{counted(contact, 'direction')} held" if contact else "free end"
    tip = _CONTACTS.get(problem["contact"]["kind"], "{}").format(tip)
    if contact and "word" in problem["contact"]:
        tip += f" ({problem['contact']['word']})"
    joints = [_types(problem["joints"])]
    joints += [
        f"{_types(branch['joints'])} beside it at link {branch['link']}"
        for branch in problem.get("branches", ())
    ]
    return f"{problem['name']}: robot {problem['robot']}, {', '.join(joints)}, {tip}"


def _types(types: Sequence[str]) -> str:
    """The number of joints, and of each type but revolute."""
    counts = Counter(joint for joint in types if joint != "revolute")
    text = f"{len(types)} joint{'s' if len(types) > 1 else ''}"
    return f"{text} ({', '.join(f'{count} {joint}' for joint, count in counts.items())})" if counts else text


def _answer(run: Run) -> Iterator[tuple[str, str]]:
    """Labelled lines of the answer, quantity by quantity."""
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
    if rows := [number for number, block in enumerate(numbers, 1) if np.isnan(block).any()]:
        yield "  nan", f"no number in {counted(len(rows), 'row')}, the first {rows[0]}"
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        yield from _in_a_row(numbers.ravel().tolist(), "row")
        return
    for number, block in enumerate(numbers[:_SHOWN], 1):
        yield f"  row {number}", row(block.ravel()[:_SHOWN].tolist())
    if len(numbers) > _SHOWN:
        yield "  ...", f"{len(numbers) - _SHOWN} more in result.npz"


def _lines(branch: Answer, found: NDArray[Any], problem: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
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


def _certificate(certificate: Mapping[str, Any], description: Mapping[str, Any]) -> Section:
    """Errors of the answer and their digits; below them further checks, and notes."""
    problem = description.get("problem")
    free = problem is not None and problem["contact"]["kind"] == "none"
    rows = [
        (figure(name).title, *_figure(certificate, name))
        for name in (figures() if problem else certificate["digits_of"])
        if name in certificate and not (free and name.startswith("contact"))
    ]
    for other in certificate.get("besides", ()):
        if digits := other["digits_of"]:
            rows.append(
                (f"against {other['against'].split(',')[0]}", *_figure(other, min(digits, key=digits.get)))
            )
    title = f"Held against {certificate.get('against', 'serial solvers')}"
    if "required" in certificate:
        title += f", {certificate['required']} digits required"
    notes = tuple(("note", note) for note in certificate["notes"])
    if description.get("checked"):
        notes = (("checked", "the invariants of the trace, and every memory"), *notes)
    return Section(title, table=table(["quantity"], ["error", "digits"], rows), notes=notes)


def _figure(certificate: Mapping[str, Any], name: str) -> tuple[str, str]:
    """An error and its digits; of the worst joint, where the digits are too few."""
    digits = certificate.get("digits_of", {}).get(name)  # runs of earlier versions have none
    if name in certificate.get("vanishing", {}):
        return f"{certificate['vanishing'][name]:.0e} of its terms", "vanishes"
    few = digits is not None and digits < certificate["required"]
    place = f" at joint {certificate['places'][name]}" if few and name in certificate["places"] else ""
    return f"{certificate[name]:.0e}{place}", f"{'' if digits is None else digits}{', too few' * few}"


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
    kinds = {joint for joint in joints if JOINTS[joint].degrees > JOINTS[joint].turning}
    if not kinds:
        return ""
    return f" (prismatic: {unit})" if kinds == {"prismatic"} else f", {unit} where they slide"


def by_joint(
    numbers: Sequence[float], joints: Sequence[str], names: Sequence[str] = ()
) -> Iterator[tuple[str, str]]:
    """The first of them; where joints have names, or other numbers than one, each has a line."""
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
    first = 0
    for i, (joint, name) in enumerate(zip(joints[:_SHOWN], names, strict=False), 1):
        last = first + JOINTS[joint].degrees
        words = [f"  joint {i}", *([name] if name else []), *([] if simple else [joint])]
        yield ", ".join(words), row(numbers[first:last]) or "does not move"
        first = last
    if first < len(numbers):
        yield "  ...", f"{len(numbers) - first} more in result.npz"
