"""What is in the memories before the first cycle: constants and state of link i, at PR_{1,i} and PR_{2,i}.

Fijany VI.D assumes that the constant parameters of link i reside in both processors. Array 1 holds them
turned by R_{i+1} into frame i' (frame i at q_i = 0), so that only Rz(q_i) is left to do (Section V.A).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from senn.algorithms.branches import resident as branches
from senn.algorithms.chain import Chain, tip_inverse_inertia
from senn.algorithms.contact_shape import ContactShape
from senn.algorithms.problem import Problem
from senn.algorithms.spatial import Array as Numbers
from senn.algorithms.spatial import IntArray, complement_rows, hat, inverse_inertia, pack, six
from senn.algorithms.variant import Variant
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
NO_E = value("0", 5, 6)  # E_i = 0 for i < N
NO_COLUMN = value("0'", 5)  # one column of it

# array 2 (and array 1 in form omega), frame i + 1
R, P_0, S_0 = value("R", 3, 3), value("P_0", 3), value("S_0", 3)
M, J = value("m"), value("J", 6)
Z_LINK = value("z'", 3)  # the axis of joint i
GRAVITY = value("g_1", 3)  # frame 1
UNIT = value("1", 3, 3)


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
    last, before = i == v.n, i < v.n
    one, solving, moving = v.eliminating, v.solving, v.moving
    held = [Resident(Q, _numbers(one, solving, moving))]
    if v.branches:
        held += _beside_branches(v)
    else:
        held += [Resident(x, (one.number,)) for x in (S_TURNED, P_TURNED, INVERSE_J, INVERSE_M, BEFORE)]
        held += [Resident(X_NEXT, (one.number,), before)]
        held += [Resident(x, (one.number,), last) for x in (X_TIP, TIP) if v.closed]
    held += [Resident(QD, (moving.number,)), Resident(TAU, (solving.number,))]
    held += [Resident(x, (moving.number,)) for x in (S_0, M, J)]
    turning = _numbers(solving, moving, *((one,) if v.form == "omega" else ()))
    held += [Resident(x, turning) for x in (R, P_0)]
    if v.branches and one.number not in turning:
        held += [Resident(x, (one.number,), v.branched) for x in (R, P_0)]
    if v.form == "paper":
        held += [Resident(NO_COLUMN, _numbers(*v.columns), before)] if v.columns else []
        held += [] if v.columns else [Resident(NO_E, (one.number,), before)]
        held += [Resident(UNIT, (moving.number,), last), Resident(GRAVITY, (moving.number,), i == 1)]
    else:
        held += [Resident(x, (moving.number,)) for x in (Z_LINK, GRAVITY)]
    if not v.closed:
        return tuple(held)
    held += [Resident(x, (solving.number,), last) for x in contact_values(v.contact).values()]
    return tuple(held)


def resident_of_motion(*more: Value) -> tuple[Resident, ...]:
    """What Newton-Euler in frame 1 needs, on one array; and `more`."""
    return tuple(Resident(x, (1,)) for x in (Q, QD, S_0, M, J, R, P_0, Z_LINK, GRAVITY, *more))


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
    turn, turn6 = chain.rotation, six(chain.rotation)
    inverse = np.linalg.inv(chain.inertia)
    kept = complement_rows(chain.joints)
    revolute = np.array([joint == "revolute" for joint in chain.joints])
    # I_i^-1 P^_i about O_i in frame i+1, constant for a revolute joint
    reach = inverse_inertia(chain.mass, inverse, chain.centre) @ hat(chain.position)
    x = turn6 @ np.where(revolute[:, None, None], reach, np.eye(6))
    return {
        "q": problem.q[:n],
        "qd": problem.qd[:n],
        "tau": problem.tau[:n],
        "qdd": problem.qdd[:n],
        "S'": (turn @ chain.centre[..., None])[..., 0],
        "P'": (turn @ chain.position[..., None])[..., 0],
        "(J_i)^-1": pack(turn @ inverse @ np.swapaxes(turn, -1, -2)),
        "1/m_i": 1.0 / chain.mass,
        "X": -np.concatenate([np.take_along_axis(x[:-1], kept[1:, None, :], axis=2), np.zeros((1, 6, 5))]),
        "X_N": x,
        "(I_{i-1,i})^-1": _before(chain, kept),
        "(I_{i,i+1})^-1": np.tile(pack(tip_inverse_inertia(chain)), (n, 1)),
        "0": np.zeros((n, 5, 6)),
        "0'": np.zeros((n, 5)),
        "R": chain.rotation,
        "P_0": chain.position,
        "S_0": chain.centre,
        "m": chain.mass,
        "J": pack(chain.inertia),
        "z'": chain.rotation[:, 2, :],
        "g_1": np.tile(chain.base_rotation.T @ problem.gravity, (n, 1)),
        "1": np.tile(np.eye(3), (n, 1, 1)),
        **branches.memory(problem),
        **contact_memory(problem),
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


def _before(chain: Chain, kept: IntArray) -> Numbers:
    """The inverse inertia of link i-1 about O_i in frame i, restricted to W_i (Eq. (75)); 0 for i = 1.

    It is Eq. (76) with J_{i-1}^-1 and the vector S_{i-1} - P_{i-1}, where q_{i-1} cancels.
    """
    about = inverse_inertia(chain.mass, np.linalg.inv(chain.inertia), chain.centre - chain.position)
    links = np.arange(chain.n - 1)[:, None, None]
    restricted = about[links, kept[1:, :, None], kept[1:, None, :]]
    return np.concatenate([np.zeros((1, 15)), pack(restricted)])
