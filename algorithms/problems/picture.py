"""The arm itself, at the positions of a problem: links in the colours of the processes that they are."""

from __future__ import annotations

from itertools import pairwise
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from senn.algorithms.robots.chain import Chain, points, spread
from senn.algorithms.spatial import Numbers
from senn.base.errors import InputError
from senn.traces.naming import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_MANY = 32
"""Of more links the joints are small dots without their axes."""
_LABELS = 24
_FEW = 12
"""Of fewer links every number is written."""
_LETTERS, _LONGEST, _LINE = 52, 300, 0.24
"""Of a title: letters of a line, of a name at most, and inches of a line."""
_ELEVATION, _AZIMUTH = 22, -58  # degrees: from where the arm is looked at


def picture(chain: Chain, q: Numbers, name: str, ax: Axes | None = None) -> Axes:
    """The arm in space, metres, base frame: link i is process i, and lives at first in node i - 1.

    A link goes from its joint to the next, in the colour of its process, from process 1 to process n as in
    the pictures of allocations. At a joint stands a dot, with a stroke along its z axis, about which a
    revolute joint turns and along which a prismatic one (a square) slides. A star is the tip, a black square
    the base, and grey is the arm's shadow on the ground; side branches are drawn thin. ``ax`` are axes of
    matplotlib in three dimensions, or its own. InputError for others.
    """
    from matplotlib import pyplot

    from senn.traces.pictures.style import DPI, GRID, INK, applied, ramp, written

    with applied():
        places, axes = points(chain, q)
        reach = float(np.linalg.norm(places[-1] - places[0]))
        length = float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
        sides = sum(len(branch.chain.all_joints) for branch in chain.branches)
        beside = f", and {counted(sides, 'joint')} on side branches" if sides else ""
        title = (
            f"{name}: {counted(chain.n, 'link')}, as many processes{beside};",
            f"the tip is {reach:.3g} m from the base, along the links {length:.3g} m",
        )
        lines = [part for line in title for part in wrap(written(line, _LONGEST), _LETTERS)]
        if ax is None:
            height = 5.9 + _LINE * len(lines)
            figure = pyplot.figure(figsize=(8.0, height), dpi=DPI)
            ax = figure.add_axes((0.0, 0.0, 0.97, 5.8 / height), projection="3d")
        if ax.name != "3d":
            raise InputError('the arm needs axes in three dimensions: figure.add_subplot(projection="3d")')
        space: Any = ax
        colors = ramp(chain.n)
        everything = _branches(space, chain, q, colors)
        ground = min(float(some[:, 2].min()) for some in everything)
        size = set_frame(space, np.concatenate(everything))
        space.plot(
            places[:, 0], places[:, 1], ground, color=GRID, linewidth=5, solid_capstyle="round", zorder=0
        )
        for i, color in enumerate(colors):
            space.plot(*places[i : i + 2].T, color=color, linewidth=7, solid_capstyle="round", zorder=3)
        many = chain.n > _MANY
        for i, joint in enumerate(chain.joints):
            along = np.stack([-1.0, 1.0])[:, None] * axes[i][:, 2] * 0.035 * size + places[i]
            if not many:
                space.plot(*along.T, color=INK, linewidth=1.6, zorder=4)
            marker = "s" if joint == "prismatic" else "o"
            dot = {"marker": marker, "color": "white", "markeredgecolor": INK, "markersize": 3 if many else 6}
            space.plot(*places[i : i + 1].T, zorder=5, **dot)
        _number(space, places, size)
        space.plot(*places[:1].T, marker="s", color=INK, markersize=9, zorder=4)
        space.plot(*places[-1:].T, marker="*", color=INK, markersize=13, zorder=6)
        space.set_title("\n".join(lines), loc="left", pad=4, x=0.04)
    return ax


