"""The picture of docs/joints.md: what joints of several degrees of freedom do to the makespan."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, StrMethodFormatter
from measure_joints import MACHINES, arms, timed

N = 8
INK, LEAN, WIDE = "#333333", "#9A9A9A", "#0072B2"


def costs() -> Figure:
    """Bars of the makespan, a panel for each machine; the line is the arm with revolute joints only."""
    figure, axes = plt.subplots(1, len(MACHINES), figsize=(10.4, 3.4), layout="constrained", sharey=True)
    for ax, machine in zip(axes, MACHINES, strict=True):
        _bars(ax, machine)
    axes[0].set_yticks(range(len(arms(N))), list(arms(N)))
    axes[0].invert_yaxis()
    return figure


def _bars(ax: Axes, machine: str) -> None:
    spans = [timed(joints, machine).summary["makespan"] for joints in arms(N).values()]
    for k, (joints, span) in enumerate(zip(arms(N).values(), spans, strict=True)):
        lean = set(joints) <= {"revolute", "prismatic"}
        ax.barh(k, span, color=LEAN if lean else WIDE, height=0.72)
        more = f" {span / spans[0] - 1.0:+.0%}" if k else ""
        ax.text(span + 0.01 * max(spans), k, f"{span:,}{more}", va="center", fontsize="small", color=INK)
    ax.axvline(spans[0], color=INK, linewidth=0.8, linestyle=":")
    ax.set_xlim(0, 1.3 * max(spans))
    ax.set_title(f"n = {N}, form short, migrating, {machine}", fontsize="medium", loc="left")
    ax.set_xlabel("makespan (cycles)")
    ax.xaxis.set_major_locator(MaxNLocator(4))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
