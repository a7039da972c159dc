"""Figures that nobody could confirm: between which values they may lie, beside the one that counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from senn.machine.model.numbers import exact, in_file
from senn.machine.model.timing import FLOP_SETS
from senn.traces.errors import InputError


class Interval(NamedTuple):
    """low <= value <= high of one figure of a file, and the fields that it sets: several if it is `flop`."""

    low: Fraction
    value: Fraction
    high: Fraction
    fields: tuple[str, ...]

    def of(self, field: Fraction, to: Fraction) -> Fraction:
        """What a field that is so much at `value` is if the figure is `to`: in proportion."""
        return field * to / self.value if len(self.fields) > 1 else to


_PARTS = ("value", "low", "high")


def taken_apart(table: str, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Interval]]:
    """The fields of a table of a file as plain values, and the intervals of those that have one.

    An interval is written `startup = {value = 1000, low = 250, high = 2000}`.
    """
    plain_values = {name: _value(table, name, said) for name, said in given.items()}
    intervals = {
        name: _interval(f"[{table}] {name}", said, _fields(name, given))
        for name, said in given.items()
        if isinstance(said, Mapping)
    }
    return plain_values, intervals


def _value(table: str, name: str, said: Any) -> Any:
    if not isinstance(said, Mapping):
        return said
    if set(said) != set(_PARTS):
        raise InputError(f"[{table}] {name}: write a number, or {{value = ..., low = ..., high = ...}}")
    return said["value"]


def _interval(where: str, said: Mapping[str, Any], fields: tuple[str, ...]) -> Interval:
    value, low, high = (exact(said[part], f"{where}: {part}") for part in _PARTS)
    if low > value:
        raise InputError(f"{where}: low = {in_file(said['low'])} is above value = {in_file(said['value'])}")
    if high < value:
        raise InputError(f"{where}: high = {in_file(said['high'])} is below value = {in_file(said['value'])}")
    if len(fields) > 1 and not value:
        raise InputError(f"{where}: value = 0 stands for several times, which have no proportion then")
    return Interval(low, value, high, fields)


def _fields(name: str, given: Mapping[str, Any]) -> tuple[str, ...]:
    """A figure is its own field, but for flop: operations that the file gives no price of their own."""
    if name != "flop":
        return (name,)
    return tuple(one for one in (*FLOP_SETS, "trig") if one not in given)


_COMPUTING = (*FLOP_SETS, "trig", "flop")
_IN_SECONDS = "clock_mhz"
"""Turns cycles into seconds and decides nothing else."""


def corners(intervals: Mapping[str, Interval]) -> Iterator[dict[str, Fraction]]:
    """Figures moved to their bounds, by name, the others staying as they are; every one is another machine.

    Those of `together`, then one at a time.
    """
    figures = _deciding(intervals)
    single = ({name: to} for name, one in figures.items() for to in (one.low, one.high))
    return _moved((*together(intervals), *single), figures)


def together(intervals: Mapping[str, Interval]) -> Iterator[dict[str, Fraction]]:
    """The corners that move all figures which can be moved so: all high, all low; operations dear where
    communication is cheap, and the other way round."""
    figures = _deciding(intervals)
    low = {figure: one.low for figure, one in figures.items()}
    high = {figure: one.high for figure, one in figures.items()}
    dear = {figure: (high if figure in _COMPUTING else low)[figure] for figure in figures}
    cheap = {figure: (low if figure in _COMPUTING else high)[figure] for figure in figures}
    return _moved((high, low, dear, cheap), figures)


def _deciding(intervals: Mapping[str, Interval]) -> dict[str, Interval]:
    return {figure: one for figure, one in intervals.items() if figure != _IN_SECONDS}


def _moved(
    tried: Iterable[Mapping[str, Fraction]], figures: Mapping[str, Interval]
) -> Iterator[dict[str, Fraction]]:
    """Each once, without the figures that stay."""
    found: list[dict[str, Fraction]] = []
    for corner in tried:
        moved = {figure: to for figure, to in corner.items() if to != figures[figure].value}
        if moved and moved not in found:
            found.append(moved)
            yield moved