def _branches(space: Any, chain: Chain, q: Numbers, colors: Any) -> list[Numbers]:
    """Side branches as thin lines in the colour of the link that they hang on, from the nearest point of it;
    the points of the main chain and of each."""
    drawn: list[Numbers] = []
    lines: list[tuple[Numbers, Numbers]] = []  # of each body, from its joint to its end
    for limb, places, _ in spread(chain, q):
        if limb.on:
            begins, end = lines[limb.on - 1]
            link = end - begins
            along = (places[0] - begins) @ link / max(float(link @ link), 1e-30)
            nearest = begins + np.clip(along, 0.0, 1.0) * link
            color = colors[limb.at - 1]
            space.plot(*np.stack([nearest, places[0]]).T, color=color, linewidth=2.5, zorder=3)
            space.plot(*places.T, color=color, linewidth=2.5, marker="o", markersize=3, zorder=3)
        lines += pairwise(places)
        drawn.append(places)
    return drawn


def _number(space: Any, places: Numbers, size: float) -> None:
    """The number of each process beside the middle of its link, those of links that are near in one.

    Of many links what would stand on a number that is there is left out: it could not be read.
    """
    from senn.traces.pictures.style import SMALL

    middles = (places[1:] + places[:-1]) / 2
    together = [[0]]
    for i in range(1, len(middles)):
        if np.linalg.norm(middles[i] - middles[together[-1][0]]) < 0.06 * size:
            together[-1].append(i)
        else:
            together.append([i])
    space.apply_aspect()  # else it is done when the picture is written, and moves all places
    written: list[tuple[Numbers, int]] = []
    for near in together[:: -(-len(together) // _LABELS)]:
        at = middles[near[0]] + [0.0, 0.0, 0.035 * size]
        text = f"{near[0] + 1}" if len(near) == 1 else f"{near[0] + 1}–{near[-1] + 1}"
        # where it is on the sheet, in points
        x, y, _, scale = space.get_proj() @ [*at, 1.0]
        place = space.transData.transform((x / scale, y / scale)) * 72 / space.figure.dpi
        apart = (
            abs(place - other) > [0.35 * SMALL * (len(text) + letters), 1.3 * SMALL]
            for other, letters in written
        )
        if len(middles) < _FEW or all(some.any() for some in apart):
            written.append((place, len(text)))
            space.text(*at, text, fontsize=SMALL, zorder=7, ha="center")


def set_frame(space: Any, everything: Numbers) -> float:
    """Equal scales, light walls; the largest extent in m."""
    from matplotlib.ticker import MaxNLocator

    low, high = everything.min(axis=0), everything.max(axis=0)
    size = max(float((high - low).max()), 1e-9)
    room = np.maximum(high - low, 0.4 * size) / 2 + 0.04 * size
    middle = (low + high) / 2
    for axis, name in enumerate("xyz"):
        ends = middle[axis] - room[axis], middle[axis] + room[axis]
        getattr(space, f"set_{name}lim")(*ends)
        getattr(space, f"set_{name}label")(f"{name} (m)")
        along = getattr(space, f"{name}axis")
        along.set_pane_color((0.97, 0.97, 0.97, 1.0))
        along._axinfo["grid"]["color"] = (0.9, 0.9, 0.9, 1.0)
        along.set_major_locator(MaxNLocator(4))
    space.view_init(elev=_ELEVATION, azim=_AZIMUTH)
    # What the box takes of the picture, upwards and to the side: matplotlib scales its diagonal to one.
    turn, tilt = np.radians(_AZIMUTH), np.radians(_ELEVATION)
    x, y, z = room / np.linalg.norm(room)
    deep, wide = abs(np.cos(turn)) * x + abs(np.sin(turn)) * y, abs(np.sin(turn)) * x + abs(np.cos(turn)) * y
    space.set_box_aspect(room, zoom=min(0.74 / (np.cos(tilt) * z + np.sin(tilt) * deep), 1.0 / wide, 1.1))
    return size
