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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from senn.algorithms.robots import toml_files
from senn.api import arguments
from senn.base import code, files
from senn.base.errors import InputError, within
from senn.choices import Scalar
from senn.machine.model.figures import in_file
from senn.studies.grid import SIZE, Grid, Point, check_name, converted, points
from senn.studies.row import SCORES, of_parameters

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Study:
    """Runs of a study, in order, and their picture."""

    name: str
    points: tuple[Point, ...]
    varied: tuple[str, ...]
    """Columns in which the runs differ."""
    picture: Picture | None
    """None: the picture that `suiting` selects."""

    @property
    def folder(self) -> Path:
        """Folder of its rows and its table, if no other is named."""
        return Path("runs") / f"study-{self.name}"

    @property
    def code(self) -> tuple[str, ...]:
        """Python functions that its runs call, as FILE.py:FUNCTION with absolute paths."""
        texts = [
            text
            for point in self.points
            for text in (*point.arguments.values(), *point.arguments["set"].values())
        ]
        names = {code.sized(part)[0] for text in texts if isinstance(text, str) for part in code.parts(text)}
        return tuple(sorted(filter(code.named, names)))


class _Head(msgspec.Struct, forbid_unknown_fields=True):
    name: str


class Picture(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Column along x, score, columns that distinguish the series (`colour`), and a condition on the runs."""

    x: str
    y: str = "makespan"
    colour: tuple[str, ...] | None = None
    """None: all columns in which the runs differ, but for x and those of the condition."""
    where: dict[str, Any] = {}


class _File(msgspec.Struct, forbid_unknown_fields=True):
    study: _Head
    fixed: dict[str, Any] = {}
    vary: dict[str, Any] = {}
    cases: list[dict[str, Any]] = []
    plot: Picture | None = None


def read(path: Path) -> Study:
    """Study of a file; `InputError` names the file, the key, the error and a correction."""
    files.refuse_absent(path)
    file = toml_files.decode(path, files.text(path), _File)
    if not re.fullmatch(r"[\w.+-]+", file.study.name):
        name = in_file(file.study.name)
        raise InputError(f"{path}: study.name is {name}; write letters, digits and . _ + -, for a folder")
    labels = [label for case in file.cases if (label := case.pop("label", None))]
    are_texts = all(isinstance(label, str) for label in labels)
    if labels and (not are_texts or len(set(labels)) < len(file.cases)):
        raise InputError(f"{path}: cases: give every case a label of its own, a text, or none of them")
    grid = Grid(
        fixed=_checked(file.fixed, f"{path}: fixed"),
        vary={name: _values(name, entry, f"{path}: vary") for name, entry in _flat(file.vary).items()},
        cases=[_checked(case, f"{path}: cases {k}") for k, case in enumerate(file.cases, 1)] or [{}],
        labels=labels,
        folder=path.absolute().parent,
        where=str(path),
    )
    for name in grid.vary:
        if name in grid.fixed or any(name in case for case in grid.cases):
            raise InputError(
                f"{path}: {name} is in vary, and in fixed or in a case as well; drop one of them"
            )
    study = Study(file.study.name, points(grid), grid.varied, None)
    if (picture := file.plot) is None:
        return study
    condition = _checked(picture.where, f"{path}: plot.where")
    rest = tuple(name for name in study.varied if name != picture.x and name not in condition)
    colour = rest if picture.colour is None else picture.colour
    picture = msgspec.structs.replace(picture, colour=colour, where=condition)
    check(picture, study.points, f"{path}: plot")
    return replace(study, picture=picture)


def _flat(table: Mapping[str, Any]) -> dict[str, Any]:
    """The table with nested tables as dotted names: in TOML `timing.word = 4` without quotes is nested."""
    flat: dict[str, Any] = {}
    for name, entry in table.items():
        nested = entry.items() if isinstance(entry, dict) else ()
        flat |= {f"{name}.{field}": value for field, value in nested} or {name: entry}
    return flat


def _checked(table: Mapping[str, Any], where: str) -> dict[str, Scalar]:
    return {name: converted(name, value, f"{where}.{name}") for name, value in _flat(table).items()}


def _values(name: str, entry: Any, where: str) -> list[Scalar]:
    """Values of a parameter that varies: a list, or for n also a range as text."""
    check_name(name, f"{where}.{name}")
    if name == SIZE and isinstance(entry, str):
        with within(f"{where}.{name}"):
            return list(arguments.sizes(entry))
    if not isinstance(entry, list) or not entry:
        raise InputError(f"{where}.{name} is {in_file(entry)}; write a list of values")
    return [converted(name, value, f"{where}.{name}, number {k}") for k, value in enumerate(entry, 1)]


def suiting(varied: Sequence[str], table: pl.DataFrame) -> Picture:
    """Default picture of runs: over n, else over a number, else over words."""
    from senn.traces.pictures.comparison import numeric

    numbers = [name for name in varied if numeric(table[name].to_list())]
    x = next(iter([*(name for name in varied if name == SIZE), *numbers, *varied, "problem"]))
    return Picture(x, colour=tuple(name for name in varied if name != x))


def check(picture: Picture, points: Iterable[Point], where: str) -> None:
    """Raise an `InputError` that begins with `where` if these runs cannot be drawn so."""
    from senn.traces.pictures.comparison import arranged

    if picture.y not in SCORES and not re.fullmatch(r"instructions_[1-9]", picture.y):
        raise InputError(f"{where}.y: {picture.y} is not a score; the scores are {', '.join(SCORES)}")
    try:
        selected = _selected(of_parameters(points), picture)
        if selected.is_empty():
            raise InputError("where: no run is so")
        arranged(selected, picture.x, picture.colour or ())
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def drawn(picture: Picture, table: pl.DataFrame, caption: str) -> Axes:
    """Picture of a table of finished runs."""
    from senn.traces.pictures.comparison import comparison, label

    caption = ", ".join([caption, *([label(dict(picture.where))] if picture.where else [])])
    return comparison(_selected(table, picture), picture.x, picture.y, picture.colour or (), caption=caption)


def _selected(table: pl.DataFrame, picture: Picture) -> pl.DataFrame:
    import polars as pl

    for name, value in picture.where.items():
        if name not in table.columns:
            raise InputError(f"where: {name} is not a column; the columns are {', '.join(table.columns)}")
        # As text: a column that holds "0.5" holds "4", not 4.
        table = table.filter(pl.col(name).cast(pl.String).str.to_lowercase() == str(value).lower())
    return table
