"""What is said of a figure beside its tolerance."""

WITHIN, OUTSIDE, SILENT = "within", "outside", "says nothing"
"""Verdicts: rounding explains the figure; it does not; it would explain so much that nothing is said."""

NOTHING_FROM = 0.1
"""A tolerance from here on says nothing: it would not vouch for one digit."""


def verdict(value: float, tolerance: float) -> str:
    """On one figure; NaN is outside."""
    if not value <= tolerance:
        return OUTSIDE
    return SILENT if tolerance >= NOTHING_FROM else WITHIN
