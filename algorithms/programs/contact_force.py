"""Step III of Fijany VI.D, by process N: the contact force, Eqs. (29), (25) and (24), or Eqs. (39) and
(38)."""

from __future__ import annotations

from collections.abc import Iterator

from senn.algorithms.arm.contact import given
from senn.algorithms.arm.letters import FORCE, LAMBDA, V_0
from senn.algorithms.kernels import contact as touch
from senn.algorithms.problems.contact.contact import ContactShape
from senn.machine.program import Compute, Instruction, Value


def contact_force(contact: ContactShape) -> Iterator[Instruction]:
    """III.2; what depends on the kind of contact and its numbers of directions is structure."""
    c, f = contact.constrained, contact.free
    held = given(contact)
    if contact.kind == "general":
        omega = Value("Omega.c", None, (6,))
        yield Compute("III.2.i", omega, touch.unknowns(LAMBDA, V_0, *held.values()))
        yield Compute("III.2.ii", FORCE[0], touch.general_force(held["M2"], omega, held["k2"]))
        return
    if c == 0:
        yield Compute("III.2", FORCE[0], touch.given_force(*held.values()))
        return
    k_c, k_f = Value("K_C", None, (c,)), Value("K_F", None, (f,))
    if contact.kind == "II":
        yield Compute("III.2.i", k_c, touch.oblique_force(LAMBDA, V_0, *held.values()))
        yield Compute("III.2.i'", k_f, touch.coupled_force(held["phi"], k_c, held["d"]))
    else:
        yield Compute("III.2.i", k_c, touch.constraint_force(LAMBDA, V_0, *held.values()))
    free = (held["H"], k_f) if f else ()
    yield Compute("III.2.ii", FORCE[0], touch.contact_force(f)(held["W"], k_c, *free))
