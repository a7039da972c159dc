"""Programs of users with something of a wrong kind in them: one line, from every command."""

from pathlib import Path

import numpy as np
import pytest

from tests.senn.cli.command import senn

RIGHT = """
from senn import PR1, Arrange, Compute, Kernel, Letter, Program, Resident, Send, Wait, every, i, levels, loop

x = Letter("x", (1,))
plus = Kernel("plus", "{0} + {1}", lambda own, arrived: own if arrived is None else own + arrived)

def f(n):
    m = levels(n)

    def level(j, h):
        yield Send("S.1", x[j - 1], PR1[i + h])
        yield Compute("S.2", x[j], plus(x[j - 1], x[j - 1][i - h].or_zero))
        yield Arrange("S.3", x[j], j, j + 1 if j < m else 0)

    streams = ((*loop(n, level), Wait("S.4", x[m])),)
    resident = (Resident(x[0], (1,)),)
    return Program(name="sum", n=n, streams=streams, resident=resident, results={"s": (1, x[m])})
"""
SEND, ADD = 'Send("S.1", x[j - 1], PR1[i + h])', "plus(x[j - 1], x[j - 1][i - h].or_zero)"
MISTAKES = [
    (SEND, "3"),
    (SEND, "None"),
    (SEND, "x"),
    (SEND, "Send(3, x[j - 1], PR1[i + h])"),
    (SEND, 'Send("S.1", 3, PR1[i + h])'),
    (SEND, 'Send("S.1", x[j - 1], 3)'),
    (SEND, 'Send("S.1", x[j - 1], PR1)'),
    (SEND, 'Send("S.1", x[j - 1], PR1[i + 0.5])'),
    (SEND, 'Send("S.1", x[j - 1], PR1[i + 10**30])'),
    (ADD, "3"),
    (ADD, "plus"),
    (ADD, "plus(3, 4)"),
    (ADD, 'plus("a")'),
    (ADD, f"{ADD}, lambda p: p > 1"),
    (ADD, f"{ADD}, [True]"),
    (ADD, f"{ADD}, every"),
    ("j, j + 1 if j < m else 0", "99, 100"),
    ("j, j + 1 if j < m else 0", "-1, 0"),
    ("j, j + 1 if j < m else 0", '"a", 1'),
    ('(*loop(n, level), Wait("S.4", x[m]))', "level"),
    ('(*loop(n, level), Wait("S.4", x[m]))', '"abc"'),
    ('Letter("x", (1,))', 'Letter("x", [1])'),
    ('Letter("x", (1,))', "Letter(3, (1,))"),
    ('"{0} + {1}"', '"{2}"'),
    ('"{0} + {1}"', "None"),
    ("Resident(x[0], (1,))", "Resident(x[0], 1)"),
    ("Resident(x[0], (1,))", "3"),
    ('{"s": (1, x[m])}', '{"s": 3}'),
    ('{"s": (1, x[m])}', "{3: (1, x[m])}"),
    ('{"s": (1, x[m])}', "3"),
    ('name="sum"', "name=3"),
]


@pytest.mark.fast("99*", "*PR1*")
@pytest.mark.parametrize(("right", "wrong"), MISTAKES, ids=[wrong for _, wrong in MISTAKES])
def test_a_mistake_of_kind_is_one_line_from_every_command(tmp_path, monkeypatch, right, wrong):
    monkeypatch.chdir(tmp_path)
    assert RIGHT.count(right) == 1
    Path("own.py").write_text(RIGHT.replace(right, wrong))
    np.savez("data.npz", **{"x[0]": np.ones((8, 1))})
    for words in (
        ("run", "own.py:f", "--given", "data.npz", "-o", "kept"),
        ("program", "--algorithm", "own.py:f", "--n", "8"),
        ("steps", "--algorithm", "own.py:f", "--n", "8"),
    ):
        done = senn(*words)
        assert (done.exit_code, done.stdout) == (2, ""), words
        assert done.stderr.startswith("senn: ")
        assert done.stderr.count("\n") == 1
    assert not Path("kept").exists()


def test_without_a_mistake_they_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(RIGHT)
    np.savez("data.npz", **{"x[0]": np.ones((8, 1))})
    assert senn("run", "own.py:f", "--given", "data.npz", "-o", "kept").exit_code == 0
    assert np.load("kept/result.npz")["s"].ravel().tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
