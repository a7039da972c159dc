"""Programs on every network: the same numbers, both engines alike, invariants, and routes of the network.

The numbers of a program do not depend on where its messages travel: the answers on SENN are the oracle.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from senn.algorithms import problems
from senn.algorithms.programs import variants
from senn.algorithms.programs.numerics import memory
from senn.machine import invariants, model
from senn.machine.engines import events, lockstep
from senn.machine.network.topology import unshuffle
from senn.machine.placing import allocation
from senn.machine.placing.schedule import Schedule, place
from senn.machine.program import Program
from tests.machine.random_programs import case

MACHINES = [
    {},
    {"shuffle": "forward"},
    {"shuffle": "inverse", "routing": "greedy"},
    {"merge_parallel": True},
    {"merge_parallel": True, "shuffle": "forward"},
    {"network": "senn", "nodes": 10},
    {"network": "shuffle-exchange", "routing": "bit-by-bit"},
    {"network": "shuffle-exchange", "shuffle": "inverse"},
    {"network": "hypercube", "routing": "e-cube"},
    {"network": "hypercube", "nodes": 16, "routing": "greedy"},
    {"network": "ring", "nodes": 9},
    {"network": "line"},
    {"network": "mesh", "routing": "xy"},
    {"network": "torus", "nodes": 12, "routing": "xy"},
    {"network": "full"},
]


def named(fields: dict[str, object]) -> str:
    return " ".join(map(str, fields.values())) or "senn"


@pytest.fixture(scope="module")
def arm() -> tuple[Program, dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The program and memory of an arm of six joints, and the answers on the paper's network."""
    what = problems.load("random:6", seed=1)
    program = variants.closed_chain(6, "short", 0, what.chain.joints, what.contact.constrained)
    machine = model.load("raw")
    schedule = place(program, allocation.named("identity", 6, "migrating"), machine)
    return program, memory(what), events.simulate(schedule, machine, memory(what)).result


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("fields", MACHINES, ids=named)
@pytest.mark.parametrize("residency", ["home", "migrating"])
def test_the_answers_do_not_depend_on_the_network(
    fields: dict[str, object], residency: allocation.Residency, arm: tuple
) -> None:
    """Six joints, form short: the bits of SENN's answers, all invariants, and one trace from both engines."""
    program, values, answers = arm
    machine = replace(model.load("raw"), **fields)
    schedule = place(program, allocation.named("identity", 6, residency), machine)
    run = events.simulate(schedule, machine, values, check=True)
    for name, value in answers.items():
        np.testing.assert_array_equal(run.result[name], value)
    invariants.check(schedule, machine, run.trace)
    assert lockstep.simulate(schedule, machine, None).trace.hash == run.trace.hash


@pytest.mark.fast("?")
@pytest.mark.parametrize("seed", range(len(MACHINES)))
def test_random_programs_on_random_networks(seed: int) -> None:
    """Any sends and allocations: the engines leave the same trace, and it fits the schedule and machine."""
    program, table, machine, values = case(7000 + seed)
    drawn = MACHINES[seed % len(MACHINES)]
    machine = replace(machine, **{"nodes": 0, "routing": "lowest", **drawn})
    while machine.nodes and machine.nodes <= table.max():
        machine = replace(machine, nodes=2 * machine.nodes)
    schedule = place(program, table, machine)
    run = events.simulate(schedule, machine, values, check=True)
    invariants.check(schedule, machine, run.trace)
    if lockstep.is_exact(machine):
        assert lockstep.simulate(schedule, machine, None).trace.hash == run.trace.hash


# ------------------------------------------------------------------------------- migration


def placed(residency: allocation.Residency = "migrating", **fields: object) -> Schedule:
    machine = replace(model.load("raw"), **fields)
    return place(variants.closed_chain(8, "short"), allocation.named("identity", 8, residency), machine)


def arranged(schedule: Schedule) -> list[tuple[int, int, list[str]]]:
    """(from, to, wires) of every message of I.b.12', level 1: an un-shuffle of array 1."""
    (task,) = [t for t in schedule.tasks[0] if t.step == "I.b.12'" and t.line.instruction.level == 1]
    m, columns = schedule.messages, schedule.wiring.columns()
    return [
        (int(m.source_node[k]), int(m.target_node[k]), [columns["wire"][c] for c in m.paths[k].tolist()])
        for k in task.posts
    ]


def test_an_unshuffle_takes_what_the_network_has() -> None:
    """From node 4 to node 2 of 8: one hop backward; round by 1 with forward wires; a route on others."""
    wires = {
        "both": placed(),
        "forward": placed(shuffle="forward"),
        "inverse": placed(shuffle="inverse"),
        "plain": placed(network="shuffle-exchange"),
        "cube": placed(network="hypercube"),
        "ring": placed(network="ring"),
    }
    found = {name: {a: way for a, _, way in arranged(schedule)}[4] for name, schedule in wires.items()}
    assert found == {
        "both": ["shuffle:2-4"],
        "forward": ["shuffle:4-1", "shuffle:1-2"],
        "inverse": ["shuffle:2-4"],
        "plain": ["shuffle:2-4"],
        "cube": ["cube:0-4", "cube:0-2"],
        "ring": ["neighbor:3-4", "neighbor:2-3"],
    }
    for schedule in wires.values():
        assert all(b == unshuffle(a, 8) for a, b, _ in arranged(schedule))


def test_forward_wires_only_never_shuffle_against_their_direction() -> None:
    """Every hop of the whole program on a shuffle wire goes forward, of inverse only backward."""
    for way, back in (("forward", False), ("inverse", True)):
        for residency in ("home", "migrating"):
            schedule = placed(residency, shuffle=way)
            inner = schedule.wiring.channels
            used = schedule.messages.paths.channels
            used = used[used < 2 * len(inner)] % len(inner)
            kinds = np.array(inner.kind)[used]
            assert "shuffle" in kinds
            assert set(inner.backward[used][kinds == "shuffle"].tolist()) == {back}


# ------------------------------------------------------------------------------- graph files


def test_a_network_of_ones_own_runs(tmp_path: Path, arm: tuple) -> None:
    """A one-way ring with a short cut: routes follow its channels, the answers are those of SENN."""
    program, values, answers = arm
    path = tmp_path / "own.edges"
    path.write_text("".join(f"{p} {(p + 1) % 9}\n" for p in range(9)) + "0 5\n")
    machine = replace(model.load("raw"), network=str(path))
    table = allocation.named("identity", 6, "home")
    schedule = place(program, table, machine)
    assert schedule.wiring.nodes == 9
    run = events.simulate(schedule, machine, values, check=True)
    invariants.check(schedule, machine, run.trace)
    assert all(np.array_equal(run.result[name], answers[name]) for name in answers)
    assert lockstep.simulate(schedule, machine, None).trace.hash == run.trace.hash
    wires = set(run.trace.hops["wire"].to_list())
    assert wires <= {f"link:{p}-{(p + 1) % 9}" for p in range(9)} | {"link:0-5"} | {
        f"vertical:{p}-{p}" for p in range(9)
    }
