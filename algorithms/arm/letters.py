"""The nomenclature: every value of the closed chain once, with its shape and its frame. No letter has two
meanings.

Fijany uses some letters twice. C, D, E, F, G and K are those of the elimination (VI.D, Step I.b), never the
operators of Section V; the contact force is `Force`, the inertial moment `n*`. Frames: i is fixed in link i-1
with z on joint i; "common" is frame N+1 in the paper's form, frame 1 in the short ones.

Some sizes are the arm's: its class puts the numbers in (`senn.algorithms.arm`). In an arm of revolute and
prismatic joints a block of A is 5x5, and what belongs to a joint is one number.
"""

from __future__ import annotations

from senn.algorithms.problems.contacts import ContactShape
from senn.machine.program import Letter, Value, levels, value


class Size(int):
    """A size that the arm decides, equal to itself alone; as a number, that of a lean arm."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


ROWS = Size(5)  # of a block of A: what a joint forbids
PACKED = Size(15)  # words of a symmetric block of A
FREEDOM = Size(1)  # what a joint allows; one number of a lean arm has no axis for it
COORDINATES = Size(1)  # numbers of q of a joint; the same
INNER = Size(1)  # what a joint other than the first allows; no axis where FREEDOM has none
WITH_INNER, WITH_FREEDOM = Size(7), Size(7)  # six words, and those of a joint behind them
REST = Size(15)  # words of (I_{i-1,i})^-1 as it is held: restricted to W_i where W_i is constant

# ------------------------------------------------- held from the beginning: state
Q, QD, TAU = value("q", COORDINATES), value("qd", FREEDOM), value("tau", FREEDOM)
QDD_GIVEN = value("qdd", FREEDOM)  # of inverse dynamics
# ------------------------------------------------- constants of link i, frame i' (frame i at q_i = 0)
S_TURNED, P_TURNED = value("S'", 3), value("P'", 3)
INVERSE_J, INVERSE_M = value("(J_i)^-1", 6), value("1/m_i")
X_NEXT = value("X", 6, 5)  # -I_i^-1 P^_i W_{i+1} (revolute) or -W_{i+1} (prismatic)
X_TIP = value("X_N", 6, 6)  # I_N^-1 P^_N (revolute) or U (prismatic), columns in frame N+1
BEFORE = value("(I_{i-1,i})^-1", REST)  # zero for i = 1
TIP = value("(I_{i,i+1})^-1", 21)  # frame i+1
# ------------------------------------------------- constants of link i, frame i+1
R, P_0, S_0 = value("R", 3, 3), value("P_0", 3), value("S_0", 3)
M, J, INVERSE_J_LINK = value("m"), value("J", 6), value("J^-1", 6)
Z_LINK = value("z'", 3)  # the axis of joint i
PARAMETER = value("parameter")  # of a joint that is neither revolute nor prismatic
GRAVITY = value("g_1", 3)  # frame 1
UNIT = value("1", 3, 3)
NO_E, NO_COLUMN = value("0", ROWS, 6), value("0'", ROWS)  # E_i = 0 for i < N, and one column of it

# ------------------------------------------------- link i seen from frame i (I.a.1, II.a.1)
RZ = value("Rz", 2)  # [cos q_i, sin q_i]
C_NEXT = value("C(i,i+1)", 3, 3)
P_LINK, S_LINK = value("P", 3), value("S", 3)  # frame i+1
I_INVERSE = value("(I_i)^-1", 21)  # at O_i, frame i, Eq. (76)
H, W_A, TILT = value("H(q)", 6, FREEDOM), value("W_a(q)", 6, FREEDOM), value("tilt", 2)

# ------------------------------------------------- the matrix A and its elimination (I.a, I.b)
A, LDL = Letter("A", (PACKED,)), Letter("LDL", (PACKED,))  # diagonal block, and its factor
B, L = Letter("B", (ROWS, ROWS)), Letter("L", (ROWS, ROWS))  # block to i + h; block B_{i-h} from the left
C, F, K = (Letter(name, (ROWS, ROWS)) for name in ("C", "F", "K"))
D, G = Letter("D", (PACKED,)), Letter("G", (PACKED,))
E = value("E", ROWS, 6)  # E_N, Eq. (83)

# ------------------------------------------------- Lambda^-1 (I.c)
PSI, E_SENT, H_SENT = (Letter(name, (ROWS, 6)) for name in ("Psi", "e.E", "h.E"))
OMEGA_E = value("Omega", ROWS, 6)
THETA, LAMBDA = value("Theta", 21), value("Lambda^-1", 21)
Y_ROW = value("y", FREEDOM, 6)  # rows of M^-1 J' that belong to joint i

# ------------------------------------------------- Newton-Euler, common frame (II.a, II.b.1)
C_TO, C_FROM, G_TO = Letter("C(N+1,i)", (3, 3)), Letter("C(1,i+1)", (3, 3)), Letter("g", (3,))
TURN, TURN_BEFORE = value("T", 3, 3), value("T_{i-1}", 3, 3)  # C(common, i+1) and C(common, i)
AXES = value("Hc", 6, FREEDOM)  # of joints of any type
Z, P, S = value("z", 3), value("p", 3), value("s", 3)
OMEGA, WDOT, V = Letter("omega", (3,)), Letter("wdot", (3,)), Letter("v", (3,))
U = value("U", 3, 3)
SLIDING = value("c", 3)  # acceleration in the joint, joints that slide only
GYRATION, PRECESSION, TURNED = value("omega x w", 3), value("(Hdot qd)_w", 3), value("(H qdd)_w", 3)
V_REL, CORIOLIS = value("v_rel", 3), value("c'", 3)
SWERVE, SLID = value("(Hdot qd)_v", 3), value("(H qdd)_v", 3)
V_OWN, A_AT_REST, A_CENTRE = value("v'", 3), value("a'", 3), value("a", 3)
F_STAR, N_STAR, N_JOINT = value("f*", 3), value("n*", 3), value("n'", 3)
F_LOADED, N_OWN = value("f*'", 3), value("n*'", 3)  # with what else acts on a link; n' without it
TIP_LOAD = value("nf", 6)  # what the end effector exerts, common frame, about O_{N+1}
FORCES, MOMENTS = Letter("f", (3,)), Letter("n", (3,))
WRENCH = Letter("pfn", (3, 3))  # rows p, f, n

JET = Letter("jet", (8, 3))  # rows R, p, omega, u, wdot, b of links up to i, frame 1
CENTRE, PLACE = value("s_1", 3), value("p_1", 3)  # centre of mass and O_{i+1} from O_1
WRENCH_AT_BASE = Letter("fn_1", (2, 3))  # rows f, n about O_1
ARM_OF_CENTRE = value("s-p", 3)  # from O_{i+1} to the centre of mass, frame 1
INERTIAL, INERTIAL_X = value("nf*", 6), value("I^-1 nf*", 6)  # of link i alone, about O_{i+1} in frame i+1

# ------------------------------------------------- Qdd_0, the contact, Qdd (II.b.2 to IV)
BIAS, F_T, F_G = value("b", FREEDOM), value("F_T", FREEDOM), value("F_G", FREEDOM)
QDD_0, QDD_C, QDD = value("Qdd_0", FREEDOM), value("Qdd_C", FREEDOM), value("Qdd", FREEDOM)
DW, DV = Letter("dw", (3,)), Letter("dv", (3,))
V_END, V_0 = value("V''", 6), value("Vdot_0", 6)
FORCE = Letter("Force", (6,))  # of the contact, frame N+1
UNKNOWNS = value("Omega.c", 6)  # of a general contact
P_TIP = Letter("P_{N+1,i}", (3,))
REACTION = value("tau'", FREEDOM)


PARTS = "forces."
"""How a program's results name the parts of the interbody forces."""


class Names:
    """The values of one application of M^-1; `mark` keeps those of several apart. With `columns`, so many
    right-hand sides at once."""

    def __init__(self, mark: str = "", columns: int | None = None) -> None:
        self.mark, self.columns = mark, () if columns is None else (columns,)
        self.x1, self.x4, self.x5 = (self.value(name, 6) for name in ("X^1", "X^4", "X^5"))
        self.x2, self.phi = self.value("X^2", ROWS), self.value("phi", ROWS)
        self.driven = self.value("X^1~", 6)  # X^1 of the joint torques alone, where something else is in it
        self.carried = self.value("Y", 6)

    def value(self, name: str, *shape: int) -> Value:
        return value(name + self.mark, *shape, *self.columns)

    def letter(self, name: str) -> Letter:
        return Letter(name + self.mark, self.value(name, ROWS).shape)


STEP_II, STEP_IV, UNIT_WRENCHES = Names(), Names(".c"), Names(".w", 6)


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


def last(x: Letter, n: int) -> Value:
    """x[M], what a recurrence or an elimination ends with."""
    return x[levels(n)]
