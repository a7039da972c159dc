"""`senn report`: a run folder as one page, written whole or not at all."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from senn import report
from senn.api.recorded import open_run, program_of
from senn.base.errors import InputError
from senn.cli.printing.report import report_content
from tests.senn.cli.command import senn


@pytest.fixture
def run(folder):
    """A run folder of two links."""
    assert senn("run", "random:2", "-o", "run", "-q").exit_code == 0
    return "run"


def test_the_page_is_written_and_named(run):
    """The same file every time; what `senn explain` prints of time and answer stands on it."""
    done = senn("report", run, "-o", "page.html")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "page.html\n", "")
    text = Path("page.html").read_text(encoding="utf-8")
    document = json.loads(Path(run, "run.json").read_text())
    assert f"{document['summary']['makespan']:,} cycles" in text
    with np.load(Path(run, "result.npz")) as numbers:
        assert f"{numbers['qdd'][0]:.3g}" in text
    said = senn("report", run, "-o", "page.html", "--json")
    assert json.loads(said.stdout) == {"folder": "run", "report": "page.html", "bytes": len(text.encode())}
    assert Path("page.html").read_text(encoding="utf-8") == text


def test_two_runs_on_one_page(run):
    """Each under its letter; the same page from Python."""
    assert senn("run", "random:2", "--machine", "cluster", "-o", "other", "-q").exit_code == 0
    said = senn("report", run, "other", "-o", "both.html", "--json")
    text = Path("both.html").read_text(encoding="utf-8")
    both = {"folder": "run", "other": "other", "report": "both.html", "bytes": len(text.encode())}
    assert json.loads(said.stdout) == both
    for name, letter in (("run", "A"), ("other", "B")):
        makespan = json.loads(Path(name, "run.json").read_text())["summary"]["makespan"]
        assert re.search(f"<h2[^>]*>Timeline {letter} · random:2: .*: {makespan:,} cycles", text)
    report(run, "python.html", other="other")
    assert Path("python.html").read_text(encoding="utf-8") == text


def test_the_listing_is_that_of_the_program(folder):
    """Line by line what `senn program` prints; every instruction of the run has one."""
    assert senn("run", "random:6", "--contact", "weld", "-o", "run", "-q").exit_code == 0
    run = open_run("run")
    lines = report_content(run).listing
    printed = senn("program", "--n", "6").stdout
    assert "\n".join(text for text, _ in lines) + "\n" == printed
    keys = {key for _, key in lines if key}
    assert keys == set(run.trace.instructions.select("array", "step", "level").iter_rows())


def test_the_matrix_loses_its_blocks_level_by_level(folder):
    """Odd-even elimination: after level j only blocks 2^j from the diagonal are left, after the last none."""
    assert senn("run", "random:6", "--no-numbers", "-o", "run", "-q").exit_code == 0
    stages = report_content(open_run("run")).stages
    assert [blocks for _, blocks in stages] == [
        {(i, i + 2**level) for i in range(1, 7) if i + 2**level <= 6} for level in range(4)
    ]
    assert [key for key, _ in stages] == [(1, "I.a.5", None), *((1, "I.b.12", level) for level in (1, 2, 3))]


@pytest.mark.fast("chosen0", "chosen4", "chosen5")
@pytest.mark.parametrize(
    "chosen",
    [
        ("--arrays", "1"),
        ("--arrays", "3"),
        ("--arrays", "8"),
        ("--set", "machine.control=mimd"),
        ("--elimination", "oer", "--residency", "home"),
        ("--algorithm", "inverse-dynamics"),
        ("--detail", "summary"),
    ],
)
def test_every_kind_of_run_has_a_page(folder, chosen):
    assert senn("run", "random:3", *chosen, "-o", "run", "-q").exit_code == 0
    assert senn("report", "run", "-o", "page.html").exit_code == 0


@pytest.mark.parametrize(("name", "value"), [("form", "long"), ("strategy", 3), ("arrays", 4)])
def test_a_record_of_choices_that_do_not_exist_has_no_program(run, name, value):
    whole = open_run(run)
    record = {**whole.description, "program": {**whole.description["program"], name: value}}
    with pytest.raises(InputError, match=f"^{name} {value!r} is not one of "):
        program_of(replace(whole, description=record))
