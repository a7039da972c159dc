"""Waveforms of Icarus Verilog below the timeline of the same cycles, seconds: registers.md."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import senn
from senn.traces.run import Run

Wave = list[tuple[int, int]]
"""Cycle from which a signal has a value, and the value."""
FIRST, LAST = 1900, 2220
COUNTER = "bench.machine.units[0].nodes[{}].node.outward[{}].channel.remaining"
PC, DURATION = (f"bench.machine.units[0].control.{name}" for name in ("pc", "duration"))
PULSE = (0, 1, 1, 0)
NODES, CHANNELS = 4, 3
"""Of an array, and outgoing ones of a node."""


def waves(vcd: Path, *names: str) -> dict[str, Wave]:
    """Signals by their path; an edge of the clock and what follows it are the cycle that it begins."""
    codes: dict[str, list[str]] = {}
    found: dict[str, Wave] = {name: [(0, 0)] for name in names}
    scope: list[str] = []
    cycle = 0
    with vcd.open() as lines:
        for line in lines:
            if line.startswith("#"):
                cycle = int(line[1:]) // 2
            elif line.startswith("$"):
                match line.split():
                    case ["$scope", _, name, *_]:
                        scope.append(name)
                    case ["$upscope", *_]:
                        scope.pop()
                    case ["$var", _, _, code, name, *_] if (path := ".".join([*scope, name])) in found:
                        codes.setdefault(code, []).append(path)
            else:
                digits, code = line[1:].split() if line[0] == "b" else (line[0], line[1:].strip())
                for path in codes.get(code, ()):
                    value = int(digits, 2) if digits.strip("01") == "" else 0
                    if found[path][-1][0] == cycle:
                        found[path].pop()
                    found[path].append((cycle, value))
    return found


def intervals(wave: Wave) -> Iterator[tuple[int, int]]:
    """Cycles, from and to, in which a counter goes down to 0; where it starts anew another begins."""
    start = last = 0
    for cycle, value in wave:
        if last and (value == 0 or value >= last):
            yield start, cycle
        if value > last or value == last:
            start = cycle
        last = value


def counters(run: Run) -> dict[str, Wave]:
    """Of array 1, by path: program counter, cycles that its instruction lasts, and those of channels."""
    paths = [COUNTER.format(node, channel) for node in range(NODES) for channel in range(CHANNELS)]
    build = "iverilog -g2012 -s bench -o machine.vvp sizes.sv [a-r]*.sv && vvp -n machine.vvp +waves"
    with tempfile.TemporaryDirectory() as place:
        folder = run.export(Path(place) / "machine.verilog")
        subprocess.run(build, shell=True, cwd=folder, check=True, capture_output=True)
        return waves(folder / "waves.vcd", PC, DURATION, *paths)


def figure() -> Figure:
    """Below the timeline, counters of array 1, drawn from the registers alone."""
    run = senn.run("random:4", residency="home")
    found = counters(run)
    pc, duration = found.pop(PC), found.pop(DURATION)
    rows = {
        path: wave for path, wave in found.items() if any(value for x, value in wave if FIRST <= x < LAST)
    }
    drawn, (above, below) = pyplot.subplots(
        2, 1, figsize=(11, 8), height_ratios=(3, 2), sharex=True, layout="constrained"
    )
    run.plot("timeline", above, start=FIRST, stop=LAST)
    above.set_xlabel("")
    names = ["control unit", *(" channel ".join(re.findall(r"(?:nodes|outward)\[(\d+)", x)) for x in rows)]
    below.set_yticks(range(len(names)), [names[0], *(f"node {name}" for name in names[1:])])
    below.set(xlim=(FIRST, LAST), ylim=(len(names) - 0.4, -0.6), xlabel="time (cycles)")
    below.set_title("registers of array 1 in Icarus Verilog: counters that are not 0", loc="left", fontsize=9)
    steps = dict(run.trace.instructions.filter(array=1).select("serial", "step").rows())
    for start, end in intervals(duration):
        issued = next(value for cycle, value in reversed(pc) if cycle <= start + 1) - 1
        _frame(below, start, end, steps[issued])
    for row, wave in enumerate(rows.values(), 1):
        pulses = [
            (x, y)
            for start, end in intervals(wave)
            for x, y in zip((start, start, end, end), PULSE, strict=True)
        ]
        xs, ys = zip((0, 0), *pulses, (max(LAST, wave[-1][0]), 0), strict=True)
        below.plot(xs, [row + 0.3 - 0.6 * y for y in ys], color="C2", linewidth=1)
    return drawn


def _frame(ax: Axes, start: int, end: int, step: str) -> None:
    """A value of the bus at the top, as waveforms are drawn, and its name where there is room."""
    slope = min(1.5, (end - start) / 2)
    xs = [start, start + slope, end - slope, end, end - slope, start + slope, start]
    ax.plot(xs, [0, -0.3, -0.3, 0, 0.3, 0.3, 0], color="C0", linewidth=1)
    if min(end, LAST) - max(start, FIRST) > 12:
        middle = (max(start, FIRST) + min(end, LAST)) / 2
        ax.text(middle, 0, step, ha="center", va="center", fontsize=8, clip_on=True)


FIGURES = {"waves": figure}
