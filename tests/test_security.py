"""The statements of SECURITY.md: what runs code and what does not; each names the test that holds it."""

import ast
import json
import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from senn.base import code
from senn.traces import seal
from tests.places import ROOT
from tests.senn.cli.command import refused, senn
from tests.test_layers import MODULES

TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("SECURITY.md", "CONTRIBUTING.md")}
LOOKS = (
    ("explain", "run"),
    ("explain", "run", "critical"),
    ("plot", "run", "-o", "a.svg"),
    ("export", "run", "-o", "a.csv"),
    ("retime", "run", "--set", "timing.post=2"),
    ("diff", "run", "run"),
    ("report", "run", "-o", "a.html"),
)
CODE = "open('it ran', 'w').close()\ndef place(n, *_):\n    return list(range(n))\n"
NAMED = "run/evil.py:place"


def test_every_statement_names_a_test_that_exists() -> None:
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", TEXTS["SECURITY.md"])
    assert len(named) > 10
    missing = [
        f"{file}::{name}"
        for file, name in named
        if f"\ndef {name}(" not in (ROOT / "tests" / file).read_text(encoding="utf-8")
    ]
    assert not missing


@pytest.mark.parametrize("name", TEXTS)
def test_links_of_the_top_level_lead_to_files(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", TEXTS[name])
    assert links
    assert not [link for link in links if "://" not in link and not (ROOT / link).exists()]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Files of a run folder; its program is made again from the record, messages combined."""
    folder = tmp_path_factory.mktemp("kept") / "run"
    assert senn("run", "random:4", "--combine", "-o", str(folder)).exit_code == 0
    return {file.name: file.read_bytes() for file in folder.iterdir()}


ALTERED: dict[str, Callable[[dict[str, Any]], object]] = {
    "nothing": lambda record: None,
    "allocation by name": lambda record: record.update(allocation={"name": NAMED, "residency": "home"}),
    "allocation as table": lambda record: record["allocation"].update(name=NAMED, table=NAMED),
    "network": lambda record: record["machine"].update(network=NAMED),
    "algorithm": lambda record: record.update(algorithm=NAMED),
    "program": lambda record: (
        record.update(problem=None, algorithm=NAMED),
        record["program"].update(file="run/evil.py", function="place", sha256=""),
    ),
}


@pytest.mark.fast("allocation by name")
@pytest.mark.parametrize("altered", ALTERED)
def test_a_run_folder_of_a_stranger_runs_no_code(
    kept: dict[str, bytes], altered: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record that names Python code in its own folder, sealed anew: no command that looks at it runs it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(code, "_RUN", set())
    record = json.loads(kept["run.json"])
    ALTERED[altered](record)
    contents = {**kept, "run.json": json.dumps(record).encode(), "evil.py": CODE.encode()}
    del contents["SHA256SUMS"]
    Path("run").mkdir()
    for name, content in {**contents, "SHA256SUMS": seal.of("run", contents)}.items():
        Path("run", name).write_bytes(content)
    ended = {senn(*words).exit_code for words in LOOKS}
    assert ended == {0} if altered == "nothing" else ended <= {0, 2}
    assert not Path("it ran").exists()
    assert set() == code._RUN


def test_a_listing_is_on_the_page_of_a_run_with_combined_messages(
    kept: dict[str, bytes], tmp_path: Path
) -> None:
    """It is made again from the tables of the allocation in the record."""
    from senn import open_run
    from senn.cli.printing.report import report_content

    for name, content in kept.items():
        (tmp_path / name).write_bytes(content)
    assert report_content(open_run(tmp_path)).listing


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('robot = "evil.py:place"', "robot: 'evil.py:place' is neither a .urdf or .toml file"),
        ('robot = "ur5"\nallocation = "evil.py:place"', "allocation is not known"),
        ('robot = "ur5"\ntau = "evil.py:place"', "tau is a text; write a table or a list"),
        (None, 'network = "evil.py:place" is not known'),
    ],
)
def test_a_problem_or_a_machine_names_no_code(
    text: str | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("evil.py").write_text(CODE)
    if text is None:
        preset = (ROOT / "machine" / "presets" / "t800.toml").read_text(encoding="utf-8")
        Path("m.toml").write_text(preset.replace("[machine]\n", '[machine]\nnetwork = "evil.py:place"\n'))
        words = ["run", "ur5", "--machine", "m.toml"]
    else:
        Path("p.toml").write_text(text)
        words = ["run", "p.toml"]
    assert said in refused(*words)
    assert not Path("it ran").exists()


@pytest.mark.exhaustive
def test_commands_open_no_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With sockets that refuse to look up a name or to connect."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a command asks the network")

    monkeypatch.chdir(tmp_path)
    for name in ("getaddrinfo", "create_connection", "gethostbyname"):
        monkeypatch.setattr(socket, name, refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    for words in (
        ("run", "ur5", "-o", "run"),
        ("simulate", "random:3", "--until", "0.01", "--impact", "-o", "motion"),
        ("compare", "random:3", "--residency", "home", "--residency", "migrating"),
        ("optimise", "--n", "3", "--budget", "2"),
        ("list", "machines"),
        ("new", "my.toml", "--robot", "ur5"),
        *LOOKS,
    ):
        assert senn(*words).exit_code == 0, words


def test_code_pickles_and_processes_have_one_place_each() -> None:
    """Names of Python that run a text, unpickle or start a program, by the modules that use them."""
    watched = {"exec", "eval", "compile", "pickle", "subprocess", "marshal", "runpy", "shelve"}
    used: dict[str, set[str]] = {}
    for module, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.func.id]
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            for name in watched.intersection(names):
                used.setdefault(name, set()).add(module)
    here, processes = {"base.code"}, {"api.processes"}
    assert used == {"exec": here, "compile": here, "pickle": processes, "subprocess": processes}
