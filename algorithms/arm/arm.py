"""An arm as programs know it: its joints, its side branches and the shape of the contact; no numbers.

The methods of an arm are the operators of the paper, as the lines that compute them. Three classes have them
under the same names: `lean.Lean` (revolute and prismatic joints), `wide.Wide` (joints of any type) and
those of `sides` (both, with side branches). `arm_of` says which an arm is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from senn.algorithms.arm.letters import BEFORE, C_NEXT, P_0, P_LINK, S_0, S_LINK, TIP, Names, Size
from senn.algorithms.kernels import sums
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.robots.side_tree import SideTree
from senn.machine.program import *  # the words of a program
from senn.machine.program.bindings import operands_of
from senn.machine.rewrite.lines import with_values

Lines = Iterator[Instruction]
_AT_REST = {P_LINK: P_0, S_LINK: S_0}


@dataclass(frozen=True)
class Arm(ABC):
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
        return ProcessSet.of(process for process, x in enumerate(self.joints, 1) if x in kinds)

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

    @property
    def before(self) -> Value:
        """(I_{i-1,i})^-1: restricted to W_i in an arm of revolute and prismatic joints, else whole."""
        return BEFORE

    @abstractmethod
    def before_last(self, step: str, target: Value) -> Lines:
        """The second term of `diagonal`, at process N by itself."""

    @abstractmethod
    def reach(self, step: str, target: Value) -> Lines:
        """R_N = W_N' C6(N,N+1) P^_N^-1' of the operational space."""

    @property
    def tip_inertia(self) -> Operand:
        """(I_{N,N+1})^-1 at process N, Eq. (68)."""
        return TIP[i]

    @property
    def tilt(self) -> tuple[Value, ...]:
        """The tilt of W_i, an operand of the kernels with W_i; none if no joint has one."""
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
        """H, W_a and the tilt of W in frame i, where they are not constant."""

    @abstractmethod
    def axes_from_tip(self, step: str, turn: Value) -> Lines:
        """The axes of joint i in frame N+1, from C(N+1,i), or the rotation that turns them."""

    @abstractmethod
    def axes_from_base(self, step: str) -> Lines:
        """The axes of joint i in frame 1, from T_i = C(1,i+1), or the rotation that turns them."""

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
        """The result of `sliding`, if a joint of the arm slides."""

    @abstractmethod
    def jet(self, qdd: Value | None) -> Expression:
        """Link i against link i - 1 to second order, in frame i (`senn.algorithms.kernels.jets`)."""

    @abstractmethod
    def bias(self, moment: Value, force: Value) -> Expression:
        """b_i = H_i' F_i of II.b.1.viii."""

    @abstractmethod
    def bias_of_wrench(self, wrench: Value) -> Expression:
        """b_i = H_i' F_i, from (p, f, n)."""

    # ------------------------------------------------------------ the operators of Eq. (81)
    @abstractmethod
    def driven(self, step: str, f_g: Value, target: Value, names: Names) -> Lines:
        """I^-1 R H F_G as `target`."""

    def wrench_of(self, step: str, f_g: Value, names: Names, *, less: Value | None = None) -> Lines:
        """b.4: X^1 = I^-1 R H F_G, less what is given."""
        yield from self.driven(step, f_g, names.x1 if less is None else names.driven, names)
        if less is not None:
            yield Compute(f"{step}.iii", names.x1, sums.difference(names.driven, less))

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

    # ------------------------------------------------------------ side branches; without any, nothing
    @property
    def where(self) -> ProcessSet:
        """The processes whose link has side branches."""
        return ProcessSet.of(tree.at for tree in self.branches)

    @property
    def plain(self) -> ProcessSet:
        """The processes whose link has no side branches."""
        return i > 0

    def beyond_link(self, step: str) -> Lines:
        """(I_{i,i+1})^-1 of every link, where it is not constant."""
        yield from ()

    @property
    def link_inertia(self) -> Value:
        """(I_{i,i+1})^-1 about O_{i+1} in frame i+1."""
        return TIP

    @property
    def at_tip(self) -> bool:
        """Whether the last link has branches."""
        return False

    def tip_mass(self, step: str, target: Value) -> Lines:
        """I_{N,N+1} of the last link with its branches, if it has any."""
        yield from ()

    def loads(self, gravity: Value, *, moving: bool = False) -> Lines:
        """II.b.1.v': what else acts on a link, of its side branches; `moving` with the given accelerations of
        their joints."""
        yield from ()

    @property
    def load(self) -> Value | None:
        """The wrench [n; f] of `loads`, about O_{i+1} in the common frame."""
        return None

    def as_one(self, step: str) -> Lines:
        """Inertias of links with their side branches, without any Step I."""
        yield from ()

    @property
    def together(self) -> tuple[Value, ...]:
        """I_{i,i+1} in frame i+1, of `as_one`, if a link has branches."""
        return ()

    @property
    def held_wrench(self) -> tuple[Value, ...]:
        """The wrench of `holds`, about O_{i+1} in frame i+1."""
        return ()

    def holds(self, step: str) -> Lines:
        """The accelerations that the torques of side branches give their joints, and p, the wrench with which
        their link holds them, at rest."""
        yield from ()

    def drives(self, step: str) -> Lines:
        """The lines of `holds`, and I_i^-1 p, which p does to the link."""
        yield from ()

    @property
    def driven_back(self) -> Value | None:
        """I_i^-1 p of `drives`: the acceleration of the link at O_i, with the other sign."""
        return None

    def follow(self, step: str, at_origin: Value, target: Value) -> Lines:
        """Joint accelerations of side branches from that of their link at O_i, frame i."""
        yield from ()

    def branch_rows(self) -> Lines:
        """I.c.3'' of form omega: the rows of M^-1 J' of side branches."""
        yield from ()

    def difference(self) -> Lines:
        """IV.b.2': Qdd = Qdd_0 - Qdd_C of side branches."""
        yield from ()

    def results(self) -> dict[str, tuple[int, Value]]:
        """Results of side branches."""
        return {}

    def borne(self) -> dict[str, Value]:
        """Results of `loads`: the forces along the joints of side branches."""
        return {}

    # ------------------------------------------------------------ what it holds, and leaves
    @abstractmethod
    def resident(self) -> Iterator[Resident]:
        """Constants and state of link i, in whatever array reads them."""

    @abstractmethod
    def along(self, names: Names, torque: Value) -> Value:
        """The part of the joint wrenches that the joints drive."""

    @abstractmethod
    def across(self, names: Names) -> Value:
        """The part of the joint wrenches that the joints forbid."""

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
        **variant: Any,
    ) -> Program:
        """The program of these streams, one an array, with the arm's sizes and its resident values, each in
        the arrays that read it; `also`: residents beside those of the arm, or in their place."""
        sized = tuple(tuple(with_values(line, self.sized) for line in stream) for stream in streams)
        read = [{x.value for line in stream for x in operands_of(line)} for stream in sized]
        of_contact = (Resident(x, where=i == self.n) for x in contact_values(self.contact).values())
        residents = {x.value: x for x in (*self.resident(), *of_contact, *also)}
        needed = [
            replace(x, value=value, arrays=arrays)
            for x in residents.values()
            if (value := self.sized(x.value))
            and (arrays := tuple(k for k, values in enumerate(read, 1) if value in values))
        ]
        return Program(
            name=name,
            n=self.n,
            streams=sized,
            resident=tuple(needed),
            results={key: (array, self.sized(x)) for key, (array, x) in results.items()},
            titles=titles,
            about={
                **about(**variant, contact=self.contact.constrained, contact_kind=self.contact.kind),
                "branches": self.branches,
            },
        )

    def sized(self, x: Value) -> Value:
        """A value with the sizes of this arm."""
        return Value(x.letter, x.level, self.shape(x.shape))

    def shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        sizes = [self.sizes[d] if isinstance(d, Size) else d for d in shape]
        return tuple(d for d in sizes if d is not None)


def contact_values(contact: ContactShape) -> dict[str, Value]:
    """Constants of a contact of this shape, frame N+1, by letter; process N holds them."""
    c, f = contact.constrained, contact.free
    if contact.kind == "general":
        shapes: dict[str, tuple[int, ...]] = {"M1": (6, 6), "k1": (6,), "M2": (6, 6), "k2": (6,)}
    else:
        shapes = {"W": (6, c), "G_C": (c,)} if c else {}
        shapes |= {"H": (6, f)} if f else {}
        shapes |= {"phi_C": (f, c), "d": (f,)} if contact.kind == "II" else {"K_F": (f,)} if f else {}
    return {letter: Value(letter, None, shape) for letter, shape in shapes.items()}


def about(
    *,
    form: str = "",
    refine: int = 0,
    contact: int = 0,
    contact_kind: str = "I",
    strategy: int = 0,
    elimination: str = "",
    motion: str = "",
    ahead: bool = False,
) -> dict[str, Any]:
    """The variant of a program, for run.json; an empty entry does not exist for the program."""
    return {
        "form": form,
        "refine": refine,
        "contact": contact,
        "contact_kind": contact_kind,
        "strategy": strategy,
        "elimination": elimination,
        "motion": motion,
        "ahead": ahead,
    }
