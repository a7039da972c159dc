"""What process N holds of the contact."""

from __future__ import annotations

from senn.algorithms.problems.contacts import ContactShape
from senn.machine.program import Value


def given(contact: ContactShape) -> dict[str, Value]:
    """What is given of a contact of this shape, frame N+1, by letter; process N holds it."""
    c, f = contact.constrained, contact.free
    if contact.kind == "general":
        shapes: dict[str, tuple[int, ...]] = {"M1": (6, 6), "k1": (6,), "M2": (6, 6), "k2": (6,)}
    else:
        shapes = {"W": (6, c), "G_C": (c,)} if c else {}
        shapes |= {"H": (6, f)} if f else {}
        shapes |= {"phi": (f, c), "d": (f,)} if contact.kind == "II" else {"K_F": (f,)} if f else {}
    return {letter: Value(letter, None, shape) for letter, shape in shapes.items()}
