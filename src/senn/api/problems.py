"""Robots and problems, from files, from words and from Python's numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from senn.api.signature import taking
from senn.choices import ProblemChoices
from senn.traces.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from senn.algorithms.problems.by_name import Given
    from senn.algorithms.problems.problem import Problem
    from senn.algorithms.robots.chain import Chain
    from senn.algorithms.robots.urdf import Part


@taking(ProblemChoices)
def problem(
    spec: str | PathLike[str] | Chain | Problem = "ssrms",
    *,
    q: Given = None,
    qd: Given = None,
    tau: Given = None,
    qdd: Given = None,
    gravity: ArrayLike | None = None,
    tip_vector: ArrayLike | None = None,
    **chosen: Unpack[ProblemChoices],
) -> Problem:
    """A problem: a robot with its state, the torques, and what its tip touches.

    `spec` is what `senn run` takes (a bundled name, a generator text, a TOML file, a URDF with `tip`), or a
    robot of `senn.robot`, or a problem. What is given stands in place of what it says. Left out of a robot
    are drawn, from `seed`: q within the limits, qd, the contact, and as tau the torque that gives a mild
    motion at this state, were the tip free; gravity is the Earth's.

    q (coordinates,) rad or m, qd (degrees,), tau (degrees,) N m or N, and qdd (degrees,), which inverse
    dynamics is asked about, are lists or arrays, base to tip, or mappings by joint name; joints that a
    mapping leaves out have the number that they would have without it. `contact` is a word, a contact of
    `senn.algorithms.problems.contact.kinds`, or a mapping as the table of a problem file:
    {"kind": "plane", "normal": [0, 0, 1]}. `gravity` (3,) m/s^2 is in the base frame.

    The problem's `notes` say what was drawn; `at` is the same arm in another state, `write` a file of it.

    >>> import senn
    >>> arm = senn.problem("ur5", q={"elbow_joint": 1.6}, contact="plane")
    >>> senn.run(arm).certificate["ok"]
    True
    """
    from senn.algorithms.problems import drawn
    from senn.algorithms.robots.chain import Chain

    state = {"q": q, "qd": qd, "tau": tau, "qdd": qdd, "gravity": gravity, "tip_vector": tip_vector}
    if isinstance(spec, Chain):
        source = f"{spec.name}, seed {chosen['seed'] or 0}"
        _refuse_beside(f"the robot {spec.name}", chosen, "tip", "base", "lock")
        layers = {"q": _part(chosen).at}, {**state, "contact": chosen["contact"]}
        return drawn.completed(spec, *layers, seed=chosen["seed"], source=source)
    return asked(spec, chosen, state)


def asked(
    spec: str | PathLike[str] | Problem, chosen: ProblemChoices, state: Mapping[str, Any] | None = None
) -> Problem:
    """The problem that `spec` and the choices ask for, with the numbers of `state` by name."""
    from senn.algorithms import problems

    given = {**(state or {}), "contact": chosen["contact"]}
    if isinstance(spec, problems.Problem):
        _refuse_beside(f"the problem {spec.name}", chosen, "tip", "base", "lock", "at", "seed")
        there = {name: one for name, one in given.items() if one is not None}
        return spec.at(**there) if there else spec
    return problems.load(_text(spec), _part(chosen), chosen["seed"], **given)


def robot(
    spec: str | PathLike[str],
    *,
    tip: str | None = None,
    base: str | None = None,
    lock: str | Sequence[str] | None = None,
    at: Mapping[str, float | Sequence[float]] | Sequence[str] | str | None = None,
) -> Chain:
    """A robot: a bundled name, a generator text such as "random:16:seed=1", a robot file, or a URDF.

    Of a URDF the arm leads from the link `base` (default: the root) to the link `tip` (default: the only link
    at an end); joints whose names match a pattern of `lock` do not move, and stand where `at` says, else
    at 0.
    """
    from senn.algorithms.problems import reader
    from senn.algorithms.robots.urdf import Part

    return reader.robot(_text(spec), Part.of(tip, base, lock, at))


def _part(chosen: ProblemChoices) -> Part:
    from senn.algorithms.robots.urdf import Part

    return Part.of(chosen["tip"], chosen["base"], chosen["lock"], chosen["at"])


def read(path: str | PathLike[str]) -> Problem:
    """The problem of a problem file, TOML, see docs/conventions.md; `Problem.write` writes one."""
    from senn.algorithms.problems import reader

    return reader.read(Path(_text(path)))


def _text(spec: str | PathLike[str]) -> str:
    if not isinstance(spec, str | PathLike):
        raise InputError(
            f"{spec!r} is no problem: give a name, a path, or what senn.robot or senn.problem has made"
        )
    return str(spec)


def _refuse_beside(what: str, chosen: ProblemChoices, *names: str) -> None:
    """Choices that come too late."""
    for name in names:
        if chosen.get(name) is not None:
            raise InputError(f"{name}: {what} is made already; leave {name} out, or give it where it is made")
