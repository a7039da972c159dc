"""The picture that compares runs: lines over a number, grouped bars over words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import isfinite
from typing import Any, Literal

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, LogLocator, NullFormatter, NullLocator

from senn.base.errors import InputError
from senn.traces.pictures import style
from senn.traces.pictures.style import SERIES

_DASHES, _MARKERS, _HATCHES = ("-", "--", ":"), ("o", "s", "^"), ("", "////", "....")

_WIDE = 30
"""From this ratio of the largest to the smallest value on, an axis of y is logarithmic."""
_NUMBERED = 24
"""So many bars have their value written above them."""
_LETTERS = 75
"""So many stand beside each other along the axis of x."""


@style.applied()
def comparison(
    table: pl.DataFrame,
    x: str,
    y: str = "makespan",
    colour: Sequence[str] = (),
    ax: Axes | None = None,
    *,
    caption: str | None = None,
) -> Axes:
    """One score of many runs: lines over a number such as n, grouped bars over words such as a network.

    (Points instead of bars on a logarithmic axis, which has no zero for a bar to begin at.)

    ``table`` has a row per run and the columns x, y and those of ``colour``, whose combinations are the
    series. A run without a score (null) is a gap, and the caption counts them. The axis of x is log2 where
    its numbers are above 0 and span a factor of 8, the axis of y logarithmic where its values span a factor
    of 30. Cycles of different clocks are shown in microseconds. `InputError` as
    `senn.traces.pictures.comparison.arranged`, and for a y that holds no numbers.
    """
    columns = [name for name in table.columns if name in (x, *colour)]
    series = arranged(table.select(columns), x, colour)
    if y not in table.columns or not (table[y].dtype.is_numeric() or table[y].dtype == pl.Null):
        raise InputError(f"{y} is not a score: the picture needs a column of numbers")
    unit = "cycles" if y in _CYCLES or y.startswith("spent_") else ""
    if unit and {"makespan", "microseconds"} <= set(table.columns):
        clock = pl.col("makespan") / pl.col("microseconds")
        if table.select(clock.round(6).drop_nulls().n_unique()).item() > 1:
            table, unit = table.with_columns(pl.col(y) / clock), "us"
    heights = [float("nan") if value is None else float(value) for value in table[y].to_list()]
    places, values = positions(table[x].to_list()), table[x].to_list()
    ax = style.axes(ax, 9.0, 5.6)
    scores = [height for height in heights if height == height]
    lowest, highest = (min(scores), max(scores)) if scores else (0.0, 0.0)
    logarithmic = highest > _WIDE * lowest > 0
    over = numeric(values) and len(set(places)) > 1
    kind: _Kind = "lines" if over else "points" if logarithmic else "bars"
    entries = _marks(ax, series, colour, places, heights, kind)
    names = dict(sorted(zip(places, map(str, values), strict=True)))
    low, high = min(places), max(places)
    if over and 0 < 8 * low <= high:
        _binary_axis(ax, names)
    elif not over:  # the words below their places, aslant where they would touch
        words = [style.written(name, 40) for name in names.values()]
        ax.set_xticks(range(len(words)), words)
        if max(map(len, words)) * len(words) > 90:
            ax.tick_params(axis="x", labelrotation=30)
            for text in ax.get_xticklabels():
                text.set_horizontalalignment("right")
        ax.tick_params(axis="x", length=0)
    if logarithmic:
        ax.set_yscale("log")
        ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        ax.yaxis.set_minor_locator(NullLocator())
        ax.set_ylim(lowest / 1.6, highest * 1.6)
    else:
        ax.set_ylim(0, (highest or 1) * 1.08)
    ax.yaxis.set_major_formatter(style.plain_number)
    ax.set(xlabel=x, ylabel=f"{y.replace('_', ' ')}{f' ({unit})' if unit else ''}")
    ax.grid(axis="y")
    missing = len(heights) - len(scores)
    remarks = [caption] if caption else []
    remarks += [f"{missing} of {len(heights)} runs have no {y.replace('_', ' ')}"] if missing else []
    title = _finding(table, x, y, colour, " us" if unit == "us" else "", places if over else None)
    style.headed(ax, title, entries, "; ".join(remarks) or None, columns=4)
    return ax


_CYCLES = (
    *("makespan", "stall", "exposed_stall", "dependency_wait", "in_flight", "exposed", "hidden"),
    *("free_network", "blocking"),
)


def _finding(
    table: pl.DataFrame, x: str, y: str, colour: Sequence[str], unit: str, places: Sequence[float] | None
) -> str:
    """Which run has the least, and how many times as much the most has; over a number, at the last place."""
    scored, name, place, keys = table.drop_nulls(y), y.replace("_", " "), "", [x, *colour]
    if not scored.height:
        return f"No run has a {name}"
    if places is not None:
        at = pl.Series(places).filter(table[y].is_not_null())
        scored, keys = scored.filter(at == at.max()), list(colour)
        place = f" at {x} = {scored[x][0]}"
    scored = scored.sort(y, maintain_order=True)
    least, most = (label({key: scored[row, key] for key in keys}) for row in (0, -1))
    low, high = float(scored[0, y]), float(scored[-1, y])
    if scored.height == 1:
        return f"{name}{place}: {_number_text(low)}{unit}".capitalize()
    many = f"{high / low:.3g} times that" if low > 0 else f"{_number_text(high)}{unit}"
    return f"Least {name}{place}: {least}, {_number_text(low)}{unit}; most: {most}, {many}"


def _binary_axis(ax: Axes, names: dict[float, str]) -> None:
    """The axis of x in log2, with ticks at these places, powers of two first, as far as names have room."""
    ax.set_xscale("log", base=2)
    low, high = min(names), max(names)
    along = {place: float(np.log2(place / low) / np.log2(high / low)) for place in names}
    shown: list[float] = []
    for place in sorted(names, key=lambda place: (not np.log2(place).is_integer(), place)):
        room = ((len(names[place]) + len(names[other])) / 2 + 1 for other in shown)
        there = (abs(along[place] - along[other]) * _LETTERS for other in shown)
        if all(is_there >= needed for is_there, needed in zip(there, room, strict=True)):
            shown.append(place)
    ax.xaxis.set_major_locator(FixedLocator(sorted(shown)))
    ax.xaxis.set_major_formatter(lambda place, _: names.get(place, f"{place:g}"))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_minor_formatter(NullFormatter())


_Kind = Literal["lines", "points", "bars"]


def _marks(
    ax: Axes,
    series: Series,
    colour: Sequence[str],
    places: Sequence[float],
    heights: Sequence[float],
    kind: _Kind,
) -> list[Any]:
    """Lines, or bars beside each other with their values above, or points where the axis has no zero for a
    bar to begin at; and their legend entries."""
    ticks = {place: place if kind == "lines" else tick for tick, place in enumerate(sorted(set(places)))}
    width, entries = 0.8 / len(series), list[Any]()
    # A colour for each series, and which of three dashes, markers or hatches: where there are few enough
    # values, the last column of the key chooses the dash and the others the colour.
    first = list(dict.fromkeys(key[:-1] for key in series))
    last = list(dict.fromkeys(key[-1:] for key in series))
    looks = [(color, k) for k, color in product(range(len(_DASHES)), SERIES)][: len(series)]
    if 1 < len(first) <= len(SERIES) and len(last) <= len(_DASHES):
        looks = [(SERIES[first.index(key[:-1])], last.index(key[-1:])) for key in series]
    for number, (key, (color, k)) in enumerate(zip(series, looks, strict=True)):
        name = label(dict(zip(colour, key, strict=True)))
        offset = 0.0 if kind == "lines" else (number - (len(series) - 1) / 2) * width
        at = [ticks[places[row]] + offset for row in series[key]]
        values = [heights[row] for row in series[key]]
        look: dict[str, Any] = {"color": color, "linestyle": _DASHES[k], "marker": _MARKERS[k]}
        if kind == "bars":
            look = {"facecolor": color, "hatch": _HATCHES[k], "edgecolor": style.mixed(color, 0.6)}
            ax.bar(at, values, width=0.92 * width, linewidth=0, **look)
            entries.append(style.patch(name, **look))
        else:
            look |= {"linestyle": "none", "markersize": 7} if kind == "points" else {}
            ax.plot(at, values, **look)
            entries.append(Line2D([], [], label=name, **look))
        if kind != "lines" and len(heights) <= _NUMBERED:
            for place, value in zip(at, values, strict=True):
                text, height = (_number_text(value), value) if value == value else ("none", 0)
                style.note(ax, text, (place, height), (0, 5), ha="center")
    return entries if colour else []


def _number_text(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) or value >= 1000 else f"{value:.3g}"


# Runs as points: which of a table's rows stand beside each other, and which are one series.

MOST = 24
"""Most series that can be distinguished in one picture."""


Series = Mapping[tuple[Any, ...], Sequence[int]]
"""Rows that differ in x alone, as places in the table in rising order of x, by their values of `colour`."""


def arranged(table: pl.DataFrame, x: str, colour: Sequence[str]) -> Series:
    """The rows of a table as series, one for every combination of the columns `colour`, in order of rows.

    `InputError` where a column is missing, where two rows stand at the same place (they differ in something
    that is neither x nor colour; nothing is averaged), and where there are more than `MOST` series.
    """
    absent = [name for name in (x, *colour) if name not in table.columns]
    if absent:
        raise InputError(f"{absent[0]} is not a column; the columns are {', '.join(table.columns)}")
    members: dict[tuple[Any, ...], dict[Any, int]] = {}
    for index, row in enumerate(table.iter_rows(named=True)):
        here = members.setdefault(tuple(row[name] for name in colour), {})
        if row[x] in here:
            other = table.row(here[row[x]], named=True)
            apart = ", ".join(name for name in table.columns if row[name] != other[name])
            raise InputError(
                f"two runs stand at {x} = {row[x]} in one series: what sets them apart "
                f"{f'({apart}) ' if apart else ''}must be in colour, or one of it be chosen with where"
            )
        here[row[x]] = index
    if len(members) > MOST:
        raise InputError(f"{len(members)} series; at most {MOST} can be told apart, choose some with where")
    places = positions(table[x].to_list())
    return {key: sorted(rows.values(), key=places.__getitem__) for key, rows in members.items()}


def positions(values: Sequence[Any]) -> list[float]:
    """Where each value stands on the x axis: a number as itself, else its place in order of appearance."""
    if numeric(values):
        return [float(value) for value in values]
    order = {value: float(k) for k, value in enumerate(dict.fromkeys(values))}
    return [order[value] for value in values]


def numeric(values: Sequence[Any]) -> bool:
    """Whether all values are numbers, or texts that are ("0.5")."""
    return all(_is_number(value) for value in values)


def label(chosen: dict[str, Any]) -> str:
    """The columns that set a series apart, in words: texts as they are, other values with their name."""
    named = []
    for name, value in chosen.items():
        plain = str(value).lower() if isinstance(value, bool) else "as it is" if value is None else str(value)
        named.append(plain if isinstance(value, str) and not _is_number(value) else f"{name} {plain}")
    return ", ".join(named)


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or value is None:
        return False
    try:
        return isfinite(float(value))
    except ValueError:
        return False
