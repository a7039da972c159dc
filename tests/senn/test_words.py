"""The words to run with: what they place, time and solve is what place and the engines make."""

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.programs import divide_and_conquer, variants
from senn.algorithms.programs.numerics import memory
from senn.api.recorded import program_of
from senn.machine import model
from senn.machine.engines import events, lockstep
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.program.dataflow import flow

RAW = model.load("raw")
ONE_PORT = RAW.with_settings({"machine.ports": "one"})


@pytest.mark.parametrize("residency", ["home", "migrating"])
@pytest.mark.parametrize("name", ["identity", "gray"])
def test_a_program_is_placed_by_names(residency: str, name: str) -> None:
    program = variants.closed_chain(6)
    expected = place(program, allocation.named(name, 6, residency), RAW).describe()
    assert senn.placed(program, "raw", residency, name).describe() == expected
    assert senn.placed(flow(program), RAW, residency, name).describe() == expected


def test_ahead_has_the_places_of_migrating_and_a_table_is_taken_as_it_is() -> None:
    program, table = variants.closed_chain(4), allocation.named("random:1", 4, "home")
    ahead, migrating = (senn.placed(program, residency=x).allocation for x in ("ahead", "migrating"))
    assert np.array_equal(ahead, migrating)
    assert np.array_equal(senn.placed(program, allocation=table).allocation[0], table)


def test_folded_on_the_nodes_of_the_machine() -> None:
    on = RAW.with_settings({"machine.nodes": 2})
    assert senn.placed(variants.closed_chain(8), on, "home", "block").allocation.max() == 1


def test_times_are_those_of_the_engines() -> None:
    program = variants.closed_chain(5)
    schedule = senn.placed(program, RAW)
    expected = events.simulate(schedule, RAW, None).trace.hash
    for what in (program, flow(program), schedule):
        for engine in ("auto", "events", "lockstep"):
            assert senn.timed(what, RAW, engine=engine, detail="full").trace.hash == expected
    assert senn.timed(program, RAW).trace.detail == "summary"


def test_a_problem_is_solved_as_its_algorithm_answers() -> None:
    """The numbers of `senn.run`, to the bit; of another algorithm by its name."""
    what = problems.load("random:7:seed=2")
    for name, program in (
        ("closed-chain", variants.closed_chain(7)),
        ("divide-and-conquer", divide_and_conquer.program(7)),
    ):
        expected = senn.run(what, algorithm=name).result
        for engine in ("auto", "events"):
            found = senn.solved(program, what, algorithm=name, engine=engine).result
            assert found.keys() == expected.keys()
            assert all(np.array_equal(found[x], expected[x]) for x in found)


def test_given_a_memory_the_result_is_the_programs_own() -> None:
    what, program = problems.load("random:7"), variants.closed_chain(7)
    schedule = senn.placed(program, "ideal", "home")
    expected = lockstep.simulate(schedule, model.load("ideal"), memory(what), keep_values=True)
    found = senn.solved(program, memory(what), "ideal", "home", check=True, values=True)
    assert found.trace.hash == expected.trace.hash
    assert found.values is not None
    assert found.result.keys() == program.results.keys()
    assert all(np.array_equal(found.result[x], expected.result[x]) for x in found.result)


def reversed_home(n: int, levels: int, nodes: int) -> list[list[int]]:
    return [[nodes - 1 - i for i in range(n)]] * (levels + 1)


def test_a_function_is_an_allocation_as_the_same_one_in_a_file_is(tmp_path):
    """In run.json it is called by its own name; nodes, levels and n are those of the machine."""
    path = tmp_path / "own.py"
    path.write_text(f"def turned(n, levels, nodes):\n    return {[[7 - i for i in range(6)]] * 4}\n")
    run = senn.run("random:6", allocation=reversed_home)
    said = senn.run("random:6", allocation=f"{path}:turned")
    assert run.trace.hash == said.trace.hash
    assert run.description["allocation"]["name"] == "reversed_home"
    assert run.description["allocation"]["residency"] == "home"
    one, other = (senn.steps([6], allocation=given) for given in (reversed_home, f"{path}:turned"))
    assert one.equals(other)


def test_a_run_says_which_engine_ran() -> None:
    """Of "auto" the lockstep engine where it is exact; memories to check, and one port, are for the other."""
    one_port = {"machine.ports": "one"}
    for options, engine in (({}, "lockstep"), ({"check": True}, "events"), ({"set": one_port}, "events")):
        assert senn.run("random:2", **options).description["engine"] == engine


def test_a_run_with_its_messages_together() -> None:
    """Everything on one array, where Newton-Euler goes side by side with the elimination."""
    apart, together = (
        senn.run("random:5:seed=1", form="short", arrays=1, combine=combine, machine="mark3")
        for combine in (False, True)
    )
    assert (apart.description["combined"], together.description["combined"]) == (False, True)
    assert together.summary["makespan"] < apart.summary["makespan"]
    assert together.certificate is not None
    assert together.certificate["ok"]
    assert (together.result["qdd"] == apart.result["qdd"]).all()
    assert together.summary["messages"] < apart.summary["messages"]
    assert str(program_of(together)) != str(program_of(apart))
    assert senn.retime(together).trace == together.trace
