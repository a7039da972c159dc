"""Every algorithm by name: what it answers, on what, at which cost, and the program that runs it.

`senn run --algorithm NAME`, the API and studies take the names from here. An algorithm of many processes is a
module with `program`, `memory` and `answers`; a serial one is a page with `solve` and `operations`, which
`senn.algorithms.one_node` puts on one node of the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from numpy.typing import NDArray

from senn.algorithms import answers as closed_chain_answers
from senn.algorithms import closed_chain, resident
from senn.algorithms.problem import Problem
from senn.algorithms.spatial import Array
from senn.machine.program import Operations, Program
from senn.traces.errors import InputError

Question = Literal["forward dynamics", "inverse dynamics", "mass matrix", "operational space"]


@dataclass(frozen=True, eq=False)
class Algorithm:
    """One member of the family."""

    name: str
    title: str
    question: Question
    order: str
    """Of its steps, in n."""
    source: str
    """Paper, section, equations."""
    program: Callable[..., Program]
    """``program(n, joints=..., **choices)``; with `contact` if closed, with `problem` if serial."""
    memory: Callable[[Problem], Mapping[str, Array]]
    answers: Callable[[Problem, Mapping[str, NDArray[Any]]], Mapping[str, Array]]
    choices: tuple[str, ...] = ()
    """Which arguments of `senn.run` change its program."""
    closed: bool = False
    """Whether it solves with the contact; else the tip is free."""
    operations: Callable[[int], Operations] | None = None
    """Of a serial algorithm: executed operations for n revolute joints."""

    @property
    def serial(self) -> bool:
        """Whether it runs on one node."""
        return self.operations is not None


def algorithm(name: str) -> Algorithm:
    """The algorithm of this name; `InputError` lists what there is."""
    found = ALGORITHMS.get(name)
    if found is None:
        raise InputError(f'algorithm "{name}" is not one of {", ".join(ALGORITHMS)}')
    return found


def _closed_chain_answers(problem: Problem, result: Mapping[str, NDArray[Any]]) -> Mapping[str, Array]:
    return closed_chain_answers.named(closed_chain_answers.solution(result))


_ALL: tuple[Algorithm, ...] = (
    Algorithm(
        "closed-chain",
        "constraint forces, the tip in contact",
        "forward dynamics",
        "O(log n)",
        "Fijany VI.D",
        closed_chain.program,
        resident.memory,
        _closed_chain_answers,
        ("form", "refine", "strategy", "elimination", "arrays", "ahead"),
        closed=True,
    ),
)

ALGORITHMS: dict[str, Algorithm] = {one.name: one for one in _ALL}
"""Every algorithm by name, the parallel ones first."""
