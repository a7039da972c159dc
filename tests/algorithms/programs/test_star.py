"""The star program on the machine, against articulated bodies."""

from dataclasses import replace

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import numerics, star
from senn.algorithms.robots import side_tree
from senn.machine.program import Program
from senn.machine.rewrite.on_arrays import Assignment
from tests.algorithms.both_engines import agreed
from tests.algorithms.certificate.test_refined import light
from tests.algorithms.programs.compared import agrees

pytestmark = pytest.mark.rounding

NAMES = ("qdd", "force", "lambda_inverse", "acceleration0", "forces")


def programmed(what: Problem, arrays: int | Assignment = 2) -> Program:
    chain = what.chain
    trees = side_tree.structure(chain)
    return star.program(chain.n, chain.joints, what.contact.shape, arrays=arrays, branches=trees)


def solved(
    what: Problem, arrays: int | Assignment = 2, residency: str = "migrating"
) -> dict[str, np.ndarray]:
    run = senn.solved(programmed(what, arrays), star.memory(what), residency=residency)
    return numerics.answers(what, run.result)


# --------------------------------------------------------------------------- the answers


def test_slender_rods_need_no_refinement() -> None:
    """radius/length 0.001, n = 64, where the unrefined elimination with A loses nearly all: the contact force
    to twelve digits and more, the residual below 1e-8."""
    run = senn.run("rods:64:slenderness=0.001", algorithm="star", engine="lockstep", detail="instructions")
    assert run.certificate["ok"]
    assert run.certificate["contact_force_error"] < 1e-12
    assert run.certificate["residual"] < 1e-8


def test_digits_of_a_short_arm() -> None:
    """Seven joints, Qdd to 13 digits and more: where K (b_x - C_x eta_y) is asked for, or a force at the cut,
    nothing is made of K C_x, which is known but less exact by two digits."""
    run = senn.run("ssrms", algorithm="star", engine="lockstep", detail="instructions")
    assert run.certificate["qdd_error"] < 6e-14
    assert run.certificate["forces_error"] < 1e-14


def test_a_light_link_costs_no_digits() -> None:
    """A link of 1e-6 of the mass and a hundredth of the size: of constraint forces no digit is left, and of
    star products without loans of inertia two or three."""
    what = light(5, 1e-6, 1e-2)
    assert agrees(solved(what), what, NAMES, 1e-11)
    run = senn.run(what, algorithm="star", engine="lockstep", detail="instructions")
    assert run.certificate["ok"]


@pytest.mark.parametrize("word", ["RRRURRRR", "FRRRRRR"])
def test_a_light_link_of_other_joints_costs_no_digits(word: str) -> None:
    """The link in the middle, 1e-6 of its mass and a hundredth of its size: without loans, four digits."""
    what = problems.load(f"joints:{word}:seed=1")
    chain, here = what.chain, np.arange(len(word)) == len(word) // 2
    mass, size = np.where(here, 1e-6, 1.0), np.where(here, 1e-2, 1.0)
    lighter = replace(
        chain,
        mass=chain.mass * mass,
        inertia=chain.inertia * (mass * size**2)[:, None, None],
        position=chain.position * size[:, None],
        centre=chain.centre * size[:, None],
    )
    what = replace(what, chain=lighter)
    assert agrees(solved(what), what, NAMES, 1e-11)


def test_loans_follow_from_the_links_around() -> None:
    """Five times the second largest moment about their joints of links i-1..i+3; the last has none."""
    chain = problems.load("rods:8:seed=1").chain
    moments = []
    for m, j, s, c in zip(chain.mass, chain.inertia, chain.centre, chain.rotation, strict=True):
        moments.append(c[2] @ (j + m * (s @ s * np.eye(3) - np.outer(s, s))) @ c[2])
    expected = [5 * sorted(moments[max(k - 1, 0) : k + 4])[-2] for k in range(7)]
    assert np.allclose(star.loans(chain), [*expected, 0.0], rtol=1e-14, atol=0.0)
    assert np.array_equal(star.loans(problems.load("random:1").chain), [0.0])


# ----------------------------------------------------------------------- on the machine


