"""The machine of a description, as `Machine.describe` writes it into run.json."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from senn.machine.model.machine import FIELDS, Machine
from senn.machine.model.timing import Timing
from senn.traces.errors import InputError


def of_description(said: Mapping[str, Any]) -> Machine:
    """The machine of which this is the description; InputError names a field that it lacks.

    What else an engine says of the machine of a run, its arrays, is left aside.

    >>> from senn.machine.model import load
    >>> of_description(load("mark3").describe()) == load("mark3")
    True
    """
    timing = [name for name in FIELDS["timing"] if name != "flop"]
    if missing := [name for name in (*FIELDS["machine"], *timing) if name not in said]:
        raise InputError(f"run.json says no {missing[0]} of its machine: make the run again")
    given = {name: _number(said[name]) for name in timing}
    rest = {name: said[name] for name in FIELDS["machine"] if name != "clock_mhz"}
    return Machine(clock_mhz=_number(said["clock_mhz"]), timing=Timing(**given), **rest)


def _number(said: Any) -> Any:
    """A fraction that is no decimal is written p/q."""
    if isinstance(said, str) and said.count("/") == 1:
        above, _, below = said.partition("/")
        if above.isdecimal() and below.isdecimal() and len(said) <= _LONGEST and int(below):
            return Fraction(int(above), int(below))
    return said


_LONGEST = 40
