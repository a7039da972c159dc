"""The values of the star program. A letter that has 1..i or i..N in it belongs to the span of these links."""

from __future__ import annotations

from dataclasses import dataclass

from senn.machine.program import Letter, Value, value

# Constants of link i about O_{i+1} in frame i+1 (`numbers.memory`); A, J and w at q_i = 0
S_OUTER, AXIS, BORNE = value("S", 3), value("H_i", 6), value("IH", 6)
INVERSE_D, AXIS_D = value("1/D"), value("H/D", 6)
B_HELD, C_HELD = value("H, D", 7, 1), value("C'", 21)
A_HELD, J_HELD, W_HELD = value("A'", 6, 6), value("J'", 21), value("w'", 6)
# The link as a two-port, and what velocity and torque do to it
MOTION = Letter("C, omega", (4, 3))
A_LINK, J_LINK, BIAS_LINK = value("A", 6, 6), value("J^a", 21), value("b, eta", 12)
SWERVE, LOAD, DRIVE = value("c", 6), value("I c + p", 6), value("r")
B_LINK, BORNE_WRENCH, ETA = value("b", 6), value("I b + p", 6), value("eta", 6)
# Of links 1..i, at the end: b, as it is sent, and as it is found
SENT, FREE = value("b of 1..i", 6), value("b_{1..i}", 6)
# At the cut before link i
LU, REACH, STILL = value("K", 63), value("N", 6, 6), value("k", 6)
A_BEFORE, WRENCH = value("a_{i-1}", 6), value("F", 6)
FORCE_BEYOND, FORCE_AT_TIP = value("F_{i+1}", 6), value("F_{N+1}", 6)


@dataclass(frozen=True)
class Span:
    """The letters of one family of spans, and of what makes a product of two."""

    which: str

    def _letter(self, name: str, *shape: int) -> Letter:
        return Letter(f"{name}({self.which})", shape)

    @property
    def a(self) -> Letter:
        return self._letter("A", 6, 6)

    @property
    def j(self) -> Letter:
        return self._letter("J", 21)

    @property
    def c(self) -> Letter:
        return self._letter("C", 21)

    def b(self, level: int) -> Value:
        """C by its factors, a column for each link."""
        return Value(f"B, D({self.which})", level, (7, 2**level))

    @property
    def bias(self) -> Letter:
        return self._letter("b, eta", 12)

    @property
    def lu(self) -> Letter:
        """What K = (1 + C_x J_y)^-1 is known by."""
        return self._letter("K", 63)

    def q(self, level: int) -> Value:
        """The same where C is held by its factors."""
        return Value(f"Q, P({self.which})", level, (14, 2**level))

    @property
    def still(self) -> Letter:
        """K (b_x - C_x eta_y)."""
        return self._letter("k", 6)

    @property
    def k_a(self) -> Letter:
        return self._letter("K A", 6, 6)


INNER, OUTER = Span("1..i"), Span("i..N")
