"""A serial arm in the paper's frames (Fijany II.A): stacked arrays, one row per link.

Frame i is fixed in link i-1 with its z axis on joint i; frame i+1 is fixed in link i at O_{i+1}. Link i is
row i-1; frame 1 is fixed in the base, frame n+1 is the end effector's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from senn.algorithms import spatial
from senn.algorithms.robots.joints import JOINTS, Joint, Shares
from senn.algorithms.spatial import IntArray, Numbers, transposed
from senn.base.errors import InputError, printable


@dataclass(frozen=True)
class Written:
    """The text of a robot, before anything was made of it; and of a URDF, which part was asked for."""

    form: str  # "urdf", "toml" (a robot file), or "words" (of a generator)
    text: str | bytes
    tip: str = ""  # The link of the end effector
    base: str = ""  # The link that does not move
    lock: tuple[str, ...] = ()  # Regular expressions for whole names of joints: those do not move
    at: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # Where joints stand, by name


@dataclass(frozen=True, eq=False)
class Branch:
    """A short chain that hangs on link `at` (1..n) of a main chain: a tool, a gripper, an arm of few joints.

    `chain.base_rotation` and `chain.base_position` say where its frame 1 is in frame at+1 of the main chain,
    which is fixed in link `at`. None of its joints is welded; it may have branches itself. Its last frame
    carries nothing.
    """

    at: int
    chain: Chain


@dataclass(frozen=True, eq=False)
class Chain:
    """A serial arm with n joints of the types of `joints.JOINTS`; arrays are read-only, row i-1 is link i.

    With `branches` it is the main chain of a tree. Vectors of the whole tree (q, qd, tau, qdd) have the main
    chain's joints first, base to tip, then those of each branch in the order of `at`, where a branch's own
    branches follow it by the same rule.

    The constructor refuses by name (`InputError`) what the algorithm cannot take: NaN, masses that are not
    positive, inertias that are not positive definite, rotations that are none, unknown
    joint types, wrong shapes, branches that hang on no link, or have more than
    `MOST_BRANCH_JOINTS` joints at one.
    """

    name: str
    joints: tuple[str, ...]  # Types, base to tip: keys of `joints.JOINTS`
    joint_names: tuple[str, ...]
    base_rotation: Numbers  # (3, 3): columns are the axes of frame 1 in the base frame
    base_position: Numbers  # (3,) m: O_1 in the base frame
    rotation: Numbers
    """(n, 3, 3): R_{i+1}, with C(i,i+1) = E(q_i) R_{i+1}; E is Rz(q_i) of a revolute joint, the unit matrix
    of a prismatic one."""
    position: Numbers  # (n, 3) m: P_i, from O_i to O_{i+1}, in frame i+1; before the joint moves O_i (d = 0)
    centre: Numbers
    """(n, 3) m: S_i, from O_i to the centre of mass, in frame i+1; before the joint moves O_i (d = 0)."""
    mass: Numbers  # (n,) kg
    inertia: Numbers  # (n, 3, 3) kg m^2: J_i about the centre of mass, in frame i+1
    parameters: Numbers = field(default_factory=lambda: np.zeros(0))
    """(n,): pitch (m/rad) of a helical joint, angle (rad) between the axes of a universal one, else 0; left
    out: all 0."""
    limits: Numbers = field(default_factory=lambda: np.zeros((0, 2)))
    """(n, 2) rad or m: between what q of a joint of one coordinate should be; infinite where nobody says, and
    of all other joints; left out: all infinite. States are drawn inside; what lies outside is no error."""
    branches: tuple[Branch, ...] = ()  # Side branches, kept in the order of `at`
    notes: tuple[str, ...] = ()  # What was assumed in reading it, one sentence each
    written: Written | None = field(init=False, default=None, repr=False)
    """What it was read from; None of an arm that was made of arrays, or altered since."""

    @np.errstate(all="ignore")  # what overflows is not finite, and refused
    def __post_init__(self) -> None:
        if not np.size(self.parameters):
            object.__setattr__(self, "parameters", np.zeros(len(self.joints)))
        if not np.size(self.limits):
            object.__setattr__(self, "limits", np.tile([-np.inf, np.inf], (len(self.joints), 1)))
        for each in fields(self):
            if each.name not in ("name", "joints", "joint_names", "branches", "notes", "written"):
                try:
                    array = np.array(getattr(self, each.name), dtype=np.float64)
                except (TypeError, ValueError):
                    what = f"robot '{self.name}': {each.name} is no array of numbers"
                    raise InputError(f"{what}; write rows of as many numbers each") from None
                array.setflags(write=False)
                object.__setattr__(self, each.name, array)
        object.__setattr__(self, "branches", tuple(sorted(self.branches, key=lambda branch: branch.at)))
        check(self)

    @property
    def n(self) -> int:
        """Number of links, and of joints, of the main chain."""
        return len(self.joints)

    @property
    def limbs(self) -> tuple[Limb, ...]:
        """The main chain and all branches, each before its own branches: the order of q."""
        limbs = [Limb(self, 0, 0, 0)]
        for branch in self.branches:
            before = limbs[-1].before + limbs[-1].chain.n
            for limb in branch.chain.limbs:
                on = limb.on + before if limb.on else branch.at
                limbs.append(Limb(limb.chain, branch.at, on, limb.before + before))
        return tuple(limbs)

    @property
    def degrees(self) -> int:
        """Degrees of freedom: the length of qd, tau and qdd."""
        return self.all_qd_shares.total

    @property
    def coordinates(self) -> int:
        """The length of q."""
        return self.all_q_shares.total

    @property
    def all_joints(self) -> tuple[str, ...]:
        """The types of all joints, the branches' too, in the order of q."""
        return tuple(joint for limb in self.limbs for joint in limb.chain.joints)

    @property
    def all_joint_names(self) -> tuple[str, ...]:
        """The names of all joints, in the order of q."""
        return tuple(name for limb in self.limbs for name in limb.chain.joint_names)

    @cached_property
    def all_limits(self) -> Numbers:
        """(coordinates, 2): the limits of all numbers of q, infinite where there are none."""
        shares = self.all_q_shares
        rows = np.tile([-np.inf, np.inf], (len(shares.counts), shares.width, 1))
        rows[:, :1] = np.concatenate([limb.chain.limits for limb in self.limbs])[:, None]
        return shares.flat(rows)

    @cached_property
    def main(self) -> Chain:
        """The main chain alone."""
        return replace(self, branches=()) if self.branches else self

    @cached_property
    def q_shares(self) -> Shares:
        """Which numbers of q are those of which joint of the main chain; they come first."""
        return Shares(np.array([JOINTS[joint].coordinates for joint in self.joints]))

    @cached_property
    def qd_shares(self) -> Shares:
        """Which numbers of qd, tau and qdd are those of which joint of the main chain."""
        return Shares(np.array([JOINTS[joint].degrees for joint in self.joints]))

    @cached_property
    def all_q_shares(self) -> Shares:
        """Which numbers of q are those of which joint, the branches' too."""
        return Shares(np.array([JOINTS[joint].coordinates for joint in self.all_joints]))

    @cached_property
    def all_qd_shares(self) -> Shares:
        """Which numbers of qd, tau and qdd are those of which joint, the branches' too."""
        return Shares(np.array([JOINTS[joint].degrees for joint in self.all_joints]))

    @cached_property
    def types(self) -> tuple[tuple[Joint, IntArray], ...]:
        """Each type of joint there is, with the rows of its links."""
        names = np.array(self.joints)
        return tuple((JOINTS[name], np.flatnonzero(names == name)) for name in dict.fromkeys(self.joints))

    @cached_property
    def quaternions(self) -> IntArray:
        """(m, 4): where in q the unit quaternions w x y z are, in the order of q."""
        starts = self.all_q_shares.first[:-1]
        return starts[[JOINTS[joint].quaternion for joint in self.all_joints], None] + np.arange(4)

    def label(self, i: int) -> str:
        """How messages name link i (1..n)."""
        return f"robot '{self.name}', link {i} (moved by joint '{self.joint_names[i - 1]}')"

    def as_written(self, written: Written) -> Chain:
        """The chain with its source, for a second reading; `dataclasses.replace` makes one without."""
        copied = copy(self)
        object.__setattr__(copied, "written", written)
        return copied


