"""Runs that share schedules place a program once, and are the runs that they are alone."""

import numpy as np
import pytest

import senn
from senn.api.building import Schedules
from senn.machine.placing import schedule as placing


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
    schedules = Schedules()
    for options in (
        {"problem": "random:4:seed=1"},
        {"problem": "random:4:seed=2"},
        {"problem": "random:4:seed=2", "set": {"timing.word": 7}},
        {"problem": "random:4:seed=2", "machine": "mark3", "engine": "events"},
    ):
        shared, alone = senn.run(**options, schedules=schedules), senn.run(**options)
        assert shared.trace.hash == alone.trace.hash
        assert shared.description == alone.description
        assert np.array_equal(shared.result["qdd"], alone.result["qdd"])
    assert len(placed) == 4 + 1


@pytest.mark.parametrize(
    "options",
    [{"form": "short"}, {"residency": "home"}, {"allocation": "gray"}, {"set": {"machine.nodes": 8}}],
    ids=str,
)
def test_another_program_allocation_or_network_is_placed_anew(placed, options):
    schedules = Schedules()
    senn.run("random:4", schedules=schedules, numbers=False)
    senn.run("random:4", schedules=schedules, numbers=False, **options)
    assert len(placed) == 2


def test_files_are_read_again(placed, tmp_path):
    """They may have changed since."""
    schedules, file = Schedules(), tmp_path / "table.csv"
    for nodes in ("0,1,2,3", "3,2,1,0"):
        file.write_text("\n".join([nodes] * 3) + "\n")
        run = senn.run("random:4", allocation=str(file), schedules=schedules, numbers=False)
        assert ",".join(map(str, run.description["allocation"]["table"][0])) == nodes


def test_the_oldest_is_forgotten(placed):
    schedules = Schedules(most=2)
    for n in (2, 3, 4, 3, 2):
        senn.run(f"random:{n}", schedules=schedules, numbers=False)
    assert [program.n for program in placed] == [2, 3, 4, 2]
