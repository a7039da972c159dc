"""What takes how long: cycles of an operation, of a message on a channel, of the node's part in a message."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from senn.machine.model.numbers import exact, plain
from senn.traces.errors import InputError

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

    def __post_init__(self) -> None:
        for one in fields(self):
            number = exact(getattr(self, one.name), f"[timing] {one.name}")
            if one.name in WHOLE and number.denominator != 1:
                raise InputError(f'[timing] {one.name} = "{plain(number)}": write a whole number of cycles')
            object.__setattr__(self, one.name, int(number) if one.name in WHOLE else number)


def without_flop(timing: Mapping[str, Any]) -> dict[str, Any]:
    """The timing with `flop` written out for the operations that it does not give itself."""
    given = dict(timing)
    if "flop" not in given:
        return given
    flop = exact(given.pop("flop"), "[timing] flop")
    return {**dict.fromkeys(FLOP_SETS, flop), "trig": TRIG_IN_FLOPS * flop, **given}
