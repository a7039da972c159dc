"""A new problem file: every joint by its name, with a state to begin with, its limits and its units."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from senn.algorithms.problems import by_name
from senn.algorithms.problems.writer import contact_keys, key_of, robot_keys, toml
from senn.algorithms.robots.joints import JOINTS
from senn.traces.errors import printable

if TYPE_CHECKING:
    from senn.algorithms.problems.problem import Problem
    from senn.algorithms.robots.chain import Chain
    from senn.algorithms.robots.joints import Joint
    from senn.algorithms.spatial import Numbers

_COLUMN = 40  # where comments begin
_MEANING = {
    "q": "where the joints stand",
    "qd": "how fast they move",
    "tau": "what drives them; without this table, the torques of a mild motion",
}
_UNITS = {"q": ("rad", "m"), "qd": ("rad/s", "m/s"), "tau": ("N m", "N")}
_PART = {
    "tip": "the link whose frame is the end effector's",
    "base": "the link that does not move",
    "lock": "joints that do not move: patterns for their names",
    "at": "where they stand",
}
_CONTACTS = (
    "how the tip is held: weld, plane, point, line, face or free; `senn explain contact` says what each holds"
)


def text(problem: Problem, robot: str) -> str:
    """The file of a problem of the robot that files call `robot`, for a person to go on with."""
    return "\n".join(_lines(problem, robot)) + "\n"


def rounded(q: Numbers, chain: Chain) -> Numbers:
    """q with three decimals, but where that would leave the limits, and but for quaternions."""
    short = np.round(q, 3) + 0.0
    low, high = chain.all_limits.T
    kept = (short < low) | (short > high)
    kept[chain.quaternions] = True
    return np.where(kept, q, short)


def figures(numbers: Numbers) -> Numbers:
    """With six figures each."""
    return np.array([float(f"{number:.6g}") for number in numbers])


def _lines(problem: Problem, robot: str) -> Iterator[str]:
    chain = problem.chain
    yield "# A problem: `senn run` solves it. What is left out is drawn or usual."
    yield _line("robot", robot, "a file beside this one, a bundled robot, or a generator")
    part = {key: value for key, value in robot_keys(chain).items() if key in _PART}
    for key, meaning in _PART.items():
        if key in part:
            yield _line(key, part[key], meaning)
    yield _line("gravity", problem.gravity, "m/s^2, in axes of the base")
    for key, meaning in _MEANING.items():
        yield from _state(problem, key, meaning)
    contact = contact_keys(problem.held)
    yield f"\n[contact]\n# {_CONTACTS}"
    yield from (_line(key, value, "") for key, value in contact.items())


def _state(problem: Problem, key: str, meaning: str) -> Iterator[str]:
    """A table with a line for each joint; a list where names are not enough."""
    chain, numbers = problem.chain, getattr(problem, key)
    names, places = chain.all_joint_names, by_name.places(chain, key)
    if len(places) < len(names):
        yield f"\n# {meaning}; base to tip: {', '.join(map(printable, names))}\n{key} = {toml(numbers)}"
        return
    yield f"\n[{key}]  # {meaning}"
    limits = chain.all_limits
    for name, kind in zip(names, chain.all_joints, strict=True):
        own = numbers[places[name]]
        if not len(own):
            yield f"# {printable(name)} is {kind}: it does not move"
            continue
        units = _units(JOINTS[kind], key)
        within = _within(*limits[places[name]][0]) if key == "q" and len(own) == 1 else ""
        more = "" if kind in ("revolute", "prismatic") else f"{kind}: "
        yield _line(name, own[0] if len(own) == 1 else own, f"{more}{units}{within}")


def _units(joint: Joint, key: str) -> str:
    turning, sliding = _UNITS[key]
    turns = joint.turning_coordinates if key == "q" else joint.turning
    slides = (joint.coordinates if key == "q" else joint.degrees) - turns
    first = "quaternion w x y z" if key == "q" and joint.quaternion else turning
    return " then ".join([*([first] if turns else []), *([sliding] if slides else [])])


def _within(low: float, high: float) -> str:
    if np.isinf(low) and np.isinf(high):
        return ", no limits"
    return f", {low:g} .. {high:g}"


def _line(key: str, value: object, comment: str) -> str:
    said = f"{key_of(key)} = {toml(value)}"
    return f"{said:<{_COLUMN}} # {comment}" if comment else said
