"""Link i seen from frame i: C(i,i+1), P_i and S_i (Step II.a.1), for every array that needs them; and for
wide arms (`senn.algorithms.arm.padding`) what joint i allows and forbids there."""

from __future__ import annotations

from collections.abc import Iterator

from senn.algorithms.arm.padding import is_wide, tilt_of
from senn.algorithms.kernels import complement as across
from senn.algorithms.kernels import joint, link
from senn.algorithms.programs import memory as held
from senn.algorithms.system.inverse_mass import C_NEXT, P_LINK
from senn.machine.program import Compute, Expression, Instruction, Name, Value, by_process, value

S_LINK = value("S", 3)
_AT_REST = {P_LINK: held.P_0, S_LINK: held.S_0}


def link_frames(
    step: str, moved: str, joints: tuple[str, ...], vectors: tuple[Value, ...], *, turned: bool = False
) -> Iterator[Instruction]:
    """C(i,i+1) (unless it is there: `turned`), and P_i or S_i in frame i + 1: constants, moved by a joint
    that slides. `step` and `moved` label the two."""
    if not turned:
        yield Compute(step, C_NEXT, _rotation(joints))
    for rank, target in enumerate(vectors, 1):
        if set(joints) & set(joint.SLIDING):
            yield Compute(f"{moved}.{'i' * rank}", target, _moved(joints, _AT_REST[target]))
        else:
            yield Name(moved, target, _AT_REST[target])


def _rotation(joints: tuple[str, ...]) -> Expression:
    if is_wide(joints):
        turn = by_process(joint.ROTATION[x] for x in joints)
        return turn(held.positions(joints), held.PARAMETER, held.R)
    return by_process(link.ROTATION[x] for x in joints)(held.Q, held.R)


def _moved(joints: tuple[str, ...], at_rest: Value) -> Expression:
    if is_wide(joints):
        move = by_process(joint.MOVED[x] for x in joints)
        return move(at_rest, held.positions(joints), held.PARAMETER, C_NEXT)
    return by_process(link.MOVED[x] for x in joints)(at_rest, held.Q, held.R)


_AXES = {"H(q)": joint.subspace, "W_a(q)": joint.dual}


def joint_axes(step: str, joints: tuple[str, ...], *wanted: Value) -> Iterator[Instruction]:
    """H_i or W_a (of `padding`) of a wide arm, from q_i."""
    for rank, target in enumerate(wanted, 1):
        kernels = by_process(_AXES[target.letter](x, target.shape[1]) for x in joints)
        yield Compute(f"{step}.{'i' * rank}", target, kernels(held.positions(joints), held.PARAMETER))


def tilts(step: str, joints: tuple[str, ...]) -> Iterator[Instruction]:
    """The tilt of every joint of a wide arm, if one has it."""
    for tilt in tilt_of(joints):
        kernels = by_process(across.TILT[x] for x in joints)
        yield Compute(step, tilt, kernels(held.positions(joints), held.PARAMETER))
