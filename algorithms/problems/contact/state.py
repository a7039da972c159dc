"""What a contact leaves to the state of the arm: axes, what an acceleration means, and G_C.

With the directions W constant in some axes and W'V = 0 in them, now and always, dV/dt in these axes is what W
holds at zero. In end-effector axes that is Featherstone's spatial acceleration, the classical one less
[0; omega x v]; in base axes, with V taken at O_{n+1}, it is the classical one itself.
"""

from dataclasses import replace
from functools import reduce

import numpy as np

from senn.algorithms.problems.contact import words
from senn.algorithms.problems.contact.contact import Contact, Law
from senn.algorithms.problems.contact.words import Touch
from senn.algorithms.robots import newton_euler
from senn.algorithms.robots.chain import Chain, configuration
from senn.algorithms.spatial import Numbers, six

_KEPT = "(the constraint stays satisfied)"
_KEPT_IN_WORLD = "(the constraint, fixed in the world, stays satisfied)"


@np.errstate(all="ignore")  # what overflows is not finite, and refused
def settled(
    contact: Contact | Touch, chain: Chain, q: Numbers, qd: Numbers
) -> tuple[Contact, tuple[str, ...]]:
    """The contact in end-effector axes with a classical G_C (or k1), and what was taken for granted."""
    notes: list[str] = []
    if isinstance(contact, Touch):
        contact, said = words.at(contact, _tip_rotation(chain, q), _velocity(chain, q, qd)[:3])
        notes += said
    if contact.friction is not None:
        notes.append(
            f"mu = {contact.friction:g} was ignored: contacts in words are without friction (kind II has it)"
        )
    found = contact
    if contact.fixed_in == "world":
        found = _in_end_effector_axes(contact, chain, q)
        notes.append(
            "the contact was given in base axes: its directions were turned to end-effector axes at q"
        )
    if contact.G_C is None and contact.fixed_in == "world":
        found = replace(found, G_C=np.zeros(contact.constrained))
        notes.append(f"G_C was left out: taken as 0 {_KEPT_IN_WORLD}")
    elif contact.G_C is None:
        found = replace(found, G_C=found.W.T @ _turning(chain, q, qd))
        notes.append(f"G_C was left out: taken as W'[0; omega x v] of the present state {_KEPT}")
    elif contact.acceleration == "spatial":
        found = _in_classical_acceleration(found, _turning(chain, q, qd))
        what = ("k1", "[0; omega x v]") if contact.law else ("G_C", "W'[0; omega x v]")
        notes.append(f"{what[0]} was given as a spatial acceleration: {what[1]} was added")
    return replace(found, fixed_in="end_effector", acceleration="classical"), tuple(notes)


def _in_end_effector_axes(contact: Contact, chain: Chain, q: Numbers) -> Contact:
    turn = six(_tip_rotation(chain, q).T)
    if contact.law:
        law = contact.law
        turned = Law(turn @ law.M1, turn @ law.k1, turn @ law.M2, turn @ law.k2)
        return replace(contact, law=turned)
    return replace(contact, W=turn @ contact.W, H=turn @ contact.H)


def _in_classical_acceleration(contact: Contact, turning: Numbers) -> Contact:
    if contact.law:
        return replace(contact, law=replace(contact.law, k1=contact.law.k1 + turning))
    assert contact.G_C is not None  # what is left out has no meaning to change
    return replace(contact, G_C=contact.G_C + contact.W.T @ turning)


def _turning(chain: Chain, q: Numbers, qd: Numbers) -> Numbers:
    """[0; omega x v] of the end effector, frame n+1."""
    velocity = _velocity(chain, q, qd)
    return np.concatenate([np.zeros(3), np.cross(velocity[:3], velocity[3:])])


def _velocity(chain: Chain, q: Numbers, qd: Numbers) -> Numbers:
    """[omega; v] of the end effector, frame n+1."""
    return newton_euler.end_effector(chain, q, qd, np.zeros_like(qd))[0]


def _tip_rotation(chain: Chain, q: Numbers) -> Numbers:
    """(3, 3): axes of the end effector in the base."""
    main = chain.main
    return reduce(np.matmul, configuration(main, q[: main.coordinates]).rotation, main.base_rotation)
