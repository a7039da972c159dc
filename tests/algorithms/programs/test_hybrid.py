"""The hybrid of Yang, Wu and Pan: instructions, operations, and a recursion that is serial."""

from __future__ import annotations

import pytest

import senn
from senn.algorithms.programs.free import hybrid
from senn.machine import model
from senn.machine.engines.memory import executed
from senn.machine.program import Compute, Operations, levels
from senn.machine.program.dataflow import flow
from tests.algorithms.programs.scan_runs import bias_operations, counts, scanned

pytestmark = pytest.mark.rounding


def exchanging(n: int) -> int:
    """M': the levels at which the n - 1 members of the two bi-diagonal systems have partners."""
    return levels(n - 1)


def test_instructions_grow_with_n() -> None:
    """By hand, migrating, from n = 3: 15 M + 19 of Newton-Euler and F_T; 3 n + 1 of the recursion, two
    computations and a message a link; 17 M + 7 M' in all of the loops, and 8 between them."""
    for n in (3, 4, 5, 8, 9, 16, 17, 31, 33):
        found = counts(hybrid.program(n))[0]
        assert found == 17 * levels(n) + 7 * exchanging(n) + 3 * n + 26


def test_network_steps_where_all_are_connected() -> None:
    """The gathering takes one step, and every message back another; the five scans of Newton-Euler and two
    sends, five sends around the systems; a product and a vector each level inward, a vector outward."""
    full = model.load("mark3").with_settings({"machine.network": "full"})
    for n in (3, 4, 5, 8, 9, 17):
        steps = senn.placed(hybrid.program(n), full, "home").network_steps()
        assert steps == 5 * levels(n) + 3 * exchanging(n) + n + 4


def test_one_process_alone_makes_the_articulated_inertias() -> None:
    """Step III.3-4: 2 n computations at process N, one after the other; 96 multiplications, 92 additions and
    a division a link, which is what no scan can share out."""
    n = 9
    lines = [
        x for x in hybrid.program(n).streams[0] if isinstance(x, Compute) and x.step in ("III.3", "III.4")
    ]
    assert len(lines) == 2 * n
    work = [x.operations(x.expression.kernels[0]) for x in lines[2:]]
    assert [sum(getattr(w, kind) for w in work) / (n - 1) for kind in ("multiply", "add", "divide")] == [
        96,
        92,
        1,
    ]
    schedule = senn.placed(hybrid.program(n))
    taking_part = [t.line.processes.tolist() for t in schedule.tasks[0] if t.step in ("III.3", "III.4")]
    assert taking_part == [[n]] * (2 * n)


@pytest.mark.parametrize("n", [3, 4, 7, 8, 9, 17, 32])
def test_all_operations_of_all_processes(n: int) -> None:
    """By hand, revolute joints: bodies, gains and the recursion; then systems of n - 1 members, with a vector
    for each pair inward and outward, and a product of transfers for each pair that has another beyond."""
    pairs = scanned(n - 1)
    products = sum(n - 1 - 2**j for j in range(1, levels(n - 1)))
    links = Operations(54 * n + 27 * n + 69 * (n - 1), 39 * n + 14 * n + 78 * (n - 1), n)
    around = Operations(30 * (n - 1) + 42 * (n - 2), 18 * (n - 1) + 15 * (n - 2), n)
    scans = Operations(72 * pairs + 216 * products, 72 * pairs + 180 * products)
    assert executed(flow(hybrid.program(n))) == bias_operations(n) + links + around + scans
