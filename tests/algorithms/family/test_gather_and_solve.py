"""The baseline: the state of all links goes to every node, or to one, and each solves the whole problem."""

from math import ceil

import numpy as np
import pytest

import senn
from experiments import costs
from senn.algorithms import problems
from senn.algorithms.catalogue import algorithm
from senn.algorithms.family import gather_and_solve, pages
from senn.algorithms.family.closing import of_contact
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.programs import star
from senn.machine import model
from tests.algorithms.both_engines import agreed
from tests.algorithms.programs.compared import agrees

NAMES = ("qdd", "force", "lambda_inverse", "acceleration0")


def solved(what, residency="home", *, processes=0, everywhere=True):
    program = gather_and_solve.program(
        what.chain.n,
        what.chain.joints,
        what.contact.shape,
        problem=what,
        processes=processes,
        everywhere=everywhere,
    )
    run = agreed(program, gather_and_solve.memory(what, processes), residency=residency)
    return gather_and_solve.answers(what, run.result)


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("everywhere", [True, False])
@pytest.mark.parametrize("text", ["ur5_friction", "ssrms_payload"])
def test_contacts_of_other_kinds_in_both_engines(text, everywhere):
    what = problems.load(text)
    assert agrees(solved(what, everywhere=everywhere), what, NAMES, 1e-9)


@pytest.mark.parametrize("everywhere", [True, False])
@pytest.mark.parametrize("processes", [1, 3, 4])
def test_blocks_of_links_give_the_same_bits(processes, everywhere):
    """Nine links in processes of two or three: the numbers are gathered the same."""
    what = problems.load("joints:FRCEUSHXR:seed=1")
    found, expected = (solved(what, processes=p, everywhere=everywhere) for p in (processes, 0))
    assert all(np.array_equal(found[name], expected[name]) for name in NAMES)


@pytest.mark.parametrize("everywhere", [True, False])
def test_it_solves_with_the_numbers_that_came(everywhere):
    """The program has the constants of one state of the arm, and memory another state: that is solved."""
    what = problems.load("random:6:seed=1")
    other = what.at(q=what.q + 0.3, qd=-what.qd, tau=2 * what.tau)
    program = gather_and_solve.program(6, problem=what, everywhere=everywhere)
    run = senn.solved(program, gather_and_solve.memory(other))
    assert agrees(gather_and_solve.answers(other, run.result), other, NAMES)


def test_many_states_at_once():
    """Each with its own certificate, from a program that was placed once."""
    what = problems.load("random:5:seed=1")
    states = np.stack([what.q, what.q + 0.3, -what.q])
    assert senn.batch(what, q=states, algorithm="gather-and-solve", machine="raw").ok.tolist() == [True] * 3


# ------------------------------------------------------------------------- counts and times, by hand

CLUSTER = model.load("cluster").with_settings({"timing.startup": 3510})
"""With the start-up of the measurements below."""
ROUNDS = {f"timing.{x}": 0 for x in ("flop", "word", "post")} | {"timing.startup": 1}


@pytest.mark.parametrize("n", [2, 8, 64, 100])
def test_rounds(n):
    """A level is a message to a neighbour and one on to the place of the next level; to one process the last
    stays where it is, and the way back takes as long."""
    m, on = (n - 1).bit_length(), model.load("mark3").with_settings(ROUNDS)
    rounds = {
        everywhere: senn.timed(gather_and_solve.program(n, everywhere=everywhere), on).summary["makespan"]
        for everywhere in (True, False)
    }
    unshuffles_home = m if n > 2 else 0
    assert rounds == {True: m + unshuffles_home, False: 2 * m + 2 * (m - 1)}


def test_words():
    """At home, n = 8: two scans of 1, 2 and 4 states of three words, to the processes that there are."""
    messages = senn.placed(gather_and_solve.program(8), "ideal", "home").messages
    assert messages.words.sum() == 2 * 3 * (7 * 1 + 6 * 2 + 4 * 4)
    up_and_down = senn.placed(gather_and_solve.program(8, everywhere=False), "ideal", "home").messages
    assert up_and_down.words.sum() == 3 * (4 * 1 + 2 * 2 + 1 * 4) + (4 * 7 + 2 * 8 + 1 * 10)


@pytest.mark.parametrize("n", [16, 64])
def test_cycles_where_any_node_reaches_any_other(n):
    """cluster with a fat tree: a level is two posts of 600, a start-up of 3,510, a hop of 390, the words,
    and the reception, 300, of the later message: that of the other ends before it comes."""
    on = CLUSTER.with_settings({"machine.network": "full"})
    count = costs.CLOSED["PV-early"](n)
    program = gather_and_solve.program(n, operations=count)
    level = 2 * 600 + 3510 + 390 + 300
    words = sum(ceil(3 * 2**j * 24 / 25) for j in range((n - 1).bit_length()))
    serial = count.multiply + count.add + count.divide + 20 * count.trig
    makespan = senn.timed(program, on, "home").summary["makespan"]
    assert makespan == (n - 1).bit_length() * level + words + serial


@pytest.mark.parametrize(("n", "measured", "together"), [(16, 36355, 65252), (64, 74279, 98722)])
def test_on_the_cluster_it_is_ahead_of_the_star_program(n, measured, together):
    """Cycles of another program for the same idea, in a review of this project, within a tenth."""
    count = costs.CLOSED["PV-early"](n)
    found = [
        senn.timed(program, CLUSTER, "home").summary["makespan"]
        for program in (gather_and_solve.program(n, operations=count), star.program(n, one_message=True))
    ]
    assert found[1] == together
    assert found[0] == pytest.approx(measured, rel=0.1)


def test_every_node_executes_pv_with_six_unit_forces_and_step_iii():
    run = senn.timed(algorithm("gather-and-solve").program(8), "ideal", detail="full")
    six = pages.executed(pages.PAGES["forward_pv"], 8, ContactShape("general"))
    assert run.trace.activities["flops"].sum() == 8 * (six + of_contact(ContactShape())).flops
