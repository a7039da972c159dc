"""Rounding errors that were printed once, and those measured now, perhaps on another processor.

Along the worst direction of an ill-conditioned problem an error is a random number times a constant, so two
processors make two draws of it. For normal ones the logarithm of their quotient spreads by pi/2, which is
0.68 decades; printed and measured to the nearest power of ten, 0.8. A single quotient is beyond ten once in
eight times and beyond a thousand once in 800, whatever is right; the mean of many says much more.
"""

from collections.abc import Iterable

import numpy as np

SPREAD = 0.8
"""Of a logarithm to base 10."""
SINGLE = 3.5
"""Decades: errors are vectors, and even a normal number alone is off by so much once in 2,500 times."""


def same_orders(found: Iterable[float], printed: Iterable[float], draws: int) -> None:
    """Each is of the order printed, and so, four times as sharply as chance allows, is their mean: `draws` is
    how many of them do not move together."""
    decades = [np.log10(x / y) for x, y in zip(found, printed, strict=True)]
    assert len(decades) >= draws > 0
    assert max(map(abs, decades)) < SINGLE
    assert abs(np.mean(decades)) < 4.0 * SPREAD / np.sqrt(draws)
