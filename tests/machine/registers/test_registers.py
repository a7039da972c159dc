"""The machine in registers, simulated by Icarus Verilog, does what the emulator recorded: every issue, post,
grant, hop, arrival and word. A machine that is built a little differently does not."""

import itertools
import subprocess
from pathlib import Path
from typing import Any

import pytest

import senn
from senn.base.errors import InputError
from tests.machine.registers.simulated import differences, recorded, simulated
from tests.traces.exports.readers import needs

OWN = str(Path(__file__).with_name("own.py"))
MACHINES: dict[str, dict[str, str]] = {
    "as it is": {},
    "one port": {"machine.ports": "one"},
    "half duplex": {"machine.duplex": "half"},
    "bus": {"machine.vertical": "bus"},
    "cut-through": {"machine.switching": "cut-through", "timing.hop": "2"},
    "a cycle a hop": {"machine.switching": "cut-through", "timing.hop": "1", "machine.ports": "one"},
    "mimd": {"machine.control": "mimd"},
    "no dma": {"machine.dma": "false"},
    "no dma, mimd": {"machine.dma": "false", "machine.control": "mimd"},
    "ring": {"machine.network": "ring"},
    "hypercube": {"machine.network": "hypercube"},
    "torus": {"machine.network": "torus"},
    "short messages": {"timing.startup": "0"},
    "slow receiver": {"timing.receive": "3", "machine.nodes": "4"},
}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    **{
        f"{n} {residency} {name}": (
            f"random:{n}",
            {"residency": residency, "set": settings}
            | ({"allocation": "block"} if "machine.nodes" in settings else {}),
        )
        for n, residency, (name, settings) in itertools.product(
            (4, 7, 8), ("home", "migrating", "ahead"), MACHINES.items()
        )
        if not ("machine.nodes" in settings and (residency != "migrating" or n == 4))
    },
    **{f"8 {form}": ("random:8", {"form": form}) for form in ("short", "omega")},
    **{f"8 {name}": ("random:8", {"algorithm": name}) for name in ("star", "divide-and-conquer")},
    **{
        f"8 random {k}": ("random:8", {"allocation": f"random:{k}", "residency": "home"}) for k in range(1, 6)
    },
    **{f"6 {name}": ("random:6", {"machine": name}) for name in ("mark3", "t800", "raw", "k40c")},
    "sort": ("sort:8", {}),
    "fft": ("fft:8", {"residency": "home"}),
    "transpose": ("transpose:16", {}),
    "matmul": ("matmul:8", {"machine": "mark3"}),
    "8 combined": ("random:8", {"combine": True}),
    "8 single": ("random:8", {"precision": "single"}),
    "16 migrating": ("random:16", {}),
    "16 home": ("random:16", {"residency": "home", "set": {"machine.ports": "one"}}),
}


@pytest.mark.fast("sort", "4 migrating as it is", "7 home one port", "4 home cut-through")
@pytest.mark.parametrize("name", CASES)
def test_registers_do_what_the_run_did(name, tmp_path):
    """Every event, at its cycle, and no other."""
    needs("/iverilog")
    problem, choices = CASES[name]
    run = senn.run(problem, **choices)
    assert len(recorded(run)) > 100
    assert differences(run, simulated(run.export(tmp_path / "machine.verilog"))) == []


MUTANTS = {
    "the youngest first": ("channel", "entry[T+HEADER-1 -: KEY] < key", "entry[T+HEADER-1 -: KEY] > key"),
    "ties by the highest number": (
        "channel",
        "entry[T+HEADER-1 -: KEY] < key",
        "{entry[T+HEADER-1 -: T], ~entry[HEADER-1 -: MESSAGE_]} < {key[KEY-1 -: T], ~key[MESSAGE_-1:0]}",
    ),
    "own messages first": ("channel", "if (waiting[b] &&", "if (!pending && waiting[b] &&"),
    "a cycle more of service": (
        "channel",
        "? best[CYCLES_AT +: CYCLES_] :",
        "? best[CYCLES_AT +: CYCLES_] + 1 :",
    ),
    "words in wrong order": ("channel", "+ words - remaining;", "+ remaining - 1;"),
    "posts of the cycle after": ("dma", "line < ended &&", "line + 1 < ended &&"),
    "a cycle less of computing": (
        "control",
        "duration == 0 ? 0 : duration - 1",
        "duration < 2 ? 0 : duration - 2",
    ),
    "an operand less": ("operands", "slot < needed[pc+k+1]", "slot + 1 < needed[pc+k+1]"),
    "waits alone": ("control", "open = duration == 0", "open = 0"),
    "a message at a wrong place": ("port", "bank * LONGEST) + index", "bank * LONGEST) + index + here"),
    "grants of one port by number": ("arbiter", "keys[c*KEY +: KEY] < keys[best*KEY +: KEY]", "0"),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", MUTANTS)
def test_another_machine_is_noticed(name, tmp_path):
    """A template with a fault does not do what the run did."""
    needs("/iverilog")
    part, old, new = MUTANTS[name]
    crowded = {"machine.network": "ring", "machine.ports": "one", "timing.startup": "100"}
    if name.startswith("ties"):  # which a ring has not
        crowded = {"machine.network": "hypercube"}
    allocation = "random:3" if name.startswith("ties") else "random:1"
    run = senn.run("random:8", residency="home", allocation=allocation, set=crowded)
    folder = run.export(tmp_path / "machine.verilog")
    template = (folder / f"{part}.sv").read_text()
    assert template.count(old) == 1
    (folder / f"{part}.sv").write_text(template.replace(old, new))
    assert differences(run, simulated(folder)) != []


@pytest.mark.exhaustive
def test_verilator_prints_the_same(tmp_path):
    """Line by line, but for the order within a cycle."""
    needs("/iverilog", "/verilator")
    folder = senn.run("random:4").export(tmp_path / "machine.verilog")
    lines = (folder / "README.md").read_text().splitlines()
    printed = {}
    for tool in ("iverilog", "verilator"):
        first = next(k for k, line in enumerate(lines) if line.startswith(f"    {tool} "))
        build, run = (line.strip() for line in lines[first : first + 2])
        subprocess.run(build, shell=True, cwd=folder, capture_output=True, check=True)
        said = subprocess.run(run, shell=True, cwd=folder, capture_output=True, text=True, check=True).stdout
        printed[tool] = sorted(line for line in said.splitlines() if not line.startswith("- "))
    assert printed["iverilog"] == printed["verilator"]


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"values": False}, "this run keeps no values"),
        ({"machine": "ideal"}, "messages of zero cycles would pass the whole network"),
        ({"set": {"timing.post": "0"}}, "post = 0: a descriptor needs a cycle"),
        ({"set": {"timing.word": "0.1"}}, "a word in less than a cycle"),
        ({"set": {"machine.discipline": "priority"}}, 'discipline = "priority"'),
    ],
)
def test_what_the_design_has_not_got_is_refused(choices, said, tmp_path):
    """In one line that names the setting; nothing is written."""
    run = senn.run("random:4", **{"residency": "home", **choices})
    with pytest.raises(InputError, match=said) as error:
        run.export(tmp_path / "machine.verilog")
    assert "\n" not in str(error.value)
    assert not list(tmp_path.iterdir())
