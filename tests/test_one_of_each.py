"""What contributing.md shows to be one place is one: its differences are applied, and nothing else."""

import re
import subprocess
import sys
from dataclasses import replace
from typing import Annotated

import pytest

from experiments.page import written
from senn.algorithms import catalogue
from senn.api.building import program_of
from senn.base.errors import InputError
from senn.choices import Choice, ProgramChoices, usual
from tests.places import ROOT

PAGE = written("contributing")
DIFFERENCES = dict(re.findall(r"<!-- (\S+) -->\n```diff\n(.*?)```", PAGE, re.DOTALL))

BEGIN = """
import json, sys, types
from importlib.util import find_spec
from pathlib import Path

def changed(name, before, after):
    path = Path(find_spec(name).origin)
    source = path.read_text(encoding="utf-8")
    assert source.count(before) == 1, before
    module = types.ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    exec(compile(source.replace(before, after), str(path), "exec"), vars(module))

def said(*words):
    done = CliRunner().invoke(cli, words, prog_name="senn")
    return done.exit_code, done.output
"""

OPTION = """
import inspect
import senn
from click.testing import CliRunner
from senn.algorithms import catalogue
from senn.cli.main import cli
from senn.studies import grid as parameters

argument = inspect.signature(senn.run).parameters["colour"]
assert (argument.default, argument.kind.name) == ("red", "KEYWORD_ONLY"), argument
assert "colour: red, blue. Colour of the machine." in senn.run.__doc__
assert "colour" not in inspect.signature(senn.steps).parameters
for command in ("run", "compare"):
    text = said(command, "--help")[1]
    assert "--colour [red|blue]" in text and "Colour of the machine." in text
status, text = said("run", "ur5", "--colour", "green")
assert status == 2 and '--colour is "green"; write one of red, blue' in text, text
try:
    senn.run("ur5", colour="green")
except senn.InputError as error:
    assert str(error) == 'colour is "green"; write one of red, blue'
assert parameters.converted("colour", "blue", "s") == "blue"
assert parameters.defaults()["colour"] == "red"
words = ("--algorithm", "inverse-dynamics-newton-euler", "--colour", "blue", "-o", "arm")
status, text = said("run", "ur5", *words, "--json")
assert (status, json.loads(text)["colour"]) == (0, "blue"), text
assert json.loads(Path("arm/run.json").read_text())["colour"] == "blue"
"""

ANSWER = """
from dataclasses import replace
import senn
from click.testing import CliRunner
from senn.algorithms import catalogue
from senn.cli.main import cli

one = catalogue.algorithm("lambda-inverse")

def answers(problem, result):
    answer = one.answers(problem, result)
    return answer | {"tip_push": answer["lambda_inverse"][:, 5] * FACTOR}

catalogue.ALGORITHMS["lambda-inverse"] = replace(one, answers=answers)
assert catalogue.ANSWERS["tip_push"].sizes(7) == (6,)
words = ("run", "ur5", "--algorithm", "lambda-inverse", "--machine", "raw", "--force", "-o", "arm")
FACTOR = 1.0
status, text = said(*words)
assert status == 0, text
assert "Lambda^-1 e_6" in text and "under a force of 1 N along z" in text, text
assert text.count("digits") > 1 and "angular x y z" in text, text
document = json.loads(said(*words, "--json")[1])
assert len(document["tip_push"]) == 6
assert document["certificate"].keys() >= {"tip_push_error", "digits_of", "ok"}
FACTOR = 1.001
status, text = said(*words)
assert status == 1 and "error of Lambda^-1 e_6, 1.0e-03. " in text, text
"""


ALGORITHM = """
import senn
from click.testing import CliRunner
from senn.cli.main import cli

status, text = said("list", "algorithms")
assert status == 0 and "inverse-dynamics-ahead" in text, text
status, text = said("run", "random:5", "--algorithm", "inverse-dynamics-ahead", "--json", "-o", "arm")
document = json.loads(text)
assert (status, document["algorithm"]) == (0, "inverse-dynamics-ahead"), text
assert document["certificate"]["ok"]
assert senn.steps("3:9", algorithm="inverse-dynamics-ahead")["instructions_1"].to_list()
"""


@pytest.mark.fast("*-senn.choices-*")
@pytest.mark.parametrize(
    ("file", "name", "seen"),
    [
        ("src/senn/choices.py", "senn.choices", OPTION),
        ("algorithms/answers.py", "senn.algorithms.answers", ANSWER),
        ("algorithms/catalogue.py", "senn.algorithms.catalogue", ALGORITHM),
    ],
)
def test_what_the_page_adds_is_everywhere(file, name, seen, tmp_path):
    """In a process of its own: the tables are read where they are imported."""
    lines = DIFFERENCES[file].splitlines()
    before, after = (
        "\n".join(line[1:] for line in lines if line[:1] in kept) + "\n" for kept in ((" ",), (" ", "+"))
    )
    script = f"{BEGIN}\nchanged({name!r}, {before!r}, {after!r})\n{seen}"
    environment = {"PYTHONPATH": str(ROOT / "src"), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_a_choice_of_the_program_goes_to_who_names_it(monkeypatch):
    """A row of ProgramChoices is an argument of the programs that name it, and refused by all others."""
    monkeypatch.setitem(ProgramChoices.__annotations__, "shade", Annotated[int, Choice(0, "Of grey.")])
    given = {}
    one = catalogue.algorithm("inverse-dynamics")
    taking = replace(one, choices=("shade",), program=lambda n, joints, **more: given.update(more))
    monkeypatch.setitem(catalogue.ALGORITHMS, "inverse-dynamics", taking)
    program_of(usual(ProgramChoices, algorithm="inverse-dynamics", shade=3), 4)
    assert given == {"shade": 3}
    with pytest.raises(InputError, match="closed-chain has no choice of --shade; leave it out"):
        program_of(usual(ProgramChoices, shade=3), 4)
    program_of(usual(ProgramChoices), 4)
