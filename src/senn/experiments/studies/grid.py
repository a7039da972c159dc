"""The runs of a study: every case with every combination of what varies, each with a key of its own."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from senn import __version__
from senn.algorithms.robots import toml_files
from senn.choices import Scalar
from senn.experiments.studies import parameters
from senn.traces import files
from senn.traces.errors import InputError

LARGEST = 100_000
"""The most runs of a study."""


@dataclass(frozen=True)
class Point:
    """One run of a study, a point of its grid. Plain values only: it travels to where it is computed."""

    key: str
    """What the run is known by: a hash of the parameters, of the files they name, and of the version."""
    parameters: Mapping[str, Scalar | None]
    """As they were asked for, with the defaults of `senn.run`."""
    arguments: Mapping[str, Any]
    """Of `senn.run`: {n} filled in, files absolute."""
    label: str | None = None
    """What the author of the study calls the case."""
    version: str = __version__
    """Of this package, where the study was started."""


@dataclass(frozen=True)
class Grid:
    """What is asked for: `fixed` in all runs, and every one of `cases` with all combinations of `vary`.

    A case gives values of its own, over those of `fixed`; `labels` names the cases, or is empty. Files are
    relative to `folder`; `where` begins the messages of refusals.
    """

    fixed: Mapping[str, Scalar] = field(default_factory=dict)
    vary: Mapping[str, Sequence[Scalar]] = field(default_factory=dict)
    cases: Sequence[Mapping[str, Scalar]] = ({},)
    labels: Sequence[str] = ()
    folder: Path = Path()
    where: str = "study"

    @property
    def varied(self) -> tuple[str, ...]:
        """The columns in which the runs differ: "case" where the cases have labels, else what they give."""
        several = [name for name, values in self.vary.items() if len(values) > 1]
        if self.labels:
            return ("case", *several)
        given = dict.fromkeys(name for one in self.cases for name in one) if len(self.cases) > 1 else {}
        return (*given, *several)


def points(grid: Grid) -> tuple[Point, ...]:
    """The runs of a grid, the last parameter of `vary` changing fastest; `InputError` says what is wrong."""
    count = len(grid.cases)
    for name, values in grid.vary.items():
        _refuse_twice(grid, name, values)
        count *= len(values)
    if count > LARGEST:
        raise InputError(f"{grid.where}: {count:,} runs; a study has at most {LARGEST:,}, divide it")
    given = parameters.defaults() | dict(grid.fixed)
    fields = {name for one in (grid.vary, *grid.cases) for name in one if "." in name}
    given = dict.fromkeys(sorted(fields - given.keys())) | given
    made: dict[str, Point] = {}
    digests: dict[str, str] = {}
    for number, one in enumerate(grid.cases):
        for combination in itertools.product(*grid.vary.values()):
            asked = {**given, **one, **dict(zip(grid.vary, combination, strict=True))}
            point = _point(asked, grid, grid.labels[number] if grid.labels else None, digests)
            if point.key in made:
                raise InputError(
                    f"{grid.where}: case {number + 1} asks for runs that another case has; drop it"
                )
            made[point.key] = point
    return tuple(made.values())


def _point(
    asked: Mapping[str, Scalar | None], grid: Grid, label: str | None, digests: dict[str, str]
) -> Point:
    arguments = parameters.arguments(asked, grid.folder, grid.where)
    texts = [*arguments.values(), *arguments["set"].values()]
    named = [file for text in texts if isinstance(text, str) for file in parameters.files(text)]
    for file in named:
        if file not in digests:
            digests[file] = _digest(Path(file))
    document = {
        "version": __version__,
        # A field that only other cases set is no part of this run: its row stays when a study grows.
        "parameters": {name: one for name, one in asked.items() if "." not in name or one is not None},
        "files": [digests[file] for file in named],
    }
    text = json.dumps(document, sort_keys=True, ensure_ascii=False)
    return Point(hashlib.sha256(text.encode()).hexdigest()[:16], dict(asked), arguments, label)


def _refuse_twice(grid: Grid, name: str, values: Iterable[Scalar]) -> None:
    seen: set[tuple[type, Scalar]] = set()
    for value in values:
        if (type(value), value) in seen:
            raise InputError(f"{grid.where}: {name} has {parameters.said(value)} twice; drop one")
        seen.add((type(value), value))


def _digest(file: Path) -> str:
    """A hash of a file and, if it is TOML, of the files that it names."""
    digest = hashlib.sha256()
    for path in toml_files.with_named(file):
        digest.update(hashlib.sha256(files.content(path)).digest())
    return digest.hexdigest()
