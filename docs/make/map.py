"""The table and the picture of map.md, about three minutes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from matplotlib import pyplot
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from docs.make.best import PROGRAMS, SERIAL, Best, best
from docs.make.page import Figures, Tables, head, row
from senn.machine import model
from senn.traces.pictures import style

SIZES = (4, 8, 16, 32, 64, 128)
COLORS = dict(
    zip((*PROGRAMS, SERIAL), (*(look[0] for look in style.LOOKS[: len(PROGRAMS)]), style.OTHER), strict=True)
)


@cache
def found(sizes: tuple[int, ...]) -> list[Best]:
    """All presets of the paper's network."""
    return best(model.presets("senn"), sizes)


def winners(sizes: tuple[int, ...] = SIZES) -> Iterator[str]:
    """A row for each machine and n."""
    yield from head("machine", "n", "quickest", "cycles", "next", "behind by", "depends on")
    for one in sorted(found(sizes), key=lambda one: one.machine):
        second = sorted(one.times, key=lambda name: one.times[name])[1]
        cycles = f"{one.times[one.winner]:,}"
        yield row(
            f"`{one.machine}`",
            one.n,
            _named(one),
            cycles,
            second,
            f"{one.ahead - 1:.0%}",
            _hangs_on(one) or "-",
        )


def _named(one: Best) -> str:
    where = one.residency.get(one.winner)
    return f"{one.winner}, {where}" if where else one.winner


def _hangs_on(one: Best) -> str:
    """Corners of one figure if there are any, else the first of several."""
    alone = [corner for corner in one.otherwise if ", " not in corner]
    chosen = alone or list(one.otherwise)[:1]
    return "; ".join(f"{corner}: {one.otherwise[corner]}" for corner in chosen)


def drawn() -> Figure:
    """Machines over n, a colour for each winner, hatched where it depends on an unverified value."""
    machines = model.presets("senn")
    figure = pyplot.figure(figsize=(11.0, 0.62 * len(machines) + 1.9), layout="constrained")
    ax = figure.subplots()
    for one in found(SIZES):
        x, y = SIZES.index(one.n), machines.index(one.machine)
        color = style.mixed(COLORS[one.winner], 0.45)
        hatch = "////" if one.otherwise else None
        ax.add_patch(Rectangle((x, y), 1, 1, facecolor=color, edgecolor="white", linewidth=2, hatch=hatch))
        text = f"{one.winner}\n+{one.ahead - 1:.0%}"
        box = {"facecolor": color, "edgecolor": "none", "pad": 1.5}
        ax.text(
            x + 0.5, y + 0.5, text, ha="center", va="center", fontsize=style.SMALL, color=style.INK, bbox=box
        )
    ax.set_xlim(0, len(SIZES))
    ax.set_ylim(len(machines), 0)
    ax.set_xticks([k + 0.5 for k in range(len(SIZES))], [str(n) for n in SIZES])
    ax.set_yticks([k + 0.5 for k in range(len(machines))], machines)
    ax.set_xlabel("n, joints")
    style.plain_frame(ax)
    robust = sum(not one.otherwise for one in found(SIZES))
    won = [one.winner for one in found(SIZES)]
    entries = [
        style.patch(name, facecolor=style.mixed(color, 0.45)) for name, color in COLORS.items() if name in won
    ]
    entries.append(style.patch("depends on an unverified value", facecolor="white", hatch="////"))
    style.headed(ax, f"The winner is the same at all corners in {robust} of {len(won)} cells", entries)
    return figure


DATA: Tables = {"winners": winners}
FIGURES: Figures = {"map": drawn}
