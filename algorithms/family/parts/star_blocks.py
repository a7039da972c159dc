"""The star program for blocks of links: serial inside, star products between (this project; serial inside
and divide and conquer between: Critchley, Anderson and Binani 2009).

Each of p processes has n/p neighbouring links. One serial pass inward makes of them a two-port
(`senn.algorithms.family.parts.two_port`), the star program runs over p two-ports instead of n, and one serial
pass outward gives the accelerations of the joints inside. Geometry and inertias are constants that a process
knows, as in the programs that gather: without the problem, a program can be timed, not run with numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from senn.algorithms.arm import joint_types
from senn.algorithms.arm.wide import Wide
from senn.algorithms.blocks import Blocks, apply, transposed
from senn.algorithms.family import gather_and_solve
from senn.algorithms.family.arm import SerialArm, at_state, constants
from senn.algorithms.family.gather_and_solve import process_by_process, shares_of_links, with_numbers
from senn.algorithms.family.parts import two_port
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import numerics, star
from senn.algorithms.programs.star.links import BlockLinks, Serial
from senn.algorithms.spatial import Numbers
from senn.machine.program import Kernel, Operations, Program
from senn.machine.rewrite.on_arrays import Assignment

Passes = Callable[[int], tuple[Operations, ...]]
LINKS = 8  # The links of a block by default


def program(
    n: int,
    joints: Sequence[str] | None = None,
    contact: int | ContactShape = 6,
    *,
    problem: Problem | None = None,
    processes: int = 0,
    arrays: int | Assignment = 2,
    one_message: bool = False,
    passes: Passes = two_port.counted,
) -> Program:
    """The program for n links in `processes` blocks, of the same number of links or one more; 0: of `LINKS`
    links. `arrays` and `one_message` as in the star program. `passes`: operations of a block of so many
    links, as `two_port.counted` has them.

    >>> program(64).n, program(64, processes=4).n
    (8, 4)
    """
    types, size = joint_types(n, joints), processes or -(-n // LINKS)
    arm = Wide(("revolute",) * size, ContactShape.of(contact))
    links = BlockLinks(arm, _serial(types, size, problem, passes))
    return star.of_links(links, "star blocks", arrays=arrays, one_message=one_message)


def _serial(types: Sequence[str], size: int, problem: Problem | None, passes: Passes) -> Serial:
    """The kernels; operations are those of as many revolute joints as the largest block has."""
    shares = shares_of_links(types, (), size)
    firsts = [-(-k * len(types) // size) for k in range(size + 1)]
    links = [] if problem is None else constants(problem.chain)
    words, degrees = max(len(q) + 2 * len(qd) for q, qd in shares), max(len(qd) for _, qd in shares)

    def kernel(name: str, form: str, operations: Operations, function: Callable[..., Blocks]) -> Kernel:
        def of_block(state: Blocks, number: Blocks, *others: Blocks) -> Blocks:
            with_numbers(problem)
            k = int(number) - 1
            counts = [len(x) for x in (shares[k][0], shares[k][1], shares[k][1])]
            q, qd, tau, _ = np.split(state[0], np.cumsum(counts))
            turning, gravity = np.zeros(3), np.zeros(3)
            if others:  # omega and g of the inner end, from those of the outer one
                block, whole, g = others[:3]
                turning = apply(block[:3], whole[3] - block[3])
                gravity = apply(block[:3], apply(transposed(whole[:3]), g))
            arm = at_state(links[firsts[k] : firsts[k + 1]], q, qd, gravity, turning=turning)
            return function(arm, tau, *others[3:])

        return process_by_process(name, form, of_block, operations)

    def accelerations(arm: SerialArm, tau: Blocks, before: Blocks, force: Blocks) -> Blocks:
        qdd = two_port.rates(arm, tau, before, force)
        return np.pad(qdd, (0, degrees - len(qdd)))

    inner_end = Operations(multiply=27, add=18 + 3)
    turns, *costs = passes(max(b - a for a, b in pairwise(firsts)))
    return Serial(
        words,
        degrees,
        kernel(
            "motion", "[C; omega] of block {1} at {0}", turns + costs[0], lambda arm, _: two_port.motion(arm)
        ),
        kernel("port", "A, J, C of block {1} at {0}", costs[1], lambda arm, _: two_port.response(arm)),
        kernel("bias", "b, eta of block {1} at {0}, {2}, {3}, {4}", costs[2] + inner_end, two_port.ends),
        kernel("rates", "qdd of block {1} at {0}, {2}, {3}, {4} by {5}, {6}", costs[3], accelerations),
    )


def memory(problem: Problem, processes: int = 0) -> dict[str, Numbers]:
    """The resident values by letter, a row for each block: state and number, gravity, the contact."""
    size = processes or -(-problem.chain.n // LINKS)
    gravity = problem.chain.base_rotation.T @ problem.gravity
    contact = {name: rows[:size] for name, rows in numerics.contact_memory(problem).items()}
    return {**gather_and_solve.memory(problem, size), "g_1": np.tile(gravity, (size, 1)), **contact}


def answers(problem: Problem, result: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """qdd (degrees,), and what belongs to the end effector."""
    at_tip = {name: x for name, x in result.items() if name != "qdd"}
    qdd = gather_and_solve.over_joints(problem, result["qdd"])
    return {"qdd": qdd, **numerics.answers(problem, at_tip)}
