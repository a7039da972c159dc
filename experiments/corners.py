"""Corners of a machine: figures that are not known exactly, moved to the bounds of their intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from senn.machine.model import Interval

_COMPUTING = ("multiply", "add", "divide", "trig", "flop")


def corners(intervals: Mapping[str, Interval]) -> Iterator[dict[str, Fraction]]:
    """Figures moved to their bounds, by name; the others keep their values. Each mapping is another machine.

    First the corners of `together`, then one figure at a time.
    """
    figures = _deciding(intervals)
    single = ({name: to} for name, interval in figures.items() for to in (interval.low, interval.high))
    return _moved((*together(intervals), *single), figures)


def together(intervals: Mapping[str, Interval]) -> Iterator[dict[str, Fraction]]:
    """The corners that move all figures which can be moved so: all high, all low; operations
    expensive and communication cheap, and the other way round."""
    figures = _deciding(intervals)
    low, high = ({name: getattr(x, end) for name, x in figures.items()} for end in ("low", "high"))
    expensive = {name: (high if name in _COMPUTING else low)[name] for name in figures}
    cheap = {name: (low if name in _COMPUTING else high)[name] for name in figures}
    return _moved((high, low, expensive, cheap), figures)


def _deciding(intervals: Mapping[str, Interval]) -> dict[str, Interval]:
    """Without the clock, which turns cycles into seconds and decides nothing else."""
    return {name: interval for name, interval in intervals.items() if name != "clock_mhz"}


def _moved(
    tried: Iterable[Mapping[str, Fraction]], figures: Mapping[str, Interval]
) -> Iterator[dict[str, Fraction]]:
    """The distinct corners, without the figures that keep their values."""
    yielded: list[dict[str, Fraction]] = []
    for corner in tried:
        moved = {name: to for name, to in corner.items() if to != figures[name].value}
        if moved and moved not in yielded:
            yielded.append(moved)
            yield moved
