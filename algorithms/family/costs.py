"""Costs of serial solutions, as formulas in n: operations on one node, for revolute joints.

The cheapest forms known, written in scalars and executed on counting scalars once, with the tip held in six
directions; and the serial algorithm of Fijany V, from the operations that the kernels declare.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from senn.algorithms.kernels import system
from senn.algorithms.programs import variants
from senn.machine.program import Operations, interior

_PACKED, _BLOCK, _VECTOR = (15,), (5, 5), (5,)  # shapes in the system A phi = psi
BIAS = Operations(94, 81)
"""Newton-Euler for b and Jdot Q, per link; sines and cosines are charged elsewhere."""


def articulated_bodies(n: int) -> Operations:
    """The closed chain by articulated bodies, O(n); for n = 1 a few operations too many."""
    return Operations(396 * n + 264, 370 * n + 187, n + 6, 2 * n)


def popov_vereshchagin(n: int) -> Operations:
    """The closed chain by Popov and Vereshchagin, the contact solved at the base, O(n); n >= 6."""
    return Operations(416 * n - 42, 350 * n - 73, n + 6, 2 * n)


def popov_vereshchagin_early(n: int) -> Operations:
    """The closed chain by Popov and Vereshchagin, the contact solved after the last six joints, which must be
    able to move in its six directions; n > 6, for fewer the formula has too many operations."""
    return Operations(239 * n + 1290, 227 * n + 905, n + 6, 2 * n)


def mass_matrix(n: int) -> Operations:
    """The closed chain by the mass matrix, O(n^3)."""
    multiply = (n**3 + 45 * n**2 + 1340 * n + 2424) // 6
    return Operations(multiply, (n**3 + 39 * n**2 + 1142 * n + 1860) // 6, n + 6, 2 * n)


def null_space(n: int) -> Operations:
    """The closed chain in the null space of its contact, O(n^3), the last six joints dependent, which must be
    able to move in its six directions; n > 6, for fewer the formula has too few operations."""
    multiply = (n**3 + 24 * n**2 + 1631 * n - 3870) // 6
    return Operations(multiply, (n**3 + 18 * n**2 + 1475 * n - 3912) // 6, n, 2 * n)


def open_chain(n: int) -> Operations:
    """The open chain by articulated bodies, n >= 2."""
    return Operations(231 * n - 152, 223 * n - 166, n, 2 * n)


def outward(n: int, *, inverse: bool = False) -> Operations:
    """The closed chain by articulated bodies from the base outward, the base solved behind six joints, which
    must be able to move in the five directions that joint 1 forbids; with Lambda^-1 if `inverse`. n >= 6."""
    alone = Operations(219 * n + 848, 208 * n + 553, n + 4, 2 * n)
    return alone + Operations(120, 90, 6) if inverse else alone


def hung(n: int) -> tuple[Operations, ...]:
    """Passes of n links on the base: motion of the outer end; its C and b; accelerations. n >= 6."""
    to_end = Operations(82 * n - 55, 67 * n - 58, 0, 2 * n)
    factored = Operations(112 * n + 963, 123 * n + 639, n + 10)
    return to_end, factored, Operations(25 * n + 96, 18 * n + 92)


def block(n: int) -> tuple[Operations, ...]:
    """Sines and cosines of a block of links, and its passes: motion; A, J and C; b and eta; accelerations."""
    moving, port = Operations(32 * n - 30, 17 * n - 21), Operations(258 * n - 166, 210 * n - 182, n)
    if n == 1:
        moving, port = Operations(6), Operations(116, 60, 1)
    driven = Operations(114 * n - 20, 97 * n - 21), Operations(31 * n - 4, 24 * n - 4)
    return Operations(trig=2 * n), moving, port, *driven


CLOSED: dict[str, Callable[[int], Operations]] = {
    "mass matrix": mass_matrix,
    "articulated bodies": articulated_bodies,
    "PV": popov_vereshchagin,
    "PV-early": popov_vereshchagin_early,
    "outward": outward,
    "null space": null_space,
}
"""The serial solutions of the closed chain by name."""
WITH_INVERSE: dict[str, Callable[[int], Operations]] = {
    **{name: CLOSED[name] for name in ("mass matrix", "articulated bodies", "PV")},
    "outward": partial(outward, inverse=True),
}
"""Those that have Lambda^-1 as well; the others solve the contact before they know the whole arm."""


_FROM = {"outward": 6, "null space": 7}
"""Number of joints from which on a solution exists, where that is not one."""


def closed(n: int, *, inverse: bool = False) -> dict[str, Operations]:
    """Operations of the solutions of the closed chain that n joints have; with Lambda^-1 if `inverse`."""
    table = WITH_INVERSE if inverse else CLOSED
    return {name: count(n) for name, count in table.items() if n >= _FROM.get(name, 1)}


@cache
def constraint_forces(applications: int, columns: int = 0, tips: int = 0) -> Operations:
    """Fijany V per link of a long chain: the blocks of A, their LDL', and the solutions asked for.

    `applications` of M^-1, `columns` of right-hand sides as Eq. (84) has them, and `tips`: applications to a
    force at the tip, whose forward elimination is nothing. With Newton-Euler once.
    """
    factor = system.ldl.cost(_PACKED) + system.solve.cost(_PACKED, _BLOCK)
    block = factor + system.transposed_product.cost(_BLOCK, _BLOCK) + Operations(add=15)
    sweep = system.transposed_times.cost(_BLOCK, _VECTOR) + Operations(add=5)
    back = sweep + system.solve.cost(_PACKED, _VECTOR)
    solved = (back + sweep).times(applications + columns) + back.times(tips)
    accelerations = _steps("II.c.5", "II.c.6", "II.c.7")
    around = (_steps("II.b.4", "II.b.5") + accelerations).times(applications) + accelerations.times(tips)
    turn = _steps("II.a.1")  # C(i,i+1), which the operators need; its sine and cosine are those of I.a
    return BIAS + _steps("I.a") + Operations(turn.multiply, turn.add) + block + solved + around


def _steps(*starts: str) -> Operations:
    """Operations of an interior process in these steps of the program; I.a.4'' is process N's alone."""
    lines = (line for stream in variants.closed_chain(8).streams for line in stream)
    return interior((line for line in lines if line.step != "I.a.4''"), *starts)
