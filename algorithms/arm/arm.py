"""What a program has to know of an arm: its joints, its side branches, the shape of the contact; no numbers.

The methods of an arm are the operators of the paper, as the lines that compute them. Three classes have them
under the same names: `lean.Lean` (revolute and prismatic joints), `wide.Wide` (joints of any type) and
those of `branched` (both, with side branches). `arm_of` says which an arm is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from senn.algorithms.arm.about import about
from senn.algorithms.arm.bare import Bare
from senn.algorithms.arm.contact import given
from senn.algorithms.arm.letters import (
    C_NEXT,
    P_0,
    P_LINK,
    S_0,
    S_LINK,
    TIP,
    Names,
    Size,
)
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.robots.side_tree import SideTree
from senn.machine.program import (
    PR2,
    Array,
    Compute,
    Expression,
    Instruction,
    Name,
    Operand,
    ProcessSet,
    Program,
    Resident,
    Value,
    i,
)
from senn.machine.program.bindings import operands_of
from senn.machine.rewrite.lines import with_values

Lines = Iterator[Instruction]
_AT_REST = {P_LINK: P_0, S_LINK: S_0}


@dataclass(frozen=True)
class Arm(Bare, ABC):
    """Structure, not data."""

    joints: tuple[str, ...]
    """The type of each joint, base to tip (`senn.algorithms.robots.joints`)."""
    contact: ContactShape
    branches: tuple[SideTree, ...] = ()

    @property
    def n(self) -> int:
        """The links of the main chain."""
        return len(self.joints)

    @property
    def followed(self) -> Iterator[tuple[str, str]]:
        """Each joint with the one that follows; the last with itself."""
        return zip(self.joints, (*self.joints[1:], self.joints[-1]), strict=True)

    def those(self, *kinds: str) -> ProcessSet:
        """The processes whose joint is of these kinds."""
        return ProcessSet(tuple((process, process) for process, x in enumerate(self.joints, 1) if x in kinds))

    # ------------------------------------------------------------ Step I.a
    @abstractmethod
    def inverse_inertia(self) -> Lines:
        """I.a.1-2: (I_i)^-1 about O_i in frame i, Eq. (76)."""

    @abstractmethod
    def coupling(self) -> Lines:
        """I.a.4: B_i, Eqs. (74), (79)-(80)."""

    @abstractmethod
    def end_coupling(self) -> Lines:
        """I.a.4'': E_N, Eq. (83)."""

    @abstractmethod
    def across_link(self, step: str, target: Value) -> Lines:
        """I_i^-1 C6 P^_i, 6x6: what a wrench at O_{i+1}, frame i+1, does to link i at O_i, frame i."""

    @abstractmethod
    def diagonal(self, *, without_last: bool = False) -> Expression:
        """A_i, Eq. (75); `without_last`: at process N what link N adds is left out."""

    @abstractmethod
    def before_last(self, step: str, target: Value) -> Lines:
        """That block at process N by itself."""

    @abstractmethod
    def reach(self, step: str, target: Value) -> Lines:
        """R_N = W_N' C6(N,N+1) P^_N^-1' of the operational space."""

    @property
    def tip_inertia(self) -> Operand:
        """(I_{N,N+1})^-1 at process N, Eq. (68)."""
        return TIP[i]

    @property
    def tilt(self) -> tuple[Value, ...]:
        """What q_i does to W_i, an operand of the kernels with W_i; none, if it does nothing to any."""
        return ()

    # ------------------------------------------------------------ Step II.a: frames and axes
    def frames(self, step: str, *vectors: Value, moved: str = "") -> Lines:
        """C(i,i+1), and P_i or S_i in frame i+1: constants, moved by a joint that slides. `moved` labels the
        latter, by default the step with a prime."""
        moved = moved or f"{step}'"
        yield Compute(step, C_NEXT, self._rotation())
        for rank, target in enumerate(vectors, 1):
            if self.slides:
                yield Compute(f"{moved}.{'i' * rank}", target, self._moved(_AT_REST[target]))
            else:
                yield Name(moved, target, _AT_REST[target])

    @abstractmethod
    def _rotation(self) -> Expression:
        """C(i,i+1)."""

    @abstractmethod
    def _moved(self, at_rest: Value) -> Expression:
        """P_i or S_i, from where it is at q_i = 0."""

    @abstractmethod
    def frames_of_response(self, step: str) -> Lines:
        """C(i,i+1), P_i and W_a in array 1, where Step I.a has not made them (form omega)."""

    @abstractmethod
    def own_axes(self, step: str, *wanted: Value) -> Lines:
        """What joint i allows and forbids in frame i, where it is not constant: H, W_a, the tilt of W."""

    @abstractmethod
    def axes_from_tip(self, step: str, turn: Value) -> Lines:
        """What turns the axes of joint i to frame N+1, from C(N+1,i)."""

    @abstractmethod
    def axes_from_base(self, step: str) -> Lines:
        """The same to frame 1, from T_i = C(1,i+1)."""

    @property
    @abstractmethod
    def common_axes(self) -> Value:
        """What these make."""

    # ------------------------------------------------------------ Step II.b.1: Newton-Euler
    @abstractmethod
    def turning(self, rate: Value) -> Expression:
        """The angular velocity (or acceleration) that joint i makes of its rate."""

    @abstractmethod
    def gyration(self, qdd: Value | None) -> Lines:
        """II.b.1.ii: what joint i adds to wdot."""

    @abstractmethod
    def sliding(self, qdd: Value | None) -> Lines:
        """II.b.1.iii': the acceleration in a joint that slides."""

    @property
    @abstractmethod
    def slides(self) -> tuple[Operand, ...]:
        """What it is, if a joint of the arm slides."""

    @abstractmethod
    def jet(self, qdd: Value | None) -> Expression:
        """Link i against link i - 1 to second order, in frame i (`senn.algorithms.kernels.jets`)."""

    @abstractmethod
    def bias(self, moment: Value, force: Value) -> Expression:
        """b_i = H_i' F_i of II.b.1.viii."""

    @abstractmethod
    def bias_of_wrench(self, wrench: Value) -> Expression:
        """The same of (p, f, n)."""

    # ------------------------------------------------------------ the operators of Eq. (81)
    @abstractmethod
    def wrench_of(
        self, step: str, f_g: Value, names: Names, array: Array = PR2, *, less: Value | None = None
    ) -> Lines:
        """b.4: X^1 = I^-1 R H F_G, less what is given."""

    @abstractmethod
    def constrained(self, names: Names) -> Expression:
        """b.5: X^2 = W' R' X^1."""

    @abstractmethod
    def projected(self, x: Value) -> Expression:
        """W_N' X of process N, to which nothing is carried."""

    @abstractmethod
    def constraint_wrench(self, step: str, names: Names, array: Array = PR2) -> Lines:
        """c.5: X^4 = I^-1 R W phi."""

    @abstractmethod
    def joint_accelerations(self, step: str, target: Value, names: Names, array: Array = PR2) -> Lines:
        """c.7: H' R' X^5."""

    @abstractmethod
    def lever_rate(self, dw: Value) -> Expression:
        """II.d.1, Eq. (86)."""

    @abstractmethod
    def reaction(self, p: Value, force: Value) -> Expression:
        """IV.a.2, Eq. (88): tau'_i = H_i' F_i."""

    @abstractmethod
    def response(self, force: Value) -> Lines:
        """IV.b.2 of form omega: Qdd = Qdd_0 - Y F."""

    # ------------------------------------------------------------ what it holds, and leaves
    @abstractmethod
    def resident(self) -> Iterator[Resident]:
        """Constants and state of link i, in whatever array reads them."""

    @abstractmethod
    def along(self, names: Names, torque: Value) -> Value:
        """What the joints drive, a part of the interbody forces."""

    @abstractmethod
    def across(self, names: Names) -> Value:
        """What the joints forbid, the other part."""

    # ------------------------------------------------------------ a program for it
    @property
    @abstractmethod
    def sizes(self) -> Mapping[Size, int | None]:
        """The sizes that the arm decides; None: no axis at all."""

    def program(
        self,
        name: str,
        *streams: Iterable[Instruction],
        results: Mapping[str, tuple[int, Value]],
        titles: Mapping[str, str],
        also: Iterable[Resident] = (),
        **said: Any,
    ) -> Program:
        """The program of these streams, one an array, with the arm's sizes and what its processes hold; what
        is held is held where it is read; `also`: beside what the arm holds, or in its place."""
        sized = tuple(tuple(with_values(line, self.sized) for line in stream) for stream in streams)
        read = [{x.value for line in stream for x in operands_of(line)} for stream in sized]
        everything = {one.value: one for one in (*self.resident(), *self._of_contact(), *also)}
        held = [
            replace(one, value=value, arrays=arrays)
            for one in everything.values()
            if (value := self.sized(one.value))
            and (arrays := tuple(k for k, values in enumerate(read, 1) if value in values))
        ]
        return Program(
            name=name,
            n=self.n,
            streams=sized,
            resident=tuple(held),
            results={key: (array, self.sized(x)) for key, (array, x) in results.items()},
            titles=titles,
            about={
                **about(**said, contact=self.contact.constrained, contact_kind=self.contact.kind),
                "branches": self.branches,
            },
        )

    def _of_contact(self) -> Iterator[Resident]:
        return (Resident(x, where=i == self.n) for x in given(self.contact).values())

    def sized(self, x: Value) -> Value:
        """A value with the sizes of this arm."""
        return Value(x.letter, x.level, self.shape(x.shape))

    def shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        sizes = [self.sizes[d] if isinstance(d, Size) else d for d in shape]
        return tuple(d for d in sizes if d is not None)
