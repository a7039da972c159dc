"""Numbers of the joints as lines of a summary, base to tip, and the units of those that slide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from senn.algorithms.robots.joints import JOINTS
from senn.traces.errors import printable

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
    """What counts in another unit: the numbers of a joint that are no turning, which come last."""
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


def _in_a_row(numbers: Sequence[float]) -> Iterator[tuple[str, str]]:
    for first in range(0, min(len(numbers), _SHOWN), _PER_LINE):
        last = min(first + _PER_LINE, len(numbers), _SHOWN)
        label = f"  joint {first + 1}..{last}" if last > first + 1 else f"  joint {last}"
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
