"""Runs that share schedules place a program once, and are the runs that they are alone."""

import numpy as np
import pytest

import senn
from senn.api import programs as placing
from senn.api import solving
from senn.api.building import Shared


@pytest.fixture
def placed(monkeypatch):
    """The programs that are placed."""
    right, programs = placing.place, []

    def place(program, *rest):
        programs.append(program)
        return right(program, *rest)

    monkeypatch.setattr(placing, "place", place)
    return programs


def test_numbers_and_times_share_a_schedule(placed):
    shared = Shared()
    for options in (
        {"problem": "random:4:seed=1"},
        {"problem": "random:4:seed=2"},
        {"problem": "random:4:seed=2", "set": {"timing.word": 7}},
        {"problem": "random:4:seed=2", "machine": "mark3", "engine": "events"},
    ):
        together, alone = senn.run(**options, shared=shared), senn.run(**options)
        assert together.trace.hash == alone.trace.hash
        assert together.description == alone.description
        assert np.array_equal(together.result["qdd"], alone.result["qdd"])
    assert len(placed) == 4 + 1


@pytest.mark.parametrize(
    "options",
    [{"form": "short"}, {"residency": "home"}, {"allocation": "gray"}, {"set": {"machine.nodes": 8}}],
    ids=str,
)
def test_another_program_allocation_or_network_is_placed_anew(placed, options):
    shared = Shared()
    senn.run("random:4", shared=shared, numbers=False)
    senn.run("random:4", shared=shared, numbers=False, **options)
    assert len(placed) == 2


def test_files_are_read_again(placed, tmp_path):
    shared, file = Shared(), tmp_path / "table.csv"
    for nodes in ("0,1,2,3", "3,2,1,0"):
        file.write_text("\n".join([nodes] * 3) + "\n")
        run = senn.run("random:4", allocation=str(file), shared=shared, numbers=False)
        assert ",".join(map(str, run.description["allocation"]["table"][0])) == nodes


def test_the_oldest_is_forgotten(placed):
    shared = Shared(most=2)
    for n in (2, 3, 4, 3, 2):
        senn.run(f"random:{n}", shared=shared, numbers=False)
    assert [program.n for program in placed] == [2, 3, 4, 2]


@pytest.fixture
def certified(monkeypatch):
    """The answers that are certified."""
    right, answers = solving.certify, []

    def counting(problem, given, **options):
        answers.append(given)
        return right(problem, given, **options)

    monkeypatch.setattr(solving, "certify", counting)
    return answers


@pytest.mark.parametrize(
    ("options", "times"),
    [
        ({"set": {"timing.word": 7}}, 1),
        ({"machine": "raw", "residency": "home", "allocation": "gray"}, 1),
        ({"set": {"machine.nodes": 2}, "allocation": "block", "combine": True, "detail": "summary"}, 1),
        ({"engine": "events"}, 2),
        ({"set": {"machine.ports": "one"}}, 2),
        ({"residency": "ahead"}, 2),
        ({"precision": "single"}, 2),
        ({"seed": 2}, 2),
        ({"contact": "point"}, 2),
    ],
    ids=str,
)
def test_a_problem_is_certified_once_where_its_program_and_precision_are_equal(certified, options, times):
    """By the lockstep engine; what the event engine moves is certified run by run."""
    shared = Shared()
    senn.run("random:4", values=False, shared=shared)
    together = senn.run("random:4", values=False, shared=shared, **options)
    assert len(certified) == times
    alone = senn.run("random:4", values=False, **options)
    assert together.description == alone.description
    assert together.certificate == alone.certificate
    assert together.summary == alone.summary
    assert together.result.keys() == alone.result.keys()
    assert all(np.array_equal(together.result[name], alone.result[name]) for name in alone.result)


def test_numbers_are_computed_again_where_values_are_kept():
    shared = Shared()
    senn.run("random:4", values=False, shared=shared)
    run = senn.run("random:4", values=True, shared=shared)
    assert run.values.get(1, "A", 0, 2).size
