"""frontier.md: points against single runs and by hand, winners that a figure of a machine decides."""

from dataclasses import replace
from fractions import Fraction
from math import ceil

import numpy as np
import pytest

import senn
from experiments import crossovers
from experiments.measuring import VariedMachine
from experiments.page import data
from experiments.paper import frontier
from experiments.paper.frontier import BLOCKS, GATHERING, LESS, ONE_NODE, PROGRAMS, Cell, Point
from experiments.paper.least_words import jacobian, least_words, rank, words
from senn.algorithms import problems
from senn.algorithms.family import gather_and_solve
from senn.algorithms.problems.contacts import type_i
from senn.algorithms.references import articulated
from senn.machine import model
from senn.machine.network.named import senn as network


@pytest.mark.parametrize(("nodes", "allocation"), [(8, "identity"), (2, "block")])
def test_points_are_single_runs(nodes: int, allocation: str) -> None:
    on = model.load("mark3").with_settings({"machine.nodes": nodes})
    for name in ("short", "star", "divide and conquer"):
        runs = {
            x: senn.timed(PROGRAMS[name](8), on, x, allocation).summary["makespan"]
            for x in ("home", "migrating")
        }
        here = frontier.point(name, 8, nodes, ("mark3",))
        assert here.cycles["mark3"] == min(runs.values()) == runs[here.residency["mark3"]]


def test_of_blocks_one_process_a_node_gathers() -> None:
    on = model.load("mark3").with_settings({"machine.nodes": 4})
    program = gather_and_solve.program(16, processes=4, operations=frontier.serial(16))
    expected = min(senn.timed(program, on, x).summary["makespan"] for x in ("home", "migrating"))
    assert frontier.point("gather-and-solve", 16, 4, ("mark3",)).cycles["mark3"] == expected


def test_one_node_is_the_cheapest_serial_solution() -> None:
    """With Lambda^-1 PV at n = 64, 416 n - 42 multiplications and so on; without, PV-early."""
    here = frontier.point(ONE_NODE, 64, 1, ("raw", "mark3"))
    without = frontier.point(ONE_NODE + LESS, 64, 1, ("mark3",))
    assert here.cycles["raw"] == 416 * 64 - 42 + 350 * 64 - 73 + 64 + 6 + 20 * 2 * 64
    assert without.cycles["mark3"] == crossovers.race("mark3", 64).serial_cycles < here.cycles["mark3"]
    assert (here.cycles["rounds"], here.cycles["words"]) == (0, 0)


@pytest.mark.parametrize(("n", "rounds"), [(8, 5), (16, 8), (32, 10)])
def test_axes_of_gathering_by_hand(n: int, rounds: int) -> None:
    """A state is 3 words. Migrating, a level takes a message of the states so far and one of twice as many,
    of both scans, on the way to the next level: 2 M rounds. At home it is 5 at n = 8, later more."""
    m = (n - 1).bit_length()
    here = frontier.point("gather-and-solve", n, n, ("ideal",))
    count = frontier.serial(n)
    assert here.cycles["rounds"] == rounds
    assert here.cycles["words"] <= sum(3 * 2**j + 2 * 3 * 2 ** (j + 1) for j in range(m))
    assert here.cycles["operations"] == count.multiply + count.add + count.divide + 20 * count.trig


def test_a_winner_may_hang_on_a_figure() -> None:
    dear = VariedMachine("it", (("startup", Fraction(9)),))
    one = Point("a", 8, 8, {"it": 20, dear: 40}, {})
    other = Point("b", 8, 1, {"it": 25, dear: 25}, {})
    fewer = Point("a", 8, 4, {"it": 30}, {})  # which is not tried at corners
    here = Cell("it", (one, other, fewer))
    assert (here.quickest(), here.next, here.quickest(dear, shared=True)) == (one, other, one)
    assert here.otherwise == {"startup = 9": "b"}


def test_the_table_has_every_program_on_every_number_of_nodes() -> None:
    columns, *rows = data("frontier", "programs")
    assert columns[3:] == [*frontier.AXES, *frontier.MACHINES]
    sizes = frontier.SIZES
    several = (len(PROGRAMS) + len(BLOCKS) + 2 * len(GATHERING)) * sum(n.bit_length() - 1 for n in sizes)
    assert len(rows) == several + 4 * len(sizes)
    less = {name + LESS for name in (*GATHERING, ONE_NODE)}
    assert {row[0] for row in rows} == {*PROGRAMS, *BLOCKS, *GATHERING, ONE_NODE, frontier.BOUND} | less


