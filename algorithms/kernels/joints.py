"""One joint seen by a kernel: its axes, and its own words among those that every process has.

In an arm of revolute and prismatic joints a joint has one number, (n,), of a torque or an acceleration, and
its axis is z, (n, 3). In an arm with joints of any type it has k, (n, k), and H is (n, 6, k), where k is what
the freest joint of the arm needs; behind the own words and columns of a joint stand zeros. Kernels take both:
they compute with the own words, (n, d), and the own columns, (n, 6, d), in which zeros that the type of the
joint implies are `known`.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import Blocks, widened
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import PRISMATIC, REVOLUTE
from senn.machine.program.counting import known


def axes_of(joint: str, axes: Blocks) -> Blocks:
    """The columns of H_i, (n, 6, d), from z or from H."""
    if axes.ndim > 2:
        h = axes[..., : JOINTS[joint].degrees]
        return h if h.dtype != object else np.where(JOINTS[joint].halves, h, known(0, h))
    none = np.broadcast_to(known(0, axes), axes.shape)
    halves = [axes, none] if JOINTS[joint].turning else [none, axes]
    return np.concatenate(halves, axis=-1)[..., None]


def words_of(joint: str, x: Blocks) -> Blocks:
    """The joint's own words, (n, d)."""
    return x[:, None] if x.ndim == 1 else x[..., : JOINTS[joint].degrees]


def count(x: Blocks) -> int:
    """The words that every joint has in `x`."""
    return 1 if x.ndim == 1 else x.shape[-1]


def filled(words: Blocks, like: Blocks) -> Blocks:
    """A joint's own words in the form of `like`: the number, or as many words with zeros behind the own."""
    return words[:, 0] if like.ndim == 1 else widened(words, like.shape[-1])


def along(joint: str) -> str:
    """The product of the axes {0} of a joint with a wrench [n; f], in listings."""
    parts = {REVOLUTE: "{0} . n", PRISMATIC: "{0} . f"}
    return parts.get(joint, "{0}' [n; f]")
