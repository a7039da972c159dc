"""studies.md says what is there: its example, its figures, its columns, what its commands print."""

import re

import pytest
from click.testing import CliRunner

from experiments.page import written
from senn import api
from senn.cli.main import cli
from senn.studies import grid
from senn.studies.grid import Grid, points
from senn.studies.row import compute_row, table
from senn.studies.study import read
from tests.places import DOCS

PAGE = written("studies")
WORDS = " ".join(PAGE.split())


def test_the_example_is_the_study_that_is_there():
    """docs/studies/residency.toml without its first comment."""
    _, _, body = (DOCS / "studies" / "residency.toml").read_text(encoding="utf-8").partition("\n\n")
    assert f"```toml\n{body}```" in PAGE


def _spans(n, machine):
    """(home, migrating) makespans, by `senn steps`."""
    tables = (
        api.steps([n], form="short", machine=machine, residency=place) for place in ("home", "migrating")
    )
    return tuple(found["makespan"][0] for found in tables)


@pytest.mark.parametrize(("machine", "before", "crossing"), [("mark3", 8, 12), ("fijany", 16, 24)])
def test_the_lines_cross_where_the_page_says(machine, before, crossing):
    """At the size before data at home is quicker."""
    assert re.search(rf"(?:[Oo]n|and) {machine}\b.*? from n = {crossing} on", WORDS)
    home, migrating = _spans(before, machine)
    assert home < migrating
    home, migrating = _spans(crossing, machine)
    assert migrating < home


@pytest.mark.parametrize("n", [4, 64])
def test_where_messages_cut_through_data_at_home_is_quicker(n):
    assert "On ipsc860 a message pays its start-up once" in WORDS
    home, migrating = _spans(n, "ipsc860")
    assert home < migrating


@pytest.mark.parametrize("machine", ["mark3", "fijany"])
def test_makespans_are_those_the_page_says(machine):
    home, migrating = _spans(64, machine)
    assert re.search(f"{migrating:,} (cycles )?instead of {home:,} on {machine}", WORDS)


def test_the_cases_are_those_of_the_study():
    """The excerpt stands in docs/studies/networks.toml."""
    _, excerpt = PAGE.split("```toml\n[[cases]]")
    assert excerpt.split("```")[0] in (DOCS / "studies" / "networks.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(("n", "first"), [(16, "torus"), (24, "SENN, migrating"), (64, "SENN, migrating")])
def test_networks_are_as_quick_as_the_page_says(n, first):
    """From n = 24 on SENN with migrating is second to the hypercube only, by `senn steps`."""
    spans = {}
    for one in read(DOCS / "studies" / "networks.toml").points:
        if one.parameters["n"] == n:
            asked = {
                name: one.arguments[name] for name in ("form", "residency", "allocation", "machine", "set")
            }
            spans[one.label] = api.steps([n], **asked)["makespan"][0]
    assert sorted(spans, key=spans.get)[:2] == ["hypercube, Gray code", first]


def test_the_page_lists_every_column():
    """Scores and what stands beside them, none more and none less; parameters are those of senn.run."""
    section = PAGE.split("## The table\n")[1].split("\n## ")[0]
    named = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", section, re.MULTILINE))))
    made = points(Grid(fixed={"problem": "random:2"}, labels=["one"]))
    columns = set(table(made, [compute_row(made[0])]).columns)
    assert named == columns - grid.defaults().keys() - {"instructions_2"}


def test_compare_prints_what_the_page_shows():
    block = PAGE.split("```text\n$ senn ")[1].split("```")[0]
    command, _, expected = block.partition("\n")
    done = CliRunner().invoke(cli, command.split())
    table, _, _ = done.stdout.partition("\n\n")
    assert (done.exit_code, f"{table}\n...\n") == (0, expected)
