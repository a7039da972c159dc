"""Divide and conquer on the machine, against articulated bodies."""

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import divide_and_conquer
from senn.algorithms.references import articulated
from senn.algorithms.robots import generators, side_tree
from senn.machine.program import Program
from senn.machine.program.dataflow import flow
from senn.machine.rewrite.on_arrays import Assignment
from tests.algorithms.programs.compared import agrees
from tests.algorithms.programs.test_wide import arm
from tests.algorithms.robots.trees import grafted

pytestmark = pytest.mark.rounding

NAMES = ("qdd", "force", "lambda_inverse", "acceleration0")


def programmed(what: Problem, arrays: int | Assignment = 2) -> Program:
    chain = what.chain
    more = {"arrays": arrays, "branches": side_tree.structure(chain)}
    return divide_and_conquer.program(chain.n, chain.joints, what.contact.constrained, **more)


def solved(
    what: Problem, arrays: int | Assignment = 2, residency: str = "migrating"
) -> dict[str, np.ndarray]:
    run = senn.solved(programmed(what, arrays), what, residency=residency, algorithm="divide-and-conquer")
    return dict(run.result)


# --------------------------------------------------------------------------- the answers


@pytest.mark.fast("F", "FUEFPX")
@pytest.mark.parametrize("word", ["F", "E", "H", "PR", "FUEFPX", "UUEE"])
def test_side_branches_at_every_link(word: str) -> None:
    """Also of one link, and where the joint before a link and that behind it turn the axes of its handles."""
    sides = [(at, 1 + at % 2) for at in range(1, len(word) + 1)]
    chain = grafted(generators.generate(f"joints:{word}:seed=4"), sides, 4)
    what = problems.draw(chain, 3)
    found, expected = solved(what), articulated.solve(what)
    assert agrees(found, what, NAMES)
    assert not np.allclose(found["qdd"][chain.qd_shares.total :], expected.qdd0[chain.qd_shares.total :])
    alone = solved(what, arrays=1)
    assert all(np.array_equal(found[name], alone[name]) for name in NAMES)


# ----------------------------------------------------------------------- on the machine


def test_a_part_that_only_names_values_is_printed() -> None:
    """On one array Lambda^-1 is what arrived: step I.c is a name."""
    lines = str(divide_and_conquer.program(6, arrays=1)).splitlines()
    k = lines.index("  c. Lambda^-1")
    assert " ".join(lines[k + 1].split()) == ". I.c.1 Lambda^-1_i := Phi2_i^3 i = 6"


def test_a_resident_value_follows_its_process_on_every_array_that_reads_it() -> None:
    """W at the root's place of the last level, where two arrays compute the contact force."""
    what = arm("RRPRRR")
    both, alone = solved(what, arrays={"III.2.ii": (1, 2), "IV": 1}), solved(what, arrays=1)
    assert all(np.array_equal(both[name], alone[name]) for name in NAMES)


def words(joints: str) -> int:
    """That all messages of an arm together have."""
    what = problems.load(f"joints:{joints}:seed=1")
    return int(senn.placed(programmed(what), "ideal").messages.words.sum())


def test_a_free_base_makes_no_message_longer() -> None:
    """Its six torques stay in its own process; six in the middle go through the tree."""
    assert words("CRRRRRR") < words("RRRFRRR")
    assert words("FRRRRRR") == words("CRRRRRR")


def counts(n: int, arrays: int) -> tuple[tuple[int, ...], int]:
    """Issued instructions by array, and network steps, migrating."""
    program = divide_and_conquer.program(n, arrays=arrays)
    schedule = senn.placed(program, "ideal")
    return tuple(len(tasks) for tasks in schedule.tasks), schedule.network_steps()


@pytest.mark.fast("3", "8", "9", "16", "31")
@pytest.mark.parametrize("n", [*range(3, 18), 24, 31, 32, 33])
def test_the_step_law(n: int) -> None:
    """Issued instructions are exactly a M + b from n = 3 on, the same for every n of the same M. Network
    steps are too, but for the way of what the contact reads to the root's place: none if n = 2^M."""
    m = (n - 1).bit_length()
    power = n == 2**m
    assert counts(n, 2) == ((15 * m, 30 * m + 19), 27 * m - 13 if power else 30 * m - 12)
    assert counts(n, 1) == ((43 * m + 18,), 24 * m - 15 if power else 27 * m - 14)


@pytest.mark.parametrize("n", [2, 5, 8, 13, 21])
def test_every_joint_is_joined_once(n: int) -> None:
    """n - 1 assemblies and one on the base, of which at least one in each level: a tree, not n in each."""
    lines = flow(divide_and_conquer.program(n)).lines[0]
    factors = [len(line.processes) for line in lines if line.instruction.step in ("I.a.5", "I.b.3")]
    assert sum(factors) == n
    assert len(factors) == 1 + (n - 1).bit_length()
    assert min(factors) >= 1


def test_every_message_goes_to_a_neighbour_or_along_an_unshuffle() -> None:
    """Migrating, n = 16: one hop in an array and one more between the arrays at the most, but for the words
    that wait at the root for the contact."""
    schedule = senn.placed(divide_and_conquer.program(16), "ideal")
    for tasks in schedule.tasks:
        for task in tasks:
            if task.step.startswith(("I.", "II.c", "IV.")) and task.step != "II.c.1'" and task.posts:
                assert schedule.messages.paths.part(task.posts).hops.max() <= 1
