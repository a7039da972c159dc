"""What a notebook shows of values is what they are: its tables read back, cell by cell."""

from collections import Counter
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

import senn
from senn.api.building import program_of
from senn.choices import ProgramChoices, usual
from senn.machine.model import load
from senn.machine.placing.allocation import identity, table
from senn.machine.placing.schedule import place
from senn.traces.analysis import spent_text
from senn.traces.run import Allocation, Certificate, Run
from tests.traces.hand_trace import hand_trace


class Page:
    """Text of a page, and its tables as rows of texts; a tag that is opened and not closed is an error."""

    def __init__(self, page: str) -> None:
        root = ElementTree.fromstring(f"<div>{page}</div>")
        self.text = "".join(root.itertext())
        self.tables = [[["".join(x.itertext()) for x in y] for y in t.iter("tr")] for t in root.iter("table")]


@pytest.fixture(scope="module")
def run():
    return senn.run("ssrms")


def page(shown: object) -> Page:
    return Page(shown._repr_html_())  # type: ignore[attr-defined]


def test_a_machine():
    (fields,) = page(load("mark3")).tables
    named = {name: (value, source) for name, value, _, source in fields[1:]}
    assert named["startup"][0] == "1,000"
    assert named["network"] == ("senn", load("mark3").sources["network"])


def test_a_program_and_where_it_is_placed(run):
    program = program_of(usual(ProgramChoices), 7)
    issued = Counter(run.trace.instructions.select("step", "array").iter_rows())
    shown = page(place(program, table(7, "migrating", identity(7)), load("mark3")))
    steps, facts, places = shown.tables
    for found in (steps, *page(program).tables):
        counted = {
            (step, array): int(number)
            for step, *row in found[1:]
            for array, number in enumerate(row, start=1)
        }
        assert {at: number for at, number in counted.items() if number} == issued
    assert dict(facts)["nodes of an array"] == "8"
    assert dict(facts)["instructions"] == str(issued.total())
    assert [int(node) for node in places[3][1:]] == run.description["allocation"]["table"][2]
    assert str(program) in shown.text


def test_an_allocation(run):
    """Four processes migrate as Section VI.B has it: after one un-shuffle, processes 2 and 3 have changed."""
    (four,) = page(Allocation("identity", "migrating", table(4, "migrating", identity(4))[None])).tables
    assert four[0] == ["", "1", "2", "3", "4"]
    assert four[1:] == [
        ["home", "0", "1", "2", "3"],
        ["level 1", "0", "1", "2", "3"],
        ["level 2", "0", "2", "1", "3"],
    ]
    apart = senn.run("ssrms", allocation="identity,gray", residency="home", numbers=False)
    first, second = page(apart.allocation).tables
    assert (first[1][4], second[1][4]) == ("3", "2")
    assert run.allocation.shared
    assert not apart.allocation.shared
    assert "Allocation(name='wide'" in page(Allocation("wide", "home", np.zeros((1, 8, 128), int))).text


def test_a_trace(run):
    (tables,) = page(run.trace).tables
    assert {name: int(rows.replace(",", "")) for name, rows, _ in tables[1:]} == {
        name: run.trace.table(name).height for name in ("instructions", "activities", "messages", "hops")
    }


def test_a_certificate(run):
    assert isinstance(run.certificate, Certificate)
    said, figures = page(run.certificate).tables
    assert said == [[run.certificate["message"]]]
    assert {against for *_, against in figures[1:]} == {"the refined solution"}
    assert [int(digits) for *_, digits, _ in figures[1:]] == list(run.certificate["digits_of"].values())


def test_a_run(run, tmp_path):
    """Also from a folder: lines with figures that are its own, and its accelerations joint by joint."""
    shown = page(run)
    (joints,) = shown.tables
    assert joints[0] == ["joint", "qdd (rad/s², m/s² where it slides)"]
    assert [name for name, _ in joints[1:]] == run.labels
    np.testing.assert_allclose([float(number) for _, number in joints[1:]], run.qdd, rtol=5e-3)
    for said in (
        "ssrms: robot ssrms, 7 joints, 6 directions held",
        "closed chain, form paper, n = 7",
        "fijany at 20 MHz, 2 arrays of 8 nodes, network senn",
        "7,674 cycles = 383.7 us at 20 MHz",
        spent_text(run.spent),
        f"agrees with the refined solution to {run.certificate['digits']} digits",
        "run.lambda_inverse (6 x 6)",
    ):
        assert said in shown.text
    assert "array 2" in shown.text
    assert senn.open_run(run.save(tmp_path / "run"))._repr_html_() == run._repr_html_()


def test_a_run_of_many_joints_shows_a_dozen():
    (joints,) = page(senn.run("random:16:seed=1")).tables
    assert [name for name, *_ in joints[1:]] == [*(f"joint_{i}" for i in range(1, 13)), "and 4 more"]


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"detail": "summary"}, "no picture: this needs the instructions of the run"),
        (
            {"detail": "instructions"},
            "not told: it takes the messages, which detail instructions does not keep",
        ),
        ({"set": {"machine.control": "mimd"}}, "every node issues by itself"),
        ({"numbers": False}, "made without numbers"),
        ({"algorithm": "inverse-dynamics"}, "run.tau (7)"),
        ({"form": "short", "arrays": 1}, "form short, n = 7"),
        ({"algorithm": "forward-articulated"}, "fijany at 20 MHz, 1 array of 1 node"),
    ],
)
def test_runs_of_every_kind_say_what_they_have_not(choices, said):
    shown = page(senn.run("ssrms", **choices))
    assert said in shown.text
    assert ("no picture" in shown.text) != ("time in cycles" in shown.text)


def test_a_run_that_failed_says_so(run):
    failed = replace(run, certificate={**run.certificate, "ok": False, "message": "accuracy was lost"})
    assert "FAILED: accuracy was lost" in page(failed).text


def test_a_run_without_a_description():
    shown = page(Run(hand_trace(), {}))
    assert shown.text.startswith("makespan39 cyclescertificatenone: not compared with anything")
    assert not shown.tables


def test_names_are_escaped(run):
    problem = {**run.description["problem"], "name": "<b>", "labels": ["<b>"] * 7}
    described = replace(run, description={**run.description, "problem": problem})
    assert "<b>" not in described._repr_html_()
    assert "<b>" not in Allocation("<b>", "home", np.zeros((1, 2, 2), int))._repr_html_()
