"""A study file: the runs that it asks for, and the picture of them.

[study]
name = "residency"

[fixed]                              # the same in all runs; what is not here is as `senn run` has it
problem = "random:{n}:seed=1"
numbers = false                      # the timing alone

[vary]                               # all combinations
n = "8:64:8"                         # a list, or a range as `senn steps --n` takes it
residency = ["home", "migrating"]
"timing.word" = [1, 4]

[[cases]]                            # optional: every case with all combinations of [vary]
label = "hypercube, e-cube"
"machine.network" = "hypercube"
"machine.routing" = "e-cube"

[plot]                               # optional
x = "n"
y = "makespan"
colour = ["residency", "timing.word"]
where = { form = "paper" }           # only these runs
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from senn import api
from senn.algorithms.robots import toml_files
from senn.choices import Scalar
from senn.experiments.studies import parameters
from senn.experiments.studies.grid import Grid, Point, points
from senn.experiments.studies.picture import Picture, check
from senn.traces import files
from senn.traces.errors import InputError


@dataclass(frozen=True)
class Study:
    """The runs of a study, in order, and the picture of them."""

    name: str
    points: tuple[Point, ...]
    varied: tuple[str, ...]
    """The columns in which the runs differ."""
    picture: Picture | None
    """None: whatever suits the runs."""

    @property
    def code(self) -> tuple[str, ...]:
        """The Python that runs of it execute, FILE.py:FUNCTION, files absolute."""
        texts = [
            text
            for point in self.points
            for text in (*point.arguments.values(), *point.arguments["set"].values())
        ]
        return tuple(
            sorted({one for text in texts if isinstance(text, str) for one in parameters.code(text)})
        )


class _Head(msgspec.Struct, forbid_unknown_fields=True):
    name: str


class _Plot(msgspec.Struct, forbid_unknown_fields=True):
    x: str
    y: str = "makespan"
    colour: list[str] | None = None
    where: dict[str, Any] = {}


class _File(msgspec.Struct, forbid_unknown_fields=True):
    study: _Head
    fixed: dict[str, Any] = {}
    vary: dict[str, Any] = {}
    cases: list[dict[str, Any]] = []
    plot: _Plot | None = None


def read(path: Path) -> Study:
    """The study of a file; `InputError` names the file, the key, what is wrong and what to write."""
    files.refuse_absent(path)
    file = toml_files.decode(path, files.text(path), _File)
    if not re.fullmatch(r"[\w.+-]+", file.study.name):
        name = parameters.said(file.study.name)
        raise InputError(f"{path}: study.name is {name}; write letters, digits and . _ + -, for a folder")
    labels = [one.pop("label", None) for one in file.cases]
    grid = Grid(
        fixed=_checked(file.fixed, f"{path}: fixed"),
        vary={name: _values(name, one, f"{path}: vary") for name, one in _flat(file.vary).items()},
        cases=[_checked(one, f"{path}: cases {k}") for k, one in enumerate(file.cases, 1)] or [{}],
        labels=_labels(labels, f"{path}: cases"),
        folder=path.absolute().parent,
        where=str(path),
    )
    for name in grid.vary:
        if name in grid.fixed or any(name in one for one in grid.cases):
            raise InputError(
                f"{path}: {name} is in vary, and in fixed or in a case as well; drop one of them"
            )
    study = Study(file.study.name, points(grid), grid.varied, None)
    return replace(study, picture=_picture(file.plot, study, f"{path}: plot")) if file.plot else study


def _picture(plot: _Plot, study: Study, where: str) -> Picture:
    chosen = _checked(plot.where, f"{where}.where")
    rest = tuple(name for name in study.varied if name != plot.x and name not in chosen)
    found = Picture(plot.x, plot.y, rest if plot.colour is None else tuple(plot.colour), chosen)
    check(found, study.points, where)
    return found


def _flat(table: Mapping[str, Any]) -> dict[str, Any]:
    """`timing.word = 4` without quotes is a table in TOML; it means the same."""
    found: dict[str, Any] = {}
    for name, one in table.items():
        inner = {f"{name}.{field}": value for field, value in one.items()} if isinstance(one, dict) else {}
        found |= inner or {name: one}
    return found


def _checked(table: Mapping[str, Any], where: str) -> dict[str, Scalar]:
    return {name: parameters.checked(name, one, f"{where}.{name}") for name, one in _flat(table).items()}


def _values(name: str, given: Any, where: str) -> list[Scalar]:
    """The values of a parameter that varies: a list, or for n a range as text."""
    parameters.check_name(name, f"{where}.{name}")
    if name == parameters.SIZE and isinstance(given, str):
        try:
            return list(api.sizes(given))
        except InputError as error:
            raise InputError(f"{where}.{name}: {error}") from None
    if not isinstance(given, list) or not given:
        raise InputError(f"{where}.{name} is {parameters.said(given)}; write a list of values")
    return [parameters.checked(name, one, f"{where}.{name}, number {k}") for k, one in enumerate(given, 1)]


def _labels(labels: list[Any], where: str) -> list[str]:
    """The labels of the cases: all have one, all different, or none has."""
    if not any(labels):
        return []
    if not all(isinstance(one, str) and one for one in labels) or len(set(labels)) < len(labels):
        raise InputError(f"{where}: give every case a label of its own, a text, or none of them")
    return labels
