"""The machine in registers, simulated by Icarus Verilog, does what the emulator recorded: every issue, post,
grant, hop, arrival and word. A machine that is built a little differently does not."""

import itertools
import subprocess
from collections import Counter
from typing import Any

import pytest

import senn
from experiments.page import written
from senn.base.errors import InputError
from tests.machine.registers.simulated import differences, recorded, simulated
from tests.traces.exports.readers import needs

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
RESIDENCIES = ("home", "migrating", "ahead")  # n = 7 has one of them on each machine
QUICK = {"timing.flop": "0.05"}  # as many events in fewer cycles, and so more of them at once
TIGHT: dict[str, dict[str, str]] = {
    "with headers": {"timing.startup": "2", "timing.word": "3"},
    "one port": {"timing.startup": "1", "machine.ports": "one"},
    "cut-through": {"timing.startup": "3", "machine.switching": "cut-through", "timing.hop": "1"},
}
"""Nodes that issue by themselves and short messages: queues in which messages lie a cycle apart."""
CROWDED = {
    "machine.network": "torus",
    "machine.control": "mimd",
    "machine.duplex": "half",
    "timing.startup": "1",
    "timing.word": "3",
    **QUICK,
}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    **{
        f"{n} {residency} {name}": (
            f"random:{n}",
            {"residency": residency, "set": settings | (QUICK if settings else {})}
            | ({"allocation": "block"} if "machine.nodes" in settings else {}),
        )
        for n, residency, (name, settings) in itertools.product((4, 7, 8), RESIDENCIES, MACHINES.items())
        if not ("machine.nodes" in settings and (residency != "migrating" or n == 4))
        and (n != 7 or residency == RESIDENCIES[[*MACHINES].index(name) % 3])
    },
    **{
        f"{problem} {network} {name}": (
            problem,
            {
                "residency": "home",
                "allocation": f"random:{len(network)}",
                "set": {"machine.network": network, "machine.control": "mimd", **settings},
            },
        )
        for problem, network, (name, settings) in itertools.product(
            ("sort:8", "fft:8", "matmul:8", "transpose:16"),
            ("senn", "ring", "torus", "hypercube"),
            TIGHT.items(),
        )
    },
    "6 tight": ("random:6", {"residency": "home", "allocation": "random:3", "set": CROWDED}),
    **{f"8 {form}": ("random:8", {"form": form}) for form in ("short", "omega")},
    **{f"8 {name}": ("random:8", {"algorithm": name}) for name in ("star", "divide-and-conquer")},
    **{
        f"8 random {k}": ("random:8", {"allocation": f"random:{k}", "residency": "home", "set": QUICK})
        for k in range(1, 6)
    },
    "6 raw": ("random:6", {"machine": "raw"}),
    **{f"3 {name}": ("random:3", {"machine": name}) for name in ("mark3", "t800", "k40c")},
    **{f"sort {name}": ("sort:8", {"machine": name}) for name in ("maspar", "ipsc860")},
    "sort cluster": ("sort:8", {"machine": "cluster", "set": {"timing.word": "1"}}),
    "sort": ("sort:8", {}),
    "fft": ("fft:8", {"residency": "home"}),
    "transpose": ("transpose:16", {}),
    "matmul": ("matmul:8", {"machine": "mark3"}),
    "8 combined": ("random:8", {"combine": True}),
    "8 single": ("random:8", {"precision": "single"}),
    "16 migrating": ("random:16", {"set": QUICK}),
    "16 home": ("random:16", {"residency": "home", "set": {"machine.ports": "one", **QUICK}}),
}


@pytest.mark.fast("sort", "4 migrating as it is", "4 migrating one port", "4 home cut-through")
@pytest.mark.parametrize("name", CASES)
def test_registers_do_what_the_run_did(name, tmp_path):
    """Every event, at its cycle, and no other."""
    needs("/iverilog")
    problem, choices = CASES[name]
    run = senn.run(problem, **choices)
    events = len(recorded(run))
    assert events > 100 or (name.startswith("matmul:8 torus") and events == 100)
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
    "a packet's stamp a cycle early": ("port", "now = t + 1", "now = t"),
    "a post's stamp a cycle late": ("dma", "t + 1 + LAUNCH", "t + 2 + LAUNCH"),
    "a buffer freed at its grant": ("channel", "last ? by[BUFFERS:1] : 0", "first ? choice[BUFFERS:1] : 0"),
}


@pytest.mark.fast("a packet's stamp a cycle early")
@pytest.mark.parametrize("name", MUTANTS)
def test_another_machine_is_noticed(name, tmp_path):
    """A template with a fault differs from a run in which messages lie a cycle apart at a queue."""
    needs("/iverilog")
    part, old, new = MUTANTS[name]
    problem, choices = CASES["6 tight"]
    run = senn.run(problem, **choices)
    folder = run.export(tmp_path / "machine.verilog")
    template = (folder / f"{part}.sv").read_text()
    assert template.count(old) == 1
    (folder / f"{part}.sv").write_text(template.replace(old, new))
    assert differences(run, simulated(folder)) != []


@pytest.mark.exhaustive
def test_the_page_counts_the_events_of_all_runs():
    """Each line of its table, and the number of runs."""
    page = written("registers")
    counted: Counter[str] = Counter()
    for problem, choices in CASES.values():
        for (name, *_), times in recorded(senn.run(problem, **choices)).items():
            counted[name] += times
    rows = {"issue": "issue", "post": "post", "grant": "grant of a channel", "leave": "end of a hop"}
    for name, text in (rows | {"arrive": "arrival", "word": "word that arrived"}).items():
        assert f"| {text} | {counted[name]:,} | 0 |\n" in page
    assert f"\n{len(CASES)} runs" in page


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
        ({"problem": "sort:1"}, "no message of this run crosses a channel"),
        ({"machine": "cluster"}, "a word in less than a cycle needs more than 64 wires"),
        ({"machine": "ideal"}, "messages of zero cycles would pass the whole network"),
        ({"set": {"timing.post": "0"}}, "post = 0: a descriptor needs a cycle"),
        ({"set": {"timing.word": "0.1"}}, "a word in less than a cycle"),
        ({"set": {"machine.discipline": "priority"}}, 'discipline = "priority"'),
    ],
)
def test_what_the_design_has_not_got_is_refused(choices, said, tmp_path):
    """In one line that names the setting; nothing is written."""
    run = senn.run(**{"problem": "random:4", "residency": "home", **choices})
    with pytest.raises(InputError, match=said) as error:
        run.export(tmp_path / "machine.verilog")
    assert "\n" not in str(error.value)
    assert not list(tmp_path.iterdir())
