"""A problem: an arm, its state, the torques and the contact, all checked."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from senn.algorithms.problems import states
from senn.algorithms.problems.contact.contact import Contact
from senn.algorithms.problems.contact.kinds import none
from senn.algorithms.problems.contact.state import settled
from senn.algorithms.robots.chain import Chain
from senn.algorithms.spatial import Numbers


@dataclass(frozen=True, eq=False)
class Problem:
    """One forward-dynamics problem of a single closed chain; make it with `resolved`, `draw` or `load`."""

    name: str
    chain: Chain
    gravity: Numbers
    """(3,) m/s^2, base frame."""
    q: Numbers
    """(coordinates,) rad or m; quaternions (w x y z) of unit length. The main chain, base to tip, then its
    branches; so have qd, tau and qdd."""
    qd: Numbers
    """(degrees,) rad/s or m/s."""
    tau: Numbers
    """(degrees,) N m or N."""
    contact: Contact
    """Settled: in end-effector axes, with a classical G_C."""
    qdd: Numbers
    """(degrees,) rad/s^2 or m/s^2: the motion whose torques inverse dynamics gives; forward dynamics reads
    tau."""
    tip_vector: Numbers
    """(6,) wrench or acceleration, frame n+1: what is multiplied by Lambda^-1 or Lambda."""
    notes: tuple[str, ...] = ()
    """What was assumed, one sentence each, for the summary."""
    contact_notes: tuple[str, ...] = ()
    """Those of them that are about the contact."""
    source: str = ""
    """Where it comes from: the text of the file, or the words it was drawn from."""
    drawn: bool = False
    """Whether state, torque and contact were drawn from a seed."""


def resolved(
    chain: Chain,
    gravity: ArrayLike,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    contact: Contact,
    *,
    qdd: ArrayLike | None = None,
    tip_vector: ArrayLike | None = None,
    name: str = "",
    notes: tuple[str, ...] = (),
    source: str = "",
) -> Problem:
    """Check the state and settle what the contact leaves open (G_C); `InputError` names what is wrong."""
    gravity = states.vector(gravity, 3, "gravity", "x, y, z in the base frame")
    asked = np.zeros(chain.degrees) if qdd is None else qdd
    q = states.unit_quaternions(chain, states.shared(chain, chain.q_shares, q, "q"))
    qd, tau, motion = (
        states.shared(chain, chain.qd_shares, value, key)
        for key, value in (("qd", qd), ("tau", tau), ("qdd", asked))
    )
    applied = (0.0, 0.0, 0.0, 0.0, 0.0, 1.0) if tip_vector is None else tip_vector
    vector = states.vector(applied, 6, "tip_vector", "moment or angular, then force or linear")
    contact, taken = settled(contact, chain, q, qd)
    notes = (*chain.notes, *notes, *taken)
    state = (gravity, q, qd, tau, contact, motion, vector)
    return Problem(name or chain.name, chain, *state, notes, taken, source)


def free(problem: Problem) -> Problem:
    """The same with the tip free, for algorithms of the open chain; a note says so if there was a contact."""
    if problem.contact.kind == "none":
        return problem
    note = "the contact was left out: this algorithm is of the open chain, whose tip is free"
    kept = (one for one in problem.notes if one not in problem.contact_notes)
    return replace(problem, contact=none(), notes=(*kept, note), contact_notes=())
