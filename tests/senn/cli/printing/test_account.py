"""One account, told on a terminal, as JSON and on a page; a terminal obeys nothing of it but its colours."""

import json
from pathlib import Path

import pytest

from senn.base.account import Account, Section, html
from senn.base.tables import table
from senn.cli.printing.screen import tell
from tests.senn.cli.command import refused

SHOWN = table(["step", "note"], ["cycles"], [["I.b", None, 1200], ["II", "late", "-3 %"]])
SECTIONS = (
    Section(lines=(("problem", "ssrms <7>"),)),
    Section("Time", (("makespan", "7 cycles"),), SHOWN, notes=(("note", "a guess"),)),
    Section("In words", paragraphs=("One.", "Two.")),
)
ACCOUNT = Account(SECTIONS, {"makespan": 7, "times": (1.0, float("nan")), "folder": Path("a")})


def test_a_terminal_has_sections_below_each_other(capsys):
    """An empty line between sections, and what stands below a heading is indented."""
    assert tell(ACCOUNT, as_json=False) == 0
    assert capsys.readouterr().out.splitlines() == [
        "problem  ssrms <7>",
        "",
        "Time",
        "  makespan  7 cycles",
        "",
        "  step   note   cycles",
        "  ────────────────────",
        "  I.b    -       1,200",
        "  II     late     -3 %",
        "  note  a guess",
        "",
        "In words",
        "",
        "One.",
        "",
        "Two.",
    ]


def test_json_is_one_line_of_finite_figures(capsys):
    """Sections are for readers; nothing else is printed, though files are written."""
    told = Account(SECTIONS, ACCOUNT.figures, files={"run": Path("a")}, text="x")
    assert tell(told, as_json=True) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert json.loads(out) == {"makespan": 7, "times": [1.0, None], "folder": "a"}
    assert tell(Account(files={"run": Path("a")}), as_json=True) == 0
    assert capsys.readouterr().out == ""


def test_a_page_has_every_text_escaped():
    page = html(SECTIONS)
    assert page.count("<section>") == len(SECTIONS)
    assert "ssrms &lt;7&gt;</dd>" in page
    assert '<td class="number">1,200</td>' in page
    assert "<td>-</td>" in page
    assert page.endswith("<h3>In words</h3><p>One.</p><p>Two.</p></section></div>")


@pytest.mark.parametrize(
    ("failure", "status", "said"), [(None, 0, ""), ("", 1, ""), ("why", 1, "senn: why\n")]
)
@pytest.mark.parametrize("as_json", [False, True])
def test_a_failure_is_status_1_and_a_line_on_stderr(capsys, as_json, failure, status, said):
    assert tell(Account(figures={"a": 1}, failure=failure), as_json) == status
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("files", "printed"),
    [
        ({"run": Path("a"), "map": None}, "\nFiles\n  run  a\n"),
        ({"": Path("a b")}, "a b\n"),
        ({"map": None}, ""),
    ],
)
def test_written_files_have_their_paths(capsys, files, printed):
    """A file without a label is a path alone, for another command to take."""
    tell(Account(files=files), as_json=False)
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize("text", ["a line", "a line\n"])
def test_a_text_is_printed_as_it_is(capsys, text):
    tell(Account(text=text), as_json=False)
    assert capsys.readouterr().out == "a line\n"


def test_a_page_escapes_what_users_named(capsys):
    """Markup is no markup, and a name cannot move the cursor, colour the rest or begin a line of its own."""
    shown = table(["name"], [], [["[bold red]arm[/]"], ["\x1b[2Jgone\x9b"], ["\u202eback"]])
    tell(Account([Section(table=shown)]), as_json=False)
    printed = capsys.readouterr().out
    assert "[bold red]arm[/]" in printed
    assert r"\x1b[2Jgone\x9b" in printed
    assert r"\u202eback" in printed


def test_a_terminal_keeps_its_colours(monkeypatch, capsys):
    """The styles that the page itself writes go through as they are."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("FORCE_COLOR", "1")
    tell(Account([Section("Answer")]), as_json=False)
    assert "\x1b[1mAnswer\x1b[0m" in capsys.readouterr().out


def test_a_refusal_is_one_line_whatever_was_given():
    of_run = ("arm\x1b[31m\nrandom", "x\ny.toml", "--nosuch\x1b\noption", "b" * 100_000, "c " * 100_000)
    for words in (*(("run", word) for word in of_run), ("run", "--residency", "a\u202eb\nc")):
        refused(*words)
    refused("nosuch\x1bcommand\n")
    refused("explain", "no\x1b[2J\nfolder")
    refused("program", "--step", "\x07" * 3)
