"""Costs of serial solutions, as formulas in n: operations on one node, for revolute joints.

The cheapest forms known, written in scalars (`tests/oracles/economical`) and executed on counting scalars
once, with the tip held in six directions; and the serial algorithm of Fijany V, from the operations that the
kernels declare.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from senn.algorithms.kernels import system
from senn.algorithms.programs import variants
from senn.machine.program import Operations, interior

Cost = Callable[[int], Operations]
BIAS = Operations(94, 81)
"""Newton-Euler for b and Jdot Q, per link; sines and cosines are charged elsewhere."""


def polynomials(*kinds: tuple[int, ...], over: int = 1) -> Cost:
    """Operations, a polynomial in n for each kind: its coefficients from n^0 on, to be divided by `over`."""
    return lambda n: Operations(*(sum(c * n**k for k, c in enumerate(kind)) // over for kind in kinds))


open_chain = polynomials((-152, 231), (-166, 223), (0, 1), (0, 2))
"""The open chain by articulated bodies, n >= 2."""
CLOSED: dict[str, Cost] = {
    "mass matrix": polynomials((2424, 1340, 45, 1), (1860, 1142, 39, 1), (36, 6), (0, 12), over=6),
    "articulated bodies": polynomials((264, 396), (187, 370), (6, 1), (0, 2)),
    "PV": polynomials((-42, 416), (-73, 350), (6, 1), (0, 2)),
    "PV-early": polynomials((1290, 239), (905, 227), (6, 1), (0, 2)),
    "outward": polynomials((848, 219), (553, 208), (4, 1), (0, 2)),
    "null space": polynomials((-3870, 1631, 24, 1), (-3912, 1475, 18, 1), (0, 6), (0, 12), over=6),
}
"""The serial solutions of the closed chain by name, exact from n = 7 on.

Six joints must be able to move in the six directions of the contact (PV-early solves it behind the last six,
the null space has these depend on the others), or in the five that joint 1 forbids (outward solves the base
behind them).
"""
WITH_INVERSE: dict[str, Cost] = {
    **{name: CLOSED[name] for name in ("mass matrix", "articulated bodies", "PV")},
    "outward": polynomials((968, 219), (643, 208), (10, 1), (0, 2)),
}
"""Those that have Lambda^-1 as well; the others solve the contact before they know the whole arm."""
_FROM = {"outward": 6, "null space": 7}
"""Number of joints from which on a solution exists, where that is not one."""


def closed(n: int, *, inverse: bool = False) -> dict[str, Operations]:
    """Operations of the solutions of the closed chain that n joints have; with Lambda^-1 if `inverse`."""
    table = WITH_INVERSE if inverse else CLOSED
    return {name: count(n) for name, count in table.items() if n >= _FROM.get(name, 1)}


_HUNG = (
    polynomials((-55, 82), (-58, 67), (0,), (0, 2)),
    polynomials((963, 112), (639, 123), (10, 1)),
    polynomials((96, 25), (92, 18)),
)
_BLOCK = (
    polynomials((-30, 32), (-21, 17)),
    polynomials((-166, 258), (-182, 210), (0, 1)),
    polynomials((-20, 114), (-21, 97)),
    polynomials((-4, 31), (-4, 24)),
)


def hung(n: int) -> tuple[Operations, ...]:
    """Passes of n links on the base: motion of the outer end; its C and b; accelerations. n >= 6."""
    return tuple(cost(n) for cost in _HUNG)


def block(n: int) -> tuple[Operations, ...]:
    """Sines and cosines of a block of links, and its passes: motion; A, J and C; b and eta; accelerations."""
    moving, port, *driven = (cost(n) for cost in _BLOCK)
    if n == 1:
        moving, port = Operations(6), Operations(116, 60, 1)
    return Operations(trig=2 * n), moving, port, *driven


@cache
def constraint_forces(applications: int, columns: int = 0, tips: int = 0) -> Operations:
    """Fijany V per link of a long chain: the blocks of A, their LDL', and the solutions asked for.

    `applications` of M^-1, `columns` of right-hand sides as Eq. (84) has them, and `tips`: applications to a
    force at the tip, whose forward elimination is nothing. With Newton-Euler once.
    """
    packed, square, vector = (15,), (5, 5), (5,)  # shapes in the system A phi = psi
    factor = system.ldl.cost(packed) + system.solve.cost(packed, square)
    matrix = factor + system.transposed_product.cost(square, square) + Operations(add=15)
    sweep = system.transposed_times.cost(square, vector) + Operations(add=5)
    back = sweep + system.solve.cost(packed, vector)
    solved = (back + sweep).times(applications + columns) + back.times(tips)
    accelerations = _steps("II.c.5", "II.c.6", "II.c.7")
    around = (_steps("II.b.4", "II.b.5") + accelerations).times(applications) + accelerations.times(tips)
    turn = _steps("II.a.1")  # C(i,i+1), which the operators need; its sine and cosine are those of I.a
    return BIAS + _steps("I.a") + Operations(turn.multiply, turn.add) + matrix + solved + around


def _steps(*starts: str) -> Operations:
    """Operations of an interior process in these steps of the program; I.a.4'' is process N's alone."""
    lines = (line for stream in variants.closed_chain(8).streams for line in stream)
    return interior((line for line in lines if line.step != "I.a.4''"), *starts)
