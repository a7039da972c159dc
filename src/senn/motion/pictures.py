"""Pictures of a motion over time: joints, contact force, energy, drift; and the arm as it moves."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from senn.algorithms.problems import states
from senn.algorithms.problems.picture import set_frame
from senn.algorithms.robots.chain import points
from senn.base.errors import InputError
from senn.base.gone import refuse_former
from senn.traces.pictures.style import GRID, INK, SERIES, applied, axes, headed, ramp, written

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from senn.motion.conduct import Motion

ANIMATION = "animation"
POSES, FRAMES = 7, 50
"""Most times in a picture of poses, and in an animation."""
_NAMED = 12
"""Most lines that a legend names."""
_LEAST = 1e-16
"""Least drift that is drawn: less is rounding."""


@applied()
def draw(motion: Motion, kind: str = "angles", ax: Axes | None = None) -> Axes:
    """A picture of a kind of KINDS over time, or of poses, on `ax` or on axes of its own."""
    if kind == "poses":
        shown, arms = _arms(motion, POSES)
        space = _space(arms) if ax is None else ax
        if space.name != "3d":
            raise InputError('poses need axes in three dimensions: figure.add_subplot(projection="3d")')
        way = _arms(motion, 4 * FRAMES)[1][:, -1]
        for arm, opacity in zip(arms, np.linspace(0.3, 1.0, len(arms)) ** 2, strict=True):
            _draw_arm(space, arm, way, opacity)
        name = written(motion.description["problem"]["name"])
        times = f"{len(shown)} times from {motion.time[shown[0]]:g} to {motion.time[shown[-1]]:g} s"
        space.set_title(f"{name} at {times}", loc="left")
        return space
    refuse_former("picture", kind)
    if kind not in KINDS:
        raise InputError(
            f'"{kind}" is no picture of a motion; there are {", ".join([*KINDS, "poses", ANIMATION])}'
        )
    if kind not in _kinds(motion):
        raise InputError("this motion has no contact that could drift: nothing is held, or G_C moves it")
    ax = axes(ax, 9.0, 4.8)
    title, label = KINDS[kind](motion, ax)
    ax.set_xlabel("time (s)")
    ax.set_ylabel(label)
    ax.set_xlim(0.0, float(motion.time[-1]) or 1.0)
    ax.grid(axis="y", color=GRID)
    entries = ax.get_lines() if len(ax.get_lines()) <= _NAMED else []
    record = motion.description
    caption = (
        f"{record['problem']['name']}: {record['integrator']}, {record['step']:g} s, {record['algorithm']}"
    )
    headed(ax, title, entries, written(caption))
    return ax


def _angles(motion: Motion, ax: Axes) -> tuple[str, str]:
    chain, q = motion.problem.chain, motion.q
    places = states.places(chain, "q")
    for (name, place), color in zip(places.items(), ramp(len(places)), strict=True):
        for style, column in zip(("-", "--", ":", "-.") * 2, q[:, place].T, strict=False):
            ax.plot(motion.time, column, style, color=color, label=written(name))
    spans = {name: float(np.ptp(q[:, place], axis=0).max(initial=0.0)) for name, place in places.items()}
    most = max(spans, key=lambda name: spans[name])
    return f"{most} moves most: {spans[most]:.3g} between its ends", "q (rad, m)"


def _force(motion: Motion, ax: Axes) -> tuple[str, str]:
    for k, name in enumerate(("moment x", "moment y", "moment z", "force x", "force y", "force z")):
        ax.plot(motion.time, motion.force[:, k], "--" if k < 3 else "-", color=SERIES[k % 3], label=name)
    figures = motion.summary
    most, at = figures["largest_force"], figures["time_of_largest_force"]
    return f"The arm presses with {most:.3g} N at most, at {at:.3g} s", "on the environment (N m, N)"


def _energy(motion: Motion, ax: Axes) -> tuple[str, str]:
    parts = {"kinetic": motion.states["kinetic"], "potential": motion.states["potential"]}
    for color, (name, values) in zip(SERIES, parts.items(), strict=False):
        ax.plot(motion.time, values, color=color, label=name)
    ax.plot(motion.time, motion.energy, "--", color=INK, label="total")
    first, last = motion.summary["energy"]
    return f"The energy changes by {last - first:.3g} J, from {first:.4g} J", "energy (J)"


def _drift(motion: Motion, ax: Axes) -> tuple[str, str]:
    units, most = {"pose": "m or rad", "velocity": "m/s or rad/s"}, []
    for color, (name, unit) in zip(SERIES, units.items(), strict=False):
        column = motion.states[f"drift_{name}"]
        if column.null_count() < len(column):
            ax.plot(motion.time, np.maximum(column.to_numpy(), _LEAST), color=color, label=f"{name} ({unit})")
            most.append(f"{motion.summary[f'drift_{name}']:.1g} {unit}")
    ax.set_yscale("log")
    return f"The contact drifts by at most {most[0]}", "drift"


KINDS: Mapping[str, Callable[[Motion, Axes], tuple[str, str]]] = {
    "angles": _angles,
    "force": _force,
    "energy": _energy,
    "drift": _drift,
}
"""Kinds of pictures: each draws its lines, and returns the title and the label of its axis."""


def _kinds(motion: Motion) -> list[str]:
    """The kinds of pictures that the motion has."""
    return [kind for kind in KINDS if kind != "drift" or motion.summary["drift_velocity"] is not None]


@applied()
def images(motion: Motion) -> dict[str, tuple[str, bytes]]:
    """Every picture that the motion has, as PNG, by its kind."""
    from matplotlib import pyplot

    pictures = {}
    for kind in _kinds(motion):
        content, figure = io.BytesIO(), draw(motion, kind).figure
        assert isinstance(figure, Figure)  # `draw` makes its own
        figure.savefig(content, format="png")
        pyplot.close(figure)
        pictures[kind] = "png", content.getvalue()
    return pictures


@applied()
def animation(motion: Motion) -> bytes:
    """The arm as it moves, a GIF that takes as long as the motion: links, the way of the tip, the time."""
    from PIL import Image

    shown, arms = _arms(motion, FRAMES)
    space = _space(arms)
    frames: list[Image.Image] = []
    for k, arm in zip(shown.tolist(), arms, strict=True):
        for line in list(space.lines):
            line.remove()
        _draw_arm(space, arm, arms[: len(frames) + 1, -1])
        name = written(motion.description["problem"]["name"])
        space.set_title(f"{name}, {motion.time[k]:.2f} s", loc="left")
        picture = io.BytesIO()
        space.figure.savefig(picture, format="png")
        frames.append(Image.open(picture).convert("RGB"))
    palette = frames[-1].quantize(64)  # with one palette, what does not move is not written again
    frames = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    content = io.BytesIO()
    pause = max(int(1000 * motion.time[-1] / len(frames)), 20)
    frames[0].save(content, "GIF", save_all=True, append_images=frames[1:], duration=pause, loop=0)
    return content.getvalue()


def _arms(motion: Motion, most: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows of the motion, spread evenly, and the points of the arm in them (rows, n + 1, 3)."""
    rows = np.unique(np.linspace(0, len(motion.time) - 1, min(len(motion.time), most)).round().astype(int))
    return rows, np.array([points(motion.problem.chain, motion.q[k])[0] for k in rows])


def _space(arms: NDArray[np.float64]) -> Any:
    """Axes for arms, on a figure of their own."""
    space: Any = Figure(figsize=(6.0, 5.2), dpi=100).add_axes((0.0, 0.02, 0.9, 0.9), projection="3d")
    set_frame(space, arms.reshape(-1, 3))
    return space


def _draw_arm(space: Any, arm: NDArray[np.float64], way: NDArray[np.float64], opacity: float = 1.0) -> None:
    """Links in the colours of their processes, joints, and where the tip has been."""
    space.plot(*way.T, color=SERIES[1], linewidth=1.2)
    for ends, color in zip(pairwise(arm), ramp(len(arm) - 1), strict=True):
        space.plot(*np.array(ends).T, color=color, linewidth=5, solid_capstyle="round", alpha=opacity)
    space.plot(*arm[:-1].T, "o", color="white", markeredgecolor=INK, markersize=4, alpha=opacity)
    space.plot(*arm[-1:].T, "*", color=INK, markersize=10, alpha=opacity)
