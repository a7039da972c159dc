"""Problems from files: bundled ones, one's own, and robots whose state is then drawn.

A problem file is TOML: a robot and which part of it is the arm, gravity, the vectors of the state with their
numbers in the order of the joints, base to tip, or by the joints' names, and [contact]. Missing entries have
a default or are drawn (`draw`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from senn.algorithms.problems import contact_forms, contacts, states
from senn.algorithms.problems.contact_forms import ContactTable
from senn.algorithms.problems.problem import ALONG_Z, Problem
from senn.algorithms.robots import generators, toml_files, urdf
from senn.algorithms.robots import reader as robots
from senn.algorithms.robots.bodies import ArmTable, of_table
from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.generators import LARGEST_SEED
from senn.algorithms.robots.newton_euler import dynamics
from senn.algorithms.robots.urdf import WHOLE, Part
from senn.algorithms.robots.urdf_part import Standing
from senn.base import files
from senn.base.errors import InputError, suggestion, within

_FOLDER = Path(__file__).parent
_TOML, _URDF = (".toml",), (".urdf", ".xml")


def bundled() -> tuple[str, ...]:
    """Names of the bundled problems."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def description(name: str) -> str:
    """One line about a bundled problem: the comment at the head of its file."""
    return (_FOLDER / f"{name}.toml").read_text(encoding="utf-8").splitlines()[0].lstrip("# ")


def load(spec: str | Path, part: Part = WHOLE, seed: int | None = None, **given: Any) -> Problem:
    """The problem that `spec` asks for.

    A bundled problem or robot, a generator text, a problem or robot file (.toml), or a URDF, of which `part`
    is the arm. `given` gravity, q, qd, tau, qdd, contact and tip_vector override the problem's, and so do
    joint positions of the part. Entries still missing are drawn from `seed` (default: the file's, the
    generator's, else 0), see `draw`. A name shared by a bundled problem and a bundled robot means
    the problem, or the robot when a seed is given. A URDF's problem is called after file and tip.
    `InputError` names the wrong entry.
    """
    text, path = str(spec), Path(spec)
    suffix = path.suffix.lower()
    if suffix not in _URDF:
        way = "leave the {0} out"
        if suffix in _TOML:
            way = 'if the file names one, write {0} = "..." there; if not, leave the {0} out'
        for key in part.given:
            if key != "at":
                raise InputError(f"'{text}': a {key} is chosen for a URDF file only; {way.format(key)}")
    if text in bundled() and (seed is None or text not in robots.bundled()):
        return _read(_FOLDER / f"{text}.toml", given, seed, part.at)
    if suffix in _TOML + _URDF:
        files.refuse_absent(path)
    if suffix in _TOML and "link" not in files.toml(path):
        return _read(path, given, seed, part.at)
    chain = _named(text, path, part)
    if chain is None and files.is_file(path / "problem.toml"):
        raise InputError(f"{text} is a folder; give a file in it: {path / 'problem.toml'}")
    if chain is None:
        raise InputError(
            f'unknown problem "{text}": give a bundled problem ({", ".join(bundled())}), a bundled robot '
            f"({', '.join(robots.bundled())}), a generator ({', '.join(generators.DESCRIPTIONS)}), a "
            "classic with its size (sort:64), a .toml file, or a .urdf file with its tip"
            f"{suggestion(text, [*bundled(), *robots.bundled()])}"
        )
    at, name = part.at, ""
    if suffix in _URDF:
        at = {joint: q for joint, q in at.items() if joint in chain.all_joint_names}
        name = f"{path.stem}-{part.tip}" if part.tip else path.stem
    states.shares(chain, "q", at, "--at")
    usual_seed = generators.parse(text).seed if generators.is_text(text) else 0
    changed = _changed(given, at)
    return draw(chain, seed, {"q": at}, given, usual_seed=usual_seed, name=name, changed=changed)


