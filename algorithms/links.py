"""Link i seen from frame i: C(i,i+1), P_i and S_i (Step II.a.1), for every array that needs them."""

from __future__ import annotations

from collections.abc import Iterator

from senn.algorithms import link_kernels as link
from senn.algorithms import resident as held
from senn.algorithms.inverse_mass import C_NEXT, P_LINK
from senn.machine.program import Compute, Instruction, Name, Value, by_process, value

S_LINK = value("S", 3)
_AT_REST = {P_LINK: held.P_0, S_LINK: held.S_0}


def link_frames(
    step: str, moved: str, joints: tuple[str, ...], vectors: tuple[Value, ...], *, turned: bool = False
) -> Iterator[Instruction]:
    """C(i,i+1) (unless it is there: `turned`), and P_i or S_i in frame i + 1: constants, moved along the axis
    by a prismatic joint. `step` and `moved` label the two."""
    if not turned:
        yield Compute(step, C_NEXT, by_process(link.ROTATION[x] for x in joints)(held.Q, held.R))
    for rank, target in enumerate(vectors, 1):
        if "prismatic" in joints:
            move = by_process(link.MOVED[x] for x in joints)
            yield Compute(f"{moved}.{'i' * rank}", target, move(_AT_REST[target], held.Q, held.R))
        else:
            yield Name(moved, target, _AT_REST[target])
