"""Classics on the command line: run, listed, counted, compared, studied and refused, as NAME or NAME:N."""

from pathlib import Path

import numpy as np
import pytest

from senn.algorithms import gallery
from senn.api.recorded import open_run, program_of
from tests.senn.cli.command import ended, json_of, refused, senn

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", gallery.NAMES)
def test_senn_run_certifies_a_classic_by_numpy_and_keeps_it(name: str) -> None:
    """Invariants, digits, and the listing on the page of a run that was read again."""
    text = ended(0, "run", f"{name}:64", "--check", "-o", "runs/a")
    assert "Held against NumPy, 6 digits required" in text
    made = json_of("explain", "runs/a")["run"]
    assert (made["algorithm"], made["n"], made["problem"]) == (name, 64, None)
    assert made["certificate"]["ok"]
    assert made["certificate"]["digits"] >= 13
    ended(0, "report", "runs/a", "-o", "r.html")
    assert str(program_of(open_run("runs/a"))) == ended(0, "program", "--algorithm", name, "--n", "64")


def test_every_command_takes_a_classic() -> None:
    """Names are those of the table, figures those of Python, one after the other."""
    made = json_of("run", "sort:16", "--seed", "3", "--machine", "t800", "-o", "runs/a")
    numbers = gallery.classic("sort").example(16, np.random.default_rng(3))
    assert made["result"]["sorted"] == sorted(numbers["z[0]"].tolist())
    ended(0, "plot", "runs/a", "-o", "a.svg")
    assert "exchange and compare" in Path("a.svg").read_text()
    np.savez("mine.npz", **{"z[0]": np.arange(16.0)[::-1, None]})  # type: ignore[arg-type]
    given = json_of("run", "sort", "--given", "mine.npz", "--machine", "t800")
    assert given["result"]["sorted"] == [[float(k)] for k in range(16)]
    assert (given["certificate"]["ok"], given["makespan"]) == (True, made["makespan"])
    assert "X.2  z_i^1 = min(z_i^0, z_{i xor 1}^0)" in ended(0, "program", "--algorithm", "sort", "--n", "8")
    law = json_of("steps", "--algorithm", "sort", "--n", "4,8,16,32,64")["fits"]["by_array"]["1"][
        "instructions"
    ]
    assert (law["square"], law["a"], law["b"]) == (1.5, 1.5, 0)
    found = json_of("optimise", "--algorithm", "sort", "--n", "8", "--budget", "5", "--search", "levels")
    assert found["makespan"] <= json_of("run", "sort:8", "--no-numbers")["makespan"]
    rows = json_of("compare", "sort:8", "sort:16", "--machine", "t800")["runs"]
    assert [(row["n"], row["certificate"]["ok"]) for row in rows] == [(8, True), (16, True)]
    assert rows[1]["makespan"] == made["makespan"]


def test_a_study_varies_n_of_a_classic() -> None:
    study = '[study]\nname = "s"\n[fixed]\nmachine = "t800"\nproblem = "fft:{n}"\n[vary]\nn = [4, 8]\n'
    Path("s.toml").write_text(f"{study}seed = [0, 1]\n")
    rows = json_of("study", "s.toml")["runs"]
    assert [(row["n"], row["seed"], row["certificate"]["ok"]) for row in rows] == [
        (4, 0, True),
        (4, 1, True),
        (8, 0, True),
        (8, 1, True),
    ]


def test_the_list_has_a_section_of_classics() -> None:
    assert "classics: senn run NAME:N" in ended(0, "list", "algorithms")
    one = json_of("list", "algorithms", "sort")
    assert one["title"] == "Bitonic sort (Batcher 1968) by perfect shuffles (Stone 1971)"
    assert one["network_steps"] == "3/2 M^2 - 1/2 M"


def test_a_wrong_answer_has_exit_status_1(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that NumPy would not give: the account names the result and its digits."""
    right = gallery.classic("sort").answer
    monkeypatch.setattr(
        gallery.classic("sort"), "answer", lambda memory: {"sorted": right(memory)["sorted"] * 1.001}
    )
    result = senn("run", "sort:8")
    assert result.exit_code == 1
    assert (
        "certificate failed: 1 of 1 figures have fewer than 6 digits, worst: error of sorted" in result.stderr
    )
    assert "3, too few" in result.stdout


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["run", "sort"], "sort: add the number of processes, such as sort:64"),
        (["run", "sort:63"], "a bitonic sort of 63 numbers: take 2, 4, 8, ... processes"),
        (["run", "matmul:9"], "9 is no cube of 2, 4, 8, ...: take 8, 64, 512, ... processes"),
        (["run", "sort:many"], "sort:many: write sort:N, N the number of processes, such as sort:64"),
        (["run", "sort:0"], "a machine needs at least one process, not 0"),
        (["run", "sort:8", "--refine", "1"], "the algorithm sort has no choice of --refine; leave it out"),
        (["run", "sort:8", "--contact", "weld"], "contact: the classic sort has no robot; leave contact out"),
        (["run", "sort:8", "--tip", "x"], "tip: the classic sort has no robot; leave tip out"),
        (["program", "--algorithm", "sort:8"], "sort:8: the size stands elsewhere; write sort"),
    ],
)
def test_what_a_classic_cannot_do_is_refused_in_one_line(words: list[str], line: str) -> None:
    assert refused(*words) == line


def test_an_unknown_classic_is_refused_with_a_near_name() -> None:
    assert refused("steps", "--algorithm", "srt").endswith("did you mean sort?")
    assert refused("run", "srt:8").startswith('unknown problem "srt:8"')


def test_numbers_without_an_answer_arerefused() -> None:
    """A singular system: NumPy says so, and no traceback follows."""
    np.savez("zero.npz", **{"r[0]": np.zeros((4, 4))})  # type: ignore[arg-type]
    line = refused("run", "tridiagonal", "--given", "zero.npz", "--quiet")
    assert line == "tridiagonal: NumPy finds no answer for these numbers: Singular matrix"