class Limb(NamedTuple):
    """The main chain of a tree, or one of its branches; bodies count from 1 in the order of q."""

    chain: Chain
    at: int  # The link of the main chain that carries it; 0: it is the main chain
    on: int  # The body that its first link hangs on; 0: the base
    before: int  # Bodies before its own

    @property
    def parents(self) -> tuple[int, ...]:
        """For each of its bodies the one that it hangs on."""
        return (self.on, *range(self.before + 1, self.before + self.chain.n))

    def share(self, shares: Shares) -> slice:
        """The limb's numbers of a vector of the whole tree."""
        return slice(int(shares.first[self.before]), int(shares.first[self.before + self.chain.n]))


@dataclass(frozen=True, eq=False)
class Configuration:
    """The arm at joint positions q: what depends on q and nothing else."""

    rotation: Numbers  # (n, 3, 3): C(i,i+1), maps coordinates of frame i+1 to frame i
    position: Numbers  # (n, 3) m: P_i in frame i+1, with what joint i moves O_i added
    centre: Numbers  # (n, 3) m: S_i in frame i+1, with the same added
    H: Numbers
    """(n, 6, k): H_i, frame i at O_i, k the most degrees of freedom of a joint; further columns are zero."""


def configuration(chain: Chain, q: ArrayLike) -> Configuration:
    """C(i,i+1), P_i, S_i and H_i of all links at q (coordinates,), rad or m (Fijany V.A).

    The paper has revolute joints only; where a joint moves O_i by d, P_i and S_i gain d, turned to frame i+1.
    """
    turn, shift = np.empty((chain.n, 3, 3)), np.empty((chain.n, 3))
    H = np.zeros((chain.n, 6, chain.qd_shares.width))
    for joint, links, angles, parameter in _by_type(chain, q):
        turn[links] = joint.turn(angles, parameter)
        shift[links] = joint.shift(angles, parameter)
        H[links, :, : joint.degrees] = joint.subspace(angles, parameter)
    rotation = turn @ chain.rotation
    moved = np.einsum("nji,nj->ni", rotation, shift)
    return Configuration(rotation, chain.position + moved, chain.centre + moved, H)


