"""The machine and the traces are a library of their own: a prefix sum runs and is told without a robot."""

import re
import subprocess
import sys

from tests.places import ROOT

SCRIPT = """
import sys

import numpy as np

from senn.machine import engines, model, timing
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.program import PR1, Arrange, Compute, Kernel, Letter, Program
from senn.machine.program import Resident, Send, Wait, i, levels, loop
from senn.traces import explained, report

x = Letter("x", (1,))
plus = Kernel("plus", "{0} + {1}", lambda own, arrived: own if arrived is None else own + arrived)


def level(j, h):
    yield Send("S.1", x[j - 1], PR1[i + h])
    yield Compute("S.2", x[j], plus(x[j - 1], x[j - 1][i - h].or_zero))
    yield Arrange("S.3", x[j], j, j + 1 if j < levels(9) else 0)


program = Program(
    name="prefix sum",
    n=9,
    streams=((*loop(9, level), Wait("S.4", x[levels(9)])),),
    resident=(Resident(x[0], (1,)),),
    results={"sum": (1, x[levels(9)])},
)
machine = model.load("mark3")
schedule = place(program, allocation.named("identity", 9, "migrating", 16), machine)
given = np.arange(9.0)[:, None]
run = engines.simulate(schedule, machine, {"x[0]": given}, check=True)
assert (run.result["sum"].ravel() == given.cumsum()).all()
run.plot("timeline").figure.savefig("timeline.png")
makespan = f"{run.summary['makespan']:,}"
assert f"{makespan} cycles" in "".join(explained.explained(run).figures["text"])
assert makespan in report.page(run)
run.save("kept")
other = model.load("t800")
again = engines.simulate(schedule, other)
assert timing.Retiming(schedule, machine).timing(other).summary["makespan"] == again.summary["makespan"]
loaded = sorted(name for name in sys.modules if name.startswith("senn."))
loaded = [name for name in loaded if name.split(".")[1] not in sys.argv[1:]]
assert not loaded, loaded
"""
ROOMS = ("base", "machine", "traces")


def test_a_prefix_sum_runs_and_is_told_with_two_rooms_alone(tmp_path):
    package = tmp_path / "senn"
    package.mkdir()
    (package / "__init__.py").touch()
    for room in ROOMS:
        (package / room).symlink_to(ROOT / ("src/senn/base" if room == "base" else room))
    (tmp_path / "prefix.py").write_text(SCRIPT)
    command = [sys.executable, "prefix.py", *ROOMS]
    done = subprocess.run(command, cwd=tmp_path, env={"MPLBACKEND": "agg"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_traces_know_no_choice_of_an_algorithm():
    """Form, strategy and motion are words of `algorithms.variant`, which a run is given."""
    words = re.compile(r"form (paper|short|omega)|strategy|odd-even reduction|recurrences|\bjets\b")
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "traces").rglob("*.py")}
    assert not {path for path, text in texts.items() if words.search(text)}
