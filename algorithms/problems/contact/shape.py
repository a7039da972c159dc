"""The structure of a contact: what its program depends on, and its numbers do not change."""

from __future__ import annotations

from dataclasses import dataclass

from senn.traces.errors import InputError


@dataclass(frozen=True)
class ContactShape:
    """What a program has to know of a contact: structure, no numbers."""

    kind: str = "I"
    """"I" (also no contact: nothing constrained), "II" or "general"."""
    constrained: int = 6
    """n_c, 0..6; the six unknowns of a general contact count as 6."""

    def __post_init__(self) -> None:
        if self.kind not in ("I", "II", "general"):
            raise InputError(f'contact of kind "{self.kind}": a program is made for I, II and general')
        if not 0 <= self.constrained <= 6:
            raise InputError(f"contact = {self.constrained}: the number of constrained directions is 0..6")
        if self.kind == "II" and self.constrained in (0, 6):
            raise InputError(
                f"contact of kind II, {self.constrained} constrained directions: phi is empty; take kind I"
            )
        if self.kind == "general" and self.constrained != 6:
            raise InputError(f"contact of kind general: it has 6 unknowns, not {self.constrained}")

    @staticmethod
    def of(contact: int | ContactShape) -> ContactShape:
        """A shape as it is; a number n_c means Type I."""
        return contact if isinstance(contact, ContactShape) else ContactShape("I", contact)

    @property
    def free(self) -> int:
        """n_f = 6 - n_c."""
        return 6 - self.constrained