def spread(chain: Chain, q: Numbers) -> Iterator[tuple[Limb, Numbers, Numbers]]:
    """Each limb of an arm at q (coordinates,), with its `points` in the frame of the arm's base."""
    outer: list[tuple[Numbers, Numbers]] = []  # origin and axes of frame i+1 of each body
    for limb in chain.limbs:
        places, axes = points(limb.chain, q[limb.share(chain.all_q_shares)])
        if limb.on:
            place, turn = outer[limb.on - 1]
            places, axes = places @ turn.T + place, turn @ axes
        outer += zip(places[1:], axes[1:], strict=True)
        yield limb, places, axes


def points(chain: Chain, q: Numbers) -> tuple[Numbers, Numbers]:
    """(n + 1, 3) m: O_1 ... O_{n+1} in the base frame, the last the tip; and (n + 1, 3, 3) their axes.

    O_i is where joint i moves it away from. Side branches are left out.
    """
    pose = configuration(chain.main, q[: chain.q_shares.total])
    axes, places = [chain.base_rotation], [chain.base_position]
    for turn, step in zip(pose.rotation, pose.position, strict=True):
        axes.append(axes[-1] @ turn)
        places.append(places[-1] + axes[-1] @ step)
    return np.array(places), np.array(axes)


def duals(chain: Chain, H: Numbers) -> Numbers:
    """H_i (H_i'H_i)^-1 (n, 6, k), H as in `Configuration`: H_i itself of most types.

    It maps the forces of a joint to the wrench that does their work and no other.
    """
    filled = ~chain.qd_shares.held[:, :, None] * np.eye(chain.qd_shares.width)
    return np.asarray(H @ np.linalg.inv(transposed(H) @ H + filled))


def complements(chain: Chain, q: ArrayLike) -> Numbers:
    """W_i of all links at q, (n, 6, m): orthonormal columns, frame i at O_i; m is 6 less the fewest degrees
    of freedom of a joint, and further columns are zero."""
    W = np.zeros((chain.n, 6, 6 - int(chain.qd_shares.counts.min())))
    for joint, links, angles, parameter in _by_type(chain, q):
        W[links, :, : 6 - joint.degrees] = joint.complement(angles, parameter)
    return W


def drift(chain: Chain, q: ArrayLike, qd: ArrayLike) -> Numbers:
    """Hdot_i qd_i of all links, (n, 6), frame i at O_i, with frame i held still."""
    rates, out = chain.qd_shares.stacked(np.asarray(qd, dtype=np.float64)), np.empty((chain.n, 6))
    for joint, links, angles, parameter in _by_type(chain, q):
        out[links] = joint.drift(angles, rates[links, : joint.degrees], parameter)
    return out


