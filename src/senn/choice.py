"""What is known of one thing that a user can choose: the right half of a row of `senn.choices`."""

from dataclasses import dataclass
from typing import Any, Literal, get_origin

from senn.traces.errors import InputError

Scalar = str | int | bool
"""What can be written on a command line and in the file of a study."""

GROUPS = ("problem", "program", "machine", "output", "checks")
"""In which the help of a command has its options."""


@dataclass(frozen=True)
class Choice:
    """One thing that a user can choose. Name and kind are those of its row."""

    default: Scalar | None
    help: str
    """For a person, in a sentence or two; the values need no list of their own."""
    metavar: str | None = None
    """What stands for the value on the page of a command."""
    values: tuple[Scalar, ...] = ()
    """All there are; none: whatever its kind allows. Those of a Literal need not be written."""
    least: int | None = None
    most: int | None = None
    """Of a whole number; a command refuses others."""
    told: str | None = None
    """Where in run.json it stands, "program.form"; None: nowhere."""
    printed: bool = False
    """Whether `senn run --json` prints it."""
    studied: bool = True
    """Whether it is a parameter of a study."""
    group: str = ""
    """Of GROUPS, where the help of a command has it; nothing: that of its table."""
    several: bool = False
    """Whether a command takes it more than once."""
    name: str = ""
    kind: Any = None
    """The type that its row has: of the values, or of what only Python can give."""

    def check(self, value: object) -> None:
        """`InputError` for a word that is not one of its Literal's; programs refuse numbers, and say why."""
        if get_origin(self.kind) is Literal and isinstance(self.default, str) and value not in self.values:
            raise InputError(f'{self.name} "{value}" is not one of {", ".join(map(str, self.values))}')
