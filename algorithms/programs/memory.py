"""What is in the memories before the first cycle: constants and state of link i, at PR_{1,i} and PR_{2,i}.

Fijany VI.D assumes that the constant parameters of link i reside in both processors. Array 1 holds them
turned by R_{i+1} into frame i' (frame i at q_i = 0), so that only Rz(q_i) is left to do (Section V.A).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from senn.algorithms.arm import branch_memory as branches
from senn.algorithms.arm import padding
from senn.algorithms.problems.contact.shape import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs.variant import Variant
from senn.algorithms.robots.chain import Chain, tip_inverse_inertia
from senn.algorithms.spatial import Numbers, complement_rows, hat, inverse_inertia, pack, six
from senn.machine.program import Array, Resident, Value, i, value

Q, QD, TAU = value("q"), value("qd"), value("tau")
QDD = value("qdd")  # of inverse dynamics

# array 1, frame i'
S_TURNED, P_TURNED = value("S'", 3), value("P'", 3)
INVERSE_J, INVERSE_M = value("(J_i)^-1", 6), value("1/m_i")
X_NEXT = value("X", 6, 5)  # -I_i^-1 P^_i W_{i+1} (revolute) or -W_{i+1} (prismatic)
X_TIP = value("X_N", 6, 6)  # I_N^-1 P^_N (revolute) or U (prismatic), columns in frame N+1
BEFORE = value("(I_{i-1,i})^-1", 15)  # restricted to W_i; zero for i = 1
TIP = value("(I_{i,i+1})^-1", 21)
# array 1 of wide arms, frame i + 1
INVERSE_J_LINK, PARAMETER = value("J^-1", 6), value("parameter")

# array 2 (and array 1 in form omega), frame i + 1
R, P_0, S_0 = value("R", 3, 3), value("P_0", 3), value("S_0", 3)
M, J = value("m"), value("J", 6)
Z_LINK = value("z'", 3)  # the axis of joint i
GRAVITY = value("g_1", 3)  # frame 1
UNIT = value("1", 3, 3)


def positions(joints: Sequence[str]) -> Value:
    """q_i: one number of a lean arm, in a wide one as many as any joint has."""
    return value("q", padding.coordinates(joints)) if padding.is_wide(joints) else Q


def before(joints: Sequence[str]) -> Value:
    """BEFORE; of a wide arm all of it, frame i, as W_i is not known beforehand."""
    return value(BEFORE.letter, 21) if padding.is_wide(joints) else BEFORE


def no_e(v: Variant) -> Value:
    """E_i = 0 for i < N."""
    return value("0", v.size, 6)


def no_column(v: Variant) -> Value:
    """One column of it."""
    return value("0'", v.size)


def contact_values(contact: ContactShape) -> dict[str, Value]:
    """What is given of a contact of this shape, frame N+1, by letter; it resides at PR_{2,N}."""
    c, f = contact.constrained, contact.free
    if contact.kind == "general":
        shapes: dict[str, tuple[int, ...]] = {"M1": (6, 6), "k1": (6,), "M2": (6, 6), "k2": (6,)}
    else:
        shapes = {"W": (6, c), "G_C": (c,)} if c else {}
        shapes |= {"H": (6, f)} if f else {}
        shapes |= {"phi": (f, c), "d": (f,)} if contact.kind == "II" else {"K_F": (f,)} if f else {}
    return {letter: Value(letter, None, shape) for letter, shape in shapes.items()}


def resident(v: Variant) -> tuple[Resident, ...]:
    """What each variant of the program holds: the constants of link i, in every array that uses them."""
    last, before_last = i == v.n, i < v.n
    one, solving, moving = v.eliminating, v.solving, v.moving
    held = [Resident(positions(v.joints), _numbers(one, solving, moving))]
    held += _of_wide_links(v) if v.wide else _of_lean_links(v)
    held += [Resident(TIP, (one.number,), last)] if v.closed and not v.branches else []
    held += [Resident(padding.of_joint(x, v.joints), (a.number,)) for x, a in ((QD, moving), (TAU, solving))]
    held += [Resident(x, (moving.number,)) for x in (M, J)]
    if v.form == "paper":
        held += [Resident(no_column(v), _numbers(*v.columns), before_last)] if v.columns else []
        held += [] if v.columns else [Resident(no_e(v), (one.number,), before_last)]
        held += [Resident(UNIT, (moving.number,), last), Resident(GRAVITY, (moving.number,), i == 1)]
    else:
        held += [Resident(GRAVITY, (moving.number,))]
    if not v.closed:
        return tuple(held)
    held += [Resident(x, (solving.number,), last) for x in contact_values(v.contact).values()]
    return tuple(held)


def resident_of_motion(joints: Sequence[str], *more: Value) -> tuple[Resident, ...]:
    """What Newton-Euler in frame 1 needs, on one array; and `more`."""
    state = (positions(joints), padding.of_joint(QD, joints))
    axes = PARAMETER if padding.is_wide(joints) else Z_LINK
    return tuple(Resident(x, (1,)) for x in (*state, S_0, M, J, R, P_0, axes, GRAVITY, *more))


def _of_lean_links(v: Variant) -> list[Resident]:
    """Constants of links and joints, revolute and prismatic."""
    one, solving, moving = v.eliminating, v.solving, v.moving
    if v.branches:
        held = list(_beside_branches(v))
    else:
        held = [Resident(x, (one.number,)) for x in (S_TURNED, P_TURNED, INVERSE_J, INVERSE_M, BEFORE)]
        held += [Resident(X_NEXT, (one.number,), i < v.n)]
        held += [Resident(X_TIP, (one.number,), i == v.n)] if v.closed else []
    turning = _numbers(solving, moving, *((one,) if v.form == "omega" else ()))
    held += [Resident(S_0, (moving.number,)), *(Resident(x, turning) for x in (R, P_0))]
    if v.branches and one.number not in turning:
        held += [Resident(x, (one.number,), v.branched) for x in (R, P_0)]
    return held if v.form == "paper" else [*held, Resident(Z_LINK, (moving.number,))]


def _of_wide_links(v: Variant) -> list[Resident]:
    """The same for joints of all types."""
    one, all_ = v.eliminating, _numbers(v.eliminating, v.solving, v.moving)
    held = [Resident(x, (one.number,)) for x in (INVERSE_J_LINK, INVERSE_M, before(v.joints))]
    held += [Resident(S_0, _numbers(one, v.moving))]
    return held + [Resident(x, all_) for x in (PARAMETER, R, P_0)]


def _beside_branches(v: Variant) -> Iterator[Resident]:
    """What array 1 holds of an arm with branches: constants of Step I.a where they are constants, and the
    branches."""
    one, plain = v.eliminating.number, v.plain
    assert plain is not None
    yield from (Resident(x, (one,), plain) for x in (S_TURNED, P_TURNED, INVERSE_J, INVERSE_M))
    yield Resident(BEFORE, (one,), plain.shifted(1) | (i == 1))
    yield Resident(X_NEXT, (one,), plain & (i < v.n))
    if v.closed:
        yield from (Resident(x, (one,), plain & (i == v.n)) for x in (X_TIP, TIP))
    yield from branches.resident(v.width, v.branched, one, v.moving.number, v.solving.number)


def _numbers(*arrays: Array) -> tuple[int, ...]:
    return tuple(sorted({array.number for array in arrays}))


def memory(problem: Problem) -> dict[str, Numbers]:
    """The resident values of a problem by letter, each with a row per process (what a form does not hold is
    not read). Constants that exist at some processes only are zero elsewhere."""
    chain, n = problem.chain, problem.chain.n
    size = padding.rows(chain.joints)
    return {
        **(_of_wide_memory(problem) if padding.is_wide(chain.joints) else _of_lean_memory(problem)),
        "1/m_i": 1.0 / chain.mass,
        "(I_{i,i+1})^-1": np.tile(pack(tip_inverse_inertia(chain)), (n, 1)),
        "0": np.zeros((n, size, 6)),
        "0'": np.zeros((n, size)),
        "R": chain.rotation,
        "P_0": chain.position,
        "S_0": chain.centre,
        "m": chain.mass,
        "J": pack(chain.inertia),
        "g_1": np.tile(chain.base_rotation.T @ problem.gravity, (n, 1)),
        "1": np.tile(np.eye(3), (n, 1, 1)),
        **contact_memory(problem),
    }


def _of_lean_memory(problem: Problem) -> dict[str, Numbers]:
    """State, and the constants of links that revolute and prismatic joints move."""
    chain, n = problem.chain, problem.chain.n
    turn, turn6 = chain.rotation, six(chain.rotation)
    inverse = np.linalg.inv(chain.inertia)
    kept = complement_rows(chain.joints)
    revolute = np.array([joint == "revolute" for joint in chain.joints])
    # I_i^-1 P^_i about O_i in frame i+1, constant for a revolute joint
    reach = inverse_inertia(chain.mass, inverse, chain.centre) @ hat(chain.position)
    x = turn6 @ np.where(revolute[:, None, None], reach, np.eye(6))
    links = np.arange(n)[:, None, None]
    return {
        "q": problem.q[:n],
        "qd": problem.qd[:n],
        "tau": problem.tau[:n],
        "qdd": problem.qdd[:n],
        "S'": (turn @ chain.centre[..., None])[..., 0],
        "P'": (turn @ chain.position[..., None])[..., 0],
        "(J_i)^-1": pack(turn @ inverse @ np.swapaxes(turn, -1, -2)),
        "X": -np.concatenate([np.take_along_axis(x[:-1], kept[1:, None, :], axis=2), np.zeros((1, 6, 5))]),
        "X_N": x,
        "(I_{i-1,i})^-1": pack(_before(chain)[links, kept[:, :, None], kept[:, None, :]]),
        "z'": chain.rotation[:, 2, :],
        **branches.memory(problem),
    }


def _of_wide_memory(problem: Problem) -> dict[str, Numbers]:
    """The same for joints of all types: rows of the state filled up with zeros."""
    chain = problem.chain
    return {
        "q": chain.q_shares.stacked(problem.q),
        "qd": chain.qd_shares.stacked(problem.qd),
        "tau": chain.qd_shares.stacked(problem.tau),
        "qdd": chain.qd_shares.stacked(problem.qdd),
        "parameter": chain.parameters,
        "J^-1": pack(np.linalg.inv(chain.inertia)),
        "(I_{i-1,i})^-1": pack(_before(chain)),
    }


def contact_memory(problem: Problem) -> dict[str, Numbers]:
    """The resident values of the contact by letter, as for `memory`."""
    contact = problem.contact
    if not contact.settled or contact.G_C is None:
        raise ValueError("the contact is not settled (G_C, axes): make the problem with problem.resolved")
    blocks = {"W": contact.W, "H": contact.H, "G_C": contact.G_C}
    blocks |= {"phi": contact.phi, "d": contact.K_F} if contact.kind == "II" else {}
    blocks |= dict(vars(contact.law)) if contact.law else {"K_F": contact.K_F}
    n = problem.chain.n
    return {name: np.tile(block, (n, *np.ones(block.ndim, dtype=int))) for name, block in blocks.items()}


def _before(chain: Chain) -> Numbers:
    """The inverse inertia of link i-1 about O_i in frame i (Eq. (75)), (n, 6, 6); 0 for i = 1.

    It is Eq. (76) with J_{i-1}^-1 and the vector S_{i-1} - P_{i-1}, where what joint i-1 moves cancels.
    """
    about = inverse_inertia(chain.mass, np.linalg.inv(chain.inertia), chain.centre - chain.position)
    return np.concatenate([np.zeros((1, 6, 6)), about[:-1]])
