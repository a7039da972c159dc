"""What an arm was read from: kept with it, so that it can be read once more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Written:
    """The text of a robot, before anything was made of it; and of a URDF, which part was asked for."""

    form: str
    """"urdf", "toml" (a robot file), or "words" (of a generator)."""
    text: str | bytes
    tip: str = ""
    """The link of the end effector."""
    base: str = ""
    """The link that does not move."""
    lock: tuple[str, ...] = ()
    """Regular expressions for whole names of joints: those do not move."""
    at: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Where joints stand, by name; of interest here where they do not move."""

    @property
    def said(self) -> str:
        """For a person: what was read."""
        return {"urdf": "the URDF", "toml": "the robot file", "words": f"the words {self.text!r}"}[self.form]
