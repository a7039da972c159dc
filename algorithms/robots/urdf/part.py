"""Which part of a robot is the arm: between which links, what is locked, and where joints stand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from numbers import Real
from types import MappingProxyType

from senn.traces.errors import InputError

Standing = Mapping[str, tuple[float, ...]]
"""By the name of a joint its coordinates, as many as its type has: rad or m, quaternions w x y z."""


@dataclass(frozen=True)
class Part:
    """What is taken of a robot; make it with `Part.of` from what a user gives."""

    tip: str | None = None
    """The link whose frame is the end effector's; None: the only link at the end of a chain."""
    base: str | None = None
    """The link that does not move; None: the root of the file."""
    lock: tuple[str, ...] = ()
    """Regular expressions for whole names of joints: those do not move."""
    at: Standing = field(default_factory=lambda: MappingProxyType({}))
    """Where joints stand, be they locked or not."""

    @classmethod
    def of(
        cls,
        tip: str | None = None,
        base: str | None = None,
        lock: str | Sequence[str] | None = None,
        at: Mapping[str, float | Sequence[float]] | Sequence[str] | str | None = None,
    ) -> Part:
        """From what a user writes.

        `lock` is a pattern or several; `at` a mapping from joints to a number, or to several of a joint of
        several coordinates, or texts "JOINT=VALUE". One text may hold several of those, parted by commas;
        the numbers of one joint are parted by spaces. `InputError` says what is wrong.
        """
        patterns = (lock,) if isinstance(lock, str) else tuple(lock or ())
        for pattern in patterns:
            _refuse_pattern(pattern)
        return cls(tip, base, patterns, MappingProxyType(_standing(at)))

    def locks(self, joint: str) -> bool:
        """Whether the joint of this name is locked."""
        return any(re.fullmatch(pattern, joint) for pattern in self.lock)

    @property
    def given(self) -> tuple[str, ...]:
        """What was asked for, by name."""
        return tuple(name for name in ("tip", "base", "lock", "at") if getattr(self, name))


WHOLE = Part()
"""Nothing chosen."""


def _refuse_pattern(pattern: object) -> None:
    if not isinstance(pattern, str):
        raise InputError(f"lock: {pattern!r} is no text; write the name of a joint, or a pattern for names")
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise InputError(
            f'lock: "{pattern}" is no regular expression ({error}); write a joint\'s name, or a pattern such '
            'as "left_.*"'
        ) from None


def _standing(
    at: Mapping[str, float | Sequence[float]] | Sequence[str] | str | None,
) -> dict[str, tuple[float, ...]]:
    if isinstance(at, Mapping):
        return {name: _values(name, value) for name, value in at.items()}
    found: dict[str, tuple[float, ...]] = {}
    for text in (at,) if isinstance(at, str) else at or ():
        for one in str(text).split(","):
            name, value = _said(one)
            if name in found:
                raise InputError(f'at: joint "{name}" is given twice; drop one')
            found[name] = value
    return found


def _said(text: str) -> tuple[str, tuple[float, ...]]:
    name, equals, value = (one.strip() for one in text.rpartition("="))
    try:
        numbers = [float(word) for word in value.split()]
    except ValueError:
        numbers = []
    if not (name and equals and numbers):
        raise InputError(
            f'at: "{text.strip()}" is not JOINT=VALUE; write a number of rad or m, as elbow=0.5, or all '
            'numbers of the joint, as "root=1 0 0 0 0 0 0.5"'
        )
    return name, _values(name, numbers)


def _values(name: object, value: object) -> tuple[float, ...]:
    numbers = value if isinstance(value, Sequence) and not isinstance(value, str) else (value,)
    for one in numbers:
        if not isinstance(one, Real) or isinstance(one, bool) or not isfinite(one):
            raise InputError(f'at: joint "{name}" stands at {one!r}; write a finite number of rad or m')
    return tuple(map(float, numbers))
