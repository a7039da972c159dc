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

    from senn.algorithms.problems.problem import Problem
    from senn.algorithms.problems.states import Given
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
    `senn.algorithms.problems.contact.contact`, or a mapping as the table of a problem file:
    {"kind": "plane", "normal": [0, 0, 1]}. `gravity` (3,) m/s^2 is in the base frame.

    The problem's `notes` say what was drawn; `at` is the same arm in another state, `write` a file of it.

    >>> import senn
    >>> arm = senn.problem("ur5", q={"elbow_joint": 1.6}, contact="plane")
    >>> senn.run(arm).certificate["ok"]
    True
    """
    from senn.algorithms.problems import reader
    from senn.algorithms.robots.chain import Chain

    state = {"q": q, "qd": qd, "tau": tau, "qdd": qdd, "gravity": gravity, "tip_vector": tip_vector}
    if isinstance(spec, Chain):
        source = f"{spec.name}, seed {chosen['seed'] or 0}"
        _refuse_beside(f"the robot {spec.name}", chosen, "tip", "base", "lock")
        layers = {"q": _part(chosen).at}, {**state, "contact": chosen["contact"]}
        return reader.completed(spec, *layers, seed=chosen["seed"], source=source)
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


@taking(ProblemChoices)
def new(
    file: str | PathLike[str], robot: str, *, force: bool = False, **chosen: Unpack[ProblemChoices]
) -> Path:
    """Write a problem file of a robot for a person to go on with: joints by name, with limits and units.

    The state is drawn from the seed, within the limits, and rounded; the tip is held as `contact` says, else
    as far as this arm can be: in all directions, on a plane, or not at all. A file that is there is replaced
    with `force` only.
    """
    import os

    from senn.algorithms import problems
    from senn.algorithms.problems import reader, writer
    from senn.algorithms.robots import generators
    from senn.traces import files

    place, spec = Path(_text(file)), _text(robot)
    if place.suffix.lower() != ".toml":
        raise InputError(f"{place}: a problem file ends in .toml; name it so")
    if not force and os.path.lexists(place):
        raise InputError(f"{place} is there already; --force replaces it, or take another name")
    if Path(spec).suffix.lower() == ".toml":
        reader.robot(spec)  # refuses problem files, which `load` takes
    drawn = chosen["seed"] is None and not generators.is_text(spec)
    what = problems.load(spec, _part(chosen), 0 if drawn else chosen["seed"])
    # Torques are drawn once more, for the numbers as they are written.
    q, qd = writer.rounded(what.q, what.chain), writer.figures(what.qd)
    what = problem(what.chain, q=q, qd=qd, seed=what.seed, contact=chosen["contact"] or "free")
    what = what.at(tau=writer.figures(what.tau), contact=chosen["contact"] or _held(what))
    is_file = Path(spec).suffix.lower() in (".toml", ".urdf", ".xml")
    named = Path(os.path.relpath(spec, place.parent)).as_posix() if is_file else spec
    content = writer.template(named, what.chain, what.numbers, what.held)
    try:
        files.write(place, content.encode())
    except OSError as error:
        raise InputError(f"{place}: the problem cannot be written: {error.strerror}") from None
    return place


def _held(what: Problem) -> str:
    """How far the tip of an arm can be held at this state."""
    from senn.algorithms.problems.contact.force import DOUBTFUL, pivot_ratio
    from senn.algorithms.references import articulated

    inverse = articulated.solve(what.at(contact="free")).lambda_inverse
    tip = articulated.tip_inverse_inertia(what.chain, what.q)
    words = ("weld", "plane") if what.chain.main.degrees > 6 else ("plane",)
    ratios = {word: pivot_ratio(what.at(contact=word).contact, inverse, tip) for word in words}
    return next((word for word, ratio in ratios.items() if ratio > _ROOM * DOUBTFUL), "free")


_ROOM = 100.0  # so that other digits of the state are no worry


def _part(chosen: ProblemChoices) -> Part:
    from senn.algorithms.robots.urdf import Part

    return Part.of(chosen["tip"], chosen["base"], chosen["lock"], chosen["at"])


def read(path: str | PathLike[str]) -> Problem:
    """The problem of a problem file, TOML; `Problem.write` and `senn new` write one."""
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
