"""`--json`: every command has it, and what is the same thing has the same key and the same value."""

import click
import pytest

from senn.algorithms import gallery
from senn.algorithms.catalogue import ALGORITHMS
from senn.cli.main import cli
from tests.senn.cli.command import json_of


def _commands(group=cli):
    """Names and commands; they are loaded when they are asked for."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from ((f"{name} {word}", one) for word, one in _commands(command))
        else:
            yield name, command


@pytest.mark.parametrize(("name", "command"), [*_commands()], ids=str)
def test_every_command_has_it(name, command):
    """One option, of one name, with one help."""
    (option,) = (one for one in command.params if "--json" in one.opts)
    assert option.help == "Print one JSON object instead of the text."


@pytest.mark.parametrize(
    "words",
    [
        ("random:5", "--bounds"),
        ("random:3", "--detail", "instructions"),
        ("ur5_free", "--detail", "summary"),
        ("random:3", "--no-numbers"),
        ("random:4", "--set", "machine.control=mimd"),
        ("random:4", "--elimination", "oer", "--strategy", "1", "--arrays", "3", "--residency", "ahead"),
        ("random:7", "--algorithm", "lambda"),
        ("random:3", "--algorithm", "forward-articulated"),
    ],
)
def test_explain_json_holds_what_run_printed(folder, words):
    """The same keys in the same order, and the same values, of a run read from its folder."""
    made = json_of("run", *words, "-o", "run")
    assert list(json_of("explain", "run")["run"].items()) == list(made.items())


def test_a_run_of_many_has_the_keys_of_one(folder):
    """What a row of `compare` says of a run, `run` says by the same key with the same value."""
    words = ("random:5", "--form", "short", "--elimination", "oer", "--machine", "raw", "--bounds")
    one = json_of("run", *words, "-o", "run")
    (row,) = json_of("compare", *words)["runs"]
    shared = one.keys() & row.keys()
    assert {"problem", "n", "levels", "makespan", "microseconds", "instructions", "network_steps"} < shared
    assert {"messages", "hops", "words", "word_hops", "dilation", "congestion", "load"} < shared
    assert {"stall", "exposed_stall", "in_flight", "exposed", "dependency_wait", "hidden"} < shared
    assert {"free_network", "blocking", "nodes", "spent"} < shared
    assert {"algorithm", "form", "elimination", "machine", "residency", "trace_hash"} < shared
    parts = {"certificate", "by_array"}
    assert {name: row[name] for name in shared - parts} == {name: one[name] for name in shared - parts}
    for name in row["certificate"].keys() & one["certificate"].keys():
        assert row["certificate"][name] == one["certificate"][name]
    assert row["certificate"].keys() == {"error", "worst_residual", "digits", "ok"}
    for array, counted in row["by_array"].items():
        assert counted.items() <= one["by_array"][array].items()


def test_steps_have_the_keys_of_a_run(folder):
    """Sizes, counts and times: those of a run of as many joints, welded."""
    one = json_of("run", "random:8:seed=1", "--no-numbers", "-o", "run")
    (row,) = json_of("steps", "--n", "8")["rows"]
    for array, counted in row.pop("by_array").items():
        assert counted["instructions"] == one["by_array"][array]["instructions"]
    assert row.keys() == {"n", "levels", "instructions", "network_steps", "makespan", "messages", "engine"}
    assert {name: one[name] for name in ("n", "levels")} == {name: row[name] for name in ("n", "levels")}


def test_paths_have_one_key_each(folder):
    """The folder of a run is `folder`, a picture `picture`, what is not there null."""
    assert json_of("run", "random:3", "-o", "run")["folder"] == "run"
    drawn = json_of("plot", "run", "--kind", "phases", "-o", "a.svg")
    assert drawn == {"folder": "run", "kind": "phases", "picture": "a.svg"}
    exported = json_of("export", "run", "-o", "a.csv")
    assert exported == {"folder": "run", "format": "csv", "file": "a.csv"}
    assert json_of("steps", "--n", "3,8", "--plot", "b.svg")["picture"] == "b.svg"
    assert json_of("steps", "--n", "3,8")["picture"] is None
    assert json_of("optimise", "--n", "4", "--residency", "home", "-o", "t.csv")["file"] == "t.csv"
    assert json_of("compare", "random:2")["picture"] is None


def test_lists_as_json():
    """What the tables say: joints and kilograms of the UR5, fields of a machine, Gray codes, a torus."""
    ur5 = json_of("list", "robots", "ur5")
    assert ur5["joints"][0] == {"name": "shoulder_pan_joint", "type": "revolute", "mass": pytest.approx(3.7)}
    assert {"robot": "ur5", "n": 6}.items() <= json_of("list", "robots")["robots"][-1].items()
    raw = json_of("list", "machines", "raw")
    assert raw["fields"]["machine.clock_mhz"]["value"] == 250
    assert raw in json_of("list", "machines")["machines"]
    assert json_of("list", "allocations", "gray")["tables"]["home"][0][0] == [0, 1, 3, 2, 6, 7, 5, 4]
    torus = json_of("list", "networks", "torus", "--nodes", "16")
    assert (torus["wires"], torus["degree"], torus["diameter"]) == (32, 4, 4)
    (one,) = (x for x in json_of("list", "networks", "--nodes", "16")["networks"] if x["network"] == "torus")
    assert {name: one[name] for name in one if name != "description"}.items() <= torus.items()
    listed = json_of("list", "algorithms")
    assert [one["algorithm"] for one in listed["classics"]] == [*gallery.NAMES]
    every = {one["name"]: one for one in listed["algorithms"]}
    assert every.keys() == ALGORITHMS.keys()
    assert every["closed-chain"] == json_of("list", "algorithms", "closed-chain")
    assert "[contact]" in json_of("list", "problems", "ssrms")["file"]
    (head, *_) = json_of("program", "--n", "4", "--step", "I.b.5")["lines"]
    assert head.startswith("closed chain, form paper")
