"""What a run is known by: a hash of everything that went into it, and of nothing that came out."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from senn import __version__
from senn.choices import RunChoices, choices
from senn.traces import files

if TYPE_CHECKING:
    from senn.algorithms.problems.problem import Problem
    from senn.machine.model import Machine
    from senn.machine.placing.schedule import Schedule


def of_run(
    problem: str | PathLike[str] | Problem,
    name: str,
    chosen: RunChoices,
    machine: Machine,
    schedule: Schedule,
) -> str:
    """SHA-256 of the problem and what it is called, of all choices, of machine and allocation, and of the
    version.

    A choice that is as usual is left out, so that a run stays the same when there is one more to choose. A
    problem that was read is known by the texts that it was read from, so in the same way on every computer;
    one that was made in Python by its numbers.
    """
    from senn.algorithms.problems.problem import Problem
    from senn.machine.network.named import is_graph_file
    from senn.machine.rewrite import read_assignment
    from senn.traces.digest import digest

    network, called = machine.network, chosen["allocation"]
    said = {
        "senn": __version__,
        "problem": [name, problem if isinstance(problem, Problem) else _texts(str(problem))],
        "arrays": read_assignment(chosen["arrays"]),
        "machine": machine.describe(),  # as it was set
        "network": files.content(network) if is_graph_file(network) else network,
        "allocation": [called if isinstance(called, str) else None, schedule.allocation],
    }
    asked: dict[str, Any] = {**chosen}
    rows = [row for row in choices(RunChoices).values() if row.name not in (*said, "set")]
    return digest(said | {row.name: asked[row.name] for row in rows if asked[row.name] != row.default})


def _texts(problem: str) -> list[str | bytes]:
    """What a problem is read from: a file and those that it names, or words."""
    from senn.algorithms.robots import toml_files

    path = Path(problem)
    if path.suffix.lower() not in (".toml", ".urdf", ".xml"):
        return [problem]
    return [files.content(one) for one in toml_files.with_named(path)]
