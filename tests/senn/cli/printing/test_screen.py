"""What people read holds nothing that a terminal would obey but the page's own colours."""

import pytest

from senn.base.account import Account, Section
from senn.base.tables import table
from senn.cli.printing.screen import tell
from tests.senn.cli.command import senn


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


@pytest.mark.parametrize(
    "words",
    [
        ("run", "arm\x1b[31m\nrandom"),
        ("run", "x\ny.toml"),
        ("run", "--residency", "a\u202eb\nc"),
        ("run", "--nosuch\x1b\noption"),
        ("nosuch\x1bcommand\n",),
        ("explain", "no\x1b[2J\nfolder"),
        ("program", "--step", "\x07" * 3),
        ("run", "b" * 100_000),
        ("run", "c " * 100_000),
    ],
)
def test_a_refusal_is_one_line_whatever_was_given(words):
    """Status 2, one line of printable characters, and not longer than a person reads."""
    done = senn(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr[:-1].isprintable()
    assert done.stderr.endswith("\n")
    assert len(done.stderr) < 2100