def _by_type(chain: Chain, q: ArrayLike) -> Iterator[tuple[Joint, IntArray, Numbers, Numbers]]:
    """For each type: the joint, the rows of its links, their q (m, coordinates) and parameters (m,)."""
    positions = chain.q_shares.stacked(np.asarray(q, dtype=np.float64))
    for joint, links in chain.types:
        yield joint, links, positions[links, : joint.coordinates], chain.parameters[links]


def tip_inverse_inertia(chain: Chain) -> Numbers:
    """I_{n,n+1}^-1 (6, 6): inverse inertia of the last link about O_{n+1}, frame n+1 (Fijany Eq. (69)).

    A constant for all joint types: joint n moves S_n and P_n alike.
    """
    centre = chain.centre[-1] - chain.position[-1]
    return spatial.inverse_inertia(chain.mass[-1], np.linalg.inv(chain.inertia[-1]), centre)


# -------- faults

_ROTATION_TOLERANCE = 1e-9
_SYMMETRY_TOLERANCE = 1e-9
PARALLEL = 1e-6  # sine of the least angle between the axes of a universal joint

GENERATORS = ("random", "snake", "rods", "joints")
"""The words that the names of generated arms begin with (`generators`); such a name may be of any length."""
LONGEST_NAME = 200
"""Characters of the name of a robot or a joint."""
MOST_BRANCH_JOINTS = 64
"""Joints that may hang on one link beside the main chain, in all its branches together. One process does all
their work, joint after joint, while the other processes of its array wait."""


def check(chain: Chain) -> None:
    """Refuse a chain that the algorithm cannot take; `InputError` names the link."""
    n = chain.n
    if n == 0:
        raise InputError(f"robot '{chain.name}' has no joint; at least one is needed")
    generated = chain.name.split(":", 1)[0] in GENERATORS
    for name in (*(() if generated else (chain.name,)), *chain.joint_names):  # they go to files and pictures
        called = f"robot '{chain.name}': the name '{name}'"
        if len(name) > LONGEST_NAME:
            raise InputError(f"{called} has {len(name):,} characters; write at most {LONGEST_NAME}")
        if printable(name) != name:
            raise InputError(f"{called} holds what cannot be printed; write letters")
    if len(chain.joint_names) != n:
        raise InputError(f"robot '{chain.name}': {n} joints but {len(chain.joint_names)} joint names")
    for i, joint in enumerate(chain.joints, 1):
        if joint not in JOINTS:
            raise InputError(f"{chain.label(i)}: joint type '{joint}' is not known; use {', '.join(JOINTS)}")
    if not chain.degrees:
        raise InputError(f"robot '{chain.name}' has welded joints only; at least one joint must move")
    _check_arrays(chain)
    for i, (joint, parameter) in enumerate(zip(chain.joints, chain.parameters.tolist(), strict=True), 1):
        kind, (low, high) = JOINTS[joint], chain.limits[i - 1].tolist()
        if parameter and not kind.parameter:
            label = f"{chain.label(i)}: parameters has {parameter:g}"
            raise InputError(f"{label}, and a {joint} joint has no parameter; write 0")
        if joint == "universal" and abs(np.sin(parameter)) < PARALLEL:
            raise InputError(
                f"{chain.label(i)}: the axes of a universal joint are {parameter:g} rad apart, which is "
                "parallel; give the angle between them (pi/2 for a cardan joint), or make it a revolute joint"
            )
        if not low < high:
            limits = f"{chain.label(i)}: the limits {low:g} .. {high:g}"
            raise InputError(f"{limits} leave no room; give the lower first")
        if kind.coordinates != 1 and (low, high) != (-np.inf, np.inf):
            raise InputError(
                f"{chain.label(i)}: the limits {low:g} .. {high:g} are of one number, and a {joint} joint "
                "stands at another count of them; leave them out"
            )
    # The test of `inertial_fault` for all links at once. A link that carries others may have neither mass nor
    # inertia; in a main chain a problem refuses it.
    fine = (chain.mass > 0.0) & (np.linalg.eigvalsh(chain.inertia)[:, 0] > 0.0)  # not where they overflow
    bare = (chain.mass == 0.0) & ~chain.inertia.any(axis=(1, 2))
    bare[-1] &= any(branch.at == n for branch in chain.branches)
    lopsided = np.abs(chain.inertia - transposed(chain.inertia)).max(axis=(1, 2))
    lopsided = lopsided > _SYMMETRY_TOLERANCE * np.abs(chain.inertia).max(axis=(1, 2))
    for index in np.flatnonzero(~(fine | bare) | lopsided)[:1]:
        fault = inertial_fault(float(chain.mass[index]), chain.inertia[index])
        raise InputError(f"{chain.label(int(index) + 1)}: {fault}")
    if chain.branches:
        _check_branches(chain)


