"""Answers of algorithms: one row an answer, with its shape and its units.

From these rows come the summary of a run and `--json`, the errors of a certificate and their names, the
shapes of what one node leaves behind, and the question that an algorithm is listed under.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEGREES, LINKS = "degrees", "links"


@dataclass(frozen=True)
class Answer:
    """One quantity that an algorithm can answer, in the frames of `senn.algorithms.problems.problem`."""

    name: str  # In `run.result` and result.npz
    title: str  # In the summary of a run
    shape: tuple[int | str, ...]  # 6, or DEGREES of freedom, or LINKS, along each axis
    units: tuple[str, ...]
    """Over degrees of freedom: where a joint turns, where it slides. At the end effector and between links:
    of the first three components, of the last three."""
    note: str
    """Note for readers of the numbers; {x} is the problem's tip_vector, {order} the order of the joints."""
    question: str  # What it answers: the family of algorithms that it is listed under
    parts: tuple[str, str] = ("moment", "force")  # What the components at the end effector are
    symbol: str = ""  # In the message of a certificate; else the title
    right: Callable[[Any], NDArray[Any]] | None = None
    """The right answer, of `certificate.refined.Refined`; None: the attribute of the same name."""
    of_mass: bool = False  # Made of Lambda, which must exist
    of_contact: bool = False  # There is none where the end effector is free
    shown: bool = True  # Whether the summary and `--json` have it
    printed: str = ""  # Its name in `--json` and, with _error, in a certificate; else its own
    usual: bool = False  # Whether `--json` always has it: null where it was not asked for

    @property
    def error(self) -> str:
        """The name of its error in a certificate."""
        return f"{self.printed or self.name}_error"

    @property
    def by_joint(self) -> bool:
        """Whether a row of it belongs to a joint, and is compared by itself too."""
        return isinstance(self.shape[0], str)

    @property
    def joint_error(self) -> str:
        """The name of the error of the joint that is the furthest off."""
        return f"{self.error.removesuffix('_error')}_joint_error"

    def sizes(self, degrees: int, links: int = 0) -> tuple[int, ...]:
        """The shape of the array, for an arm of so many degrees of freedom and links."""
        lengths = {DEGREES: degrees, LINKS: links}
        return tuple(lengths[size] if isinstance(size, str) else size for size in self.shape)


class Figure(NamedTuple):
    """An error or a residual of a certificate, in words."""

    title: str  # In the summary
    phrase: str  # In the message of a certificate that does not hold


RESIDUALS: Mapping[str, Figure] = {
    "residual": Figure("equations of motion, residual", "residual of the equations of motion"),
    "contact_residual": Figure("contact condition, residual", "residual of the contact"),
}
"""Residuals, which judge accelerations and forces without another solver."""


def figures() -> dict[str, Figure]:
    """Whatever a certificate can hold, by name, in the order of a summary."""
    table: dict[str, Figure] = {}
    for answer in ANSWERS.values():
        phrase = f"error of {answer.symbol or answer.title}"
        table.setdefault(answer.error, Figure(answer.title, phrase))
        if answer.by_joint:
            table.setdefault(answer.joint_error, Figure("  at every joint", f"{phrase} at joint"))
    return {**table, **RESIDUALS}


def figure(name: str) -> Figure:
    """An error or residual of a certificate; of a program that is no robot's, the error of a result."""
    result = name.removesuffix("_error")
    return figures().get(name, Figure(result, f"error of {result}"))


_TIP = "in end-effector axes"
_DIAGONAL_AT_TIP = "its diagonal, in end-effector axes"
_OF_VECTOR = "of x = {x}, the tip_vector, in end-effector axes"
_DIAGONAL = "in result.npz; its diagonal base to tip"
_BY_JOINT = "{order}"
FORWARD, INVERSE = "forward dynamics", "inverse dynamics"
MASS, END = "mass matrix", "operational space"

_RATES, _LOADS, _PAIRS = ("rad/s^2", "m/s^2"), ("N m", "N"), (DEGREES, DEGREES)
_MASSES, _INVERSES, _MOTION = ("kg m^2", "kg"), ("1/(kg m^2)", "1/kg"), ("angular", "linear")
_N = (DEGREES,)
_FREE, _VDOT = "joint accelerations, were the tip free", "Vdot_0, were the tip free"
_FORCE = "by the arm on its surroundings, in end-effector axes"
_FORCES = "of a link on the next; the largest of them"


_ROWS = (
    Answer("qdd", "joint accelerations", _N, _RATES, _BY_JOINT, FORWARD, symbol="qdd", usual=True),
    Answer("qdd0", _FREE, _N, _RATES, _BY_JOINT, FORWARD, symbol="qdd_0", shown=False),
    Answer("acceleration0", _VDOT, (6,), _RATES, _TIP, FORWARD, _MOTION, "Vdot_0", shown=False),
    Answer(
        "force",
        "contact force",
        (6,),
        _LOADS,
        _FORCE,
        FORWARD,
        symbol="the contact force",
        of_contact=True,
        printed="contact_force",
        usual=True,
    ),
    Answer("lambda_inverse", "Lambda^-1", (6, 6), _INVERSES, _DIAGONAL_AT_TIP, END, usual=True),
    Answer("forces", "interbody forces", (LINKS, 6), _LOADS, _FORCES, FORWARD, symbol="the interbody forces"),
    Answer("operational_mass", "Lambda", (6, 6), _MASSES, _DIAGONAL_AT_TIP, END, of_mass=True),
    Answer("tip_acceleration", "Lambda^-1 x", (6,), _RATES, _OF_VECTOR, END, _MOTION),
    Answer("tip_wrench", "Lambda x", (6,), _LOADS, _OF_VECTOR, END, of_mass=True),
    Answer("tau", "joint torques", _N, _LOADS, _BY_JOINT, INVERSE, symbol="tau"),
    Answer("mass_matrix", "mass matrix M", _PAIRS, _MASSES, _DIAGONAL, MASS, symbol="M"),
    Answer("inverse_mass_matrix", "M^-1", _PAIRS, _INVERSES, _DIAGONAL, MASS),
)
ANSWERS: dict[str, Answer] = {row.name: row for row in _ROWS}
"""Every answer by name, in the order of a summary."""