def test_no_point_is_below_the_bounds() -> None:
    """And one line of the table is computed again."""
    _, *rows = data("frontier", "programs")
    bounds = {(n, p): [int(x) for x in row[:3]] for name, n, p, *row in rows if name == frontier.BOUND}
    for name, n, nodes, *cells in rows:
        if name != frontier.BOUND and (n, nodes) in bounds:
            assert all(int(x) >= least for x, least in zip(cells, bounds[n, nodes], strict=False)), name
    again = frontier.point("star", 8, 4)
    cycles = [str(again.cycles[x]) for x in (*frontier.AXES, *frontier.MACHINES)]
    assert ["star", "8", "4", *cycles] in rows


def test_lambda_inverse_or_gathering_changes_winners() -> None:
    """n = 32 on mark3 and ipsc860: one node wins alone if it has all data, and nobody asks for Lambda^-1."""
    _, *rows = data("frontier", "winners")
    for name, best in (("mark3", "short, outward"), ("ipsc860", "star-blocks")):
        (row,) = (row for row in rows if row[:2] == [name, "32"])
        assert (row[2], row[7], row[11]) == (best, "short, outward", ONE_NODE)
        without = frontier.point(ONE_NODE + LESS, 32, 1, (name,)).cycles[name]
        scattered = frontier.point("gather-solve-scatter" + LESS, 32, 32, (name,)).cycles[name]
        assert without < int(row[9]) < scattered


# ------------------------------------------------------------------------- the fewest words


@pytest.mark.parametrize(("first", "stop"), [(0, 2), (0, 4), (2, 4), (5, 6), (6, 8)])
def test_ranks_of_an_arm_in_floating_point(first: int, stop: int) -> None:
    """Central differences of a reference solver, of another arm: singular values fall by 1e4 at the rank."""
    what = problems.load("random:8:seed=1")
    what = replace(what, contact_input=type_i(np.eye(6), G_C=np.zeros(6)))
    x = np.stack([what.q, what.qd, what.tau], axis=1)

    def answers(state: np.ndarray) -> np.ndarray:
        q, qd, tau = state.T
        solution = articulated.solve(replace(what, q=q, qd=qd, tau=tau))
        return np.concatenate([solution.qdd, solution.lambda_inverse[np.tril_indices(6)]])

    steps = 1e-5 * np.eye(24).reshape(24, 8, 3)
    slopes = np.stack([(answers(x + h) - answers(x - h)) / 2e-5 for h in steps], axis=1)
    inside = np.isin(np.arange(8), range(first, stop))
    inner = np.append(inside, [stop == 8] * 21)
    for rows, columns, least in zip((~inner, inner), (inside, ~inside), words(8, first, stop), strict=True):
        block = slopes[rows][:, np.repeat(columns, 3)]
        block = block / np.abs(block).max(axis=1, keepdims=True)
        values = np.append(np.linalg.svd(block, compute_uv=False), 0.0)
        assert values[least - 1] > 1e4 * values[least]


def test_what_a_cut_must_carry_by_hand() -> None:
    """Outward for the accelerations: angular velocity, direction of the weight, acceleration of the cut:
    3 + 2 + 6. Inward: the wrench, 6. Lambda^-1 needs C of the inner links, seen across a joint: 5 x 5."""
    slopes = jacobian(32)
    assert rank(slopes[16:32, :48]) == 3 + 2 + 6
    assert rank(slopes[:16, 48:]) == 6
    assert rank(slopes[32:, :48]) == 15
    assert words(32, 0, 16)[1] == 6


def test_two_nodes_have_a_channel_each_way_and_array() -> None:
    """26 words for 64 links, over two channels; a row of the table is that bound."""
    assert least_words(64, network(2)) == ceil(words(64, 0, 32)[0] / 2) == 13
    _, *rows = data("frontier", "programs")
    assert [row[4] for row in rows if row[:3] == [frontier.BOUND, "64", "2"]] == ["13"]


def test_no_program_sends_fewer_words_over_the_middle() -> None:
    _, least, *rows = data("frontier", "across")
    assert least[:2] == [frontier.BOUND, "2"]
    assert all(int(x) >= int(y) for row in rows for x, y in zip(row[2:], least[2:], strict=True))
