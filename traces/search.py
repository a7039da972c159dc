"""A picture of a search: the least makespan over the runs it took, above what is proved impossible."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from senn.traces.drawing import EXPOSED, INK, PHASES, axes, plain_frame


def search(
    history: Sequence[tuple[int, int]],
    runs: int,
    bounds: Mapping[str, int],
    ax: Axes | None = None,
    *,
    caption: str | None = None,
) -> Axes:
    """Steps down from (run, makespan) to (run, makespan) of ``history``, which begins with run 1.

    ``runs`` is how many there were in all; ``bounds`` are lower bounds in cycles by name, drawn as lines.
    Those that are equal share one.
    """
    ax = axes(ax, 7.2, 3.4)
    number, least = [run for run, _ in history], [makespan for _, makespan in history]
    ax.step([*number, max(runs, 2)], [*least, least[-1]], where="post", color=PHASES["I"], linewidth=1.6)
    ax.plot(number, least, "o", color=PHASES["I"], markersize=4)
    for run, makespan in (history[0], *([history[-1]] if len(history) > 1 else [])):
        ax.annotate(
            f"{makespan:,}",
            (run, makespan),
            xytext=(4, 5),
            textcoords="offset points",
            fontsize="small",
            color=INK,
        )
    for k, cycles in enumerate(sorted(set(bounds.values()))):
        names = ", ".join(name for name, at in bounds.items() if at == cycles)
        ax.axhline(cycles, color=EXPOSED, linewidth=1.0, linestyle=(0, (5, 3)))
        at = (0.99, 0.68, 0.37)[k % 3]  # bounds that are close have their names side by side
        text = ax.text(
            at, cycles, f"{names} {cycles:,}", ha="right", va="bottom", fontsize="small", color=EXPOSED
        )
        text.set_transform(ax.get_yaxis_transform())
    ax.set_xlim(1, max(runs, 2))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("runs")
    ax.yaxis.set_major_formatter(FuncFormatter(lambda cycles, _: f"{cycles:,.0f}"))
    ax.set_ylabel("least makespan (cycles)")
    plain_frame(ax)
    if caption:
        ax.set_title(caption, fontsize="medium", color=INK)
    return ax
