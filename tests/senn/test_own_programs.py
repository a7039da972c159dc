"""Programs of users, FILE.py:FUNCTION: run, kept, explained, timed anew, compared, and refused."""

import importlib.util
import json
import re
import subprocess
import sys
from itertools import accumulate
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import senn
from senn.base import code
from senn.base.errors import InputError
from tests.senn.cli.command import json_of, refused
from tests.senn.cli.command import senn as _senn

PREFIX = """
from senn.machine.program import (
    PR1, Arrange, Compute, Kernel, Letter, Program, Resident, Send, Wait, i, levels, loop,
)

x = Letter("x", (1,))
plus = Kernel("plus", "{0} + {1}", lambda own, arrived: own if arrived is None else own + arrived)


def prefix_sum(n):
    m = levels(n)

    def level(j, h):
        yield Send("S.1", x[j - 1], PR1[i + h])
        yield Compute("S.2", x[j], plus(x[j - 1], x[j - 1][i - h].or_zero))
        yield Arrange("S.3", x[j], j, j + 1 if j < m else 0)

    stream = (*loop(n, level), Wait("S.4", x[m]))
    return Program("prefix sum", n, (stream,), (Resident(x[0], (1,)),), {"sum": (1, x[m])})


def half(n):
    return prefix_sum(n // 2)


def broken(n):
    return 1 // 0


def wrong_kernel(n):
    bad = Kernel("bad", "{0}", lambda own: own.nothing)
    return Program("bad", n, ((Compute("B", x[1], bad(x[0])),),), (Resident(x[0], (1,)),), {"x": (1, x[1])})
"""
NUMBERS = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]
NAME = "prefix.py:prefix_sum"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a program and its numbers; no code is allowed yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(code, "_RUN", set())
    Path("prefix.py").write_text(PREFIX)
    np.savez("data.npz", **{"x[0]": np.array(NUMBERS)[:, None]})  # type: ignore[arg-type]
    return tmp_path


