"""What an arm was read from: kept with it, so that it can be read once more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Written:
    """The text of a robot, as it was before anything was made of it."""

    form: str
    """"urdf", "toml" (a robot file), or "words" (of a generator)."""
    text: str
    tip: str = ""
    """Of a URDF: the link of the end effector."""
    base: str = ""
    """Of a URDF: the link that does not move; empty: the root of the file."""
    stands: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Of a URDF: where joints stand that do not move, by name."""

    @property
    def said(self) -> str:
        """For a person: what was read."""
        return {"urdf": "the URDF", "toml": "the robot file", "words": f"'{self.text}'"}[self.form]