def _check_arrays(chain: Chain) -> None:
    """Their shapes, finite numbers, and rotations."""
    n = chain.n
    shapes = {"base_rotation": (3, 3), "base_position": (3,), "rotation": (n, 3, 3), "position": (n, 3)}
    shapes |= {"centre": (n, 3), "mass": (n,), "inertia": (n, 3, 3), "parameters": (n,), "limits": (n, 2)}
    for name, shape in shapes.items():
        array, where = getattr(chain, name), f"robot '{chain.name}'"
        if array.shape != shape:
            raise InputError(f"{where}: {name} has shape {array.shape}, expected {shape}")
        if name != "limits" and not np.isfinite(array).all():
            if not name.startswith("base"):
                where = chain.label(int(np.argwhere(~np.isfinite(array))[0, 0]) + 1)
            raise InputError(f"{where}: {name} holds a number that is not finite")
    if _not_rotation(chain.base_rotation[None])[0]:
        raise InputError(f"robot '{chain.name}': base_rotation is not a rotation (R'R = U, det R = +1)")
    for index in np.flatnonzero(_not_rotation(chain.rotation))[:1]:
        raise InputError(f"{chain.label(int(index) + 1)}: rotation is not a rotation (R'R = U, det R = +1)")


def _check_branches(chain: Chain) -> None:
    hanging = dict.fromkeys(range(1, chain.n + 1), 0)
    for branch in chain.branches:
        if branch.at not in hanging:
            raise InputError(
                f"robot '{chain.name}': branch '{branch.chain.name}' hangs on link {branch.at}, but the "
                f"links are 1..{chain.n}; on the base, which does not move, it is a robot of its own"
            )
        hanging[branch.at] += len(branch.chain.all_joints)
    for name, joint in list(zip(chain.all_joint_names, chain.all_joints, strict=True))[chain.n :]:
        if not JOINTS[joint].degrees:
            raise InputError(
                f"robot '{chain.name}': joint '{name}' of a side branch is {joint}; make its link "
                "part of the one that it hangs on"
            )
    for i, joints in hanging.items():
        if joints > MOST_BRANCH_JOINTS:
            raise InputError(
                f"{chain.label(i)}: {joints} joints hang on it beside the main chain, and one process takes "
                f"at most {MOST_BRANCH_JOINTS}; make some of them fixed, or lead the main chain through the "
                "longest branch (another tip)"
            )


def inertial_fault(mass: float, inertia: Numbers, way_out: str = "") -> str | None:
    """The fault of a mass (kg) and an inertia (3, 3) about the centre of mass, with a way out; or None.

    `way_out` replaces the usual one.

    The algorithm divides by the mass and inverts the inertia (Fijany Eq. (76)), although the mass matrix may
    be regular without them; those of side branches it only adds.
    """
    if not (np.isfinite(mass) and np.isfinite(inertia).all()):
        return "mass or inertia is not a finite number"
    if mass <= 0.0:
        fix = way_out or "give the link its mass, or fix it to a neighbour (joint type fixed)"
        return f"mass is {mass:g} kg, and the algorithm divides by it; {fix}"
    if np.abs(inertia - inertia.T).max() > _SYMMETRY_TOLERANCE * np.abs(inertia).max():
        return "inertia is not symmetric; give Ixy = Iyx, Ixz = Izx, Iyz = Izy"
    moments = np.linalg.eigvalsh(inertia)
    text = ", ".join(f"{moment:.6g}" for moment in moments)
    if not moments[0] > 0.0:
        fix = way_out or "give the link its inertia, or fix it to a neighbour (joint type fixed)"
        return (
            f"inertia is not positive definite (principal moments {text} kg m^2), and the algorithm inverts "
            f"it; {fix}"
        )
    return None


def _not_rotation(rotation: Numbers) -> NDArray[np.bool_]:
    error = np.abs(transposed(rotation) @ rotation - np.eye(3)).max(axis=(-1, -2))
    return np.asarray((error > _ROTATION_TOLERANCE) | (np.linalg.det(rotation) < 0.0))
