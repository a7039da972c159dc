"""Programs as text."""

from __future__ import annotations

from typing import Unpack

from senn.api import chosen as made
from senn.api.signature import taking
from senn.choices import ProgramChoices


@taking(ProgramChoices)
def listing(n: int = 8, *, step: str | None = None, **chosen: Unpack[ProgramChoices]) -> str:
    """The program as text, in the manner of Fijany VI.D; `step` ("I.b", "II.c.3") keeps a part of it.

    Of the residencies, "ahead" has a program of its own.
    """
    from senn.machine.program.listing import listing as text

    return text(made.program(chosen, n), step)
