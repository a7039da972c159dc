"""Problems as files: one TOML text that says the whole problem, to the last bit, wherever it is read.

A bundled robot and a generated one are named; a URDF or a robot file stands in the file as it was read, with
the part of it that is the arm; an arm that was made in Python stands there as its arrays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from senn.algorithms.problems import states
from senn.algorithms.problems.contact_forms import Touch
from senn.algorithms.problems.contacts import Contact
from senn.algorithms.robots import reader as robots
from senn.algorithms.robots import urdf
from senn.algorithms.robots.bodies import arrays_of
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.robots.urdf import Part
from senn.base.errors import InputError, printable

if TYPE_CHECKING:
    from senn.algorithms.robots.chain import Chain
    from senn.algorithms.spatial import Numbers

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def text(
    chain: Chain, numbers: Mapping[str, Numbers], contact: Contact | Touch, notes: Sequence[str] = ()
) -> str:
    """The problem as the text of a file, from which `senn.read` makes the same problem.

    `numbers` are `Problem.numbers`; `contact` is the contact as it was given.
    """
    robot = robot_keys(chain)
    lines = [f"# {printable(note)}" for note in notes]
    lines += [f"{key} = {toml(value)}" for key, value in robot.items() if not isinstance(value, dict)]
    lines.append(f"# joints, base to tip: {', '.join(map(_quoted, chain.all_joint_names))}")
    lines += [f"{key} = {toml(value)}" for key, value in numbers.items()]
    for name, table in {"contact": contact_keys(contact), **robot}.items():
        if isinstance(table, dict):
            lines.append(f"\n[{name}]")
            lines += [f"{key_of(key)} = {toml(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def robot_keys(chain: Chain, name: str | None = None) -> dict[str, Any]:
    """The robot of a problem file, and its arm; `name` is the robot's name in the file."""
    written = chain.written
    named = chain.name in robots.bundled() and robots.load(chain.name).written == written
    if named and name in (None, chain.name):
        return {"robot": chain.name}
    if written is None:
        return {"robot": arrays_of(chain)}
    try:  # in another encoding it cannot stand in a TOML file
        content = str(written.text, "utf-8-sig") if isinstance(written.text, bytes) else written.text
    except UnicodeDecodeError:
        return {"robot": arrays_of(chain)}
    locked = {name: list(q) for name, q in written.at.items() if name not in chain.all_joint_names}
    part = {"tip": written.tip, "base": written.base, "lock": list(written.lock), "at": locked}
    if written.form == "urdf":  # a base that is the root of the file is left out
        with suppress(InputError):
            read = urdf.read(content, Part(written.tip, None, written.lock, written.at)).written
            part["base"] = "" if read and read.base == written.base else written.base
    return {"robot": content, **{key: value for key, value in part.items() if value}}


def contact_keys(held: Contact | Touch) -> dict[str, Any]:
    """The table [contact]: as it was given, or of its numbers."""
    friction = {} if held.friction is None else {"mu": held.friction}
    if isinstance(held, Touch):
        name = "direction" if held.word == "line" else "normal"
        turned = {} if held.word == "point" else {name: held.direction, "axes": held.axes}
        return {"kind": held.word, **turned, "position": held.position, **friction}
    if (held.word and held.G_C is None) or held.word == "free":
        return {"kind": held.word, **friction}
    if held.written is not None:
        return {"kind": held.written["kind"], **_matrices(held.written)}
    if held.kind == "none":
        return {"kind": "none"}
    state = {"fixed_in": held.fixed_in, "acceleration": held.acceleration}
    return {"kind": held.kind, **_matrices(held.numbers | state)}


def _matrices(given: Mapping[str, Any]) -> dict[str, Any]:
    """The matrices that are given, as arrays; one without columns as rows of none."""
    return {
        key: value if isinstance(value, str) else np.asarray(value, dtype=np.float64)
        for key, value in given.items()
        if value is not None and key != "kind"
    }


def toml(value: Any) -> str:
    """A value as TOML; a number reads back to the last bit."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, str):
        plain = all(c.isprintable() or c in "\n\t" for c in value)
        several = "\n" in value and plain and "'''" not in value and not value.endswith("'")
        return f"'''\n{value}'''" if several else _quoted(value)
    if isinstance(value, float):
        return repr(float(value))  # inf and nan are TOML's words too
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key_of(key)} = {toml(item)}' for key, item in value.items())} }}"
    if isinstance(value, list | tuple):
        parts = [toml(item) for item in value]
        if any(isinstance(item, list) for item in value):
            return "[\n" + "".join(f"    {item},\n" for item in parts) + "]"
        return f"[{', '.join(parts)}]"
    return str(value)


def key_of(name: str) -> str:
    return name if _BARE.fullmatch(name) else _quoted(name)


def _quoted(given: str) -> str:
    return json.dumps(given, ensure_ascii=False).replace("\x7f", "\\u007f")


# -------- templates: new problem files for a person to edit

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


def template(robot: str, chain: Chain, numbers: Mapping[str, Numbers], contact: Contact | Touch) -> str:
    """A problem file for a person to edit; `robot` is what files call the robot, the rest as in `text`."""
    part = {key: value for key, value in robot_keys(chain, robot).items() if key in _PART}
    lines = [
        "# A problem: `senn run` solves it. What is left out is drawn or usual.",
        _line("robot", robot, "a file beside this one, a bundled robot, or a generator"),
        *(_line(key, part[key], meaning) for key, meaning in _PART.items() if key in part),
        _line("gravity", numbers["gravity"], "m/s^2, in axes of the base"),
        *(line for key, meaning in _MEANING.items() for line in _state(chain, key, numbers[key], meaning)),
        f"\n[contact]\n# {_CONTACTS}",
        *(_line(key, value, "") for key, value in contact_keys(contact).items()),
    ]
    return "\n".join(lines) + "\n"


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


def _state(chain: Chain, key: str, numbers: Numbers, meaning: str) -> Iterator[str]:
    """A table with a line for each joint; a list where names are not enough."""
    names, places = chain.all_joint_names, states.places(chain, key)
    if len(places) < len(names):
        yield f"\n# {meaning}; base to tip: {', '.join(map(printable, names))}\n{key} = {toml(numbers)}"
        return
    yield f"\n[{key}]  # {meaning}"
    limits = chain.all_limits
    for name, kind in zip(names, chain.all_joints, strict=True):
        share = numbers[places[name]]
        if not len(share):
            yield f"# {printable(name)} is {kind}: it does not move"
            continue
        joint, (turning, sliding) = JOINTS[kind], _UNITS[key]
        turns = joint.turning_coordinates if key == "q" else joint.turning
        first = "quaternion w x y z" if key == "q" and joint.quaternion else turning
        units = " then ".join([first] * (turns > 0) + [sliding] * (len(share) > turns))
        within = ""
        if key == "q" and len(share) == 1:
            low, high = limits[places[name]][0]
            endless = np.isinf(low) and np.isinf(high)
            within = ", no limits" if endless else f", {low:g} .. {high:g}"
        more = "" if kind in ("revolute", "prismatic") else f"{kind}: "
        yield _line(name, share[0] if len(share) == 1 else share, f"{more}{units}{within}")


def _line(key: str, value: object, comment: str) -> str:
    assignment = f"{key_of(key)} = {toml(value)}"
    return f"{assignment:<{_COLUMN}} # {comment}" if comment else assignment