@pytest.mark.parametrize(
    ("arrays", "residency"),
    [
        (1, "migrating"),
        (2, "home"),
        ({"II.a": 3, "II.b.1": 3, "II.a.1": (2, 3)}, "migrating"),
        ({"II.a.8": 2}, "migrating"),
    ],
    ids=str,
)
def test_one_message_a_level(arrays: int | Assignment, residency: str) -> None:
    """Every level's values in one message: the same bits in both engines, and as in messages of their own.
    Values that different arrays make follow their process in different arrays."""
    what = problems.load("random:11:prismatic=0.3:seed=2")
    program = star.program(11, what.chain.joints, arrays=arrays, one_message=True)
    agreed(program, star.memory(what), residency=residency)
    run = senn.solved(program, star.memory(what), residency=residency)
    found, expected = numerics.answers(what, run.result), solved(what)
    assert all(np.array_equal(found[name], expected[name]) for name in NAMES)


def steps_of(program: Program) -> list[int]:
    """Network steps of each array: channels in a row that the messages of its sends and arrangements take."""
    schedule = senn.placed(program, "ideal")
    slots = iter(schedule.slots)
    return [sum(next(slots) for _ in tasks) for tasks in schedule.tasks]


@pytest.mark.fast("8", "16")
@pytest.mark.parametrize("n", [8, 16, 32, 64, 128])
def test_rounds(n: int) -> None:
    """A round of velocities and one of products at each level: a message to a partner and one on to the place
    of the next level each, which makes 4 M steps in an array; then one to a neighbour, and to the cut one to
    a neighbour in the other array. Messages of their own for A, J, C and (b, eta) are 10 M instead."""
    m = (n - 1).bit_length()
    assert steps_of(star.program(n, one_message=True)) == [4 * m + 2, 4 * m + 1]
    assert steps_of(star.program(n)) == [10 * m - 2, 10 * m + 1]
    assert steps_of(star.program(n, arrays=1, one_message=True)) == [6 * m + 2]
    issued = [len(tasks) for tasks in senn.placed(star.program(n), "ideal").tasks]
    assert issued == [18 * m + 7, 18 * m + 24]


def test_start_ups_in_a_row() -> None:
    """n = 64 on mark3: 27 on the critical path, where the paper's form has 166."""
    found = {}
    for name, choices in {"star": {"algorithm": "star"}, "paper": {}}.items():
        run = senn.run("random:64", machine="mark3", numbers=False, engine="lockstep", **choices)
        found[name] = sum(piece.label == "startup" for piece in run.path)
    assert found == {"star": 27, "paper": 166}


def test_every_message_goes_to_a_neighbour_or_along_an_unshuffle() -> None:
    """Migrating, n = 16: one hop in an array, and one more between the arrays."""
    schedule = senn.placed(star.program(16), "ideal")
    for tasks in schedule.tasks:
        for task in tasks:
            if task.posts:
                most = 2 if task.step.startswith("II.e") else 1
                assert schedule.messages.paths.part(task.posts).hops.max() <= most


@pytest.mark.fast("II.a", "II.c.8", "IV")
@pytest.mark.parametrize("part", ["II.a", "II.b", "II.c", "II.d", "II.c.8", "III", "IV"])
def test_any_part_on_an_array_of_its_own(part: str) -> None:
    """What crosses is sent, also where only one process reads it; not a bit changes."""
    what = problems.load("random:9:prismatic=0.3:seed=5")
    apart, alone = solved(what, arrays={part: 2}), solved(what, arrays=1)
    assert all(np.array_equal(apart[name], alone[name]) for name in NAMES)


def test_both_arrays_can_be_written_as_a_table() -> None:
    """The program for two arrays is that for one, with Step I in both and the outer spans apart."""
    what = problems.load("random:8:seed=2")
    table = {"I": (1, 2), "II.c": 2, "II.d": 2, "III": 2, "IV": 2}
    found = senn.placed(programmed(what, table), "ideal"), senn.placed(programmed(what), "ideal")
    assert len(found[0].messages) == len(found[1].messages)
    assert np.array_equal(solved(what, table)["qdd"], solved(what)["qdd"])