def _changed(given: Mapping[str, Any], at: Standing) -> tuple[str, ...]:
    return tuple(key for key in _GIVEN if given.get(key) is not None or (at and key == "q"))


def robot(spec: str, part: Part = WHOLE) -> Chain:
    """A bundled robot, the arm of a generator text, a robot file, or that part of a URDF."""
    path = Path(spec)
    suffix = path.suffix.lower()
    if suffix in _TOML + _URDF:
        files.refuse_absent(path)
    if suffix in _TOML and "link" not in files.toml(path):
        raise InputError(f"{path}: is no robot file, it has no [[link]]; a problem file is read as a problem")
    return _robot(spec, Path(), part)


def read(path: Path) -> Problem:
    """The problem of a problem file."""
    files.refuse_absent(path)
    if path.suffix.lower() not in _TOML or "link" in files.toml(path):
        raise InputError(
            f"{path}: is no problem file; a robot's problem is drawn, or given in numbers, by senn.problem"
        )
    return _read(path, {}, None, {})


Vector = list[float] | dict[str, float | list[float]]
"""In order, or by the names of joints."""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    robot: str | ArmTable
    gravity: list[float] | None = None
    q: Vector | None = None
    qd: Vector | None = None
    tau: Vector | None = None
    contact: ContactTable | str | None = None
    tip: str | None = None
    base: str | None = None
    lock: list[str] = []
    at: dict[str, float | list[float]] = {}
    qdd: Vector | None = None  # of inverse dynamics
    tip_vector: list[float] | None = None  # a wrench (Lambda^-1) or an acceleration (Lambda)
    seed: int | None = None


def _read(path: Path, given: Mapping[str, Any], seed: int | None, at: Standing) -> Problem:
    text = files.text(path)
    file = toml_files.decode(path, text, _File)
    with within(path):
        chain = _robot(file.robot, path.parent, Part.of(file.tip, file.base, file.lock, file.at))
    states.shares(chain, "q", at, "--at")  # these two before the file, which is not to blame
    check(chain, given)
    layers = {name: getattr(file, name) for name in _GIVEN}, {"q": at}, given
    origin: Any = {"name": path.stem, "source": text, "changed": _changed(given, at)}
    with within(path):
        return draw(chain, file.seed if seed is None else seed, *layers, **origin)


_VECTORS = ("q", "qd", "tau", "qdd")
_GIVEN = ("gravity", *_VECTORS, "contact", "tip_vector")


def _robot(robot: str | ArmTable, folder: Path, part: Part) -> Chain:
    if isinstance(robot, ArmTable):
        _refuse_part(part, "robot is a table")
        return of_table(robot)
    if robot.lstrip().startswith("<"):
        return _urdf(robot, part)
    if "\n" in robot:
        _refuse_part(part, "robot is the text of a robot file")
        return robots.of_text(robot, "robot")
    path = folder / robot
    suffix = path.suffix.lower()
    if suffix in _TOML + _URDF:
        with within(f'robot = "{robot}"'):
            files.refuse_absent(path)
    if suffix in _URDF:
        return _urdf(path, part)
    _refuse_part(part, f'robot = "{robot}" is no URDF')
    if (chain := _named(robot, path)) is None:
        raise InputError(
            f"robot: '{robot}' is neither a .urdf or .toml file beside this file, nor a bundled robot "
            f"({', '.join(robots.bundled())}), nor a generator ({', '.join(generators.DESCRIPTIONS)})"
        )
    return chain


def _named(text: str, path: Path, part: Part = WHOLE) -> Chain | None:
    """The arm of a file, a generator text or a bundled robot; None of another text."""
    suffix = path.suffix.lower()
    if suffix in _TOML + _URDF:
        return robots.read(path) if suffix in _TOML else urdf.read(path, part)
    if generators.is_text(text):
        return generators.generate(text)
    return robots.load(text) if text in robots.bundled() else None


