"""`senn.retime`: the run that `senn.run` makes on the other machine, from the record alone."""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import senn
from senn.algorithms.catalogue import algorithm
from senn.algorithms.programs import variants
from senn.base.errors import InputError
from senn.choices import Residency
from senn.machine.model import load
from senn.traces.run import Run
from tests.algorithms.references.test_tree import PANDA
from tests.algorithms.robots.oracle import DATA

SLOWER = {"timing.startup": 333, "timing.add": "3.5", "timing.receive": 2}


def _fresh(problem: str, **chosen: Any) -> Run:
    return senn.run(problem, numbers=False, engine="lockstep", **chosen)


@pytest.mark.fast("ssrms-chosen0", "random:4-chosen2", "joints:FRSP-chosen5", "random:6-chosen9")
@pytest.mark.parametrize(
    ("problem", "chosen"),
    [
        ("ssrms", {}),
        ("random:9", {"residency": "home", "form": "short", "elimination": "oer"}),
        ("random:4", {"residency": "ahead", "strategy": 1, "refine": 1}),
        ("random:5", {"arrays": "II.a=3,II.a.1=2+3"}),
        ("random:5", {"arrays": 3, "allocation": "gray,identity,identity"}),
        ("joints:FRSP", {"form": "omega", "contact": "plane"}),
        ("random:6", {"algorithm": "divide-and-conquer"}),
        ("random:6", {"algorithm": "hybrid", "detail": "instructions"}),
        ("random:6", {"algorithm": "forward-articulated", "detail": "summary"}),
        ("random:6", {"machine": "k40c", "algorithm": "inverse-dynamics"}),
    ],
)
def test_a_fresh_run_on_that_machine(problem: str, chosen: dict[str, Any]) -> None:
    recorded = _fresh(problem, **chosen)
    anew, fresh = senn.retime(recorded, set=SLOWER), _fresh(problem, **chosen, set=SLOWER)
    assert anew.makespan == fresh.summary["makespan"] != recorded.summary["makespan"]
    assert anew.summary == fresh.summary
    run = anew.run(recorded.trace.detail)
    assert run.trace == fresh.trace
    for said in ("program", "allocation", "schedule", "scores", "machine", "problem", "algorithm"):
        assert run.description[said] == fresh.description[said]


ASSIGNED = ("closed-chain", "open-chain", "divide-and-conquer", "star", "star-together")


def _assigned(seed: int) -> tuple[str, dict[str, Any]]:
    """A problem, and an algorithm whose steps are on the arrays of a table."""
    draw = Random(seed)
    n, name, residency = max(3, draw.randint(2, 9)), draw.choice(ASSIGNED), draw.choice(("migrating", "home"))
    steps = [line.step for line in algorithm(name).program(n, arrays=1).streams[0] if line.issued]
    parts = sorted({".".join(step.rstrip("'").split(".")[:depth]) for step in steps for depth in (1, 2, 3)})
    table: dict[str, Any] = {"": 1, "II": 2, "II.a": 2}
    table |= {part: draw.choice([1, 2, [1, 2]]) for part in draw.sample(parts, draw.randint(1, 3))}
    return f"random:{n}:seed={seed}", {"algorithm": name, "residency": residency, "arrays": table}


@pytest.mark.fast("0", "1", "2", "5", "7")
@pytest.mark.parametrize("seed", range(60))
def test_steps_on_the_arrays_of_a_table(seed: int, tmp_path: Path) -> None:
    """From the folder, which keeps the table as text; the first is the table of one part."""
    problem, chosen = _assigned(seed) if seed else ("random:6", {"arrays": "IV=1"})
    folder = _fresh(problem, **chosen).save(tmp_path / "run")
    anew, fresh = senn.retime(folder, set=SLOWER), _fresh(problem, **chosen, set=SLOWER)
    assert anew.trace == fresh.trace
    assert anew.run().description["schedule"] == fresh.description["schedule"]


def test_an_arm_with_side_branches() -> None:
    urdf = str(DATA / PANDA[0])
    recorded = _fresh(urdf, tip=PANDA[1], seed=1)
    assert recorded.description["problem"]["branches"]
    anew = senn.retime(recorded, set=SLOWER)
    assert anew.trace == _fresh(urdf, tip=PANDA[1], seed=1, set=SLOWER).trace


def test_from_the_folder_and_kept_in_one(tmp_path: Path) -> None:
    folder = senn.run("ssrms").save(tmp_path / "run")
    anew = senn.retime(folder, machine="raw").run()
    assert anew.trace == _fresh("ssrms", machine="raw").trace
    assert anew.certificate is None
    assert not anew.result
    again = senn.open_run(anew.save(tmp_path / "anew"))
    back = senn.retime(again, machine="fijany")
    assert back.trace == senn.open_run(folder).trace, "there and back again"


@pytest.mark.parametrize(
    ("allocation", "residency"), [("identity", "migrating"), ("gray", "home"), ("identity,gray", "ahead")]
)
def test_from_a_summary_which_has_the_name_of_the_places_alone(
    allocation: str, residency: Residency, tmp_path: Path
) -> None:
    choices: Any = {"allocation": allocation, "residency": residency}
    folder = senn.run("random:6", detail="summary", **choices).save(tmp_path / "run")
    kept = senn.open_run(folder)
    assert kept.description["allocation"] == {"name": allocation, "residency": residency}
    with pytest.raises(InputError, match=f'no table of the allocation "{allocation}": make it again'):
        _ = kept.allocation
    anew = senn.retime(folder, set=SLOWER)
    assert anew.summary == _fresh("random:6", **choices, set=SLOWER).summary


def test_a_network_whose_file_has_changed_is_refused(tmp_path: Path) -> None:
    graph, ring = tmp_path / "ring.edges", "0 1\n1 2\n2 3\n3 0\n"
    graph.write_text(ring + "1 0\n2 1\n3 2\n0 3\n")
    run = _fresh("random:4", set={"machine.network": str(graph)}, residency="home")
    folder = run.save(tmp_path / "run")
    assert senn.retime(folder, set=SLOWER).makespan > run.summary["makespan"]
    graph.write_text(ring)
    with pytest.raises(InputError, match="is not the one that was recorded"):
        senn.retime(folder, set=SLOWER)


def test_a_schedule_that_no_run_says_how_to_make() -> None:
    schedule = senn.placed(variants.closed_chain(5), "raw")
    with pytest.raises(InputError, match="does not say which function made this program"):
        senn.retime(senn.timed(schedule, "raw", detail="full"))
    found = senn.retiming(schedule, "raw").timing(load("t800"))
    assert found.makespan == senn.timed(schedule, "t800").summary["makespan"]


def test_a_run_of_another_program_than_it_says_is_refused() -> None:
    run = _fresh("random:5")
    said = {**run.description, "program": {**run.description["program"], "form": "short"}}
    with pytest.raises(InputError, match=r"the program that run.json names \(senn .*\) is not the one"):
        senn.retime(replace(run, description=said))
    schedule = {**run.description["schedule"], "hash": "0" * 64}
    with pytest.raises(InputError, match="is not the one that was recorded"):
        senn.retime(replace(run, description={**run.description, "schedule": schedule}))


def test_a_run_of_an_older_version_is_to_be_made_again() -> None:
    run = _fresh("random:5")
    schedule = {name: x for name, x in run.description["schedule"].items() if name != "hash"}
    with pytest.raises(
        InputError, match="does not say what its schedule asks of a machine: make the run again"
    ):
        senn.retime(replace(run, description={**run.description, "schedule": schedule}))
