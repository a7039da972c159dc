"""The robots of `real_robots.toml`."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from senn.algorithms.robots.urdf import Part
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


_TABLE = tomllib.loads((Path(__file__).parent / "real_robots.toml").read_text())
ROBOTS = {file: Real(file, *row) for file, row in _TABLE["arms"].items()}
NO_ARM: dict[str, str] = _TABLE["none"]
