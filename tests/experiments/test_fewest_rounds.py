"""Fewest rounds: stored schedules run as programs, refutations against a search of every schedule."""

from dataclasses import replace
from itertools import product

import networkx as nx
import numpy as np
import pytest

import senn
from experiments.machine import fewest_rounds
from experiments.machine.fewest_rounds import Answer, Case, answers
from experiments.machine.rounds import programs, solvers, tasks
from experiments.machine.rounds.tasks import Graph, Schedule, Task
from senn.machine.network.named import network as named


def name(answer: Answer) -> str:
    case = answer.case
    return f"{case.operation}-{case.network}-{case.nodes}-{case.ports}".replace(" ", "-")


@pytest.mark.fast("*-8-*", "prefixes-and-suffixes-senn-16-all")
@pytest.mark.parametrize("answer", answers().values(), ids=name)
def test_a_stored_schedule_runs_in_its_rounds_with_the_answers_of_numpy(answer: Answer) -> None:
    """Every message is in flight for one cycle, every memory is checked, and numbers depend on the seed."""
    case = answer.case
    run = fewest_rounds.run(answer)
    messages = run.trace.messages
    assert run.summary["makespan"] == answer.most
    assert (messages["arrived"] - messages["posted"] == 1).all()
    assert messages.height == sum(map(len, answer.schedule))
    memory = programs.given(case.operation, case.nodes)
    assert programs.error(case.operation, case.nodes, run.result, memory) < 1e-12
    other = programs.given(case.operation, case.nodes, seed=1)
    assert programs.error(case.operation, case.nodes, run.result, other) > 1e-3


def test_the_bounds_of_the_data_are_consistent() -> None:
    """Distances by networkx; a bound above the distance is one that both solvers refuted."""
    for case, answer in answers().items():
        graph = nx.DiGraph(named(case.network, case.nodes).graph())
        between = dict(nx.all_pairs_shortest_path_length(graph))
        task = case.task
        farthest = max(between[a][node] for node, x in task.goals for a in task.origins[x])
        assert answer.distance == farthest <= answer.least <= answer.most
        assert (answer.least > farthest) == (answer.refuted_by == "CP-SAT and CaDiCaL"), case
    assert list(answers()) == list(fewest_rounds.cases())


def test_a_lost_message_loses_the_answer() -> None:
    answer = answers()[Case("prefixes", "senn", 8, "all")]
    first, *rest = answer.schedule
    with pytest.raises(ValueError, match=r"does not hold|never holds"):
        tasks.replay(answer.case.task, answer.case.graph, [first[1:], *rest])


@pytest.mark.parametrize(
    ("schedule", "one_port", "message"),
    [
        ([[(0, 2, "0")]], False, "one datum a channel"),
        ([[(0, 1, "0"), (0, 1, "0")]], False, "one datum a channel"),
        ([[(1, 2, "0")]], False, "round 1: node 1 does not hold 0"),
        ([[(0, 1, "0")]], False, "node 2 never holds 0"),
        ([[(0, 1, "0"), (0, 3, "0")]], True, "one datum out of a node and one in"),
    ],
)
def test_what_replay_refuses(schedule: Schedule, one_port: bool, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tasks.replay(tasks.OPERATIONS["broadcast"](4), Graph("ring", 4, one_port), schedule)


def reachable(task: Task, graph: Graph, rounds: int) -> bool:
    """Every choice of every round, one port; of two sets of data where one holds the other, the larger."""

    def closed(held: frozenset[tuple[int, str]]) -> frozenset[tuple[int, str]]:
        found = set(held)
        for node, (datum, ways) in product(range(graph.nodes), task.products.items()):
            if any(all((node, part) in found for part in way) for way in ways):
                found.add((node, datum))
        return frozenset(found)

    states = {closed(frozenset((node, datum) for datum, node in task.start.items()))}
    for _ in range(rounds):
        following = set()
        for held in states:
            choices = [
                [None, *((a, b, x) for b in range(graph.nodes) if (a, b) in graph.channels for x in data)]
                for a in range(graph.nodes)
                for data in [[x for node, x in held if node == a]]
            ]
            for chosen in product(*choices):
                sent = [x for x in chosen if x]
                if len({b for _, b, _ in sent}) == len(sent):
                    following.add(closed(held | {(b, x) for _, b, x in sent}))
        states = {x for x in following if not any(x < y for y in following)} if rounds > 1 else following
    return any(set(task.goals) <= held for held in states)


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("solver", solvers.SOLVERS)
@pytest.mark.parametrize(
    ("network", "operation", "rounds"),
    [("ring", "elimination", 2), ("senn", "prefixes and suffixes", 3), ("senn", "elimination", 3)],
)
def test_solvers_agree_with_a_search_of_every_schedule(
    solver: str, network: str, operation: str, rounds: int
) -> None:
    """Four nodes with one port; both eliminations need a round more than the distance."""
    pytest.importorskip("ortools" if solver == "CP-SAT" else "pysat")
    task, graph = tasks.OPERATIONS[operation](4), Graph(network, 4, one_port=True)
    assert reachable(task, graph, tasks.distance(task, graph)) == (operation != "elimination")
    for tried in range(1, rounds + 1):
        found = solvers.SOLVERS[solver](task, graph, tried, 60.0)
        assert (found != "impossible") == reachable(task, graph, tried)
        if found != "impossible":
            assert found is not None
            tasks.replay(task, graph, tasks.without_waste(task, graph, found))


@pytest.mark.exhaustive
@pytest.mark.parametrize("solver", solvers.SOLVERS)
def test_elimination_of_32_rows_on_senn_takes_longer_than_the_distance(solver: str) -> None:
    pytest.importorskip("ortools" if solver == "CP-SAT" else "pysat")
    task, graph = tasks.OPERATIONS["elimination"](32), Graph("senn", 32, one_port=False)
    assert tasks.distance(task, graph) == 6
    assert solvers.SOLVERS[solver](task, graph, 6, 600.0) == "impossible"


def test_one_port_of_the_machine_is_that_of_the_task() -> None:
    """With all ports a schedule of one port takes as long; the other way round it takes longer."""
    answer = answers()[Case("prefixes and suffixes", "hypercube", 8, "all")]
    program = programs.program(answer.case.operation, answer.case.graph, answer.schedule)
    narrow = programs.machine(replace(answer.case.graph, one_port=True))
    assert senn.timed(program, narrow, "home").summary["makespan"] > answer.most


def test_an_elimination_solves_the_system_whose_rows_it_reads() -> None:
    """A system of eight rows, by NumPy; the error sees a row that is changed."""
    answer = answers()[Case("elimination", "torus", 8, "all")]
    run, memory = fewest_rounds.run(answer), programs.given("elimination", 8)
    rows = memory["x"].copy()
    rows[3, 3] += 1e-6
    assert programs.error("elimination", 8, run.result, memory) < 1e-14
    assert programs.error("elimination", 8, run.result, {"x": rows}) > 1e-8
    assert np.isfinite(rows).all()
