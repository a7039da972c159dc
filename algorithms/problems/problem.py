"""A problem: an arm, its state, the torques and the contact, all checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from senn.algorithms.problems import states
from senn.algorithms.problems.contact_forms import Touch, settled, taken
from senn.algorithms.problems.contacts import Contact, none
from senn.algorithms.robots.chain import Chain, inertial_fault
from senn.algorithms.spatial import Numbers
from senn.base import files
from senn.base.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from senn.algorithms.problems.states import Given

ALONG_Z = (0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
"""The `tip_vector` that is taken where none is given: 1 N, or 1 m/s^2."""


@dataclass(frozen=True, eq=False)
class Problem:
    """One problem of a single closed chain; make it with `senn.problem`, `load` or `draw`.

    What follows from the state, such as `contact`, is derived from it whenever it is asked for, never kept:
    `at`, and `dataclasses.replace` too, give the problem that one would have written down with these numbers.
    All are checked; `InputError` names the wrong entry.
    """

    name: str
    chain: Chain
    gravity: Numbers  # (3,) m/s^2, base frame
    q: Numbers
    """(coordinates,) rad or m; quaternions (w x y z) of unit length. The main chain, base to tip, then its
    branches; so have qd, tau and qdd."""
    qd: Numbers  # (degrees,) rad/s or m/s
    tau: Numbers  # (degrees,) N m or N
    contact_input: Contact | Touch  # As it was given; what it leaves to the state, `contact` settles
    qdd: Numbers = field(default_factory=lambda: np.zeros(0))
    """(degrees,) rad/s^2 or m/s^2: the motion whose torques inverse dynamics gives; forward dynamics reads
    tau. Left out: 0."""
    tip_vector: Numbers = field(default_factory=lambda: np.array(ALONG_Z))
    """(6,) wrench or acceleration, frame n+1: what is multiplied by Lambda^-1 or Lambda."""
    remarks: tuple[str, ...] = ()
    """What was assumed, one sentence each, beside what robot, seed and contact say themselves."""
    source: str = ""  # Where it comes from: the text of the file, or the words it was drawn from
    changed: tuple[str, ...] = ()  # Names of the numbers that were given in place of those of the source
    seed: int | None = None
    draws: Mapping[str, bool] = field(default_factory=dict)
    """What was drawn from the seed, of q, qd, tau and contact; false: the numbers of some joints."""

    @np.errstate(all="ignore")  # what overflows is not finite, and refused
    def __post_init__(self) -> None:
        chain = self.chain
        for link in np.flatnonzero(chain.mass == 0.0)[:1]:  # the algorithm divides by it
            raise InputError(f"{chain.label(int(link) + 1)}: {inertial_fault(0.0, chain.inertia[link])}")
        q = states.unit_quaternions(chain, states.shared(chain, self.q, "q"))
        if not np.size(self.qdd):
            object.__setattr__(self, "qdd", np.zeros(chain.degrees))
        checked = {
            "gravity": states.gravity(self.gravity),
            "q": q,
            **{key: states.shared(chain, getattr(self, key), key) for key in ("qd", "tau", "qdd")},
            "tip_vector": states.tip_vector(self.tip_vector),
        }
        for key, value in checked.items():
            object.__setattr__(self, key, value)

    def __repr__(self) -> str:
        """Short: the arm, its state, and the contact of its tip."""
        chain, contact = self.chain, self.contact
        return (
            f"Problem({self.name!r}: robot {chain.name!r}, {len(chain.all_joints)} joints, "
            f"contact {contact.called!r})"
        )

    @cached_property
    def _settled(self) -> tuple[Contact, tuple[str, ...]]:
        return settled(self.contact_input, self.chain, self.q, self.qd)

    @property
    def contact(self) -> Contact:
        """The contact at this state: in end-effector axes, with a classical G_C."""
        return self._settled[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """Assumptions, one sentence each, for the summary."""
        drawn = states.drawn_in_words(self.draws)
        lines = (f"{drawn} drawn from seed {self.seed}",) if drawn else ()
        doubtful = states.doubtful(self.chain, self.q)
        return (*self.chain.notes, *lines, *doubtful, *self.remarks, *self._settled[1])

    @property
    def drawn(self) -> bool:
        """Whether state and contact were drawn from a seed."""
        return {"q", "contact"} <= self.draws.keys()

    @property
    def numbers(self) -> dict[str, Numbers]:
        """Gravity, q, qd, tau, qdd and tip_vector, by their names."""
        names = ("gravity", "q", "qd", "tau", "qdd", "tip_vector")
        return {name: getattr(self, name) for name in names}

    def at(
        self,
        *,
        q: Given = None,
        qd: Given = None,
        tau: Given = None,
        qdd: Given = None,
        gravity: ArrayLike | None = None,
        contact: str | Mapping[str, Any] | Contact | Touch | None = None,
        tip_vector: ArrayLike | None = None,
    ) -> Problem:
        """The problem with another state, other torques or another contact.

        What is not given stays as it is, torques too. A mapping gives some joints by their names; the others
        keep their numbers. What depends on the state is derived again: the contact's axes and its G_C where
        that was left out.

        >>> from senn.algorithms import problems
        >>> faster = problems.load("ssrms").at(qd={"shoulder_roll": 0.3})
        >>> faster.qd[0], faster.qd[1]
        (np.float64(0.3), np.float64(0.0014))
        """
        state = {"q": q, "qd": qd, "tau": tau, "qdd": qdd}
        others = {"gravity": gravity, "tip_vector": tip_vector, "contact": contact}
        new: dict[str, Any] = {
            key: states.overlaid(self.chain, key, getattr(self, key), value)[0]
            for key, value in state.items()
            if value is not None
        }
        new |= {key: value for key, value in others.items() if value is not None}
        changed = dict.fromkeys((*self.changed, *new))
        in_part = {key for key, value in state.items() if isinstance(value, Mapping)}
        draws = {
            key: is_whole and key not in in_part
            for key, is_whole in self.draws.items()
            if key not in new or key in in_part
        }
        if "contact" in new:
            new["contact_input"] = taken(new.pop("contact"))
        return replace(self, **new, changed=tuple(changed), draws=draws)

    def plot(self, ax: Axes | None = None) -> Axes:
        """The arm at q, links in the colours of their processes (`senn.algorithms.problems.picture`)."""
        from senn.algorithms.problems.picture import picture

        return picture(self.chain, self.q, self.name, ax)

    def write(self, path: str | PathLike[str]) -> Path:
        """Write the whole problem, robot and all, as one file that can be read anywhere; a file that is there
        is replaced.

        `senn.read`, `senn run` and all that takes problem files make of it this problem, to the last bit, by
        the name of the file. What was drawn is then given.
        """
        place = Path(path)
        if place.suffix.lower() != ".toml":
            raise InputError(f"{place}: a problem file ends in .toml; name it so")
        files.write_text(place, self.text)
        return place

    @property
    def text(self) -> str:
        """The text of its file."""
        from senn.algorithms.problems import writer

        return writer.text(self.chain, self.numbers, self.contact_input, self.notes)


def free(problem: Problem) -> Problem:
    """The problem with the tip free, for algorithms of the open chain; a note names a contact left out."""
    if problem.contact.kind == "none":
        return problem
    note = "the contact was left out: this algorithm is of the open chain, whose tip is free"
    return replace(problem, contact_input=none(), remarks=(*problem.remarks, note))


# -------- solutions


@dataclass(frozen=True, eq=False)
class Solution:
    """The answers of Fijany Table I for one problem; every solver of this project returns this."""

    qdd: Numbers  # (degrees,) joint accelerations of the closed chain, rad/s^2 or m/s^2
    force: Numbers
    """(6,) contact force [moment; force] BY the end effector ON the environment, frame n+1 at O_{n+1}; N m,
    N."""
    lambda_inverse: Numbers
    """(6, 6) inverse of the operational space mass matrix, frame n+1 at O_{n+1} (Fijany Eq. (21))."""
    qdd0: Numbers  # (degrees,) joint accelerations of the open chain (Fijany Eq. (15)).
    acceleration0: Numbers
    """(6,) end-effector acceleration of the open chain (Fijany Eq. (19)): classical, [angular; of the point
    O_{n+1}], frame n+1, without any trace of gravity put in as a base acceleration."""
    forces: Numbers
    """(n, 6) interbody forces of the closed chain: row i-1 is the wrench [moment; force] that link i-1 exerts
    on link i, at O_i in frame i; N m, N. H_i' of it is tau_i."""
