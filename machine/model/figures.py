"""Figures of a machine: exact numbers, durations, intervals of unconfirmed figures, and units of arrays.

Numbers are integers or decimal strings in files and fractions here; none is ever rounded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from senn.base.errors import InputError
from senn.machine.network.topology import KINDS
from senn.traces.naming import OPERATIONS, USUAL

LARGEST = 10**12
"""The largest number of a machine. `machine.durations` bounds the cycles of a whole run before it starts."""
_LONGEST = 40  # characters of a decimal string


def exact(value: object, where: str) -> Fraction:
    """A number of a machine as a fraction, from an integer, a decimal string or a fraction; 0 to LARGEST."""
    if isinstance(value, float) and math.isfinite(value):
        decimal = format(Decimal(repr(value)), "f")
        raise InputError(f'{where} = {value}: write it as a string "{decimal}" so that it stays exact')
    if isinstance(value, str) and len(value) > _LONGEST:
        raise InputError(f"{where} has {len(value)} characters: write a number of at most {_LONGEST}")
    if isinstance(value, int) and value.bit_length() > 64:
        raise InputError(f"{where} has {value.bit_length()} bits: must not be larger than 10^12")
    integer = isinstance(value, int | Fraction) and not isinstance(value, bool)
    text = isinstance(value, str) and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value)
    if not (integer or text):
        raise InputError(f'{where} = {in_file(value)}: write an integer or a decimal string such as "0.5"')
    number = Fraction(str(value))
    if number < 0:
        raise InputError(f"{where} = {in_file(value)}: must not be negative")
    if number > LARGEST:
        raise InputError(f"{where} = {in_file(value)}: must not be larger than 10^12")
    return number


def plain(number: Fraction) -> int | str:
    """An integer, else the decimal fraction as text where it ends, else "p/q": never rounded."""
    if number.denominator == 1:
        return number.numerator
    digits = next((k for k in range(number.denominator.bit_length()) if 10**k % number.denominator == 0), 0)
    if digits == 0:
        return str(number)
    text = str(number.numerator * 10**digits // number.denominator).zfill(digits + 1)
    return f"{text[:-digits]}.{text[-digits:]}"


def in_file(value: object) -> str:
    """A value as it is written in a file."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


# ------------------------------------------------------------ durations

FLOP_SETS = ("multiply", "add", "divide")  # and trig, as TRIG_IN_FLOPS of them
TRIG_IN_FLOPS = 20
WHOLE = ("post", "receive")


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Cycles, exact: of one operation, of a message on a channel, and of the node's part in a message."""

    multiply: Fraction
    add: Fraction
    divide: Fraction
    trig: Fraction  # a sine or a cosine
    startup: Fraction  # alpha, for each channel crossed
    word: Fraction  # beta, for each 64-bit word and channel crossed
    hop: Fraction = Fraction(0)  # tau, for a head to pass a channel; only with cut-through switching
    post: int = 1  # compute engine busy for a send, whatever the number of messages
    receive: int = 0  # compute engine busy for a message taken by its first reader
    compare: Fraction | None = None  # a comparison, minimum, maximum, magnitude or sign; None: an addition
    root: Fraction | None = None  # a square root; None: a division

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self)):
            if getattr(self, name) is None and name in USUAL:
                continue
            number = exact(getattr(self, name), f"[timing] {name}")
            if name in WHOLE and number.denominator != 1:
                raise InputError(f'[timing] {name} = "{plain(number)}": write a whole number of cycles')
            object.__setattr__(self, name, int(number) if name in WHOLE else number)

    @property
    def own(self) -> tuple[str, ...]:
        """The operations that have a time of their own."""
        return tuple(name for name in OPERATIONS if getattr(self, name) is not None)

    @property
    def operations(self) -> tuple[Fraction, ...]:
        """Cycles of an operation of each kind, in the order of `Operations`."""
        separate = self.own
        return tuple(getattr(self, name if name in separate else USUAL[name]) for name in OPERATIONS)

    @cached_property
    def whole(self) -> tuple[int, ...]:
        """A denominator of all times of operations, start-ups and words, then their numerators: sums of whole
        numbers take a tenth of the time of sums of fractions."""
        return over_common(*self.operations, self.startup, self.word)


def over_common(*numbers: Fraction) -> tuple[int, ...]:
    """A common denominator, and the numerators over it."""
    denominator = math.lcm(*(number.denominator for number in numbers))
    return denominator, *(x.numerator * (denominator // x.denominator) for x in numbers)


def without_flop(timing: Mapping[str, Any]) -> dict[str, Any]:
    """The timing with `flop` written out for the operations that have no time of their own."""
    times = dict(timing)
    if "flop" not in times:
        return times
    flop = exact(times.pop("flop"), "[timing] flop")
    return {**dict.fromkeys(FLOP_SETS, flop), "trig": TRIG_IN_FLOPS * flop, **times}


# ------------------------------------------------------------ energies

_ALWAYS = ("multiply", "add", "divide", "trig", "word", "startup", "memory", "busy", "idle")
ENERGIES = (*_ALWAYS, *USUAL, *KINDS, "vertical")
"""Kinds of work that have an energy. Without their own, operations have that of another, wires `word`."""


def energies(table: Mapping[str, Any], base: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Picojoules by kind of work, in whole femtojoules: those of a table, else of `base`, else 0. Without a
    table those of `base`, which may be none."""
    if not table:
        return dict(base)
    energies = {name: exact(value, f"[energy] {name}") for name, value in table.items()}
    for name, figure in energies.items():
        if (1000 * figure).denominator != 1:
            raise InputError(f'[energy] {name} = "{plain(figure)}": write at most three decimals')
    return {**dict.fromkeys(_ALWAYS, Fraction(0)), **base, **energies}


# ------------------------------------------------------------ intervals of unconfirmed figures


class Interval(NamedTuple):
    """low <= value <= high of one figure of a file, and the fields that it sets: several if it is `flop`."""

    low: Fraction
    value: Fraction
    high: Fraction
    fields: tuple[str, ...]

    def of(self, field: Fraction, to: Fraction) -> Fraction:
        """The value of a field if the figure is `to`: scaled in proportion where it sets several."""
        return field * to / self.value if len(self.fields) > 1 else to


_PARTS = ("value", "low", "high")


def values_and_intervals(
    table: str, entries: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Interval]]:
    """The fields of a table of a file as plain values, and the intervals of those that have one.

    An interval is written `startup = {value = 1000, low = 250, high = 2000}`.
    """
    plain_values, intervals = dict(entries), {}
    for name, entry in entries.items():
        if not isinstance(entry, Mapping):
            continue
        where = f"[{table}] {name}"
        if set(entry) != set(_PARTS):
            raise InputError(f"{where}: write a number, or {{value = ..., low = ..., high = ...}}")
        value, low, high = (exact(entry[part], f"{where}: {part}") for part in _PARTS)
        plain_values[name], middle = entry["value"], f"value = {in_file(entry['value'])}"
        if low > value:
            raise InputError(f"{where}: low = {in_file(entry['low'])} is above {middle}")
        if high < value:
            raise InputError(f"{where}: high = {in_file(entry['high'])} is below {middle}")
        operations = tuple(
            x for x in (*FLOP_SETS, "trig") if x not in entries
        )  # without a price of their own
        figure_fields = operations if name == "flop" else (name,)
        if len(figure_fields) > 1 and not value:
            raise InputError(f"{where}: value = 0 stands for several times, which have no proportion then")
        intervals[name] = Interval(low, value, high, figure_fields)
    return plain_values, intervals
