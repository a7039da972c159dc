"""Arms of scalars that count, for the serial family."""

from senn.algorithms.family.arm import Constants
from senn.algorithms.family.rigid import Rigid
from senn.machine.program.arithmetic import Tally


def counted_links(tally: Tally, n: int) -> list[Constants]:
    """n links on revolute joints; every constant counts."""
    (x,) = tally.scalars(1)

    def link() -> Constants:
        some = tally.scalars
        inertia = Rigid(x, some(3), some(6))
        return Constants("revolute", 0.0, some(3, 3), some(3), some(3), inertia, x, some(6), some(21))

    return [link() for _ in range(n)]
