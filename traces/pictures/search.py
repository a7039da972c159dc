"""A picture of a search: the least makespan over the runs it took, above what is proved impossible."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from senn.traces.pictures.drawing import axes, headed, percent, plain_frame
from senn.traces.pictures.style import EXPOSED, INK, PHASES, SMALL, applied

LINE = 0.075
"""The height of a line of small letters, as a share of the axes."""


@applied()
def search(
    history: Sequence[tuple[int, int]],
    runs: int,
    bounds: Mapping[str, int],
    ax: Axes | None = None,
    *,
    caption: str | None = None,
) -> Axes:
    """Steps down from (run, makespan) to (run, makespan) of ``history``, which begins with run 1.

    ``runs`` is how many there were in all; ``bounds`` are lower bounds in cycles by name, drawn as lines
    with their names beside the axes. Those that are equal share one.
    """
    ax = axes(ax, 9.0, 4.6)
    number, least = [run for run, _ in history], [makespan for _, makespan in history]
    ax.step([*number, max(runs, 2)], [*least, least[-1]], where="post", color=PHASES["I"], linewidth=1.6)
    ax.plot(number, least, "o", color=PHASES["I"], markersize=4)
    for run, makespan in (history[0], *([history[-1]] if len(history) > 1 else [])):
        ax.annotate(
            f"{makespan:,}",
            (run, makespan),
            xytext=(4, 5),
            textcoords="offset points",
            fontsize=SMALL,
            color=INK,
        )
    levels = sorted(set(bounds.values()))
    for cycles in levels:
        ax.axhline(cycles, color=EXPOSED, linewidth=1.0, linestyle=(0, (5, 3)))
    ax.set_xlim(1, max(runs, 2))
    for cycles, height in zip(levels, _apart([_height(ax, cycles) for cycles in levels]), strict=True):
        names = ", ".join(name for name, at in bounds.items() if at == cycles)
        ax.annotate(
            f"{names} {cycles:,}",
            (1, cycles),
            xycoords=ax.get_yaxis_transform(),
            xytext=(1.05, height),
            textcoords="axes fraction",
            va="center",
            fontsize=SMALL,
            color=EXPOSED,
            arrowprops={
                "arrowstyle": "-",
                "color": EXPOSED,
                "linewidth": 0.6,
                "relpos": (0, 0.5),
                "shrinkA": 0,
                "shrinkB": 0,
            },
            annotation_clip=False,
        )
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("runs")
    ax.yaxis.set_major_formatter(FuncFormatter(lambda cycles, _: f"{cycles:,.0f}"))
    ax.set_ylabel("least makespan (cycles)")
    plain_frame(ax)
    saved = f", {percent(1 - least[-1] / least[0])} fewer than at first" if least[-1] < least[0] else ""
    proved = f"; fewer than {levels[-1]:,} are impossible" if levels else ""
    headed(ax, f"{least[-1]:,} cycles found{saved}{proved}", [], caption)
    return ax


def _height(ax: Axes, cycles: int) -> float:
    """Where a number of cycles is, as a share of the axes' height."""
    low, high = ax.get_ylim()
    return (cycles - low) / (high - low)


def _apart(heights: Sequence[float]) -> list[float]:
    """Ascending heights of names, each moved up, or where the top is reached down, until none touches."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + LINE) if placed else height)
    ceiling = 1.0
    for k in reversed(range(len(placed))):
        placed[k] = min(placed[k], ceiling)
        ceiling = placed[k] - LINE
    return placed
