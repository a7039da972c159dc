"""Small problems that together use what there is: readers, joints, branches, contacts, algorithms."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Case:
    """A problem and how it is run."""

    name: str
    spec: str
    choices: dict[str, Any] = field(default_factory=dict)


def written(folder: Path) -> list[Case]:
    """The cases, with their files in `folder`. All numbers of the states are in the files."""
    (folder / "skew.urdf").write_text(_urdf(), encoding="utf-8")
    (folder / _WIDE).write_text(_robot(_KINDS, 1), encoding="utf-8")
    (folder / "branched.toml").write_text(_tree(), encoding="utf-8")
    return [Case(name, str(_problem(folder, name)), _CHOICES.get(name, {})) for name in _ROBOTS]


def _problem(folder: Path, name: str) -> Path:
    robot, part, degrees = _ROBOTS[name]
    rng = random.Random(name)
    kinds = _COORDINATES_OF.get(robot, ("revolute",) * degrees)
    contact = _CONTACTS.get(name, _NONE)
    lines = [
        f'robot = "{robot}"\n{part}gravity = [0.7, -1.3, -9.0]',
        f"q = {_coordinates(rng, kinds)}",
        *(
            f"{key} = {_numbers(rng, degrees, size)}"
            for key, size in (("qd", 0.5), ("tau", 8.0), ("qdd", 1.0))
        ),
        f"tip_vector = {_numbers(rng, 6, 1.0)}",
        "[contact]",
        contact(rng) if callable(contact) else contact,
    ]
    path = folder / f"{name}.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def _numbers(rng: random.Random, count: int, size: float) -> list[float]:
    return [round(rng.uniform(-size, size), 3) for _ in range(count)]


def _matrix(rng: random.Random, rows: int, columns: int) -> list[list[float]]:
    return [_numbers(rng, columns, 1.0) for _ in range(rows)]


# ------------------------------------------------------------------------ contacts


def _two_directions(rng: random.Random) -> str:
    W, H = _matrix(rng, 6, 2), _matrix(rng, 6, 4)
    given = f"G_C = {_numbers(rng, 2, 1.0)}\nK_F = {_numbers(rng, 4, 3.0)}\n"
    return f'kind = "I"\nW = {W}\nH = {H}\n{given}acceleration = "spatial"\n'


def _in_the_world(rng: random.Random) -> str:
    W, H, K = _matrix(rng, 6, 3), _matrix(rng, 6, 3), _numbers(rng, 3, 3.0)
    return f'kind = "I"\nW = {W}\nH = {H}\nK_F = {K}\nfixed_in = "world"\n'


def _friction(rng: random.Random) -> str:
    W, H, phi = _matrix(rng, 6, 2), _matrix(rng, 6, 4), [_numbers(rng, 2, 0.2) for _ in range(4)]
    return f'kind = "II"\nW = {W}\nH = {H}\nphi = {phi}\nd = {_numbers(rng, 4, 2.0)}\n'


def _general(rng: random.Random) -> str:
    numbers = f"M1 = {_matrix(rng, 6, 6)}\nk1 = {_numbers(rng, 6, 1.0)}\n"
    numbers += f"M2 = {_matrix(rng, 6, 6)}\nk2 = {_numbers(rng, 6, 2.0)}\n"
    return f'kind = "general"\n{numbers}'


_NONE = 'kind = "none"\n'
_WELD = f'kind = "I"\nW = {[[float(i == k) for k in range(6)] for i in range(6)]}\n'
_POINT = 'kind = "point"\nposition = [0.1, -0.05, 0.2]\n'
_LINE = 'kind = "line"\ndirection = [1.0, -2.0, -0.5]\naxes = "world"\nposition = [0.0, 0.1, 0.1]\n'
_FACE = 'kind = "face"\nnormal = [0.3, 1.0, -2.0]\nposition = [0.05, 0.1, 0.1]\n'


# -------------------------------------------------------------------------- robots

_KINDS = (
    *("free", "revolute", "universal", "planar", "helical"),
    *("cylindrical", "spherical", "welded", "prismatic"),
)
_COORDINATES = {"free": 7, "spherical": 4, "universal": 2, "planar": 3, "cylindrical": 2, "welded": 0}


def _coordinates(rng: random.Random, kinds: tuple[str, ...]) -> list[float]:
    found: list[float] = []
    for kind in kinds:
        own = _numbers(rng, _COORDINATES.get(kind, 1), 1.0)
        if kind in ("free", "spherical"):
            size = sum(x * x for x in own[:4]) ** 0.5
            own[:4] = [x / size for x in own[:4]]
        found += own
    return found


def _link(rng: random.Random, name: str, kind: str, table: str = "link") -> str:
    axis, second = _numbers(rng, 3, 1.0), _numbers(rng, 3, 1.0)
    lines = [f"[[{table}]]", f'joint = "{name}"', f'type = "{kind}"']
    if kind not in ("spherical", "free", "welded"):
        lines.append(f"axis = {axis}")
    if kind == "universal":
        lines.append(f"second_axis = {second}")
    if kind == "helical":
        lines.append("pitch = 0.07")
    moments = [round(rng.uniform(0.02, 0.03), 4) for _ in range(3)] + _numbers(rng, 3, 0.002)
    lines += [
        f"origin = {_numbers(rng, 3, 0.3)}",
        f"rpy = {_numbers(rng, 3, 1.0)}",
        f"mass = {round(rng.uniform(0.5, 1.5), 3)}",
        f"centre = {_numbers(rng, 3, 0.1)}",
        f"inertia = {moments}",
    ]
    return "\n".join(lines) + "\n"


def _robot(kinds: tuple[str, ...], seed: int) -> str:
    rng = random.Random(seed)
    text = 'name = "made"\n' + "".join(_link(rng, f"j{k}", kind) for k, kind in enumerate(kinds, 1))
    return f"{text}[tip]\norigin = {_numbers(rng, 3, 0.2)}\nrpy = {_numbers(rng, 3, 1.0)}\n"


def _tree() -> str:
    """Six links, a branch of two on the fourth with one of its own, one on the second."""
    rng = random.Random(2)
    text = _robot(("revolute", "prismatic", "revolute", "revolute", "revolute", "prismatic"), 3)
    text += "[[branch]]\nat = 4\n"
    text += "".join(_link(rng, f"a{k}", "revolute", "branch.link") for k in (1, 2))
    text += "[[branch.branch]]\nat = 1\n" + _link(rng, "b1", "prismatic", "branch.branch.link")
    return text + "[[branch]]\nat = 2\n" + _link(rng, "c1", "revolute", "branch.link")


def _urdf() -> str:
    """A trunk with an arm of six joints, axes and inertias anywhere, fixed links between; a leg, a finger."""
    rng = random.Random(5)
    joints = [
        ("waist", "root", "trunk", "continuous"),
        ("a1", "trunk", "arm1", "revolute"),
        ("a2", "arm1", "arm2", "prismatic"),
        ("cover", "arm2", "shell", "fixed"),
        ("a3", "arm2", "arm3", "continuous"),
        ("a4", "arm3", "arm4", "revolute"),
        ("a5", "arm4", "arm5", "continuous"),
        ("a6", "arm5", "arm6", "continuous"),
        ("finger", "arm6", "finger1", "prismatic"),
        ("flange", "arm6", "hand", "fixed"),
        ("hip", "trunk", "leg1", "continuous"),
        ("knee", "leg1", "leg2", "revolute"),
        ("toe", "leg2", "foot", "revolute"),
    ]
    links = dict.fromkeys(end for joint in joints for end in joint[1:3])
    text = "".join(
        _body(rng, link) if link not in ("root", "hand") else f'<link name="{link}"/>' for link in links
    )
    for name, parent, child, kind in joints:
        follows = '<mimic joint="a1" multiplier="0.5" offset="0.2"/>' if name == "finger" else ""
        axis = " ".join(map(str, _numbers(rng, 3, 1.0)))
        if name == "a5":
            axis = "0.3 -0.5 -0.8"
        text += (
            f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'{_origin(rng)}<axis xyz="{axis}"/><limit lower="0.1" upper="2" effort="9" velocity="9"/>'
            f"{follows}</joint>"
        )
    return f'<robot name="skew">{text}</robot>'


def _origin(rng: random.Random) -> str:
    xyz, rpy = (" ".join(map(str, _numbers(rng, 3, size))) for size in (0.3, 1.5))
    return f'<origin xyz="{xyz}" rpy="{rpy}"/>'


def _body(rng: random.Random, name: str) -> str:
    moments = {key: round(rng.uniform(0.02, 0.03), 4) for key in ("ixx", "iyy", "izz")}
    moments |= dict(zip(("ixy", "ixz", "iyz"), _numbers(rng, 3, 0.002), strict=True))
    tensor = " ".join(f'{key}="{value}"' for key, value in moments.items())
    mass = round(rng.uniform(0.5, 1.5), 3)
    inertial = f'{_origin(rng)}<mass value="{mass}"/><inertia {tensor}/>'
    return f'<link name="{name}"><inertial>{inertial}</inertial></link>'


# --------------------------------------------------------------------------- table

_WIDE, _LETTERS = "wide.toml", "joints:RUPHS:seed=3"
_ROBOTS = {
    "urdf": ("skew.urdf", 'tip = "hand"\nlock = ["hip", "knee", "toe"]\nat = { knee = 0.4 }\n', 8),
    "urdf-on-foot": ("skew.urdf", 'tip = "hand"\nbase = "foot"\nlock = ["waist", "a[12]", "finger"]\n', 7),
    "urdf-held": ("skew.urdf", 'tip = "hand"\nbase = "trunk"\nlock = ["finger"]\n', 6),
    "joints": (_WIDE, "", 19),
    "tree": ("branched.toml", "", 10),
    "general": ("random:5:prismatic=0.3:seed=2", "", 5),
    "weld": ("random:7:seed=4", "", 7),
    "face": ("rods:6:slenderness=0.2:seed=1", "", 6),
    "letters": (_LETTERS, "", 8),
    "divided": ("snake:5", "", 5),
    "star": (_WIDE, "", 19),
    "star-thin": ("random:6:prismatic=0.3:seed=3", "", 6),
    "star-tree": ("branched.toml", "", 10),
    "star-blocks": ("random:9:seed=6", "", 9),
    "gathered": ("branched.toml", "", 10),
    "open-tree": ("branched.toml", "", 10),
    "hybrid": ("random:5:seed=7", "", 5),
    "inverted": ("random:4:seed=8", "", 4),
    "inverse": (_WIDE, "", 19),
    "lambda": ("random:7:seed=9", "", 7),
    "lambda-times": ("random:8:prismatic=0.3:seed=9", "", 8),
}
"""By case: the robot, what is said of a part of it, its degrees of freedom."""
_CONTACTS = {
    "urdf": _two_directions,
    "urdf-on-foot": _POINT,
    "urdf-held": _in_the_world,
    "joints": _friction,
    "tree": _LINE,
    "general": _general,
    "weld": _WELD,
    "face": _FACE,
    "star": _friction,
    "star-thin": _POINT,
    "star-tree": _POINT,
    "star-blocks": _WELD,
    "gathered": _FACE,
}
_CHOICES: dict[str, dict[str, Any]] = {
    "urdf-on-foot": {"form": "short", "refine": 1, "elimination": "oer"},
    "urdf-held": {"form": "omega", "strategy": 1},
    "tree": {"form": "short"},
    "general": {"residency": "ahead"},
    "weld": {"arrays": 1},
    "face": {"form": "short"},
    "letters": {"algorithm": "open-chain"},
    "divided": {"algorithm": "divide-and-conquer"},
    "star": {"algorithm": "star"},
    "star-thin": {"algorithm": "star"},
    "star-tree": {"algorithm": "star-together"},
    "star-blocks": {"algorithm": "star-blocks"},
    "gathered": {"algorithm": "gather-and-solve"},
    "open-tree": {"algorithm": "open-chain", "motion": "jets", "elimination": "oer"},
    "hybrid": {"algorithm": "hybrid"},
    "inverted": {"algorithm": "mass-matrix-inversion"},
    "inverse": {"algorithm": "inverse-dynamics"},
    "lambda": {"algorithm": "lambda"},
    "lambda-times": {"algorithm": "lambda-times"},
}
_COORDINATES_OF = {_WIDE: _KINDS, _LETTERS: ("revolute", "universal", "prismatic", "helical", "spherical")}
