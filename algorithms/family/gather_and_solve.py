"""The closed chain without a parallel algorithm: nodes gather the state of all links, and solve serially.

Geometry and inertias are constants, which every node knows; q, qd and tau are at the home of their link. Two
scans by recursive doubling, one outward and one inward, bring them to every process: at level j a message
holds the states of 2^(j-1) processes. Then each process solves the whole problem, with the numbers that
messages brought, by a page of the serial family (PV with unit forces along all six axes, which gives
Lambda^-1), and keeps the accelerations of its own link.

`everywhere=False`: one process solves. States go to it up a binary tree, and accelerations and the contact
force back down; Lambda^-1 and the acceleration of the free tip stay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from senn.algorithms.arm import Lines, joint_types
from senn.algorithms.blocks import Blocks, full
from senn.algorithms.family.pages import operations_with_tip
from senn.algorithms.family.popov_vereshchagin import solve_with_tip
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs.recurrence import following
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.robots.side_tree import SideTree, structure
from senn.algorithms.spatial import Numbers, pack
from senn.algorithms.system.solver import after_last_level
from senn.algorithms.variant import about
from senn.machine.program import *  # the words of a program

NUMBER, SOLUTION = value("i"), "solution"
_METHOD = "forward dynamics and Lambda^-1 by Popov and Vereshchagin"
_AT_TIP = 6 + 21
"""Words of the acceleration of the free tip and of Lambda^-1, behind the contact force."""
_TITLES = {
    "I": "Step I: States of All Links to {where}",
    "II": "Step II: All of It, by {where}",
    "III": "Step III: Answers to Their Links",
}


def program(
    n: int,
    joints: Sequence[str] | None = None,
    contact: int | ContactShape = 6,
    *,
    branches: Sequence[SideTree] = (),
    problem: Problem | None = None,
    everywhere: bool = True,
    processes: int = 0,
    operations: Operations | None = None,
) -> Program:
    """The program for n links on one array. Joint types, side branches and the shape of the contact are
    structure; without the `problem`, whose constants every process knows, it can be timed, not run with
    numbers. `processes`: as many, each with the same number of links or one more; 0: one per link.
    `operations` of the solution: by default those of PV for as many revolute joints.

    >>> [len(stream) for stream in program(4).streams], len(program(4, everywhere=False).streams[0])
    ([13], 18)
    """
    types, shape, size = joint_types(n, joints), ContactShape.of(contact), processes or n
    shares = shares_of_links(types, branches, size)
    count = len(types) + sum(tree.size for tree in branches)
    form = f"{_METHOD}: " + ("{0}, {1} at {2}" if everywhere else "{0}")
    cost = operations or operations_with_tip(count, shape)
    solving = process_by_process(_METHOD, form, _solution(problem, shares), cost)
    words = max(len(q) + 2 * len(qd) for q, qd in shares)
    degrees = max(len(qd) for _, qd in shares)
    lines, results = (_everywhere if everywhere else _at_last_process)(size, words, degrees, solving)
    where = "Every Process" if everywhere else "Process N"
    return Program(
        name="gather and solve" if everywhere else "gather, solve and scatter",
        n=size,
        streams=(tuple(lines),),
        resident=(Resident(value("x", 1, words), (1,)), Resident(NUMBER, (1,)))[: 2 if everywhere else 1],
        results={name: (1, x) for name, x in results.items()},
        parts={step: title.format(where=where) for step, title in _TITLES.items()},
        about={**about(shape), "branches": tuple(branches)},
    )


def _states(mark: str, level: int, words: int) -> Value:
    """States of 2^level processes, base to tip."""
    return Value(f"x{mark}", level, (2**level, words))


def _everywhere(
    n: int, words: int, degrees: int, solving: Kernel
) -> tuple[list[Instruction], dict[str, Value]]:
    """Both scans, and the solution at every process: states of processes up to i, and from i on."""

    def level(j: int, h: int) -> Lines:
        (before, beyond), (up_to, onward) = ([_states(x, k, words) for x in "><"] for k in (j - 1, j))
        yield Send("I.1.i", before, PR1[i + h])
        yield Send("I.1.ii", beyond, PR1[i - h])
        yield Compute("I.1.iii", up_to, joined_before(before, before[i - h].or_zero))
        yield Compute("I.1.iv", onward, joined_beyond(beyond, beyond[i + h].or_zero))
        yield Arrange("I.1.iv'", up_to + onward, j, following(j, n))

    answer, states = value("answer", degrees + 6 + _AT_TIP), [_states(x, levels(n), words) for x in "><"]
    named = [Name("I.1", _states(x, 0, words), value("x", 1, words)) for x in "><"]
    return [*named, *loop(n, level), Compute("II.1", answer, solving(*states, NUMBER))], {"answer": answer}


def _at_last_process(
    n: int, words: int, degrees: int, solving: Kernel
) -> tuple[list[Instruction], dict[str, Value]]:
    """Up the tree of divide and conquer, the solution at process N, and down again: at each level half of the
    answers, and the contact force with them."""

    def answers(level: int, mark: str = "") -> Value:
        return Value(f"answer{mark}", level, (2**level * degrees + 6,))

    def up(j: int, h: int) -> Lines:
        before, up_to = _states(">", j - 1, words), _states(">", j, words)
        yield Send("I.1.i", before, PR1[i + h].only(every(2 * h, n - h)))
        yield Compute("I.1.ii", up_to, joined_before(before, before[i - h].or_zero), every(2 * h, n))
        if j < levels(n):
            yield Arrange("I.1.ii'", up_to, j, j + 1)

    def down(j: int, h: int) -> Lines:
        whole, inner, outer = answers(j), answers(j - 1, "-"), answers(j - 1, "+")
        if j < levels(n):
            yield changed(Arrange("III.1.i", whole, j + 1, j), level=j, at=j + 1)
        yield Compute("III.1.ii", inner, inner_half(whole), every(2 * h, n) & (i > h))
        yield Send("III.1.iii", inner, PR1[i - h])
        yield Compute("III.1.iv", outer, outer_half(whole))
        yield Name("III.1.v", answers(j - 1), outer, inner[i + h])

    solution = value(SOLUTION, *(size + _AT_TIP for size in answers(levels(n)).shape))
    solve = Compute("II.1", solution, solving(_states(">", levels(n), words)), i == n)
    part = Compute("II.1'", answers(levels(n)), without_tip(solution))
    lines = [Name("I.1", _states(">", 0, words), value("x", 1, words)), *loop(n, up)]
    at_end = [Wait("III.1.vi", answers(0))] if n > 1 else []
    lines += [after_last_level(solve, n), after_last_level(part, n), *loop(n, down, downward=True), *at_end]
    return lines, {"answer": answers(0), SOLUTION: solution}


# ------------------------------------------------------------------- local operations; none is arithmetic


@kernel("[{1}; {0}]", runs_without_operands=True)
def joined_before(states: Blocks, before: Blocks | None) -> Blocks:
    """States behind those of processes nearer to the base; zeros where there are none."""
    return np.concatenate([np.zeros_like(states) if before is None else before, states], axis=-2)


@kernel("[{0}; {1}]", runs_without_operands=True)
def joined_beyond(states: Blocks, beyond: Blocks | None) -> Blocks:
    """States, and then those of processes nearer to the tip."""
    return np.concatenate([states, np.zeros_like(states) if beyond is None else beyond], axis=-2)


@kernel("inner half of {0}")
def inner_half(answers: Blocks) -> Blocks:
    """Accelerations of half of the links, and the contact force, which `outer_half` has too."""
    count = (answers.shape[-1] - 6) // 2
    return np.concatenate([answers[..., :count], answers[..., -6:]], axis=-1)


without_tip = Kernel("without_tip", "accelerations and force of {0}", lambda x: x[..., :-_AT_TIP].copy())
outer_half = Kernel("outer_half", "outer half of {0}", lambda x: x[..., (x.shape[-1] - 6) // 2 :])

# ---------------------------------------------------------------------------- memories and answers

Shares = Sequence[tuple[list[int], list[int]]]
"""Entries of q, and of qd, tau and qdd, that each process has."""


def shares_of_links(joints: Sequence[str], branches: Sequence[SideTree], processes: int) -> Shares:
    """A process has its links with what hangs beside them."""
    main = enumerate(joints)
    beside = ((tree.at - 1, joint) for tree in branches for joint in tree.joints)
    shares: Shares = [([], []) for _ in range(processes)]
    first_q = first_qd = 0
    for link, name in (*main, *beside):
        q, qd = shares[link * processes // len(joints)]
        q += range(first_q, first_q + JOINTS[name].coordinates)
        qd += range(first_qd, first_qd + JOINTS[name].degrees)
        first_q, first_qd = first_q + JOINTS[name].coordinates, first_qd + JOINTS[name].degrees
    return shares


def with_numbers(problem: Problem | None) -> Problem:
    """The problem of a program that is run with numbers."""
    if problem is None:
        raise ValueError("this program was made without a problem: it can only be timed")
    return problem


def process_by_process(
    name: str, form: str, function: Callable[..., Blocks], operations: Operations
) -> Kernel:
    """The kernel of a function of the operands of one process, with its operations."""

    def evaluate(*blocks: Blocks) -> Blocks:
        return np.stack([function(*row) for row in zip(*blocks, strict=True)])

    return Kernel(name, form, evaluate, declared=operations)


def _solution(problem: Problem | None, shares: Shares) -> Callable[..., Blocks]:
    """From states of processes up to i, from i on, and i, the accelerations of process i and what belongs to
    the tip; from states alone, those of process N, the accelerations of all."""
    size, width = len(shares), max(len(of_qd) for _, of_qd in shares)

    @lru_cache(maxsize=1)  # processes that gathered the same numbers would all compute the same
    def solved(states: bytes) -> tuple[Numbers, Numbers]:
        whole = with_numbers(problem)
        q, qd, tau = np.zeros_like(whole.q), np.zeros_like(whole.qd), np.zeros_like(whole.tau)
        for row, (of_q, of_qd) in zip(np.frombuffer(states).reshape(size, -1), shares, strict=True):
            bounds = np.cumsum([len(of_q), len(of_qd), len(of_qd)])
            q[of_q], qd[of_qd], tau[of_qd], _ = np.split(row, bounds)
        solution = solve_with_tip(replace(whole, q=q, qd=qd, tau=tau))
        at_tip = (solution["force"], solution["acceleration0"], pack(solution["lambda_inverse"]))
        return solution["qdd"], np.concatenate(at_tip)

    def answer(number: int, up_to: Numbers, beyond: Numbers) -> Numbers:
        qdd, at_tip = solved(np.concatenate([up_to[-number:], beyond[: size - number]]).tobytes())
        rows = [np.pad(qdd[of_qd], (0, width - len(of_qd))) for _, of_qd in shares]
        return np.concatenate([*rows, at_tip])

    def of_process(up_to: Blocks, onward: Blocks | None = None, number: Blocks | None = None) -> Blocks:
        if onward is None or number is None:
            return np.pad(answer(size, up_to, up_to[:0]), ((len(up_to) - size) * width, 0))
        k = int(number)
        whole = answer(k, up_to, onward[1:])
        return np.concatenate([whole[(k - 1) * width : k * width], whole[size * width :]])

    return of_process


def memory(problem: Problem, processes: int = 0) -> dict[str, Numbers]:
    """State and number of every process, a row each: q, qd and tau of its links one after the other."""
    shares = shares_of(problem, processes)
    rows = [np.concatenate([problem.q[q], problem.qd[qd], problem.tau[qd]]) for q, qd in shares]
    width = max(map(len, rows))
    states = np.stack([np.pad(row, (0, width - len(row))) for row in rows])
    return {"x": states[:, None], "i": np.arange(1.0, len(shares) + 1)}


def answers(problem: Problem, result: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """qdd (degrees,), force and acceleration0 (6,) and lambda_inverse (6, 6), as `Solution` has them."""
    rows = result["answer"]
    force, acceleration, inverse = np.split(result.get(SOLUTION, rows)[-1, -6 - _AT_TIP :], (6, 12))
    qdd = over_joints(problem, rows)
    return {"qdd": qdd, "force": force, "acceleration0": acceleration, "lambda_inverse": full(inverse)}


def over_joints(problem: Problem, rows: Numbers) -> Numbers:
    """qdd (degrees,) from that of each process, a row each."""
    qdd = np.zeros(len(problem.qd))
    for row, (_, of_qd) in zip(rows, shares_of(problem, len(rows)), strict=True):
        qdd[of_qd] = row[: len(of_qd)]
    return qdd


def shares_of(problem: Problem, processes: int) -> Shares:
    chain = problem.chain
    return shares_of_links(chain.joints, structure(chain), processes or chain.n)
