"""Robot files, and the robots that come with the project (their sources and licences are in the files).

A robot file is TOML: [[link]] tables from base to tip, a [tip], and
[[branch]] tables with links and branches of their own. The link's frame is the joint's frame turning with the
link, as in URDF; a joint's frame is given in the previous link's frame, that of a branch's first joint in the
frame of the link that it hangs on. Lengths in m, masses in kg, angles in rad.
"""

from pathlib import Path

import msgspec
import numpy as np

from senn.algorithms import spatial
from senn.algorithms.robots import toml_files, urdf
from senn.algorithms.robots.bodies import Body, assemble
from senn.algorithms.robots.chain import PARALLEL, Branch, Chain, Written
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import Numbers
from senn.base import files
from senn.base.errors import InputError, suggestion, within

_FOLDER = Path(__file__).parent
_URDF_TIPS = {"ur5": ("tool0", "Universal Robots UR5, 6 joints (ur_description, BSD)")}

_WITHOUT_AXIS = ("spherical", "free", "welded")

Triple = tuple[float, float, float]


class _Link(msgspec.Struct, forbid_unknown_fields=True):
    joint: str  # its name
    type: str  # a key of JOINTS
    origin: Triple  # of the joint's frame
    mass: float
    centre: Triple  # of mass, in the link's frame
    inertia: tuple[float, float, float, float, float, float]  # xx yy zz xy xz yz, about the centre
    axis: Triple | None = None  # in the joint's frame, any length; of a planar joint the normal
    rpy: Triple = (0.0, 0.0, 0.0)
    second_axis: Triple | None = None  # of a universal joint, in the joint's frame at q = 0
    pitch: float | None = None  # of a helical joint, m/rad
    limits: tuple[float, float] | None = None  # of a joint of one coordinate


class _Branch(msgspec.Struct, forbid_unknown_fields=True):
    at: int  # number of the link that it hangs on, of the links beside it in the file
    link: list[_Link]
    branch: list["_Branch"] = []


class _Tip(msgspec.Struct, forbid_unknown_fields=True):
    origin: Triple
    rpy: Triple = (0.0, 0.0, 0.0)


class _Robot(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    link: list[_Link]
    tip: _Tip
    branch: list[_Branch] = []
    description: str = ""
    source: str = ""


def bundled() -> tuple[str, ...]:
    """Names of the bundled robots."""
    return tuple(sorted([*_URDF_TIPS, *(path.stem for path in _FOLDER.glob("*.toml"))]))


def description(name: str) -> str:
    """One line about a bundled robot."""
    if name in _URDF_TIPS:
        return _URDF_TIPS[name][1]
    path = _FOLDER / f"{name}.toml"
    return toml_files.decode(path, files.text(path), _Robot).description


def load(name: str) -> Chain:
    """The bundled robot of this name."""
    if name in _URDF_TIPS:
        return urdf.read(_FOLDER / f"{name}.urdf", _URDF_TIPS[name][0])
    path = _FOLDER / f"{name}.toml"
    if not path.is_file():
        near = suggestion(name, bundled())
        raise InputError(f'there is no bundled robot "{name}"; there are: {", ".join(bundled())}{near}')
    return read(path)


@np.errstate(all="ignore")  # what overflows is not finite, and refused
def read(path: Path) -> Chain:
    """The chain of a robot file; `InputError` names the file and the key."""
    return of_text(files.text(path), path)


def of_text(content: str, path: str | Path) -> Chain:
    """The chain of the text of a robot file, which messages call `path`."""
    robot = toml_files.decode(path, content, _Robot)
    tip = (spatial.rotation_rpy(robot.tip.rpy), np.array(robot.tip.origin))
    with within(path):
        chain = _chain(robot.name, "", robot, tip)
    return chain.as_written(Written("toml", content))


def _chain(name: str, where: str, table: _Robot | _Branch, tip: tuple[Numbers, Numbers]) -> Chain:
    """The chain of a table of links and branches; `where` names the table in messages."""
    bodies = [_body(f"{where}link {number}", link) for number, link in enumerate(table.link, 1)]
    if not bodies:
        raise InputError(f"{where}no [[link]]; at least one is needed")
    sides = []
    for number, branch in enumerate(table.branch, 1):
        label = f"{where}branch {number}"
        sides.append(Branch(branch.at, _chain(label, f"{label}: ", branch, (np.eye(3), np.zeros(3)))))
    return assemble(name, bodies, *tip, sides)


def _body(where: str, link: _Link) -> Body:
    where = f"{where} (joint '{link.joint}')"
    if link.type not in JOINTS:
        raise InputError(f"{where}: joint type '{link.type}' is not known; use {', '.join(JOINTS)}")
    if link.pitch is not None and not np.isfinite(link.pitch):
        raise InputError(f"{where}: pitch is {link.pitch}; it must be finite")
    has = {
        "axis": link.type not in _WITHOUT_AXIS,
        "second_axis": link.type == "universal",
        "pitch": link.type == "helical",
    }
    for key, needed in has.items():
        present = getattr(link, key) is not None
        if needed and not present:
            raise InputError(f"{where}: {key} is missing; a {link.type} joint has one")
        if present and not needed:
            raise InputError(f"{where}: {key}: a {link.type} joint has none; leave it out")
    directions: dict[str, Numbers] = {}
    for key in ("axis", "second_axis"):
        if (axis := getattr(link, key)) is not None:
            length = float(np.linalg.norm(axis))
            if not np.isfinite(length) or length == 0.0:
                raise InputError(
                    f"{where}: {key} {list(axis)} has no direction; give three numbers that are not all zero"
                )
            directions[key] = np.array(axis) / length
    axis, second = directions.get("axis", np.array([0.0, 0.0, 1.0])), directions.get("second_axis")
    if second is not None and np.linalg.norm(np.cross(axis, second)) < PARALLEL:
        raise InputError(
            f"{where}: axis and second_axis are parallel; a universal joint has two directions to turn about"
        )
    ixx, iyy, izz, ixy, ixz, iyz = link.inertia
    return Body(
        joint_name=link.joint,
        joint=link.type,
        axis=axis,
        rotation=spatial.rotation_rpy(link.rpy),
        position=np.array(link.origin),
        mass=link.mass,
        centre=np.array(link.centre),
        inertia=np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]]),
        pitch=link.pitch or 0.0,
        second_axis=second,
        **({"limits": link.limits} if link.limits else {}),
    )
