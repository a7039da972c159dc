"""Tables on pages of any width: every figure is there, whole, and beside it what its row is."""

import re

import pytest
from click.testing import CliRunner
from rich.console import Console

from senn.cli.main import cli
from senn.cli.printing.screen import Sheet

ROWS = [("first", "1", "12,345,678", "0.25"), ("the second of two", "2", "9", "1,000,000")]


def _lines(width, keys=0):
    page = Console(width=width)
    with page.capture() as captured:
        page.print(Sheet(["text"], ["n", "a", "b"], ROWS, keys))
    return captured.get().splitlines()


def test_a_wide_page_has_one_table():
    """Texts left, numbers right, columns three apart."""
    assert [line.split() for line in _lines(60)] == [
        ["text", "n", "a", "b"],
        ["─" * (17 + 3 + 1 + 3 + 10 + 3 + 9)],
        ["first", "1", "12,345,678", "0.25"],
        ["the", "second", "of", "two", "2", "9", "1,000,000"],
    ]


def test_a_narrow_page_goes_on_below():
    """What says which row it is comes again; the numbers that have no room come below, none is cut."""
    lines = [line.split() for line in _lines(34, keys=1)]
    assert lines[0] == ["text", "n", "a"]
    assert lines[2] == ["first", "1", "12,345,678"]
    assert lines[4] == [""] or lines[4] == []
    assert lines[5] == ["text", "n", "b"]
    assert lines[7] == ["first", "1", "0.25"]


def test_texts_wrap_before_numbers_are_cut():
    """Between words; a number stays whole beside the longest word."""
    text = "\n".join(_lines(20))
    assert {"12,345,678", "0.25", "1,000,000"} <= set(text.split())


def _at(width, *words):
    return CliRunner().invoke(cli, words, prog_name="senn", env={"COLUMNS": str(width)})


COMPARED = ("--residency", "home", "--residency", "migrating", "--machine", "raw", "--machine", "mark3")


@pytest.mark.fast("words0", "words3", "words4", "words6")
@pytest.mark.parametrize(
    "words",
    [
        ("explain",),
        ("steps", "--n", "3,4"),
        ("compare", "random:3", *COMPARED, "--detail", "instructions"),
        ("list", "machines"),
        ("list", "networks"),
        ("list", "algorithms", "closed-chain"),
        ("list", "problems"),
        ("list", "networks", "torus"),
    ],
)
def test_every_width_says_the_same(kept, words):
    """From 60 to 200 columns no figure and no word is lost, no line is longer than the page or ends in a
    blank, and what is piped has no colours."""
    words = (*words, str(kept)) if words == ("explain",) else words
    said = {}
    for width in (60, 80, 120, 200):
        done = _at(width, *words)
        assert done.exit_code == 0
        lines = done.stdout.split("\n")
        assert max(map(len, lines)) <= width
        assert all(line == line.rstrip() and "\x1b" not in line for line in lines)
        said[width] = set(re.findall(r"[\w.,*%^-]+", done.stdout))
    assert said[60] >= said[200]
    assert said[80] == said[120] == said[200]


@pytest.mark.parametrize(("asked", "had"), [("20", 60), ("1000", 200), ("none", 80)])
def test_pages_are_60_to_200_wide(asked, had):
    """COLUMNS beyond that are taken as that; without a terminal a page has 80."""
    lines = _at(asked, "program", "--help").stdout.splitlines()
    longest = max(len(line) for line in lines if "    senn program" not in line)
    assert had - 30 < longest <= had
    longest = max(map(len, _at(asked, "list", "machines", "mark3").stdout.splitlines()))
    assert had - 30 < longest <= had


def test_nothing_is_without_room():
    """All scores that differ have a column, on every page."""
    text = _at(80, "compare", "random:4", *COMPARED).stdout
    assert "without room" not in text
    heads = " ".join(text.split())
    assert all(name in heads for name in ("makespan", "exposed", "stall", "congestion", "messages"))


def test_columns_that_are_equal_are_one(kept):
    """Where nobody waits for what is not posted yet, the cycles stalled are those of exposed stalls."""
    text = _at(200, "compare", "random:4", "random:5", "--no-numbers", "--machine", "mark3").stdout
    head = next(line for line in text.splitlines() if line.startswith("problem"))
    assert head.split().count("stall") == 1
    assert "equal  stall, in all runs, is exposed stall" in text
    time = _at(200, "explain", str(kept)).stdout.split("\nTime\n")[1].split("\nCommunication\n")[0]
    columns = list(zip(*(line.split()[2:] for line in time.splitlines() if "array" in line[:8]), strict=True))
    assert len(columns) == len(set(columns)) == 6  # the last is %
