"""What run.json says of a run beside what the machine says of it: the question, the choices, the versions."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from senn.choices import MachineChoices, RunChoices, choices

if TYPE_CHECKING:
    from senn.algorithms.plain_sums.links import Written
    from senn.algorithms.problems.problem import Problem
    from senn.algorithms.robots.chain import Chain


BY_ENGINE = ("program", "allocation", "schedule", "machine")
"""What the engine says of every run."""


def beside_engine() -> tuple[str, ...]:
    """What `senn.run` says beside it, of every run that it makes."""
    return ("algorithm", "problem", "scores", "versions", "inputs", *_told())


def of_run(chosen: RunChoices) -> dict[str, Any]:
    """How the machine was run: what no program, machine or schedule says."""
    asked: dict[str, Any] = {**chosen}
    return {told: asked[name] for told, name in _told().items()}


def _told() -> dict[str, str]:
    """The choices that are of no program or machine, by their entry in run.json."""
    others = choices(MachineChoices)
    return {row.told: name for name, row in choices(RunChoices).items() if row.told and name not in others}


def of_problem(problem: Problem) -> dict[str, Any]:
    """Robot, state and contact in JSON's terms. `labels` has a name for every number of qd, tau and qdd."""
    from senn.algorithms.problems import states

    chain = problem.chain
    return {
        "name": problem.name,
        "source": problem.source,
        "changed": list(problem.changed),
        "robot": chain.name,
        "joints": list(chain.joints),
        "joint_names": list(chain.all_joint_names),
        "labels": states.labels(chain),
        **({"branches": _branches(chain)} if chain.branches else {}),
        **({"part": _part(chain.written)} if chain.written and chain.written.form == "urdf" else {}),
        "gravity": problem.gravity.tolist(),
        "q": problem.q.tolist(),
        "qd": problem.qd.tolist(),
        "tau": problem.tau.tolist(),
        "qdd": problem.qdd.tolist(),
        "tip_vector": problem.tip_vector.tolist(),
        "contact": problem.contact.described(),
        "notes": list(problem.notes),
    }


def _part(written: Written) -> dict[str, Any]:
    """What was taken of a URDF: with these choices the same file is the same arm."""
    at = {name: list(place) for name, place in written.at.items()}
    return {"tip": written.tip, "base": written.base, "lock": list(written.lock), "at": at}


def _branches(chain: Chain) -> list[dict[str, Any]]:
    """The side branches in words and numbers, by link."""
    from senn.algorithms.robots import side_tree

    names, first = chain.all_joint_names[chain.n :], chain.qd_shares.total
    places = {at: slice(one.start - first, one.stop - first) for at, one in side_tree.places(chain).items()}
    return [
        {
            "link": tree.at,
            "joints": list(tree.joints),
            "names": list(names[places[tree.at]]),
            "hang_on": list(tree.parents),
        }
        for tree in side_tree.structure(chain)
    ]


def versions() -> dict[str, str]:
    """Of Python and of what computes."""
    packages = ("senn", "numpy", "simpy", "networkx", "polars")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}
