"""`senn diff`: status 0 if times are equal, 1 if not, 2 if they cannot be read; and what is said of them."""

import json
import re
import shutil
from pathlib import Path

import pytest

import senn
from tests.senn.cli.command import senn as command

pytestmark = pytest.mark.usefixtures("here")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, the same with other numbers, one on a slower network, and one elsewhere."""
    where = tmp_path_factory.mktemp("runs")
    for name, chosen in {
        "one": {},
        "numbers": {"numbers": True, "seed": 7},
        "slow": {"set": {"timing.startup": 2000}},
        "lines": {"detail": "instructions"},
        "bare": {"detail": "summary"},
    }.items():
        senn.run("random:5", **{"numbers": False, **chosen}).save(where / name)
    return where


@pytest.fixture
def here(runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(runs, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


def test_equal_times_whatever_the_numbers() -> None:
    for other in ("one", "numbers", "lines"):
        done = command("diff", "one", other)
        assert (done.exit_code, done.stderr) == (0, "")
        assert "every step, level and process in the same cycles" in done.stdout
    assert command("diff", "one", "numbers", "--places").exit_code == 0


def test_where_they_part_and_what_is_slower() -> None:
    done = command("diff", "one", "slow")
    assert done.exit_code == 1
    first = senn.open_run("one"), senn.open_run("slow")
    text = " ".join(done.stdout.split())
    assert f"b slow: {first[1].summary['makespan']:,} cycles" in text
    assert "part at cycle " in text
    assert ": arrived " in text
    found = json.loads(command("diff", "one", "slow", "--json").stdout)
    assert (found["equal"], found["a"], found["b"], found["unit"]) == (False, "one", "slow", "cycles")
    for kind in ("steps", "levels"):
        for array in (1, 2):
            ends = [run.summary["arrays"][str(array)]["end"] for run in first]
            assert sum(row["more"] for row in found[kind] if row["array"] == array) == ends[1] - ends[0]
    assert {row["process"] for row in found["processes"]} == {1, 2, 3, 4, 5}
    longest = max(found["steps"], key=lambda row: row["more"])
    assert f"{longest['more']:+,}" in text
    assert json.loads(command("diff", "slow", "lines", "--json").stdout)["processes"] is None


def test_places_count_where_they_are_asked_for() -> None:
    senn.run("random:5", numbers=False, machine="ideal").save("free")
    senn.run("random:5", numbers=False, machine="ideal", allocation="bit-reversed").save("elsewhere")
    assert command("diff", "free", "elsewhere").exit_code == 0
    done = command("diff", "free", "elsewhere", "--places")
    assert done.exit_code == 1
    assert re.search(r"node \d+\s+-> \d+", done.stdout)
    assert command("diff", "--hash", "free", "elsewhere").exit_code == 1


def test_a_digest_to_keep() -> None:
    hash_of_one = senn.open_run("one").trace.hash
    assert command("diff", "--hash", "one").stdout == f"{hash_of_one}  one\n"
    assert command("diff", "--hash", "one", hash_of_one).exit_code == 0
    assert command("diff", "--hash", "slow", hash_of_one).exit_code == 1
    both = command("diff", "--hash", "one", "numbers")
    assert (both.exit_code, both.stdout) == (0, f"{hash_of_one}  one\n{hash_of_one}  numbers\n")
    assert command("diff", "--hash", "one", "slow").exit_code == 1
    less = json.loads(command("diff", "--hash", "one", "lines", "--json").stdout)
    assert less == {
        "equal": True,
        "detail": "instructions",
        "hashes": [senn.open_run("one").trace.instructions_hash] * 2,
    }
    assert command("diff", "--hash", "one", "slow", "-q").stdout == ""


def test_the_digest_is_the_same_on_every_computer() -> None:
    """Whole cycles alone: kept here, so that no version of any library changes it unnoticed."""
    run = senn.run("random:5:seed=1", machine="mark3", numbers=False)
    assert run.trace.hash == "37f3b5eaa8fe8f1e23b1b2dd51d3c4f125b0f5df4952aaf5c9933f9489488efc"


def test_cycles_of_other_clocks_are_compared_as_times(tmp_path):
    """mark3 has 16 MHz, cluster 3,000: ratio and tables are of times, which add up to those of the arrays."""
    clocks, runs = {"mark3": 16, "cluster": 3000}, []
    for machine in clocks:
        runs.append(senn.run("random:3", machine=machine, numbers=False))
        runs[-1].save(tmp_path / machine)
    folders = [str(tmp_path / machine) for machine in clocks]
    text = " ".join(command("diff", *folders).stdout.split())
    took = [run.summary["makespan"] / clock for run, clock in zip(runs, clocks.values(), strict=True)]
    assert f"= {took[0]:,.1f} us" in text
    assert f"= {took[1]:,.1f} us, {took[1] / took[0]:.3f} of a" in text
    assert re.findall(r"(Steps|Levels|Processes) \((\w+)", text) == [
        ("Steps", "us"),
        ("Levels", "us"),
        ("Processes", "us"),
    ]
    document = json.loads(command("diff", *folders, "--json").stdout)
    assert document["unit"] == "us"
    for kind in ("steps", "levels"):
        for array in (1, 2):
            ends = [run.summary["arrays"][str(array)]["end"] for run in runs]
            later = ends[1] / 3000 - ends[0] / 16
            assert sum(row["more"] for row in document[kind] if row["array"] == array) == pytest.approx(later)
    last = max(document["processes"], key=lambda row: row["end_a"])
    assert last["more"] == pytest.approx(last["end_b"] - last["end_a"])
    assert f"{document['steps'][0]['more']:+,.1f}" in text
