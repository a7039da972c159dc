"""Costs of serial solutions, as formulas in n: operations on one node, for revolute joints.

The cheapest forms known, tests/oracles/economical executed on counting scalars, with the tip held in six
directions; and the serial algorithm of Fijany V, from the operations that the kernels declare.
"""

from __future__ import annotations

from functools import cache

from senn.algorithms.kernels import system
from senn.algorithms.programs import variants
from senn.machine.program import Compute, Operations

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


def open_chain(n: int) -> Operations:
    """The open chain by articulated bodies, n >= 2."""
    return Operations(231 * n - 152, 223 * n - 166, n, 2 * n)


CLOSED = {
    "mass matrix": mass_matrix,
    "articulated bodies": articulated_bodies,
    "PV": popov_vereshchagin,
    "PV-early": popov_vereshchagin_early,
}
"""The serial solutions of the closed chain by name."""


@cache
def constraint_forces(applications: int, columns: int = 0, tips: int = 0) -> Operations:
    """Fijany V per link of a long chain: the blocks of A, their LDL', and the solutions asked for.

    `applications` of M^-1, `columns` of right-hand sides as Eq. (84) has them, and `tips`: applications to a
    force at the tip, whose forward elimination is nothing. With Newton-Euler once.
    """
    pair = (_BLOCK, _BLOCK)
    factor = (
        system.ldl.cost(_PACKED),
        system.solve.cost(_PACKED, _BLOCK),
        system.transposed_product.cost(*pair),
    )
    block = _sum(*factor, Operations(add=15))
    back = _sum(_sweep(), system.solve.cost(_PACKED, _VECTOR))
    solved = _times(back + _sweep(), applications + columns) + _times(back, tips)
    wrenches = _steps("II.b.4", "II.b.5") + _steps("II.c.5", "II.c.6", "II.c.7")
    around = _times(wrenches, applications) + _times(_steps("II.c.5", "II.c.6", "II.c.7"), tips)
    return _sum(BIAS, _steps("I.a"), _turn(), block, solved, around)


def _turn() -> Operations:
    """C(i,i+1), which the operators need; its sine and cosine are those of I.a."""
    turn = _steps("II.a.1")
    return Operations(turn.multiply, turn.add)


def _sweep() -> Operations:
    """One product with a block C and its subtraction."""
    return system.transposed_times.cost(_BLOCK, _VECTOR) + Operations(add=5)


def _steps(*starts: str) -> Operations:
    """Operations of an interior process in these steps of the program; I.a.4'' is process N's alone."""
    program = variants.closed_chain(8)
    lines = (line for stream in program.streams for line in stream if isinstance(line, Compute))
    return _sum(
        *(
            line.expression.operations(line.expression.kernels[0])
            for line in lines
            if line.step.startswith(starts) and line.step != "I.a.4''"
        )
    )


def _sum(*parts: Operations) -> Operations:
    return sum(parts, start=Operations())


def _times(operations: Operations, count: int) -> Operations:
    return _sum(*[operations] * count)
