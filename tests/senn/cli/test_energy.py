"""Energy at the command line: what each command tells of it, and the picture of several runs."""

import json
from pathlib import Path

import polars as pl
import pytest
from matplotlib import pyplot

import senn
from senn.base.errors import InputError
from senn.traces.naming import joules
from tests.senn.cli.command import ended

RUN = ("run", "random:6:seed=1", "--no-numbers", "--machine", "cmos45")


pytestmark = pytest.mark.usefixtures("folder")


def test_run_explain_and_report_tell_the_energy_and_its_causes() -> None:
    printed = ended(0, *RUN, "-o", "mine")
    run = senn.open_run("mine")
    whole, moving = (run.energy.filter(x)["femtojoules"].sum() for x in (True, pl.col("cause") == "moving"))
    share = round(100 * moving / whole)
    text = f"{joules(whole)}: {joules(whole - moving)} ({100 - share} %) computing"
    text += f" and {joules(moving)} ({share} %) moving"
    assert f"Energy\n  energy  {text}\n" in printed
    told = json.loads(ended(0, *RUN, "--json"))
    assert told["femtojoules"] == whole == sum(row["femtojoules"] for row in told["energy"])
    explained = ended(0, "explain", "mine")
    assert f"The run takes {text}." in " ".join(explained.split())
    node = run.energy.filter(array=1, node=2)["femtojoules"].sum()
    assert f"It takes {joules(node)}:" in ended(0, "explain", "mine", "node", "1:2")
    assert "It takes " in ended(0, "explain", "mine", "I.b.5")
    ended(0, "report", "mine", "-o", "mine.html")
    assert text in Path("mine.html").read_text(encoding="utf-8")


def test_without_energies_nothing_is_told_but_of_the_machine() -> None:
    printed = ended(0, "run", "ssrms", "--no-numbers", "--json", "-o", "plain")
    assert [json.loads(printed)[key] for key in ("femtojoules", "energy")] == [None, None]
    assert "Energy" not in ended(0, "explain", "plain")
    assert "There is no [energy] in the machine file of raw" in ended(0, "list", "machines", "raw")
    assert "energy.multiply" in ended(0, "list", "machines", "cmos45")
    less = " ".join(ended(0, *RUN, "--detail", "summary").split())
    assert "energy not told: it takes activities and hops, which detail summary does not keep" in less


def test_retime_charges_a_folder_with_the_energies_of_another_machine() -> None:
    ended(0, "run", "ssrms", "--no-numbers", "-o", "plain")
    printed = ended(0, "retime", "plain", "--set", "energy.like=cmos45", "-o", "charged")
    assert "other energies" in printed
    energy = senn.open_run("charged").energy["femtojoules"].sum()
    assert printed.split("energy ")[-1].split()[:3] == ["-", *joules(energy).split()]
    assert json.loads(ended(0, "retime", "charged", "--json"))["femtojoules"] == energy


def test_steps_and_compare_have_a_column() -> None:
    rows = json.loads(ended(0, "steps", "--n", "4,6", "--machine", "cmos45", "--json"))["rows"]
    of_six = senn.run("random:6:seed=1", numbers=False, machine="cmos45", contact="weld")
    assert rows[1]["femtojoules"] == of_six.energy["femtojoules"].sum() > rows[0]["femtojoules"]
    machines = ("--machine", "cmos45", "--machine", "raw")
    assert "femtojoules" in ended(0, "compare", "random:6:seed=1", "--no-numbers", *machines)
    welded = {"problem": "random:6:seed=1", "numbers": False, "contact": "weld"}
    table = senn.compare(welded | {"machine": ["cmos45", "raw"]})
    assert table["femtojoules"].to_list() == [rows[1]["femtojoules"], None]


def test_time_against_energy_of_several_runs() -> None:
    names = ("short", "paper")
    for form in names:
        ended(0, *RUN, "--form", form, "-o", form)
    ended(0, "plot", *names, "--kind", "energy", "-o", "energy.png")
    assert Path("energy.png").stat().st_size > 10_000
    short, paper = map(senn.open_run, names)
    ax = paper.plot("energy", beside=[short])
    frontier, *points = ax.get_lines()
    assert [line.get_label() for line in points] == ["form paper", "form short"]
    best = (short.summary["makespan"], short.energy["femtojoules"].sum())
    assert list(zip(*frontier.get_data(), strict=True)) == [best]  # it beats the other in both
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    pyplot.close(ax.figure)
    with pytest.raises(InputError, match="no place on logarithmic axes"):
        senn.run("ssrms", numbers=False, set={"energy.cube": 1}).plot("energy")
