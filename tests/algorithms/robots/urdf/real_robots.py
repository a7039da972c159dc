"""The robots of `real_robots.toml`, read here and by Pinocchio."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots.urdf import Part
from tests.algorithms.robots.held import Held
from tests.algorithms.robots.oracle import DATA


@dataclass(frozen=True)
class Real:
    """A real robot, and the part of it that is the arm."""

    file: str
    base: str
    tip: str
    lock: str
    n: int
    beside: int

    @property
    def path(self) -> Path:
        return DATA / self.file

    @property
    def part(self) -> Part:
        return Part.of(self.tip or None, self.base or None, self.lock or None)

    def of_pinocchio(self, problem: Problem) -> tuple[np.ndarray, np.ndarray]:
        """Pinocchio's joint accelerations and contact force, of a robot that it has read itself."""
        text = self.path.read_text()
        root, end = _ends(text)
        names = problem.chain.all_joint_names
        return Held.moving(text, self.base or root, self.tip or end, names).solve(problem)


def _ends(text: str) -> tuple[str, str]:
    """The link that is no child, and the last that is no parent."""
    robot = ElementTree.fromstring(text)
    links = [one.get("name", "") for one in robot.findall("link")]
    above, below = (
        {joint.find(end).get("link") for joint in robot.findall("joint")} for end in ("parent", "child")
    )
    (root,) = (link for link in links if link not in below)
    return root, [link for link in links if link not in above][-1]


_TABLE = tomllib.loads((Path(__file__).parent / "real_robots.toml").read_text())
ROBOTS = {file: Real(file, *row) for file, row in _TABLE["arms"].items()}
NO_ARM: dict[str, str] = _TABLE["none"]
