"""Robots and problems: from names, generators and files, or from numbers in Python."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from numpy.typing import ArrayLike

from senn.algorithms import problems
from senn.algorithms.problems import reader, writer
from senn.algorithms.problems.contact_force import DOUBTFUL, pivot_ratio
from senn.algorithms.problems.problem import Problem
from senn.algorithms.problems.states import Given
from senn.algorithms.references import articulated
from senn.algorithms.robots import generators
from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.urdf import Part
from senn.api.arguments import with_choices
from senn.base import files
from senn.base.errors import InputError
from senn.choices import ProblemChoices
from senn.machine.model.machine import preset_file


@with_choices(ProblemChoices)
def problem(
    spec: str | PathLike[str] | Chain | Problem = "ssrms",
    *,
    q: Given = None,
    qd: Given = None,
    tau: Given = None,
    qdd: Given = None,
    gravity: ArrayLike | None = None,
    tip_vector: ArrayLike | None = None,
    **options: Unpack[ProblemChoices],
) -> Problem:
    """A problem: a robot with its state, its torques and the contact of its tip.

    `spec` is an argument of `senn run` (a bundled name, a generator text, a TOML file, a URDF with `tip`), a
    robot of `senn.robot`, or a problem. Other arguments replace its numbers. Missing numbers are drawn from
    `seed`: q within the limits, qd, the contact, and tau, the torque of a mild motion at this state with a
    free tip; gravity is the Earth's.

    q (coordinates,) rad or m, qd (degrees,), tau (degrees,) N m or N, and qdd (degrees,), the input of
    inverse dynamics, are lists or arrays, base to tip, or mappings by joint name; joints missing in a mapping
    are not changed by it. `contact` is a word, a contact of `senn.algorithms.problems.contacts`, or a mapping
    as the table of a problem file: {"kind": "plane", "normal": [0, 0, 1]}. `gravity` (3,) m/s^2 is in the
    base frame.

    The problem's `notes` list the drawn numbers; `Problem.at` gives the arm in another state, `write` a file.

    >>> import senn
    >>> arm = senn.problem("ur5", q={"elbow_joint": 1.6}, contact="plane")
    >>> senn.run(arm).certificate["ok"]
    True
    """
    state = {"q": q, "qd": qd, "tau": tau, "qdd": qdd, "gravity": gravity, "tip_vector": tip_vector}
    if isinstance(spec, Chain):
        _refuse_beside(f"the robot {spec.name}", options, "tip", "base", "lock")
        layers = {"q": _part(options).at}, {**state, "contact": options["contact"]}
        return reader.draw(spec, options["seed"], *layers)
    return problem_of(spec, options, state)


def problem_of(
    spec: str | PathLike[str] | Problem, options: ProblemChoices, state: Mapping[str, Any] | None = None
) -> Problem:
    """Problem that `spec` and the options describe, with the numbers of `state` by name."""
    values = {**(state or {}), "contact": options["contact"]}
    if isinstance(spec, problems.Problem):
        _refuse_beside(f"the problem {spec.name}", options, "tip", "base", "lock", "at", "seed")
        changes = {name: value for name, value in values.items() if value is not None}
        return spec.at(**changes) if changes else spec
    return problems.load(_text(spec), _part(options), options["seed"], **values)


def robot(
    spec: str | PathLike[str],
    *,
    tip: str | None = None,
    base: str | None = None,
    lock: str | Sequence[str] | None = None,
    at: Mapping[str, float | Sequence[float]] | Sequence[str] | str | None = None,
) -> Chain:
    """A robot: a bundled name, a generator text such as "random:16:seed=1", a robot file, or a URDF.

    The arm of a URDF leads from the link `base` (default: the root) to the link `tip` (default: the only link
    at an end); joints whose names match a pattern of `lock` are fixed, at the position of `at`, or at 0.
    """
    return reader.robot(_text(spec), Part.of(tip, base, lock, at))


@with_choices(ProblemChoices)
def new(
    file: str | PathLike[str],
    robot: str | None = None,
    *,
    machine: str | None = None,
    force: bool = False,
    **options: Unpack[ProblemChoices],
) -> Path:
    """Write a problem file of a robot, or a copy of the file of a machine, to be edited; return its path.

    A problem file names the joints, with limits and units. The state is drawn from the seed, within the
    limits, and rounded. Without `contact` the tip has the strongest contact that this arm allows: a weld, a
    plane, or none. A machine file is that of a preset. An existing file is replaced only with `force`.
    """
    place = new_file(file, force)
    if machine is not None:
        if of_problem := [name for name, value in {"robot": robot, **options}.items() if value is not None]:
            raise InputError(f"{of_problem[0]} belongs to a problem file; leave it or the machine out")
        named = preset_file(machine).replace(f'name = "{machine}"', f"name = {json.dumps(place.stem)}", 1)
        files.write_text(place, named)
        return place
    if robot is None:
        raise InputError("nothing to begin with: name a robot, such as ur5, or a machine, such as mark3")
    spec = _text(robot)
    if Path(spec).suffix.lower() == ".toml":
        reader.robot(spec)  # refuses problem files, which `load` takes
    default_seed = options["seed"] is None and not generators.is_text(spec)
    drawn = problems.load(spec, _part(options), 0 if default_seed else options["seed"])
    # Torques are drawn once more, for the numbers as they are written.
    q, qd = writer.rounded(drawn.q, drawn.chain), writer.figures(drawn.qd)
    rounded = problem(drawn.chain, q=q, qd=qd, seed=drawn.seed, contact=options["contact"] or "free")
    contact = options["contact"] or _strongest_contact(rounded)
    is_file = Path(spec).suffix.lower() in (".toml", ".urdf", ".xml")
    source = Path(os.path.relpath(spec, place.parent)).as_posix() if is_file else spec
    written = rounded.at(tau=writer.figures(rounded.tau), contact=contact)
    content = writer.template(source, written.chain, written.numbers, written.contact_input)
    files.write_text(place, content)
    return place


def new_file(file: str | PathLike[str], force: bool) -> Path:
    """The path of a file to begin with; InputError if it is no TOML file, or is there, unless `force`."""
    place = Path(_text(file))
    if place.suffix.lower() != ".toml":
        raise InputError(f"{place}: a problem or machine file ends in .toml; name it so")
    if not force and os.path.lexists(place):
        raise InputError(f"{place} is there already; --force replaces it, or take another name")
    return place


_PIVOT_MARGIN = 100.0  # so that rounded digits of the state do not decide


def _strongest_contact(problem: Problem) -> str:
    """Strongest contact that the arm can take at this state: weld, plane or free."""
    inverse = articulated.solve(problem.at(contact="free")).lambda_inverse
    tip = articulated.tip_inverse_inertia(problem.chain, problem.q)
    words = ("weld", "plane") if problem.chain.main.degrees > 6 else ("plane",)
    ratios = {word: pivot_ratio(problem.at(contact=word).contact, inverse, tip) for word in words}
    return next((word for word, ratio in ratios.items() if ratio > _PIVOT_MARGIN * DOUBTFUL), "free")


def _part(options: ProblemChoices) -> Part:
    return Part.of(options["tip"], options["base"], options["lock"], options["at"])


def read(path: str | PathLike[str]) -> Problem:
    """Problem of a problem file in TOML, such as `Problem.write` and `senn new` write."""
    return reader.read(Path(_text(path)))


def _text(spec: str | PathLike[str]) -> str:
    if not isinstance(spec, str | PathLike):
        raise InputError(
            f"{spec!r} is no problem: give a name, a path, or what senn.robot or senn.problem has made"
        )
    return str(spec)


def _refuse_beside(subject: str, options: ProblemChoices, *names: str) -> None:
    """Raise InputError for options that only the making of `subject` can take."""
    for name in names:
        if options.get(name) is not None:
            raise InputError(
                f"{name}: {subject} is made already; leave {name} out, or give it where it is made"
            )
