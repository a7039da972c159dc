"""Parameters and runs of a study: every case with every combination of the values that vary.

Parameters are `problem` and the rows of `senn.choices`; a new row there is a parameter here. A field of the
machine is written `machine.FIELD` or `timing.FIELD`, as with --set. `n` replaces {n} in texts:
problem = "random:{n}".
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from senn import __version__
from senn.algorithms import catalogue
from senn.algorithms.robots import toml_files
from senn.api import own
from senn.api.problems import problem_of
from senn.base import code, files
from senn.base.errors import InputError, suggestion, within
from senn.choices import PROCESSES, Choice, ProblemChoices, RunChoices, Scalar, choices
from senn.machine import model
from senn.machine.model.figures import in_file
from senn.machine.network.named import GRAPH_ENDINGS
from senn.machine.placing import allocation
from senn.machine.rewrite import read_assignment

SIZE: str = PROCESSES.name
_SIZE_IN_TEXT = "{n}"


def arguments_of_run() -> dict[str, Choice]:
    """Arguments of `senn.run` that are parameters, by name; fields of the machine have names of their own."""
    problem = Choice("ssrms", "The problem.", name="problem", kind=str)
    return {"problem": problem} | {name: row for name, row in choices(RunChoices).items() if row.studied}


def defaults() -> dict[str, Scalar | None]:
    """Default of every argument."""
    return {name: row.default for name, row in arguments_of_run().items()}


_FIELD = Choice(None, "Field of the machine.", kind=int | bool | str, least=0, most=2**63 - 1)
"""A field of the machine: the table of runs has 64 bits, and the machine checks the value."""


def converted(name: str, value: object, where: str) -> Scalar:
    """The value of a parameter; an `InputError` for a wrong name or value begins with `where`."""
    check_name(name, where)
    if "." in name and isinstance(value, float):
        raise InputError(f'{where} is {value}; write it in quotes, "{value}", so that it stays exact')
    row = PROCESSES if name == SIZE else _FIELD if "." in name else arguments_of_run()[name]
    scalar: Scalar = row.convert(value, where, written=True)
    return scalar


def check_name(name: str, where: str) -> None:
    """Raise an `InputError` that begins with `where` unless there is a parameter of this name."""
    table, dot, field = name.partition(".")
    if dot and table in model.FIELDS:
        if field not in model.FIELDS[table]:
            there = ", ".join(f"{table}.{name}" for name in model.FIELDS[table])
            near = suggestion(field, model.FIELDS[table])
            raise InputError(f"{where} is not known; the fields are {there}{near}")
    elif name != SIZE and name not in arguments_of_run():
        there = ", ".join([SIZE, *arguments_of_run()])
        raise InputError(
            f"{where} is not known; the parameters are {there}, and machine.FIELD or timing.FIELD"
            f"{suggestion(name, [SIZE, *arguments_of_run()])}"
        )


def run_arguments(parameters: Mapping[str, Scalar | None], folder: Path, where: str) -> dict[str, Any]:
    """Arguments of `senn.run` with {n} replaced, and files of `folder` by absolute paths.

    `InputError`, beginning with `where`, for a file that is not there and for {n} without n.
    """
    n, depends, values = parameters.get(SIZE), False, dict(parameters)
    for name, value in parameters.items():
        if not isinstance(value, str):
            continue
        if _SIZE_IN_TEXT in value:
            if n is None:
                raise InputError(
                    f'{where}: {name} is "{value}", but there is no n; vary n, or write a number there'
                )
            value, depends = value.replace(_SIZE_IN_TEXT, str(n)), True
        parts = _parts(value, folder)
        for file, _ in parts:
            if file and not (folder / file).is_file():
                raise InputError(f"{where}: {name}: {folder / file}: no such file")
        absolute = (f"{(folder / file).absolute()}{rest}" if file else rest for file, rest in parts)
        values[name] = ",".join(absolute) if any(file for file, _ in parts) else value
    if values.pop(SIZE, None) is not None and not depends:
        raise InputError(f'{where}: n is given and nothing depends on it; write problem = "random:{{n}}"')
    fields = {name: value for name, value in values.items() if "." in name and value is not None}
    return {**{name: value for name, value in values.items() if "." not in name}, "set": fields}


_ENDINGS = (".toml", ".urdf", ".xml", ".csv", ".npz", *GRAPH_ENDINGS)


def named_files(value: str) -> list[str]:
    """Files that a text names: one, one for each array (with commas), or FILE.py:FUNCTION."""
    return [file for file, _ in _parts(value, Path()) if file]


def _parts(value: str, folder: Path) -> list[tuple[str, str]]:
    """(file, rest) of every part between commas; ("", part) where it names no file."""
    parts = []
    for part in code.parts(value, folder):
        if function := code.named(code.sized(part)[0]):
            parts.append((function[0], part.removeprefix(function[0])))
        else:
            parts.append((part, "") if part.lower().endswith(_ENDINGS) else ("", part))
    return parts


LARGEST = 100_000
"""Largest number of runs of a study."""


@dataclass(frozen=True)
class Point:
    """One run of a study, a point of its grid; plain values, to be sent to the worker that computes it."""

    key: str
    """Hash of the parameters, of the files that they name, and of the version."""
    parameters: Mapping[str, Scalar | None]
    """Parameters of the study file, with the defaults of `senn.run`."""
    arguments: Mapping[str, Any]
    """Arguments of `senn.run`: {n} replaced, paths absolute."""
    label: str | None = None
    """Name of the case in the study file."""
    version: str = __version__
    """Version of this package where the study was started."""


@dataclass(frozen=True)
class Grid:
    """Runs by rule: `fixed` in all runs, and each of `cases` with all combinations of `vary`.

    Values of a case override `fixed`; `labels` names the cases, or is empty. Files are relative to `folder`;
    `where` begins the messages of errors.
    """

    fixed: Mapping[str, Scalar] = field(default_factory=dict)
    vary: Mapping[str, Sequence[Scalar]] = field(default_factory=dict)
    cases: Sequence[Mapping[str, Scalar]] = ({},)
    labels: Sequence[str] = ()
    folder: Path = Path()
    where: str = "study"

    @property
    def varied(self) -> tuple[str, ...]:
        """Columns in which the runs differ: "case" if cases have labels, else the parameters of the cases."""
        several = [name for name, values in self.vary.items() if len(values) > 1]
        if self.labels:
            return ("case", *several)
        of_cases = dict.fromkeys(name for case in self.cases for name in case) if len(self.cases) > 1 else {}
        return (*of_cases, *several)


def points(grid: Grid) -> tuple[Point, ...]:
    """Runs of a grid, the last parameter of `vary` changing fastest; `InputError` if two are equal."""
    count = len(grid.cases)
    for name, values in grid.vary.items():
        seen: set[tuple[type, Scalar]] = set()
        for value in values:
            if (type(value), value) in seen:
                raise InputError(f"{grid.where}: {name} has {in_file(value)} twice; drop one")
            seen.add((type(value), value))
        count *= len(values)
    if count > LARGEST:
        raise InputError(f"{grid.where}: {count:,} runs; a study has at most {LARGEST:,}, divide it")
    fixed = defaults() | dict(grid.fixed)
    fields = {name for table in (grid.vary, *grid.cases) for name in table if "." in name}
    base = dict.fromkeys(sorted(fields - fixed.keys())) | fixed
    by_key: dict[str, Point] = {}
    digests: dict[str, str] = {}
    for number, case in enumerate(grid.cases):
        for combination in itertools.product(*grid.vary.values()):
            parameters = {**base, **case, **dict(zip(grid.vary, combination, strict=True))}
            arguments = run_arguments(parameters, grid.folder, grid.where)
            texts = [*arguments.values(), *arguments["set"].values()]
            paths = [file for text in texts if isinstance(text, str) for file in named_files(text)]
            for file in {*paths} - digests.keys():  # also of the files that it names
                contents = map(files.content, toml_files.with_named(Path(file)))
                parts = b"".join(hashlib.sha256(content).digest() for content in contents)
                digests[file] = hashlib.sha256(parts).hexdigest()
            # A field that only other cases set is no part of this run: its row stays when a study grows.
            settings = {name: x for name, x in parameters.items() if "." not in name or x is not None}
            hashes = [digests[file] for file in paths]
            document = {"version": __version__, "parameters": settings, "files": hashes}
            written = json.dumps(document, sort_keys=True, ensure_ascii=False)
            key = hashlib.sha256(written.encode(errors="backslashreplace")).hexdigest()[:16]
            if key in by_key:
                which = f"case {number + 1} asks for runs that another case has"
                raise InputError(f"{grid.where}: {which}; drop it")
            label = grid.labels[number] if grid.labels else None
            by_key[key] = Point(key, parameters, arguments, label)
    with within(grid.where):
        _refuse_unknown([point.arguments for point in by_key.values()])
    return tuple(by_key.values())


def _refuse_unknown(runs: Sequence[Mapping[str, Any]]) -> None:
    """InputError for a value with which no run can begin: an unknown name, or a link that a URDF has not.

    No Python code of a user is called.
    """

    def refuse_allocation(text: str) -> None:
        for name in code.parts(text):
            if not allocation.is_file(name):
                allocation.named(name, 1, "home")

    arrays = arguments_of_run()["arrays"]
    checks: Mapping[str, Callable[[Any], object]] = {
        "machine": model.load,
        "algorithm": lambda name: own.is_own(name) or catalogue.algorithm(name),
        "arrays": lambda number_or_steps: arrays.convert(read_assignment(number_or_steps)),
        "allocation": refuse_allocation,
    }
    for name, check in checks.items():
        for value in dict.fromkeys(run[name] for run in runs):
            check(value)
    of_urdfs = {tuple(run[name] for name in ("problem", *_OF_URDF)): run for run in runs}
    for (problem, *part), run in of_urdfs.items():
        if any(part) and not own.is_own(problem):
            problem_of(problem, cast(ProblemChoices, run))


_OF_URDF = ("tip", "base", "lock", "at")
