"""Robot files, and the robots that come with the project (their sources and licences are in the files).

A robot file is TOML; lengths in m, masses in kg, angles in rad:

    name = "two_bar"
    description = "one line for listings"
    source = "where the figures come from, and under which licence"

    [[link]]                           # base to tip, one per moving link and its joint
    joint = "shoulder"                 # the joint's name
    type = "revolute"                  # or "prismatic"
    axis = [0.0, 0.0, 1.0]             # in the joint's frame; any length but zero
    origin = [0.0, 0.0, 0.3]           # of the joint's frame, in the previous link's frame (or the base)
    rpy = [0.0, 0.0, 0.0]              # may be left out: axes parallel to the previous link's frame
    mass = 2.0
    centre = [0.2, 0.0, 0.0]           # of mass, in the link's frame
    inertia = [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]   # about the centre of mass; elements of the tensor, as in URDF

    [tip]                              # frame of the end effector, in the last link's frame
    origin = [0.4, 0.0, 0.0]
    rpy = [0.0, 0.0, 0.0]              # may be left out

The link's frame is the joint's frame turning with the link, as in URDF.
"""

from pathlib import Path

import msgspec
import numpy as np

from senn.algorithms import chain as chains
from senn.algorithms import spatial, toml_files, urdf
from senn.algorithms.chain import Body, Chain
from senn.traces.errors import InputError

_FOLDER = Path(__file__).parent
_URDF_TIPS = {"ur5": ("tool0", "Universal Robots UR5, 6 joints (ur_description, BSD)")}

Triple = tuple[float, float, float]


class _Link(msgspec.Struct, forbid_unknown_fields=True):
    joint: str
    type: str
    axis: Triple
    origin: Triple
    mass: float
    centre: Triple
    inertia: tuple[float, float, float, float, float, float]
    rpy: Triple = (0.0, 0.0, 0.0)


class _Tip(msgspec.Struct, forbid_unknown_fields=True):
    origin: Triple
    rpy: Triple = (0.0, 0.0, 0.0)


class _Robot(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    link: list[_Link]
    tip: _Tip
    description: str = ""
    source: str = ""


def bundled() -> dict[str, str]:
    """Names of the bundled robots, each with a description of one line."""
    found = {path.stem: _decode(path).description for path in _FOLDER.glob("*.toml")}
    found.update({name: description for name, (_, description) in _URDF_TIPS.items()})
    return dict(sorted(found.items()))


def load(name: str) -> Chain:
    """The bundled robot of this name."""
    if name in _URDF_TIPS:
        return urdf.read(_FOLDER / f"{name}.urdf", _URDF_TIPS[name][0])
    path = _FOLDER / f"{name}.toml"
    if not path.is_file():
        raise InputError(f"there is no bundled robot '{name}'; there are: {', '.join(bundled())}")
    return read(path)


def read(path: Path) -> Chain:
    """The chain of a robot file; `InputError` names the file and the key."""
    robot = _decode(path)
    bodies = [_body(path, number, link) for number, link in enumerate(robot.link, 1)]
    if not bodies:
        raise InputError(f"{path}: no [[link]]; at least one is needed")
    try:
        return chains.assemble(robot.name, bodies, spatial.rotation_rpy(robot.tip.rpy), robot.tip.origin)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _decode(path: Path) -> _Robot:
    return toml_files.decode(path, toml_files.text(path), _Robot)


def _body(path: Path, number: int, link: _Link) -> Body:
    axis = np.array(link.axis)
    length = float(np.linalg.norm(axis))
    if not np.isfinite(length) or length == 0.0:
        raise InputError(
            f"{path}: link {number} (joint '{link.joint}'): axis {list(link.axis)} has no direction; "
            "give three numbers that are not all zero"
        )
    ixx, iyy, izz, ixy, ixz, iyz = link.inertia
    return Body(
        joint_name=link.joint,
        joint=link.type,
        axis=axis / length,
        rotation=spatial.rotation_rpy(link.rpy),
        position=np.array(link.origin),
        mass=link.mass,
        centre=np.array(link.centre),
        inertia=np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]]),
    )
