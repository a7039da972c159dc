"""`senn explain`: every word that run, show, steps and compare print is explained."""

import json
import re

import pytest
from rich.table import Table

from senn.algorithms.answers import ANSWERS, figures
from senn.api import solving
from senn.choices import RunChoices, choices
from senn.cli import glossary
from senn.cli.glossary import WORDS
from tests.senn.cli.command import senn

ASKED_FOR = (
    *("array", "node", "exposed", "hidden", "dependency wait", "migrating", "form", "residency"),
    *("directions held", "process", "level M", "network step", "makespan", "dilation", "congestion", "load"),
    *("stalled", "certificate", "digits", "Lambda^-1", "instructions", "levels", "free network"),
)


@pytest.mark.parametrize("word", ASKED_FOR)
def test_words_are_explained_in_a_paragraph(word):
    """However it is written: with blanks, lines or capitals, one or several."""
    spelt = (word, word.upper(), word.replace(" ", "_"), word.replace(" ", "-"))
    (found,) = {glossary.find(one).name for one in spelt}
    done = senn("explain", *word.split())
    assert (done.exit_code, done.stderr) == (0, "")
    head, text = done.stdout.split("\n", 1)
    assert head == found
    assert 60 < len(" ".join(text.split())) < 500
    assert senn("explain", word, "--json").stdout == senn("explain", *word.split(), "--json").stdout


def test_a_word_is_explained_once():
    """No two rows have one spelling, and no row explains itself by itself alone."""
    spelt = [name for word in WORDS for name in dict.fromkeys((word.name, *word.also))]
    assert len(spelt) == len(set(spelt))
    assert all(word.text.endswith(".") and word.text != word.name for word in WORDS)


def test_choices_and_answers_explain_themselves():
    """Without a row in the table of words: the help of an option, the note and unit of an answer."""
    for name in choices(RunChoices):
        assert glossary.find(f"--{name}").text
    for one in ANSWERS.values():
        assert glossary.find(one.title).text
    assert all(glossary.find(figure.title).text for figure in figures().values())
    assert "N m" in glossary.find("tau").text


def test_alone_it_lists_the_words():
    done = senn("explain")
    assert done.exit_code == 0
    text = " ".join(done.stdout.split())
    assert all(word.name in text for word in WORDS)
    assert "dilation The most channels that any message crosses; 1: all partners are neighbours." in text
    listed = json.loads(senn("explain", "--json").stdout)["words"]
    assert [one["word"] for one in listed] == [*glossary.words()]


OWN = re.compile(r"^(joint|array) \d.*|^instructions, array \d+$|^Fijany .*|^\.\.\.$|^$")
"""Labels that are a word and a number."""


@pytest.fixture
def printed(monkeypatch):
    """All titles of columns and labels of lines that tables get."""
    labels = []

    def column(self, header="", *more, **how):
        labels.append(str(header))
        return add_column(self, header, *more, **how)

    def row(self, *cells, **how):
        if len(cells) > 1 and (not self.show_header or self.columns[0].header == ""):
            labels.append(str(cells[0]))
        return add_row(self, *cells, **how)

    add_column, add_row = Table.add_column, Table.add_row
    monkeypatch.setattr(Table, "add_column", column)
    monkeypatch.setattr(Table, "add_row", row)
    return labels


@pytest.mark.fast("words2", "words3", "words6")
@pytest.mark.parametrize(
    "words",
    [
        ("run", "ur5", "--bounds", "--check", "-o", "{}/a"),
        ("run", "joints:FRSX", "--machine", "raw", "--set", "machine.control=mimd", "-o", "{}/b"),
        ("run", "random:7", "--algorithm", "lambda", "-o", "{}/c"),
        ("run", "random:4", "--algorithm", "inverse-dynamics", "-o", "{}/d"),
        ("steps", "--n", "3,8", "--arrays", "3"),
        ("compare", "random:3", "ur5", "nosuch", "--form", "paper", "--form", "short", "--machine", "raw"),
        ("compare", "random:3", "--residency", "home", "--residency", "migrating", "--bounds"),
        ("simulate", "ur5", "--contact", "plane", "--until", "0.01", "-o", "{}/e"),
    ],
)
def test_every_printed_word_is_explained(tmp_path, printed, words):
    done = senn(*(word.format(tmp_path) for word in words))
    assert done.exit_code in (0, 1)
    if words[0] == "run":
        run = words[-1].format(tmp_path)
        looks = ((), ("critical",), ("message", "0"))
        assert [senn("explain", run, *look).exit_code for look in looks] == [0] * len(looks)
    _assert_explained(printed)


def _assert_explained(printed, least=6):
    labels = {label.replace("\n", " ").strip() for label in printed}
    labels -= {label for label in labels if OWN.match(label) or "=" in label or "nosuch" in label}
    assert len(labels) >= least
    for label in labels:
        plain = re.sub(r" array \d+| 1\.\.\d| \(cycles\)|^\d+ (?=%)", "", label)
        assert glossary.find(re.sub(r"^(\w+) [ab]$", r"\1", plain)).text, label


@pytest.mark.parametrize(
    "words",
    [
        ("retime", "{}/a", "--machine", "raw", "--sensitivity"),
        ("retime", "{}/a", "--machine", "raw", "-o", "{}/c"),
        ("diff", "{}/a", "{}/b"),
        ("optimise", "--n", "4", "--budget", "5", "-o", "{}/t.csv"),
        ("study", "{}/s.toml", "-o", "{}/study", "--workers", "1"),
    ],
)
def test_every_word_of_the_laboratory_is_explained(tmp_path, printed, words):
    """Commands that compare, search and judge; the names of steps and of machines, and the columns of
    one experiment, are no words."""
    for name, machine in (("a", "fijany"), ("b", "raw")):
        solving.run("random:4", machine=machine, numbers=False).save(tmp_path / name)
    (tmp_path / "s.toml").write_text(
        '[study]\nname = "s"\n[vary]\nproblem = ["random:3", "nosuch"]\nmachine = ["fijany", "raw"]\n'
    )
    done = senn(*(word.format(tmp_path) for word in words))
    assert done.exit_code in (0, 1), done.stderr
    names = {"raw", "as given"}
    _assert_explained([label for label in printed if label not in names], least=3)
