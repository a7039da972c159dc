"""Python files of the current folder, named like modules that senn imports: no process runs them unasked."""

import subprocess
import sys

import pytest

from senn.cli.main import COMMANDS
from tests.places import ENVIRONMENT

OF_PYTHON = {
    *("importlib", "contextlib", "types", "warnings", "functools", "collections", "keyword", "operator")
}
"""Modules that `python -m` itself may import from the current folder, before senn begins."""
OTHERS = {
    *("numpy", "polars", "networkx", "matplotlib", "simpy", "click", "rich", "msgspec", "defusedxml"),
    *("scipy", "distributed", "mpi4py", "otf2", "pylibfst", "viztracer", "cloudpickle", "tornado"),
    *("pandas", "pyarrow"),
}
ENTRY = "from senn.cli.main import main\nif __name__ == '__main__':\n    main()\n"
FILES = {
    "study.toml": """
study = {name = "s"}
[vary]
problem = ["random:2"]
allocation = ["identity", "mine.py:place"]
""",
    "mine.py": "def place(n, levels, nodes):\n    return [list(range(n))] * (levels + 1)\n",
}
WORDS = {
    "run": (("run", "random:3", "--plot"), ("run", "ur5", "--allocation", "mine.py:place")),
    "mpi": (("mpi", "ur5", "--ranks", "2"),),
    "check": (("check", "ur5", "--answers", "kept/result.npz"),),
    "simulate": (("simulate", "random:3", "--until", "0.02", "--impact"),),
    "plot": (("plot", "kept", "-o", "a.png"), ("plot", "ur5", "--kind", "arm", "-o", "b.pdf")),
    "explain": (("explain", "kept"),),
    "report": (("report", "kept", "-o", "page.html"),),
    "export": tuple(("export", "kept", "-o", f"kept.{end}") for end in ("pftrace", "fst", "csv.gz", "otf2")),
    "retime": (("retime", "kept", "--machine", "raw"),),
    "diff": (("diff", "kept", "kept"),),
    "compare": (("compare", "random:3", "--residency", "home", "--residency", "migrating"),),
    "steps": (("steps", "--n", "8:16", "--plot", "steps.png"),),
    "study": (("study", "study.toml", "--workers", "2", "--allow-code"),),
    "optimise": (("optimise", "--n", "3", "--budget", "2"),),
    "program": (("program", "--n", "3"),),
    "list": (("list", "machines"),),
    "new": (("new", "mine.toml", "--robot", "ur5"), ("new", "here.toml", "--calibrate")),
}
CASES = [pytest.param(words, id=" ".join(words)) for every in WORDS.values() for words in every]


def _lay(folder, names):
    """A file that leaves a mark for every name, and the files that commands read."""
    for name in names:
        (folder / f"{name}.py").write_text(f"open('ran {name}', 'w').close()\nraise SystemExit('{name}')\n")
    for name, text in FILES.items():
        (folder / name).write_text(text)


def _done(folder, *command):
    return subprocess.run(
        [sys.executable, *command], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The script `senn` as installers write it, in a folder of its own, and a run."""
    place = tmp_path_factory.mktemp("bin")
    (place / "senn").write_text(ENTRY)
    assert _done(place, "senn", "run", "random:3", "-o", "kept").returncode == 0
    return place


def test_there_are_words_for_every_command():
    assert WORDS.keys() == COMMANDS.keys()


@pytest.mark.fast("study*", "mpi*")
@pytest.mark.parametrize("words", CASES)
def test_senn_and_its_children_run_no_file_named_like_a_module(tmp_path, installed, words):
    names = {name for name in sys.stdlib_module_names if not name.startswith("__")} | OTHERS
    _lay(tmp_path, names)
    (tmp_path / "kept").symlink_to(installed / "kept")
    done = _done(tmp_path, str(installed / "senn"), *words)
    assert [path.name for path in tmp_path.glob("ran *")] == []
    assert done.returncode == (2 if {"70000", "check"} & {*words} else 0), done.stderr


@pytest.mark.fast("study")
@pytest.mark.parametrize("command", ["run", "study"])
def test_nor_does_python_m_senn_but_what_python_imports_first(tmp_path, installed, command):
    """`python -m` looks in the current folder before senn can say no."""
    names = {name for name in sys.stdlib_module_names if not name.startswith("_")} | OTHERS
    _lay(tmp_path, names - OF_PYTHON)
    (tmp_path / "kept").symlink_to(installed / "kept")
    done = _done(tmp_path, "-m", "senn", *WORDS[command][0])
    assert [path.name for path in tmp_path.glob("ran *")] == []
    assert done.returncode == 0, done.stderr


API = """
import sys
import senn
if __name__ == "__main__":
    print(senn.study("study.toml", workers=2, allow_code=True).height, senn.mpi("ur5").certificate["ok"])
"""


@pytest.mark.fast("options0")
@pytest.mark.parametrize("options", [(), ("-P",)])
def test_a_script_elsewhere_starts_children_that_run_no_such_file(tmp_path, installed, options):
    (installed / "script.py").write_text(API)
    _lay(tmp_path, OTHERS | {"pickle", "multiprocessing", "socket", "threading", "tempfile", "struct"})
    done = _done(tmp_path, *options, str(installed / "script.py"))
    assert [path.name for path in tmp_path.glob("ran *")] == []
    assert (done.returncode, done.stdout) == (0, "2 True\n"), done.stderr
