"""Arms with side branches, lean and wide: how Step I.a takes their links with their branches as one body.

I.a.2'    (I_{i,i+1})^-1 of the link with its branches, and from it (I_i)^-1
I.a.4.b   B_i and E_N of it, and (I_{i,i+1})^-1 to the next process

In place of Eq. (76), which has the inverse inertia of a rigid link from constants. What else branches are is
the same for both (`senn.algorithms.arm.sides`).
"""

from __future__ import annotations

from collections.abc import Iterable

from senn.algorithms.arm.arm import Lines
from senn.algorithms.arm.lean import Lean
from senn.algorithms.arm.letters import *
from senn.algorithms.arm.sides import ACROSS, NEXT, Sides, folded, rigid
from senn.algorithms.arm.wide import Wide
from senn.algorithms.kernels import branches as branch
from senn.algorithms.kernels import link
from senn.algorithms.kernels import operators as op
from senn.machine.program import PR1, Array, Compute, Name, Send, Value, by_process, i, value

C_OWN, P_OWN = value("C(i,i+1).b", 3, 3), value("P.b", 3)  # of the link, in the array of Step I
AFTER = value("(I_{i,i+1})^-1.w", 15)  # restricted to W_{i+1}, for the next link
BEFORE_OR_AFTER = value("(I_{i-1,i})^-1.w", REST)


class BranchedLean(Sides, Lean):
    """An arm of revolute and prismatic joints with side branches."""

    of_plain: Iterable[Value] = (S_TURNED, P_TURNED, INVERSE_J, INVERSE_M)

    def inverse_inertia(self) -> Lines:
        joints = self.joints
        yield Compute("I.a.1", RZ, by_process(link.PLANAR[x] for x in joints)(Q))
        yield Compute("I.a.2", rigid(I_INVERSE), self._inverse_inertia())
        yield from self.folded()
        turned = by_process(branch.TURNED_NEXT[x] for x in joints)
        yield Compute("I.a.2'.iii", C_OWN, turned(RZ, R), self.where)
        moved = by_process(link.MOVED[x] for x in joints)
        yield Compute("I.a.2'.iv", P_OWN, moved(P_0, Q, R), self.where)
        yield from self.inverse_with_branches(C_OWN, P_OWN)

    def coupling(self) -> Lines:
        """And (I_{i,i+1})^-1 to the next link."""
        yield Compute("I.a.4", rigid(B[0]), self._coupling())
        couple = by_process(branch.side_coupling(a, b) for a, b in self.followed)
        yield Compute("I.a.4.b", folded(B[0]), couple(ACROSS), i < self.n)
        yield Name("I.a.4.b'", B[0], rigid(B[0]), folded(B[0]))
        restrict = by_process(branch.side_before(after) for _, after in self.followed)
        yield Compute("I.a.4.b''", AFTER, restrict(NEXT), i < self.n)
        yield Send("I.a.4.b''", AFTER, PR1[i + 1])
        yield Name("I.a.4.b''", BEFORE_OR_AFTER, BEFORE, AFTER[i - 1])

    def end_coupling(self) -> Lines:
        if self.at_tip:
            tip = branch.side_end_coupling(self.joints[-1])
            yield Compute("I.a.4''", E, tip(ACROSS), i == self.n)
        else:
            yield from super().end_coupling()

    @property
    def before(self) -> Value:
        return BEFORE_OR_AFTER

    def across_link(self, step: str, target: Value) -> Lines:
        yield from super().across_link(step, rigid(target))
        yield Name(step, target, rigid(target), ACROSS)

    def driven(self, step: str, f_g: Value, target: Value, names: Names, array: Array) -> Lines:
        return self._driven(step, f_g, target, array)


class BranchedWide(Sides, Wide):
    """An arm of joints of any type with side branches: B_i and E_N are made of (I_i)^-1 as they always are,
    and (I_{i,i+1})^-1 goes to the next link whole."""

    of_plain: Iterable[Value] = (INVERSE_J_LINK, INVERSE_M)

    def inverse_inertia(self) -> Lines:
        yield from self._poses()
        yield Compute("I.a.2", rigid(I_INVERSE), self._inverse_inertia())
        yield from self.folded()
        yield from self.inverse_with_branches(C_NEXT, P_LINK)

    def coupling(self) -> Lines:
        yield from super().coupling()
        yield Send("I.a.4.b''", NEXT, PR1[i + 1])
        yield Name("I.a.4.b''", BEFORE_OR_AFTER, BEFORE, NEXT[i - 1])

    @property
    def before(self) -> Value:
        return BEFORE_OR_AFTER

    def across_link(self, step: str, target: Value) -> Lines:
        yield Compute(step, rigid(target), op.end_response(rigid(I_INVERSE), C_NEXT, P_LINK))
        yield Name(step, target, rigid(target), ACROSS)

    def driven(self, step: str, f_g: Value, target: Value, names: Names, array: Array) -> Lines:
        return self._driven(step, f_g, target, names, array)
