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
from senn.machine.model import load
from senn.traces.record import SCHEMA, Trace
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
        ("random:6", {"algorithm": "hybrid"}),
        ("random:6", {"algorithm": "forward-articulated"}),
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
@pytest.mark.parametrize("seed", range(20))
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


@pytest.mark.parametrize("detail", ["instructions", "summary"])
def test_a_record_of_less_detail_is_refused(detail: str, tmp_path: Path) -> None:
    folder = senn.run("random:6", detail=detail, allocation="gray").save(tmp_path / "run")
    with pytest.raises(InputError, match=r"this needs the hops of the run, .*; run again with detail 'full'"):
        senn.retime(folder, set=SLOWER)


def test_the_file_of_a_network_is_not_read_again(tmp_path: Path) -> None:
    graph = tmp_path / "ring.edges"
    graph.write_text("0 1\n1 2\n2 3\n3 0\n1 0\n2 1\n3 2\n0 3\n")
    network = {"machine.network": str(graph), "machine.duplex": "half"}
    folder = _fresh("random:4", set=network, residency="home").save(tmp_path / "run")
    fresh = _fresh("random:4", set={**network, **SLOWER}, residency="home")
    graph.unlink()
    assert senn.retime(folder, set=SLOWER).trace == fresh.trace


def test_a_schedule_and_a_run_of_one() -> None:
    schedule = senn.placed(variants.closed_chain(5), "raw")
    fresh = senn.timed(schedule, "t800", detail="full")
    assert senn.retime(senn.timed(schedule, "raw", detail="full"), machine="t800").trace == fresh.trace
    found = senn.retiming(schedule, "raw").timing(load("t800"))
    assert found.makespan == fresh.summary["makespan"]


def test_nodes_that_issued_by_themselves_are_timed_in_lockstep() -> None:
    recorded = _fresh("random:6:seed=2", set={"machine.control": "mimd"}, algorithm="hybrid")
    anew = senn.retime(recorded, set={**SLOWER, "machine.control": "simd"})
    assert anew.trace == _fresh("random:6:seed=2", set=SLOWER, algorithm="hybrid").trace


def test_a_run_of_an_older_version_is_to_be_made_again(tmp_path: Path) -> None:
    """Its hash covers the other columns only, so its folder can be read."""
    run = _fresh("random:5")
    tables = {name: run.trace.table(name).select(*SCHEMA[name]) for name in SCHEMA}
    older = replace(run, trace=Trace.from_tables("full", tables))
    assert senn.open_run(older.save(tmp_path / "run")).trace == run.trace
    with pytest.raises(InputError, match=r"do not say what work its instructions are.*make the run again"):
        senn.retime(tmp_path / "run")