def _urdf(path_or_text: Path | str, part: Part) -> Chain:
    chain = urdf.read(path_or_text, part)
    for name in (joint for joint in part.at if joint in chain.all_joint_names):
        raise InputError(f"at: joint '{name}' moves, and q says where it stands; lock it, or drop it")
    return chain


def _refuse_part(part: Part, why: str) -> None:
    for key in part.given:
        raise InputError(f"{key}: {why}; leave {key} out")


# -------- what a problem leaves out: defaults, and draws from a seed

EARTH = (0.0, 0.0, -9.81)
"""m/s^2, base frame."""


@np.errstate(all="ignore")  # what overflows is not finite, and refused
def draw(
    chain: Chain,
    seed: int | None = None,
    *layers: Mapping[str, Any],
    usual_seed: int = 0,
    name: str = "",
    source: str = "",
    changed: tuple[str, ...] = (),
) -> Problem:
    """A problem of what is given by name: gravity, q, qd, tau, qdd, contact, tip_vector; of several layers
    the last one's. None is left out.

    Gravity left out is the Earth's. q, qd and contact left out are drawn from the seed (`generators.motion`,
    `contacts.draw`), and so is the motion qdd whose torque, were the tip free, is tau where that is left out;
    with tau given and qdd left out, qdd is 0. A mapping by joint name gives some of the numbers, in rad or m,
    the others are as if the vector were left out. A `seed` is refused where nothing is drawn; `usual_seed` is
    taken where none is given. The problem is called by `name`, or as the chain is.
    """
    number = usual_seed if seed is None else seed
    parts = {key: states.overlaid(chain, key, *(layer.get(key) for layer in layers)) for key in _VECTORS}
    if not isinstance(number, int) or number < 0:
        raise InputError(f"seed is {number!r}; it is a whole number, 0 or more")
    if number > LARGEST_SEED:
        raise InputError(f"seed has {number.bit_length()} bits; it is a whole number up to {LARGEST_SEED}")
    drawn = {key: not parts[key][1].any() for key in _VECTORS[:3] if not parts[key][1].all()}
    usual = dict.fromkeys(_VECTORS[1:], np.zeros(chain.degrees))
    if drawn:
        usual["q"], usual["qd"], motion = generators.motion(chain, number)
        usual["qdd"] = motion if "tau" in drawn else usual["qdd"]
    state: dict[str, Any] = {
        key: np.where(filled, numbers, usual.get(key, numbers)) for key, (numbers, filled) in parts.items()
    }
    gravity = states.gravity(_last(layers, "gravity", EARTH))
    if "tau" in drawn:
        q = states.unit_quaternions(chain, state["q"])
        torque = dynamics(chain, q, state["qd"], state["qdd"], gravity).torque
        state["tau"] = np.where(parts["tau"][1], state["tau"], torque)
    contact = _last(layers, "contact", None)
    if contact is None:
        contact = contacts.draw(chain, number)
        drawn["contact"] = True
    if seed is not None and not drawn:
        raise InputError("a seed was given, but nothing is left to draw; leave the seed out")
    return Problem(
        name or chain.name,
        chain,
        gravity,
        **state,
        contact_input=contact_forms.taken(contact),
        tip_vector=_last(layers, "tip_vector", ALONG_Z),
        source=source or f"{name or chain.name}, seed {number}",
        changed=changed,
        seed=number if drawn else None,
        draws=drawn,
    )


def check(chain: Chain, given: Mapping[str, Any]) -> None:
    """Refuse a layer that is wrong by itself; `InputError`."""
    for key in _VECTORS:
        states.overlaid(chain, key, given.get(key))
    for key, checked in (("gravity", states.gravity), ("tip_vector", states.tip_vector)):
        if given.get(key) is not None:
            checked(given[key])
    if given.get("contact") is not None:
        contact_forms.taken(given["contact"])


def _last(layers: Sequence[Mapping[str, Any]], key: str, otherwise: Any) -> Any:
    values = [layer[key] for layer in layers if layer.get(key) is not None]
    return values[-1] if values else otherwise