def _printed(*words: str) -> str:
    result = _senn(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("prefix", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.usefixtures("folder")
def test_every_command_takes_a_run_of_a_users_program() -> None:
    """One after the other; the sums are those of `itertools.accumulate`, and makespans of all agree."""
    made = json_of("run", NAME, "--given", "data.npz", "--machine", "t800", "-o", "runs/p", "--check")
    assert [x for (x,) in made["result"]["sum"]] == list(accumulate(NUMBERS))
    assert (made["problem"], made["program"], made["n"], made["makespan"]) == (None, "prefix sum", 8, 1056)
    assert json_of("explain", "runs/p")["run"] == made
    text = _printed("explain", "runs/p")
    assert "prefix sum, n = 8" in text
    assert "made by     prefix.py:prefix_sum" in text
    for part in (["S.2"], ["critical"], ["message", "3"], ["node", "1:4"]):
        assert _printed("explain", "runs/p", *part)
    for verb, file in (("report", "r.html"), ("export", "r.pftrace"), ("plot", "r.png")):
        _printed(verb, "runs/p", "-o", file)
    assert "prefix sum" in Path("r.html").read_text()
    retimed = ["retime", "runs/p", "--set", "timing.startup=100", "-o", "runs/slower"]
    slower = json_of(*retimed)["makespan"]
    assert slower == 1056 + 6 * 70  # two start-ups a level, on the critical path
    fresh = json_of("run", NAME, "--given", "data.npz", "--machine", "t800", "--set", "timing.startup=100")
    assert fresh["makespan"] == slower
    assert json_of("explain", "runs/slower")["run"]["makespan"] == slower
    assert "S.1" in _senn("diff", "runs/p", "runs/slower").stdout


@pytest.mark.usefixtures("folder")
def test_it_is_counted_searched_and_compared_like_the_programs_of_arms() -> None:
    """3 M + 1 instructions; the makespan of a compared row is that of the run."""
    steps = json_of("steps", "--algorithm", NAME, "--n", "4,8,16,32")
    law = steps["fits"]["by_array"]["1"]["instructions"]
    assert (law["square"], law["a"], law["b"]) == (0, 3, 1)
    _printed("steps", "--algorithm", NAME, "--n", "4,8,16,32", "--plot", "law.svg")
    drawn = Path("law.svg").read_text()
    assert "prefix.py:prefix_sum, migrating, fijany" in drawn
    assert "form paper" not in drawn
    assert "S.2" in _printed("program", "--algorithm", NAME, "--n", "4")
    at_home = ["--residency", "home", "--machine", "t800"]
    searched = json_of("optimise", "--algorithm", NAME, "--n", "8", "--budget", "5", *at_home)
    assert 3 * 183 <= searched["makespan"] <= 885  # all partners one hop away, or the table given
    rows = json_of("compare", NAME, "--given", "data.npz", *at_home, "--residency", "migrating")["runs"]
    assert {row["residency"]: (row["n"], row["makespan"], row["error"]) for row in rows} == {
        "home": (8, 885, None),
        "migrating": (8, 1056, None),
    }


@pytest.mark.usefixtures("folder")
def test_a_batch_of_memories_has_their_sums(folder: Path) -> None:
    """Each row of a batch is NumPy's prefix sums of its own numbers; other shapes are refused."""
    numbers = np.random.default_rng(0).integers(0, 99, (5, 9, 1)).astype(float)
    many = senn.batch(NAME, given={"x[0]": numbers}, machine="mark3")
    np.testing.assert_array_equal(many.result["sum"], numbers.cumsum(axis=1))
    one = senn.run(f"{NAME}:9", numbers=False, machine="mark3")
    assert many.timing.summary["makespan"] == one.summary["makespan"]
    with pytest.raises(InputError, match=re.escape("given has x[0] (9,); give (states, n, *shape)")):
        senn.batch(NAME, given={"x[0]": np.ones(9)})


def test_times_need_a_size_and_no_numbers(folder: Path) -> None:
    """FILE.py:FUNCTION:N runs without numbers, in a table of sizes too; its data may say another size."""
    assert json_of("run", f"{NAME}:5", "--no-numbers")["n"] == 5
    assert "add :FUNCTION; the functions there are prefix_sum, half, broken" in refused("run", "prefix.py")
    assert "times alone of N processes: prefix.py:prefix_sum:N --no-numbers" in refused("run", f"{NAME}:5")
    said = refused("run", f"{NAME}:5", "--given", "data.npz")
    assert said == "given has 8 rows, a row for each process, but the name says 5"
    rows = senn.compare({"problem": f"{NAME}:{{n}}", "n": [5, 8], "numbers": False})
    timed = [senn.timed(_module(Path("prefix.py")).prefix_sum(n)).summary["makespan"] for n in (5, 8)]
    assert rows["makespan"].to_list() == timed


def test_a_size_that_the_program_refuses_is_said_and_left_out(folder: Path) -> None:
    Path("even.py").write_text(
        f"{PREFIX}\ndef even(n):\n    assert n % 2 == 0, 'odd'\n    return prefix_sum(n)\n"
    )
    done = _senn("steps", "--algorithm", "even.py:even", "--n", "4,5,8,16")
    assert "The program refuses n = 5. Of 5 it says: even.py, line" in done.stdout
    assert "3 M + 1" in done.stdout
    assert "AssertionError: odd" in refused("steps", "--algorithm", "even.py:even", "--n", "5,7")


def test_a_table_of_one_row_places_it(folder: Path) -> None:
    """A static home for every level, as an array in Python too."""
    sums = _module(Path("prefix.py")).prefix_sum
    run = senn.solved(sums, {"x[0]": np.ones((8, 1))}, "mark3", "home", np.arange(8)[::-1])
    assert run.allocation.tables[0, :, 0].tolist() == [7, 7, 7, 7]


def test_a_study_runs_it_if_code_is_allowed(folder: Path) -> None:
    """Files are found beside the study, and one of numbers for each n."""
    for n in (4, 8):
        np.savez(f"data{n}.npz", **{"x[0]": np.ones((n, 1))})  # type: ignore[arg-type]
    Path("s.toml").write_text(
        f'study.name = "own"\n[fixed]\nproblem = "{NAME}"\ngiven = "data{{n}}.npz"\n[vary]\nn = [4, 8]\n'
    )
    assert "prefix.py:prefix_sum; look at it, then run it with --allow-code" in refused("study", "s.toml")
    words = ["study", "s.toml", "--allow-code", "--json", "--workers", "1"]  # with processes of its own
    done = subprocess.run([sys.executable, "-m", "senn", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [(row["n"], row["error"]) for row in json.loads(done.stdout)["runs"]] == [(4, None), (8, None)]


def test_a_record_is_retimed_without_its_program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the tables alone: its file is gone, and no code of it runs."""
    _printed("run", NAME, "--given", "data.npz", "--machine", "t800", "-o", "runs/p")
    monkeypatch.setattr(code, "_RUN", set())
    (folder / "prefix.py").unlink()
    assert json_of("retime", "runs/p", "--set", "timing.startup=100")["makespan"] == 1056 + 6 * 70
    assert set() == code._RUN
    assert "retime --allow-code" in refused("retime", "runs/p", "--allow-code")


def test_a_function_in_python_is_recorded_and_retimed(folder: Path) -> None:
    """`senn.solved` and `senn.run` with a function leave the run that the command line makes."""
    module = _module(folder / "prefix.py")
    given = {"x[0]": np.array(NUMBERS)[:, None]}
    run = senn.solved(module.prefix_sum, given, "t800", check=True)
    assert run.description["program"]["function"] == "prefix_sum"
    assert run.sum.ravel().tolist() == list(accumulate(NUMBERS))
    assert senn.retime(run, set={"timing.startup": 100}).makespan == 1056 + 6 * 70
    named = senn.run(NAME, given="data.npz", machine="t800", check=True)
    assert named.trace.hash == run.trace.hash
    assert named.description["inputs"] == run.description["inputs"]
    whole = senn.solved(module.prefix_sum(8), given, "t800")
    assert senn.retime(whole, set={"timing.startup": 100}).makespan == 1056 + 6 * 70
    assert senn.run(lambda n: module.prefix_sum(n), given=given).sum[-1] == 31  # of no file


ODD = {
    "complex128": np.array(NUMBERS)[:, None] * (1 + 1j),
    r"datetime64\[D\]": np.array(["2020-01-01"] * 8, dtype="datetime64[D]")[:, None],
    r"timedelta64\[s\]": np.arange(8).astype("timedelta64[s]")[:, None],
    "<U1": np.array(list("31415926"))[:, None],
    r"whole numbers above 2\^63 - 1": np.array([2**64 - 1, *range(7)], dtype=np.uint64)[:, None],
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("text", ODD)
def test_numbers_that_would_change_are_refused_in_one_line(text: str, folder: Path) -> None:
    """An imaginary part, a date, the first bit of 2^64 - 1: none is dropped in silence, by no way in."""
    np.savez("odd.npz", **{"x[0]": ODD[text]})  # type: ignore[arg-type]
    said = refused("run", NAME, "--given", "odd.npz")
    assert re.match(rf'memory "x\[0\]" (is|has) {text.rstrip(".")}', said)
    assert "\n" not in said
    module = _module(folder / "prefix.py")
    for program in (module.prefix_sum, module.prefix_sum(8)):
        with pytest.raises(InputError, match=text.rstrip(".")):
            senn.solved(program, {"x[0]": ODD[text]})


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("kind", [np.int64, np.int8, np.uint32, bool, np.float64])
def test_numbers_keep_their_kind_from_file_to_result(folder: Path, kind: type) -> None:
    """Whole numbers and truth values are int64: sums are exact beyond 2^53, and wrap at 64 bits."""
    module, integer = _module(folder / "prefix.py"), not issubclass(kind, np.floating)
    numbers = np.array([3, 1, 4, 0, 5, 9, 2, 6], dtype=kind)
    if kind is np.int64:
        numbers[1:3] = 2**53 + 1, 2**63 - 1
    expected = np.cumsum(numbers, dtype=np.int64 if integer else kind)
    np.savez("typed.npz", **{"x[0]": numbers[:, None]})
    _printed("run", NAME, "--given", "typed.npz", "--machine", "t800", "--check", "-o", "runs/typed")
    with np.load("runs/typed/result.npz") as saved:
        results = [saved["sum"]]
    for program in (module.prefix_sum, module.prefix_sum(8)):
        for engine in ("events", "lockstep"):
            results.append(senn.solved(program, {"x[0]": numbers[:, None]}, engine=engine).result["sum"])
    for result in results:
        assert result.dtype == expected.dtype
        assert result.ravel().tolist() == expected.tolist()


@pytest.mark.usefixtures("folder")
def test_a_kernel_that_makes_fractions_of_whole_numbers_is_refused() -> None:
    x, y = senn.value("x", 1), senn.value("y", 1)
    halved = senn.Compute("H.1", y, senn.Kernel("half", "{0}/2", lambda own: 0.5 * own)(x))
    made = senn.Program("half", 2, ((halved,),), (senn.Resident(x, (1,)),), {"y": (1, y)})
    with pytest.raises(InputError, match="kernel half made float64 of int64"):
        senn.solved(made, {"x": np.array([[3], [4]])})
    assert senn.solved(made, {"x": np.array([[3.0], [4.0]])}).result["y"].tolist() == [[1.5], [2.0]]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"y[0]": [0] * 8}, 'memory "y[0]": the program has no such value at the start, only x[0]; leave it'),
        ({"x[0]": [1, 2, np.nan]}, 'memory "x[0]" of process 3 is nan; write a number there'),
    ],
)
def test_values_that_cannot_be_in_memory_are_refused(folder, given, text):
    """A misspelt name, or one of another program; and what is no number, by value and process."""
    arrays = {name: np.array(numbers)[:, None] for name, numbers in ({"x[0]": NUMBERS} | given).items()}
    np.savez("data.npz", **arrays)
    assert refused("run", NAME, "--given", "data.npz").startswith(text)
    with pytest.raises(InputError, match=re.escape(text)):
        senn.solved(_module(folder / "prefix.py").prefix_sum, arrays)


@pytest.mark.usefixtures("folder")
def test_an_answer_that_is_no_number_is_counted_in_the_account():
    """Infinity less infinity, from the fifth process on."""
    numbers = np.array(NUMBERS, dtype=float)[:, None]
    numbers[[1, 4], 0] = np.inf, -np.inf
    np.savez("data.npz", **{"x[0]": numbers})
    done = _senn("run", NAME, "--given", "data.npz")
    assert done.exit_code == 0
    assert "no number in 4 rows, the first 5" in done.stdout


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (NAME, f"{NAME} needs its numbers: --given, an .npz file with an array for each value in memory"),
        (f"{NAME} --given none.npz", "none.npz: no such file"),
        (f"{NAME} --given prefix.py", "prefix.py: is not an .npz file of numbers; write it with numpy"),
        (f"{NAME} --given data.npz --seed 1", "seed: a program of your own has no robot; leave seed out"),
        (f"{NAME} --given data.npz --form short", f"the algorithm {NAME} has no choice of --form"),
        ("prefix.py:none --given data.npz", "prefix.py: there is no function none: write def none(n)"),
        ("prefix.py:half --given data.npz", "prefix.py:half: 8 gives Program("),
        ("prefix.py:broken --given data.npz", "prefix.py, line 27: ZeroDivisionError: "),
        ("prefix.py:wrong_kernel --given data.npz", "B: kernel bad (line 31 of prefix.py) fails where it is"),
        ("ssrms --given data.npz", "a program of your own, FILE.py:FUNCTION, takes the place of the problem"),
        (f"ssrms --algorithm {NAME}", "a program of your own, FILE.py:FUNCTION, takes the place of the"),
    ],
)
def test_what_cannot_run_is_refused_in_one_line(words: str, message: str) -> None:
    assert refused("run", *words.split()).startswith(message)
    assert not Path("runs").exists()


BITONIC = """
import numpy as np
from senn import PR1, Arrange, Compute, Kernel, Letter, Program, Resident, Send, Wait, by_process, i, levels
from senn.machine.program.kernels import Operations

z = Letter("z", (1,))
low = Kernel("min", "min({0}, {1})", lambda own, other: np.minimum(own, other), declared=Operations(add=1))
high = Kernel("max", "max({0}, {1})", lambda own, other: np.maximum(own, other), declared=Operations(add=1))


def bitonic(n):
    stages = [(k, j) for k in range(1, levels(n) + 1) for j in range(k, 0, -1)]
    stream = []
    for s, (k, j) in enumerate(stages):
        h = 1 << (j - 1)
        pick = [low if bool(p & h) == bool(p >> k & 1) else high for p in range(n)]
        stream += [
            Send("B.1", z[s], PR1[i ^ h], level=j, at=j),
            Compute("B.2", z[s + 1], by_process(pick)(z[s], z[s][i ^ h]), level=j, at=j),
        ]
    results = {"sorted": (1, z[len(stages)])}
    return Program("sort", n, ((*stream, Wait("B.4", z[len(stages)])),), (Resident(z[0], (1,)),), results)


def ring(n):
    plus = Kernel("plus", "{0} + {1}", lambda a, b: a if b is None else a + b)
    stream = [Compute("R.0", z[1], Kernel("one", "{0}", lambda a: 1.0 * a)(z[0]))]
    for k in range(1, n):
        stream += [Send("R.1", z[k], PR1[i + 1]), Compute("R.2", z[k + 1], plus(z[k], z[k][i - 1].or_zero))]
    return Program("ring", n, (tuple(stream),), (Resident(z[0], (1,)),), {"sum": (1, z[n])})
"""


def test_steps_finds_no_line_where_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bitonic sort, which exists for n = 2^k, has M (M + 1) exchanges and a wait; a ring, n - 1 times two
    steps and one, has no law in M, and both are said to have no line."""
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(BITONIC, encoding="utf-8")
    words = ("--n", "4,8,16,32,64", "--residency", "home")
    text = " ".join(_senn("steps", "--algorithm", "own.py:bitonic", *words).stdout.split())
    assert "instructions, array 1 M^2 + M + 1 n = 2^k, from 4 on" in text
    assert "Also tried" not in text
    assert "linear" not in text
    done = _senn("steps", "--algorithm", "own.py:ring", *words, "--set", "machine.network=ring")
    text = " ".join(done.stdout.split())
    assert "instructions, array 1 no law in M" in text
    assert "Also tried: n = 5, 9, 17 and 33." in text
    assert "linear" not in text
    rows = json.loads(_senn("steps", "--algorithm", "own.py:ring", *words, "--json").stdout)
    assert [row["instructions"] for row in rows["rows"]] == [2 * n - 1 for n in (4, 8, 16, 32, 64)]
    assert rows["fits"] == {}
