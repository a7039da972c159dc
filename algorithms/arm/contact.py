"""Contact and variant of a program: values that process N holds, and words of run.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from senn.algorithms.problems.contacts import ContactShape
from senn.machine.program import Value


def contact_values(contact: ContactShape) -> dict[str, Value]:
    """Constants of a contact of this shape, frame N+1, by letter; process N holds them."""
    c, f = contact.constrained, contact.free
    if contact.kind == "general":
        shapes: dict[str, tuple[int, ...]] = {"M1": (6, 6), "k1": (6,), "M2": (6, 6), "k2": (6,)}
    else:
        shapes = {"W": (6, c), "G_C": (c,)} if c else {}
        shapes |= {"H": (6, f)} if f else {}
        shapes |= {"phi_C": (f, c), "d": (f,)} if contact.kind == "II" else {"K_F": (f,)} if f else {}
    return {letter: Value(letter, None, shape) for letter, shape in shapes.items()}


_ABSENT: Mapping[str, Any] = {"form": "", "refine": 0, "contact": 0, "contact_kind": "I"} | {
    "strategy": 0,
    "elimination": "",
    "motion": "",
    "ahead": False,
}


def about(contact: ContactShape, **variant: Any) -> dict[str, Any]:
    """The variant of a program, for run.json; an empty entry does not exist for the program."""
    return {**_ABSENT, **variant, "contact": contact.constrained, "contact_kind": contact.kind}
