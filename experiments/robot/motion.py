"""The figure of motion.md: an arm that swings on a line."""

from __future__ import annotations

import senn
from experiments.page import Figures
from senn.motion import animation


def swing() -> bytes:
    """The UR5, whose tip slides on a line, falls."""
    motion = senn.simulate("ur5", contact="line", torque="0", until=2.0, judge=0, impact=True)
    return animation(motion)


FIGURES: Figures = {"motion.gif": swing}
