"""The numbers of a machine, exact: integers or decimal strings that become fractions, and back as text."""

import math
import re
from decimal import Decimal
from fractions import Fraction

from senn.traces.errors import InputError

LARGEST = 10**12
"""The largest number of a machine. What it comes to in a run is looked at before it (`machine.durations`)."""
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
