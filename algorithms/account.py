"""The robot of a run, its answer, and how that compares with what is right, as sections of an account.

A trace knows neither contacts nor joints; an answer is a row of `senn.algorithms.answers`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import hypot
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from senn.algorithms import variant
from senn.algorithms.answers import ANSWERS, DEGREES, LINKS, figure, figures
from senn.algorithms.robots.joints import JOINTS
from senn.base.account import Section
from senn.base.errors import printable
from senn.base.tables import table
from senn.traces.naming import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from senn.traces.run import Run

Lines: TypeAlias = Iterator[tuple[str, str]]  # Labels and their texts


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
        problem = run.description.get("problem")
        lines = _answer(run.result, problem) if problem else _by_process(run.result)
        yield Section("Answer", tuple(lines))
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


def _by_process(result: Mapping[str, NDArray[Any]]) -> Lines:
    """Results of a program that is no robot's: a line for each of the first processes that have one."""
    for name, numbers in result.items():
        yield name, f"{' x '.join(map(str, numbers.shape))}, a row for each process"
        if rows := [number for number, block in enumerate(numbers, 1) if np.isnan(block).any()]:
            yield "  nan", f"no number in {counted(len(rows), 'row')}, the first {rows[0]}"
        if numbers.ndim == 2 and numbers.shape[1] == 1:
            yield from _in_a_row(numbers.ravel().tolist(), "row")
            continue
        for number, block in enumerate(numbers[:_SHOWN], 1):
            yield f"  row {number}", row(block.ravel()[:_SHOWN].tolist())
        yield from _more(len(numbers) - _SHOWN)


def _answer(result: Mapping[str, NDArray[Any]], problem: Mapping[str, Any]) -> Lines:
    """Answers to a problem, quantity by quantity."""
    branches, names = problem.get("branches", []), joint_names(problem)
    joints = [*problem["joints"], *(joint for branch in branches for joint in branch["joints"])]
    order = "base to tip, then the branches" if branches else "base to tip"
    x = " ".join(f"{number:g}" for number in problem["tip_vector"])
    for answer in (row for name, row in ANSWERS.items() if row.shown and name in result):
        if answer.of_contact and problem["contact"]["kind"] == "none":
            yield answer.title, "none: the end effector is free"
            continue
        numbers, note = result[answer.name], answer.note.format(order=order, x=x)
        if answer.shape == (DEGREES, DEGREES):
            note = f"{numbers.shape[0]} x {numbers.shape[1]}, {note}"
        elif answer.shape == (DEGREES,):
            note += f", {answer.units[0]}{sliding(joints, answer.units[1])}"
        yield answer.title, note
        of_links = answer.shape[0] == LINKS
        if numbers.ndim == 2 and not of_links:
            numbers = numbers.diagonal()
        if answer.shape[-1] == DEGREES:
            yield from by_joint(numbers.tolist(), joints, names)
            continue
        width = max(map(len, answer.parts))
        halves = (numbers[..., :3].tolist(), numbers[..., 3:].tolist())
        for part, three, unit in zip(answer.parts, halves, answer.units, strict=True):
            if of_links:  # the longest vector of all
                sizes = [hypot(*vector) for vector in three]
                most = max(range(len(sizes)), key=sizes.__getitem__)
                name = f", {names[most]}" if names and names[most] else ""
                yield f"  {part}", f"{sizes[most]:9.3g}  {unit} at joint {most + 1}{name}"
            else:
                yield f"  {part:<{width}} x y z", f"{row(three)}  {unit}"


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
    names = []
    for i, name in enumerate(problem.get("joint_names", []), 1):
        shown = "" if name == f"joint_{i}" else printable(name)
        names.append(shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}")
    return names


def sliding(joints: Sequence[str], unit: str) -> str:
    """The unit of translations, the last numbers of a joint; empty where no joint slides."""
    kinds = {joint for joint in joints if JOINTS[joint].degrees > JOINTS[joint].turning}
    if not kinds:
        return ""
    return f" (prismatic: {unit})" if kinds == {"prismatic"} else f", {unit} where they slide"


def by_joint(numbers: Sequence[float], joints: Sequence[str], names: Sequence[str] = ()) -> Lines:
    """The first of them; where joints have names, or other numbers than one, each has a line."""
    simple = all(JOINTS[joint].degrees == 1 for joint in joints)
    if simple and not any(names):
        yield from _in_a_row(numbers)
        return
    first = 0
    for i, (joint, name) in enumerate(zip(joints[:_SHOWN], names or [""] * len(joints), strict=False), 1):
        last = first + JOINTS[joint].degrees
        words = [f"  joint {i}", *([name] if name else []), *([] if simple else [joint])]
        yield ", ".join(words), row(numbers[first:last]) or "does not move"
        first = last
    yield from _more(len(numbers) - first)


def row(numbers: Sequence[float]) -> str:
    return " ".join(f"{x:9.3g}" for x in numbers)


def _more(count: int) -> Lines:
    if count > 0:
        yield "  ...", f"{count} more in result.npz"


def _in_a_row(numbers: Sequence[float], noun: str = "joint") -> Lines:
    for first in range(0, min(len(numbers), _SHOWN), _PER_LINE):
        last = min(first + _PER_LINE, len(numbers), _SHOWN)
        label = f"  {noun} {first + 1}..{last}" if last > first + 1 else f"  {noun} {last}"
        yield label, row(numbers[first:last])
    yield from _more(len(numbers) - _SHOWN)
