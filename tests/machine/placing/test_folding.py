"""Several processes on a node, and a table for each array: what it costs, and that nothing else changes."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.path import Path

from senn.algorithms import problems
from senn.algorithms.programs import variants
from senn.algorithms.programs.numerics import memory
from senn.machine import invariants, model
from senn.machine.engines import events, lockstep
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.program import PR1, PR2, Array, Compute, Send, Value, i
from senn.traces import analysis
from senn.traces.analysis.comparison import compare
from senn.traces.pictures import plots
from senn.traces.run import Run
from tests.machine.small_programs import home, machine, program, total

MARK3 = model.load("mark3")
ENGINES = pytest.mark.parametrize("simulate", [events.simulate, lockstep.simulate])
X, P, Q = (Value(name, None, (1,)) for name in "xpq")


def folded() -> Run:
    """p = x in 5 cycles, p to the right, q = p + p_{i-1} in 4: processes 1 to 3 on node 0, 4 on node 1."""
    what = program(
        4,
        [
            Compute("I.1", P, total(5)(X)),
            Send("I.2", P, PR1[i + 1]),
            Compute("I.3", Q, total(4)(P, P[i - 1].or_zero)),
        ],
        resident=[(X, 1)],
        results={"q": (1, Q)},
    )
    on = replace(machine(post=2, receive=3), nodes=2)
    schedule = place(what, [[0, 0, 0, 1]] * 3, on)
    x = {"x": np.array([[1.0], [2.0], [3.0], [4.0]])}
    run = events.simulate(schedule, on, x, check=True)
    invariants.check(schedule, on, run.trace)
    assert lockstep.simulate(schedule, on, x).trace.hash == run.trace.hash
    return run


def test_a_node_executes_for_its_processes_one_after_the_other() -> None:
    """By hand: 3 x 5 cycles, 3 x 2 of posting, 2 x 3 of receiving and 2 x 4 on node 0; node 1 has one process
    and less to do. A node that acts for several names none, and the operations are those of all; what they
    compute is what they would alone."""
    run = folded()
    assert run.result["q"].ravel().tolist() == [1, 3, 5, 7]
    table = run.trace.instructions
    assert list(table["issue", "end", "active"].iter_rows()) == [(0, 15, 2), (15, 21, 1), (31, 45, 2)]
    assert list(run.trace.activities.drop("array", "work").iter_rows()) == [
        (0, 0, None, "compute", 0, 15, 15),
        (0, 1, 4, "compute", 0, 5, 5),
        (1, 0, None, "post", 15, 21, 0),
        (2, 0, None, "receive", 31, 37, 0),
        (2, 0, None, "compute", 37, 45, 8),
        (2, 1, 4, "receive", 31, 37, 0),
        (2, 1, 4, "compute", 37, 41, 4),
    ]


def test_a_message_between_processes_of_a_node_makes_no_hop() -> None:
    """It is a message all the same, posted and there in one cycle; the third crosses the wire."""
    trace = folded().trace
    assert list(trace.messages["source_process", "target_process", "posted", "arrived"].iter_rows()) == [
        (1, 2, 21, 21),
        (2, 3, 21, 21),
        (3, 4, 21, 31),
    ]
    assert list(trace.hops["message", "wire", "start", "end"].iter_rows()) == [(2, "exchange:0-1", 21, 31)]


def test_the_account_of_a_node_with_fewer_processes() -> None:
    """While others still work it is masked: compute + post + receive + masked + stall = T."""
    accounts = analysis.node_accounts(folded().trace, 2).drop("array", "drain")
    assert accounts.rows(named=True) == [
        {"node": 0, "compute": 23, "post": 6, "receive": 6, "masked": 0, "stall": 10},
        {"node": 1, "compute": 9, "post": 0, "receive": 6, "masked": 20, "stall": 10},
    ]


@pytest.mark.fast(every=1)
@ENGINES
@pytest.mark.parametrize("nodes", [1, 2, 4])
def test_the_whole_algorithm_on_fewer_nodes(nodes: int, simulate) -> None:  # type: ignore[no-untyped-def]
    """Seven links on 1, 2 and 4 nodes: every invariant, and the bits of one process on a node."""
    arm = problems.load("random:7:seed=1")
    what = variants.closed_chain(7, "paper", joints=arm.chain.joints, contact=arm.contact.constrained)
    on = MARK3.with_settings({"machine.nodes": nodes})
    table = np.tile(np.arange(7) * nodes // 7, (4, 1))
    alone = events.simulate(place(what, home(7), MARK3), MARK3, memory(arm))
    schedule = place(what, table, on)
    run = simulate(schedule, on, memory(arm))
    invariants.check(schedule, on, run.trace)
    invariants.check_free_network(schedule, on, simulate)
    assert all(np.array_equal(run.result[name], alone.result[name]) for name in alone.result)
    assert len(run.trace.messages) == len(alone.trace.messages)
    if nodes == 1:
        inside = run.trace.messages.filter(run.trace.messages["source_array"] == 1)
        assert set(run.trace.hops["kind"]) == {"vertical"}
        assert len(inside) > len(run.trace.hops)


def test_folded_traces_are_compared_node_by_node() -> None:
    """Three processes on node 0 and two on node 1: none is named, and the numbers of the nodes tell them
    apart."""
    what = program(5, [Compute("I.1", P, total(5)(X))], resident=[(X, 1)])
    on = replace(machine(), nodes=2)
    one, other = (
        events.simulate(place(what, [row] * 4, on), on, None).trace
        for row in ([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    )
    assert compare(one, one).first is None
    assert compare(one, other).differing == {"instructions": 0, "activities": 2, "messages": 0}


def test_a_folded_run_is_replayed_and_drawn() -> None:
    """At cycle 40 the array computes; the picture has seven boxes of engines, one of a DMA, a stall on two
    nodes."""
    run = folded()
    assert "\narray 1 computes: I.3 compute on 2 nodes" in str(run.at(40))
    ax = plots.timeline(run)
    assert [len(one.get_paths()) for one in ax.collections] == [7, 1]
    (stalls,) = ax.patches
    assert (stalls.get_path().codes == Path.MOVETO).sum() == 2
    pyplot.close("all")


# ------------------------------------------------------------- a table for each array


def test_a_message_to_another_array_first_goes_to_the_node_of_its_reader() -> None:
    """Process 1 is at node 0 of array 1, process 2 at node 3 of array 2 and at node 1 of array 1: the hops in
    array 1 lead to node 3, the last one down."""
    what = program(
        4, [Send("I.1", X, PR2[i + 1])], [Compute("II.1", P, total(1)(X[i - 1]))], resident=[(X, 1)]
    )
    schedule = place(what, [[[0, 1, 2, 3]] * 3, [[2, 3, 0, 1]] * 3], machine())
    m, columns = schedule.messages, schedule.wiring.columns()
    assert (m.source_node.tolist(), m.target_node.tolist()) == ([0, 1, 2], [3, 0, 1])
    wires = [[columns["wire"][channel] for channel in path.tolist()] for path in m.paths]
    assert wires == [
        ["exchange:0-1", "neighbor:1-2", "exchange:2-3", "vertical:3-3"],
        ["exchange:0-1", "vertical:0-0"],
        ["neighbor:1-2", "vertical:1-1"],
    ]


def test_the_same_process_may_live_elsewhere_in_another_array() -> None:
    """Also a message from PR_{1,i} to PR_{2,i} has a way to go, there and back."""
    what = program(
        2,
        [Send("I.1", X, PR2[i]), Compute("I.2", Q, total(1)(P))],
        [Compute("II.1", P, total(1)(X)), Send("II.2", P, Array(1)[i])],
        resident=[(X, 1)],
    )
    schedule = place(what, [[[0, 1]] * 2, [[1, 0]] * 2], machine())
    assert schedule.messages.paths.hops.tolist() == [2, 2, 2, 2]


def test_what_a_schedule_says_of_its_tables() -> None:
    """One table where the arrays agree, else one each."""
    what = program(2, [], [], resident=[(X, 1), (P, 2)])
    one, other = [[0, 1]] * 2, [[1, 0]] * 2
    assert place(what, [one, one], machine()).describe()["allocation"] == {"table": one}
    assert place(what, [one, other], machine()).describe()["allocation"] == {"tables": [one, other]}
    assert place(what, one, replace(machine(), nodes=4)).describe()["schedule"]["nodes"] == 4


# ------------------------------------------------------------- numbers of nodes that are no power of two


@pytest.mark.fast(every=1)
@ENGINES
@pytest.mark.parametrize("n", [6, 10])
def test_processes_migrate_on_an_even_number_of_nodes(n: int, simulate) -> None:  # type: ignore[no-untyped-def]
    """The N-card shuffle on a SENN of n nodes: every invariant, and the bits of a run on 2^M nodes. Between
    levels all goes over one channel; only the way home after the last level may be longer."""
    arm = problems.load(f"random:{n}:seed=1")
    what = variants.closed_chain(n, "paper", joints=arm.chain.joints, contact=arm.contact.constrained)
    on = MARK3.with_settings({"machine.nodes": n})
    schedule = place(what, allocation.named("identity", n, "migrating", n), on)
    run = simulate(schedule, on, memory(arm))
    invariants.check(schedule, on, run.trace)
    usual = events.simulate(
        place(what, allocation.named("identity", n, "migrating"), MARK3), MARK3, memory(arm)
    )
    assert all(np.array_equal(run.result[name], usual.result[name]) for name in usual.result)
    sent_at = np.array([schedule.every_task[row].line.instruction.at for row in schedule.senders])
    for level in range(1, schedule.program.levels):
        assert schedule.messages.paths.hops[sent_at == level].max() == 2
