"""`senn retime`: the run that `senn run` makes on the other machine; what it says, keeps and refuses."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import senn
from senn.traces import analysis
from senn.traces.run import Run
from tests.senn.cli.command import refused
from tests.senn.cli.command import senn as command


def _fresh(problem: str, **chosen: Any) -> Run:
    return senn.run(problem, numbers=False, engine="lockstep", **chosen)


def test_the_command(folder: Path) -> None:
    made = senn.run("ssrms", machine="mark3")
    fresh = _fresh("ssrms", machine="mark3", set={"timing.startup": 2000})
    made.save("run")
    done = command("retime", "run", "--set", "timing.startup=2000", "-o", "slow")
    assert done.exit_code == 0
    text = " ".join(done.stdout.split())
    assert "machine startup 1000 -> 2000" in text
    assert "timed in the order of the record: at " in text
    assert "makespan 120,582 208,582 1.730" in text
    assert f"spent on {analysis.spent_text(fresh.spent)} recorded {analysis.spent_text(made.spent)}" in text
    assert "run slow" in text
    assert senn.open_run("slow").trace == fresh.trace
    assert command("explain", "slow").exit_code == 0
    said = refused("retime", "run", "--machine", "raw", "-o", "slow")
    assert said == "slow holds another run; give another name, or --force to replace it"
    assert command("retime", "run", "--machine", "raw", "-o", "slow", "--force", "-q").stdout == "slow\n"


def test_machines_of_different_clocks_are_compared_in_microseconds(folder: Path) -> None:
    """16 and 30 MHz: more cycles, less time; the ratio is that of the times."""
    made, fresh = (_fresh("ssrms", machine=name) for name in ("mark3", "t800"))
    made.save("run")
    text = " ".join(command("retime", "run", "--machine", "t800").stdout.split())
    cycles = [run.summary["makespan"] for run in (made, fresh)]
    ends = [run.summary["arrays"]["1"]["end"] for run in (made, fresh)]
    times = cycles[0] / 16, cycles[1] / 30
    assert f"makespan {times[0]:,.1f} {times[1]:,.1f} {times[1] / times[0]:.3f}" in text
    assert f"in cycles {cycles[0]:,} {cycles[1]:,} -" in text
    late = ends[0] / 16, ends[1] / 30
    assert f"array 1 ends at {late[0]:,.1f} {late[1]:,.1f} {late[1] / late[0]:.3f}" in text


def test_the_json_of_the_command(folder: Path) -> None:
    _fresh("random:4").save("run")
    found = json.loads(command("retime", "run", "--set", "machine.discipline=priority", "--json").stdout)
    fresh = _fresh("random:4", set={"machine.discipline": "priority"})
    assert found["makespan"] == fresh.summary["makespan"]
    assert found["by"] == "events"
    assert found["why"] == 'discipline = "priority": who is served next depends on who waits'
    assert found["changed"] == {"discipline": "priority"}
    assert found["trace_hash"] == fresh.trace.hash
    assert found["recorded"]["makespan"] == _fresh("random:4").summary["makespan"]
    assert sum(found["spent"].values()) == found["makespan"]
    assert (found["record"], found["folder"]) == ("run", None)


def test_what_it_depends_on(folder: Path) -> None:
    """The figures of Python, and a value that is printed does not cost more than it says."""
    _fresh("random:4", machine="fijany").save("run")
    rows = {row.name: row for row in senn.sensitivities("run")}
    found = json.loads(command("retime", "run", "--sensitivity", "--json").stdout)["sensitivities"]
    assert [one["time"] for one in found] == list(rows)
    for one in found:
        row = rows[one["time"]]
        assert (one["more"], one["less"]) == (row.more, row.less)
        assert {k: Fraction(x) for k, x in one["dearer"].items()} == {
            str(k): x for k, x in row.dearer.items()
        }
    text = command("retime", "run", "--sensitivity").stdout
    (word,) = [line.split() for line in text.splitlines() if line.split()[:2] == ["word", "1"]]
    now = senn.open_run("run").summary["makespan"]
    for printed, percent in zip(word[-3:], (1, 2, 5), strict=True):
        made = _fresh("random:4", machine="fijany", set={"timing.word": printed})
        assert made.summary["makespan"] <= now * (100 + percent) / 100
    assert json.loads(command("retime", "run", "--json").stdout)["sensitivities"] is None


@pytest.mark.exhaustive
def test_a_map_of_where_communication_is_hidden(folder: Path) -> None:
    run = _fresh("random:3", machine="fijany")
    run.save("run")
    found = json.loads(command("retime", "run", "--map", "map.svg", "--json").stdout)
    hidden = senn.hiding(run)
    assert found["break_even"] == {"free_network": hidden.free, "curve": hidden.curve.to_dicts()}
    assert found["picture"] == "map.svg"
    first = Path("map.svg").read_bytes()
    assert command("retime", "run", "--map", "again.svg", "-q").stdout == "again.svg\n"
    again = Path("again.svg").read_bytes().replace(b"--map again.svg -q;", b"--map map.svg --json;")
    assert again == first
    done = command("retime", "run", "--set", "machine.ports=one", "--map", "one.png")
    assert (done.exit_code, Path("one.png").exists()) == (2, False)
    assert "a map takes thousands of machines; ports" in done.stderr
